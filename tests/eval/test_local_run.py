"""`evaluate run --model local/...` on two tiny random vision-language models: 40 real items end in a report."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.evaluate import evaluate
from benchwright.cli.main import run_command
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.records import QuestionType, ReleaseRow
from benchwright.schemas.runs import Response

Rows = Callable[..., ReleaseRow]
SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).parents[3] / "shared"))
POOL = SHARED / "data" / "real_pool"
TINY = Path(__file__).parents[1] / "models" / "tiny.py"
ITEMS = 40
SINGLE = 10
"""Of them, asked once more one by one."""
CONTEXT = 4096

pytestmark = pytest.mark.skipif(
    not (POOL / "pool.jsonl").is_file(), reason=f"{POOL} is not there (BENCHWRIGHT_SHARED)"
)


def load_tiny() -> Any:
    """The builders of tiny checkpoints, by their path (test folders are not importable as packages)."""
    name = "benchwright_test_models_tiny"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, TINY)
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="module", params=["llava", "idefics3"])
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model that sees, with room for real questions."""
    for package in ("torch", "transformers"):
        pytest.importorskip(package, reason=f"{package} is not installed (extra `local`)")
    build = getattr(load_tiny(), f"build_{request.param}")
    folder: Path = build(tmp_path_factory.mktemp("seeing") / f"tiny-{request.param}", context=CONTEXT)
    return folder


def real_items() -> list[dict[str, Any]]:
    """Items of all disciplines and both languages, with at most two pictures and a text that fits."""
    chosen: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in (POOL / "pool.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        if item["images"] and len(item["images"]) <= 2 and len(item["question"]) < 500:
            chosen.setdefault((item["discipline"], item["language"]), []).append(item)
    groups = [group[: ITEMS // len(chosen)] for _, group in sorted(chosen.items())]
    return [item for group in groups for item in group]


@pytest.fixture
def real_release(release: Any, row: Rows) -> Any:
    """A release folder of real items."""
    rows, pictures = [], {}
    for number, item in enumerate(real_items()):
        loaded = [load_image_bytes((POOL / name).read_bytes()) for name in item["images"]]
        pictures |= {image.ref.sha256: image.published for image in loaded}
        texts = [str(choice) for choice in item["choices"] or []]
        rows.append(
            row(
                f"r{number:02}",
                answer=str(item["answer"]),
                question=item["question"],
                choices=texts[:8],
                question_type=QuestionType.SINGLE_CHOICE if texts else QuestionType.FREE_FORM,
                discipline=item["discipline"],
                language=item["language"],
                images=[image.published for image in loaded],
            )
        )
    return release(rows, pictures.values())


def answers(folder: Path) -> dict[str, Response]:
    lines = (folder / "responses.jsonl").read_text(encoding="utf-8").splitlines()
    found = [Response.model_validate_json(line) for line in lines]
    return {response.row_id: response for response in found}


def test_a_run_over_real_items_ends_with_a_report_and_batches_say_what_single_requests_say(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    real_release: Any,
    checkpoint: Path,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BENCHWRIGHT_WORKSPACE", raising=False)
    # Drawn, so that the answers differ: the greedy word of a random model hangs on the prompt's last letters alone.
    sampling = ("--temperature", 1, "--seed", 3, "--max-tokens", 5)
    more = ("--model", f"local/{checkpoint}", *sampling, "--judge", "rules", "--local", "dtype=float32")
    shown = {}
    for name, how in (("batched", ("--concurrency", 8)), ("single", ("--concurrency", 1, "--limit", SINGLE))):
        out = (*how, "--out", tmp_path / name, "--json")
        words = [str(word) for word in ("run", real_release.folder, *more, *out)]
        # What a random model says may be readable for the rules or not: both ends are a finished run.
        assert run_command(evaluate, "evaluate", words) in (0, 1)
        shown[name] = json.loads(capsys.readouterr().out)
    scores = shown["batched"]
    assert scores["spec"]["model"]["name"] == f"local/{checkpoint.name}"
    assert str(checkpoint.parent) not in json.dumps(scores), "no path of this machine in what is stored"
    together, alone = answers(tmp_path / "batched"), answers(tmp_path / "single")
    assert (len(together), len(alone)) == (ITEMS, SINGLE)
    assert alone == {row_id: together[row_id] for row_id in alone}
    assert {response.status.value for response in together.values()} <= {"ok", "truncated", "empty"}
    assert len({response.text for response in together.values()}) > ITEMS // 2
    # The pictures were in the prompt: each has its tokens there.
    pictures = {row.id: len(row.images) for row in real_release.rows}
    assert set(pictures.values()) <= {1, 2} and all((r.prompt_tokens or 0) > 16 for r in together.values())
    (total,) = [cell for cell in scores["cells"] if cell["by"] == []]
    assert (total["n_total"], total["not_run"]) == (ITEMS, 0)
    assert {cell["key"][0] for cell in scores["cells"] if cell["by"] == ["discipline"]} == {
        "biology",
        "chemistry",
        "mathematics",
        "physics",
    }
    report = (tmp_path / "batched" / "report.md").read_text(encoding="utf-8")
    assert f"local/{checkpoint.name}" in report and "of 40" in report


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--model", "openai/m", "--local", "dtype=float32"), "is about a local/... model"),
        (("--model", "local/x", "--local", "speed=high"), "speed"),
        (("--model", "local/x", "--local", "batch_size=0"), "batch_size"),
        (("--model", "local/x", "--local", "float32"), "write KEY=VALUE"),
    ],
)
def test_settings_of_a_local_model_are_checked_before_anything_is_loaded(
    command: Any, release: Any, row: Rows, words: tuple[str, ...], why: str
) -> None:
    assert why in command("run", release([row("p0")]).folder, *words, code=2)[1]

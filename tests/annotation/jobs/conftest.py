"""A released benchmark with a real run over it, for the jobs about answers and releases."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchwright.cli.evaluate import evaluate
from benchwright.cli.main import run_command
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Option, QuestionType, ReleaseRow, Split
from benchwright.schemas.release_table import write_release_table
from benchwright.schemas.workspace import Workspace

EVIL = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1"> & "quoted" <b>'


@dataclass(frozen=True)
class Evaluated:
    """A workspace, its release, and a run of it."""

    workspace: Workspace
    release: Path
    run_id: str
    rows: dict[str, ReleaseRow]


def picture(number: int) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (30, 20), (number % 256, 120, 90)).save(stream, format="PNG")
    return stream.getvalue()


def release_row(row_id: str, number: int, **fields: Any) -> ReleaseRow:
    """A row whose key and option texts can be looked for on a page."""
    options = tuple(Option(label=label, text=f"option-{label}-{number} $x^2$") for label in "ABCD")
    text = f"Item {number}: find $\\frac{{\\sqrt{{{number}}}}}{{2}}$ of BC."
    full = "\n".join([text, *(f"{option.label}. {option.text}" for option in options)])
    version = row_id.split(":")[1]
    values: dict[str, Any] = {
        "id": row_id,
        "problem_id": row_id.split(":")[0],
        "version": version,
        "language": "en",
        "discipline": "physics" if number % 2 else "chemistry",
        "subject": "mechanics",
        "difficulty": 2,
        "knowledge_points": (),
        "question": "" if version == "vision-only" else full,
        "images": (sha256_bytes(picture(number)),),
        "options": options,
        "question_type": QuestionType.SINGLE_CHOICE,
        "answer": "B",
        "unit": None,
        "full_question": full,
        "stem": None,
        "conditions": (),
        "core_question": None,
        "knowledge_cue": None,
        "knowledge_detail": (),
        "solution": f"secret-solution-{number}",
        "split": Split.TEST,
        "source": "made-up",
        "source_license": "CC0-1.0",
        "render": None,
        "canary": "canary-1",
    }
    return ReleaseRow.model_validate({**values, **fields})


def make_rows() -> list[ReleaseRow]:
    rows = [release_row(f"p{n}:{v}:en", n) for n in range(1, 5) for v in ("original", "vision-only")]
    several = {"question_type": QuestionType.MULTIPLE_SELECT, "answer": "AC"}
    free = {
        "question_type": QuestionType.FREE_FORM,
        "options": (),
        "answer": "2.5",
        "unit": "m",
        "question": f"How long? {EVIL}",
        "full_question": f"How long? {EVIL}",
    }
    return [*rows, release_row("p5:original:en", 5, **several), release_row("p6:original:en", 6, **free)]


REPLIES = {
    "p1:original:en": "Answer: B",
    "p2:original:en": "Answer: C",
    "p3:original:en": f"The sign $x_0$ says so. {EVIL}\n\nAnswer: D",
    "p4:original:en": "",
    "p5:original:en": "Answer: AC",
    "p6:original:en": "<think>hidden-thinking</think>2.5 m",
    "p1:vision-only:en": "Answer: A",
    "p2:vision-only:en": "Answer: B",
    "p3:vision-only:en": "Answer: A",
    "p4:vision-only:en": "Answer: B",
}


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    """Ten released rows of six problems, answered from a file and judged by the rules."""
    root = tmp_path_factory.mktemp("evaluated")
    workspace = Workspace.create(root / "space", default_recipe_toml("evaluated", ("physics",)))
    release, rows = workspace.release("v1"), make_rows()
    pictures = {sha256_bytes(picture(n)): picture(n) for n in range(1, 7)}
    for version in ("original", "vision-only"):
        path = release / "data" / "en" / version / "test-00000-of-00001.parquet"
        path.parent.mkdir(parents=True)
        write_release_table(path, [r for r in rows if r.version == version], pictures.__getitem__)
    replies = root / "replies.jsonl"
    replies.write_text("".join(json.dumps({"id": k, "text": v}) + "\n" for k, v in REPLIES.items()))
    arguments = ["run", str(release), "--model", f"replay/{replies}", "--workspace", str(workspace.root)]
    assert run_command(evaluate, "evaluate", arguments) == 0
    (folder,) = workspace.runs.iterdir()
    return Evaluated(workspace, release, folder.name, {row.id: row for row in rows})


@pytest.fixture
def offered_to(evaluated: Evaluated, tmp_path: Path) -> Workspace:
    """A fresh workspace that knows nothing of the run yet."""
    return Workspace.create(tmp_path / "space", default_recipe_toml("reviewing", ("physics",)))

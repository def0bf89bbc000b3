"""Fixtures for the tests of `benchwright.eval`: small releases written through the release table, the model server."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.evaluate import evaluate
from benchwright.cli.main import run_command
from benchwright.eval.metrics.cells import Scored
from benchwright.eval.metrics.step_metrics import StepScored
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.records import Option, QuestionType, ReleaseRow, Split
from benchwright.schemas.release_table import write_release_table


def picture(colour: int) -> bytes:
    """A real small PNG whose bytes depend on the number."""
    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (6, 4), (colour % 256, colour // 256 % 256, 90)).save(stream, format="PNG")
    return stream.getvalue()


def make_row(
    row_id: str,
    *,
    answer: str = "B",
    question: str | None = None,
    choices: Sequence[str] = ("1.0 m", "1.7 m", "2.0 m", "4.0 m"),
    question_type: QuestionType = QuestionType.SINGLE_CHOICE,
    images: Sequence[bytes] = (),
    version: str = "original",
    **fields: Any,
) -> ReleaseRow:
    """A release row with sensible contents."""
    options = tuple(Option(label="ABCDEFGH"[i], text=text) for i, text in enumerate(choices))
    stem = question if question is not None else f"Item {row_id}: find the length BC."
    full = "\n".join([stem, *(f"{option.label}. {option.text}" for option in options)])
    values: dict[str, Any] = {
        "id": row_id,
        "problem_id": row_id.split(":")[0],
        "version": version,
        "language": "en",
        "discipline": "physics",
        "subject": "mechanics",
        "difficulty": 2,
        "knowledge_points": (),
        "question": "" if version == "vision-only" else full,
        "images": tuple(sha256_bytes(data) for data in images),
        "options": options,
        "question_type": question_type,
        "answer": answer,
        "unit": None,
        "full_question": full,
        "stem": None,
        "conditions": (),
        "core_question": None,
        "knowledge_cue": None,
        "knowledge_detail": (),
        "solution": None,
        "split": Split.TEST,
        "source": "made-up",
        "source_license": "CC0-1.0",
        "render": None,
        "canary": "canary-1",
    }
    return ReleaseRow.model_validate({**values, **fields})


@dataclass(frozen=True)
class Release:
    """A release folder made for a test."""

    folder: Path
    rows: tuple[ReleaseRow, ...]


def write_release(folder: Path, rows: Iterable[ReleaseRow], images: Iterable[bytes] = ()) -> Release:
    """Write rows as `data/LANGUAGE/VERSION/SPLIT-00000-of-00001.parquet`."""
    known = {sha256_bytes(data): data for data in images}
    all_rows = tuple(rows)
    groups: dict[tuple[str, str, str], list[ReleaseRow]] = {}
    for row in all_rows:
        groups.setdefault((row.language, row.version, row.split.value), []).append(row)
    for (language, version, split), members in groups.items():
        path = folder / "data" / language / version / f"{split}-00000-of-00001.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_release_table(path, members, lambda sha256: known[sha256])
    return Release(folder, all_rows)


@pytest.fixture
def release(tmp_path: Path) -> Callable[..., Release]:
    """Factory of a release folder."""
    return lambda rows, images=(), name="release": write_release(tmp_path / name, rows, images)


@pytest.fixture
def row() -> Callable[..., ReleaseRow]:
    """Factory of release rows."""
    return make_row


@pytest.fixture
def png() -> Callable[[int], bytes]:
    """Factory of small pictures."""
    return picture


@pytest.fixture
def replay(tmp_path: Path) -> Callable[[dict[str, str | None]], str]:
    """Factory: writes recorded answers and gives the model's name."""

    def write(answers: dict[str, str | None]) -> str:
        path = tmp_path / "answers.jsonl"
        lines = [json.dumps({"id": name, "text": text}, ensure_ascii=False) for name, text in answers.items()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return f"replay/{path}"

    return write


class Command:
    """Runs `evaluate ...` in this process and reads what it wrote."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object, code: int = 0) -> tuple[str, str]:
        got = run_command(evaluate, "evaluate", [str(argument) for argument in arguments])
        said = self._capsys.readouterr()
        assert got == code, said.err
        return said.out, said.err

    def json(self, *arguments: object, code: int = 0) -> dict[str, Any]:
        return json.loads(self(*arguments, "--json", code=code)[0])


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BENCHWRIGHT_WORKSPACE", raising=False)
    return Command(capsys)


@pytest.fixture
def placed() -> Callable[..., dict[str, Any]]:
    """Factory of the fields that say where an evaluated row belongs."""

    def fields(row_id: str, **given: Any) -> dict[str, Any]:
        values: dict[str, Any] = {
            "row_id": row_id,
            "problem_id": row_id.split(":")[0],
            "version": "original",
            "language": "en",
            "discipline": "physics",
            "subject": "optics",
            "level": "2 Easy",
        }
        return {**values, **given}

    return fields


@pytest.fixture
def judged(placed: Callable[..., dict[str, Any]]) -> Callable[..., Scored]:
    """Factory of rows with an outcome: `judged("p1:en", "consistent", version="vision-only")`."""

    def row(row_id: str, outcome: str, **given: Any) -> Scored:
        fields = {"question_type": QuestionType.SINGLE_CHOICE, "chance": 0.25, "status": "ok", **given}
        return Scored.model_validate({**placed(row_id, **fields), "outcome": outcome})

    return row


@pytest.fixture
def stepped(placed: Callable[..., dict[str, Any]]) -> Callable[..., StepScored]:
    """Factory of rows with counted steps: `stepped("p1:en", (1, 2), (0, 3))`; an outcome in place of counts."""

    def row(
        row_id: str, k: tuple[int, int] | str, logic: tuple[int, int] = (0, 0), **given: Any
    ) -> StepScored:
        if isinstance(k, str):
            return StepScored.model_validate({**placed(row_id, **given), "outcome": k})
        counts = {"k_right": k[0], "k_steps": k[1], "l_right": logic[0], "l_steps": logic[1]}
        return StepScored.model_validate({**placed(row_id, **given), "outcome": "scored", **counts})

    return row

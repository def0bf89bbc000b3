"""The four public sources of the shared data, in the shape in which they were published again, read by preset.

The shared pool holds their rows split up; every untouched text and path lies beside it, so the published files can be
written again. (MMMU is not among them.)
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from benchwright.curation.ingest import IngestOptions, IngestResult, ingest
from benchwright.curation.ingest_images import ImageStore
from benchwright.curation.ingest_text import read_text
from benchwright.curation.preset_rows import mapped_row
from benchwright.curation.presets import load_preset
from benchwright.curation.sources import SourceRow, parse_json
from benchwright.schemas.errors import ItemError
from benchwright.schemas.images import ImageLimits
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Question, Rejected
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

from .public_shapes import SCEMQA_ANSWER

Row = dict[str, Any]


def _place(row: Row, folder: Path, shared: Path) -> None:
    """Put a row's pictures where they were published."""
    for published, kept in zip(row["extra"]["source_images"], row["images"], strict=True):
        target = folder / published
        if not target.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(shared / "real_pool" / kept, target)
            except OSError:  # another file system
                shutil.copyfile(shared / "real_pool" / kept, target)


def _write(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def gaokao_mm(rows: Iterable[Row], folder: Path) -> None:
    files: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        extra = row["extra"]
        keywords = Path(extra["source_images"][0]).parent.name
        files[keywords].append({
            "year": extra["year"], "category": extra["category"],
            "question": extra.get("question_raw", row["question"]),
            "picture": [f"../{path}" for path in extra["source_images"]], "answer": [row["answer"]],
            "analysis": extra["solution"], "index": len(files[keywords]), "score": extra["score"],
        })  # fmt: skip
    for keywords, examples in files.items():
        _write(folder / "Data" / f"{keywords}.json", {"keywords": keywords, "example": examples})


def scemqa(rows: Iterable[Row], folder: Path) -> None:
    files: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    ours = {"answer_raw", "answers_all", "choice_layout", "image_path_raw", "question_raw", "source_images"}
    for row in rows:
        extra = row["extra"]
        free = "Free_Response" in extra["source_images"][0]
        name = {"mathematics": "Math"}.get(row["discipline"], row["discipline"].title())
        files["free_response" if free else "multiple_choice"][f"{name}_Free_Response" if free else name].append({
            "Question": extra.get("question_raw", row["question"]), SCEMQA_ANSWER: extra["answer_raw"],
            "ImagePath": extra["image_path_raw"], **{key: extra[key] for key in extra if key not in ours},
        })  # fmt: skip
    for file, lists in files.items():
        _write(folder / file.title() / f"{file}.json", lists)


def math_v(rows: Iterable[Row], folder: Path) -> None:
    (folder / "data").mkdir(parents=True)
    with (folder / "data" / "test.jsonl").open("w", encoding="utf-8") as stream:
        for row in rows:
            path = row["extra"]["source_images"][0]
            published = {
                "id": Path(path).stem, "question": row["question"], "options": row["choices"] or [],
                "answer": row["answer"], "solution": row["extra"]["solution"], "level": row["difficulty"],
                "subject": row["knowledge_points"][0], "image": path,
            }  # fmt: skip
            stream.write(json.dumps(published, ensure_ascii=False) + "\n")


def scibench(rows: Iterable[Row], folder: Path) -> None:
    for row in rows:
        extra = {key: value for key, value in row["extra"].items() if key != "source_images"}
        published = {"problem_text": row["question"], **extra}
        _write(folder / Path(row["extra"]["source_images"][0]).parent / "data.json", published)


SOURCES: dict[str, tuple[str, Callable[[Iterable[Row], Path], None], int]] = {
    "gaokao-mm": ("OpenMOSS/GAOKAO-MM", gaokao_mm, 342),
    "scemqa": ("SceMQA/SceMQA", scemqa, 486),
    "math-v": ("mathllm/MATH-V", math_v, 260),
    "scibench": ("mandyyyyii/scibench", scibench, 177),
}
NOTES = {
    "gaokao-mm": {
        "leading-number-cut": 341, "options-in-pictures": 49, "options-split-from-question": 290,
        "options-stand-in-question": 3, "score-note-cut": 255,
    },
    "scemqa": {
        "answer-and-explanation": 460, "answer-command-misspelt": 1, "control-character-cut": 1,
        "options-split-from-question": 296, "options-stand-in-question": 1, "private-characters": 1,
        "several-answers": 1,
    },
    "math-v": {"options-in-pictures": 21, "placeholders-share-picture": 2, "subject-not-in-taxonomy": 216},
    "scibench": {"answers-differ": 1, "unit-with-factor": 11},
}  # fmt: skip
OTHERWISE = {
    "scemqa-Physics_Free_Response-1",  # "\\anser{0.39}": the shared pool kept the whole explanation as the answer
    "scemqa-Chemistry-1",  # a control character at the end of an option, which the shared pool kept
    "scemqa-Physics-29",  # "(C, D)": the shared pool took the first letter alone
    "gaokao-mm-2010-2023_Chemistry_MCQs-47",  # rows of a table, which the shared pool cut up as options
}
"""Questions that the shared pool splits otherwise; each was looked at, and ours is right."""


@pytest.fixture(scope="module")
def real_rows(shared_data: Path) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = defaultdict(list)
    with (shared_data / "real_pool" / "pool.jsonl").open(encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            rows[row["source"]].append(row)
    return rows


def read(
    preset: str, real_rows: dict[str, list[Row]], shared: Path, folder: Path
) -> tuple[IngestResult, list[Question], list[Rejected]]:
    source, write, _ = SOURCES[preset]
    for row in real_rows[source]:
        _place(row, folder / "source", shared)
    write(real_rows[source], folder / "source")
    toml = default_recipe_toml("real", ("mathematics", "physics", "chemistry", "biology"))
    workspace = Workspace.create(folder / "workspace", toml)
    (result,) = ingest(workspace, [folder / "source"], IngestOptions(preset=preset))
    found = [q for name in workspace.pool_disciplines() for q in read_records(workspace.pool(name), Question)]
    return result, found, read_records(workspace.pool_rejected, Rejected)


@pytest.mark.parametrize("preset", SOURCES)
def test_every_real_row_is_kept_or_rejected_with_its_reason(
    preset: str, real_rows: dict[str, list[Row]], shared_data: Path, tmp_path: Path
) -> None:
    result, found, rejected = read(preset, real_rows, shared_data, tmp_path)
    counts = result.counts
    assert counts.n_in == SOURCES[preset][2] == len(found) + len(rejected)
    assert (counts.n_rejected, counts.reasons) == (0, {}), "every one of their oddities can be handled"
    assert result.notes == NOTES[preset]
    assert all(question.images for question in found), "every one of these questions has a picture"
    rows = real_rows[SOURCES[preset][0]]
    assert Counter(question.discipline for question in found) == Counter(row["discipline"] for row in rows)
    # The shared pool's own splitting was looked at by people: ours must agree wherever both split.
    assert {name for name, _, _ in _differing(rows, found)} <= OTHERWISE


def _differing(rows: list[Row], found: list[Question]) -> list[tuple[str, Any, Any]]:
    by_row: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_row[_key(row["extra"].get("question_raw", row["question"]))].append(row)
    differing: list[tuple[str, Any, Any]] = []
    for question in found:
        values = json.loads(question.source_row)
        text = values.get("question") or values.get("Question") or values.get("problem_text")
        answers = {row["answer"].strip() for row in by_row[_key(text)]}
        choices = [[choice.strip() for choice in row["choices"] or []] for row in by_row[_key(text)]]
        ours = [choice.text or choice.label for choice in question.text.choices]
        if question.text.answer not in answers:
            differing.append((question.id, question.text.answer, answers))
        elif any(choices) and ours not in choices:
            differing.append((question.id, ours, choices))
    return differing


def _key(text: str) -> str:
    return "".join(text.split())


def _text_rows(shared: Path, source: str) -> list[Row]:
    with gzip.open(shared / "text_pool.jsonl.gz", "rt", encoding="utf-8") as stream:
        return [row for row in map(json.loads, stream) if row["source"] == source]


def test_all_text_lists_of_scibench(shared_data: Path, tmp_path: Path) -> None:
    files: dict[str, list[Row]] = defaultdict(list)
    for row in _text_rows(shared_data, "mandyyyyii/scibench"):
        files[row["extra"]["source"].strip()].append({"problem_text": row["question"], **row["extra"]})
    for name, rows in files.items():
        _write(tmp_path / "source" / "dataset" / f"{name}.json", rows)
    toml = default_recipe_toml("real", ("mathematics", "physics", "chemistry"))
    workspace = Workspace.create(tmp_path / "workspace", toml)
    (result,) = ingest(workspace, [tmp_path / "source"], IngestOptions(preset="scibench"))
    assert (result.counts.n_in, result.counts.n_kept) == (690, 690)
    assert result.notes == {"answers-differ": 3, "latex-unreadable": 1, "unit-with-factor": 108}


def test_all_texts_of_math_v(shared_data: Path, tmp_path: Path) -> None:
    """Those whose pictures are not in the shared data: read as if they were there."""
    preset = load_preset("math-v")
    store = ImageStore(
        Workspace.create(tmp_path / "workspace", default_recipe_toml("x")), tmp_path, ImageLimits()
    )
    reasons: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    for row in _text_rows(shared_data, "mathllm/MATH-V"):
        published = {
            "id": row["id"], "question": row["question"], "options": row["choices"] or [], "answer": row["answer"],
            "level": row["difficulty"], "subject": row["knowledge_points"][0], "image": "images/1.jpg",
        }  # fmt: skip
        values = parse_json(json.dumps(published))
        try:
            mapped = mapped_row(preset, SourceRow(1, values, context={"file": "test"}), lambda path: True)
            part = read_text(mapped.values.get, len(mapped.values["images"]), store)
        except ItemError as error:
            reasons[error.reason] += 1
            continue
        notes.update(code for code, _ in mapped.notes)
        assert part.text.answer == row["answer"].strip()
        if row["choices"]:
            shown = [choice.text or choice.label for choice in part.text.choices]
            given = [re.sub(r"^\(?([A-J])\)$", r"\1", choice.strip()) for choice in row["choices"]]
            assert shown == given
    assert reasons == {"control-character": 1}, 'an answer that was "\\frac" once'
    assert notes == {"options-in-pictures": 396, "placeholders-share-picture": 332}

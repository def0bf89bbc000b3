"""Columns of a pool in chunks: the same values that whole records give."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.curation.embed import embedding_text
from benchwright.curation.pool_reader import iter_columns, iter_texts, pool_size
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.records import Choice, ImageRef, LocalizedText, Question, QuestionType
from benchwright.schemas.tables import write_records


def picture(letter: str) -> ImageRef:
    return ImageRef(source_sha256="f" * 64, sha256=letter * 64, width=4, height=3, format="png")


def question(number: int, **changes) -> Question:
    choices = (
        Choice(label="A", text="iron"),
        Choice(label="B", image=picture("b")),
        Choice(label="C", text=""),
    )
    said = LocalizedText(question=f"Which is {number}?", answer="A", choices=choices if number % 2 else ())
    values = {
        "id": f"q{number:03}", "source": "trial", "source_license": "CC0-1.0", "source_row": "{}",
        "discipline": "physics", "language": "zh" if number % 3 == 0 else "en",
        "images": (picture("a"), picture("b")) if number % 5 == 0 else (),
        "question_type": QuestionType.SINGLE_CHOICE, "difficulty": None if number % 4 else 3,
        "knowledge_points": ("a/b",) * (number % 2),
    }  # fmt: skip
    other = LocalizedText(question="something else", answer="x")
    values["texts"] = {values["language"]: said, "fr": other}
    return Question(**{**values, **changes})


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    questions = [question(number) for number in range(2500)]
    path = tmp_path_factory.mktemp("pool") / "physics.parquet"
    write_records(path, questions, Question)
    return path, questions


def test_texts_ids_and_pictures_are_those_of_the_records(pool):
    path, questions = pool
    chunks = list(iter_texts(path, chunk=700))
    assert max(len(chunk.ids) for chunk in chunks) <= 700 and len(chunks) > 3
    assert [one for chunk in chunks for one in chunk.ids] == [question.id for question in questions]
    assert [one for chunk in chunks for one in chunk.texts] == [embedding_text(one) for one in questions]
    shown = [one for chunk in chunks for one in chunk.images]
    assert shown[5] == ("a" * 64, "b" * 64) and shown[1] == ("b" * 64,) and shown[2] == ()


def test_columns_come_as_they_stand(pool):
    path, questions = pool
    names = ["id", "difficulty", "knowledge_points"]
    read = [
        row
        for chunk in iter_columns(path, names, 999)
        for row in zip(*(chunk[n] for n in names), strict=True)
    ]
    assert read == [(one.id, one.difficulty, list(one.knowledge_points)) for one in questions]
    assert pool_size(path) == 2500
    with pytest.raises(KeyError, match="no_such"):
        next(iter_columns(path, ["no_such"]))


def test_missing_and_foreign_files_are_named(tmp_path: Path):
    with pytest.raises(UsageError, match="curate ingest"):
        next(iter_texts(tmp_path / "none.parquet"))
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(TamperedError, match="cannot be read"):
        pool_size(torn)
    foreign = tmp_path / "foreign.parquet"
    write_records(foreign, [picture("a")], ImageRef)
    with pytest.raises(TamperedError, match="Question"):
        next(iter_columns(foreign, ["id"]))

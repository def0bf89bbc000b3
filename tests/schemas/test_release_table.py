"""Rows to Parquet and back; what `datasets` makes of it is tested with the release."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.records import Option, QuestionType, ReleaseRow, Split
from benchwright.schemas.release_table import (
    ROWS_PER_GROUP,
    load_release,
    read_release_table,
    release_schema,
    resolve_release,
    write_release_table,
)


def drawing(colour: str, kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(buffer, kind)
    return buffer.getvalue()


PICTURES = {sha256_bytes(data): data for data in (drawing("red"), drawing("blue"), drawing("green", "JPEG"))}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
DIGEST = st.sampled_from(sorted(PICTURES))


def rows_strategy() -> st.SearchStrategy[ReleaseRow]:
    option = st.builds(
        Option, label=st.sampled_from("ABC"), text=st.none() | TEXT, image_sha256=st.none() | DIGEST
    )
    return st.builds(
        ReleaseRow,
        id=TEXT,
        problem_id=TEXT,
        version=st.just("original"),
        language=st.sampled_from(["en", "zh"]),
        difficulty=st.integers(1, 5),
        knowledge_points=st.lists(TEXT, max_size=2).map(tuple),
        question=TEXT,
        images=st.lists(DIGEST, max_size=3).map(tuple),
        options=st.lists(option, max_size=3).map(tuple),
        question_type=st.sampled_from(QuestionType),
        answer=st.none() | st.sampled_from(["007", "2.50", "true", "null", "NaN", ""]),
        conditions=st.lists(TEXT, max_size=2).map(tuple),
        split=st.sampled_from(Split),
    )


@given(st.lists(rows_strategy(), max_size=6))
@settings(max_examples=40, deadline=None)
def test_what_goes_in_comes_out(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    assert write_release_table(path, rows, PICTURES.__getitem__) == len(rows)
    back = list(read_release_table(path))
    assert [row for row, _ in back] == rows
    for row, images in back:
        assert set(images) == {
            *row.images,
            *(o.image_sha256 for o in row.options if o.image_sha256 is not None),
        }
        assert all(PICTURES[sha256] == data for sha256, data in images.items())
    again = path.with_name("again.parquet")
    write_release_table(again, rows, PICTURES.__getitem__)
    assert again.read_bytes() == path.read_bytes()


def some_rows(count: int) -> list[ReleaseRow]:
    sha256 = sorted(PICTURES)[0]
    return [
        ReleaseRow(
            id=f"p{i}", problem_id=f"p{i}", version="original", language="en", discipline="physics", subject="optics",
            difficulty=3, knowledge_points=(), question="?", images=(sha256,), options=(), answer="007", unit=None,
            question_type=QuestionType.FREE_FORM, full_question="?", stem=None, conditions=(), core_question=None,
            knowledge_cue=None, knowledge_detail=(), solution=None, split=Split.TEST, source="s", source_license="l",
            render=None, canary="c",
        )
        for i in range(count)
    ]  # fmt: skip


def test_row_groups_are_small_and_pictures_are_not_compressed_again(tmp_path):
    path = tmp_path / "t.parquet"
    write_release_table(path, some_rows(2 * ROWS_PER_GROUP + 1), PICTURES.__getitem__)
    metadata = pq.ParquetFile(path).metadata
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [128, 128, 1]
    group = metadata.row_group(0)
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    cells = columns["images.list.element.bytes"]
    assert cells.compression == "UNCOMPRESSED" and not cells.has_dictionary_page
    assert columns["question"].compression == "SNAPPY"


def test_wrong_bytes_are_refused_when_writing_and_when_reading(tmp_path):
    first, second = sorted(PICTURES)[:2]
    path = tmp_path / "t.parquet"
    with pytest.raises(TamperedError, match=first):
        write_release_table(path, some_rows(1), lambda sha256: PICTURES[second])
    write_release_table(path, some_rows(1), PICTURES.__getitem__)
    table = pq.read_table(path)
    values = table.to_pylist()
    values[0]["images"][0]["bytes"] = PICTURES[second]
    pq.write_table(pa.Table.from_pylist(values, schema=release_schema()), path)
    with pytest.raises(TamperedError, match="p0 names image"):
        list(read_release_table(path))


def test_what_is_no_release_is_said_in_a_sentence(tmp_path):
    with pytest.raises(UsageError, match="is no release"):
        list(load_release(tmp_path))
    with pytest.raises(UsageError, match="no Hub id"):
        resolve_release(str(tmp_path / "missing"))
    with pytest.raises(UsageError, match="has no revisions"):
        resolve_release(str(tmp_path), "v1")
    other = tmp_path / "data" / "en" / "original" / "test-00000-of-00001.parquet"
    other.parent.mkdir(parents=True)
    pq.write_table(pa.table({"id": ["1"]}), other)
    with pytest.raises(UsageError, match="lacks the column answer"):
        list(load_release(tmp_path))
    other.write_bytes(b"not parquet")
    with pytest.raises(UsageError, match="cannot be read as Parquet"):
        list(load_release(tmp_path))


def test_folder_without_manifest_is_read_in_order(tmp_path):
    rows = some_rows(3)
    for name, row in zip(("zh/original", "en/original", "en/knowledge-free"), rows, strict=True):
        path = Path(tmp_path / "data" / name / "test-00000-of-00001.parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_release_table(path, [row], PICTURES.__getitem__)
    assert [row.id for row, _ in load_release(tmp_path)] == ["p2", "p1", "p0"]

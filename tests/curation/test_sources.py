"""Every format gives the same rows, and no value changes its spelling."""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.sources import BadRow, Number, SourceRow, dump_json, parse_json, read_rows
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Question
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

ANSWERS = ("007", "2.50", "true", "1e3", "-0", "[2, 3)", "12345678901234567890123", "NaN", "None", "½")
OPTIONS = IngestOptions(license="CC0-1.0", discipline="physics", language="en")


def rows_as_text() -> list[dict[str, str]]:
    return [
        {"id": f"q{n}", "question": f"Question {n}?", "answer": answer} for n, answer in enumerate(ANSWERS)
    ]


def write_jsonl(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def write_json(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text(json.dumps({"data": rows}, ensure_ascii=False, indent=1), encoding="utf-8")


def write_csv(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write_parquet(path: Path, rows: list[dict[str, str]]) -> None:
    pq.write_table(
        pa.Table.from_pylist(rows, schema=pa.schema([(key, pa.string()) for key in rows[0]])), path
    )


def write_gz(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode(), mtime=0))


def write_dataset(path: Path, rows: list[dict[str, str]]) -> None:
    import datasets

    features = datasets.Features({key: datasets.Value("string") for key in rows[0]})
    datasets.Dataset.from_list(rows, features=features).save_to_disk(str(path))


WRITERS: dict[str, Callable[[Path, list[dict[str, str]]], None]] = {
    "pool.jsonl": write_jsonl,
    "pool.json": write_json,
    "pool.csv": write_csv,
    "pool.parquet": write_parquet,
    "pool.jsonl.gz": write_gz,
    "pool": write_dataset,
}


@pytest.mark.parametrize("name", WRITERS)
def test_answers_keep_their_spelling_in_every_format(name: str, tmp_path: Path, workspace: Workspace) -> None:
    path = tmp_path / name
    WRITERS[name](path, rows_as_text())
    ingest(workspace, [path], OPTIONS)
    found = [q.text.answer for q in read_records(workspace.pool("physics"), Question)]
    assert found == list(ANSWERS)


def test_json_numbers_and_booleans_become_the_text_that_stood_there(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(
        '{"a": 2.50, "b": 1e3, "c": true, "d": 0.1000, "e": null, "f": NaN, "g": 12345678901234567890}\n'
    )
    (row,) = read_rows(path)
    assert isinstance(row, SourceRow)
    assert row.values == {
        "a": "2.50", "b": "1e3", "c": True, "d": "0.1000", "e": None, "f": None, "g": "12345678901234567890",
    }  # fmt: skip
    assert isinstance(row.values["a"], Number)


def test_typed_parquet_columns_read_as_their_values(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    table = pa.table({
        "i": pa.array([7], pa.int32()), "f": pa.array([2.5]), "n": pa.array([float("nan")]), "b": pa.array([True]),
        "raw": pa.array([b"\x00\xff"]), "list": pa.array([["x", None]]), "short": pa.array([0.1], pa.float32()),
    })  # fmt: skip
    pq.write_table(table, path)
    (row,) = read_rows(path)
    assert isinstance(row, SourceRow)
    assert row.values == {
        "i": "7", "f": "2.5", "n": None, "b": True, "raw": b"\x00\xff", "list": ["x", None], "short": "0.1",
    }  # fmt: skip


def test_class_labels_of_datasets_read_as_their_names(tmp_path: Path) -> None:
    import datasets

    features = datasets.Features(
        {"answer": datasets.ClassLabel(names=["A", "B"]), "id": datasets.Value("string")}
    )
    loaded = datasets.Dataset.from_dict({"answer": [1, 0, -1], "id": ["x", "y", "z"]}, features=features)
    loaded.save_to_disk(str(tmp_path / "saved"))
    loaded.to_parquet(str(tmp_path / "p.parquet"))
    for source in (tmp_path / "saved", tmp_path / "p.parquet"):
        answers = [row.values["answer"] for row in read_rows(source) if isinstance(row, SourceRow)]
        assert answers == ["B", "A", None]  # -1: not labelled, never the answer "-1"


def test_pictures_of_a_saved_dataset_arrive_byte_for_byte(
    tmp_path: Path, workspace: Workspace, png: Callable[..., bytes]
) -> None:
    import datasets

    features = datasets.Features({
        "id": datasets.Value("string"), "question": datasets.Value("string"), "answer": datasets.Value("string"),
        "image": datasets.Image(),
    })  # fmt: skip
    data = png(size=(30, 20))
    row = {"id": ["p"], "question": ["q"], "answer": ["1"], "image": [{"bytes": data, "path": "a.png"}]}
    datasets.Dataset.from_dict(row, features=features).save_to_disk(str(tmp_path / "saved"))
    ingest(workspace, [tmp_path / "saved"], OPTIONS)
    (question,) = read_records(workspace.pool("physics"), Question)
    (ref,) = question.images
    assert workspace.source_image(ref.source_sha256, ".png").read_bytes() == data
    assert f"sha256:{ref.source_sha256}" in question.source_row


def test_bad_rows_are_named_by_line_and_the_others_go_on(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"a":1}\n{"a":\n\n[1]\n{"a":1,"a":2}\n\xff\n{"a":3}')
    found = [(row.line, row.reason if isinstance(row, BadRow) else "kept") for row in read_rows(path)]
    assert found == [
        (1, "kept"), (2, "bad-json"), (4, "not-an-object"), (5, "bad-json"), (6, "not-utf8"), (7, "kept"),
    ]  # fmt: skip


def test_csv_with_line_breaks_in_cells_ragged_rows_and_other_bytes(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes('id,question\r\n1,"two\r\nlines"\r\n2\r\n3,é\r\n'.encode() + b"4,\xe9\r\n5,last\r\n")
    found = [
        (row.line, row.reason if isinstance(row, BadRow) else row.values["question"])
        for row in read_rows(path)
    ]
    assert found == [(2, "two\r\nlines"), (4, "ragged-row"), (5, "é"), (6, "not-utf8"), (7, "last")]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("p.jsonl", "\ufeff{}".encode("utf-16-le"), "UTF-16"),
        ("p.json", b"{", "not valid JSON"),
        ("p.json", b'{"rows": []}', "neither a JSON list"),
        ("p.csv", b"a,a\n1,2\n", "twice"),
        ("p.parquet", b"PAR1", "Parquet"),
        ("p.docx", b"", "endings"),
        ("p.xlsx", b"", "damaged"),
        ("p.zip", b"PK", "damaged"),
        ("p.parquet.gz", b"", "endings"),
        ("p.jsonl", b"", "no rows"),
    ],
)
def test_unusable_files_are_refused_in_one_sentence(
    name: str, data: bytes, says: str, tmp_path: Path, workspace: Workspace
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UsageError, match=says):
        ingest(workspace, [path], OPTIONS)


def test_a_compressed_file_that_ends_early_is_refused(tmp_path: Path, workspace: Workspace) -> None:
    rows = b"".join(
        b'{"id": "%d", "question": "%s"}\n' % (n, os.urandom(40).hex().encode()) for n in range(400)
    )
    whole = gzip.compress(rows)
    for name, data in (
        ("p.jsonl.gz", whole[: len(whole) // 2]),
        ("p.csv.gz", whole[:10] + b"\0" + whole[11:]),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UsageError, match=f"{name} is damaged"):
            ingest(workspace, [tmp_path / name], OPTIONS)


def test_a_parquet_file_with_a_damaged_page_is_refused(tmp_path: Path, workspace: Workspace) -> None:
    path = tmp_path / "p.parquet"
    table = pa.table({"question": [f"What is {n} squared?" for n in range(3000)]})
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    data = bytearray(path.read_bytes())
    data[data.index(b"What is 77 squared")] ^= 1
    path.write_bytes(data)
    with pytest.raises(UsageError, match="cannot be read as Parquet"):
        ingest(workspace, [path], OPTIONS)


def test_a_folder_that_datasets_did_not_save_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"dataset_dict\.json"):
        list(read_rows(tmp_path))


_json_values = st.recursive(
    st.none() | st.booleans() | st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_json_values)
def test_dumping_what_was_parsed_says_the_same(value: Any) -> None:
    text = json.dumps(value)
    again = dump_json(parse_json(text))
    assert json.loads(again) == json.loads(text)
    assert dump_json(parse_json(again)) == again

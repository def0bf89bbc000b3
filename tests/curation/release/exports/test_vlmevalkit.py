"""The VLMEvalKit table: read back by the harness's rules, and by the reader of tables that it uses (pandas).

The package is on no registry, so its own code is not run; its rules (unique index, references of at most 64
characters, lists as literals, rows without a picture dropped) are those of its image_base.py.
"""

from __future__ import annotations

import base64
import csv
import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.curation.release.exports.vlmevalkit import read_vlmevalkit


def table(exported: Any) -> Path:
    return Path(exported.folder) / "vlmevalkit" / "tiny.tsv"


def test_answers_prompts_and_pictures_come_back(exported: Any) -> None:
    back = {str(row["id"]): row for row in read_vlmevalkit(table(exported))}
    asked = {name: row for name, row in exported.scored.items() if row.images}
    assert set(back) == set(asked) and len(asked) > 15
    for name, row in asked.items():
        cells = back[name]
        assert cells["answer"] == row.answer == json.loads(str(cells["answer_json"]))
        assert cells["question"] == exported.words.text_for(row)
        assert [base64.b64decode(one) for one in cells["image"]] == [
            exported.images[one] for one in row.images
        ]
        assert [Path(one).stem for one in cells["image_path"]] == list(row.images)
        assert cells["canary"] == row.canary


def test_rows_without_a_picture_are_left_out_with_a_reason(exported: Any) -> None:
    left_out = (table(exported).parent / "left-out.jsonl").read_text().splitlines()
    assert [(json.loads(line)["item_id"], json.loads(line)["reason"]) for line in left_out] == [
        ("wordy-original-en", "no-picture")
    ]
    assert [item["item_id"] for item in exported.said["rejected"]] == ["wordy-original-en"]


def test_versions_share_a_diagram_by_index(exported: Any) -> None:
    with table(exported).open(encoding="utf-8", newline="") as stream:
        raw = list(csv.DictReader(stream, delimiter="\t"))
    own = {cells["index"]: exported.rows[cells["id"]].images for cells in raw if len(cells["image"]) > 64}
    assert len(own) == len({exported.rows[cells["id"]].images for cells in raw}) < len(raw)
    for cells in raw:
        assert (
            own[cells["index"] if cells["index"] in own else cells["image"]]
            == exported.rows[cells["id"]].images
        )
    text = [cells for cells in raw if cells["problem_id"] == "circuit" and "vision" not in cells["version"]]
    assert len(text) == 8 and sum(cells["index"] in own for cells in text) == 1


def test_no_column_lets_a_harness_print_the_options(exported: Any) -> None:
    for row in read_vlmevalkit(table(exported)):
        assert not {"A", "B", "C", "hint", "options"} & set(row)
        if row["version"] == "vision-only":
            for word in ("Ω", "007", "What is R", "多大", "organelle"):
                assert word not in str(row["question"])
            assert len(json.loads(str(row["options_json"]))) in (0, 3)


def test_the_reader_that_guesses_types_keeps_the_answer(exported: Any, tmp_path: Path) -> None:
    """As VLMEvalKit loads it; also where every answer of the table looks like a number."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(table(exported), sep="\t")
    answers = {name: json.loads(cell) for name, cell in zip(frame["id"], frame["answer_json"], strict=True)}
    assert answers == {name: row.answer for name, row in exported.scored.items() if row.images}
    asked = {name: exported.words.text_for(exported.rows[name]) for name in frame["id"]}
    assert dict(zip(frame["id"], frame["question"], strict=True)) == asked
    assert not frame["image"].isna().any() and frame["index"].is_unique
    lines = frame[frame["id"].isin(["nought-original-en", "fraction-original-en"])]
    lines.to_csv(tmp_path / "numbers.tsv", sep="\t", index=False)
    numbers = pandas.read_csv(tmp_path / "numbers.tsv", sep="\t")
    assert [json.loads(cell) for cell in numbers["answer_json"]] == ["2.50", "007"]


def test_a_reference_to_nothing_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("index\timage\timage_path\n0\t7\ta.png\n")
    with pytest.raises(ValueError, match="points to 7"):
        list(read_vlmevalkit(path))
    path.write_text(f"index\timage\timage_path\n0\t{'a' * 80}\ta.png\n0\t0\ta.png\n")
    with pytest.raises(ValueError, match="stands twice"):
        list(read_vlmevalkit(path))

"""Withheld answers in published files, and personal data in the files that are ours."""

from __future__ import annotations

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.check import Known, check_folder
from benchwright.curation.release.check_withheld import withheld_found, withheld_of
from benchwright.curation.release.findings import gathered
from benchwright.curation.release.personal import AccountNames, personal_in_folder
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Split
from benchwright.schemas.workspace import Workspace

CELL = "cell-original-en"


@pytest.fixture
def released(tiny):
    """A release without the answers of `test`, and what must not be found in it."""
    content, _ = checked_content(tiny)
    withheld = withheld_of(content.rows, [Split.TEST])
    rows = tuple(
        row.model_copy(update={"answer": None, "unit": None, "solution": None})
        if row.split is Split.TEST
        else row
        for row in content.rows
    )
    folder = build_release(
        tiny, "v1.0.0", "org/tiny", type(content)(**{**vars(content), "rows": rows})
    ).folder
    return folder, withheld


def found(folder, withheld):
    return {finding.code: finding for finding in gathered(withheld_found(folder, withheld))}


def test_a_release_without_answers_holds_none(released):
    folder, withheld = released
    assert {item.row_id for item in withheld} >= {CELL, "circuit-original-en"}
    assert not any("multi" in item.row_id for item in withheld), "a label is too short to be looked for"
    assert found(folder, withheld) == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("exports/rows.jsonl", json.dumps({"id": CELL, "target": "Mitochondrion"})),
        ("audit/verdicts.json", json.dumps({"rows": [{"row": CELL, "said": ["mitochondrion"]}]}, indent=2)),
        ("README.md", "Some say\nit was the mitochondrion."),
        ("exports/mitochondrion.txt", ""),
        ("CITATION.cff", "title: R = U / I\nof: circuit-original-en"),
    ],
)
def test_an_answer_in_a_file_is_found(released, name, text):
    folder, withheld = released
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    (finding,) = found(folder, withheld).values()
    assert finding.code == "withheld-answer-found"
    assert finding.details == (name,)
    assert CELL in finding.rows or "circuit-original-en" in finding.rows


def test_an_answer_in_a_table_is_found(released):
    folder, withheld = released
    (path,) = folder.glob("data/en/original/test-*.parquet")
    table = pq.read_table(path)
    ids = table["id"].to_pylist()
    leaked = ["mitochondrion" if name == CELL else None for name in ids]
    pq.write_table(table.append_column("note", pa.array(leaked)), path)
    assert CELL in found(folder, withheld)["withheld-answer-found"].rows
    tsv = folder / "exports" / "x.tsv"
    tsv.parent.mkdir()
    pq.write_table(table, path)
    with tsv.open("w", newline="") as stream:
        writer = csv.writer(stream, delimiter="\t")
        writer.writerows(
            [
                ["index", "question", "hint", "A", "image"],
                [CELL, "is it the mitochondrion?", "", "x", "y" * 200_000],
            ]
        )
    assert found(folder, withheld) == {}, "a question may hold its answer"
    tsv.write_text(f"index\tanswer\n{CELL}\tmitochondrion\n")
    assert found(folder, withheld)["withheld-answer-found"].details == ("exports/x.tsv",)


def test_a_short_answer_counts_only_beside_its_item(tiny, tmp_path):
    content, _ = checked_content(tiny)
    rows = [row.model_copy(update={"answer": "1000"}) for row in content.rows if row.id == CELL]
    withheld = withheld_of(rows, [Split.TEST])
    place = tmp_path / "files"
    place.mkdir()
    (place / "manifest.json").write_text(
        json.dumps({"files": [{"path": "a", "bytes": "1000"}], "ids": [CELL]})
    )
    (place / "README.md").write_text("1000 rows\n" + "\n" * 40 + f"for example {CELL}\n")
    assert found(place, withheld) == {}
    (place / "README.md").write_text(f"for example {CELL}:\n\n1000\n")
    assert set(found(place, withheld)) == {"withheld-answer-found"}


def test_names_of_reviewers_in_files_that_are_ours(tmp_path):
    people = tmp_path / "people.json"
    assert AccountNames.read(people) == AccountNames()
    people.write_text(json.dumps({"people": {"A01": "anna@lab.example", "A02": "b.wu@lab.example"}}))
    accounts = AccountNames.read(people)
    folder = tmp_path / "release"
    (folder / "audit").mkdir(parents=True)
    (folder / "README.md").write_text("Questions to team@lab.example. Reviewed by A01.")
    assert personal_in_folder(folder, accounts, allowed=["team@lab.example"]) == ()
    assert [t.code for t in personal_in_folder(folder, accounts)] == ["e-mail-address"]
    (folder / "audit" / "verdicts.jsonl").write_text('{"by": "anna"}\n')
    (trouble,) = personal_in_folder(folder, accounts, allowed=["team@lab.example"])
    assert (trouble.code, trouble.row_id) == ("account-name", "audit/verdicts.jsonl")
    assert "anna" not in trouble.detail
    people.write_text("[]")
    with pytest.raises(UsageError, match="nobody can say"):
        AccountNames.read(people)


def test_a_folder_with_a_name_of_a_reviewer_is_not_built(tiny):
    tiny.people.write_text(json.dumps({"people": {"A01": "anna@lab.example"}}))
    recipe = tiny.root / "benchwright.toml"
    plain = recipe.read_text()
    recipe.write_text(plain + '\n[sources."hand-made"]\ncredit = "Drawn by Anna"\n')
    workspace = Workspace.find(tiny.root)
    content, findings = checked_content(workspace)
    assert findings == (), "the credit is no text of a row"
    with pytest.raises(UsageError, match=r"account-name in LICENSES.md: an… \(4 characters\)"):
        build_release(workspace, "v1.0.0", "org/tiny", content)
    assert not workspace.release("v1.0.0").exists()
    assert list(workspace.release("v1.0.0").parent.iterdir()) == []


def test_an_author_is_named_although_a_reviewer_has_that_name(tiny):
    tiny.people.write_text(json.dumps({"people": {"A01": "anna@lab.example", "A02": "b.wu@lab.example"}}))
    recipe = tiny.root / "benchwright.toml"
    plain = recipe.read_text()
    for author, refused in (('given = "Anna"', False), ('affiliation = "b.wu"', True)):
        recipe.write_text(f'{plain}\n[[release.authors]]\nfamily = "Berg"\n{author}\n')
        workspace = Workspace.find(tiny.root)
        content, _ = checked_content(workspace)
        if refused:
            with pytest.raises(UsageError, match=r"account-name in CITATION.cff: b\.…"):
                build_release(workspace, "v1.0.0", "org/tiny", content)
        else:
            folder = build_release(workspace, "v1.0.0", "org/tiny", content).folder
            assert "given-names: Anna" in (folder / "CITATION.cff").read_text()


def test_the_contact_may_be_read(tiny, tmp_path):
    (tmp_path / "README.md").write_text("Write to help@lab.example.")
    assert [f.code for f in check_folder(tmp_path, Known())] == ["e-mail-address"]
    assert check_folder(tmp_path, Known(contact="Ms. Lee, help@lab.example.")) == ()
    (tmp_path / "README.md").unlink()
    (tmp_path / "audit").mkdir()
    pq.write_table(pa.table({"by": ["anna"]}), tmp_path / "audit" / "verdicts.parquet")
    accounts = AccountNames.of(["anna@lab.example"])
    (finding,) = check_folder(tmp_path, Known(accounts=accounts))
    assert (finding.code, finding.rows) == ("account-name", ("audit/verdicts.parquet",))

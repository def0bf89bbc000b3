"""The release checklist: 32 criteria, each moved by the fact that it is about."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from benchwright.cli.push import push_dataset
from benchwright.curation.dedup import dedup_discipline
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.release.build import checked_content
from benchwright.curation.release.check import Known, check_release
from benchwright.curation.release.checklist import Checklist, checklist
from benchwright.schemas.jobs import Review
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Option, ReleaseRow
from benchwright.schemas.runs import (
    JUDGEMENTS_NAME,
    RESPONSES_NAME,
    ROWS_NAME,
    Judgement,
    Response,
    asked_digest,
    judgement_key,
)
from benchwright.schemas.status import CallStatus, Outcome
from benchwright.schemas.workspace import Workspace

STATEMENTS = (
    "measures",
    "uses",
    "people",
    "related",
    "metric",
    "construction",
    "limitations",
    "contact",
    "retirement",
)


def statuses(checked):
    return {one.number: one.status for one in checked.criteria}


def criterion(checked, number):
    return next(one for one in checked.criteria if one.number == number)


def judged(workspace, **rows):
    content, _ = checked_content(workspace)
    if rows:
        changed = tuple(row.model_copy(update=rows.get(row.problem_id, {})) for row in content.rows)
        content = replace(content, rows=changed)
    return checklist(content, workspace, check_release(content, Known.of(workspace)))


def with_recipe(tiny, text):
    recipe = tiny.root / "benchwright.toml"
    recipe.write_text(recipe.read_text() + text)
    return Workspace.find(tiny.root)


def run_folder(
    workspace, rows, name, right, *, protocol="visscience", sent="QI", model="openai/m", judge=None
):
    """A finished run as `evaluate` leaves it: the first `right` of the rows are right."""
    folder = workspace.runs / name
    folder.mkdir(parents=True)
    judge = judge or {"kind": "rules", "rules_version": 1}
    spec = {
        "protocol": protocol,
        "mode": "direct",
        "input": sent,
        "model": {"name": model, "endpoint": model.split("/")[0]},
        "prompts": [],
        "judge": judge,
        "name": name,
    }
    (folder / "spec.json").write_text(json.dumps(spec))
    write_jsonl(folder / ROWS_NAME, rows)
    replies = [
        Response(row_id=row.id, asked_digest=asked_digest(row), status=CallStatus.OK, text=f"reply {place}")
        for place, row in enumerate(rows)
    ]
    write_jsonl(folder / RESPONSES_NAME, replies)
    verdicts = [
        Judgement(
            row_id=row.id,
            key_digest=judgement_key(row, reply),
            outcome=Outcome.CONSISTENT if place < right else Outcome.INCONSISTENT,
            decided_by="rules",
            reason="number",
        )
        for place, (row, reply) in enumerate(zip(rows, replies, strict=True))
    ]
    write_jsonl(folder / JUDGEMENTS_NAME, verdicts)
    return folder


def test_all_criteria_in_order_with_a_figure_and_the_same_bytes(tiny):
    checked = judged(tiny)
    assert [one.number for one in checked.criteria] == list(range(1, 33))
    assert all(one.figure and one.name for one in checked.criteria)
    assert all(one.mend for one in checked.criteria if one.status != "pass")
    assert sum(checked.counts.values()) == 32
    later = {number for number, status in statuses(checked).items() if status == "after release"}
    assert later == {6, 7, 8, 15, 28, 29, 32}, "neither passed nor failed: runs come after a release"
    assert checked.counts["after release"] == 7
    assert all("after the release" in criterion(checked, number).figure for number in later)
    assert judged(tiny).to_json() == checked.to_json()
    assert Checklist.model_validate_json(checked.to_json()) == checked
    assert (
        "| 12 | a perfect solver gets 100 % | pass | 16 of 16 keys are scored right (100.0 %) |"
        in checked.to_markdown()
    )
    passed = {number for number, status in statuses(checked).items() if status == "pass"}
    assert passed == {5, 9, 12, 13, 14, 18, 19, 21, 24, 26}, (
        "what a workspace without runs and reviews can show"
    )


def test_statements_of_a_person(tiny):
    assert {statuses(judged(tiny))[number] for number in (1, 3, 4, 23, 30, 31)} == {"needs a person"}
    said = "".join(f'{name} = "This is what we say of it."\n' for name in STATEMENTS)
    checked = judged(with_recipe(tiny, f"\n[release.statements]\n{said}"))
    assert {statuses(checked)[number] for number in (1, 3, 4, 23, 30, 31)} == {"pass"}
    assert statuses(checked)[2] == "fail", "nobody has reviewed anything"
    assert (statuses(judged(tiny))[25], statuses(checked)[25]) == ("needs a person", "after release")


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        (11, {"cell": {"question": " "}}),
        (12, {"circuit": {"answer": "D"}}),
        (14, {"cell": {"render": '{"answer": 1}'}}),
        (18, {"insect": {"canary": ""}}),
        (19, {"circuit": {"answer": "D"}}),
        (20, {"cell": {"images": (), "full_question": "如图所示，这是什么？"}}),
        (26, {"multi": {"source_license": "all rights reserved"}}),
        (26, {"multi": {"solution": "write to b@lab.example"}}),
    ],
)
def test_a_finding_fails_its_criterion(tiny, number, changes):
    before, after = judged(tiny), judged(tiny, **changes)
    assert statuses(before)[number] != "fail" or number == 20
    assert statuses(after)[number] == "fail"
    one = criterion(after, number)
    assert one.ids and one.mend


def test_keys_at_one_place_and_long_answers_fail(tiny):
    content, _ = checked_content(tiny)
    row = next(row for row in content.rows if row.id == "circuit-original-en")
    options = tuple(Option(label=label, text="long answer" if label == "B" else label) for label in "ABC")
    rows = tuple(
        row.model_copy(
            update={"id": f"p{n}-original-en", "problem_id": f"p{n}", "options": options, "answer": "B"}
        )
        for n in range(40)
    )
    checked = checklist(replace(content, rows=rows), tiny, ())
    assert statuses(checked)[13] == statuses(checked)[19] == "fail"
    assert set(criterion(checked, 13).ids) == {"always B", "longest option"}
    assert criterion(checked, 19).ids == ("physics, 3 options (A:0 B:40 C:0)",)


def test_more_numbered_figures_than_pictures_wait_for_a_person(tiny):
    content, _ = checked_content(tiny)
    seen = [row for row in content.rows if row.id == "insect-original-en"]
    for text, status in (("见图1和图2。", "needs a person"), ("见图3。", "pass")):
        row = seen[0].model_copy(update={"full_question": text})
        alone = replace(content, rows=(row,), unchecked=())
        assert statuses(checklist(alone, tiny, ()))[20] == status


def test_terms_that_are_unknown_and_authors_without_a_credit(tiny):
    rows = {name: {"source_license": "CC-BY-4.0"} for name in ("circuit", "cell", "insect", "multi")}
    checked = judged(tiny, **rows)
    assert (criterion(checked, 26).status, criterion(checked, 26).ids) == ("needs a person", ("hand-made",))
    named = with_recipe(tiny, '\n[sources."hand-made"]\ncredit = "Made by hand"\n')
    assert statuses(judged(named, **rows))[26] == "pass"
    half = {name: {"source_license": "house"} for name in rows}
    allowed = with_recipe(named, 'redistribute = "yes"\nadapt = "yes"\n')
    assert criterion(judged(allowed, **half), 26).ids == (
        "hand-made: attribution", "hand-made: commercial", "hand-made: share_alike",
    )  # fmt: skip


def test_reviews_by_two_people(tiny):
    def review(item, person, slot):
        return Review(
            job="quality", item_id=item, language="en", field="decision", digest="0" * 64, value="accept",
            pseudonym=person, slot=slot, state="submitted", origin="manual", annotation_id=f"{item}{person}",
            updated_at="2026-01-01T00:00:00Z",
        )  # fmt: skip

    names = ("cell", "circuit", "insect", "multi")
    some = [review(name, person, slot) for name in names for person, slot in (("A01", "A"), ("A02", "B"))]
    tiny.reviews("quality").parent.mkdir(exist_ok=True)
    write_jsonl(tiny.reviews("quality"), some[:-1])
    one = criterion(judged(tiny), 10)
    assert (one.status, one.figure, one.ids) == (
        "fail",
        "3 of 4 problems judged by two people or more",
        ("multi",),
    )
    write_jsonl(tiny.reviews("quality"), some)
    assert statuses(judged(tiny))[10] == "pass"


def test_runs_of_exactly_these_rows_count(tiny):
    content, _ = checked_content(tiny)
    rows: list[ReleaseRow] = [row for row in content.rows if row.split == "test"]
    other = [row.model_copy(update={"question": f"{row.question}!"}) for row in rows]
    run_folder(tiny, other, "older", 3)
    assert {statuses(judged(tiny))[number] for number in (6, 7, 8, 15, 28, 29, 32)} == {"after release"}
    run_folder(tiny, rows, "model", 10)
    run_folder(tiny, rows, "local", 9, model="local/m")
    run_folder(tiny, rows[:4], "people", 3, protocol="human", model="human/A01")
    run_folder(tiny, rows, "blind", 4, sent="Q")
    checked = judged(tiny)
    assert {statuses(checked)[number] for number in (6, 7, 8, 11, 15, 28, 29)} == {"pass"}
    assert "1 people, 4 rows, mean 75.0 % right" in criterion(checked, 6).figure
    assert criterion(checked, 15).ids == tuple(sorted(row.id for row in rows[:4]))
    judge = {"kind": "llm", "rules_version": 1, "model": {"name": "openai/judge", "endpoint": "openai"}}
    folder = run_folder(tiny, rows, "judged", 8, judge=judge)
    assert statuses(judged(tiny))[8] == "fail"
    (tiny.root / "calibrations").mkdir()
    (tiny.root / "calibrations" / "judge.json").write_text(json.dumps({"judge": judge}))
    assert statuses(judged(tiny))[8] == "pass"
    assert statuses(judged(tiny))[32] == "fail"
    (folder / "spending.jsonl").write_text("{}\n")
    assert criterion(judged(tiny), 32).ids == ("effort of review",)


def test_searches_for_repeats_and_pinned_sources(tiny, tmp_path):
    workspace = with_recipe(tiny, "\n[dedup.thresholds]\ncosine = 2\n")
    base = {"language": "en", "source_license": "CC0-1.0", "source": "hand-made", "answer": "2"}
    asks = {
        "physics": [
            ("circuit", "The source of the drawn circuit holds 6 V and drives a current of 3 A; what is R?")
        ],
        "biology": [("cell", "Name the organelle that is drawn."), ("insect", "How many legs has it?")],
    }
    for discipline, questions in asks.items():
        path = tmp_path / f"{discipline}.jsonl"
        lines = [{**base, "id": name, "question": text, "discipline": discipline} for name, text in questions]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        ingest(workspace, [path], IngestOptions())
        dedup_discipline(workspace, discipline, workers=1)
    checked = judged(workspace)
    assert statuses(checked)[16] == "pass" and statuses(checked)[17] == "fail"
    for discipline in asks:
        dedup_discipline(workspace, discipline, workers=1, against=[str(tmp_path / "physics.jsonl")])
    checked = judged(workspace)
    assert statuses(checked)[17] == "pass"
    assert criterion(checked, 17).figure.startswith("1 of 4 problems (25.0 %) stand in 1 other sets")
    assert statuses(checked)[27] == "pass", criterion(checked, 27).figure


def test_the_command_prints_it(tiny):
    runner = CliRunner()
    shown = runner.invoke(push_dataset, ["--workspace", str(tiny.root), "--check-only"])
    assert shown.exit_code == 0, shown.output
    assert "Release checklist: 16 rows of 4 problems; 10 pass, " in shown.stdout.replace("\n", " ")
    assert "7 after the release" in " ".join(shown.stdout.split())
    assert "What is left to do" in shown.stdout and "Nothing stands against publishing" in shown.stdout
    machine = runner.invoke(push_dataset, ["--workspace", str(tiny.root), "--check-only", "--json"])
    result = json.loads(machine.stdout)
    assert len(result["checklist"]["criteria"]) == 32 and result["findings"] == []
    with_recipe(tiny, '\n[sources."hand-made"]\nredistribute = "no"\n')
    refused = runner.invoke(push_dataset, ["--workspace", str(tiny.root), "--check-only"])
    assert refused.exit_code != 0 and "not-redistributable" in refused.stdout

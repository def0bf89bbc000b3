"""People's answers as runs: what counts, how it is judged, and how it stands beside a model's run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.eval.pipeline.human import human_runs, read_answers
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Review, shown_digest
from benchwright.schemas.journal import Journal
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import QuestionType, ReleaseRow
from benchwright.schemas.release_table import resolve_release
from benchwright.schemas.runs import answer_view
from benchwright.schemas.workspace import Workspace


class People:
    """Writes what `annotate pull` would have written."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace.create(root, default_recipe_toml("humans", ("physics",)))
        self._journal = Journal(self.workspace.reviews("answer"))
        self._n = 0

    def say(self, who: str, row: ReleaseRow, value: str | None, **more: Any) -> None:
        self._n += 1
        fields: dict[str, Any] = {
            "job": "answer",
            "item_id": row.id,
            "field": "answer",
            "digest": shown_digest(answer_view(row)),
            "value": value,
            "pseudonym": who,
            "slot": "A",
            "state": "submitted",
            "origin": "manual",
            "annotation_id": f"u-{self._n}",
            "updated_at": f"2025-01-01T{self._n // 60:02d}:{self._n % 60:02d}:00Z",
            "lead_time": 10.0 * self._n,
            "guidelines": "f" * 64,
        }
        self._journal.append(Review.model_validate({**fields, **more}))


@pytest.fixture
def people(tmp_path: Path) -> People:
    return People(tmp_path / "space")


@pytest.fixture
def rows(row) -> list[ReleaseRow]:
    return [
        row("p1:original"),
        row("p2:original"),
        row("p3:original", answer="AC", question_type=QuestionType.MULTIPLE_SELECT),
        row("p4:original", answer="2.5", unit="m", choices=(), question_type=QuestionType.FREE_FORM),
        row("p1:vision-only", version="vision-only"),
    ]


def imported(command, people: People, folder: Path, *more: object, code: int = 0) -> dict[str, Any]:
    found = command.json("import-human", folder, "--workspace", people.workspace.root, *more, code=code)
    return {run["spec"]["model"]["name"]: run for run in found["runs"]}


def test_each_person_becomes_a_model_judged_by_the_rules(command, people, rows, release) -> None:
    folder = release(rows).folder
    for who, said in {"A01": ["B", "C", "AC", "2.5 m"], "A02": ["B", "B", "A", "2.4"]}.items():
        for row, value in zip(rows, said, strict=False):
            people.say(who, row, value)
    runs = imported(command, people, folder)
    assert list(runs) == ["human/A01", "human/A02"]
    total = {name: next(c for c in run["cells"] if not c["by"]) for name, run in runs.items()}
    assert (total["human/A01"]["consistent"], total["human/A01"]["n_total"]) == (3, 4)
    assert (total["human/A02"]["consistent"], total["human/A02"]["inconsistent"]) == (
        3,
        1,
    )  # 2.4 m is within 5 %
    figures = runs["human/A01"]["people"]
    assert figures["people"] == ["A01"] and figures["median_seconds"] == 25.0 and figures["timed"] == 4
    assert not runs["human/A01"]["partial"]  # the whole of the version `original`
    report = (Path(runs["human/A01"]["folder"]) / "report.md").read_text()
    assert "people: 1 (A01); 4 items, 4 with an answer; median time 25.0 s" in report
    assert "**75.0 %** (3 of 4), 95 % interval" in report
    assert "left to the server" not in report


def test_no_answer_on_purpose_earns_nothing_and_skips_and_drafts_are_nothing(
    command, people, rows, release
) -> None:
    folder = release(rows).folder
    people.say("A01", rows[0], "B")
    people.say("A01", rows[1], None, undecided="cannot-decide")
    people.say("A01", rows[2], None, undecided="item-faulty")
    people.say("A01", rows[3], "2.5", state="draft")
    people.say("A01", rows[4], None, state="skipped")
    run = imported(command, people, folder)["human/A01"]
    total = next(c for c in run["cells"] if not c["by"])
    assert (total["n_total"], total["consistent"], total["no_answer"], total["unjudged"]) == (3, 1, 2, 0)
    assert run["people"]["undecided"] == {"cannot-decide": 1, "item-faulty": 1}
    assert run["judging"]["reasons"]["cannot-decide"] == 1 and run["judging"]["reasons"]["item-faulty"] == 1
    assert run["partial"]
    report = (Path(run["folder"]) / "report.md").read_text()
    assert "people answered some of the rows" in report
    assert "without an answer, counted as such: 1 cannot-decide, 1 item-faulty" in report


def test_the_newest_state_of_the_first_answer_counts(people, rows, release) -> None:
    people.say("A01", rows[0], "A", annotation_id="one")
    people.say("A01", rows[0], "B", annotation_id="one")  # mended before the second
    people.say("A01", rows[0], "D", annotation_id="two", slot="B")
    people.say("A01", rows[1], "C", annotation_id="three")
    people.say("A01", rows[1], "C", annotation_id="three", state="deleted")
    found = human_runs(resolve_release(str(release(rows).folder)), read_answers(people.workspace))
    assert [response.text for response in found[0].responses] == ["B"]


def test_practice_and_an_adjudicators_word_are_no_answers(people, rows, release) -> None:
    people.say("A01", rows[0], "A", slot="qualification")
    people.say("A02", rows[0], "D", slot="adjudication")
    with pytest.raises(UsageError, match="holds no submitted answers"):
        read_answers(people.workspace)
    people.say("A01", rows[0], "B")
    (run,) = human_runs(resolve_release(str(release(rows).folder)), read_answers(people.workspace))
    assert (run.name, [response.text for response in run.responses]) == ("human/A01", ["B"])


def test_answers_to_what_changed_or_is_not_there_are_left_out_and_counted(people, row, rows, release) -> None:
    people.say("A01", rows[0], "B")
    people.say("A01", row("p2:original", question="an older text"), "B")
    people.say("A01", row("p9:original"), "B")
    (run,) = human_runs(resolve_release(str(release(rows).folder)), read_answers(people.workspace))
    assert [response.row_id for response in run.responses] == ["p1:original"]
    assert (run.people.stale, run.people.unknown) == (1, 1)


def test_a_problem_met_before_in_another_version_is_told(command, people, rows, release) -> None:
    folder = release(rows).folder
    people.say("A01", rows[0], "B")
    people.say("A01", rows[4], "B")
    run = imported(command, people, folder)["human/A01"]
    assert run["people"]["met_before"] == 1
    assert (
        "1 items are of a problem that the same person had met before"
        in (Path(run["folder"]) / "report.md").read_text()
    )


def test_all_together_take_one_persons_answer_a_row(people, row, release) -> None:
    rows = [row(f"p{n}:original") for n in range(30)]
    for one in rows:
        people.say("A01", one, "A")
        people.say("A02", one, "B")
    answers = read_answers(people.workspace)
    (run,) = human_runs(resolve_release(str(release(rows).folder)), answers, pooled=True)
    said = [response.text for response in run.responses]
    assert run.name == "human/all" and len(said) == 30 and set(said) == {"A", "B"}
    assert run.people.several == 30 and run.people.people == ("A01", "A02")
    backwards = human_runs(resolve_release(str(release(rows).folder)), answers[::-1], pooled=True)
    assert backwards[0].responses == run.responses


def test_a_second_import_changes_nothing_and_a_new_answer_makes_a_new_run(
    command, people, rows, release
) -> None:
    folder = release(rows).folder
    people.say("A01", rows[0], "B")
    first = imported(command, people, folder)["human/A01"]
    path = Path(first["folder"])
    before = {p.name: p.read_bytes() for p in path.iterdir() if p.is_file() and p.name != ".lock"}
    assert imported(command, people, folder)["human/A01"] == first
    assert {p.name: p.read_bytes() for p in path.iterdir() if p.is_file() and p.name != ".lock"} == before
    people.say("A01", rows[1], "B")
    assert imported(command, people, folder)["human/A01"]["run_id"] != first["run_id"]


def test_people_stand_beside_a_model_on_the_rows_they_share(command, people, rows, release, replay) -> None:
    folder = release(rows).folder
    people.say("A01", rows[0], "B")
    people.say("A01", rows[1], "C")
    human = imported(command, people, folder)["human/A01"]["run_id"]
    model = replay({row.id: text for row, text in zip(rows, ["B", "B", "AC", "2.5 m", "A"], strict=True)})
    asked = command.json("run", folder, "--model", model, "--workspace", people.workspace.root)
    arguments = ["report", human, asked["run_id"], "--workspace", people.workspace.root]
    folder = people.workspace.root / "beside"
    (both,) = command.json(*arguments, "--out", folder)["releases"]
    one, two = both["lines"]
    assert both["shared_rows"] == 2
    assert (one["model"], one["people"], one["items"], one["median_seconds"]) == ("human/A01", 1, 2, 15.0)
    assert (one["shared"]["consistent"], two["shared"]["consistent"]) == (1, 2)
    assert two["people"] is None and two["items"] == 5 and two["own"]["consistent"] == 4
    text = (folder / "report.md").read_text()
    assert "Compared with people on the 2 rows that all have" in text
    assert "| human/A01 | 50.0 | 9.5 to 90.5 | 1-2 |" in text, "on two rows nobody is told apart"
    out, _ = command(*arguments)
    assert "2 runs of release on 2 shared rows" in out and "human/A01" in out


def test_runs_without_a_common_row_are_not_put_beside_each_other(command, people, rows, row, release) -> None:
    people.say("A01", rows[0], "B")
    people.say("A02", rows[1], "B")
    runs = imported(command, people, release(rows).folder)
    ids = [run["run_id"] for run in runs.values()]
    _, said = command("report", *ids, "--workspace", people.workspace.root, code=2)
    assert "no row in common" in said


def test_what_the_rules_leave_open_goes_to_a_judging_model(command, people, row, release, replay) -> None:
    rows = [
        row("p1:original", answer="it moves to the left", choices=(), question_type=QuestionType.FREE_FORM)
    ]
    folder = release(rows).folder
    people.say("A01", rows[0], "leftwards, says everybody")
    run = imported(command, people, folder, code=1)["human/A01"]
    assert not run["complete"]
    judge = replay({"p1:original": "They agree.\n[Consistent]"})
    judged = imported(command, people, folder, "--judge-model", judge)["human/A01"]
    assert judged["complete"] and judged["spec"]["judge"]["kind"] == "llm"
    assert judged["judging"]["decided_by"] == {"llm": 1}


def test_faults_are_told_in_a_sentence(command, people, rows, release) -> None:
    folder = release(rows).folder
    with pytest.raises(UsageError, match="holds no submitted answers"):
        read_answers(people.workspace)
    people.say("A01", rows[0], "B")
    _, said = command("import-human", folder, "--workspace", people.workspace.root, "--person", "A07", code=2)
    assert "A07 has answered nothing: there are answers of A01." in said
    broken = RunFolder(people.workspace.root)
    (people.workspace.root / "human.json").write_text(json.dumps({"A01": "a name"}))
    with pytest.raises(UsageError, match="cannot be read"):
        broken.people()

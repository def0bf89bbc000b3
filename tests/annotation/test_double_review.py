"""Blind double review through a real Label Studio: slots, withheld proposals, gold, adjudication, report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchwright.annotation.client import ReviewServer, Task
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.projects import our_projects
from benchwright.annotation.report import PrivateReport
from benchwright.cli.annotate import annotate
from benchwright.schemas.jobs import Review, Verdict
from benchwright.schemas.journal import Journal, read_jsonl
from benchwright.schemas.records import Question
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

pytestmark = pytest.mark.labelstudio

JOB = TaggingJob()
ITEMS = 12


def result(subject: str, level: int) -> list[dict[str, Any]]:
    return [
        {"from_name": name, "to_name": "question", "type": "choices", "value": {"choices": [value]}}
        for name, value in (("subject", subject), ("difficulty", str(level)))
    ]


class Team:
    """People with accounts on the session's server, and the commands of one workspace."""

    def __init__(self, workspace: Workspace, server: ReviewServer) -> None:
        self.workspace, self.server = workspace, server
        self._numbers: dict[str, dict[str, int]] = {}
        self.accounts = {name: self._account(name) for name in ("ada", "ben", "cleo")}

    def _account(self, name: str) -> int:
        email = f"{name}.{self.workspace.recipe.benchmark.name}@example.org"
        made = self.server._request(
            "POST", "/api/users/", payload={"email": email, "username": email, "password": "a-long-one-1"}
        )
        return int(made["id"])

    def run(self, *words: str, code: int = 0) -> dict[str, Any]:
        """A command's result."""
        where = ["--workspace", str(self.workspace.root)]
        if words[0] != "report":
            where += ["--url", self.server.connection.url, "--token", self.server.connection.token]
        done = CliRunner().invoke(annotate, [*words, *where, "--json"])
        assert done.exit_code == code, done.output
        reply: dict[str, Any] = json.loads(done.stdout)
        return reply

    def tasks(self, slot: str) -> dict[str, Task]:
        """The tasks of a slot by item."""
        for project, mark in our_projects(self.server, self.workspace, JOB):
            if mark.slot == slot:
                return {str(task.data["item_id"]): task for task in self.server.tasks(project.id)}
        return {}

    def answer(self, slot: str, item: str, who: str, subject: str, level: int) -> None:
        """Submit an answer in somebody's name."""
        payload = {
            "result": result(subject, level),
            "completed_by": self.accounts[who],
            "lead_time": 20.0,
        }
        if slot not in self._numbers:
            self._numbers[slot] = {name: task.id for name, task in self.tasks(slot).items()}
        number = self._numbers[slot][item]
        made = self.server._request("POST", f"/api/tasks/{number}/annotations/", payload=payload)
        assert made["completed_by"] == self.accounts[who], "the server must take it as theirs"

    def verdicts(self, item: str) -> dict[str, tuple[str, Any]]:
        """Basis and value of an item's fields."""
        found = read_jsonl(self.workspace.verdicts("tagging"), Verdict)
        return {v.field: (v.basis, v.value) for v in found if v.item_id == item}


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gold") / "gold.jsonl"
    lines = [{"item_id": f"q{i:04d}", "values": {"subject": "mechanics", "difficulty": 3}} for i in (2, 4, 7)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def team(tmp_path: Path, make_workspace, propose, server: ReviewServer) -> Iterator[Team]:
    workspace = make_workspace(
        tmp_path / "ws", ITEMS, name=f"double-{tmp_path.name[:40].lower().replace('_', '-')}"
    )
    pool = read_records(workspace.pool("physics"), Question)
    # The session's server may not read the pictures of another workspace.
    questions = [question.model_copy(update={"images": ()}) for question in pool]
    write_records(workspace.pool("physics"), questions, Question)
    propose(workspace, questions, "m", 0)
    yield Team(workspace, server)


def test_two_slots_withheld_proposals_and_gold_that_nobody_can_tell(team: Team, gold: Path) -> None:
    reply = team.run("push", "tagging", "--slots", "2", "--no-proposal-share", "0.4", "--gold", str(gold))
    assert [(page["slot"], page["tasks"]) for page in reply["pages"]] == [("A", ITEMS), ("B", ITEMS)]
    shown = {slot: team.tasks(slot) for slot in "AB"}
    withheld = {slot: {i for i, t in tasks.items() if t.data["withheld"]} for slot, tasks in shown.items()}
    assert withheld["A"] and withheld["B"] and withheld["A"] != withheld["B"], "drawn for each slot by itself"
    for (project, mark), page in zip(
        our_projects(team.server, team.workspace, JOB), reply["pages"], strict=True
    ):
        preselected = {prediction.task for prediction in team.server.predictions(project.id)}
        tasks = {task.id: item for item, task in shown[mark.slot].items()}
        assert not {tasks[task] for task in preselected} & withheld[mark.slot]
        assert len(preselected) == page["proposals"]
    data = shown["A"]["q0004"].data
    assert set(data) == set(shown["A"]["q0003"].data), "a gold task looks like the others"
    assert "gold" not in json.dumps(data)
    again = team.run("push", "tagging", "--slots", "2", "--no-proposal-share", "0.4")
    assert [(p["new"], p["proposals_changed"], p["refreshed"]) for p in again["pages"]] == [(0, 0, 0)] * 2


def test_from_disagreement_to_the_adjudicators_last_word(team: Team) -> None:
    team.run("push", "tagging", "--slots", "2")
    team.answer("A", "q0000", "ada", "optics", 2)
    team.answer("B", "q0000", "ben", "mechanics", 2)
    team.answer("A", "q0001", "ada", "optics", 3)
    team.answer("B", "q0001", "ben", "optics", 3)
    team.answer("A", "q0002", "ada", "optics", 3)
    team.answer("B", "q0002", "ada", "optics", 3)  # nobody kept her out of the second project
    team.answer("A", "q0003", "ada", "optics", 3)
    pulled = team.run("pull", "tagging")
    assert pulled["twice"] == 1
    assert team.verdicts("q0000") == {"subject": ("open", None), "difficulty": ("agreed", 2)}
    assert team.verdicts("q0001")["subject"] == ("agreed", "optics")
    assert {basis for basis, _ in team.verdicts("q0002").values()} == {"open"}, (
        "the second slot is not filled"
    )
    assert {basis for basis, _ in team.verdicts("q0003").values()} == {"open"}, (
        "pull knows of the second slot"
    )

    (page,) = team.run("adjudicate", "tagging")["pages"]
    assert (page["slot"], page["tasks"], page["proposals"]) == ("adjudication", 1, 1)
    (task,) = team.tasks("adjudication").values()
    assert task.data["item_id"] == "q0000"
    assert task.data["answers_html"].count("<th>Answer ") == 2
    (filled,) = team.server.predictions(page["project"])
    assert [region["from_name"] for region in filled.result] == ["difficulty"], (
        "what they agree on is filled in"
    )
    assert team.run("adjudicate", "tagging")["pages"][0]["new"] == 0

    team.answer("adjudication", "q0000", "cleo", "mechanics", 2)
    team.run("pull", "tagging")
    assert team.verdicts("q0000") == {
        "subject": ("adjudicated", "mechanics"),
        "difficulty": ("adjudicated", 2),
    }
    team.answer("B", "q0000", "cleo", "waves", 5)
    team.run("pull", "tagging")
    assert team.verdicts("q0000")["subject"] == ("adjudicated", "mechanics"), (
        "nothing later counts against it"
    )
    assert team.run("adjudicate", "tagging")["pages"] == []


def test_the_report_counts_arms_gold_and_people_and_newcomers_are_judged(team: Team, gold: Path) -> None:
    (page,) = team.run("push", "tagging", "--qualification", "--gold", str(gold))["pages"]
    assert (page["slot"], page["tasks"], page["proposals"]) == ("qualification", 3, 0)
    project = next(p for p, m in our_projects(team.server, team.workspace, JOB) if m.slot == "qualification")
    row = team.server._get(f"/api/projects/{project.id}/", {})
    assert row["maximum_annotations"] > 100, "everybody is asked"
    for item in ("q0002", "q0004", "q0007"):
        team.answer("qualification", item, "ada", "mechanics", 4)
        team.answer("qualification", item, "ben", "optics", 3)

    team.run("push", "tagging", "--slots", "2", "--no-proposal-share", "0.4")
    for number in range(ITEMS):
        for slot, who in (("A", "ada"), ("B", "ben")):
            team.answer(slot, f"q{number:04d}", who, "mechanics", 1 + number % 5)
    team.run("pull", "tagging")
    assert len(read_jsonl(team.workspace.verdicts("tagging"), Verdict)) == 2 * ITEMS
    reviews = Journal(team.workspace.reviews("tagging")).read(Review)
    assert {review.withheld for review in reviews if review.slot in "AB"} == {True, False}

    (figures,) = team.run("report", "tagging")["jobs"]
    assert (figures["people"], figures["items"], figures["qualified"]) == (2, ITEMS, [1, 2])
    assert figures["fields"][0]["percent"]["value"] == 1.0
    subject = next(arm for arm in figures["anchoring"] if arm["field"] == "subject")
    assert subject["shown"]["n"] + subject["withheld"]["n"] == 2 * (ITEMS - 1), "one item has no proposal"
    assert figures["gold"]["value"] == pytest.approx(10 / 12, abs=1e-4), "level 5 against 3 is wrong twice"
    private = PrivateReport.model_validate_json(
        (team.workspace.label_studio / "annotators.json").read_bytes()
    )
    assert [(p.passed, p.tasks) for p in private.people["tagging"]] == [(True, ITEMS), (False, ITEMS)]

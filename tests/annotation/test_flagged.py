"""Questions that a run's statistics flag come back to the people who accepted them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchwright.annotation.checks import data_faults
from benchwright.annotation.client import ReviewServer, Task
from benchwright.annotation.flagged import flag_lines, flagged_pages, read_flagged
from benchwright.annotation.jobs.quality import QualityJob
from benchwright.annotation.projects import config_digest, our_projects
from benchwright.cli.annotate import annotate
from benchwright.schemas.digest import digest_of
from benchwright.schemas.errors import UsageError
from benchwright.schemas.flags import FLAGS_NAME, Flag
from benchwright.schemas.jobs import Proposal, Verdict
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.records import Question, QuestionType, ReleaseRow, Split
from benchwright.schemas.runs import ROWS_NAME, SPEC_NAME
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

JOB = QualityJob()
SPEC = {"made": "by hand"}
RUN_ID = digest_of(SPEC)[:16]


def row(problem: str, language: str = "en") -> ReleaseRow:
    """A released row of a problem; what it asks does not matter here."""
    return ReleaseRow.model_validate(
        {
            **{"id": f"{problem}:original:{language}", "problem_id": problem, "version": "original"},
            **{"language": language, "discipline": "physics", "subject": "mechanics", "difficulty": 2},
            **{
                "knowledge_points": (),
                "question": "q",
                "images": (),
                "options": (),
                "answer": "B",
                "unit": None,
            },
            **{"question_type": QuestionType.FREE_FORM, "full_question": "q", "stem": None, "conditions": ()},
            **{"core_question": None, "knowledge_cue": None, "knowledge_detail": (), "solution": None},
            **{
                "split": Split.TEST,
                "source": "self",
                "source_license": "CC0-1.0",
                "render": None,
                "canary": "c",
            },
        }
    )


def flag(problem: str, kind: str, language: str = "en", **more: Any) -> Flag:
    figures = {
        **{
            "respondents": 4,
            "share_correct": 0.0,
            "item_rest": None,
            "blind_respondents": 0,
            "blind_right": 0,
        },
        **{"chance": 0.25, "p_blind": None, "runs": ("a", "b")},
    }
    row_id = f"{problem}:original:{language}"
    return Flag.model_validate({"row_id": row_id, "problem_id": problem, "kind": kind, **figures, **more})


SUSPECT = {"share_correct": 0.25, "item_rest": -0.31, "agreed_answer": "<script>C", "agreeing": 3}


def write_run(workspace: Workspace, flags: list[Flag]) -> Path:
    """A run folder as far as re-review reads it."""
    folder = workspace.runs / RUN_ID
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SPEC_NAME).write_text(json.dumps(SPEC))
    rows = [
        row(problem, language) for problem in ("q0000", "q0001", "q0002", "gone") for language in ("en", "zh")
    ]
    write_jsonl(folder / ROWS_NAME, rows)
    write_jsonl(folder / FLAGS_NAME, flags)
    return folder


@pytest.fixture
def workspace(tmp_path: Path, make_workspace: Any) -> Workspace:
    made: Workspace = make_workspace(
        tmp_path / "ws", 3, name=f"again-{tmp_path.name[:40].lower().replace('_', '-')}"
    )
    pool = read_records(made.pool("physics"), Question)
    # The session's server may not read the pictures of another workspace.
    write_records(made.pool("physics"), [q.model_copy(update={"images": ()}) for q in pool], Question)
    return made


def test_each_flagged_question_has_one_page_that_says_why(workspace: Workspace) -> None:
    flags = [
        flag("q0000", "suspect-key", **SUSPECT),
        flag("q0000", "dead"),
        flag("q0001", "ceiling", language="zh", share_correct=1.0),
        flag("gone", "dead"),
    ]
    write_run(workspace, flags)
    pages = flagged_pages(workspace, JOB, read_flagged(workspace, RUN_ID))
    assert [[item.item_id for item in page.items] for page in pages] == [["q0000"], ["q0001"]]
    assert [page.name for page in pages] == [f"physics.{lang}.flagged-{RUN_ID[:8]}" for lang in ("en", "zh")]
    (lost,) = pages[0].rejected
    assert (lost.item_id, lost.reason, pages[1].rejected) == ("gone", "not-on-a-page", ())
    data = pages[0].items[0].data
    assert data_faults(pages[0].config, data) == []
    shown = data["answers_html"]
    assert "the reference answer may be wrong" in shown and "no model answers it rightly" in shown
    assert "25% of 4 models right" in shown and "correlation with the rest -0.31" in shown
    assert "3 models agree on another answer: &lt;script&gt;C" in shown and "<script" not in shown
    ordinary = {group.name: group for group in JOB.groups(workspace)}["physics.en"]
    assert pages[0].items[0].digest == ordinary.items[0].digest, "the word is about the same content"
    assert config_digest(JOB, pages[0]) == config_digest(JOB, ordinary), "it is answered in the same controls"
    assert "Looking again" in pages[0].guidelines.html


def test_kinds_can_be_chosen_and_what_is_missing_is_said(workspace: Workspace) -> None:
    folder = write_run(workspace, [flag("q0000", "dead"), flag("q0001", "ceiling")])
    assert set(read_flagged(workspace, str(folder), {"ceiling"}).flags) == {("q0001", "en")}
    with pytest.raises(UsageError, match="flags no row of the kinds suspect-key"):
        read_flagged(workspace, RUN_ID, {"suspect-key"})
    (folder / FLAGS_NAME).unlink()
    with pytest.raises(UsageError, match="evaluate items"):
        read_flagged(workspace, RUN_ID)


def test_every_kind_of_flag_is_put_into_words() -> None:
    blind = flag("p", "blind-solvable", blind_respondents=3, blind_right=3, share_correct=None)
    lines = flag_lines([flag("p", "dead"), flag("p", "ceiling", share_correct=1.0), blind])
    assert [line.split(" ·")[0] for line in lines] == [
        "no model answers it rightly",
        "every model answers it rightly",
        "it is solved without the picture or without the text",
    ]
    assert lines[2].endswith("blind: 3 of 3 right, 25% by guessing")


def said(decision: str) -> list[dict[str, Any]]:
    """The regions of a filled-in page."""
    values = {"knowledge_complexity": 2, "visual_richness": 3, "decision": decision, "reason": "the key is C"}
    proposals = {
        name: Proposal(job="quality", item_id="q", field=name, digest="0" * 64, value=value, model="m")
        for name, value in values.items()
    }
    return list(JOB.regions(proposals, {"proposed": {}}))


class Desk:
    """A workspace's commands on the session's server, and answers in people's names."""

    def __init__(self, workspace: Workspace, server: ReviewServer) -> None:
        self.workspace, self.server = workspace, server

    def run(self, *words: str, code: int = 0) -> dict[str, Any]:
        where = ["--workspace", str(self.workspace.root)]
        where += ["--url", self.server.connection.url, "--token", self.server.connection.token, "--json"]
        done = CliRunner().invoke(annotate, [*words, *where])
        assert done.exit_code == code, done.output
        reply: dict[str, Any] = json.loads(done.stdout)
        return reply

    def tasks(self, group: str) -> dict[str, Task]:
        for project, mark in our_projects(self.server, self.workspace, JOB):
            if mark.group == group:
                return {str(task.data["item_id"]): task for task in self.server.tasks(project.id)}
        return {}

    def answer(self, group: str, item: str, decision: str) -> None:
        payload = {"result": said(decision), "lead_time": 20.0}
        number = self.tasks(group)[item].id
        self.server._request("POST", f"/api/tasks/{number}/annotations/", payload=payload)

    def decision(self, item: str) -> tuple[str, Any]:
        found = read_jsonl(self.workspace.verdicts("quality"), Verdict)
        (one,) = [v for v in found if (v.item_id, v.language, v.field) == (item, "en", "decision")]
        return one.basis, one.value


@pytest.fixture
def desk(workspace: Workspace, server: ReviewServer) -> Iterator[Desk]:
    yield Desk(workspace, server)


@pytest.mark.labelstudio
def test_from_a_flag_to_another_final_word(desk: Desk) -> None:
    desk.run("push", "quality")
    for item in ("q0000", "q0001"):
        desk.answer("physics.en", item, "accept")
    desk.run("pull", "quality")
    assert desk.decision("q0000") == ("agreed", "accept")

    write_run(desk.workspace, [flag("q0000", "suspect-key", **SUSPECT)])
    pushed = desk.run("push", "quality", "--from-run", RUN_ID)
    assert pushed["flags"] == {"suspect-key": 1}
    (page,) = pushed["pages"]
    assert (page["slot"], page["tasks"], page["new"], page["proposals"]) == ("adjudication", 1, 1, 0)
    again = f"physics.en.flagged-{RUN_ID[:8]}"
    (task,) = desk.tasks(again).values()
    assert "the reference answer may be wrong" in task.data["answers_html"]
    assert task.data["answers_html"].count("<th>Answer ") == 1 and "Accept" in task.data["answers_html"]
    assert desk.run("push", "quality", "--from-run", RUN_ID)["pages"][0]["new"] == 0

    desk.answer(again, "q0000", "fix")
    desk.run("pull", "quality")
    assert desk.decision("q0000") == ("adjudicated", "fix")
    assert desk.decision("q0001") == ("agreed", "accept"), "what was not flagged stays as it was"

"""What an adjudicator could not settle is named, and never counted as settled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchwright.annotation.left_open import left_open, left_open_items
from benchwright.annotation.pull import write_verdicts
from benchwright.annotation.report import write_report
from benchwright.annotation.verdicts import derive_verdicts
from benchwright.cli.annotate import annotate
from benchwright.schemas.jobs import Review
from benchwright.schemas.journal import Journal
from benchwright.schemas.review_states import current_states
from benchwright.schemas.workspace import Workspace

from .said import review

AB = ("A", "B")


def split(item: str) -> list[Review]:
    """An item of two people who differ about its subject and agree about its level."""
    return [
        review(item, value, who, slot, field=field)
        for who, slot, subject in (("A01", "A", "optics"), ("A02", "B", "waves"))
        for field, value in (("subject", subject), ("difficulty", 3))
    ]


def decided(item: str, subject: Any, who: str = "A03", **changes: Any) -> list[Review]:
    level = None if subject is None else 3
    return [
        review(item, value, who, "adjudication", field=field, **changes)
        for field, value in (("subject", subject), ("difficulty", level))
    ]


def found(reviews: list[Review]) -> dict[str, tuple[str, tuple[str, ...]]]:
    states = current_states(reviews)
    return {
        one.item_id: (one.why, one.fields)
        for one in left_open("tagging", states, derive_verdicts(reviews, AB))
    }


@pytest.mark.parametrize("said", ["cannot-decide", "item-faulty"])
def test_an_adjudicator_without_a_decision_leaves_the_item_on_the_list(said: str) -> None:
    reviews = [*split("p1"), *split("p2"), *decided("p1", None, undecided=said), *decided("p2", "optics")]
    assert found(reviews) == {"p1": (said, ("difficulty", "subject"))}


def test_two_adjudicators_who_differ_leave_it_there_until_one_takes_it_back() -> None:
    first, second = decided("p1", "optics"), decided("p1", "waves", "A04")
    assert found([*split("p1"), *first, *second]) == {"p1": ("adjudicators-differ", ("subject",))}
    gone = [line.model_copy(update={"state": "deleted"}) for line in second]
    assert found([*split("p1"), *first, *second, *gone]) == {}
    assert found(split("p1")) == {}, "it waits for its adjudicator"


def test_status_and_report_name_it(tmp_path: Path, make_workspace) -> None:
    workspace: Workspace = make_workspace(tmp_path / "ws", 2)
    assert left_open_items(workspace, "tagging") == []
    reviews = [*split("q0000"), *split("q0001"), *decided("q0000", None, undecided="item-faulty")]
    Journal(workspace.reviews("tagging")).extend(reviews)
    write_verdicts(workspace, "tagging", reviews, AB)
    told = CliRunner().invoke(annotate, ["status", "--workspace", str(workspace.root), "--json"])
    assert told.exit_code == 0, told.output
    (item,) = json.loads(told.stdout)["left_open"]
    assert (item["job"], item["item_id"], item["why"]) == ("tagging", "q0000", "item-faulty")
    said = CliRunner().invoke(annotate, ["status", "--workspace", str(workspace.root)])
    assert "tagging: q0000 was adjudicated and is open: item-faulty" in said.stderr
    assert "q0001 was adjudicated" not in said.stderr
    (figures,) = write_report(workspace, ["tagging"]).jobs
    assert figures.left_open == {"item-faulty": 1}
    page = (workspace.root / "reviews" / "report.md").read_text(encoding="utf-8")
    assert "1 item has no value although adjudicated (1 item-faulty); annotate status names it." in page

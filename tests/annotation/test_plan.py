"""`annotate plan`: counts by hand, and times that measurements replace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.plan import plan_job
from benchwright.cli.annotate import annotate
from benchwright.curation.plan_assumptions import Assumptions
from benchwright.schemas.effort import LEAST_TIMED, measured_pace
from benchwright.schemas.jobs import ADJUDICATION_SECONDS, JOBS, Review
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.workspace import Workspace

JOB = TaggingJob()
ASSUMED = JOBS["tagging"].seconds


def reviews(item: tuple[str, str], slot: str, subject: str | None, who: str, **changes: Any) -> list[Review]:
    """One annotation: subject and level."""
    fields = {
        "job": "tagging",
        "item_id": item[0],
        "digest": item[1],
        "pseudonym": who,
        "slot": slot,
        "state": "submitted",
        "origin": "manual",
        "annotation_id": f"{slot}-{who}-{item[0]}",
        "updated_at": "2026-01-01T00:00:00Z",
    }
    values = {"subject": subject, "difficulty": None if subject is None else 2}
    return [
        Review.model_validate({**fields, "field": name, "value": value, **changes})
        for name, value in values.items()
    ]


@pytest.fixture
def workspace(tmp_path: Path, make_workspace) -> Workspace:
    made: Workspace = make_workspace(tmp_path / "ws", 30, name="plan-test")
    path = made.root / "benchwright.toml"
    recipe = path.read_text(encoding="utf-8")
    assert "slots = 1" in recipe
    path.write_text(recipe.replace("slots = 1", "slots = 2"), encoding="utf-8")
    return Workspace.find(made.root)


def items(workspace: Workspace) -> list[tuple[str, str]]:
    return [(item.item_id, item.digest) for group in JOB.groups(workspace) for item in group.items]


def test_open_tasks_people_and_hours_are_counted(workspace: Workspace) -> None:
    nothing = plan_job(workspace, JOB)
    assert (nothing.items, nothing.slots, nothing.open, nothing.adjudications) == (30, 2, 60, 0)
    assert (nothing.people, nothing.hours) == (2, round(60 * ASSUMED / 3600, 2))
    known = items(workspace)
    lines = [
        *reviews(known[0], "A", "optics", "A01"),  # settled by both
        *reviews(known[0], "B", "optics", "A02"),
        *reviews(known[1], "A", "optics", "A01"),  # half done
        *reviews(known[2], "A", None, "A01", state="skipped"),  # skipped, and begun: both are still open
        *reviews(known[2], "B", "optics", "A02", state="draft"),
        *reviews(known[3], "A", "optics", "A01"),  # two opinions
        *reviews(known[3], "B", "mechanics", "A02"),
        *reviews(known[4], "A", "optics", "A01"),  # two opinions, decided
        *reviews(known[4], "B", "mechanics", "A02"),
        *reviews(known[4], "adjudication", "mechanics", "A03"),
        *reviews(known[5], "qualification", "optics", "A01"),  # settles nothing
        *reviews(("gone", "f" * 64), "A", "optics", "A01"),  # of the past
    ]
    write_jsonl(workspace.reviews("tagging"), lines)
    plan = plan_job(workspace, JOB)
    assert (plan.open, plan.adjudications, plan.people) == (60 - 2 - 1 - 2 - 2, 1, 3)
    assert plan.hours == round((53 * ASSUMED + ADJUDICATION_SECONDS) / 3600, 2)


def timed(count: int, seconds: float = 10.0) -> list[Review]:
    return [
        line
        for number in range(count)
        for line in reviews((f"p{number}", "a" * 64), "A", "optics", "A01", lead_time=seconds + number)
    ]


def test_from_twenty_timed_tasks_on_their_median_counts(workspace: Workspace) -> None:
    few = measured_pace("tagging", timed(LEAST_TIMED - 1))
    assert (few.seconds, few.timed, few.words) == (ASSUMED, 0, "assumed")
    enough = measured_pace("tagging", timed(LEAST_TIMED))
    assert (enough.seconds, enough.timed, enough.words) == (19.5, 20, "median of 20")
    # What is no review of the job's own kind, or was taken back, does not make it twenty.
    others = [line.model_copy(update={"slot": "qualification"}) for line in timed(LEAST_TIMED)]
    assert measured_pace("tagging", others).timed == 0
    back = [*timed(LEAST_TIMED), *(line.model_copy(update={"state": "deleted"}) for line in timed(1))]
    assert measured_pace("tagging", back).timed == 0
    # Both plans read the same.
    write_jsonl(workspace.reviews("tagging"), timed(LEAST_TIMED))
    assert plan_job(workspace, JOB).pace == enough
    assumed = Assumptions.read((), workspace)
    assert assumed["minutes.tagging"] == pytest.approx(19.5 / 60)
    assert assumed["minutes.quality"] == JOBS["quality"].seconds / 60
    assert assumed.measured == {"minutes.tagging": 20}
    own = Assumptions.read(("minutes.tagging=3",), workspace)
    assert own["minutes.tagging"] == 3.0 and own.measured == {}


def test_the_command_shows_a_row_a_job_and_where_its_seconds_come_from(workspace: Workspace) -> None:
    write_jsonl(workspace.reviews("tagging"), timed(LEAST_TIMED))
    place = ["--workspace", str(workspace.root)]
    told = CliRunner().invoke(annotate, ["plan", "--people", "1", *place])
    assert told.exit_code == 0, told.output
    row = next(line for line in told.stdout.splitlines() if line.strip().startswith("tagging"))
    assert "median of 20" in row and "19.5" in row and " 60 " in row
    assert "60 tasks, 0.3 hours, 0.3 for each of 1" in told.stdout
    assert "it takes 2 different ones" in told.stderr
    assert "next: annotate push tagging" in told.stdout
    reply = json.loads(CliRunner().invoke(annotate, ["plan", "--json", "--people", "4", *place]).stdout)
    assert (reply["tasks"], reply["people"], reply["hours_each"]) == (60, 2, 0.08)
    (job,) = reply["jobs"]
    assert (job["pace"]["timed"], job["pace"]["seconds"]) == (20, 19.5)

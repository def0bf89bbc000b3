"""What `evaluate errors` and `evaluate offer` propose is what the review pages show: same answers, same digests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.jobs.answered import says_something
from benchwright.annotation.jobs.errors import ErrorsJob, is_wrong
from benchwright.annotation.jobs.judge import JudgeJob
from benchwright.annotation.jobs.steps import StepsJob
from benchwright.annotation.proposals import newest_proposals
from benchwright.annotation.sources import _drawn
from benchwright.cli.evaluate import evaluate
from benchwright.cli.main import run_command
from benchwright.eval.errors import draw
from benchwright.eval.runs.spec import ModelSpec, RunSpec, StepsSpec
from benchwright.eval.runs.store import RunFolder
from benchwright.schemas.digest import digest_of
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Rejected
from benchwright.schemas.runs import Step, StepsRecord, read_run, steps_key
from benchwright.schemas.workspace import Workspace


@pytest.fixture
def space(evaluated: Any, tmp_path: Path) -> Workspace:
    """A workspace of its own with the evaluated run: what is proposed here is seen by no other test."""
    root = tmp_path / "space"
    shutil.copytree(evaluated.workspace.root, root, ignore=shutil.ignore_patterns("label-studio"))
    return Workspace.find(root)


def run(space: Workspace, *arguments: str, code: int = 0) -> None:
    assert run_command(evaluate, "evaluate", [*arguments, "--workspace", str(space.root)]) == code


def shown(job: Any, space: Workspace) -> dict[str, list[Any]]:
    """The regions that each offered answer's page starts from, by row."""
    proposals = newest_proposals(space, job.name)
    (group,) = job.groups(space)
    found = {}
    for item in group.items:
        fitting = {
            key.field: proposal
            for key, proposal in proposals.items()
            if (key.item_id, key.digest) == (item.item_id, item.digest)
        }
        found[item.item_id.split("/")[1]] = job.regions(fitting, item.data)
    return found


def test_both_sides_mean_the_same_answers_and_draw_the_same_ones(evaluated) -> None:
    files = read_run(evaluated.workspace.runs / evaluated.run_id)
    for answered in files.answered:
        assert says_something(answered) is draw.says_something(answered)
        assert is_wrong(answered) is draw.is_wrong(answered)
    for sample in (None, 1, 2, 5):
        ours = draw.drawn(files.answered, files.run_id, sample, 7)
        theirs = _drawn(
            files.answered,
            lambda a: a.row.discipline,
            lambda a: digest_of([7, files.run_id, a.row.id]),
            sample,
        )
        assert ours == theirs


def test_proposed_kinds_stand_on_the_pages_of_exactly_the_drawn_answers(
    evaluated: Any, space: Workspace, tmp_path: Path
) -> None:
    wrong = ["p1:vision-only:en", "p2:original:en", "p3:original:en", "p3:vision-only:en"]
    replies = tmp_path / "kinds.jsonl"
    said = {"reason": "it reads another angle", "category": "vision-recognition"}
    replies.write_text("".join(json.dumps({"id": row, "text": json.dumps(said)}) + "\n" for row in wrong))
    run(space, "errors", evaluated.run_id, "--sample", "1", "--judge-model", f"replay/{replies}")
    ErrorsJob().offer(space, evaluated.run_id)
    pages = shown(ErrorsJob(), space)
    assert len(pages) == 2 and set(pages) <= set(wrong)
    for regions in pages.values():
        assert [region["value"] for region in regions] == [{"choices": ["vision-recognition"]}]


def test_people_judge_blind_unless_the_runs_verdict_is_to_be_shown(evaluated: Any, space: Workspace) -> None:
    run(space, "offer", evaluated.run_id, "--job", "judge", "--sample", "2")
    JudgeJob().offer(space, evaluated.run_id)
    pages = shown(JudgeJob(), space)
    assert len(pages) == 4 and not any(pages.values())
    run(space, "offer", evaluated.run_id, "--job", "judge", "--sample", "2", "--preselect")
    again = shown(JudgeJob(), space)
    assert set(again) == set(pages)
    judged = {a.row.id: a.judgement for a in read_run(space.runs / evaluated.run_id).answered}
    for row, regions in again.items():
        assert [region["value"]["choices"] for region in regions] == [[judged[row].outcome.value]]


def test_steps_stand_on_the_page_with_kind_and_score(evaluated: Any, space: Workspace) -> None:
    folder = divided(space, space.runs / evaluated.run_id)
    run(space, "offer", folder.spec().run_id, "--job", "steps")
    source = StepsJob().offer(space, folder.spec().run_id)
    assert [one.row.id for one in source.offered] == ["p3:original:en"]
    (regions,) = shown(StepsJob(), space).values()
    values = [region["value"]["choices"] for region in regions]
    assert values == [["K"], ["1"], ["L"], ["0"]]
    left = read_jsonl(space.proposals_rejected("steps"), Rejected)
    assert len(left) == 8 and {record.reason for record in left} == {"no-steps"}
    assert {record.detail for record in left} == {"nobody divided this answer yet"}


def test_a_run_without_steps_has_none_to_offer(evaluated: Any, space: Workspace, capsys: Any) -> None:
    run(space, "offer", evaluated.run_id, "--job", "steps", code=2)
    assert "was not scored step by step" in capsys.readouterr().err
    run(space, "offer", evaluated.run_id, "--job", "steps", "--preselect", code=2)
    assert not space.proposals("steps").exists()


def divided(space: Workspace, run_folder: Path) -> RunFolder:
    """The same answers as a run whose steps are scored, with steps of one of them."""
    old = RunFolder(run_folder)
    rows, known = old.rows(), old.load(old.rows())
    scorer = StepsSpec(model=ModelSpec(name="openai/scorer", endpoint="openai"), prompts=())
    spec = RunSpec.model_validate(
        {**old.spec().model_dump(), "protocol": "sciverse", "mode": "cot", "judge": None, "steps": scorer}
    )
    folder = RunFolder(space.runs / spec.run_id)
    folder.open(spec)
    folder.write_rows(rows)
    folder.replace_responses(list(known.responses.values()))
    row = next(row for row in rows if row.id == "p3:original:en")
    steps = (Step(text="The sign says so.", kind="K", score=1), Step(text="Answer: D", kind="L", score=0))
    folder.steps.append(
        StepsRecord(
            row_id=row.id,
            key_digest=steps_key(row, known.responses[row.id]),
            outcome="scored",
            reason="steps-scored",
            steps=steps,
            coverage=0.8,
        )
    )
    return folder

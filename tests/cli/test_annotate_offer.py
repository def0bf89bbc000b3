"""What a push may offer to which job, and what it says when it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.cli.annotate import annotate
from benchwright.cli.annotate_offer import nothing_to_review
from benchwright.cli.main import run_command
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.workspace import Workspace


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return Workspace.create(tmp_path / "space", default_recipe_toml("offering", ("physics",)))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["tagging", "--from-run", "x"], "--from-run offers answers to judge, steps, errors"),
        (["answer", "--from-run", "x"], "--from-run offers answers to judge, steps, errors"),
        (["quality", "--from-run", "nowhere"], "is no run folder: it has no spec.json"),
        (
            ["quality", "--from-run", "x", "--flags", "odd"],
            "choose dead, ceiling, blind-solvable, suspect-key",
        ),
        (["quality", "--from-run", "x", "--slots", "2"], "one task a question"),
        (["quality", "--from-run", "x", "--sample", "3"], "takes all flagged questions"),
        (["judge", "--from-run", "x", "--flags", "dead"], "use it with quality --from-run"),
        (["judge", "--from-release", "x"], "--from-release offers rows to answer"),
        (["answer", "--versions", "original"], "use them with answer --from-release"),
        (["judge", "--from-run", "x", "--languages", "en"], "use them with answer --from-release"),
        (["judge", "--sample", "3"], "--sample draws from what is offered"),
        (["judge", "--from-run", "nowhere"], "is no run folder: it has no spec.json"),
        (["judge"], "name a run with --from-run"),
        (["answer"], "name a release with --from-release"),
        (["taxonomy"], "run `curate taxonomy`"),
        (["duplicates"], "`curate dedup` left nothing open"),
        (["tagging"], "run `curate cluster` first"),
    ],
)
def test_a_wrong_offer_is_refused_in_a_sentence(
    space: Workspace, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    code = run_command(annotate, "annotate", ["push", *arguments, "--workspace", str(space.root)])
    assert code == 2
    assert why in capsys.readouterr().err


def test_every_job_has_a_reason_for_having_no_items(space: Workspace) -> None:
    from benchwright.annotation.jobs import REVIEW_JOBS

    for job in REVIEW_JOBS:
        assert f"the job {job}: " in str(nothing_to_review(space, job))

"""Tasks drawn to show no proposal show none; where the proposal is the item, none is drawn and nobody is told so."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchwright.annotation.client import ReviewServer
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.jobs.taxonomy import TaxonomyJob
from benchwright.annotation.push import push_job
from benchwright.cli.annotate import annotate
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.records import Question
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

pytestmark = pytest.mark.labelstudio


@pytest.fixture
def workspace(tmp_path: Path, make_workspace) -> Workspace:
    """Three questions with tags, without pictures, and proposed subjects."""
    made: Workspace = make_workspace(
        tmp_path / "ws", 3, name=f"withheld-{tmp_path.name[:30].lower().replace('_', '-')}"
    )
    pool = read_records(made.pool("physics"), Question)
    write_records(made.pool("physics"), [q.model_copy(update={"images": ()}) for q in pool], Question)
    subjects = load_taxonomy("visscience").discipline("physics").model_dump(mode="json")
    line = Proposal(
        job="taxonomy", item_id="physics", field="subjects", digest="1" * 64, value=subjects, model="m"
    )
    write_jsonl(made.proposals("taxonomy"), [line])
    return made


def test_a_page_that_cannot_hide_its_proposal_does_not_claim_to(
    workspace: Workspace, server: ReviewServer
) -> None:
    all_withheld = workspace.recipe.annotation.model_copy(update={"no_proposal_share": 1.0})
    withheld = {}
    for job in (TaxonomyJob(), TaggingJob()):
        (page,) = push_job(server, workspace, job, recipe=all_withheld)
        assert page.project is not None
        withheld[job.name] = {task.data["withheld"] for task in server.tasks(page.project)}
        assert server.predictions(page.project) == []
    assert withheld == {"taxonomy": {False}, "tagging": {True}}


def test_asking_for_it_is_refused_before_anything_is_sent(workspace: Workspace, server: ReviewServer) -> None:
    where = ["--workspace", str(workspace.root), "--url", server.connection.url]
    where += ["--token", server.connection.token, "--no-proposal-share", "0.5"]
    before = len(server.projects())
    done = CliRunner().invoke(annotate, ["push", "taxonomy", *where])
    assert "--no-proposal-share is not for taxonomy" in str(done.exception)
    assert len(server.projects()) == before

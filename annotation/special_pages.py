"""Pages besides those of the slots: what is to be adjudicated, and what newcomers begin with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchwright.annotation.adjudicate import adjudication_group, disagreements
from benchwright.annotation.client import ReviewServer
from benchwright.annotation.gold import load_gold, qualification_items
from benchwright.annotation.jobs.base import ReviewJob
from benchwright.annotation.projects import our_projects
from benchwright.annotation.push import GroupPush, push_page
from benchwright.annotation.slots import needed_slots, open_slots
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import Review
from benchwright.schemas.journal import Journal
from benchwright.schemas.review_states import ADJUDICATION, QUALIFICATION
from benchwright.schemas.workspace import Workspace

EVERYBODY = 1000
"""How many people may answer each qualification item: Label Studio wants a number."""

Progress = Callable[[int], None]


def push_adjudication(
    server: ReviewServer, workspace: Workspace, job: ReviewJob, progress: Progress = lambda n: None
) -> list[GroupPush]:
    """Make a page of everything that the pulled reviews leave open; pull brings the adjudicators' words.

    Items that changed since they were answered are not among them: they go to the review slots again.

    Raises:
        UsageError: nothing was pulled yet, or the job has no projects on the server.
        ServerTrouble: the server kept failing; run again, nothing will be doubled.
    """
    if not workspace.reviews(job.name).is_file():
        raise UsageError(
            f"{workspace.reviews(job.name)} is missing: run `annotate pull {job.name}` before adjudicating."
        )
    with workspace.lock(f"annotate-push/{job.name}"):
        recipe = workspace.recipe.annotation
        marks = [mark for _, mark in our_projects(server, workspace, job)]
        slots = needed_slots(recipe.slots, open_slots(marks))
        found = disagreements(job.name, Journal(workspace.reviews(job.name)).read(Review), slots, recipe)
        # Whatever stands in the page is the reviewers' own, so no share of it is withheld.
        shown = recipe.model_copy(update={"no_proposal_share": 0.0})
        pages = [adjudication_group(group, job.name, found) for group in job.groups(workspace)]
        return [
            push_page(server, workspace, job, page, ADJUDICATION, filled, shown, progress)
            for page, filled in pages
            if page.items
        ]


def push_qualification(
    server: ReviewServer, workspace: Workspace, job: ReviewJob, progress: Progress = lambda n: None
) -> list[GroupPush]:
    """Make a page of gold items, without proposals, that everybody answers before the work begins.

    Raises:
        UsageError: the job has no gold items that it shows.
        ServerTrouble: the server kept failing; run again, nothing will be doubled.
    """
    gold = load_gold(workspace, job.name)
    with workspace.lock(f"annotate-push/{job.name}"):
        blind = workspace.recipe.annotation.model_copy(update={"no_proposal_share": 1.0})
        pages = []
        for group in job.groups(workspace):
            items = tuple(qualification_items(group.items, gold))
            if items:
                page = replace(group, items=items, rejected=(), waiting=())
                pages.append(push_page(server, workspace, job, page, QUALIFICATION, {}, blind, progress))
        if not pages:
            raise UsageError(
                f"job {job.name} has no items with known answers: give some with "
                f"`annotate push {job.name} --qualification --gold FILE`."
            )
        for pushed in pages:
            if pushed.project is not None:
                server.let_answer(pushed.project, EVERYBODY)
        return pages

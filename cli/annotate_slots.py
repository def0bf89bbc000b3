"""Options of `annotate push` for double review: slots, withheld proposals, items with known answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchwright.cli.common import say

if TYPE_CHECKING:
    from benchwright.annotation.client import ReviewServer
    from benchwright.annotation.jobs.base import ReviewGroup, ReviewJob
    from benchwright.annotation.push import GroupPush
    from benchwright.schemas.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class SlotOptions:
    """How a push was told to have items reviewed."""

    slots: int | None
    no_proposal_share: float | None
    gold: Path | None
    qualification: bool


def slot_options(function: F) -> F:
    """Add `--slots`, `--no-proposal-share`, `--gold` and `--qualification`."""
    options = (
        click.option(
            "--slots",
            type=click.IntRange(1, 9),
            default=None,
            help="Independent reviews of each item, a project each; default: the recipe's.",
        ),
        click.option(
            "--no-proposal-share",
            type=click.FloatRange(0, 1),
            default=None,
            help="Share of the tasks that show no proposal, drawn at random; default: the recipe's.",
        ),
        click.option(
            "--gold",
            type=click.Path(path_type=Path, dir_okay=False),
            help="JSON Lines of known answers (item_id, language, values); mixed in, known on our side alone. "
            "Remembered.",
        ),
        click.option(
            "--qualification",
            is_flag=True,
            help="Push ten gold items without proposals instead, for everybody to begin with.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def push_slots(
    server: ReviewServer,
    workspace: Workspace,
    job: ReviewJob,
    groups: Sequence[ReviewGroup],
    options: SlotOptions,
    progress: Callable[[int], None],
) -> list[GroupPush]:
    """Push what the options ask for.

    Raises:
        UsageError: a gold line does not fit, there are no gold items to qualify with, or the job shows nothing without
            its proposal.
    """
    from benchwright.annotation.gold import store_gold
    from benchwright.annotation.push import ALWAYS_SHOWN, push_job
    from benchwright.annotation.slots import slot_names
    from benchwright.annotation.special_pages import push_qualification
    from benchwright.schemas.errors import UsageError

    if options.no_proposal_share and job.name in ALWAYS_SHOWN:
        raise UsageError(
            f"--no-proposal-share is not for {job.name}: what is reviewed there is the proposal itself; leave it away."
        )
    if options.gold is not None:
        store_gold(workspace, job.name, options.gold, [item for group in groups for item in group.items])
    if options.qualification:
        return push_qualification(server, workspace, job, progress)
    given = {"slots": options.slots, "no_proposal_share": options.no_proposal_share}
    recipe = workspace.recipe.annotation.model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )
    pages = push_job(server, workspace, job, slot_names(recipe.slots), progress, recipe)
    for name, value in given.items():
        if value is not None and value != getattr(workspace.recipe.annotation, name):
            say(f"{name} = {value} holds for this push; write it below [annotation] in the recipe to keep it")
    if recipe.slots > 1:
        say(
            "give each person one slot: Label Studio's community edition cannot keep anybody out of the others; "
            "`annotate pull` finds who answered an item twice and counts it once"
        )
    return pages

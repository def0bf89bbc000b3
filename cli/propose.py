"""The proposing commands of `curate`: one for each job of machines, all with the same flags for asking models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchwright.cli.common import (
    Incomplete,
    json_option,
    open_workspace,
    progress,
    say,
    stderr_is_a_terminal,
    workspace_option,
)
from benchwright.cli.proposals import show_tags
from benchwright.cli.proposing import budget_of, propose, raise_if_failed, show_run

if TYPE_CHECKING:
    pass

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--discipline", default=None, help="Only this discipline; default: all that are selected."),
    click.option(
        "--model",
        "models",
        multiple=True,
        help="`embedded`, or a chat model such as openai/NAME or local/PATH; several make a panel. "
        "Default: the recipe's.",
    ),
    click.option("--base-url", default=None, help="OpenAI-compatible server of the models."),
    click.option(
        "--votes",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="How often each model is asked what is put to a vote.",
    ),
    click.option("--concurrency", type=click.IntRange(1), default=None, help="Calls in flight at most."),
    click.option(
        "--allow-external",
        is_flag=True,
        help="Unreleased questions and answers may go to a model outside this machine.",
    ),
    click.option(
        "--assume-vision",
        is_flag=True,
        help="Send pictures to a model that was not seen to read a number off one.",
    ),
    click.option(
        "--budget",
        metavar="USD",
        default=None,
        help="Stop cleanly before the calls cost more; running again with more goes on from there.",
    ),
    click.option(
        "--prices",
        type=click.Path(path_type=Path, dir_okay=False),
        default=None,
        help="A TOML file of prices by model, beside the recipe's [prices].",
    ),
    click.option(
        "--dry-run", is_flag=True, help="Print calls, tokens, cost, hosts and what is sent; ask nothing."
    ),
    click.option(
        "--pilot",
        type=click.IntRange(1),
        default=None,
        metavar="N",
        help="Ask about N random items for real, then print what the rest would cost.",
    ),
    workspace_option,
    json_option,
)


def asking_options(function: F) -> F:
    """Add the flags that all proposing commands share."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command()
@asking_options
def tag(**flags: Any) -> None:
    """Propose subject, difficulty and knowledge points of the selected questions."""
    propose("tag", "Tag", flags, follow="annotate push tagging", after=show_tags)


@click.command()
@asking_options
def taxonomy(**flags: Any) -> None:
    """Propose a discipline's subjects from its knowledge points and clusters."""
    propose("taxonomy", "Taxonomy", flags)


@click.command()
@click.option(
    "--solve",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="N solutions by each model against the ground answer: is the answer right?",
)
@click.option(
    "--blind",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="At least N tries without picture, with options alone, with a wrong picture; options rotate.",
)
@asking_options
def assess(solve: int, blind: int, **flags: Any) -> None:
    """Propose what is wrong with text and picture, and rate complexity and visual richness."""
    propose("assess", "Assess", flags, wishes={"solve": solve, "blind": blind})


@click.command()
@click.option("--no-back", is_flag=True, help="No translation back; then proposals carry no score.")
@asking_options
def translate(no_back: bool, **flags: Any) -> None:
    """Propose translations between Chinese and English, checked token by token."""
    propose("translate", "Translate", flags, wishes={"back": not no_back})


@click.command(name="multiple-choice")
@click.option(
    "--options", type=click.IntRange(2, 10), default=4, show_default=True, help="Options of each question."
)
@click.option("--none-of-these", is_flag=True, help='An option may be "none of these".')
@asking_options
def multiple_choice(options: int, none_of_these: bool, **flags: Any) -> None:
    """Propose a multiple-choice form of free-form questions; the free form is kept."""
    wishes = {"options": options, "none_of_these": none_of_these}
    propose("multiple-choice", "Multiple choice", flags, wishes=wishes, follow="curate decompose")


@click.command()
@asking_options
def decompose(**flags: Any) -> None:
    """Propose the split into stem, conditions, core question, knowledge cue and detail."""
    propose("decompose", "Decompose", flags)


@click.command()
@click.option(
    "--options", type=click.IntRange(2, 10), default=4, show_default=True, help="Options of each question."
)
@click.option("--none-of-these", is_flag=True, help='An option may be "none of these".')
@asking_options
def transform(options: int, none_of_these: bool, **flags: Any) -> None:
    """Both at once: multiple-choice, then decompose."""
    if flags["as_json"]:
        raise click.UsageError("--json speaks of one job: run multiple-choice and decompose by themselves.")
    wishes = {"options": options, "none_of_these": none_of_these}
    failures = []
    budget = budget_of(open_workspace(flags["workspace"]), flags)
    for command, title in (("multiple-choice", "Multiple choice"), ("decompose", "Decompose")):
        try:
            propose(command, title, flags, wishes=wishes, follow=None, budget=budget)
        except Incomplete as error:
            # What failed in the first step stays free-form; the second says what it did with the rest.
            failures.append(str(error))
    if failures:
        raise Incomplete(" ".join(failures))


@click.command()
@click.option("--discipline", default=None, help="Only this discipline; default: all that are selected.")
@click.option(
    "--no-labels", is_flag=True, help="Do not read what stands on the diagrams; places are guesses then."
)
@workspace_option
@json_option
def place(discipline: str | None, no_labels: bool, workspace: Path | None, as_json: bool) -> None:
    """Propose where the marks of conditions go on their diagrams; asks no model."""
    from benchwright.curation.proposers.placement import Placer
    from benchwright.curation.proposers.stage import run_embedded

    home = open_workspace(workspace)
    placer = Placer(home, read=not no_labels)
    if placer.reader is None and not no_labels:
        say(
            "the diagrams' own labels are not read, so places are guesses: install benchwright[ocr] to have marks "
            "stand beside what they name"
        )
    with progress(0, "place") as bar:

        def on_item(done: int, total: int) -> None:
            bar.total, bar.shown = total, stderr_is_a_terminal()
            bar.advance(done - bar.done)

        result = run_embedded(home, placer, discipline, on_item)
    flags = {"as_json": as_json, "discipline": discipline}
    show_run(home, "place", "Place", (), result, (), flags, "annotate push placement")
    raise_if_failed("place", result)


COMMANDS: tuple[click.Command, ...] = (
    taxonomy, tag, assess, translate, multiple_choice, decompose, transform, place,
)  # fmt: skip

"""`curate certify`, `curate replace`, `curate keep`: what becomes of a selection after people have looked at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    progress,
    say,
    workspace_option,
)
from benchwright.cli.curate_cluster import discipline_option

if TYPE_CHECKING:
    from benchwright.curation.replace import Replaced
    from benchwright.schemas.reviewed import Attrition, BrokenRule, Replacement, ReviewedCertificate
    from benchwright.schemas.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])
_SHOWN = 12
"""Broken rules, steps and failures that are told one by one; the rest is counted."""


def accept_option(function: F) -> F:
    """Add `--accept-proposals`."""
    return click.option(
        "--accept-proposals",
        is_flag=True,
        help="Take the machine's word where no person has spoken, as in `curate problems`.",
    )(function)


@click.command()
@discipline_option
@accept_option
@workspace_option
@json_option
def certify(
    disciplines: tuple[str, ...], accept_proposals: bool, workspace: Path | None, as_json: bool
) -> None:
    """Recompute every rule of the selection on reviewed values.

    Lists the rules that do not hold any more, each with the exchanges that would mend it. Exit code 1 when one is
    broken.
    """
    from benchwright.curation.certify import certify_discipline
    from benchwright.curation.replace_open import disciplines_with_selection

    place = open_workspace(workspace)
    rows, result, found = [], {}, []
    for discipline in disciplines_with_selection(place, disciplines):
        made = certify_discipline(place, discipline, accept_proposals).certificate
        found.append(made)
        rows.append(_certificate_row(made))
        result[discipline] = made.model_dump(mode="json")
        for line in _certificate_remarks(made):
            say(line)
    columns = (
        "discipline",
        "may stay",
        "turned away",
        "replaced",
        "points",
        "values reviewed",
        "broken rules",
    )
    following, words = what_mends(found)
    emit(result, SummaryTable("Selection after review", columns, rows), as_json, following)
    if words:
        raise Incomplete(words)


def what_mends(found: Sequence[ReviewedCertificate]) -> tuple[str, str]:
    """The command to type next, and what to say of rules that do not hold (nothing where all hold)."""
    broken = [rule for made in found for rule in made.broken]
    if not broken:
        return "curate problems", ""
    words = f"{len(broken)} {'rule does' if len(broken) == 1 else 'rules do'} not hold on reviewed values: "
    if any(made.turned for made in found):
        return "curate replace --from-reviews", f"{words}`curate replace --mend` mends what can be."
    if any(rule.mended_by for rule in broken):
        return "curate replace --mend", f"{words}`curate replace --mend` mends what can be."
    hint = "no exchange mends that; more questions, or other targets under [selection], would."
    return "curate problems", words + hint


def _certificate_row(made: ReviewedCertificate) -> list[object]:
    values = sum(sum(counts.values()) for counts in made.origins.values())
    reviewed = sum(counts.get("review", 0) for counts in made.origins.values())
    return [
        made.discipline,
        f"{made.n} of {made.settings.n}",
        len(made.turned),
        made.replacements,
        f"{made.points_covered} of {made.points_total}",
        f"{reviewed} of {values}",
        len(made.broken),
    ]


def _certificate_remarks(made: ReviewedCertificate) -> list[str]:
    lines = [f"{made.discipline}: {_broken(rule)}" for rule in made.broken[:_SHOWN]]
    if len(made.broken) > _SHOWN:
        lines.append(f"{made.discipline}: and {len(made.broken) - _SHOWN} more broken rules")
    if made.waiting:
        waiting = ", ".join(f"{name} {n:,}" for name, n in made.waiting.items())
        lines.append(f"{made.discipline}: without a final verdict: {waiting}")
    if made.to_be_mended:
        lines.append(f"{made.discipline}: {len(made.to_be_mended)} questions wait to be mended")
    lines += [
        f"{made.discipline}: stale replacement {stale.leaves} -> {stale.joins} ({stale.why}) is not applied"
        for stale in made.stale_replacements[:_SHOWN]
    ]
    return lines


def _broken(rule: BrokenRule) -> str:
    kind = "" if rule.hard else " (soft)"
    if rule.mended_by:
        pairs = ", ".join(f"{pair.leaves} -> {pair.joins}" for pair in rule.mended_by[:3])
        more = f" and {len(rule.mended_by) - 3} more" if len(rule.mended_by) > 3 else ""
        mending = f"; mended by {pairs}{more}"
    else:
        mending = ""
    return f"{rule.rule}{kind}: {rule.detail}{mending}{f'; {rule.why_not}' if rule.why_not else ''}"


@click.command()
@click.argument("ids", nargs=-1)
@click.option("--from-reviews", is_flag=True, help="Replace what people rejected or called a repeat.")
@click.option(
    "--mend",
    "for_rules",
    is_flag=True,
    help="As --from-reviews, then the exchanges that `curate certify` lists.",
)
@click.option("--reason", default="", help="Why, for the log; for named ids.")
@discipline_option
@workspace_option
@json_option
def replace(
    ids: tuple[str, ...],
    from_reviews: bool,
    for_rules: bool,
    reason: str,
    disciplines: tuple[str, ...],
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Give the places of questions to others: identical topic, same difficulty and language, nearest, no repeat.

    Every rule of the selection is checked for each exchange. An exhausted topic is an error of that question alone
    (topic-exhausted); the others go on.
    """
    from benchwright.curation.replace_open import disciplines_with_selection
    from benchwright.schemas.errors import UsageError

    if sum((bool(ids), from_reviews, for_rules)) != 1:
        raise UsageError(
            "name questions to replace, or give --from-reviews or --mend: exactly one of the three."
        )
    place = open_workspace(workspace)
    found = disciplines_with_selection(place, disciplines)
    done = []
    with progress(0, "replace") as bar:

        def report(number: int, total: int) -> None:
            bar.total = total
            bar.advance()

        if ids:
            from benchwright.curation.replace import replace_named

            wanted = _by_discipline(place, found, ids)
            done = [replace_named(place, name, asked, reason, report) for name, asked in wanted.items()]
        elif from_reviews:
            from benchwright.curation.replace import replace_from_reviews

            done = [replace_from_reviews(place, name, report) for name in found]
        else:
            from benchwright.curation.replace import replace_for_rules

            done = [replace_for_rules(place, name) for name in found]
    _show_replaced(done, as_json)


def _by_discipline(place: Workspace, found: tuple[str, ...], ids: tuple[str, ...]) -> dict[str, list[str]]:
    """Where each id is selected; one that is selected nowhere goes to the first discipline, which refuses it."""
    from benchwright.curation.chosen_now import current_selection
    from benchwright.schemas.jobs import problem_id

    there = {
        name: {
            known
            for row in current_selection(place, name, kept=False).rows
            for known in (row.question_id, problem_id(row.question_id))
        }
        for name in found
    }
    wanted: dict[str, list[str]] = {}
    for one in dict.fromkeys(ids):
        name = next((name for name in found if one in there[name]), found[0])
        wanted.setdefault(name, []).append(one)
    return wanted


def _show_replaced(done: list[Replaced], as_json: bool) -> None:
    rows: list[list[object]] = []
    failed = [(one.discipline, rejected) for one in done for rejected in one.failed]
    for one in done:
        rows += [_step_row(one.discipline, step) for step in one.done]
        for stale in one.stale[:_SHOWN]:
            say(
                f"{one.discipline}: stale replacement {stale.leaves} -> {stale.joins} ({stale.why}) is not applied"
            )
    for discipline, rejected in failed[:_SHOWN]:
        say(f"{discipline}: {rejected.item_id}: {rejected.reason}: {rejected.detail}")
    if len(failed) > _SHOWN:
        say(f"and {len(failed) - _SHOWN} more that keep their places (--json lists all)")
    if not rows and not failed:
        say("nothing to replace")
    columns = (
        "discipline",
        "leaves",
        "joins",
        "topic",
        "level",
        "language",
        "likeness",
        "left in topic",
        "step",
    )
    result = {
        one.discipline: {
            "done": [step.model_dump(mode="json") for step in one.done],
            "failed": [rejected.model_dump(mode="json") for rejected in one.failed],
            "stale": [stale.model_dump(mode="json") for stale in one.stale],
        }
        for one in done
    }
    emit(result, SummaryTable("Replacements", columns, rows), as_json, "curate certify")
    if failed:
        raise Incomplete(f"{len(failed)} of {len(rows) + len(failed)} could not be replaced.")


def _step_row(discipline: str, step: Replacement) -> list[object]:
    first, *more = step.exchanges
    besides = f" (and {len(more)} more, for the rules)" if more else ""
    return [
        discipline,
        first.leaves,
        first.row.question_id + besides,
        "; ".join("/".join(point.split("/")[-2:]) for point in step.shared_points) or step.topic,
        "same" if step.same_difficulty else f"now {first.row.difficulty}",
        "same" if step.same_language else "other",
        f"{step.similarity:.2f}",
        step.supply,
        step.step,
    ]


@click.command()
@click.option(
    "--best", type=click.IntRange(min=1), required=True, help="How many to keep of each discipline."
)
@click.option(
    "--path-level",
    type=click.IntRange(min=1),
    default=None,
    help="Parts of a point's path that must be covered.",
)
@discipline_option
@accept_option
@workspace_option
@json_option
def keep(
    best: int,
    path_level: int | None,
    disciplines: tuple[str, ...],
    accept_proposals: bool,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Keep the best of a reviewed selection by knowledge complexity and visual richness, under the same rules.

    As SciVerse did with its candidates. Shows where every question of the pool went.
    """
    from benchwright.curation.keep import keep_discipline
    from benchwright.curation.replace_open import disciplines_with_selection

    place = open_workspace(workspace)
    rows: list[list[object]] = []
    result = {}
    for discipline in disciplines_with_selection(place, disciplines):
        done = keep_discipline(place, discipline, best, path_level, accept_proposals)
        rows += _attrition_rows(done.attrition)
        result[discipline] = {
            "kept": done.kept.model_dump(mode="json"),
            "attrition": done.attrition.model_dump(mode="json"),
        }
        say(
            f"{discipline}: ratings of the kept from {done.kept.least_kept:g}, best of those left out "
            f"{done.kept.best_left:g}; worth {done.kept.value:g}, proven not to exceed {done.kept.bound:g}"
        )
    emit(
        result,
        SummaryTable("From pool to kept", ("discipline", "station", "left", "lost"), rows),
        as_json,
        "curate problems",
    )


def _attrition_rows(table: Attrition) -> list[list[object]]:
    rows: list[list[object]] = [
        [
            table.discipline,
            station.name,
            station.n,
            ", ".join(f"{reason} {n:,}" for reason, n in station.lost.items()),
        ]
        for station in table.stations
    ]
    if table.replaced:
        rows.append([table.discipline, "(replaced on the way)", table.replaced, ""])
    return rows

"""`curate plan`: before money is spent, what the later tables will be able to show, and what they will cost.

Subject tables of a thousand questions suggest differences that they cannot show; the quota step is where that can still
be changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import NonNegativeFloat, NonNegativeInt

from benchwright.curation.plan_assumptions import Assumptions
from benchwright.curation.plan_cells import Cell, cells_of, shares_of
from benchwright.curation.plan_effort import Asked, Work, asked_of, weeks_of, work_of
from benchwright.curation.plan_power import DISCORDANCES, LEVEL, POWER
from benchwright.models.prices import Money, PriceTable, load_prices
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace


class Plan(Record):
    """Everything that a builder wants to know before starting."""

    benchmark: str
    problems: NonNegativeInt
    rows: NonNegativeInt
    """Of the release: problems x languages x versions, less vision-rich ones with nothing to show."""
    power: float = POWER
    level: float = LEVEL
    cells: tuple[Cell, ...]
    work: tuple[Work, ...]
    hours: NonNegativeFloat
    weeks: NonNegativeFloat
    """Of the assumed people."""
    asked: tuple[Asked, ...]
    money: Money
    assumptions: dict[str, float]
    own_assumptions: tuple[str, ...]
    """Those that the user set."""
    measured: dict[str, NonNegativeInt] = {}
    """`minutes.JOB` -> timed tasks of which it is the median, in place of an assumption."""


def make_plan(
    workspace: Workspace,
    disciplines: Sequence[str] = (),
    overrides: Sequence[str] = (),
    model: str | None = None,
    prices: PriceTable | None = None,
) -> Plan:
    """Plan a benchmark from its recipe, and from pool and selection as far as they are there. Asks nobody.

    Args:
        workspace: the workspace.
        disciplines: of the recipe; none names all.
        overrides: `KEY=VALUE` in place of built-in assumptions.
        model: one of those to be compared, whose price and tokens stand for all.
        prices: what tokens cost; None takes the recipe's.

    Raises:
        UsageError: an unknown discipline, assumption, or subject list.
    """
    known = workspace.recipe.disciplines
    for name in disciplines:
        if name not in known:
            raise UsageError(f"the recipe has no discipline {name!r}: it has {', '.join(sorted(known))}.")
    assumed = Assumptions.read(overrides, workspace)
    shares = {name: shares_of(workspace, name) for name in (disciplines or sorted(known))}
    problems = sum(share.n for share in shares.values())
    cells = cells_of(workspace, shares, assumed)
    versions = sum(cell.problems for cell in cells if cell.by == "version")
    work = work_of(workspace, problems, assumed)
    asked = asked_of(workspace, problems, assumed, prices or load_prices(workspace.recipe.prices), model)
    total = Money()
    for one in asked:
        total += one.money
    return Plan(
        benchmark=workspace.recipe.benchmark.name,
        problems=problems,
        rows=versions * len(workspace.recipe.benchmark.languages),
        cells=tuple(cells),
        work=tuple(work),
        hours=round(sum(one.hours for one in work), 1),
        weeks=weeks_of(work, assumed),
        asked=tuple(asked),
        money=total,
        assumptions=assumed.values,
        own_assumptions=assumed.own,
        measured=assumed.measured,
    )


def cell_rows(plan: Plan) -> list[list[object]]:
    """The cells as a table: by, value, problems, smallest differences, basis."""
    return [
        [
            cell.by,
            " / ".join(dict.fromkeys(part for part in (cell.discipline, cell.value) if part)),
            cell.problems,
            *(_points(cell.smallest[f"{share:.2f}"]) for share in DISCORDANCES),
            cell.basis,
        ]
        for cell in plan.cells
    ]


CELL_COLUMNS = (
    "by",
    "of",
    "problems",
    *(f"shows from, {share:.0%} differ" for share in DISCORDANCES),
    "number from",
)


def work_rows(plan: Plan) -> list[list[object]]:
    """People's part as a table."""
    rows: list[list[object]] = [[one.job, one.units, one.tasks, f"{one.hours:,.1f}"] for one in plan.work]
    return [*rows, ["all", "", sum(one.tasks for one in plan.work), f"{plan.hours:,.1f}"]]


WORK_COLUMNS = ("job", "units", "tasks", "hours")


def asked_rows(plan: Plan) -> list[list[object]]:
    """Models' part as a table."""
    rows: list[list[object]] = [
        [one.job, one.model, one.calls, one.input.likely, one.output, str(one.money)] for one in plan.asked
    ]
    return [*rows, ["all", "", sum(one.calls for one in plan.asked), "", "", str(plan.money)]]


ASKED_COLUMNS = ("job", "model", "calls", "input tokens", "output tokens", "cost")


def notes(plan: Plan) -> list[str]:
    """What a reader has to know with the tables."""
    own = f"; yours: {', '.join(plan.own_assumptions)}" if plan.own_assumptions else ""
    timed = ", ".join(f"{key} (median of {n:,} tasks)" for key, n in sorted(plan.measured.items()))
    measured = f"; measured: {timed}" if timed else ""
    stated = len(plan.assumptions) - len(plan.measured)
    return [
        f"Smallest difference between two models, in points, that shows with {plan.power:.0%} power at "
        f"{plan.level:.0%} two-sided, when they are right on different problems in "
        f"{' or '.join(f'{share:.0%}' for share in DISCORDANCES)} of the cases; `-`: none shows.",
        "Cells count problems, not rows: the same problem in two languages or versions is no second observation.",
        f"Hours, tokens and shares rest on {stated} stated assumptions (--assume KEY=VALUE){own}{measured}.",
    ]


def weeks_in_words(plan: Plan) -> str:
    """Weeks of the assumed people; never "0 weeks"."""
    return f"{plan.weeks:g} weeks" if plan.weeks else "under 0.1 weeks"


def markdown(plan: Plan) -> str:
    """The plan as a page."""
    parts = [
        f"# Plan of {plan.benchmark}",
        f"{plan.problems:,} problems, {plan.rows:,} rows, {plan.hours:,.1f} hours of review "
        f"({weeks_in_words(plan)}), cost of model calls {plan.money}.",
        *notes(plan),
        "## What each cell can show",
        _table(CELL_COLUMNS, cell_rows(plan)),
        "## People",
        _table(WORK_COLUMNS, work_rows(plan)),
        "## Models",
        _table(ASKED_COLUMNS, asked_rows(plan)),
        "## Assumptions",
        _table(("key", "value"), [[key, f"{value:g}"] for key, value in sorted(plan.assumptions.items())]),
    ]
    return "\n\n".join(parts) + "\n"


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [f"| {' | '.join(_shown(value) for value in row)} |" for row in rows]
    return "\n".join(lines)


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"

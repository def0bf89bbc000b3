"""The cells of the later tables, how many problems each will have, and what each can show."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import NonNegativeInt

from benchwright.curation.chosen_now import current_selection
from benchwright.curation.plan_assumptions import Assumptions
from benchwright.curation.plan_power import DISCORDANCES, smallest_difference
from benchwright.curation.select_presets import preset_shares
from benchwright.schemas.records import Record
from benchwright.schemas.selection import Estimate
from benchwright.schemas.tables import iter_records
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.versions import Version
from benchwright.schemas.workspace import Workspace

Basis = Literal["budget", "selection", "quota", "pool", "equal-shares", "assumption"]
"""Where a cell's number comes from: the recipe's budgets, its quotas or preset, what was selected, the pool's estimates
with the recipe's balance, equal shares of the taxonomy, or an assumption of the plan."""


class Cell(Record):
    """One cell of a table: figures over so many problems."""

    by: Literal["all", "discipline", "subject", "level", "version", "language"]
    discipline: str = ""
    """Empty: over all disciplines."""
    value: str = ""
    problems: NonNegativeInt
    basis: Basis
    smallest: dict[str, float | None]
    """Smallest difference that shows, in points (0..100), by discordance; None: no difference would show."""


class Shares(Record):
    """Expected counts of one discipline."""

    n: int
    basis: Basis
    subjects: dict[str, float]
    levels: dict[str, float]
    level_basis: Basis


def cells_of(workspace: Workspace, shares: Mapping[str, Shares], assumed: Assumptions) -> list[Cell]:
    """Every cell: all, then by discipline, subject, level, version, language."""
    everything = sum(share.n for share in shares.values())
    cells = [_cell("all", "", "", everything, "budget")]
    for name, share in shares.items():
        cells.append(_cell("discipline", name, name, share.n, "budget"))
        cells += [_cell("subject", name, value, n, share.basis) for value, n in share.subjects.items()]
        cells += [_cell("level", name, value, n, share.level_basis) for value, n in share.levels.items()]
    levels: dict[str, float] = {}
    for share in shares.values():
        for value, n in share.levels.items():
            levels[value] = levels.get(value, 0.0) + n
    basis: Basis = next((share.level_basis for share in shares.values()), "equal-shares")
    cells += [_cell("level", "", value, n, basis) for value, n in sorted(levels.items())]
    for version in workspace.recipe.benchmark.chosen_versions:
        rich = version is Version.VISION_RICH
        n = everything * (assumed["items.vision_rich"] if rich else 1.0)
        cells.append(_cell("version", "", version.value, n, "assumption" if rich else "budget"))
    languages = workspace.recipe.benchmark.languages
    return cells + [_cell("language", "", value, everything, "budget") for value in languages]


def shares_of(workspace: Workspace, discipline: str) -> Shares:
    """How many problems of each subject and level a discipline will have, from the best that is known.

    Raises:
        UsageError: the taxonomy does not have the discipline, and nothing is known of its subjects otherwise.
    """
    n = workspace.recipe.budget(discipline)
    if workspace.selection(discipline).is_file():
        rows = current_selection(workspace, discipline).rows
        subjects = Counter(row.subject for row in rows)
        levels = Counter(str(row.difficulty) for row in rows)
        return Shares(
            n=len(rows),
            basis="selection",
            subjects=_sorted(subjects),
            levels=_sorted(levels),
            level_basis="selection",
        )
    recipe = workspace.recipe.selection
    found, basis = _subjects(workspace, discipline, n)
    level_found, level_basis = _levels(workspace, discipline, n)
    if recipe.difficulties:
        level_found, level_basis = _numbers(dict(recipe.difficulties), n), "quota"
    elif shares := preset_shares(recipe.preset, discipline)[1]:
        level_found, level_basis = {value: share * n for value, share in shares.items()}, "quota"
    return Shares(n=n, basis=basis, subjects=found, levels=level_found, level_basis=level_basis)


def _subjects(workspace: Workspace, discipline: str, n: int) -> tuple[dict[str, float], Basis]:
    recipe = workspace.recipe.selection
    if wanted := recipe.subjects.get(discipline):
        return _numbers(wanted, n), "quota"
    if shares := preset_shares(recipe.preset, discipline)[0]:
        return {value: share * n for value, share in shares.items()}, "quota"
    if workspace.estimates(discipline).is_file():
        rows = iter_records(workspace.estimates(discipline), Estimate)
        counts = Counter(row.subject for row in rows)
        total, balance = sum(counts.values()), recipe.subject_balance
        mixed = {
            value: n * (balance / len(counts) + (1 - balance) * count / total)
            for value, count in counts.items()
        }
        return _sorted(mixed), "pool"
    taxonomy = load_taxonomy(workspace.recipe.benchmark.taxonomy, workspace.taxonomies)
    names = [subject.id for subject in taxonomy.subjects(discipline)]
    return dict.fromkeys(names, n / len(names)), "equal-shares"


def _levels(workspace: Workspace, discipline: str, n: int) -> tuple[dict[str, float], Basis]:
    """Levels as equal as the pool allows."""
    if not workspace.estimates(discipline).is_file():
        return {str(level): n / 5 for level in range(1, 6)}, "equal-shares"
    supply = Counter(str(row.difficulty) for row in iter_records(workspace.estimates(discipline), Estimate))
    counts: dict[str, float] = {}
    left, open_levels = float(n), sorted(supply, key=lambda level: (supply[level], level))
    while open_levels:
        level = open_levels.pop(0)
        counts[level] = min(float(supply[level]), left / (len(open_levels) + 1))
        left -= counts[level]
    return _sorted(counts), "pool"


def _numbers(wanted: Mapping[Any, float], n: int) -> dict[str, float]:
    """Shares below 1 become numbers."""
    return {str(value): number * n if number < 1 else number for value, number in sorted(wanted.items())}


def _sorted(counts: Mapping[str, float]) -> dict[str, float]:
    return {value: float(counts[value]) for value in sorted(counts)}


def _cell(
    by: Literal["all", "discipline", "subject", "level", "version", "language"],
    discipline: str,
    value: str,
    problems: float,
    basis: Basis,
) -> Cell:
    n = math.floor(problems + 1e-9)
    smallest = {}
    for discordant in DISCORDANCES:
        found = smallest_difference(n, discordant)
        smallest[f"{discordant:.2f}"] = None if found is None else round(100 * found, 1)
    return Cell(by=by, discipline=discipline, value=value, problems=n, basis=basis, smallest=smallest)

"""What the commands of `evaluate` share: where runs lie, what may leave, and how scores are shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.cli.common import Incomplete, SummaryTable, emit, say

if TYPE_CHECKING:
    from benchwright.eval.metrics.scores import Scores
    from benchwright.eval.pipeline.runner import RunResult
    from benchwright.eval.runs.passes import Tally
    from benchwright.schemas.workspace import Workspace

_COLUMNS = (
    "", "n", "scored", "right", "wrong", "no answer", "unjudged", "not run", "acc. %", "95 %", "chance %",
)  # fmt: skip
_STEP_COLUMNS = (
    "", "n", "scored", "no answer", "unjudged", "not run", "Sci-CoT_K %", "Sci-CoT_L %", "Sci-CoT %", "95 %",
)  # fmt: skip
NOT_RUN = ("error", "not-asked", "rate-limited", "timeout", "unsendable")


def find_place(path: Path | None) -> Workspace | None:
    """The workspace, if there is one: `evaluate` works without."""
    from benchwright.schemas.errors import RecipeError, UsageError
    from benchwright.schemas.workspace import Workspace

    if path is not None:
        return Workspace.find(path)
    try:
        return Workspace.find(None)
    except RecipeError:
        raise
    except UsageError:
        return None


def runs_folder(place: Workspace | None) -> Path:
    """Where runs lie by default: in the workspace, else below the current folder."""
    return place.runs if place is not None else Path("runs")


def kept_back(place: Workspace | None, dataset: Path) -> set[str]:
    """Sources that must not leave: by the recipe in use, and by that of the workspace in which the folder lies."""
    from benchwright.schemas.recipe import RECIPE_NAME, load_recipe

    above = [folder / RECIPE_NAME for folder in dataset.resolve().parents] if dataset.is_dir() else []
    recipes = [load_recipe(path) for path in above if path.is_file()] + ([place.recipe] if place else [])
    return {
        name for recipe in recipes for name, source in recipe.sources.items() if not source.allow_external
    }


def show_scores(scores: Scores, folder: Path, as_json: bool, more: Mapping[str, Any]) -> None:
    """End a command with the scores of one run."""
    spec = scores.spec
    judge = f"judge {spec.judge.kind}" if spec.judge else "steps" if spec.steps else "judged by nobody"
    table = SummaryTable(
        title=f"{spec.model.name} on {spec.dataset.name}, {judge}",
        columns=_COLUMNS if scores.cells else _STEP_COLUMNS,
        rows=_accuracies(scores) if scores.cells else _steps(scores),
    )
    result = {**scores.model_dump(mode="json"), "folder": str(folder), **more}
    if any("†" in str(cell) for row in table.rows for cell in row):
        say(
            "†: an interval over whole problems, for one problem stands in several rows (languages, versions)"
        )
    emit(result, table, as_json, f"open {folder / 'report.md'}")


def _accuracies(scores: Scores) -> list[tuple[object, ...]]:
    from benchwright.eval.metrics.scores import interval_text

    cells = [*scores.table("version"), *scores.table("discipline"), *scores.table()]
    return [
        (
            f"{cell.label} (incomplete)" if cell.incomplete else cell.label,
            cell.n_total,
            cell.n_scored,
            cell.consistent,
            cell.inconsistent,
            cell.no_answer,
            cell.unjudged,
            cell.not_run,
            "-" if cell.accuracy is None else 100 * cell.accuracy,
            interval_text(cell),
            100 * cell.chance,
        )
        for cell in cells
    ]


def _steps(scores: Scores) -> list[tuple[object, ...]]:
    from benchwright.eval.metrics.scores import interval_text

    cells = [*scores.step_table("version"), *scores.step_table("discipline"), *scores.step_table()]
    return [
        (
            f"{cell.label} (incomplete)" if cell.incomplete else cell.label,
            cell.n_total,
            cell.n_scored,
            cell.no_answer,
            cell.unjudged,
            cell.not_run,
            "-" if cell.knowledge.macro is None else 100 * cell.knowledge.macro,
            "-" if cell.logic.macro is None else 100 * cell.logic.macro,
            "-" if cell.sci_cot is None else 100 * cell.sci_cot,
            interval_text(cell),
        )
        for cell in cells
    ]


def missing_words(scores: Scores) -> str:
    """What is missing from a run's figures, and what to do about it."""
    from benchwright.eval.metrics.scores import remedy

    total = scores.total
    bad = ", ".join(f"{n} {name}" for name, n in scores.statuses.items() if name in NOT_RUN)
    parts = []
    if total.not_run:
        parts.append(f"{total.not_run} of {total.n_total} rows were not run ({bad})")
    if total.unjudged:
        parts.append(f"{total.unjudged} of {total.n_total} were not judged")
    return f"{' and '.join(parts)}: the figures are incomplete. {remedy(scores)}"


def say_causes(tally: Tally, what: str, of: str = "") -> None:
    """Say what failed calls ended with, the three commonest; `of` names the run where there are several."""
    for cause, times in tally.causes.most_common(3):
        say(f"{of}{times} of {tally.finished} calls for {what} failed: {cause}")


def finish(result: RunResult, limit: float, of: str = "") -> None:
    """Say what was stopped; `of` names the run where there are several.

    Raises:
        Incomplete: a row was not run or not judged.
    """
    tallies = (("answers", result.answers), ("verdicts", result.judgements))
    for words in dict.fromkeys(tally.budget for _, tally in tallies if tally.budget):
        say(f"{of}{words}; run again with --budget to go on, nothing is paid twice")
    for what, tally in tallies:
        say_causes(tally, what, of)
        if tally.stopped and not tally.budget:
            say(
                f"{of}stopped: {tally.failed} of {tally.finished} calls for {what} failed in this run "
                f"(limit {limit:.0%})"
            )
    if not result.scores.complete:
        raise Incomplete(missing_words(result.scores))

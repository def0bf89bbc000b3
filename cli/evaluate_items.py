"""`evaluate items`: statistics of the items over several runs, and which of them deserve a second look."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from benchwright.cli.common import Incomplete, SummaryTable, emit, json_option, say, workspace_option
from benchwright.cli.evaluate_show import find_place, runs_folder

_MEANING = {
    "blind-solvable": "right without the picture (or the text) more often than by chance",
    "ceiling": "every model is right",
    "dead": "no model is right",
    "suspect-key": "better models are right more rarely, or models agree on another answer",
}


@click.command("items", short_help="Find items that several runs make suspicious.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Write the figures of every item there, as CSV.",
)
@workspace_option
@json_option
def items(runs: tuple[str, ...], out: Path | None, workspace: Path | None, as_json: bool) -> None:
    """Compute item statistics over RUNs (ids or folders) and write flags.jsonl into each run's folder.

    A model is one respondent, however many runs of it there are; runs with `--input Q` or `I` are its blind baselines.
    Needs at least 4 models for dead and ceiling items and for a shared wrong answer, 8 for correlations.
    """
    from benchwright.eval.metrics.item_stats import FEWEST_FOR_CORRELATION, FEWEST_FOR_EXTREMES
    from benchwright.eval.reports.items import item_statistics, items_csv, read_answers, write_flags
    from benchwright.eval.runs.store import RunFolder
    from benchwright.schemas.artefact import write_atomic

    place = runs_folder(find_place(workspace))
    answers = [read_answers(RunFolder(Path(run) if Path(run).is_dir() else place / run)) for run in runs]
    found = item_statistics(answers)
    for run in answers:
        write_flags(run, found)
    if out is not None:
        write_atomic(out, items_csv(found.figures).encode("utf-8"))
    for fewest, what in (
        (FEWEST_FOR_EXTREMES, "dead, ceiling and shared wrong answers"),
        (FEWEST_FOR_CORRELATION, "correlations"),
    ):
        if len(found.respondents) < fewest:
            say(f"note: {len(found.respondents)} models are too few for {what} ({fewest} are needed)")
    flags = {(flag.row_id, flag.kind) for one in found.flags.values() for flag in one}
    counts: Counter[str] = Counter(kind for _, kind in flags)
    table = SummaryTable(
        f"{len(found.figures)} items, {len(found.respondents)} models, {len(found.blind)} blind",
        ("flag", "items", "meaning"),
        [(kind, counts[kind], meaning) for kind, meaning in _MEANING.items()],
    )
    result = {
        "items": len(found.figures),
        "respondents": list(found.respondents),
        "blind": list(found.blind),
        "flags": {kind: counts[kind] for kind in _MEANING},
        "folders": [str(run.folder.path) for run in answers],
    }
    next_step = f"annotate push quality --from-run {answers[0].spec.run_id}" if flags else None
    emit(result, table, as_json, next_step)
    open_runs = [run.spec.run_id for run in answers if run.open_rows]
    if open_runs:
        raise Incomplete(
            f"rows of {', '.join(open_runs)} were not run or not judged: their items rest on fewer models."
        )

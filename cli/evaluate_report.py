"""`evaluate report`: one run's report anew, or several runs beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import Incomplete, SummaryTable, emit, json_option, workspace_option
from benchwright.cli.evaluate_show import find_place, missing_words, runs_folder, show_scores

if TYPE_CHECKING:
    from benchwright.eval.store import RunFolder


@click.command("report", short_help="Write the report of a run anew, or put several beside each other.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="With several runs: write the comparison there, as Markdown.",
)
@workspace_option
@json_option
def report(runs: tuple[str, ...], out: Path | None, workspace: Path | None, as_json: bool) -> None:
    """Write scores.json, scores.csv and report.md of RUN (a run's id or folder) anew; nothing is asked.

    Several RUNs are put beside each other on the rows that they share; people's runs (`evaluate import-human`) say how
    many people answered and how long they took.
    """
    folders = [_folder(run, workspace) for run in runs]
    if len(folders) == 1:
        _report_one(folders[0], as_json)
    else:
        _report_several(folders, out, as_json)


def _folder(run: str, workspace: Path | None) -> RunFolder:
    from benchwright.eval.store import RunFolder

    path = Path(run)
    return RunFolder(path if path.is_dir() else runs_folder(find_place(workspace)) / run)


def _report_one(folder: RunFolder, as_json: bool) -> None:
    from benchwright.eval.report import write_scores
    from benchwright.eval.runner import score_folder

    rows = folder.rows() if folder.spec_path.exists() else ()
    scores = score_folder(folder.spec(), rows, folder)
    write_scores(folder.path, scores)
    show_scores(scores, folder.path, as_json, {})
    if not scores.complete:
        raise Incomplete(missing_words(scores))


def _report_several(folders: Sequence[RunFolder], out: Path | None, as_json: bool) -> None:
    from benchwright.eval.beside import beside, beside_markdown, read_rows
    from benchwright.eval.report import interval_text
    from benchwright.schemas.artefact import write_atomic

    found = beside([read_rows(folder) for folder in folders])
    rows = [
        (
            line.run_id,
            line.model,
            "-" if line.people is None else line.people,
            line.items,
            "-" if line.median_seconds is None else line.median_seconds,
            "-" if line.own.accuracy is None else 100 * line.own.accuracy,
            "-" if line.shared.accuracy is None else 100 * line.shared.accuracy,
            interval_text(line.shared),
        )
        for line in found.lines
    ]
    columns = ("run", "model", "people", "items", "median s", "acc. %", "shared acc. %", "shared 95 %")
    table = SummaryTable(f"{len(rows)} runs on {found.shared_rows} shared rows", columns, rows)
    if out is not None:
        write_atomic(out, beside_markdown(found).encode("utf-8"))
    emit(found.model_dump(mode="json"), table, as_json, None if out is None else f"open {out}")
    incomplete = [line.run_id for line in found.lines if line.shared.incomplete]
    if incomplete:
        raise Incomplete(
            f"rows of {', '.join(incomplete)} were not run or not judged: their figures are incomplete."
        )

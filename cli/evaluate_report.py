"""`evaluate report`: one run's report anew, or one or several as a folder of tables, charts and a viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.common import (
    Incomplete,
    SummaryTable,
    emit,
    json_option,
    say,
    show_table,
    workspace_option,
)
from benchwright.cli.evaluate_show import find_place, missing_words, runs_folder, show_scores

if TYPE_CHECKING:
    from benchwright.eval.metrics.run_view import RunView
    from benchwright.eval.reports.beside import Beside
    from benchwright.eval.reports.report_folder import ReportFolder
    from benchwright.eval.runs.store import RunFolder
    from benchwright.schemas.workspace import Workspace


@click.command(
    "report", short_help="Write the report of a run anew, or of several: tables, charts, a viewer."
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder for report.md, tables (CSV, LaTeX), charts and the viewer.",
)
@click.option(
    "--dataset",
    default=None,
    help="Where the pictures are: a release folder, ORG/NAME or ORG/NAME@REVISION; default: the workspace.",
)
@click.option(
    "--calibration",
    "calibrations",
    type=click.Path(path_type=Path, dir_okay=False),
    multiple=True,
    help="A judge's measurement (`evaluate judge-check --save`), to stand in the report; may be repeated.",
)
@click.option("--charts/--no-charts", default=True, show_default=True, help="Draw charts.")
@click.option(
    "--papers/--no-papers", default=True, show_default=True, help="The papers' own tables, apart from ours."
)
@click.option(
    "--viewer/--no-viewer", default=True, show_default=True, help="The page that shows every answer."
)
@workspace_option
@json_option
def report(
    runs: tuple[str, ...], out: Path | None, workspace: Path | None, as_json: bool, **chosen: Any
) -> None:
    """Write scores and report.md of RUN (its id or folder) anew, or put several beside each other; nothing is asked.

    With --out a folder is written: report.md, tables in the shapes of the two papers, charts, and a viewer of every
    answer (viewer/index.html). Runs of different releases are never mixed in one table.
    """
    folders = [_folder(run, workspace) for run in runs]
    if len(folders) == 1 and out is None:
        _report_one(folders[0], as_json)
    else:
        _report_several(folders, out, find_place(workspace), as_json, chosen)


def _folder(run: str, workspace: Path | None) -> RunFolder:
    from benchwright.eval.runs.store import RunFolder

    path = Path(run)
    return RunFolder(path if path.is_dir() else runs_folder(find_place(workspace)) / run)


def _report_one(folder: RunFolder, as_json: bool) -> None:
    from benchwright.eval.pipeline.runner import score_folder
    from benchwright.eval.reports.report_page import write_scores

    rows = folder.rows() if folder.spec_path.exists() else ()
    scores = score_folder(folder.spec(), rows, folder)
    write_scores(folder.path, scores)
    notes = folder.load(rows).notes
    for note in notes:
        say(f"note: {note}")
    show_scores(scores, folder.path, as_json, {"notes": list(notes)})
    if not scores.complete:
        raise Incomplete(missing_words(scores))


def _report_several(
    folders: Sequence[RunFolder],
    out: Path | None,
    place: Workspace | None,
    as_json: bool,
    chosen: Mapping[str, Any],
) -> None:
    from benchwright.eval.metrics.run_view import read_view, release_groups
    from benchwright.eval.reports.beside import beside
    from benchwright.schemas.errors import UsageError

    views = [read_view(folder) for folder in folders]
    if len({view.run_id for view in views}) < len(views):
        raise UsageError("a run is named twice: name each run once.")
    groups = [beside(group) for group in release_groups(views)]
    if out is None and len(groups) == 1 and not groups[0].shared_rows:
        raise UsageError("these runs have no row in common: they are of different versions or languages.")
    written = None if out is None else _write(views, out, place, chosen)
    _show(groups, written, out, as_json)
    incomplete = [view.run_id for view in views if view.incomplete]
    if incomplete:
        raise Incomplete(
            f"rows of {', '.join(incomplete)} were not run or not judged: their figures are incomplete."
        )


def _write(
    views: Sequence[RunView], out: Path, place: Workspace | None, chosen: Mapping[str, Any]
) -> ReportFolder:
    from benchwright.eval.reports.judge_notes import read_any_calibration
    from benchwright.eval.reports.report_folder import ReportSettings, check_folder, write_report

    check_folder(out)
    calibrations = [read_any_calibration(path) for path in chosen["calibrations"]]
    pictures = _pictures(views, place, chosen["dataset"]) if chosen["viewer"] else {}
    settings = ReportSettings(chosen["charts"], chosen["papers"], calibrations, chosen["viewer"])
    written = write_report(out, views, pictures, settings)
    if written.viewer is not None and written.viewer.missing_pictures:
        say(
            f"note: {written.viewer.missing_pictures} pictures are not at hand, the viewer names them only; name the "
            "release that was asked with --dataset"
        )
    return written


def _pictures(views: Sequence[RunView], place: Workspace | None, named: str | None) -> Mapping[str, bytes]:
    from benchwright.eval.runs.pictures import Pictures
    from benchwright.eval.runs.run_pictures import pictures_at_hand

    found = Pictures()
    for view in views:
        wanted = {image for row in view.rows for image in row.images} - set(found)
        for sha256, data in pictures_at_hand(place, view.spec.dataset, wanted, named).items():
            found.add(sha256, data)
    return found


def _show(groups: Sequence[Beside], written: ReportFolder | None, out: Path | None, as_json: bool) -> None:
    result = {
        "releases": [group.model_dump(mode="json") for group in groups],
        "report": None if written is None else written.model_dump(mode="json", exclude={"releases"}),
    }
    tables = [] if as_json else [_table(group) for group in groups]
    for table in tables[:-1]:
        show_table(table)
    if len(groups) > 1:
        say("note: these runs asked different releases; their figures do not compare")
    for note in dict.fromkeys(note for group in groups for note in group.notes):
        say(f"note: {note}")
    names = (
        "" if out is None else str(out / ("viewer/index.html" if written and written.viewer else "report.md"))
    )
    emit(result, tables[-1] if tables else None, as_json, f"open {names}" if names else None)


def _table(found: Beside) -> SummaryTable:
    from benchwright.eval.metrics.scores import interval_text, main_figure

    rows = []
    for line in found.lines:
        own, shared = main_figure(line.own), None if line.shared is None else main_figure(line.shared)
        rows.append(
            (
                line.run_id,
                line.label,
                "-" if line.people is None else line.people,
                line.items,
                "-" if line.median_seconds is None else line.median_seconds,
                "-" if own is None else 100 * own,
                "-" if shared is None else 100 * shared,
                "-" if line.shared is None else interval_text(line.shared),
                "incomplete" if line.own.incomplete else "",
            )
        )
    columns = ("run", "model", "people", "items", "median s", "%", "shared %", "shared 95 %", "")
    n = len(rows)
    title = f"{n} run{'s' if n > 1 else ''} of {found.data} on {found.shared_rows:,} shared rows"
    return SummaryTable(title, columns, rows)

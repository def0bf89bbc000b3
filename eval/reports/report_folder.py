"""The report of one or several runs as a folder: page, tables, charts, machine-readable figures, viewer."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchwright.eval.display.charts import draw_charts
from benchwright.eval.display.plain_text import one_line
from benchwright.eval.display.tables import Table, table_csv, table_latex
from benchwright.eval.metrics.run_view import RunView, release_groups
from benchwright.eval.metrics.totals import rounded
from benchwright.eval.papers.paper_checks import inconsistencies
from benchwright.eval.papers.paper_tables import paper_table, papers_markdown
from benchwright.eval.papers.printed import REPORTED, published
from benchwright.eval.reports.judge_notes import AnyCalibration
from benchwright.eval.reports.release_report import (
    ReleaseFigures,
    ReleaseReport,
    release_markdown,
    release_report,
)
from benchwright.eval.reports.viewer import ViewerFolder, keep_pictures, write_viewer
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record

PAGE = "report.md"
FIGURES = "report.json"
PAPERS_PAGE = "papers.md"
_PAPERS = (
    "## Published by the papers\n\nWhat the two papers print in tables of these shapes stands in `papers/papers.md`, "
    f"apart from everything here: {REPORTED}. Nothing there is ranked with these runs."
)
_PARTS = ("tables", "charts")


@dataclass(frozen=True)
class ReportSettings:
    """What a report holds."""

    charts: bool = True
    papers: bool = True
    calibrations: Sequence[AnyCalibration] = ()
    viewer: bool = True


class ReportFolder(Record):
    """What was written."""

    releases: tuple[ReleaseFigures, ...]
    tables: int
    charts: int
    viewer: ViewerFolder | None
    incomplete: tuple[str, ...]
    """Labels of the runs of which rows were not run or not judged."""


def write_report(
    folder: Path, runs: Sequence[RunView], pictures: Mapping[str, bytes], settings: ReportSettings
) -> ReportFolder:
    """Write the report; same runs, same bytes. Runs of different releases never share a table.

    Args:
        folder: made where it is missing; tables and charts of an older report in it are replaced.
        runs: at least one, in the order in which they are to stand.
        pictures: published bytes by digest, as many as are at hand.
        settings: what it holds.

    Raises:
        UsageError: the folder holds something else than a report.
    """
    check_folder(folder)
    groups = [release_report(group) for group in release_groups(runs)]
    written = 0
    parts = _beginning(groups)
    for number, report in enumerate(groups, start=1):
        below = "" if len(groups) == 1 else f"release-{number}/"
        _clear(folder / below)
        written += _write_tables(folder / below, report.figures.tables)
        drawn: list[str] = []
        if settings.charts and report.charts:
            (folder / below / "charts").mkdir(parents=True, exist_ok=True)
            drawn = [name for name, _ in draw_charts(report.charts, folder / below / "charts")]
        parts += [release_markdown(report, below, drawn, settings.calibrations), ""]
    papers = paper_names(groups) if settings.papers else []
    written += _write_papers(folder / "papers", papers)
    parts += [_PAPERS, ""] if papers else []
    viewer = None
    if settings.viewer:
        names_of_pictures = keep_pictures(folder / "viewer", pictures)
        viewer = write_viewer(folder / "viewer", runs, names_of_pictures, _title(runs))
    write_atomic(
        folder / FIGURES,
        (canonical_json([rounded(report.figures) for report in groups]) + "\n").encode("utf-8"),
    )
    write_atomic(folder / PAGE, ("\n".join(parts).rstrip("\n") + "\n").encode("utf-8"))
    lines = [line for report in groups for line in report.figures.runs]
    return ReportFolder(
        releases=tuple(report.figures for report in groups),
        tables=written,
        charts=sum(len(report.charts) for report in groups) if settings.charts else 0,
        viewer=viewer,
        incomplete=tuple(line.label for line in lines if line.incomplete),
    )


def check_folder(folder: Path) -> None:
    """Refuse a folder that somebody else uses: what lies in it would be taken away.

    Raises:
        UsageError: it holds files and is no report.
    """
    if folder.is_dir() and any(folder.iterdir()) and not (folder / FIGURES).is_file():
        raise UsageError(f"{folder} holds files and is no report of evaluate: choose another --out.")


def paper_names(groups: Sequence[ReleaseReport]) -> list[str]:
    """The published tables whose shape a table of this report has."""
    shapes = {table.name for report in groups for table in report.figures.tables}
    papers = {"visscience": any(name.startswith("visscience") for name in shapes)}
    papers["sciverse"] = any(name.startswith("sciverse") for name in shapes)
    return [table.name for table in published() if papers[table.paper]]


def _beginning(groups: Sequence[ReleaseReport]) -> list[str]:
    n = sum(len(report.entries) for report in groups)
    parts = [f"# {'Report of one run' if n == 1 else f'Report of {n} runs'}", ""]
    if len(groups) > 1:
        parts += [
            f"**These runs asked {len(groups)} different releases.** Figures over other rows do not compare, "
            "so each release has its tables for itself and no run of one is set against a run of another.",
            "",
        ]
    parts += [
        "A figure marked * rests on a part of its rows: some were not run or not judged. Lines stand in the order in "
        "which the runs were named; nothing is ranked that the rows do not tell apart. Every answer can be read in "
        "`viewer/index.html`.",
        "",
    ]
    return parts


def _title(runs: Sequence[RunView]) -> str:
    names = dict.fromkeys(f"{run.spec.dataset.name} {run.spec.dataset.tag or ''}".strip() for run in runs)
    return one_line(f"{', '.join(names)}: {len(runs)} run{'s' if len(runs) > 1 else ''}")


def _write_papers(folder: Path, names: Sequence[str]) -> int:
    _clear(folder)
    (folder / PAPERS_PAGE).unlink(missing_ok=True)
    if names:
        write_atomic(folder / PAPERS_PAGE, papers_markdown(names).encode("utf-8"))
    found = inconsistencies(published())
    return _write_tables(folder, [paper_table(table, found) for table in published() if table.name in names])


def _write_tables(folder: Path, tables: Sequence[Table]) -> int:
    for table in tables:
        write_atomic(folder / "tables" / f"{table.name}.csv", table_csv(table).encode("utf-8"))
        write_atomic(folder / "tables" / f"{table.name}.tex", table_latex(table).encode("utf-8"))
    return len(tables)


def _clear(folder: Path) -> None:
    """Take away what an older report left: its tables would look like this one's."""
    for part in _PARTS:
        if (folder / part).is_dir():
            shutil.rmtree(folder / part)

"""`curate screen`: which questions of the pool cannot be used, and what else speaks against some."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.common import (
    SummaryTable,
    emit,
    json_option,
    open_workspace,
    reporter,
    say,
    workspace_option,
)
from benchwright.cli.curate_cluster import chosen_disciplines, discipline_option, workers_option
from benchwright.cli.engine import engine_options

if TYPE_CHECKING:
    from benchwright.curation.executor import Engine
    from benchwright.curation.screen import ScreenResult
    from benchwright.schemas.workspace import Workspace


@click.command()
@discipline_option
@workers_option
@engine_options
@workspace_option
@json_option
def screen(
    disciplines: tuple[str, ...],
    workers: int | None,
    engine: Engine,
    ray_address: str | None,
    workspace: Path | None,
    as_json: bool,
) -> None:
    """Look through the pool: complete, readable, with its pictures, free of personal data?

    Questions that cannot be used are not chosen later; everything else that is found is noted. Which codes there are,
    and how the recipe changes them: docs/screening.md.
    """
    from benchwright.curation.executor import open_executor
    from benchwright.curation.screen import screen_discipline

    place = open_workspace(workspace)
    executor = open_executor(workers, engine, ray_address)
    rows: list[tuple[object, ...]] = []
    result = {}
    for discipline in chosen_disciplines(place, disciplines):
        with ExitStack() as stack:
            report = reporter(stack, f"screen {discipline}")
            done = screen_discipline(place, discipline, report=report, executor=executor)
        rows += _rows(discipline, done)
        result[discipline] = _summary(place, done)
        for line in _remarks(place, discipline, done):
            say(line)
    columns = ("discipline", "what", "code", "questions")
    emit(result, SummaryTable("Screening", columns, rows), as_json, "curate dedup")


def _rows(discipline: str, done: ScreenResult) -> list[tuple[object, ...]]:
    rejected = done.questions - done.kept
    rows: list[tuple[object, ...]] = [
        (discipline, "kept", "", done.kept),
        (discipline, "rejected", "", rejected),
    ]
    for what, counts in (("rejected by", done.rejected_by), ("noted by", done.noted_by)):
        by_number = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        rows += [(discipline, what, code, number) for code, number in by_number]
    return rows


def _remarks(workspace: Workspace, discipline: str, done: ScreenResult) -> list[str]:
    from benchwright.curation.screen_codes import rules_of

    lines = []
    if not done.stage.ran:
        lines.append(f"{discipline}: nothing to do, screened before")
    for name in done.stage.repaired:
        lines.append(f"{name} had been changed or torn and was made anew")
    if done.pictures:
        sheet = workspace.relative(done.sheet)
        lines.append(
            f"{discipline}: {done.pictures:,} pictures, {done.measured:,} measured now; worst and borderline: {sheet}"
        )
        if not rules_of(workspace.recipe.screen).on("watermark"):
            lines.append(
                f'{discipline}: pictures were not read for watermarks; note = ["watermark"] under [screen] in '
                "benchwright.toml does (slow, needs the ocr extra)"
            )
    return lines


def _summary(workspace: Workspace, done: ScreenResult) -> dict[str, object]:
    return {
        "ran": done.stage.ran,
        "questions": done.questions,
        "kept": done.kept,
        "rejected": done.questions - done.kept,
        "rejected_by": done.rejected_by,
        "noted_by": done.noted_by,
        "pictures": done.pictures,
        "measured": done.measured,
        "sheet": workspace.relative(done.sheet),
    }

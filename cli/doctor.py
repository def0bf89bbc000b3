"""`benchwright doctor`: what is installed and works, what is missing for which command, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from benchwright.cli.doctor_check import Check
    from benchwright.schemas.workspace import Workspace


@click.command()
@click.option(
    "--connect", is_flag=True, help="Also ask each model endpoint of the recipe for the list of its models."
)
@workspace_option
@json_option
def doctor(connect: bool, workspace: Path | None, as_json: bool) -> None:
    """Try every part that Benchwright stands on, and say what is missing for which command.

    Parts are used, not only looked for: a picture is drawn, a formula typeset, a text embedded. Nothing is asked of a
    network without --connect, and nothing is written but a trial file that is gone again. In a workspace its recipe,
    models, locks and stages are looked at too. Exit code 1: something is broken; what is merely absent does not count.
    """
    found: list[Check] = []
    for check in _checks(_workspace(workspace), connect):
        found.append(check)
        say(f"{check.state}: {check.section}: {check.part}")
    broken = [check for check in found if check.state == "broken"]
    result = {"checks": [asdict(check) for check in found], "broken": len(broken), "works": not broken}
    if as_json:
        emit(result, None, True)
    else:
        _show(found)
    if broken:
        named = ", ".join(f"{check.section}: {check.part}" for check in broken)
        raise Incomplete(f"{len(broken)} of {len(found)} parts are broken ({named}).")


def _workspace(path: Path | None) -> Workspace | None:
    """The workspace that is named or that this folder lies in; None where there is none and none was named.

    Raises:
        UsageError: the named one does not exist, or a recipe cannot be read.
    """
    import os

    from benchwright.schemas.recipe import RECIPE_NAME
    from benchwright.schemas.workspace import ENVIRONMENT, Workspace

    here = Path.cwd()
    inside = any((folder / RECIPE_NAME).is_file() for folder in (here, *here.parents))
    return Workspace.find(path) if path or os.environ.get(ENVIRONMENT) or inside else None


def _checks(ws: Workspace | None, connect: bool) -> Iterator[Check]:
    from benchwright import __version__
    from benchwright.cli.doctor_check import Check
    from benchwright.cli.doctor_machine import machine_checks
    from benchwright.cli.doctor_parts import core_checks, extra_checks, read_needs
    from benchwright.cli.doctor_workspace import workspace_checks

    needs = read_needs()
    where = Path(__file__).resolve().parent
    yield Check("core", "benchwright", "ok", f"{__version__}, commands in {where}")
    yield from core_checks(needs)
    yield from extra_checks(needs)
    yield from machine_checks(ws.root if ws else Path.cwd())
    if ws is None:
        yield Check("workspace", "recipe", "note", "this folder lies in no workspace", "curate init PATH")
    else:
        yield from workspace_checks(ws, connect)


def _show(found: list[Check]) -> None:
    for section, checks in groupby(found, key=lambda check: check.section):
        rows = [(check.part, check.state, check.said) for check in checks]
        show_table(SummaryTable(section, ("part", "state", "what was found"), rows))
        click.echo()
    remedies = [(f"{check.section}: {check.part}", check.remedy) for check in found if check.remedy]
    if remedies:
        show_table(SummaryTable("What mends it", ("part", "how"), remedies))
    if not any(check.state == "broken" for check in found):
        click.echo("Everything that the core needs works.")

"""What holds for every command alike: `--quiet`, `--json` with its errors, NO_COLOR."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

QUIET = "BENCHWRIGHT_QUIET"


@dataclass
class Switches:
    """How the command that runs now was asked to speak."""

    quiet: bool = False
    as_json: bool = False
    document: dict[str, Any] | None = None
    """The result of a `--json` run, printed once, when it is known whether an error belongs to it."""


_running: list[Switches] = []
"""Innermost last: `demo` runs other commands."""


@contextmanager
def switches(arguments: Sequence[str]) -> Iterator[Switches]:
    """Note for the time of one command how its command line asks it to speak.

    `--json` is looked for in the words themselves: a command line that cannot be parsed has an answer in JSON too.
    """
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    outer = _running[-1].quiet if _running else False
    _running.append(Switches(quiet=outer, as_json="--json" in options))
    try:
        yield _running[-1]
    finally:
        _running.pop()


def quiet() -> bool:
    """Whether messages and progress are wished away: `--quiet`, or BENCHWRIGHT_QUIET."""
    return bool(_running and _running[-1].quiet) or bool(os.environ.get(QUIET))


def hold(document: Mapping[str, Any]) -> bool:
    """Keep a result until its command has ended; False: nobody will print it later, so it is to be printed now."""
    if not (_running and _running[-1].as_json):
        return False
    _running[-1].document = dict(document)
    return True


def print_document(document: Mapping[str, Any]) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(dict(document), ensure_ascii=False, indent=2, sort_keys=True, default=str))


def print_held(state: Switches, kind: str | None = None, message: str = "", exit_code: int = 0) -> None:
    """End a `--json` run: its result, with `error` = {kind, message, exit_code} beside it where it failed.

    Args:
        state: the run.
        kind: usage, incomplete, tampered, system, stopped or bug; None where all went well.
        message: the sentence that stands on standard error.
        exit_code: what the process ends with.
    """
    if not state.as_json:
        return
    document = state.document
    if kind is not None:
        error = {"kind": kind, "message": message, "exit_code": exit_code}
        document = {**(document or {}), "error": error}
    state.document = None
    if document is not None:
        print_document(document)


def colour() -> bool | None:
    """False where escape codes are unwanted (NO_COLOR, TERM=dumb); None: they depend on where the text goes."""
    return False if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else None


def _be_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and _running:
        _running[-1].quiet = True


def give_quiet(command: click.Command) -> None:
    """Give a command, and all below it, the option `--quiet`: one place, so that none is forgotten."""
    if isinstance(command, click.Group):
        for below in command.commands.values():
            give_quiet(below)
        return
    if all("--quiet" not in parameter.opts for parameter in command.params):
        option = click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_be_quiet,
            help=f"Only the result and errors: no messages, no progress. Also: {QUIET}=1.",
        )
        command.params.append(option)

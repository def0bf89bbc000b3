"""What all commands share: options, messages, summary tables, progress. Light: nothing heavy is imported at the top."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchwright.cli.terminal import hold, print_document, quiet

if TYPE_CHECKING:
    from benchwright.schemas.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])


class Incomplete(click.ClickException):
    """Some item could not be processed, or a figure is incomplete: exit code 1, after the results were shown."""

    exit_code = 1


@dataclass(frozen=True)
class SummaryTable:
    """The one table a command ends with."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


class Progress:
    """Counts finished items and shows rate and time left on stderr; says nothing when stderr is not a terminal."""

    def __init__(self, total: int, label: str, *, shown: bool) -> None:
        self.total, self.label, self.shown = total, label, shown
        self.done = 0
        self._started = time.monotonic()
        self._printed = 0.0

    def advance(self, n: int = 1) -> None:
        """Note that `n` more items are finished."""
        self.done += n
        now = time.monotonic()
        if self.shown and (now - self._printed > 0.2 or self.done >= self.total):
            self._printed = now
            rate = self.done / max(now - self._started, 1e-9)
            left = (self.total - self.done) / rate if rate > 0 else 0.0
            text = f"{self.label}: {self.done}/{self.total}  {rate:.1f}/s  {left:.0f} s left"
            click.echo(f"\r{text:<72}", nl=False, err=True)


def workspace_option(function: F) -> F:
    """Add `--workspace`."""
    return click.option(
        "--workspace",
        type=click.Path(path_type=Path, file_okay=False),
        default=None,
        envvar="BENCHWRIGHT_WORKSPACE",
        show_envvar=True,
        help="Workspace folder; default: upwards from the current folder.",
    )(function)


def json_option(function: F) -> F:
    """Add `--json`."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print the result as JSON on standard output."
    )(function)


def open_workspace(path: Path | None) -> Workspace:
    """The workspace given by flag, environment or the current folder.

    Raises:
        UsageError: there is none.
    """
    from benchwright.schemas.workspace import Workspace

    return Workspace.find(path)


def stderr_is_a_terminal() -> bool:
    """Whether progress is shown: a person looks at stderr, and did not ask for quiet."""
    return sys.stderr.isatty() and not quiet()


def say(text: str) -> None:
    """One line for a person, on stderr."""
    from benchwright.eval.display.plain_text import visible

    if not quiet():
        click.echo(visible(text), err=True)


def emit(
    result: Mapping[str, Any], table: SummaryTable | None, as_json: bool, next_command: str | None = None
) -> None:
    """End a command: one summary table that names the next command, or JSON for machines.

    With `--json` the one document is printed when the command has ended: an error that follows stands in it.

    Args:
        result: everything, for `--json`.
        table: what a person sees; None prints nothing but the next command.
        as_json: the flag.
        next_command: what to type next.
    """
    if as_json:
        if not hold(result):
            print_document(result)
        return
    if table is not None:
        show_table(table)
    if next_command is not None and not quiet():
        click.echo(f"next: {next_command}")


def show_table(table: SummaryTable) -> None:
    """Print a table on standard output; numbers are aligned to the right.

    Names come from data sets and models: control codes in them are shown, never obeyed.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from benchwright.eval.display.plain_text import one_line

    cells = [[_cell(cell) for cell in row] for row in table.rows]
    console = Console(width=None if sys.stdout.isatty() else max(100, _content_width(table.columns, cells)))
    click.secho(
        one_line(table.title), bold=True
    )  # above the table, not as its title: that would wrap at the table's width
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(table.columns):
        column_cells = [row[index] for row in table.rows]
        numeric = bool(column_cells) and all(
            isinstance(cell, (int, float)) or cell in ("", "-") for cell in column_cells
        )
        drawn.add_column(one_line(column), justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        drawn.add_row(*row)
    with console.capture() as capture:
        console.print(drawn)
    for line in capture.get().rstrip("\n").split("\n"):
        click.echo(line.rstrip())


@contextmanager
def progress(total: int, label: str) -> Iterator[Progress]:
    """Show progress on stderr while items are worked on."""
    shown = sys.stderr.isatty() and not quiet() and total > 0
    bar = Progress(total, label, shown=shown)
    try:
        yield bar
    finally:
        if shown:
            click.echo(err=True)


def _cell(value: object) -> str:
    from rich.markup import escape

    from benchwright.eval.display.plain_text import visible

    if isinstance(value, float):
        return f"{value:,.1f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return escape(visible(str(value)))


def _content_width(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> int:
    """Terminal columns that hold every cell unfolded; a Chinese character takes two."""
    from rich.cells import cell_len

    rows = [list(columns), *cells]
    widest = [max(cell_len(line) for row in rows for line in row[i].split("\n")) for i in range(len(columns))]
    return sum(width + 4 for width in widest)


def reporter(stack: ExitStack, label: str) -> Callable[[int, int], None]:
    """A progress line that appears once there is something to do and its total is known."""
    bars: list[Progress] = []

    def report(done: int, total: int) -> None:
        if not bars:
            bars.append(stack.enter_context(progress(total, label)))
        bars[0].advance(done - bars[0].done)

    return report

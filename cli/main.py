"""The six commands; `benchwright` holds the five others: `curate`, `render`, `annotate`, `push-dataset`, `evaluate`.

Exit codes: 0 done (rows rejected by a rule are a result); 1 an item could not be processed, or a figure is incomplete;
2 unusable input. A user's error is one sentence without traceback; a bug keeps its traceback.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

import click

from benchwright import __version__
from benchwright.cli.annotate import annotate
from benchwright.cli.curate import curate
from benchwright.cli.demo import demo
from benchwright.cli.evaluate import evaluate
from benchwright.cli.generate import generate_pool
from benchwright.cli.push import push_dataset
from benchwright.cli.render import render
from benchwright.cli.status import status

_THE_SYSTEM_SAYS_NO = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR)
"""Rights, room and wrong paths are the user's to mend; any other failure of the system is shown as a bug."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="benchwright")
def benchwright() -> None:
    """Build, review, render, publish and evaluate multi-modal science benchmarks, honestly.

    The order of the line: curate init, ingest, cluster, tag; annotate; curate problems; render; push-dataset; evaluate.
    """


for _command in (curate, render, annotate, evaluate, demo, status, generate_pool):
    benchwright.add_command(_command)
benchwright.add_command(push_dataset, "push")


def run_command(command: click.Command, name: str, arguments: Sequence[str] | None = None) -> int:
    """Run a command as a process would and return its exit code.

    Args:
        command: the click command.
        name: what the user typed, for usage messages.
        arguments: command line; None takes the process's own.
    """
    from benchwright.schemas.errors import TamperedError, UsageError

    try:
        result = command.main(
            args=None if arguments is None else list(arguments), prog_name=name, standalone_mode=False
        )
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        click.echo("stopped; what was finished is kept, run the same command again to go on.", err=True)
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (UsageError, TamperedError) as error:
        click.echo(f"Error: {error}", err=True)
        return 2
    except BrokenPipeError:
        # The reader went away (`| head`): not an error of ours; keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in _THE_SYSTEM_SAYS_NO:
            raise
        where = error.filename or "the disk"
        click.echo(f"Error: {where}: {error.strerror}; mend that and run the same command again.", err=True)
        return 2
    return result if isinstance(result, int) else 0


def run() -> None:
    """Entry point of `benchwright`."""
    sys.exit(run_command(benchwright, "benchwright"))


def run_curate() -> None:
    """Entry point of `curate`."""
    sys.exit(run_command(curate, "curate"))


def run_render() -> None:
    """Entry point of `render`."""
    sys.exit(run_command(render, "render"))


def run_annotate() -> None:
    """Entry point of `annotate`."""
    sys.exit(run_command(annotate, "annotate"))


def run_push() -> None:
    """Entry point of `push-dataset`."""
    sys.exit(run_command(push_dataset, "push-dataset"))


def run_evaluate() -> None:
    """Entry point of `evaluate`."""
    sys.exit(run_command(evaluate, "evaluate"))

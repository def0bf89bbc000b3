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
from benchwright.cli.completion import completion, give_names
from benchwright.cli.curate import curate
from benchwright.cli.demo import demo
from benchwright.cli.doctor import doctor
from benchwright.cli.evaluate import evaluate
from benchwright.cli.generate import generate_pool
from benchwright.cli.push import push_dataset
from benchwright.cli.render import render
from benchwright.cli.status import status
from benchwright.cli.terminal import Switches, colour, give_quiet, print_held, switches

_THE_SYSTEM_SAYS_NO = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR)
"""Rights, room and wrong paths are the user's to mend; any other failure of the system is shown as a bug."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="benchwright")
def benchwright() -> None:
    """Build, review, render, publish and evaluate multi-modal science benchmarks, honestly.

    The order of the line: curate init, ingest, cluster, tag; annotate; curate problems; render; push-dataset; evaluate.
    """


for _command in (curate, render, annotate, evaluate, demo, doctor, status, completion, generate_pool):
    benchwright.add_command(_command)
benchwright.add_command(push_dataset, "push")
give_quiet(benchwright)
give_names(benchwright)


def run_command(command: click.Command, name: str, arguments: Sequence[str] | None = None) -> int:
    """Run a command as a process would and return its exit code.

    Args:
        command: the click command.
        name: what the user typed, for usage messages.
        arguments: command line; None takes the process's own.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    with switches(given) as state:
        try:
            return _run(command, name, given, state)
        except BrokenPipeError:
            # The reader went away (`| head`): not an error of ours; keep the interpreter from complaining at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except Exception as error:
            print_held(state, "bug", f"{type(error).__name__}: {error}", 1)
            raise


def _run(command: click.Command, name: str, arguments: list[str], state: Switches) -> int:
    """The command's exit code, with its result or its error told as the user wishes to hear it."""
    from benchwright.schemas.errors import TamperedError, UsageError

    try:
        result = command.main(args=arguments, prog_name=name, standalone_mode=False, color=colour())
    except click.exceptions.Exit as error:
        print_held(state)
        return error.exit_code
    except click.Abort:
        said = "stopped; what was finished is kept, run the same command again to go on."
        click.echo(said, err=True)
        print_held(state, "stopped", said, 130)
        return 130
    except click.ClickException as raised:
        told = _told_where(raised) if isinstance(raised, click.NoSuchOption) else raised
        told.show()
        kind = "usage" if isinstance(told, click.UsageError) else "incomplete"
        print_held(state, kind, told.format_message(), told.exit_code)
        return told.exit_code
    except (UsageError, TamperedError) as error:
        click.echo(f"Error: {error}", err=True)
        print_held(state, "usage" if isinstance(error, UsageError) else "tampered", str(error), 2)
        return 2
    except OSError as error:
        if error.errno not in _THE_SYSTEM_SAYS_NO:
            raise
        said = f"{error.filename or 'the disk'}: {error.strerror}; mend that and run the same command again."
        click.echo(f"Error: {said}", err=True)
        print_held(state, "system", said, 2)
        return 2
    print_held(state)
    return result if isinstance(result, int) else 0


def _told_where(error: click.NoSuchOption) -> click.UsageError:
    """Every command has these two options, and no group: say so instead of proposing what sounds alike."""
    name, ctx = error.option_name, error.ctx
    if name in ("--json", "--quiet", "-q") and ctx is not None and isinstance(ctx.command, click.Group):
        return click.UsageError(
            f"{name} stands behind the command: `{ctx.command_path} COMMAND {name}`.", ctx
        )
    return error


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

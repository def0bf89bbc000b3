"""What holds for all commands: --json, --quiet, NO_COLOR, pipes. Their tree is walked, so none is forgotten."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from benchwright.cli.common import Incomplete, SummaryTable, emit, progress, say
from benchwright.cli.completion import COMMANDS
from benchwright.cli.main import benchwright, run_command

RECIPE = '[benchmark]\nname = "small"\nlanguages = ["en"]\n\n[disciplines.physics]\nbudget = 3\n'
WITHOUT_WORKSPACE = {"annotate serve", "completion", "curate init", "demo", "doctor", "generate-pool"}
"""Commands that do their work, or begin it, where there is no pool."""


def leaves(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if isinstance(command, click.Group):
        for name, below in sorted(command.commands.items()):
            yield from leaves(below, (*path, name))
    else:
        yield path, command


LEAVES = {" ".join(path): command for path, command in leaves(benchwright)}


def document(text: str) -> dict[str, Any]:
    """The one JSON document that a text is, nothing before or after it."""
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def given(command: click.Command) -> list[str]:
    """Words for the arguments and options that a command cannot do without."""
    words: list[str] = []
    for parameter in command.params:
        if not parameter.required:
            continue
        choices = getattr(parameter.type, "choices", None)
        word = str(choices[0]) if choices else "7" if "int" in parameter.type.name else "tagging"
        words += [word] if isinstance(parameter, click.Argument) else [parameter.opts[0], word]
    return words


@pytest.mark.parametrize("name", LEAVES)
def test_it_has_json_and_quiet(name: str) -> None:
    flags = {word for parameter in LEAVES[name].params for word in parameter.opts}
    assert {"--json", "--quiet", "-q"} <= flags
    letters = [word for parameter in LEAVES[name].params for word in parameter.opts if len(word) == 2]
    assert len(letters) == len(set(letters)), "one letter, one meaning"


@pytest.mark.parametrize("name", LEAVES)
def test_a_wrong_command_line_is_one_json_document(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(benchwright, "benchwright", [*name.split(), "--json", "--no-such-thing"]) == 2
    said = capsys.readouterr()
    error = document(said.out)["error"]
    assert error["kind"] == "usage" and error["exit_code"] == 2 and "--no-such-thing" in error["message"]
    assert error["message"] in said.err.replace("\n", " ") or "no-such-thing" in said.err


@pytest.mark.parametrize("name", sorted(LEAVES.keys() - WITHOUT_WORKSPACE))
def test_an_error_is_one_json_document_and_a_sentence(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a fresh workspace without a pool nearly all commands have nothing to work on, and say so."""
    (tmp_path / "benchwright.toml").write_text(RECIPE)
    monkeypatch.chdir(tmp_path)
    code = run_command(benchwright, "benchwright", [*name.split(), *given(LEAVES[name]), "--json", "--quiet"])
    said = capsys.readouterr()
    found = document(said.out)
    if code == 0:
        assert "error" not in found and said.err == "", "quiet: nothing to say beside the result"
        return
    assert found["error"]["exit_code"] == code in (1, 2)
    assert "Traceback" not in said.err and found["error"]["message"].split("\n")[0][:40] in said.err
    assert not set(said.out + said.err) & set("\x1b\r")


# --- the pieces, in commands made for the purpose ---------------------------------------------------------------------
@click.command()
@click.option("--json", "as_json", is_flag=True)
@click.option("--how", default="well")
def trial(as_json: bool, how: str) -> None:
    """A command with messages, progress, a wide table, and an end of the wished kind."""
    say("a message")
    with progress(3, "items") as bar:
        bar.advance(3)
    cells = [("求面积与质量" * 20, "x" * 200, 3)]
    emit({"made": 3}, SummaryTable("Trial", ("name", "note", "n"), cells), as_json, "the next one")
    if how == "incomplete":
        raise Incomplete("one of 3 items could not be made.")
    if how == "bug":
        raise KeyError("surprise")


TRIAL = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_every_command import trial
from benchwright.cli.main import run_command
from benchwright.cli.terminal import give_quiet
give_quiet(trial)
sys.exit(run_command(trial, "trial"))
"""


def run_trial(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "BENCHWRIGHT_QUIET"} | more
    return subprocess.run(
        [sys.executable, "-c", TRIAL, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


def test_in_a_pipe_nothing_is_drawn_and_nothing_is_cut() -> None:
    done = run_trial(COLUMNS="40", FORCE_COLOR="1")
    assert done.returncode == 0 and done.stderr == "a message\n"
    assert not set(done.stdout + done.stderr) & set("\x1b\r")
    (row,) = [line for line in done.stdout.splitlines() if "x" * 200 in line]
    assert "求面积与质量" * 20 in row, "one line of the table is one line of the pipe"
    assert done.stdout.endswith("next: the next one\n")


@pytest.mark.parametrize("how", [{"flag": "--quiet"}, {"flag": "-q"}, {"variable": "1"}])
def test_quiet_leaves_the_result(how: dict[str, str]) -> None:
    flags = [how["flag"]] if "flag" in how else []
    done = run_trial(*flags, **({"BENCHWRIGHT_QUIET": "1"} if "variable" in how else {}))
    assert done.stderr == "" and "Trial" in done.stdout and "next:" not in done.stdout
    failed = run_trial(
        *flags, "--how", "incomplete", **({"BENCHWRIGHT_QUIET": "1"} if "variable" in how else {})
    )
    assert failed.returncode == 1 and failed.stderr == "Error: one of 3 items could not be made.\n"


def test_json_is_one_document_with_the_error_in_it() -> None:
    done = run_trial("--json")
    assert document(done.stdout) == {"made": 3} and done.stderr == "a message\n"
    failed = run_trial("--json", "--how", "incomplete")
    error = {"kind": "incomplete", "message": "one of 3 items could not be made.", "exit_code": 1}
    assert failed.returncode == 1 and document(failed.stdout) == {"made": 3, "error": error}
    bug = run_trial("--json", "--how", "bug")
    assert bug.returncode == 1 and "Traceback" in bug.stderr
    assert document(bug.stdout)["error"]["kind"] == "bug" and document(bug.stdout)["made"] == 3


def on_a_terminal(*arguments: str, **more: str) -> str:
    """What a real terminal is given."""
    ours, theirs = pty.openpty()
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")
    }
    process = subprocess.Popen(
        [sys.executable, "-c", TRIAL, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**environment, "TERM": "xterm-256color", **more},
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end was closed
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    assert process.wait() == 0
    return said.decode()


def test_a_terminal_gets_bold_and_progress_unless_no_color() -> None:
    plain = on_a_terminal()
    assert "\x1b[1m" in plain and "items: 3/3" in plain
    without = on_a_terminal(NO_COLOR="1")
    assert "\x1b" not in without and "Trial" in without
    assert "\x1b" not in on_a_terminal(TERM="dumb")
    assert "items: 3/3" not in on_a_terminal("--quiet")


def test_the_reader_may_go_away() -> None:
    shell = f"{sys.executable} -c '{TRIAL}' | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", shell], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


def test_the_six_entry_points_are_the_package_s() -> None:
    from importlib.metadata import entry_points

    ours = {
        point.name
        for point in entry_points(group="console_scripts")
        if point.value.startswith("benchwright.")
    }
    assert ours == set(COMMANDS)

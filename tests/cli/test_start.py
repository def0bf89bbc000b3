"""Every command starts fast: `--help` imports nothing heavy and stays within its CPU budget."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = {
    "benchwright": "run",
    "curate": "run_curate",
    "render": "run_render",
    "annotate": "run_annotate",
    "push-dataset": "run_push",
    "evaluate": "run_evaluate",
}
HEAVY = (
    "torch",
    "datasets",
    "cv2",
    "matplotlib",
    "numpy",
    "PIL",
    "pandas",
    "pyarrow",
    "scipy",
    "sklearn",
    "transformers",
)

PROBE = """
import contextlib, io, resource, sys
sys.argv = [{name!r}, "--help"]
from benchwright.cli import main
out = io.StringIO()
with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
    main.{function}()
assert "Usage: {name}" in out.getvalue(), out.getvalue()
usage = resource.getrusage(resource.RUSAGE_SELF)
loaded = sorted(set(sys.modules) & set({heavy!r}))
print(usage.ru_utime + usage.ru_stime, ",".join(loaded))
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_light(name: str) -> None:
    code = PROBE.format(name=name, function=COMMANDS[name], heavy=HEAVY)
    best = float("inf")
    for _ in range(5):  # the least of a few: other work on the machine only ever adds
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        seconds, _, loaded = done.stdout.strip().partition(" ")
        assert loaded == "", f"{name} --help imports {loaded}"
        best = min(best, float(seconds))
        if best <= 0.25:
            break
    assert best <= 0.25, f"{name} --help took {best:.2f} s of CPU"


def subcommands() -> list[tuple[str, ...]]:
    import click

    from benchwright.cli.main import benchwright

    found: list[tuple[str, ...]] = []

    def walk(command: click.Command, path: tuple[str, ...]) -> None:
        found.append(path)
        if isinstance(command, click.Group):
            for name, sub in sorted(command.commands.items()):
                walk(sub, (*path, name))

    walk(benchwright, ())
    return found


def test_every_subcommand_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    from benchwright.cli.main import benchwright, run_command

    for path in subcommands():
        assert run_command(benchwright, "benchwright", [*path, "--help"]) == 0
        text = capsys.readouterr().out
        assert "Usage:" in text and len(text.splitlines()) > 3, path


def test_a_users_error_is_one_sentence_and_exit_2(
    capsys: pytest.CaptureFixture[str], tmp_path: object
) -> None:
    from benchwright.cli.main import benchwright, run_command

    assert run_command(benchwright, "benchwright", ["status", "--workspace", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "is not a workspace" in error and "curate init" in error and "Traceback" not in error
    assert run_command(benchwright, "benchwright", ["statsu"]) == 2


def test_what_the_system_refuses_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from benchwright.cli.main import benchwright, run_command

    (tmp_path / "notes.txt").write_text("mine")
    target = tmp_path / "notes.txt" / "bench"
    assert run_command(benchwright, "benchwright", ["curate", "init", str(target)]) == 2
    said = capsys.readouterr().err
    assert "notes.txt" in said and "run the same command again" in said and len(said.splitlines()) == 1


def test_an_option_of_all_commands_given_too_early_is_told_where_it_stands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from benchwright.cli.main import benchwright, curate, run_command

    assert run_command(benchwright, "benchwright", ["--json", "doctor"]) == 2
    said = capsys.readouterr()
    assert "`benchwright COMMAND --json`" in said.err and "--version" not in said.err.split("Error:")[1]
    assert run_command(curate, "curate", ["-q", "stats"]) == 2
    assert "`curate COMMAND -q`" in capsys.readouterr().err
    assert run_command(curate, "curate", ["stats", "--jsn"]) == 2
    assert "behind the command" not in capsys.readouterr().err


def test_a_discipline_that_the_taxonomy_lacks_is_named_at_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from benchwright.cli.main import curate, run_command

    asked = ["init", str(tmp_path / "a"), "--discipline", "biology", "--discipline", "physics"]
    assert run_command(curate, "curate", asked) == 0
    said = capsys.readouterr().err
    assert "no 'biology': write taxonomy = \"visscience+sciverse\"" in said and "'physics'" not in said
    assert run_command(curate, "curate", ["init", str(tmp_path / "b"), "--discipline", "phisics"]) == 0
    assert "no 'phisics': mend its name" in capsys.readouterr().err

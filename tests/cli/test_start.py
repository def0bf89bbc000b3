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

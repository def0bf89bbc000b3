"""A reader who does what a page says, block by block, in one fresh folder.

What a page cannot know is put in its place (`MODELS`, `REPOSITORY`, `ADDRESS`; `edits` of a new recipe), and nothing
else is changed. Commands of ours that reach no Hub run in this process by their entry points, all others in a shell.
`annotate serve` runs on beside the rest. After every `annotate push` and `annotate adjudicate` people answer what was
pushed. `pip install` installs nothing, but every extra has to exist; `make` says what it would do.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import click

from benchwright.annotation.jobs import find_job
from benchwright.annotation.jobs.base import ReviewJob
from benchwright.cli.main import annotate, benchwright, curate, evaluate, push_dataset, render, run_command

from .annotators import review_all
from .pages import Block

ROOT = Path(__file__).resolve().parents[2]
OURS: dict[str, click.Command] = {
    "benchwright": benchwright,
    "curate": curate,
    "render": render,
    "annotate": annotate,
    "evaluate": evaluate,
    "push-dataset": push_dataset,
}
MODELS = {
    "openai/ORG/MODEL": "openai/served",
    "openai/NAME": "openai/scripted",
    "openai/JUDGE": "openai/judging",
}
"""Names that a page uses for somebody's model; all are served by the scripted server."""
REPOSITORY = "tester/benchmark"
ADDRESS = "http://127.0.0.1:8000/v1"
"""Where pages say that a server listens."""
_REACHES_THE_HUB = re.compile(rf"{re.escape(REPOSITORY)}|hf:|^evaluate (?:score|rescore) ")
"""Scoring reads the release that the file of predictions names."""
_SHELL = re.compile(r"[|<>;&`]|\$\(|\*")
_KEPT = {"HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME", "BENCHWRIGHT_SHARED"}


class Reader:
    """Somebody with a shell in a fresh folder; leaving it stops what runs in the background.

    Args:
        folder: fresh; the reader starts in it.
        model_url: address of the model server, in place of `ADDRESS`.
        hub: environment variables under which the genuine Hub clients find the test Hub.
    """

    edits: Sequence[tuple[str, str]] = ()
    """What the reader changes in the recipe that `curate init` makes, as (pattern, replacement)."""

    def __init__(self, folder: Path, model_url: str, hub: dict[str, str]) -> None:
        self.home, self.place = folder, folder
        self.said = ""
        self.substitutes = {
            **MODELS,
            "ORG/NAME": REPOSITORY,
            ADDRESS: model_url,
        }
        self.environment = {
            **{name: value for name, value in os.environ.items() if name in _KEPT},
            **{name: value for name, value in hub.items() if name.startswith("HF_")},
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "OPENAI_BASE_URL": model_url,
            "COLUMNS": "200",
            "NO_COLOR": "1",
        }
        self._running: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=180)
            if process.stdout is not None:
                process.stdout.close()

    def follow(self, blocks: list[Block]) -> None:
        """Do everything that the blocks say.

        Raises:
            AssertionError: a command ended otherwise than the page says, or did not print what it shows.
        """
        for block in blocks:
            match block.kind:
                case "not run":
                    pass  # listed by test_pages.py
                case "file":
                    path = self.place / block.name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(self.put(block.text), encoding="utf-8")
                case "script":
                    self._script(block)
                case "shown":
                    self._shows(block)
                case "commands":
                    self.said = ""
                    lines = block.commands
                    for number, line in enumerate(lines):
                        last = number == len(lines) - 1
                        self.type(self.put(line), block.where, block.code if last else 0)

    def put(self, text: str) -> str:
        """The text with what a page cannot know put in its place."""
        for name, value in self.substitutes.items():
            text = text.replace(name, value)
        return text

    def type(self, line: str, where: str, code: int = 0) -> None:
        """One line in the shell."""
        words = shlex.split(line)
        if words[0] == "cd":
            self.place = (self.place / words[1]).resolve()
            return
        if words[:2] == ["annotate", "serve"]:
            self._serve(line)
            return
        ended, out = self._run(words, line)
        self.said += out
        if _left_open(words, out):
            code = ended  # nobody was named who decides what the rules leave open, and the command says so
        assert ended == code, f"{where}: `{line}` ended with {ended}, not {code}:\n{out[-4000:]}"
        if words[:2] == ["curate", "init"]:
            self._edit(self.place / words[2] / "benchwright.toml")
        pushed = words[2] if words[0] == "annotate" and words[1] in ("push", "adjudicate") else None
        if words[0] == "python" and words[2:3] == ["push"]:  # a script that is `annotate` with one job more
            answered = review_all(self.place, _job_of(self.place / words[1]))
        elif pushed is not None:
            answered = review_all(self.place, find_job(pushed))
        else:
            return
        assert answered > 0, f"{where}: `{line}` gave people nothing to answer:\n{self.said}"

    def _edit(self, recipe: Path) -> None:
        text = recipe.read_text(encoding="utf-8")
        for pattern, replacement in self.edits:
            text, times = re.subn(pattern, replacement, text)
            assert times, f"{pattern} is not in the recipe"
        recipe.write_text(text, encoding="utf-8")

    def _run(self, words: list[str], line: str) -> tuple[int, str]:
        if words[0] == "make":  # what it runs has tests of its own: here, that the target is there
            return self._shell(shlex.join(["make", "--dry-run", *words[1:]]), ROOT)
        if words[0] == "pip":
            return _pip(words)
        if words[0] in OURS and not _SHELL.search(line) and not _REACHES_THE_HUB.search(line):
            return self._here(OURS[words[0]], words)
        return self._shell(line, self.place)

    def _here(self, command: click.Command, words: list[str]) -> tuple[int, str]:
        out = io.StringIO()
        with self._standing(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = run_command(command, words[0], words[1:])
        return code, out.getvalue()

    @contextmanager
    def _standing(self) -> Iterator[None]:
        """This process with the reader's folder and variables."""
        before, here = dict(os.environ), Path.cwd()
        os.environ.update(self.environment)
        os.chdir(self.place)
        try:
            yield
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(before)

    def _shell(self, line: str, place: Path) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=place,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    def _script(self, block: Block) -> None:
        done = subprocess.run(
            [sys.executable, "-c", self.put(block.text)],
            cwd=self.place,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.said = done.stdout
        assert done.returncode == block.code, (
            f"{block.where}: the script ended with {done.returncode}:\n{done.stdout}"
        )

    def _serve(self, line: str) -> None:
        process = subprocess.Popen(
            shlex.split(line),
            cwd=self.place,
            env={**self.environment, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._running.append(process)
        assert process.stdout is not None
        for said in process.stdout:
            self.said += said
            if said.startswith("next:"):
                return
        raise AssertionError(f"`{line}` ended: {self.said}")

    def _shows(self, block: Block) -> None:
        said = " ".join(self.said.split())
        for line in self.put(block.text).splitlines():
            parts = [re.escape(" ".join(part.split())) for part in line.split("...")]
            assert re.search(".*".join(parts), said), (
                f"{block.where} shows {line!r}, but what was said is\n{self.said}"
            )


def _left_open(words: list[str], out: str) -> bool:
    """Whether an evaluation by rules alone ended with answers that nobody judged."""
    return words[0] == "evaluate" and "--judge-model" not in words and "let a model judge them" in out


def _pip(words: list[str]) -> tuple[int, str]:
    """`pip install` of this package: not carried out, but every extra has to exist."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = re.fullmatch(r"(?:\.|benchwright)(?:\[([a-z,]+)\])?", words[-1])
    if words[1] != "install" or wanted is None:
        return 1, f"the reader does not know how to {shlex.join(words)}"
    missing = set((wanted[1] or "").split(",")) - {""} - set(known["optional-dependencies"])
    return (1, f"there is no extra {', '.join(missing)}") if missing else (0, "")


def _job_of(script: Path) -> ReviewJob:
    """The `job` of a page's script."""
    spec = importlib.util.spec_from_file_location(script.stem, script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    job: ReviewJob = module.job
    return job


def wait_for(path: Path, seconds: float = 10.0) -> str:
    """What stands in a file that another process is about to write."""
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} was never written"
        time.sleep(0.05)
    return path.read_text(encoding="utf-8").strip()

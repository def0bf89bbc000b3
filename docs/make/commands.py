"""One page for each command: its help as the program prints it, and what `docs/commands/notes.toml` adds."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from benchwright.cli.main import benchwright

ALONE = {name: name for name in ("annotate", "curate", "evaluate", "render")} | {"push": "push-dataset"}
"""Commands that stand on PATH by themselves, and under which name."""
WIDTH = 90
HEAD = "<!-- Made from the program by `make docs`; what is written by hand stands in notes.toml. -->"

INTRODUCTION = """\
`benchwright` holds all of them (`benchwright curate cluster`); `curate`, `render`, `annotate`, `push-dataset`
and `evaluate` also stand alone. Exit codes: 0 done (what a rule rejects is a result), 1 some item could not
be processed or a figure is incomplete, 2 unusable input."""


@dataclass(frozen=True)
class Page:
    """One command."""

    typed: str
    """As typed: `curate cluster`."""
    command: click.Command

    @property
    def name(self) -> str:
        """Of the file, without its ending."""
        return self.typed.replace(" ", "-")

    @property
    def context(self) -> click.Context:
        """For help texts of a fixed width."""
        return click.Context(
            self.command, info_name=self.typed, terminal_width=WIDTH, max_content_width=WIDTH
        )

    @property
    def is_group(self) -> bool:
        """Whether it holds other commands."""
        return isinstance(self.command, click.Group)

    @property
    def summary(self) -> str:
        """Its first sentence."""
        text = " ".join((self.command.help or "").split("\n\n")[0].split())
        return text.replace("|", "\\|")


def pages() -> list[Page]:
    """All commands, each after the one that holds it."""
    return list(_below(benchwright, ("benchwright",)))


def _below(command: click.Command, path: tuple[str, ...]) -> Iterator[Page]:
    words = (ALONE[path[1]], *path[2:]) if path[1:] and path[1] in ALONE else path
    yield Page(" ".join(words), command)
    if isinstance(command, click.Group):
        for name, sub in sorted(command.commands.items()):
            yield from _below(sub, (*path, name))


def notes(folder: Path) -> dict[str, dict[str, Any]]:
    """What people wrote about each command: reads, writes, about, example, see."""
    found: dict[str, dict[str, Any]] = tomllib.loads((folder / "notes.toml").read_text(encoding="utf-8"))
    return found


def text(page: Page, note: Mapping[str, Any], known: list[Page]) -> str:
    """The page of a command."""
    lines = [HEAD, "", f"# {page.typed}", ""]
    if note.get("about"):
        lines += [note["about"].strip(), ""]
    lines += ["```text", page.command.get_help(page.context).rstrip(), "```", ""]
    below = [other for other in known if other.typed != page.typed and _holds(page, other)]
    if below:
        linked = [(f"[{one.typed}]({one.name}.md)", one.summary) for one in below]
        lines += [*_table(linked, ("command", "")), ""]
    facts = [(word, note[word]) for word in ("reads", "writes") if note.get(word)]
    if facts:
        lines += ["## Files", "", *_table(facts, ("", "")), ""]
    if note.get("example"):
        lines += ["## Example", "", "```", note["example"].strip(), "```", ""]
    if note.get("see"):
        lines += ["## See also", "", *[f"- {line}" for line in note["see"]], ""]
    return "\n".join(lines).rstrip() + "\n"


def _holds(page: Page, other: Page) -> bool:
    """Whether `other` stands directly below `page`."""
    if page.typed == "benchwright" and other.typed in ALONE.values():
        return True
    return other.typed.startswith(page.typed + " ") and other.typed.count(" ") == page.typed.count(" ") + 1


def _table(rows: list[tuple[str, str]], heads: tuple[str, str]) -> list[str]:
    return [f"| {heads[0]} | {heads[1]} |", "|---|---|", *[f"| {left} | {right} |" for left, right in rows]]


def index(known: list[Page]) -> str:
    """The list of all commands."""
    lines = [HEAD, "", "# Commands", "", INTRODUCTION, ""]
    rows = [(f"[{page.typed}](commands/{page.name}.md)", page.summary) for page in known]
    hidden = ["```{toctree}", ":hidden:", "", *[f"commands/{page.name}" for page in known], "```"]
    return "\n".join([*lines, *_table(rows, ("command", "what it does")), "", *hidden]) + "\n"


def made(docs: Path) -> dict[Path, str]:
    """Every generated file of the commands, by its path."""
    known, said = pages(), notes(docs / "commands")
    files = {
        docs / "commands" / f"{page.name}.md": text(page, said.get(page.typed, {}), known) for page in known
    }
    return {docs / "commands.md": index(known), **files}

"""Write what the documentation takes from the program: `make docs`. `--check` only says whether it is stale."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from benchwright.cli.main import benchwright

TARGET = Path(__file__).with_name("commands.md")
# On PATH each of these also stands alone, under this name.
ALONE = {"push": "push-dataset"}


def sections(command: click.Command, path: tuple[str, ...], level: int) -> list[str]:
    """Markdown of a command's help and of everything below it."""
    words = path if len(path) == 1 else (ALONE.get(path[1], path[1]), *path[2:])
    typed = " ".join(words)
    context = click.Context(command, info_name=typed, terminal_width=100, max_content_width=100)
    lines = [f"{'#' * level} `{typed}`", "", "```text", command.get_help(context), "```", ""]
    if isinstance(command, click.Group):
        for name, sub in sorted(command.commands.items()):
            lines += sections(sub, (*path, name), min(level + 1, 4))
    return lines


def text() -> str:
    """The whole page."""
    head = ["# Commands", "", "Generated from the program by `make docs`; do not edit.", ""]
    return "\n".join([*head, *sections(benchwright, ("benchwright",), 2)]).rstrip() + "\n"


def main() -> int:
    """Write the page, or check it."""
    if "--check" in sys.argv[1:]:
        return 0 if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text() else 1
    TARGET.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

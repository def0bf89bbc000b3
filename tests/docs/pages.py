"""The fenced blocks of a page, and what each of them is for the reader who follows it.

- no language, `console`, `bash`: commands, a line each (`\\` at its end: goes on);
- any other language after a paragraph that ends with a colon and names a file ("... `benchwright.toml`:", "In
  `mine.py`, ...:"): that file, whole;
- `python` without such a paragraph: a script, run in the folder where the reader stands;
- `text` without one: shown output. Each of its lines has to stand in what the commands before it printed
  (`...` stands for anything).

In front of a block an HTML comment may say `not run: REASON` or `exit 1` (its last command ends so).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["commands", "file", "script", "shown", "not run"]
COMMANDS = ("", "console", "bash", "sh")
_FENCE = re.compile(r"^```(\w*)\s*$")
_NOTE = re.compile(r"^<!--\s*(.+?)\s*-->$")
_NAMED = re.compile(r"[Ii]n `([\w./-]+\.\w+)`.*:$|`([\w./-]+\.\w+)`:$")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: str
    line: int
    """Where its first line stands, from 1."""
    kind: Kind
    text: str
    name: str = ""
    """Of the file."""
    reason: str = ""
    """Why it is not run."""
    code: int = 0
    """How the last command ends."""

    @property
    def where(self) -> str:
        """For messages."""
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """The commands, without comments and with their continuations."""
        lines = [_uncommented(line) for line in self.text.replace("\\\n", " ").splitlines()]
        return [re.sub(r"^\$ ", "", line) for line in lines if line]


def blocks(path: Path, root: Path) -> list[Block]:
    """All blocks of a page in their order.

    Raises:
        ValueError: a fence that is not closed, or a block that is neither of the kinds.
    """
    page = path.relative_to(root).as_posix()
    found: list[Block] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        opened = _FENCE.match(lines[at])
        if opened is None:
            if lines[at].startswith("```"):
                raise ValueError(f"{page}:{at + 1}: {lines[at]!r} says more than a language")
            at += 1
            continue
        end = next((n for n in range(at + 1, len(lines)) if lines[n] == "```"), None)
        if end is None:
            raise ValueError(f"{page}:{at + 1}: the block is not closed")
        before = "\n".join(lines[:at]).strip().split("\n\n")
        *above, last = before[-1].split("\n")
        note = _NOTE.match(last)
        lead = before[-1] if note is None else "\n".join(above)
        text = "\n".join(lines[at + 1 : end]) + "\n"
        found.append(
            _block(page, at + 2, opened[1], text, note[1] if note else "", " ".join(lead.split("\n")))
        )
        at = end + 1
    return found


def _block(page: str, line: int, language: str, text: str, note: str, lead: str) -> Block:
    if note.startswith("not run:"):
        return Block(page, line, "not run", text, reason=note.removeprefix("not run:").strip())
    code = int(note.removeprefix("exit ")) if re.fullmatch(r"exit \d", note) else 0
    named = _NAMED.search(lead)
    if language in COMMANDS:
        return Block(page, line, "commands", text, code=code)
    if named is not None:
        return Block(page, line, "file", text, name=named[1] or named[2])
    if language == "python":
        return Block(page, line, "script", text, code=code)
    if language == "text":
        return Block(page, line, "shown", text)
    raise ValueError(
        f"{page}:{line}: a block in {language} needs a line before it that ends with its file's name"
    )


def _uncommented(line: str) -> str:
    return re.sub(r"(^|\s+)#(\s.*)?$", "", line).strip()

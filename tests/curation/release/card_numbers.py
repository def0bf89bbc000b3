"""A card taken apart: its tables, the texts of its pictures, its prose, and the words that are no figures."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

CONSTANTS = (
    r"sha-?256",
    r"95 % intervals",
    r"\(levels 1 to 5\)",
)
"""Numbers of the wording, which no data can change."""


@dataclass
class Card:
    """A card without its front matter."""

    tables: dict[tuple[str, ...], list[list[str]]] = field(default_factory=dict)
    """Header -> rows."""
    pictures: dict[str, str] = field(default_factory=dict)
    """Path -> alternative text."""
    code: list[str] = field(default_factory=list)
    prose: str = ""
    said: dict[str, str] = field(default_factory=dict)
    """Heading -> prose below it."""


def taken_apart(text: str) -> Card:
    """Parse a card. Two tables may not have one header."""
    card = Card()
    body = text.split("---\n", 2)[2]
    card.code = re.findall(r"```\w*\n(.*?)```", body, re.DOTALL)
    body = re.sub(r"```\w*\n.*?```", "", body, flags=re.DOTALL)
    header: tuple[str, ...] | None = None
    heading = ""
    for line in body.splitlines():
        if line.startswith("|"):
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if header is None:
                header = tuple(cells)
                assert header not in card.tables, header
                card.tables[header] = []
            elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                card.tables[header].append(cells)
            continue
        header = None
        if match := re.fullmatch(r"!\[(.*)\]\((.*)\)", line):
            card.pictures[match[2]] = match[1]
        elif line.startswith("#"):
            heading = line.lstrip("# ")
        else:
            card.said[heading] = card.said.get(heading, "") + line + "\n"
    card.prose = "\n".join(card.said.values())
    return card


def numbers(text: str) -> list[str]:
    """The numbers of a text in their order, thousands joined."""
    return re.findall(r"-?\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text))


def left(prose: str, covered: list[str]) -> str:
    """Prose without what was recomputed and without the wording's own numbers.

    Args:
        prose: of the card.
        covered: patterns of texts that were recomputed; each has to stand there. `~` stands for words without a number.
    """
    for said in covered:
        pattern = re.escape(said).replace("\\~", r"[^\d]*?").replace(r"\ ", r"\s+")
        assert re.search(pattern, prose), f"the card does not say {said!r}"
        prose = re.sub(pattern, " ", prose, count=1)
    for constant in CONSTANTS:
        prose = re.sub(constant, " ", prose, flags=re.IGNORECASE)
    return prose

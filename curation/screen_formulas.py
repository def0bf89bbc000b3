r"""Mathematics in a text, as far as its outer form goes: does everything that opens also close?

`render.segment` says what is a formula and what is money, so `$5 and $6` is not taken for a torn formula. Repairs that
the renderer makes by itself (`render.normalise`) are made before looking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.curation.screen_codes import Rules
from benchwright.render.normalise import normalise_tex
from benchwright.render.segment import Math, Text, segment
from benchwright.schemas.errors import ItemError
from benchwright.schemas.screening import ScreenFinding

_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$]+\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_MAY_HOLD_FORMULA = re.compile(r"[\\$]|<table", re.IGNORECASE)
_STRUCTURE = re.compile(
    r"\\(?:begin|end|left|right|hline|textbackslash|[\[\]()])|\${3}|<table", re.IGNORECASE
)
"""What needs parsing: pairs of dollar signs say nothing here."""
_ESCAPED = re.compile(r"\\[{}\\$]")
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")
_SIDES = re.compile(r"\\(left|right)(?![A-Za-z])")
_LONE_DOLLAR = re.compile(r"(?<!\\)\$(?!\s?\d)")
_OPEN_DELIMITER = re.compile(r"\\[\[\]()]")


def without_formulas(text: str) -> str:
    """The running text alone; each formula becomes a blank."""
    return _FORMULA.sub(" ", text) if _MAY_HOLD_FORMULA.search(text) else text


def broken_formula(place: str, text: str, rules: Rules) -> Iterator[ScreenFinding]:
    """The first thing in a text's mathematics that does not match, and tables that cannot be drawn.

    Args:
        place: named in the finding.
        text: question, option, answer or solution.
        rules: severities.
    """
    if not _MAY_HOLD_FORMULA.search(text) or _plainly_whole(text):
        return
    try:
        parts = segment(text, lambda character: True).segments
    except ItemError as error:
        yield from rules.found("table-broken", f"{place}: {error.detail or error.reason}")
        return
    # Over the whole text: a formula written without dollar signs falls into several segments.
    sides = [side for part in parts if isinstance(part, Math) for side in _SIDES.findall(part.tex)]
    if sides.count("left") != sides.count("right"):
        yield from rules.found("formula-broken", f"{place}: \\left and \\right do not match")
        return
    for part in parts:
        if isinstance(part, Math) and (why := _torn(normalise_tex(part.tex)[0])) is not None:
            yield from rules.found("formula-broken", f"{place}: {why} in {part.tex[:60]!r}")
            return
        if isinstance(part, Text) and (lone := _lone(part.text, text)) is not None:
            yield from rules.found("formula-broken", f"{place}: {lone}")
            return


def _plainly_whole(text: str) -> bool:
    """Whether dollar signs come in pairs and braces match between each two of them, so that nothing need be parsed."""
    if _STRUCTURE.search(text) or text.count("$$") % 2:
        return False
    pieces = _ESCAPED.sub(" ", text).split("$")
    return len(pieces) % 2 == 1 and all(_braces(piece) is None for piece in pieces)


def _braces(bare: str) -> str | None:
    """What is wrong with the braces of a text without escaped ones, or None."""
    if "{" not in bare and "}" not in bare:
        return None
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return "a brace closes that was never opened"
    return "a brace does not close" if depth else None


def _torn(tex: str) -> str | None:
    """What does not match in one formula's source, or None."""
    if (why := _braces(_ESCAPED.sub(" ", tex))) is not None:
        return why
    opened: list[str] = []
    for kind, name in _ENVIRONMENT.findall(tex):
        if kind == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            return f"the environment {name} ends without a beginning"
    if opened:
        return f"the environment {opened[-1]} does not end"
    return None


def _lone(words: str, whole: str) -> str | None:
    """A delimiter that was left over in running text, or None; a dollar sign beside a number is money."""
    if (match := _OPEN_DELIMITER.search(words)) is not None:
        return f"{match[0]} has no partner"
    if (match := _LONE_DOLLAR.search(words)) is None or not re.search(r"\\[A-Za-z]|[\^_]", whole):
        return None
    before = words[: match.start()].rstrip()
    return None if before[-1:].isdigit() else "a dollar sign has no partner"

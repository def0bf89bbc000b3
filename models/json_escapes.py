r"""LaTeX in JSON strings: `"\frac{1}{2}"` where `"\\frac{1}{2}"` was meant, told apart from real escapes or refused.

Read as it stands, `\f` becomes a form feed and `rac` stays; `\nu` a line break and `u`. What is certain is repaired:
`\b` and `\f` are never meant; after `\t`, `\r` and most of `\n` the rest of a command's name begins no word. `\nu`,
`\ne`, `\neq`, `\ni` and a few more can be either: inside `$...$` they are commands, elsewhere the way in which the
same object writes its other commands and the mark in front decide. Where these contradict each other or are silent
nothing is guessed: `Damaged`.
"""

from __future__ import annotations

import re
from typing import Any

_BY_LETTER = {
    "b": """
        backslash bar because begin beta beth bf big bigcap bigcup Big bigg bigl bigr bigoplus binom
        bmod boldsymbol bot bowtie box boxed breve bullet
    """,
    "f": """
        fallingdotseq fbox flat footnotesize forall frac frown
    """,
    "n": """
        nabla natural ncong ne nearrow neg neq newline nexists ngeq ngtr ni nleftarrow nleq nless nmid
        nolimits nonumber not notin nparallel nprec nrightarrow nsim nsubset nsubseteq nsucc nsupseteq
        nu nvdash nwarrow
    """,
    "r": """
        rangle rbrace rbrack rceil rfloor rho right rightarrow rightharpoonup rightleftarrows
        rightleftharpoons rm rVert rvert root rule
    """,
    "t": """
        tan tanh tau tbinom text textbf textcircled textit textrm textstyle tfrac theta therefore
        thickapprox thinspace tilde times to top triangle triangleleft triangleq triangleright
        twoheadrightarrow
    """,
}
_OTHERS = """
    alpha angle approx arccos arcsin arctan bar cap cdot cdots chi circ cong cos cot cup deg delta Delta
    div dot dots ell emptyset end epsilon equiv eta exists gamma Gamma ge geq geqslant hat hline in
    infty int iota kappa lambda Lambda ldots le left leftarrow leftrightarrow leq leqslant lim ln log
    mathbb mathbf mathrm max mid min mu mp odot omega Omega oplus overline overrightarrow parallel
    partial perp phi Phi pi Pi pm prime prod propto psi Psi qquad quad sec sigma Sigma sim simeq sin
    sqrt subset subseteq sum sup tau underline uparrow upsilon varepsilon varnothing varphi vec vee
    wedge xi Xi zeta
"""
_BEGINNING = {letter: frozenset(names.split()) for letter, names in _BY_LETTER.items()}
_COMMANDS = frozenset(_OTHERS.split()).union(*_BEGINNING.values())
_EITHER = frozenset(
    ("ne", "neg", "neq", "nexists", "ni", "nless", "nmid", "nparallel", "nprec", "nsim", "nsubset", "nu")
)
"""What is left of these after a line break is a word or a variable: "u", "e.g.", "eq. (3)", "parallel", "exists"."""
_CONTROL = re.compile("[\x00-\x1f\ud800-\udfff]")  # halves of surrogate pairs too
_LETTERS = re.compile(r"[A-Za-z]+")
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_ENDS_A_LINE = ".:;!?,)。：；！？，）"
_TWICE = "write every backslash of LaTeX twice, as in \\\\frac"
_CONTROL_LETTER = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
_OVER = re.compile(r"(?<!\\)\\\\([A-Za-z]+)")
_ONCE = re.compile(r"(?<!\\)\\([A-Za-z]+)")


class Damaged(ValueError):
    """LaTeX that was damaged beyond certain repair; the message says how to write it, for the re-ask."""


def repair_escapes(text: str) -> str:
    r"""Double the backslashes of LaTeX commands, and of escapes that JSON does not know, in the text of an object.

    Raises:
        Damaged: an escape can be read in two ways.
    """
    once, doubled = _styles(text)
    out: list[str] = []
    position = 0
    while (place := text.find("\\", position)) >= 0:
        out.append(text[position:place])
        follows = text[place + 1 : place + 2]
        position = place + 2
        if follows in ('"', "/"):
            out.append(text[place:position])
        elif follows == "\\":
            out.append(_pair(text, position, once, doubled))
        else:
            out.append("\\" if _is_escape(text, place, once, doubled) else "\\\\")
            position = place + 1
    out.append(text[position:])
    return "".join(out)


def repair_value(value: Any) -> Any:
    """A decoded value with its strings repaired where a server has decoded the escapes before us.

    Raises:
        Damaged: a string holds control characters that no certain repair explains.
    """
    if isinstance(value, str):
        return _repair_string(value)
    if isinstance(value, dict):
        return {_repair_string(key): repair_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [repair_value(item) for item in value]
    return value


def _styles(text: str) -> tuple[bool, bool]:
    r"""How the object writes its commands: some with one backslash (`\alpha`), some with two (`\\alpha`)."""
    once = doubled = False
    position = 0
    while (place := text.find("\\", position)) >= 0:
        follows = text[place + 1 : place + 2]
        word = _LETTERS.match(text, place + 2 if follows == "\\" else place + 1)
        name = "" if word is None else word.group(0)
        if follows == "\\":
            doubled = doubled or name in _COMMANDS
        elif follows not in ('"', "/") and name not in _EITHER:
            once = once or name in _COMMANDS or follows in "()[]{},;!%|"
        position = place + 2
    return once, doubled


def _pair(text: str, place: int, once: bool, doubled: bool) -> str:
    r"""Two backslashes: one that is escaped, or, where the object writes `\alpha`, the line break of LaTeX."""
    if not once or _LETTERS.match(text, place) or text[place : place + 1] == "\\":
        return "\\\\"
    if doubled:
        raise Damaged(
            f"some commands have one backslash and some two, so that \\\\ has two meanings: {_TWICE}"
        )
    return "\\\\\\\\"


def _is_escape(text: str, place: int, once: bool, doubled: bool) -> bool:
    """True when the backslash at `place` begins a JSON escape that was meant as one."""
    follows = text[place + 1 : place + 2]
    if follows == "u":
        return _HEX4.match(text, place + 2) is not None
    if follows not in ("n", "r", "t"):
        return False
    word = _LETTERS.match(text, place + 1)
    name = "" if word is None else word.group(0)
    if name not in _BEGINNING[follows]:
        return True
    if name not in _EITHER or _in_formula(text, place):
        return False
    behind = text[place + 1 + len(name) : place + 2 + len(name)]
    listed = name in ("ne", "ni") and behind in (".", ")", "、", "．")  # "e.g.", "i)"
    before = text[place - 1 : place]
    breaks = doubled or listed or before in _ENDS_A_LINE
    if once == breaks:
        raise Damaged(f"\\{name} can be a line break and {name[1:]!r}, or the command: {_TWICE}")
    return breaks


def _in_formula(text: str, place: int) -> bool:
    """True inside `$...$` of the string that holds `place`; `$$` opens no certain formula (a line may begin there)."""
    start = place
    while (start := text.rfind('"', 0, start)) > 0 and text[start - 1] == "\\":
        pass
    before = text[start + 1 : place].replace("$$", "")
    return before.count("$") % 2 == 1


def _repair_string(text: str) -> str:
    out: list[str] = []
    position = 0
    for match in _CONTROL.finditer(text):
        place = match.start()
        out.append(text[position:place])
        out.append(_repair_control(text, place))
        position = place + 1
    out.append(text[position:])
    return _without_excess("".join(out))


def _repair_control(text: str, place: int) -> str:
    """What stands for a control character: itself, or the beginning of the command that it ate."""
    character = text[place]
    letter = _CONTROL_LETTER.get(character)
    if letter is None:
        raise Damaged("a text holds a control character or half a character")
    word = _LETTERS.match(text, place + 1)
    name = letter + ("" if word is None else word.group(0))
    known = name in _BEGINNING[letter]
    if character in "\b\f" and not known:
        raise Damaged(f"a text holds a control character where a command was: {_TWICE}")
    if not known:
        return character
    if name in _EITHER or name in ("tan", "to"):
        if text[:place].replace("$$", "").count("$") % 2 == 1:
            raise Damaged(f"a formula holds a line break or tab and {name[1:]!r}, perhaps \\{name}: {_TWICE}")
        return character
    return "\\" + letter


def _without_excess(text: str) -> str:
    r"""`\\frac` (a line break of LaTeX and the word "frac") is never meant: one backslash too many."""
    if not any(match.group(1) in _COMMANDS for match in _OVER.finditer(text)):
        return text
    if any(match.group(1) in _COMMANDS for match in _ONCE.finditer(text)):
        raise Damaged(
            "some commands have four backslashes and some two: write every backslash of LaTeX twice"
        )
    return _OVER.sub(
        lambda match: "\\" + match.group(1) if match.group(1) in _COMMANDS else match.group(0), text
    )

r"""A text in which every value is one character, so that the rules of a language can be written as plain patterns.

`A block of mass $2 \mathrm{~kg}$, where $R=3$` becomes `A block of mass Q, where E`, with a way back to the places
in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from benchwright.curation.proposers.decomposition_values import (
    NUMBER,
    POWER_OF_TEN,
    UNIT,
    formulas,
    plain,
)

Q, N, E, S, P, X = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004", "\ue005"
"""A quantity with its unit; a bare number; equations; symbols; a point's coordinates; any other formula."""

_NUMBER = (
    rf"[-+±]?\s*(?:\d*\s*√\s*\(?\{{?\d+\)?\}}?|\(?(?:{NUMBER})\)?(?:\s*/\s*\(?\d+\)?)?{POWER_OF_TEN}|π)"
    rf"(?:\s*π)?(?:\s*√\s*\(?\{{?\d+\)?\}}?)?"
)
_BARE = re.compile(rf"{_NUMBER}")
_WITH_UNIT = re.compile(rf"{_NUMBER}\s*-?\s*(?:{UNIT})")
_SYMBOLS = re.compile(
    r"[-+]?\d*(?:[A-Za-zΑ-Ωα-ωφ]{1,3}(?:_(?:\s*\{[^{}]*\}|\d{1,2}(?![A-Za-z])|[a-z]{1,6}|"
    r"[A-Z]{1,2}(?!\d)))?'*)(?:\s*\(\s*[A-Za-zα-ω]\w?\s*>\s*0\s*\))?"
)
_POINT = re.compile(r"(?:[A-Z]'?\s*)?\(\s*[-+\w./√]+\s*,\s*[-+\w./√]+\s*(?:,\s*[-+\w./√]+\s*)?\)")
_PLAIN_VALUE = re.compile(
    rf"(?<![\w.$/^<])(?P<equation>(?:(?:[A-Z] ){{1,2}}[A-Z]|(?:m\s*)?(?:∠|\\angle)\s?(?:[A-Z]\s?){{1,3}}"
    rf"|[A-Za-zθμαβρλω][A-Za-z]?(?:_?\d)?)\s*=\s*)?"
    rf"(?P<number>[-+−±]?(?:{NUMBER})(?:\s*×\s*10(?:\^\{{?[-−]?\d+\}}?|[⁻⁰¹²³⁴-⁹]+))?)"
    rf"(?P<gap>\s*-?\s*)(?P<unit>(?:\\?%|(?:{UNIT})))?"
)
_CONSTANT = re.compile(
    r"g\s*=\s*(?:9\.8|10)|(?:sin|cos|tan|lg|ln|log)\b|\\(?:sin|cos|tan|lg|ln|log)|M_?r?\s*\(|"
    r"A_?r\s*\(|N_?A\s*=|F\s*=\s*96|c\s*=\s*3"
    r"|k\s*=\s*9|R\s*=\s*8\.3|t\s*=\s*0$"
)
"""Constants and agreed values that a text states; the instant zero, which is a name rather than a value."""
_CHINESE_LETTER = re.compile(r"(?<=[为是])\s*(?P<letter>[A-Za-z](?:_?\d)?)(?=\s*[的，,。；])")
"""A symbol without dollar signs, where Chinese text states it as a value."""
_ENGLISH_LETTER = re.compile(
    r"\b(?:mass|charge|radius|length|speed|height|angle|resistance|capacitance|velocity|side|width|"
    r"depth|weight|constant|"
    r"current|voltage|emf|temperature|pressure|volume|distance|field|diameter)\s+(?:of\s+)"
    r"?(?P<letter>[b-hj-zB-HJ-Z]\d?)(?=[,.;\s])"
)
_UNIT_BEHIND = re.compile(rf"\s*-?\s*(?:\\?%|°\s*[CF]?|(?:{UNIT})|\\(?:mathrm|text)\s*\{{[^{{}}]*\}})")
_NOT_UNITS = frozenset(["A", "a", "M", "m", "s", "h", "d", "u", "T", "L", "C", "in"])
"""One-letter units that behind a bare number in running text are rather words or names."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A value or formula at its place in the text."""

    kind: str
    start: int
    end: int
    inner: str
    """Its source without dollar signs."""


@dataclass
class Shadow:
    """The text with atoms as single characters."""

    raw: str
    text: str = ""
    places: list[int] = field(default_factory=list)
    """Place in the raw text of each character, and the raw text's length at the end."""
    atoms: dict[int, Atom] = field(default_factory=dict)
    """Atoms by their place in `text`."""

    def at(self, place: int) -> int:
        """Place in the raw text."""
        return self.places[place]

    def within(self, start: int, end: int) -> list[Atom]:
        """The atoms of a range of `text`, in order."""
        return [self.atoms[i] for i in range(start, end) if i in self.atoms]


def shadow(raw: str) -> Shadow:
    """Replace all values and formulas of a text."""
    atoms = _formula_atoms(raw)
    atoms += _plain_atoms(raw, atoms)
    atoms.sort(key=lambda atom: atom.start)
    out = Shadow(raw)
    characters: list[str] = []
    position = 0
    for atom in atoms:
        for place in range(position, atom.start):
            characters.append(raw[place])
            out.places.append(place)
        out.atoms[len(characters)] = atom
        characters.append(atom.kind)
        out.places.append(atom.start)
        position = atom.end
    for place in range(position, len(raw)):
        characters.append(raw[place])
        out.places.append(place)
    out.places.append(len(raw))
    out.text = "".join(characters)
    return out


def _formula_atoms(raw: str) -> list[Atom]:
    atoms: list[Atom] = []
    for start, end, inner in _whole_formulas(raw):
        kind = kind_of(inner)
        if kind == N and (unit := _UNIT_BEHIND.match(raw, end)) is not None and _is_unit(unit[0]):
            kind, end = Q, unit.end()
        elif kind == E and re.search(r"\d\s*\}?$", inner.strip()):
            unit = _UNIT_BEHIND.match(raw, end)
            end = unit.end() if unit is not None and _is_unit(unit[0]) else end
        atoms.append(Atom(kind, start, end, inner))
    return atoms


def _whole_formulas(raw: str) -> list[tuple[int, int, str]]:
    r"""Formulas, those joined that only a line break of the source tore apart: `$a=3.9$ $\times 10^{-6}$`."""
    joined: list[tuple[int, int, str]] = []
    for start, end, inner in formulas(raw):
        if joined and not raw[joined[-1][1] : start].strip():
            first, _, before = joined[-1]
            unit = re.search(r"\d\s*\}?\s*$", before) and re.fullmatch(UNIT, plain(inner).strip(" .,"))
            if (
                unit
                or re.search(r"[=+\-*]\s*$|\\(?:times|cdot)\s*$", before)
                or re.match(r"\s*(?:\\times|\\cdot|=)", inner)
            ):
                joined[-1] = (first, end, f"{before} {inner}")
                continue
        joined.append((start, end, inner))
    return joined


def _is_unit(text: str) -> bool:
    said = text.strip().lstrip("-").strip()
    return said not in _NOT_UNITS


def _plain_atoms(raw: str, taken: list[Atom]) -> list[Atom]:
    covered = bytearray(len(raw))
    for atom in taken:
        covered[atom.start : atom.end] = b"\x01" * (atom.end - atom.start)
    atoms: list[Atom] = []
    for match in _PLAIN_VALUE.finditer(raw):
        if any(covered[match.start() : match.end()]) or _in_tag(raw, match.start()):
            continue
        end, unit = match.end(), match["unit"]
        if unit is None or (unit in _NOT_UNITS and "-" in match["gap"]) or _word_like(raw, match):
            end, unit = match.end("number"), None
        if match["equation"] is not None:
            kind = E
            if unit is None and (variable := re.match(r"\s?[xyz](?![A-Za-z])", raw[end:])) is not None:
                end += variable.end()
        else:
            kind = N if unit is None else Q
        while raw[end - 1 : end] in (",", "."):
            end -= 1
        atoms.append(Atom(kind, match.start(), end, raw[match.start() : end]))
        covered[match.start() : end] = b"\x01" * (end - match.start())
    for match in (*_CHINESE_LETTER.finditer(raw), *_ENGLISH_LETTER.finditer(raw)):
        start, end = match.span("letter")
        if not any(covered[start:end]):
            atoms.append(Atom(S, start, end, match["letter"]))
    return atoms


def _in_tag(raw: str, place: int) -> bool:
    """Inside of `<image 1>`, or between `<sub>` and `</sub>`."""
    return (
        re.search(r"<(?:image\s*|su[bp]>\s*[-+\w]*)$", raw[max(0, place - 12) : place], re.IGNORECASE)
        is not None
    )


def _word_like(raw: str, match: re.Match[str]) -> bool:
    """`2 A` in `a 2 A level`, `5 in the box`: a letter that is a word here, not a unit."""
    unit, behind = match["unit"], raw[match.end() : match.end() + 12]
    if (
        unit in ("in", "a", "A", "d", "u", "h")
        and re.match(r"\s+[a-z]", behind)
        and unit in ("in", "a", "d", "u")
    ):
        return True
    if unit and re.match(r"[- ]?(?:electron|orbital|subshell|sublevel)", behind):
        return True
    if unit and not match["gap"] and len(unit) <= 2 and re.match(r"\$?_|<sub>|[₀-₉]|\(", behind):
        return True  # a coefficient and an element: 2NH$_3$
    return bool(unit and unit.isalpha() and re.match(r"[A-Za-z0-9]", behind))


def kind_of(inner: str) -> str:
    """What a formula is."""
    said = re.sub(r"\s*([_^])\s*", r"\1", plain(inner)).strip().rstrip(".,;:?").strip()
    if _BARE.fullmatch(said):
        return N
    if _WITH_UNIT.fullmatch(said):
        return Q
    if _POINT.fullmatch(said):
        return P
    if _SYMBOLS.fullmatch(said):
        return S
    if "=" in said and equations(inner):
        return X if _CONSTANT.match(said) else E
    return X


def equations(inner: str) -> list[str]:
    """The equations of a formula that holds nothing else (`a=1, b=2`), each as source; none where a side is open."""
    parts = [
        part.strip()
        for part in _split_top(re.sub(r"\s*,\s*(?=d[a-z]\b)", r"\\,", inner))
        if part.strip(" .~")
    ]
    for part in parts:
        if re.search(r"\\(?:text|mathrm)\s*\{+\s*(?:[A-Z][a-z]?)*C?H", part):
            return []  # a double bond
        if re.search(
            r"\^\s*\{\s*\d?\s*[+-]\s*\}|\^\s*[+-](?![\w(\\])|\\mathrm\s*\{\s*~?[A-Z][a-z]?\s*\}\s*_\s*\{?\d.*[+=]",
            part,
        ):
            return []  # a reaction
        sides = re.split(r"(?<![<>!≤≥])=", part)
        if len(sides) < 2 or re.search(
            r"\\(?:le|ge|ne|neq|leq|geq|leqslant|geqslant|lt|gt)(?![A-Za-z])|[<>≤≥≠?？]", part
        ):
            return []
        if any(re.fullmatch(r"(?:\\(?:quad|qquad|[,;: ])|[\s(){}（）_~])*", side) for side in sides):
            return []
        if not re.search(r"\d|\\(?:frac|sqrt|pi)|[A-Za-z]", plain(sides[-1])) or re.search(
            r"\\(?:square|underline)|[□?]", sides[-1]
        ):
            return []
    return parts


def _split_top(inner: str) -> list[str]:
    """Split at commas and the like outside of brackets."""
    parts, depth, last, i = [], 0, 0, 0
    while i < len(inner):
        char = inner[i]
        if char in "({[":
            depth += 1
        elif char in ")}]":
            depth -= 1
        elif (
            depth == 0
            and char in ",;，、；"
            and inner[i - 1 : i] != "\\"
            and not re.match(r",\d{3}(?!\d)", inner[i:])
        ):
            parts.append(inner[last:i])
            last = i + 1
        i += 1
    return [*parts, inner[last:]]

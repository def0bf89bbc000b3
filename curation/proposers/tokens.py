r"""What a text must not lose in another language: formulas, numbers, quantities, blanks, parts, picture markers.

Pure functions. A quantity counts as such wherever it stands: `$2.0\ \mathrm{kg}$`, `2.0 kg` and `2.0 千克` are the
number 2.0 with the unit kg. Other formulas are compared by their normalised source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchwright.curation.proposers.tokens_formulas import atoms, has_upright, math_spans, spelled
from benchwright.curation.proposers.tokens_numerals import SCALE, numerals, scaled
from benchwright.curation.proposers.tokens_units import read_unit

_MARKER = re.compile(
    r"<\s*(?:image|img|图)\s*_?(\d*)\s*/?>|\[\s*(?:image|img|图片?)\s*(\d*)\s*\]|!\[[^\]]*\]\(([^)]*)\)",
    re.IGNORECASE,
)
_LINE_BLANK = re.compile(
    r"_{2,}|＿{1,}|\\_(?:\\_)+|\\underline\s*\{\s*(?:\\(?:quad|qquad|hspace\{[^{}]*\})|[~\s])*\s*\}"
)
_BRACKET_BLANK = re.compile(r"[（(][\s\u3000]*[)）]")
_PART = re.compile(
    r"(?<![\w)）])[（(]\s*(\d{1,2}|[a-h]|[ivx]{1,4})\s*[)）](?!\s*[=+*/^])|([①-⑳])|(?:^|(?<=\n))\s*([a-h])[.)]\s"
)
_SCIENTIFIC = r"\s*[*x×]\s*10\s*\^\s*[({]?\s*[-+]?\s*\d+\s*[)}]?"
_PLAIN = r"(?:\d{1,3}(?:,\d{3})+(?![\d])|\d+)(?:\.\d+)?|\.\d+"
_NEGATIVE = re.compile(
    rf"(?:(?:^|(?<=[\s(:=≈,、，：（\u4e00-\u9fff]))-\s?|(?:minus|negative|负|零下)\s*)({_PLAIN})"
    rf"|({_PLAIN})[^.\d]{{0,12}}below (?:zero|freezing)",
    re.IGNORECASE,
)
_POWER = r"10\s*\^\s*[({]?\s*[-+]?\s*\d+\s*[)}]?"


@dataclass(frozen=True)
class Tokens:
    """The tokens of one text."""

    formulas: Counter[str]
    """Normalised formulas that are no bare number or quantity, enumerations taken apart."""
    numbers: Counter[str]
    """All numbers in digits, formulas included; without thousands separators, decimals as written."""
    negatives: Counter[str]
    """Those of them with a minus sign of their own; in longer formulas the sign is part of the formula."""
    numerals: Counter[str]
    """What is said in words: "three", "三", "half"."""
    quantities: frozenset[tuple[str, str]]
    """(number, unit symbol)."""
    per: frozenset[str]
    """Units after which something is counted ("per hour", "每小时")."""
    markers: tuple[str, ...]
    parts: tuple[str, ...]
    """Numbers of sub-questions in order, brackets and circles taken off."""
    line_blanks: int
    bracket_blanks: int
    ends_in_bracket: bool
    """Whether an answer bracket closes the text, as in a Chinese multiple-choice question."""
    prose: str
    """The text without formulas and markers."""
    flat: str
    """Everything without blanks and dollar signs, for looking up a formula that lost or gained its marks."""


def tokens(text: str) -> Tokens:
    """Take a text apart."""
    bare = _MARKER.sub(" ", text)
    pieces = _pieces(bare)
    joined, prose = "".join(pieces.spelled), "".join(pieces.prose)
    numbers, quantities = _quantities(joined)
    brackets = list(_BRACKET_BLANK.finditer(prose))
    end = prose.rstrip(" 。.?？!！;；:：\n\u3000")
    return Tokens(
        formulas=pieces.formulas,
        numbers=numbers,
        negatives=pieces.negatives,
        numerals=numerals(prose),
        quantities=quantities,
        per=_per(joined),
        markers=tuple(next((g for g in m.groups() if g), "") for m in _MARKER.finditer(text)),
        parts=tuple(_part(match) for match in _PART.finditer(prose)),
        line_blanks=len(_LINE_BLANK.findall(text)),
        bracket_blanks=len(brackets),
        ends_in_bracket=bool(brackets) and brackets[-1].end() >= len(end),
        prose=prose,
        flat=re.sub(r"[\s$]", "", spelled(bare)),
    )


@dataclass
class _Pieces:
    """A text in pieces: plain spelling, prose alone, formulas, lone negative numbers."""

    spelled: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    formulas: Counter[str] = field(default_factory=Counter)
    negatives: Counter[str] = field(default_factory=Counter)

    def add_prose(self, text: str) -> None:
        """Take in what stands between two formulas."""
        plain = _plain_prose(text)
        self.spelled.append(plain)
        self.prose += [text, " "]
        self.negatives.update(_canonical(match[1] or match[2]) for match in _NEGATIVE.finditer(plain))

    def add_formula(self, tex: str) -> None:
        """Take in a formula."""
        self.spelled.append(f" {spelled(tex, mask=True)} ")
        for part in [tex] if _is_quantity(tex) else atoms(tex):
            if not _is_quantity(part):
                self.formulas[part] += 1
            elif (match := _NEGATIVE.match(spelled(part).strip())) is not None:
                self.negatives[_canonical(match[1] or match[2])] += 1


def _pieces(text: str) -> _Pieces:
    pieces = _Pieces()
    place = 0
    for start, end, inner in math_spans(text):
        pieces.add_prose(text[place:start])
        pieces.add_formula(inner)
        place = end
    pieces.add_prose(text[place:])
    return pieces


def _plain_prose(text: str) -> str:
    # A Chinese comma never groups digits; NFKC would make it one that does. The dollar of a price would get lost.
    said = re.sub("[，、；]", lambda match: f"{match[0]} ", text)
    return spelled(re.sub(r"\\?\$(?=\s?\.?\d)|(?<=\d)\\?\$", "¤", said))


def _is_quantity(inner: str) -> bool:
    """Whether a formula is nothing but a number with or without a unit."""
    said = re.sub(r"^[-+±]\s*", "", spelled(inner).strip())
    one = next(_numbers(said), None)
    if one is None or one.start != 0 or said[one.end :].strip():
        return False
    return one.unit is None or has_upright(inner) or not re.search("[A-Za-z]", said)


_NUMBER = re.compile(
    rf"(?P<money>[¤€]\s?)?(?P<percent>百分之\s*)?(?<![A-Za-z_\d.^])(?<!_\{{)(?P<number>(?:{_PLAIN})(?:{_SCIENTIFIC})?|{_POWER})"
)
_SCALED = re.compile(rf"[\s-]*({SCALE})")
_GAP = re.compile(r"[\s~-]*")
_COUNTED = re.compile(r"(?:个|(?:more|fewer|less|extra|additional|full|whole|other|consecutive)\s)\s*")


@dataclass(frozen=True, slots=True)
class _Number:
    """A number in a plain text."""

    number: str
    unit: str | None
    start: int
    end: int


def _numbers(text: str) -> Iterator[_Number]:
    place = 0
    while (match := _NUMBER.search(text, place)) is not None:
        number, end = _canonical(match["number"]), match.end()
        unit = _unit_at(text, end)
        # "千" is kilo in "3 千克" and a thousand in "3 千人".
        if unit is None and (scale := _SCALED.match(text, end)) is not None:
            number, end = scaled(number, scale[1]), scale.end()
            unit = _unit_at(text, end)
        if match["money"]:
            unit = ("eur" if "€" in match["money"] else "usd"), end
        elif match["percent"]:
            unit = "%", end
        place = unit[1] if unit is not None else end
        yield _Number(number, unit[0] if unit is not None else None, match.start(), place)


def _unit_at(text: str, end: int) -> tuple[str, int] | None:
    gap = _GAP.match(text, end)
    at = gap.end() if gap is not None else end
    counted = _COUNTED.match(text, at)
    return read_unit(text, at) or (read_unit(text, counted.end()) if counted is not None else None)


_LISTED = re.compile(r"\s*(?:,|、|，|;|and|or|to|和|或|与|及|至|到|~|～|-|–|:|×|\*|x|\s)*\s*", re.IGNORECASE)


def _quantities(joined: str) -> tuple[Counter[str], frozenset[tuple[str, str]]]:
    """Numbers and quantities; in "3, 4 and 5 m" all three are lengths."""
    numbers: Counter[str] = Counter()
    found: set[tuple[str, str]] = set()
    waiting: list[str] = []
    end = 0
    for one in _numbers(joined):
        numbers[one.number] += 1
        if _LISTED.fullmatch(joined, end, one.start) is None:
            waiting = []
        end = one.end
        waiting.append(one.number)
        if one.unit is not None:
            found |= {(number, one.unit) for number in waiting}
            waiting = []
    return numbers, frozenset(found)


def _canonical(number: str) -> str:
    said = re.sub(r"[\s,(){}]", "", number).replace("×", "*").replace("x", "*")
    return f"0{said}" if said.startswith(".") else said


_PER_WORD = re.compile(
    r"(?:(?<![A-Za-z])(?:per|each|every|a|an)(?![A-Za-z])|每(?:一|个|隔)?)\s*", re.IGNORECASE
)
_PERIODS = {
    "daily": "d",
    "hourly": "h",
    "weekly": "week",
    "monthly": "month",
    "yearly": "yr",
    "annual": "yr",
    "每月": "month",
    "每个月": "month",
}


def _per(joined: str) -> frozenset[str]:
    units = (read_unit(joined, match.end()) for match in _PER_WORD.finditer(joined))
    said = {unit for word, unit in _PERIODS.items() if word in joined.lower()}
    return frozenset(unit[0] for unit in units if unit is not None) | said


def _part(match: re.Match[str]) -> str:
    said = match[1] or match[3]
    return said if said else str("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳".index(match[2]) + 1)

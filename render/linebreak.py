"""Where a line may end: words, Chinese characters, formulas, and the characters that must not begin or end a line.

A small table of our own instead of ICU (18 MB, and it splits `25 ℃` and a formula from the `；` behind it). Widths are
not known here: the layout asks for units that cannot be split and fills lines with them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

FORMULA = "\ufffc"
"""Stands for one formula in the text that is analysed (never drawn)."""

NO_START = frozenset(
    "，。、；：？！）》”’」』】〕｝〉％‰℃°′″·…—～,.;:?!)]}%﹐﹑﹒﹔﹕﹖﹗﹚﹜｡､．／〞々ーぁぃぅぇぉっゃゅょ"
    + "-–/"
)
"""Must not begin a line (GB/T 15834 and common practice)."""
NO_END = frozenset("（《“‘「『【〔｛〈([{$￥¥£€#№＄﹙﹛〝")
"""Must not end a line."""

_UNITS = (
    "km|hm|dam|dm|cm|mm|nm|pm|fm|kg|mg|mol|kmol|mmol|ml|mL|kPa|MPa|GPa|Pa|atm|bar|kJ|MJ|eV|keV|MeV|GeV|kW|MW|kV|mV|mA|"
    "Hz|kHz|MHz|GHz|rad|min|ms|ns|cal|kcal|rpm|mph|ft|in|lb|yd|mi|oz|amu|dB|lm|lx|Wb|kN|MN|kΩ|MΩ|μF|µF|pF|nF|nC|μC|µC|"
    "μm|µm|μs|µs|m|s|h|g|t|L|l|J|N|W|V|A|F|H|T|C|K|Ω|℃|°C|°F|°|%|％|㎡|㎏|㎝|cm²|m²|m³|个|只|米|千克|克|秒|元|分|度"
)
_GLUE = (
    # a number (or a formula) and its unit: `25 ℃`, `10 m/s²`
    re.compile(rf"(?<=[\d{FORMULA}]) (?=(?:{_UNITS})(?![A-Za-z]))"),
    # an empty answer bracket: `（    ）`
    re.compile(r"(?<=[（(])[ 　]+(?=[)）])|(?<=[（(]) *_+ *(?=[)）])"),
    # `Fig. 3`, `Figure 3`, `图 3`
    re.compile(r"(?:(?<=Fig\.)|(?<=Figure)|(?<=Table)|(?<=图)|(?<=表)|(?<=No\.)|(?<=Eq\.)) (?=\d)"),
)
NO_BREAK_SPACE, NO_BREAK_WIDE = "\u00a0", "\u2003"
"""Stand for a blank and an ideographic blank at which a line must not end."""
_FIXED = {0x20: NO_BREAK_SPACE, 0x3000: NO_BREAK_WIDE}


@dataclass(frozen=True)
class Unit:
    """A stretch `[start, end)` of the analysed text that stays together, and the blanks after it.

    `blanks` are dropped at the end of a line.
    """

    start: int
    end: int
    blanks: int


def units(text: str) -> list[Unit]:
    """Split a paragraph into units; a line may end after each of them.

    Args:
        text: one paragraph, each formula replaced by `FORMULA`.
    """
    glued = glue(text)
    found: list[Unit] = []
    start = 0
    length = len(glued)
    while start < length:
        end = start + 1
        while end < length and not _may_break(glued, end):
            end += 1
        core = end
        while core > start and glued[core - 1] in " 　\t":
            core -= 1
        found.append(Unit(start, core, end - core))
        start = end
    return found


def glue(text: str) -> str:
    """The text with blanks that must not end a line turned into no-break spaces; same length."""
    for pattern in _GLUE:
        text = pattern.sub(lambda match: match[0].translate(_FIXED), text)
    return text


@lru_cache(maxsize=8192)
def is_wide(char: str) -> bool:
    """A character that may be parted from its neighbours: Han, kana, CJK punctuation, full width forms."""
    code = ord(char)
    return (
        0x2E80 <= code <= 0x312F
        or 0x3200 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE6F
        or 0xFF00 <= code <= 0xFFEF
        or 0x20000 <= code <= 0x3FFFF
    )


def _may_break(text: str, index: int) -> bool:
    """Whether a line may end between text[index - 1] and text[index]."""
    before, after = text[index - 1], text[index]
    if after in " 　\t" or after in NO_START:
        return False  # blanks belong to the unit before them
    if before in " 　\t":
        # The last visible character decides: `( x` keeps its bracket even across a blank.
        core = text[:index].rstrip(" 　\t")
        return not (core and core[-1] in NO_END) and not _opens_with_no_start(text, index)
    if before in NO_END or {before, after} & {NO_BREAK_SPACE, NO_BREAK_WIDE}:
        return False
    if is_wide(before) or is_wide(after):
        return True
    if before == FORMULA and after == FORMULA:
        return True
    if before in "-–" and index >= 2 and text[index - 2].isalpha() and after.isalpha():
        return True  # a hyphenated word
    return before == "—" and after != "—"


def _opens_with_no_start(text: str, index: int) -> bool:
    return text[index] in NO_START

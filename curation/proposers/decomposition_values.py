r"""Numbers, units and symbols in a text, whether they stand in formulas or in plain words.

`$2.0 \times 10^{3} \mathrm{~N}$`, `2.0×10³ N` and `2.0\times 10^3$ N` hold the same value. Used by the checks of a
decomposition and by the decomposer that works by rule.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from benchwright.models.answer_text import without_latex

MATH = re.compile(
    r"\$\$(?P<display>(?:[^$\\]|\\.)+?)\$\$|\$(?P<inline>(?:[^$\\]|\\.)+?)\$|\\\((?P<paren>.+?)\\\)"
    r"|\\\[(?P<bracket>.+?)\\\]",
    re.DOTALL,
)
"""A formula between its marks; see `formulas`, which leaves sums of money out."""

_BASE_UNITS = (
    "mm Hg|km|cm|mm|dm|nm|pm|μm|m|kg|mg|μg|g|ms|μs|ns|s|min|h|hr|kN|mN|μN|N|kJ|MJ|mJ|J|kW|MW|mW|W|kV|mV|MV|μV|V|mA|μA|"
    "A|mC|μC|nC|pC|fC|C|mF|μF|nF|pF|F|mH|μH|H|mT|μT|T|Wb|kHz|MHz|GHz|Hz|kPa|MPa|GPa|hPa|Pa|mmHg|torr|"
    "atm|bar|K|mL|ml|L|"
    r"mmol|mol|keV|MeV|GeV|eV|MΩ|kΩ|Ω|ft|lb|mi|mph|rad|rev|rpm|°\s?C|°\s?F|°|%|amu|AU|Å|kcal|cal|dB|"
    r"Bq|klx|lx|M|u|d|yr"
)
_WORD_UNITS = (
    "meters?|metres?|kilometers?|kilometres?|centimeters?|centimetres?|millimeters?|inch(?:es)?|foot|"
    "feet|miles?|yards?|"
    "seconds?|minutes?|hours?|days?|weeks?|months?|years?|grams?|kilograms?|kilos?|pounds?|tons?|newtons?|joules?|"
    "kilojoules?|watts?|kilowatts?|volts?|amperes?|amps?|ohms?|farads?|coulombs?|teslas?|pascals?|lit(?:er|re)s?|"
    "millilit(?:er|re)s?|moles?|kelvins?|degrees?|radians?|hertz|percent|dollars?|cents?|euros?|"
    "square (?:feet|foot|inches|meters?|metres?|miles?|kilometers?|centimeters?|units?)|"
    "cubic (?:feet|foot|inches|meters?|metres?|centimeters?)|units?"
)
_CHINESE_UNITS = (
    "千米|公里|厘米|毫米|分米|微米|纳米|米|小时|分钟|秒|天|千克|公斤|毫克|克|吨|牛顿|牛|焦耳|千焦|焦|千瓦|瓦|伏特|伏|安培|毫安|"
    "安|匝|欧姆|欧|库仑|特斯拉|帕|毫升|升|摩尔|开尔文|摄氏度|度|弧度|赫兹|元"
)
_POWER = r"(?:\s*\^\s*\(?-?\d\)?|[²³]|\s*\^\{\s*-?\d\s*\})?"
_INCH = r"in(?=\s*(?:[.,;)^²]|$))"
_FACTOR = rf"(?:{_BASE_UNITS})(?![A-Za-z]){_POWER}"
UNIT = (
    rf"(?:{_INCH}|(?:{_WORD_UNITS})(?![A-Za-z])|(?:{_CHINESE_UNITS})|{_FACTOR}(?:(?:\s*[·*/]\s*|\.|\s){_FACTOR}|"
    rf"\s*/\s*\(\s*{_FACTOR}(?:(?:\s*[·*]\s*|\.|\s){_FACTOR})*\s*\))*(?:\s*(?:per|/)\s*(?:{_WORD_UNITS})(?![A-Za-z]))?)"
    r"(?:\s*(?:per\s|/\s?)\s*(?!\()(?:cubic |square )?[a-z]+(?:\s+squared)?)?"
)
"""A unit in plain spelling (what `without_latex` gives)."""
NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
POWER_OF_TEN = r"(?:\s*[*x×]\s*10\s*\^\s*\(?\{?[-+]?\s*\d+\}?\)?)?"
_QUANTITY = re.compile(rf"(?<![\w.^])(?P<number>(?:{NUMBER}){POWER_OF_TEN})\s*-?\s*(?P<unit>{UNIT})")
_NUMBER = re.compile(rf"(?P<before>[_^]?)\s*\{{?\(?-?(?<!\d)(?P<number>{NUMBER})")
_SYMBOL = re.compile(r"(?:[A-Za-z]+|[Α-Ωα-ωϕφΔ∠△⊙])(?:_\{[^{}]*\}|_[A-Za-z0-9])?'*")
_GREEK = dict(
    zip(
        [
            "alpha",
            "beta",
            "gamma",
            "delta",
            "epsilon",
            "varepsilon",
            "zeta",
            "eta",
            "theta",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "pi",
            "rho",
            "sigma",
            "tau",
            "phi",
            "varphi",
            "chi",
            "psi",
            "omega",
            "Gamma",
            "Delta",
            "Theta",
            "Lambda",
            "Xi",
            "Pi",
            "Sigma",
            "Phi",
            "Psi",
            "Omega",
            "angle",
            "triangle",
            "odot",
        ],
        "αβγδεεζηθκλμνξπρστφφχψωΓΔΘΛΞΠΣΦΨΩ∠△⊙",
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, both as `without_latex` spells them."""

    number: str
    unit: str


def is_money(inner: str) -> bool:
    """Whether what stands between two dollar signs is prose behind a price ("5 each and the other 6 ")."""
    if re.search(r"[\\=^_+]", inner):
        return False
    words = re.match(r"\s?\d[\d.,]*\s+([A-Za-z]{3,})", inner)
    return words is not None and re.fullmatch(UNIT, words[1]) is None


def formulas(text: str) -> list[tuple[int, int, str]]:
    """The formulas of a text in order: start, end (marks included) and the source between the marks."""
    found: list[tuple[int, int, str]] = []
    position = 0
    while match := MATH.search(text, position):
        inner = next(part for part in match.groups() if part is not None)
        if match["inline"] is not None and is_money(inner):
            position = match.start() + 1
            continue
        found.append((match.start(), match.end(), inner))
        position = match.end()
    return found


def plain(text: str) -> str:
    r"""Plain spelling of a text with LaTeX: Greek letters, `°` and `%` as characters, no braces but in scripts."""
    spelled = re.sub(r"\\[dt]?frac\s*(?=\S)", r"\\frac", text)
    spelled = re.sub(r"\\(?:text|mathrm|mathbf|mathit|rm)\s*\{\s*°\s*\}", "°", spelled)
    spelled = re.sub(r"(\d)\s*\{,\}\s*(\d)", r"\1,\2", without_latex(spelled))
    spelled = re.sub(r"\\([A-Za-z]+)", lambda match: _GREEK.get(match[1], match[0]), spelled)
    spelled = re.sub(r"(?<![_^])\{([^{}]*)\}", r"\1", spelled)
    spelled = re.sub(r"°\s*\{\s*\}|\{\s*°\s*\}", "°", spelled)
    spelled = re.sub(r"\^(?=°)", "", spelled)
    return " ".join(spelled.split())


def quantities(text: str) -> list[Quantity]:
    """All numbers with a unit, in order."""
    return [Quantity(canonical(m["number"]), _unit(m["unit"])) for m in _QUANTITY.finditer(plain(text))]


def numbers(text: str) -> Counter[str]:
    """All numbers of a text and how often each stands in it; signs are left out, exponents and indices are not."""
    return Counter(canonical(match["number"]) for match in _NUMBER.finditer(plain(text)))


def units(text: str) -> Counter[str]:
    """The units of all quantities."""
    return Counter(quantity.unit for quantity in quantities(text))


def symbols(text: str) -> frozenset[str]:
    """Symbols of a text's formulas: variables, points, angles; with their indices, without units and functions."""
    found: set[str] = set()
    for _, _, inner in formulas(text):
        found |= formula_symbols(inner)
    return frozenset(found)


def formula_symbols(tex: str) -> frozenset[str]:
    """Symbols of one formula's source."""
    bare = re.sub(r"\\(?:text|mathrm|mathbf|mathit|rm)\s*\{\s*~?([^{}]*)\}", r" \1 ", tex)
    spelled = re.sub(r"\\(?:[,;:! ]|quad|qquad)", " ", bare)
    spelled = re.sub(r"\\([A-Za-z]+)", lambda match: f" {_GREEK.get(match[1], '')} ", spelled)
    spelled = _QUANTITY.sub(lambda match: match["number"], " ".join(spelled.split()))
    spelled = re.sub(r"\s*_\s*", "_", spelled)
    return frozenset(
        re.sub(r"[{}\s]", "", match[0])
        for match in _SYMBOL.finditer(spelled)
        if match[0].lower() not in _FUNCTIONS
    )


_FUNCTIONS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "log",
        "ln",
        "lg",
        "exp",
        "lim",
        "max",
        "min",
        "arcsin",
        "arccos",
        "arctan",
        "and",
        "or",
    ]
)


def words_of(text: str) -> set[str]:
    """Every letter run of a text, formulas spelled out: where a symbol may stand without its dollar signs."""
    spelled = re.sub(r"\s*_\s*", "_", plain(text.replace("$", " ")))
    found = {re.sub(r"[{}\s]", "", match[0]) for match in _SYMBOL.finditer(spelled)}
    found |= symbols(text)
    return found | {name.partition("_")[0].rstrip("'") for name in found}


def names_of(text: str) -> set[str]:
    """The letter runs of a text that are no units behind a number: what a symbol could be mistaken for."""
    spelled = _QUANTITY.sub(lambda match: match["number"], plain(text.replace("$", " ")))
    return words_of(spelled)


def canonical(number: str) -> str:
    """A number without thousands separators and blanks; decimals stay as written ("2.0" is not "2")."""
    said = re.sub(r"(?<=\d),(?=\d{3})", "", number)
    said = re.sub(r"\s+", "", said).replace("×", "*").replace("x", "*")
    return re.sub(r"[{}()]", "", said)


def _unit(unit: str) -> str:
    said = re.sub(r"\s+", " ", unit.strip())
    said = re.sub(r"\s*([*·/.^])\s*", r"\1", said).replace("*", "·")
    return re.sub(r"[{}()]", "", said)

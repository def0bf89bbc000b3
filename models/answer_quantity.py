"""Numbers with units: strict reading (everything not understood is None) and comparison in the ground answer's unit.

Units come from a closed table, not from a free parser: "2g" in a mechanics answer is rather twice the acceleration of
free fall than two grams, and a library that knows "a" as a year finds units everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from benchwright.models.answer_text import without_latex

_PREFIXES = {
    "k": "kilo",
    "M": "mega",
    "G": "giga",
    "m": "milli",
    "μ": "micro",
    "u": "micro",
    "n": "nano",
    "p": "pico",
}
_PREFIXED = {
    "m": "meter",
    "g": "gram",
    "s": "second",
    "A": "ampere",
    "K": "kelvin",
    "mol": "mole",
    "N": "newton",
    "J": "joule",
    "W": "watt",
    "V": "volt",
    "Ω": "ohm",
    "ohm": "ohm",
    "F": "farad",
    "C": "coulomb",
    "T": "tesla",
    "Wb": "weber",
    "H": "henry",
    "Hz": "hertz",
    "Pa": "pascal",
    "L": "liter",
    "l": "liter",
    "eV": "electron_volt",
    "Bq": "becquerel",
    "cal": "calorie",
    "Wh": "watt_hour",
}
_OTHER = {
    "cm": "centimeter",
    "dm": "decimeter",
    "hPa": "hectopascal",
    "min": "minute",
    "h": "hour",
    "hr": "hour",
    "d": "day",
    "t": "metric_ton",
    "atm": "standard_atmosphere",
    "bar": "bar",
    "mmHg": "millimeter_Hg",
    "rad": "radian",
    "yr": "year",
    "ft": "foot",
    "°": "degree",
    "deg": "degree",
    "°C": "degC",
    "°F": "degF",
    "Å": "angstrom",
}
_WORDS = """
meter=meter meters=meter metre=meter metres=meter kilometer=kilometer kilometers=kilometer
kilometre=kilometer kilometres=kilometer centimeter=centimeter centimeters=centimeter millimeter=millimeter
millimeters=millimeter second=second seconds=second sec=second minute=minute minutes=minute hour=hour
hours=hour day=day days=day year=year years=year 年=year gram=gram grams=gram kilogram=kilogram
kilograms=kilogram newton=newton newtons=newton joule=joule joules=joule kilojoule=kilojoule
kilojoules=kilojoule watt=watt watts=watt volt=volt volts=volt ampere=ampere amperes=ampere amp=ampere
amps=ampere ohms=ohm Ohm=ohm Ohms=ohm farad=farad coulomb=coulomb coulombs=coulomb tesla=tesla pascal=pascal
pascals=pascal liter=liter liters=liter litre=liter litres=liter mole=mole moles=mole kelvin=kelvin
kelvins=kelvin degree=degree degrees=degree radian=radian radians=radian hertz=hertz 米=meter 千米=kilometer
公里=kilometer 厘米=centimeter 毫米=millimeter 微米=micrometer 纳米=nanometer 分米=decimeter 秒=second
分钟=minute 分=minute 小时=hour 时=hour 天=day 克=gram 千克=kilogram 公斤=kilogram 毫克=milligram
吨=metric_ton 牛=newton 牛顿=newton 焦=joule 焦耳=joule 千焦=kilojoule 瓦=watt 瓦特=watt 千瓦=kilowatt
伏=volt 伏特=volt 安=ampere 安培=ampere 毫安=milliampere 欧=ohm 欧姆=ohm 法拉=farad 库=coulomb 库仑=coulomb
特斯拉=tesla 帕=pascal 帕斯卡=pascal 千帕=kilopascal 升=liter 毫升=milliliter 摩=mole 摩尔=mole
开尔文=kelvin 摄氏度=degC 度=degree 弧度=radian 赫兹=hertz 赫=hertz
"""
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_SHAPE = re.compile(
    rf"""
    (?P<sign>[-+]?)\s*
    (?:
        \(?\s*(?P<fsign>[-+]?)(?P<top>{_NUMBER})\s*\)?\s*/\s*\(?\s*(?P<bottom>{_NUMBER})\s*\)?
      | 10\s*\^\s*\(?\{{?\s*(?P<bare>[-+]?\d+)\s*\}}?\)?
      | (?P<number>{_NUMBER})
        (?: [eE](?P<e>[-+]?\d+)
          | \s*[*xX·]\s*10\s*\^\s*\(?\{{?\s*(?P<power>[-+]?\d+)\s*\}}?\)?
        )?
    )
    (?P<unit>.*)
    """,
    re.VERBOSE | re.DOTALL,
)
_ABOUT = re.compile(
    r"^(?:≈|~|about|approximately|approx\.?|around|roughly|约为?|大约|近似为?|等于|=)\s*", re.IGNORECASE
)
_TOKEN = re.compile(r"([A-Za-zμΩ°Å]+|[\u4e00-\u9fff]+)(?:\^?\(?([-+]?[1-9])\)?)?(?![\d.])")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, exactly as written, and its unit in pint's names."""

    value: Fraction
    unit: str | None = None
    """None: no unit was written."""
    percent: bool = False
    exact: bool = False
    """True: written as an integer or as a fraction of integers."""
    glued: bool = False
    """True: a one-letter unit right behind the number ("2g"), which may be a symbol."""


_LONGEST = 1000
"""Characters; a longer run of digits is no answer, and Python refuses to read one of more than 4,300."""


def parse_quantity(text: str) -> Quantity | None:
    """Read a text that is one number with or without a unit, and nothing else; None otherwise."""
    said = _ABOUT.sub("", without_latex(text).strip()).strip().rstrip("。.").strip()
    said = said.removeprefix("{").removesuffix("}").strip()
    # "(3)/(2) m" keeps its brackets, "(3 m)" loses them.
    if said.startswith("(") and said.endswith(")") and "(" not in said[1:]:
        said = said[1:-1].strip()
    match = _SHAPE.fullmatch(said)
    if match is None or len(said) > _LONGEST:
        return None
    value = _value(match)
    rest = match.group("unit")
    if value is None or re.match(r"[\d.,]", rest):
        return None
    if rest.strip() == "%":
        return Quantity(value, percent=True)
    numbers = [match.group(name) for name in ("number", "top", "bottom") if match.group(name) is not None]
    exact = (
        bool(numbers) and all("." not in number for number in numbers) and not (match["e"] or match["power"])
    )
    if not rest.strip():
        return Quantity(value, exact=exact)
    unit = parse_unit(rest)
    glued = len(rest) == 1 and rest.isascii()
    return None if unit is None else Quantity(value, unit, exact=exact, glued=glued)


def _value(match: re.Match[str]) -> Fraction | None:
    negative = (match.group("sign") == "-") != (match.group("fsign") == "-")
    if match.group("top") is not None:
        bottom = _plain_number(match.group("bottom"))
        if bottom == 0:
            return None
        value = _plain_number(match.group("top")) / bottom
    elif match.group("bare") is not None:
        value = _power_of_ten(match.group("bare"))
    else:
        value = _plain_number(match.group("number"))
        value *= _power_of_ten(match.group("e") or match.group("power") or "0")
    return -value if negative else value


def _plain_number(text: str) -> Fraction:
    return Fraction(text.replace(",", ""))


def _power_of_ten(exponent: str) -> Fraction:
    # A reply may hold any exponent; beyond this no physical quantity lies, and the number would fill the memory.
    limited = max(-400, min(400, int(exponent[:5])))
    return Fraction(10) ** limited


def parse_unit(text: str) -> str | None:
    """A unit expression in pint's names, e.g. "m/s^2", "牛·米", "J/(kg·K)"; None where any part is unknown.

    "J/kg·K" is None: people mean J/(kg·K), the rules of arithmetic say otherwise.
    """
    said = without_latex(text).strip()
    if not said:
        return None
    if re.fullmatch(r"\([^()]*\)", said):
        said = said[1:-1].strip()
    said = re.sub(r"\s*(?:/|\bper\b|每)\s*", "/", said)
    said = re.sub(r"\bsquared\b", "^2", said)
    top, slash, bottom = said.partition("/")
    if "/" in bottom:
        return None
    if bottom.startswith("(") and bottom.endswith(")"):
        bottom = bottom[1:-1]
    elif slash and re.search(r"[·*.\s]", bottom.strip()):
        return None
    over = _product(top) if top.strip() and top.strip() != "1" else "dimensionless"
    under = _product(bottom) if slash else ""
    if over is None or under is None or (slash and not under):
        return None
    compound = bool(slash) or "*" in over
    unit = f"({over})/({under})" if slash else over
    # Beside other units a degree Celsius is a step of the scale, not a point on it.
    return unit.replace("degC", "delta_degC") if compound else unit


def _product(text: str) -> str | None:
    parts: list[str] = []
    for piece in re.split(
        r"\s*[·*]\s*|\s+|(?<=[A-Za-z\u4e00-\u9fff])\.(?=[A-Za-z\u4e00-\u9fff])", text.strip()
    ):
        match = _TOKEN.fullmatch(piece)
        name = _unit_table().get(match.group(1)) if match is not None else None
        if match is None or name is None:
            return None
        parts.append(name if match.group(2) is None else f"{name}**({int(match.group(2))})")
    return "*".join(parts)


@cache
def _unit_table() -> dict[str, str]:
    table = dict(pair.split("=") for pair in _WORDS.split())
    table.update(_OTHER)
    for symbol, name in _PREFIXED.items():
        table[symbol] = name
        for prefix, long_prefix in _PREFIXES.items():
            table.setdefault(prefix + symbol, long_prefix + name)
    return table


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(non_int_type=Fraction)


def convert(value: Fraction, unit: str, into: str) -> float | None:
    """Value in another unit; None where the dimensions differ."""
    exact = convert_exactly(value, unit, into)
    return None if exact is None else float(exact)


def convert_exactly(value: Fraction, unit: str, into: str) -> Fraction | None:
    """Value in another unit without rounding, so that the 5 % edge is where it should be; None as for `convert`.

    Only pi (degrees, radians) and measured constants (electronvolt) are decimals of many digits.
    """
    registry = _registry()
    quantity = registry.Quantity(value, registry.Unit(unit))
    if not quantity.is_compatible_with(registry.Unit(into)):
        return None
    return Fraction(quantity.to(registry.Unit(into)).magnitude)

"""Units in words and symbols: which spellings of the two languages mean the same unit.

The table is data: one unit a line, the symbol first, then its spellings. A unit that does not stand here is no unit to
the checks, so that an unknown word is never called a fault.
"""

from __future__ import annotations

import re
from functools import cache

TABLE = """
m = 米 公尺 meter meters metre metres
km = 千米 公里 kilometer kilometers kilometre kilometres
cm = 厘米 公分 centimeter centimeters centimetre centimetres
mm = 毫米 millimeter millimeters millimetre millimetres
dm = 分米 decimeter decimeters decimetre decimetres
μm = 微米 um micrometer micrometers micrometre micrometres micron microns
nm = 纳米 nanometer nanometers nanometre nanometres
kg = 千克 公斤 kilogram kilograms kilo kilos
g = 克 gram grams
mg = 毫克 milligram milligrams
μg = 微克 microgram micrograms
t = 吨 公吨 tonne tonnes ton tons
s = 秒 秒钟 sec secs second seconds
ms = 毫秒 millisecond milliseconds
min = 分钟 mins minute minutes
h = 小时 个小时 钟头 个钟头 hr hrs hour hours
d = 天 日 day days
week = 周 星期 个星期 礼拜 weeks
month = 个月 months
yr = 年 year years
yr? = 岁 周岁
N = 牛 牛顿 newton newtons
kN = 千牛 kilonewton kilonewtons
J = 焦 焦耳 joule joules
kJ = 千焦 千焦耳 kilojoule kilojoules
W = 瓦 瓦特 watt watts
kW = 千瓦 kilowatt kilowatts
MW = 兆瓦 megawatt megawatts
V = 伏 伏特 volt volts
kV = 千伏 kilovolt kilovolts
mV = 毫伏 millivolt millivolts
A = 安 安培 ampere amperes amp amps
mA = 毫安 milliampere milliamperes
μA = 微安 uA microampere microamperes
Ω = 欧 欧姆 ohm ohms
kΩ = 千欧 kilohm kilohms kiloohm kiloohms
MΩ = 兆欧 megohm megohms
F = 法 法拉 farad farads
μF = 微法 uF microfarad microfarads
pF = 皮法 picofarad picofarads
C = 库 库仑 coulomb coulombs
μC = 微库 uC microcoulomb microcoulombs
T = 特 特斯拉 tesla teslas
Wb = 韦 韦伯 weber webers
H = 亨 亨利 henry henries henrys
Hz = 赫 赫兹 hertz
kHz = 千赫 千赫兹 kilohertz
MHz = 兆赫 兆赫兹 megahertz
Pa = 帕 帕斯卡 pascal pascals
kPa = 千帕 kilopascal kilopascals
MPa = 兆帕 megapascal megapascals
atm = 标准大气压 个大气压 atmosphere atmospheres
mmHg = 毫米汞柱
L = 升 l liter liters litre litres
mL = 毫升 ml milliliter milliliters millilitre millilitres
mol = 摩尔 mole moles
mmol = 毫摩尔 毫摩 millimole millimoles
K = 开尔文 kelvin kelvins
°C = 摄氏度 度摄氏 celsius
°F = 华氏度 fahrenheit
° = 度 deg degree degrees
rad = 弧度 radian radians
eV = 电子伏 电子伏特
keV = 千电子伏
MeV = 兆电子伏
kWh = 千瓦时 千瓦·时
cal = 卡 卡路里 calorie calories
kcal = 千卡 大卡 kilocalorie kilocalories
lx = 勒克斯 lux
klx = 千勒克斯
dB = 分贝 decibel decibels
Bq = 贝可 贝可勒尔 becquerel becquerels
u = amu
in = 英寸 inch inches
ft = 英尺 foot feet
yd = 码 yard yards
mi = 英里 mile miles
lb = 磅 lbs pound pounds
oz = 盎司 ounce ounces
gal = 加仑 gallon gallons
m^2 = 平方米 square-meters square-metres square-meter square-metre
km^2 = 平方千米 平方公里 square-kilometers square-kilometres
cm^2 = 平方厘米 square-centimeters square-centimetres square-centimeter square-centimetre
ft^2 = 平方英尺 square-feet square-foot
m^3 = 立方米 cubic-meters cubic-metres cubic-meter cubic-metre
dm^3 = 立方分米 cubic-decimeters cubic-decimetres
cm^3 = 立方厘米 cubic-centimeters cubic-centimetres cubic-centimeter cubic-centimetre
ft^3 = 立方英尺 cubic-feet cubic-foot
% = percent 个百分点
mi/h = mph
km/h = kph kmh
eur = 欧元 euro euros €
usd = 美元 ¤ 美金 dollar dollars
usc = 美分 cent cents
yuan = 元 块钱 人民币 RMB
"""
"""`square-meters` stands for the two words. A symbol that ends in `?` is a unit or another word ("岁": years or an age,
"分": minutes or points): it agrees with that unit and with none."""

_AMBIGUOUS = {
    "分": "min?",
    "时": "h",
}
"""Counted as the unit where it closes the number: not before a further Chinese character."""
_NOT_BEFORE = {
    "年": "级",
    "度": "数",
    "米": "尺",
    "克": "拉",
    "天": "平",
    "周": "长岁",
    "日": "本元",
    "升": "高至到",
    "安": "全",
    "开": "始",
    "特": "别",
    "法": "则",
    "牛": "奶肉",
    "码": "头",
    "元": "素件",
    "卡": "车片拉",
    "欧": "洲盟元",
    "吨": "位",
}
_HAN = r"[\u4e00-\u9fff]"
_PER = r"\s*(?:/|(?<![A-Za-z])per(?![A-Za-z])|每(?:一)?)\s*"
_TIMES = r"\s*[·*⋅]\s*|(?<=[A-Za-zΩ\d])[ .](?=[A-Za-zμΩ])"


@cache
def spellings() -> dict[str, str]:
    """Spelling -> unit symbol."""
    table: dict[str, str] = {}
    for line in TABLE.strip().splitlines():
        symbol, _, words = line.partition("=")
        for word in (symbol.strip(), *words.split()):
            table[word.replace("-", " ") if word != "-" else word] = symbol.strip()
    table.update(_AMBIGUOUS)
    return table


@cache
def words_for(symbol: str) -> tuple[str, ...]:
    """All spellings of a unit."""
    return tuple(word for word, meant in spellings().items() if meant == symbol)


@cache
def _one() -> re.Pattern[str]:
    """A pattern for one unit with its power, longest spelling first."""
    parts = []
    for word in sorted(spellings(), key=len, reverse=True):
        escaped = re.escape(word).replace(r"\ ", r"\s+")
        if word in _AMBIGUOUS:
            escaped += rf"(?!{_HAN})"
        elif word in _NOT_BEFORE:
            escaped += f"(?![{_NOT_BEFORE[word]}])"
        elif word[-1].isascii() and word[-1].isalpha():
            # "5 in" is rather the preposition; inches are told by their word.
            escaped = r"(?!)" if word == "in" else rf"(?<![A-Za-z]){escaped}(?![A-Za-z])"
        parts.append(escaped)
    return re.compile(rf"(?:{'|'.join(parts)})(?:\s*\^\s*[({{]?\s*-?\s*\d\s*[)}}]?)?")


_PER_AT, _TIMES_AT = re.compile(_PER), re.compile(_TIMES)
_OPENS = re.compile(r"\(\s*")
_CLOSES = re.compile(r"\s*\)")


def read_unit(text: str, start: int = 0) -> tuple[str, int] | None:
    """The unit that begins at a place of a plain text, in symbols, and where it ends; None where none does.

    "kg", "米/秒", "meters per second", "J/(mol·K)".
    """
    end = _product_end(text, start)
    if end is None:
        return None
    while (per := _PER_AT.match(text, end)) is not None:
        further = _product_end(text, per.end())
        if further is None:
            break
        end = further
    unit = canonical_unit(text[start:end])
    return None if unit is None else (unit, end)


def _product_end(text: str, start: int) -> int | None:
    opened = _OPENS.match(text, start)
    first = _one().match(text, opened.end() if opened else start)
    if first is None:
        return None
    end = first.end()
    while (times := _TIMES_AT.match(text, end)) is not None:
        factor = _one().match(text, times.end())
        if factor is None:
            break
        end = factor.end()
    if opened is None:
        return end
    closed = _CLOSES.match(text, end)
    return closed.end() if closed is not None else None


def canonical_unit(text: str) -> str | None:
    """A unit in symbols, e.g. "千米/小时" and "kilometers per hour" -> "km/h"; None where any part is unknown."""
    whole = spellings().get(" ".join(text.split()))
    if whole is not None:
        return whole
    said = re.sub(r"[(){}]", "", text.strip())
    said = re.sub(_PER, "/", said)
    pieces: list[str] = []
    for side in said.split("/"):
        whole = spellings().get(" ".join(side.split()))
        factors = (
            [whole] if whole else [_factor(one) for one in re.split(_TIMES, side.strip()) if one.strip()]
        )
        if not factors or None in factors:
            return None
        pieces.append("·".join(sorted(factor for factor in factors if factor)))
    return "/".join(pieces)


def _factor(text: str) -> str | None:
    word, mark, power = text.partition("^")
    symbol = spellings().get(" ".join(word.split()))
    return symbol if symbol is None or not mark else f"{symbol}^{power.strip()}"

"""Whose value a floating mark is: "2 kg" beside no symbol says little, "block: 2 kg" says it all.

Where a mark has no place of its own on the drawing, its label is given the name that the question gives the value: the
quantity ("radius of the small circles is 1 cm"), the thing ("15-kg block", "8.80 moles of helium"), or a symbol. Words
are taken from the question as they stand; where no rule finds any, the label stays as it is.
"""

from __future__ import annotations

import re

from benchwright.render.placement_names import ASSIGNED, plain_symbol

_NUMBER = r"[-+]?\d[\d.,]*"
_MEASURE = re.compile(
    rf"^\$?\s*{_NUMBER}(?:\s*\\times\s*10\s*\^\s*\{{?\s*-?\d+\s*\}}?|\s*[×x]\s*10\^?-?\d+)?"
    r"\s*(?:\\[,;:! ]|~)*\s*(?P<unit>\S.*)?$",
    re.DOTALL,
)
_MAX_NAME = 24
_QUANTITIES = (
    "mass|weight|length|width|height|depth|thickness|radius|diameter|perimeter|circumference|area|volume|side|edge|base|"
    "hypotenuse|distance|displacement|separation|speed|velocity|acceleration|force|tension|pressure|temperature|charge|"
    "current|voltage|resistance|power|energy|work|frequency|wavelength|period|density|concentration|constant|angle|slope|"
    "coefficient|capacity|momentum|torque|emf|potential|field|capacitance|inductance|sum|total|rate|dimensions"
)
_QUANTITY = re.compile(f"(?:{_QUANTITIES})s?", re.IGNORECASE)
_HEAD = re.compile(
    rf"(?:\b(?P<first>[a-z]+)[ -])?\b(?P<head>{_QUANTITIES})s?\s*(?:\$?(?P<symbol>[A-Za-z](?:_\{{?\w+\}}?)?)\$?\s*)?"
    r"(?:of|is|was|are|equals?|=|equal to|about|approximately)?\s*(?:a|an|about)?\s*$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"^(?:the|a|an|its|his|her|their|each|if the|and the)\s+(?P<name>[a-z][\w' -]*?)\s+"
    r"(?:is|are|was|has|have|equals)\s+(?:a |an )?(?:(?P<what>mass|length|area|perimeter|volume|radius)\s+of\s+)?$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(?:the|a|an|this|that|its|each|these)\s+", re.IGNORECASE)
_VAGUE = re.compile(r"^(?:magnitude|value|size|amount|measure)\s+of\s+", re.IGNORECASE)
_NOT_FIRST = frozenset(
    [
        "of",
        "with",
        "has",
        "have",
        "having",
        "is",
        "a",
        "an",
        "the",
        "at",
        "and",
        "in",
        "on",
        "its",
        "to",
        "from",
        "whose",
        "that",
        "which",
        "for",
        "by",
        "each",
        "same",
        "total",
        "if",
        "as",
    ]
)
_STOP = frozenset(
    [
        "of",
        "with",
        "has",
        "have",
        "having",
        "is",
        "are",
        "was",
        "were",
        "be",
        "a",
        "an",
        "the",
        "at",
        "and",
        "or",
        "in",
        "on",
        "its",
        "to",
        "from",
        "whose",
        "that",
        "which",
        "for",
        "by",
        "as",
        "if",
        "when",
        "where",
        "while",
        "into",
        "onto",
        "up",
        "down",
        "over",
        "under",
        "against",
        "through",
        "between",
        "after",
        "before",
        "until",
        "than",
        "then",
        "so",
        "but",
        "not",
        "also",
        "per",
        "hangs",
        "slides",
        "rests",
        "moves",
        "falls",
        "sits",
        "lies",
        "rolls",
        "starts",
        "stands",
        "swings",
        "acts",
        "travels",
        "collides",
        "has",
        "flows",
        "passes",
        "leaves",
        "enters",
        "reaches",
        "makes",
        "contains",
        "shown",
        "placed",
        "attached",
        "connected",
        "initially",
        "throughout",
        "went",
        "goes",
        "via",
        "about",
        "along",
        "across",
        "near",
        "out",
        "within",
        "during",
        "around",
        "towards",
        "toward",
        "above",
        "below",
        "beside",
        "since",
        "because",
        "can",
        "could",
        "will",
        "would",
        "must",
        "may",
        "might",
        "does",
        "do",
        "did",
        "this",
        "these",
        "those",
        "each",
        "long",
        "wide",
        "high",
        "tall",
        "deep",
        "thick",
        "apart",
        "away",
        "east",
        "west",
        "north",
        "south",
    ]
)
_ORDER = re.compile(r"\\(?:leq?|geq?|neq?|lt|gt|approx|in)(?![A-Za-z])")
_WORD_UNIT = re.compile(
    r"(?:kilo|centi|milli)?(?:met(?:er|re)|gram|lit(?:er|re))s?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|"
    r"moles?|feet|foot|inch(?:es)?|degrees?|ohms?|volts?|amperes?|pounds?|newtons?|joules?|watts?|percent|miles?|tons?|"
    r"kelvins?|units?"
)
"""Units in letters; another word behind a number is a thing that was counted, and says itself what it is."""
_THING = re.compile(r"\s*-?\s*(?:of\s+)?(?:a\s+|an\s+|the\s+)?((?:[A-Za-z][A-Za-z']*\s*){1,4})")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_HAN_HEAD = re.compile(
    r"(?P<name>[\u4e00-\u9fff]{2,12}?)\s*(?:的)?(?:大小)?\s*(?:分别|恒|均|都|各)?\s*(?:为|是|等于|达到?)?\s*$"
)
_HAN_QUANTITY = re.compile(
    r"(?:(?![接在为的均是有了])[\u4e00-\u9fff]){0,3}(?:质量|长度?|宽度?|高度?|半径|直径|边长|周长|面积|体积|距离|间距|速度|速率|加速度|力|压强|温度|"
    r"电荷量?|电量|电流|电压|电阻|阻值|功率|能量|频率|波长|周期|密度|浓度|夹角|倾角|角度?|劲度系数|动摩擦因数|电动势|内阻|"
    r"有效值|场强|磁感应强度)$"
)


def owned_label(label: str, stem: str, start: int, end: int) -> str:
    """The label with what it belongs to in front, where it is a bare quantity and the question says whose it is.

    Args:
        label: as the decomposition has it; one with a sign of its own (`m = 2 kg`, `block: 2 kg`) stays.
        stem: the question.
        start: where the label's condition begins in it.
        end: where it ends.
    """
    if ASSIGNED.search(label) or _ORDER.search(label) or "→" in label:
        return label
    match = _MEASURE.fullmatch(label.strip().removesuffix("$"))
    if match is None or _counts_things(match["unit"] or ""):
        return label
    written = next((w for w in (label, label.replace(" ", "-")) if stem.find(w, start, end) >= 0), None)
    if written is None:
        return label
    at = stem.find(written, start, end)
    before, after = stem[max(0, start - 60) : at], stem[at + len(written) : end + 60]
    name = (
        _chinese_name(before) if _HAN.search(before[-12:]) else _english_name(stem[start:at], before, after)
    )
    if not name or len(plain_symbol(name, keep_blanks=True)) > _MAX_NAME:
        return label
    return f"{name} = {label}" if name.startswith("$") else f"{name}: {label}"


def _counts_things(unit: str) -> bool:
    words = re.findall(r"[A-Za-z]+", unit) if not re.search(r"[\\$/^]", unit) else []
    return bool(words) and len(words[0]) >= 4 and _WORD_UNIT.fullmatch(words[0].lower()) is None


def _english_name(inside: str, before: str, after: str) -> str:
    if (match := _SENTENCE.match(inside.lstrip())) is not None:
        name = _VAGUE.sub("", _ARTICLE.sub("", match["name"])).strip()
        whole = f"{name} {match['what']}" if match["what"] else name
        return whole if len(whole) <= _MAX_NAME else whole.split(" of ")[0]
    thing = _thing(after)
    if thing and re.search(r"\b(?:a|an)\s*\$?\s*$", before, re.IGNORECASE):
        return _singular(thing)  # "the sides of a 120° angle" speaks of the angle
    if (match := _HEAD.search(before)) is not None:
        if match["symbol"] and match["symbol"] not in ("a", "A", "I"):
            return f"${match['symbol']}$"
        first = (match["first"] or "").lower()
        return (
            match["head"].lower() if not first or first in _NOT_FIRST else f"{first} {match['head'].lower()}"
        )
    return thing


def _singular(thing: str) -> str:
    """What follows "a" is one thing: a last word in -s is the verb ("a 2-kg cart rolls")."""
    words = thing.split()
    verb = len(words) > 1 and re.fullmatch(r"[a-z]+(?<![sui])s", words[-1]) is not None
    return " ".join(words[:-1]) if verb else thing


def _thing(after: str) -> str:
    """The noun behind a quantity: "15-kg block", "30 mL of water"; nothing where none follows at once."""
    match = _THING.match(after)
    if match is None or not (after[:1] == "-" or after[:1].isspace()):
        return ""
    rest = after[match.end() :]
    words: list[str] = []
    for word in match[1].split():
        if word.lower() in _STOP or (words and word.endswith(("ed", "ing", "ly"))):
            break
        words.append(word)
        if _QUANTITY.fullmatch(word):
            break
    if not words or len(words) > 3 or words[0].lower() in _STOP:
        return ""
    index = re.match(r"\$_\{?\w+\}?\$", rest) if match[1].split() == words else None
    if index is None and rest[:1] in ("$", "_", "(", "^") and not match[1][-1:].isspace():
        return ""  # the front half of a formula
    return " ".join(words) + (index[0] if index is not None and not match[1][-1:].isspace() else "")


def _chinese_name(before: str) -> str:
    match = _HAN_HEAD.search(re.split(r"[，。；、,.;：:（）()]", before)[-1].rstrip())
    if match is None:
        return ""
    name = match["name"].rsplit("的", 1)[-1]
    found = _HAN_QUANTITY.search(name)
    return found[0] if found is not None else ""

"""What a drawing shows already: a condition whose marks all stand on it needs no second ink (SciVerse, section 2.3)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from benchwright.render.placement_names import ASSIGNED, DiagramLabel, plain_symbol

_SURE = 0.85
"""Least score of a reading that counts."""
_SYMBOL = 0.8
_VALUE_ALONE = 0.6
"""Confidence where the drawing says symbol and value, and where it says a value with a unit alone."""
_EQUAL = ("=", "＝")
_UNIT = r"(?:[A-Za-zΩμ°℃%][A-Za-zΩμ°℃%²³·/^0-9-]*)"
_QUANTITY = re.compile(rf"(?P<number>[-+]?\d+(?:\.\d+)?)(?P<power>[×x]10\^?-?\d+)?(?P<unit>{_UNIT})?")
_SPELLED = (
    (re.compile(r"\\(?:mathrm|text|mathbf|rm|operatorname)\b"), ""),
    (re.compile(r"\^\s*\{?\s*\\circ\s*\}?|\\circ|º|˚"), "°"),
    (re.compile(r"\\times|\\cdot"), "×"),
    (re.compile(r"\\(?:Omega|ohm)\b|Ω|ohms?\b"), "Ω"),
    (re.compile(r"\\mu\b|µ"), "μ"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\[,;:! ]|~"), ""),
    (re.compile(r"(?<=\d)\s*-\s*(?=[A-Za-z])"), ""),
)


@dataclass(frozen=True)
class There:
    """What says a mark already."""

    image: str
    """Digest of the drawing."""
    label: DiagramLabel
    confidence: float


def already_there(label: str, span: str, labels: Mapping[str, Sequence[DiagramLabel]]) -> There | None:
    """The drawings' own label that says what a mark would say; None where none or more than one does.

    A symbol must stand there with that very value. Where the question gives no symbol, a value with its unit is
    enough if the drawings have it once: "10 kg" written on the box. A bare number is never enough: it may be a tick
    of an axis.

    Args:
        label: the mark's label.
        span: the words of its condition: a symbol that they do not give was added, and proves nothing.
        labels: the drawings' own labels, by digest of the drawing.
    """
    sure = [(image, item) for image, items in labels.items() for item in items if item.score >= _SURE]
    left, sign, right = _parts(label)
    if sign in _EQUAL and any(sign in span for sign in _EQUAL):
        wanted = (plain_symbol(left), _value(right))
        found = [(image, item) for image, item in sure if _equation(item.text) == wanted]
        return There(*found[0], _SYMBOL) if len(found) == 1 else None
    value = _value(right)
    if not isinstance(value, tuple) or not value[2]:
        return None
    found = [(image, item) for image, item in sure if _value(item.text) == value]
    return There(*found[0], _VALUE_ALONE) if len(found) == 1 else None


_Value = tuple[Decimal, str, str] | str
"""Number, power of ten and unit, or another right side as it is read."""


def _parts(label: str) -> tuple[str, str, str]:
    """Left side, sign and right side; all of it is the right side where there is no sign."""
    match = ASSIGNED.search(label)
    if match is None:
        return "", "", label
    return label[: match.start()], match[0], label[match.end() :]


def _equation(text: str) -> tuple[str, _Value] | None:
    left, sign, right = _parts(text)
    return (plain_symbol(left), _value(right)) if sign in _EQUAL else None


def _value(text: str) -> _Value:
    said = text
    for pattern, plain in _SPELLED:
        said = pattern.sub(plain, said)
    # Recognition writes x² where a formula has x^2.
    said = re.sub(r"[−–—]", "-", unicodedata.normalize("NFKC", said))
    said = re.sub(r"[\s${}\\]", "", said).strip("()（）.,，。")
    match = _QUANTITY.fullmatch(said)
    if match is None:
        return re.sub(r"[\^_]", "", said)
    power = re.sub(r"[^\d-]", "", (match["power"] or "")[3:])
    return Decimal(match["number"]).normalize(), power, (match["unit"] or "").replace("^", "")

"""What a mark names ("m = 2 kg" names m, "AB = 5" names A and B), and where the drawing's own labels say it.

The labels come from recognition of the drawing (`diagram_labels`) and are an input like any other: a renderer that was
not given them places the same marks on free ground instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter, ValidationError

from benchwright.render.legibility_read import Reader
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.images import open_published
from benchwright.schemas.records import Record, Sha256

Fractions = tuple[float, float, float, float]
"""x, y, width, height in 0..1 of the published image."""

_GREEK = (
    "alpha",
    "beta",
    "gamma",
    "theta",
    "lambda",
    "mu",
    "rho",
    "omega",
    "varphi",
    "phi",
    "Omega",
    "Delta",
)
_GLYPHS = dict(zip(_GREEK, "αβγθλμρωφφΩΔ", strict=True))
_MEASURE = re.compile(
    r"\d[\d.,]*(?:\s*\\times\s*10\^\{?[-\d]+\}?)?\s*(?:\\[a-z]+\{[^{}]*\}|[A-Za-zΩ°%/·℃]+)?"
)
"""A number with its unit: its letters name nothing."""
_TOKEN = re.compile(r"[A-Z][A-Z']{0,2}\d?|[A-Za-zα-ω]\d?(?![A-Za-z])")
ASSIGNED = re.compile(r"[=＝:：≈<>≤≥]")
"""What stands between a symbol and its value."""
_SYMBOLIC = re.compile(r"[A-Za-zα-ωΑ-Ω][A-Za-z]?'?\d{0,2}'?|[A-Z]{2,3}'?|m?[∠△][A-Z]{1,3}\d?")
_VALUE = re.compile(r"\s*[-+]?\d|\s*[?？]?\s*$")
_INPUT = re.compile(r"\s*(?:输入|input)\s*[:：]?\s*(.+)", re.IGNORECASE)
_AXES = frozenset({"x", "y", "z"})
"""They name axes: "y = 2x" belongs to a curve, not to the letter at the arrow's end."""
_BEFORE = re.compile(
    r"(?:[a-z]{3,}|[\u4e00-\u9fff])\s*\$?([A-Z]\d?)\$?\s*(?:的|,|，|has|with|having|is|carries)?\s*$"
)
"""A thing with its letter right before the words of a condition: "block B" of mass 3 kg."""
_SMALLEST_ENLARGED = 900
"""Longest side, in pixels, to which a small drawing is enlarged before its labels are read."""


class DiagramLabel(Record):
    """A label that the drawing itself bears."""

    text: str
    score: float
    box: Fractions


class Target(Record):
    """Where on the drawing a mark belongs, by the drawing's own labels."""

    box: Fractions
    label: str
    """The label, or labels, that say so."""


def names_of(label: str, span: str, before: str = "") -> tuple[str, ...]:
    r"""What a mark may name, best first: the symbol of its equation, else the capital letters of its words.

    Args:
        label: the mark's label, e.g. `$R_1 = 5\ \Omega$`, or `ball mass: $m$`, which names m.
        span: the words of its condition.
        before: the words in front of it, whose last may be the thing with its letter.
    """
    sides = ASSIGNED.split(label, maxsplit=1)
    for side in sides if len(sides) > 1 else ():
        name = plain_symbol(side)
        if name in _AXES:
            return ()
        if _SYMBOLIC.fullmatch(name):
            return (name.removeprefix("m") if "∠" in name else name,)
    words = plain_symbol(_MEASURE.sub(" ", span), keep_blanks=True)
    found = [token for token in _TOKEN.findall(words) if token[0].isupper()]
    if (owner := _BEFORE.search(before)) is not None:
        found.append(owner[1])
    return tuple(dict.fromkeys(found))


def plain_symbol(text: str, keep_blanks: bool = False) -> str:
    r"""A symbol as a reader would write it: `$R_{1}$` is R1, `\angle A` is ∠A."""
    shown = re.sub(r"\\(?:mathrm|text|mathbf|mathit|operatorname)\b", "", text)
    shown = shown.replace("\\angle", "∠").replace("\\triangle", "△")
    shown = re.sub(r"\\([A-Za-z]+)", lambda m: _GLYPHS.get(m[1], " "), shown)
    shown = re.sub(r"[${}_^\\]", "", shown)
    return shown if keep_blanks else re.sub(r"\s+", "", shown)


def target_of(names: Sequence[str], labels: Sequence[DiagramLabel]) -> Target | None:
    """The place of the first name that the drawing's labels settle: one label, or the middle between two.

    A name that stands on the drawing twice settles nothing.
    """
    for name in names:
        if name.startswith("∠") and len(name) == 4:
            name = name[2]  # the angle ABC lies at B
        name = name.lstrip("∠△")
        if (whole := _only(name, labels)) is not None:
            return Target(box=whole.box, label=whole.text)
        if len(name) == 2 and name.isalpha() and (name.isupper() or name.islower()):
            first, second = _only(name[0], labels), _only(name[1], labels)
            if first is not None and second is not None:
                return Target(box=_between(first.box, second.box), label=f"{first.text}, {second.text}")
    return None


def diagram_labels(data: bytes, reader: Reader) -> tuple[DiagramLabel, ...]:
    """Read a drawing's own labels.

    Args:
        data: published bytes.
        reader: finds and reads.
    """
    image = open_published(data).convert("RGB")
    scale = max(1.0, _SMALLEST_ENLARGED / max(image.size))
    if scale > 1.0:
        image = image.resize((round(image.width * scale), round(image.height * scale)))
    width, height = image.size
    found = [
        DiagramLabel(
            text=reading.text.strip(),
            score=reading.score,
            box=(_share(x, width), _share(y, height), _share(w, width), _share(h, height)),
        )
        for reading, (x, y, w, h) in reader.find(np.asarray(image))
        if reading.text.strip()
    ]
    return tuple(sorted(found, key=lambda item: (item.box[1], item.box[0], item.text)))


def cached_labels(folder: Path, sha256: Sha256, data: bytes, reader: Reader) -> tuple[DiagramLabel, ...]:
    """The same, kept in one JSON file per drawing and reader: reading a drawing costs a second.

    Args:
        folder: may be deleted at any time.
        sha256: digest of the published bytes.
        data: the bytes.
        reader: used where nothing is kept yet.
    """
    many = TypeAdapter(tuple[DiagramLabel, ...])
    path = folder / reader.version.replace(" ", "-") / f"{sha256}.json"
    try:
        return many.validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        labels = diagram_labels(data, reader)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, canonical_json(labels).encode("utf-8"))
    return labels


def _only(name: str, labels: Sequence[DiagramLabel]) -> DiagramLabel | None:
    """The one label that says `name`: alone, as the left side of its value, or among what a flow chart reads in."""
    found = [item for item in labels if _says(item.text, name)]
    return found[0] if len(found) == 1 else _input(name, labels)


def _says(text: str, name: str) -> bool:
    sides = ASSIGNED.split(text, maxsplit=1)
    if len(sides) > 1 and not _VALUE.match(sides[1]):
        return False  # "a = a - b" is a step, not a name
    return plain_symbol(sides[0]) == name


def _input(name: str, labels: Sequence[DiagramLabel]) -> DiagramLabel | None:
    found = [
        item
        for item in labels
        if (match := _INPUT.match(item.text)) and name in map(plain_symbol, re.split(r"[,，、\s]+", match[1]))
    ]
    return found[0] if len(found) == 1 else None


def _share(length: float, whole: int) -> float:
    return round(min(1.0, max(0.0, length / whole)), 5)


def _between(first: Fractions, second: Fractions) -> Fractions:
    x = (first[0] + first[2] / 2 + second[0] + second[2] / 2) / 2
    y = (first[1] + first[3] / 2 + second[1] + second[3] / 2) / 2
    return x, y, 0.0, 0.0

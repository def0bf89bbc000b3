"""Strips for the reader: each line's text without its formulas, short lines together; and what it read of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from benchwright.render.legibility_read import Reader, Reading
from benchwright.render.legibility_scene import Pixels, Scene, line_of
from benchwright.render.legibility_text import comparable, edit_distance, errors_by_part, unreadable
from benchwright.render.legibility_view import View
from benchwright.render.sidecar import Rect, RunRecord, Sidecar

_ABOVE, _BELOW = 1.0, 0.36
"""Height of a strip in em, from the baseline."""
_JOINT = 0.35
"""Air between two stretches of one line, in em."""
_BETWEEN = 1.2
"""Air between two lines in one strip."""
_SHORT = 10
"""Lines shorter than this many em are read together with others: alone a reader guesses."""
_FULL = 26
"""Length of a strip of several lines, in em."""
_PAPER = 41
"""Side, in pixels, of the neighbourhood whose median is a photographed paper's colour."""


@dataclass(frozen=True)
class ReadLine:
    """One line as known and as read; `read` is None where nothing was read."""

    expected: str
    px: int
    """Size of its text; 0 for a line without text."""
    read: str | None = None
    score: float | None = None
    characters: int = 0
    errors: int = 0
    unknown: int = 0
    """Characters that it cannot be asked for: what is read in their place is no error."""


@dataclass(frozen=True)
class _Line:
    index: int
    pieces: tuple[tuple[RunRecord, ...], ...]
    px: int

    @property
    def text(self) -> str:
        return " ".join("".join(run.text for run in piece) for piece in self.pieces)


@dataclass(frozen=True)
class _Page:
    """A picture without its formulas, and how boxes are cut out of it."""

    pixels: Pixels
    view: View


def read_lines(
    sidecar: Sidecar, picture: Pixels, made: Scene, reader: Reader | None, view: View
) -> list[ReadLine]:
    """Read the text of every line of a picture.

    A line that does not read as it should is read again alone, with more air, and in halves; the best reading counts:
    a good line reads well at some framing, a wrong one at none.

    Args:
        sidecar: lines and runs.
        picture: the published picture, shape (height, width, 3).
        made: the same drawn again: formulas are taken out of the strips by it.
        reader: None: nothing is read.
        view: cuts a line's box out of the picture.
    """
    lines = _lines(sidecar)
    found = [ReadLine("", 0) for _ in sidecar.lines]
    for line in lines:
        found[line.index] = ReadLine(line.text, line.px)
    if reader is None:
        return found
    page = _Page(_without_formulas(picture, made, view), view)
    packs = _packed(lines, reader)
    strips = [_joined([_strip(page, line, 0.0) for line in pack], pack[0].px) for pack in packs]
    for pack, reading in zip(packs, reader.read(strips), strict=True):
        known = [comparable(line.text, reader.alphabet) for line in pack]
        counts = errors_by_part(known, comparable(reading.text, reader.alphabet))
        for line, text, errors in zip(pack, known, counts, strict=True):
            best = _judged(line, reading, text, errors, reader)
            if best.errors > best.unknown:
                best = _again(page, line, text, best, reader)
            found[line.index] = best
    return found


def _judged(line: _Line, reading: Reading, known: str, errors: int, reader: Reader) -> ReadLine:
    lost = unreadable(line.text, reader.alphabet)
    return ReadLine(line.text, line.px, reading.text, reading.score, len(known), errors, lost)


def _again(page: _Page, line: _Line, known: str, best: ReadLine, reader: Reader) -> ReadLine:
    """The best of further readings of one line alone."""
    attempts = [[_strip(page, line, air)] for air in (0.0, 0.15)]
    runs = [run for piece in line.pieces for run in piece]
    if len(runs) > 1:
        middle = len(runs) // 2
        attempts.append(
            [_strip(page, part, 0.1) for part in (_part(line, 0, middle), _part(line, middle, len(runs)))]
        )
    for strips in attempts:
        readings = reader.read(strips)
        text = " ".join(reading.text for reading in readings)
        errors = edit_distance(known, comparable(text, reader.alphabet))
        if errors < best.errors:
            score = min(reading.score for reading in readings)
            best = _judged(line, Reading(text, score), known, errors, reader)
        if best.errors == 0:
            break
    return best


def _part(line: _Line, start: int, end: int) -> _Line:
    """Some of a line's runs, in their pieces."""
    pieces: list[tuple[RunRecord, ...]] = []
    position = 0
    for piece in line.pieces:
        if kept := piece[max(0, start - position) : max(0, end - position)]:
            pieces.append(kept)
        position += len(piece)
    return _Line(line.index, tuple(pieces), line.px)


def _lines(sidecar: Sidecar) -> list[_Line]:
    """Lines that have text, each in stretches between its formulas."""
    runs: dict[int, list[RunRecord]] = {}
    for run in sidecar.runs:
        if run.text.strip():
            runs.setdefault(line_of(sidecar, run), []).append(run)
    found: list[_Line] = []
    for index, members in sorted(runs.items()):
        ordered = sorted(members, key=lambda run: run.x)
        breaks = [f.box.x for f in sidecar.formulas if f.baseline == ordered[0].y]
        pieces: list[list[RunRecord]] = [[ordered[0]]]
        for before, after in pairwise(ordered):
            if any(before.x < x <= after.x for x in breaks):
                pieces.append([])
            pieces[-1].append(after)
        if index >= 0:
            found.append(_Line(index, tuple(tuple(piece) for piece in pieces), ordered[0].px))
    return found


def _packed(lines: Sequence[_Line], reader: Reader) -> list[list[_Line]]:
    """Lines in the groups in which they are read; lines without a comparable character are not read at all."""
    packs: list[list[_Line]] = []
    room = 0
    for line in lines:
        if not comparable(line.text, reader.alphabet):
            continue
        width = sum(piece[-1].x + piece[-1].width - piece[0].x for piece in line.pieces)
        short = width < _SHORT * line.px
        if short and packs and room >= width and packs[-1][0].px == line.px:
            packs[-1].append(line)
            room -= width
        else:
            packs.append([line])
            room = _FULL * line.px - width if short else 0
    return packs


def _without_formulas(picture: Pixels, made: Scene, view: View) -> Pixels:
    """The page with formulas' ink replaced by the ground; on a photograph by the paper's local colour."""
    ground = cv2.medianBlur(picture, _PAPER) if view.photo else made.ground
    page = picture.copy()
    page[made.formula_ink] = ground[made.formula_ink]
    return page


def _strip(page: _Page, line: _Line, air: float) -> Pixels:
    """A line's stretches beside each other, `air` em of ground around them."""
    px = line.px
    cuts: list[Pixels] = []
    for piece in line.pieces:
        top, bottom = piece[0].y - round(_ABOVE * px), piece[0].y + round(_BELOW * px)
        left, right = piece[0].x - 1, piece[-1].x + piece[-1].width + 1
        cuts.append(_cut(page, left, top, right, bottom))
    strip = cuts[0]
    for cut in cuts[1:]:
        strip = _beside(strip, cut, round(_JOINT * px))
    return _framed(strip, round(air * px))


def _cut(page: _Page, left: int, top: int, right: int, bottom: int) -> Pixels:
    """A box of the page, white where it reaches beyond; of a photograph the band along it."""
    if page.view.photo is not None:
        return page.view.cut(page.pixels, Rect(x=left, y=top, width=right - left, height=bottom - top))
    cut = np.full((bottom - top, max(1, right - left), 3), 255, np.uint8)
    pixels = page.pixels
    y0, y1 = max(0, top), min(pixels.shape[0], bottom)
    x0, x1 = max(0, left), min(pixels.shape[1], right)
    if y1 > y0 and x1 > x0:
        cut[y0 - top : y1 - top, x0 - left : x1 - left] = pixels[y0:y1, x0:x1]
    return cut


def _joined(strips: Sequence[Pixels], px: int) -> Pixels:
    whole = strips[0]
    for strip in strips[1:]:
        whole = _beside(whole, strip, round(_BETWEEN * px))
    return whole


def _beside(left: Pixels, right: Pixels, gap: int) -> Pixels:
    height = max(left.shape[0], right.shape[0])
    parts = [_tall(left, height), np.full((height, gap, 3), _ground(left), np.uint8), _tall(right, height)]
    return np.concatenate(parts, axis=1)


def _tall(strip: Pixels, height: int) -> Pixels:
    if strip.shape[0] == height:
        return strip
    more = np.full((height - strip.shape[0], strip.shape[1], 3), _ground(strip), np.uint8)
    return np.concatenate([strip, more], axis=0)


def _framed(strip: Pixels, air: int) -> Pixels:
    if air == 0:
        return strip
    height, width = strip.shape[:2]
    framed = np.full((height + 2 * air, width + 2 * air, 3), _ground(strip), np.uint8)
    framed[air : air + height, air : air + width] = strip
    return framed


def _ground(strip: Pixels) -> tuple[int, int, int]:
    red, green, blue = np.median(strip.reshape(-1, 3), axis=0)
    return int(red), int(green), int(blue)

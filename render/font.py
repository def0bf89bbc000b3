"""The bundled text font: which characters it has, how wide they are, their outlines, and drawing with it.

Pillow draws a placeholder box for a character that a font lacks and says nothing, so every character is checked
against the font's own table before anything is drawn. The system's fonts are never asked.
"""

from __future__ import annotations

import io
import math
import struct
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Any

from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.ttLib import TTFont, TTLibError
from PIL import Image, ImageDraw, ImageFont, features

from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import ItemError, UsageError

BUNDLED = Path(__file__).parent / "fonts" / "BenchwrightSerif-Regular.otf"
FAMILY = "Benchwright Serif"
_NEEDED = "ABCDEFGHIabcdefghixyz0123456789.,()"
_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN", "RLE", "RLO", "RLI"))
_KEPT = 6000
"""Runs of text whose width and ink are remembered."""
_FORMULA_CAPITAL = 0.66
"""Height of a capital in the formula fonts (STIX Two 0.657, MathJax 0.683), in em."""


class TextFont:
    """One font file, at any size.

    Args:
        path: an OpenType or TrueType file, or a collection, whose first face is taken; the bundled one unless the
            user names another.

    Raises:
        UsageError: the file is missing, no font, or has no Latin letters and digits.
    """

    def __init__(self, path: Path = BUNDLED) -> None:
        self.path = path
        try:
            data = path.read_bytes()
        except OSError as error:
            raise UsageError(
                f"the font {path} cannot be read ({error.strerror}): name an OpenType or TrueType file."
            ) from error
        self.digest = sha256_bytes(data)
        self._font = _parsed(path, data)
        self._map: dict[int, str] = self._font.getBestCmap() or {}
        if lost := self.missing(_NEEDED):
            raise UsageError(f"the font {path} lacks {lost!r}: choose one with Latin letters and digits.")
        self._glyphs = self._font.getGlyphSet()
        self.units_per_em: int = self._font["head"].unitsPerEm
        self.formula_scale: float = self._capital() / self.units_per_em / _FORMULA_CAPITAL
        """Em of a formula for an em of text, so that digits and capitals of both are equally tall."""
        self._outlines: dict[str, str] = {}
        self._faces: dict[int, ImageFont.FreeTypeFont] = {}
        self._widths: dict[tuple[str, int], float] = {}
        self._inks: dict[tuple[str, int], tuple[float, float, float, float]] = {}
        self._masks: dict[tuple[str, int], tuple[Image.Image | None, int, int]] = {}
        # Without Raqm kerning and combining marks would silently differ between machines.
        self._engine = ImageFont.Layout.RAQM if features.check("raqm") else ImageFont.Layout.BASIC

    def __contains__(self, char: str) -> bool:
        return ord(char) in self._map

    def missing(self, text: str) -> str:
        """The characters of `text` that the font cannot draw, each once, in order."""
        return "".join(dict.fromkeys(c for c in text if not c.isspace() and ord(c) not in self._map))

    def require(self, text: str) -> None:
        """Refuse text that the font cannot draw, and scripts that run from right to left.

        Whole lines are set from left to right here; a font that has Hebrew or Arabic letters does not change that.

        Raises:
            ItemError: `missing-glyph` or `right-to-left`, naming the characters.
        """
        if lost := self.missing(text):
            named = ", ".join(f"{c if c.isprintable() else '?'} (U+{ord(c):04X})" for c in lost[:12])
            raise ItemError("missing-glyph", f"the font has no {named}")
        refuse_right_to_left(text)

    def advance_em(self, char: str) -> float:
        """Width of one character in em."""
        width: int = self._font["hmtx"][self._map[ord(char)]][0]
        return width / self.units_per_em

    def outline(self, char: str) -> str:
        """SVG path of one character, in font units, y upwards."""
        if char not in self._outlines:
            pen = SVGPathPen(self._glyphs)
            self._glyphs[self._map[ord(char)]].draw(pen)
            self._outlines[char] = pen.getCommands()
        return self._outlines[char]

    def _capital(self) -> float:
        """Height of a capital in font units; measured where the font does not say."""
        stated = getattr(self._font["OS/2"], "sCapHeight", 0) if "OS/2" in self._font else 0
        if stated:
            return float(stated)
        pen = BoundsPen(self._glyphs)
        self._glyphs[self._map[ord("H")]].draw(pen)
        return float(pen.bounds[3])

    def face(self, px: int) -> ImageFont.FreeTypeFont:
        """The Pillow face at a size in pixels."""
        if px not in self._faces:
            self._faces[px] = ImageFont.truetype(str(self.path), px, layout_engine=self._engine)
        return self._faces[px]

    def width(self, text: str, px: int) -> float:
        """Advance width of a run of text in pixels."""
        key = (text, px)
        if (width := self._widths.get(key)) is None:
            _make_room(self._widths)
            width = self._widths[key] = self.face(px).getlength(text)
        return width

    def mask(self, text: str, px: int) -> tuple[Image.Image | None, int, int]:
        """Coverage of a run of text, mode L, and where its corner lies from the start of the baseline; None: no ink."""
        key = (text, px)
        if (found := self._masks.get(key)) is None:
            _make_room(self._masks)
            left, top, right, bottom = (math.floor(v) for v in self.ink(text, px))
            size = (max(1, right - left + 4), max(1, bottom - top + 4))
            drawn = Image.new("L", size, 0)
            ImageDraw.Draw(drawn).text((2 - left, 2 - top), text, fill=255, font=self.face(px), anchor="ls")
            box = drawn.getbbox()
            found = (None, 0, 0) if box is None else (drawn.crop(box), left - 2 + box[0], top - 2 + box[1])
            self._masks[key] = found
        return found

    def ink(self, text: str, px: int) -> tuple[float, float, float, float]:
        """Ink box of a run whose baseline starts at (0, 0): left, top, right, bottom in pixels, y downwards."""
        key = (text, px)
        if (box := self._inks.get(key)) is None:
            _make_room(self._inks)
            box = self._inks[key] = self.face(px).getbbox(text, anchor="ls")
        return box


def _make_room(kept: dict[tuple[str, int], Any]) -> None:
    """Words come back, but not all of them for ever."""
    if len(kept) >= _KEPT:
        for key in list(kept)[: _KEPT // 2]:
            del kept[key]


def refuse_right_to_left(text: str) -> None:
    """Refuse Hebrew, Arabic and the like, whatever the font has.

    Raises:
        ItemError: `right-to-left`, naming the characters.
    """
    if turned := [c for c in dict.fromkeys(text) if unicodedata.bidirectional(c) in _RIGHT_TO_LEFT]:
        named = ", ".join(f"{c} (U+{ord(c):04X})" for c in turned[:12])
        raise ItemError("right-to-left", f"scripts written from right to left are not supported: {named}")


def _parsed(path: Path, data: bytes) -> TTFont:
    try:
        font = TTFont(io.BytesIO(data), lazy=True, fontNumber=0)
        font.getBestCmap(), font["head"], font["hmtx"], font.getGlyphSet()  # read here what is used later
        ImageFont.truetype(io.BytesIO(data), 32)
        return font
    except (TTLibError, OSError, struct.error, KeyError, AssertionError) as error:
        raise UsageError(
            f"{path} is not a font that can be read ({error}): name an OpenType or TrueType file."
        ) from error


@lru_cache(maxsize=4)
def load_font(path: Path = BUNDLED) -> TextFont:
    """A font, opened once per process."""
    return TextFont(path)

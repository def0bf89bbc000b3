"""The bundled text font: which characters it has, how wide they are, their outlines, and drawing with it.

Pillow draws a placeholder box for a character that a font lacks and says nothing, so every character is checked
against the font's own table before anything is drawn. The system's fonts are never asked.
"""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.ttLib import TTFont
from PIL import ImageFont, features

from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import ItemError

BUNDLED = Path(__file__).parent / "fonts" / "BenchwrightSerif-Regular.otf"
FAMILY = "Benchwright Serif"
_FORMULA_CAPITAL = 0.66
"""Height of a capital in the formula fonts (STIX Two 0.657, MathJax 0.683), in em."""


class TextFont:
    """One font file, at any size.

    Args:
        path: an OpenType file; the bundled one unless the user names another.
    """

    def __init__(self, path: Path = BUNDLED) -> None:
        self.path = path
        data = path.read_bytes()
        self.digest = sha256_bytes(data)
        self._font = TTFont(io.BytesIO(data), lazy=True)
        self._map: dict[int, str] = self._font.getBestCmap()
        self._glyphs = self._font.getGlyphSet()
        self.units_per_em: int = self._font["head"].unitsPerEm
        self.formula_scale: float = self._font["OS/2"].sCapHeight / self.units_per_em / _FORMULA_CAPITAL
        """Em of a formula for an em of text, so that digits and capitals of both are equally tall."""
        self._outlines: dict[str, str] = {}
        self._faces: dict[int, ImageFont.FreeTypeFont] = {}
        # Without Raqm kerning and combining marks would silently differ between machines.
        self._engine = ImageFont.Layout.RAQM if features.check("raqm") else ImageFont.Layout.BASIC

    def __contains__(self, char: str) -> bool:
        return ord(char) in self._map

    def missing(self, text: str) -> str:
        """The characters of `text` that the font cannot draw, each once, in order."""
        return "".join(dict.fromkeys(c for c in text if not c.isspace() and ord(c) not in self._map))

    def require(self, text: str) -> None:
        """Refuse text that the font cannot draw.

        Raises:
            ItemError: `missing-glyph`, naming the characters.
        """
        if lost := self.missing(text):
            named = ", ".join(f"{c if c.isprintable() else '?'} (U+{ord(c):04X})" for c in lost[:12])
            raise ItemError("missing-glyph", f"the font has no {named}")

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

    def face(self, px: int) -> ImageFont.FreeTypeFont:
        """The Pillow face at a size in pixels."""
        if px not in self._faces:
            self._faces[px] = ImageFont.truetype(str(self.path), px, layout_engine=self._engine)
        return self._faces[px]

    def width(self, text: str, px: int) -> float:
        """Advance width of a run of text in pixels."""
        return self.face(px).getlength(text)

    def ink(self, text: str, px: int) -> tuple[float, float, float, float]:
        """Ink box of a run whose baseline starts at (0, 0): left, top, right, bottom in pixels, y downwards."""
        return self.face(px).getbbox(text, anchor="ls")


@lru_cache(maxsize=4)
def load_font(path: Path = BUNDLED) -> TextFont:
    """A font, opened once per process."""
    return TextFont(path)

r"""The main engine: mathra (Rust, STIX Two Math). Characters its font lacks are supplied as outlines of ours.

mathra draws one and the same box for every character it lacks. Which box stands for which character is found by
drawing the formula once more per distinct character with the others replaced by a marker: neither the order of its
warnings nor that of the source is the order of drawing (`\overset{a}{b}` draws b first).
"""

from __future__ import annotations

import re

import mathra

from benchwright.render.font import TextFont
from benchwright.render.formula import Drawing, Refusal

_VIEW = re.compile(r'viewBox="([-\d.]+) ([-\d.]+) ([-\d.]+) ([-\d.]+)"')
_USE = re.compile(r'<use href="#[^"]*-(g\d+)" (?:x="([-\d.]+)" y="([-\d.]+)"|transform="([^"]+)")/>')
_MISSING = re.compile(r"U\+([0-9A-F]{4,6})")
_MISSING_RULE = "E-REC-8"
_MARKERS = "■▲◆"
_BOX_ADVANCE = 0.932
"""Width that mathra gives to a missing character, in em."""


class MathraEngine:
    """mathra behind the `Engine` protocol.

    Args:
        font: where missing characters come from.
    """

    name = "mathra"
    version: str = mathra.core_version

    def __init__(self, font: TextFont) -> None:
        self._font = font
        self._glyph_ids: dict[str, str] = {}

    def draw(self, tex: str, display: bool) -> Drawing:
        """Typeset; refuses on any warning other than a missing character that the text font has.

        Raises:
            Refusal: `formula` or `missing-glyph`.
        """
        result = self._render(tex, display)
        missing: list[str] = []
        for warning in result["warnings"]:
            match = _MISSING.search(warning["description"])
            if warning["rule"] != _MISSING_RULE or match is None:
                raise Refusal("formula", f"{warning['rule']} {warning['description']}")
            missing.append(chr(int(match[1], 16)))
        svg: str = result["svg"]
        view = _VIEW.search(svg)
        if view is None:
            raise Refusal("formula", "no viewBox")
        _, top, width, height = (float(view[i]) for i in range(1, 5))
        body = _body(svg)
        if missing:
            if lost := [c for c in dict.fromkeys(missing) if c not in self._font]:
                raise Refusal(
                    "missing-glyph", "no font has " + ", ".join(f"{c} (U+{ord(c):04X})" for c in lost)
                )
            body = self._splice(tex, display, body, sorted(set(missing)))
        return Drawing(body, width / 1000, -top / 1000, (height + top) / 1000, self.name)

    def _render(self, tex: str, display: bool) -> mathra.Result:
        try:
            return mathra.render(tex, display=display)
        except ValueError as error:
            raise Refusal("formula", str(error)) from error

    def _glyph(self, char: str) -> str:
        """Mathra's glyph id of a character it has, or of its box for one it lacks."""
        if char not in self._glyph_ids:
            uses = _USE.findall(_body(mathra.render(f"\\text{{{char}}}", display=False)["svg"]))
            self._glyph_ids[char] = uses[0][0]
        return self._glyph_ids[char]

    def _splice(self, tex: str, display: bool, body: str, missing: list[str]) -> str:
        marker = next((m for m in _MARKERS if m not in tex), None)
        box = self._glyph(missing[0])
        boxes = [match for match in _USE.finditer(body) if match[1] == box]
        if marker is None or "\\square" in tex or "\\Box" in tex or "□" in tex:
            raise Refusal("formula", "a square beside characters the font lacks")
        names: list[str | None] = [None] * len(boxes)
        for char in missing:
            others = "".join(c for c in missing if c != char)
            masked = tex.translate(dict.fromkeys(map(ord, others), marker))
            drawn = [use[0] for use in _USE.findall(_body(self._render(masked, display)["svg"]))]
            sequence = [glyph for glyph in drawn if glyph in (box, self._glyph(marker))]
            if len(sequence) != len(boxes):
                raise Refusal("formula", f"cannot tell which box is {char}")
            for index, glyph in enumerate(sequence):
                if glyph == box:
                    names[index] = char if names[index] is None else None
        if None in names:
            raise Refusal("formula", "cannot tell which box is which character")
        order = iter(names)

        def outline(match: re.Match[str]) -> str:
            if match[1] != box:
                return match[0]
            char = next(order)
            assert char is not None
            place = match[4] or f"translate({match[2]} {match[3]})"
            advance = self._font.advance_em(char)
            size = min(1.0 / self._font.formula_scale, _BOX_ADVANCE / advance)
            shift = (_BOX_ADVANCE - advance * size) * 500
            scale = size * 1000 / self._font.units_per_em
            return f'<path transform="{place} translate({shift:g} 0) scale({scale:g})" d="{self._font.outline(char)}"/>'

        return _USE.sub(outline, body)


def _body(svg: str) -> str:
    """Glyph definitions and drawing, without title, metadata, style sheet and the invisible text layer."""
    start = svg.index("<defs>")
    end = svg.rindex("<text ") if "<text " in svg else svg.rindex("</svg>")
    return svg[start:end]

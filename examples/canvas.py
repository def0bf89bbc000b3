r"""A small vector canvas for the example diagrams: lines, arrows, arcs and labels set as mathematics.

Coordinates are units with the origin at the top left and y downwards; the picture has `SCALE` pixels a unit. Labels
are language-neutral LaTeX (`R_1 = 4\ \Omega`), drawn as outlines by mathra, so one diagram serves all languages and
no font of the system is asked for. Where each label and each free spot lies is recorded in fractions of the picture.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

import mathra
import numpy as np
import numpy.typing as npt
import resvg_py
from PIL import Image

from benchwright.schemas.digest import sha256_bytes

Point = tuple[float, float]
SCALE = 2
"""Pixels per unit."""
WIDTH = 500.0
"""Least width of a picture in units: 1000 pixels, so that the renderer need not enlarge it."""
THIN, NORMAL, THICK = 1.0, 1.7, 2.6
"""Line widths in units."""
INK = "#141414"
GREY = "#8c8c8c"
PALE = "#ececec"
"""Fill of bodies: pale enough that a label on it keeps its contrast."""
DASH = (6.0, 4.0)
SIZE = 18.0
"""Label size in units."""
_CAP_HEIGHT = 0.655
"""Height of capitals and digits of STIX Two, in em."""
_SIDES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "c": (0, 0),
        "n": (0, -1),
        "s": (0, 1),
        "e": (1, 0),
        "w": (-1, 0),
        "ne": (1, -1),
        "nw": (-1, -1),
        "se": (1, 1),
        "sw": (-1, 1),
    }
)


@dataclass(frozen=True)
class Box:
    """A rectangle in fractions (0..1) of the picture's width and height."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True)
class Label:
    """A label as drawn: its LaTeX, its box, and whether it stands on a white patch that may cut a line."""

    tex: str
    box: Box
    patched: bool = False


@dataclass(frozen=True)
class Spot:
    """Free ground kept for a mark, with the direction of an arrow where one belongs to it (x0, y0, x1, y1)."""

    box: Box
    arrow: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class Drawing:
    """A finished diagram."""

    kind: str
    png: bytes
    width: int
    height: int
    labels: tuple[Label, ...]
    spots: Mapping[str, Spot]
    svg_bare: str = field(repr=False)
    """The drawing without its labels, for checks of what lies beneath them."""

    @property
    def sha256(self) -> str:
        """Digest of the PNG; it is published as it is."""
        return sha256_bytes(self.png)


def rasterise(svg: str) -> npt.NDArray[np.uint8]:
    """Pixels of an SVG on white, shape (height, width, 3)."""
    png = resvg_py.svg_to_bytes(svg_string=svg, background="#ffffff", skip_system_fonts=True)
    with Image.open(io.BytesIO(bytes(png))) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)


@cache
def _typeset(tex: str) -> tuple[str, float, float, float, float]:
    """SVG content of a formula and its viewBox (x, y, w, h) in 1/1000 em, the baseline at y = 0.

    Raises:
        ValueError: mathra warns, so the drawing might not be what was meant.
    """
    result = mathra.render(tex)
    if result["warnings"]:
        raise ValueError(f"label {tex!r}: {result['warnings']}")
    svg: str = result["svg"]
    box = re.search(r'viewBox="([^"]+)"', svg)
    content = re.search(r"<defs>.*?</defs>", svg, re.S)
    glyphs = re.search(r'<g fill="currentColor".*</g>', svg, re.S)
    if box is None or glyphs is None:
        raise ValueError(f"label {tex!r}: not the SVG that was expected")
    x, y, w, h = (float(part) for part in box.group(1).split())
    return (content.group(0) if content else "") + glyphs.group(0), x, y, w, h


def on_circle(centre: Point, radius: float, degrees: float) -> Point:
    """The point at an angle, counted counter-clockwise from the right as the viewer sees it."""
    angle = math.radians(degrees)
    return centre[0] + radius * math.cos(angle), centre[1] - radius * math.sin(angle)


def between(p: Point, q: Point, share: float = 0.5) -> Point:
    """The point at a share of the way from p to q."""
    return p[0] + (q[0] - p[0]) * share, p[1] + (q[1] - p[1]) * share


def beside(p: Point, q: Point, distance: float, share: float = 0.5) -> Point:
    """The point at a share of the way from p to q and `distance` to the right of it (left if negative)."""
    x, y = between(p, q, share)
    length = math.dist(p, q)
    return x - (q[1] - p[1]) / length * distance, y + (q[0] - p[0]) / length * distance


class Canvas:
    """Collects shapes and labels; `finish` makes the picture."""

    def __init__(self, kind: str, width: float, height: float) -> None:
        self.kind = kind
        self.width = width
        self.height = height
        self._left = max(0.0, WIDTH - width) / 2
        """White added at the left and at the right of a narrow drawing."""
        self._shapes: list[str] = []
        self._lettering: list[str] = []
        self._labels: list[Label] = []
        self._spots: dict[str, Spot] = {}

    def path(
        self,
        commands: str,
        *,
        width: float = NORMAL,
        fill: str = "none",
        dash: Sequence[float] | None = None,
        colour: str = INK,
    ) -> None:
        """Draw an SVG path; `width` 0 draws no outline."""
        dashes = f' stroke-dasharray="{" ".join(map(_number, dash))}"' if dash else ""
        stroke = f'stroke="{colour}" stroke-width="{_number(width)}"' if width else 'stroke="none"'
        self._shapes.append(
            f'<path d="{commands}" fill="{fill}" {stroke} stroke-linejoin="round" stroke-linecap="round"{dashes}/>'
        )

    def line(
        self,
        *points: Point,
        width: float = NORMAL,
        dash: Sequence[float] | None = None,
        closed: bool = False,
        fill: str = "none",
        colour: str = INK,
    ) -> None:
        """Draw a line through points, closed and filled if asked."""
        commands = "M" + " L".join(f"{_number(x)} {_number(y)}" for x, y in points) + (" Z" if closed else "")
        self.path(commands, width=width, fill=fill, dash=dash, colour=colour)

    def rect(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        *,
        width: float = NORMAL,
        fill: str = "none",
        r: float = 0,
    ) -> None:
        """Draw a rectangle with corners of radius `r`."""
        stroke = f'stroke="{INK}" stroke-width="{_number(width)}"' if width else 'stroke="none"'
        place = " ".join(f'{k}="{_number(v)}"' for k, v in (("x", x), ("y", y), ("width", w), ("height", h)))
        self._shapes.append(f'<rect {place} rx="{_number(r)}" fill="{fill}" {stroke}/>')

    def circle(
        self,
        centre: Point,
        radius: float,
        *,
        width: float = NORMAL,
        fill: str = "none",
        squash: float = 1.0,
        dash: Sequence[float] | None = None,
    ) -> None:
        """Draw a circle, or an ellipse whose height is `squash` times its width."""
        dashes = f' stroke-dasharray="{" ".join(map(_number, dash))}"' if dash else ""
        stroke = f'stroke="{INK}" stroke-width="{_number(width)}"' if width else 'stroke="none"'
        self._shapes.append(
            f'<ellipse cx="{_number(centre[0])}" cy="{_number(centre[1])}" rx="{_number(radius)}" '
            f'ry="{_number(radius * squash)}" fill="{fill}" {stroke}{dashes}/>'
        )

    def dot(self, centre: Point, radius: float = 3.0) -> None:
        """Draw a filled point."""
        self.circle(centre, radius, width=0, fill=INK)

    def arc(
        self,
        centre: Point,
        radius: float,
        start: float,
        end: float,
        *,
        width: float = NORMAL,
        squash: float = 1.0,
        dash: Sequence[float] | None = None,
    ) -> None:
        """Draw an arc counter-clockwise from `start` to `end` degrees."""
        steps = max(2, math.ceil(abs(end - start) / 4))
        angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
        points = [
            (centre[0] + radius * math.cos(a), centre[1] - radius * squash * math.sin(a)) for a in angles
        ]
        self.line(*points, width=width, dash=dash)

    def curve(
        self,
        points: Iterable[Point],
        *,
        width: float = NORMAL,
        dash: Sequence[float] | None = None,
        closed: bool = False,
        fill: str = "none",
    ) -> None:
        """Draw a smooth line through points (Catmull-Rom splines)."""
        nodes = list(points)
        count = len(nodes)
        commands = f"M{_number(nodes[0][0])} {_number(nodes[0][1])}"
        for i in range(count if closed else count - 1):
            before = nodes[(i - 1) % count] if closed or i else nodes[0]
            a, b = nodes[i], nodes[(i + 1) % count]
            after = nodes[(i + 2) % count] if closed or i + 2 < count else b
            one = (a[0] + (b[0] - before[0]) / 6, a[1] + (b[1] - before[1]) / 6)
            two = (b[0] - (after[0] - a[0]) / 6, b[1] - (after[1] - a[1]) / 6)
            commands += " C" + " ".join(_number(v) for v in (*one, *two, *b))
        self.path(commands + (" Z" if closed else ""), width=width, fill=fill, dash=dash)

    def arrow(
        self,
        p: Point,
        q: Point,
        *,
        width: float = NORMAL,
        head: float = 10.0,
        both: bool = False,
        dash: Sequence[float] | None = None,
    ) -> None:
        """Draw an arrow from p to q, with a head at each end if `both`."""
        length = math.dist(p, q)
        share = min(0.9 * head / length, 0.45)
        self.line(between(p, q, share) if both else p, between(p, q, 1 - share), width=width, dash=dash)
        self.arrow_head(p, q, head)
        if both:
            self.arrow_head(q, p, head)

    def arrow_head(self, p: Point, q: Point, head: float = 10.0) -> None:
        """Draw a head with its tip at q, pointing away from p."""
        length = math.dist(p, q)
        back = between(p, q, 1 - head / length)
        side = 0.34 * head
        dx, dy = (q[0] - p[0]) / length, (q[1] - p[1]) / length
        self.line(
            q,
            (back[0] - dy * side, back[1] + dx * side),
            (back[0] + dy * side, back[1] - dx * side),
            closed=True,
            fill=INK,
            width=0,
        )

    def hatch(self, p: Point, q: Point, *, depth: float = 8.0, step: float = 9.0) -> None:
        """Draw a fixed surface from p to q, hatched on its right-hand side."""
        self.line(p, q, width=THICK)
        length = math.dist(p, q)
        dx, dy = (q[0] - p[0]) / length, (q[1] - p[1]) / length
        for i in range(int(length // step)):
            s = step * (i + 0.9)
            if s > length:
                break
            a = (p[0] + dx * s, p[1] + dy * s)
            self.line(a, (a[0] - dx * depth - dy * depth, a[1] - dy * depth + dx * depth), width=THIN)

    def angle(self, vertex: Point, start: float, end: float, tex: str = "", *, radius: float = 26.0) -> None:
        """Mark the angle between two directions (degrees) and label it."""
        self.arc(vertex, radius, start, end, width=THIN)
        if tex:
            middle = math.radians((start + end) / 2)
            _, _, _, w, h = _typeset(tex)
            reach = radius + 5 + SIZE / 2000 * (abs(math.cos(middle)) * w + abs(math.sin(middle)) * h)
            self.label(tex, on_circle(vertex, reach, (start + end) / 2))

    def right_angle(self, vertex: Point, start: float, *, size: float = 11.0) -> None:
        """Mark a right angle whose first leg points in the direction `start` (degrees), the second 90 further."""
        a, b = on_circle(vertex, size, start), on_circle(vertex, size, start + 90)
        corner = (a[0] + b[0] - vertex[0], a[1] + b[1] - vertex[1])
        self.line(a, corner, b, width=THIN)

    def dimension(self, p: Point, q: Point, tex: str, *, size: float = SIZE, ticks: bool = True) -> None:
        """Draw a measure from p to q with its label on a white patch in the middle."""
        self.arrow(p, q, width=THIN, head=8, both=True)
        if ticks:
            for end in (p, q):
                other = q if end is p else p
                length = math.dist(p, q)
                nx, ny = -(other[1] - end[1]) / length * 6, (other[0] - end[0]) / length * 6
                self.line((end[0] - nx, end[1] - ny), (end[0] + nx, end[1] + ny), width=THIN)
        if tex:
            self.label(tex, between(p, q), size=size, patch=True)

    def measure(self, tex: str, size: float = SIZE) -> tuple[float, float]:
        """Width and height of a label in units."""
        _, _, _, w, h = _typeset(tex)
        return w * size / 1000, h * size / 1000

    def label(
        self,
        tex: str,
        at: Point,
        side: str = "c",
        *,
        gap: float = 6.0,
        size: float = SIZE,
        patch: bool = False,
    ) -> None:
        """Set a label at a point or beside it.

        Args:
            tex: LaTeX of the label, without dollar signs.
            at: the point.
            side: "c" centred on it, or the compass side on which the label lies (n, ne, e, ...).
            gap: distance from the point, in units.
            size: height of an em, in units.
            patch: put a white patch beneath, which may interrupt a line.
        """
        content, x, y, w, h = _typeset(tex)
        scale = size / 1000
        east, south = _SIDES[side]
        slant = 0.72 if east and south else 1.0
        left = at[0] + east * gap * slant - w * scale * (1 - east) / 2
        if south:
            top = at[1] + south * gap * slant - h * scale * (1 - south) / 2
        elif h <= 1150:
            # Baselines of labels in one row agree: capitals are centred, whatever hangs below.
            top = at[1] + _CAP_HEIGHT / 2 * size + y * scale
        else:
            top = at[1] - h * scale / 2
        if patch:
            pad = 3.5
            self.rect(
                left - pad, top - pad, w * scale + 2 * pad, h * scale + 2 * pad, width=0, fill="#ffffff"
            )
        self._lettering.append(
            f'<g color="{INK}" transform="translate({_number(left - x * scale)} {_number(top - y * scale)}) '
            f'scale({_number(scale)})">{content}</g>'
        )
        self._labels.append(Label(tex, self._box(left, top, w * scale, h * scale), patch))

    def spot(
        self, name: str, x: float, y: float, w: float, h: float, arrow: tuple[Point, Point] | None = None
    ) -> None:
        """Keep a rectangle (units) free for a mark; `arrow` is the direction that belongs to it."""
        line = None
        if arrow is not None:
            (x0, y0), (x1, y1) = arrow
            tail, tip = self._box(x0, y0, 0, 0), self._box(x1, y1, 0, 0)
            line = (tail.x, tail.y, tip.x, tip.y)
        self._spots[name] = Spot(self._box(x, y, w, h), line)

    def _box(self, x: float, y: float, w: float, h: float) -> Box:
        wide = self.width + 2 * self._left
        place = ((x + self._left) / wide, y / self.height, w / wide, h / self.height)
        return Box(*(round(share, 6) for share in place))

    def finish(self) -> Drawing:
        """Rasterise."""
        bare = self._svg(self._shapes)
        pixels = rasterise(self._svg([*self._shapes, *self._lettering]))
        stream = io.BytesIO()
        Image.fromarray(pixels).save(stream, format="PNG")
        return Drawing(
            kind=self.kind,
            png=stream.getvalue(),
            width=pixels.shape[1],
            height=pixels.shape[0],
            labels=tuple(self._labels),
            spots=MappingProxyType(dict(self._spots)),
            svg_bare=bare,
        )

    def _svg(self, parts: Sequence[str]) -> str:
        wide = self.width + 2 * self._left
        size = f'width="{_number(wide * SCALE)}" height="{_number(self.height * SCALE)}"'
        box = f'viewBox="{_number(-self._left)} 0 {_number(wide)} {_number(self.height)}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}>{"".join(parts)}</svg>'


def _number(value: float) -> str:
    return f"{round(value, 4):g}"

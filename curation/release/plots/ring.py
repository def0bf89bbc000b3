"""Ring of disciplines (inner) and subjects (outer) with labels beside it (SciVerse, Figure 2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from benchwright.curation.release.plots.composition import folded
from benchwright.curation.release.plots.inputs import Composition, DisciplinePart
from benchwright.curation.release.plots.page import (
    RULE,
    SIZE,
    SMALL,
    WIDTH,
    hue,
    label,
    lighter,
    line_height,
    name_lines,
    on,
    page,
    problems,
    spread,
    title,
    width_of,
    words,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INNER, _OUTER = 1.36, 1.8
_ARM = 0.22
"""From the ring to the bend of a label's line."""
_COLUMN = WIDTH / 2 - _OUTER - _ARM - 0.3
"""Width of the labels at either side."""
_TOP = 0.52
_STARTS = (90.0, 75.0, 105.0, 60.0, 120.0, 45.0, 135.0, 30.0, 150.0)
"""Where the ring may begin, in degrees; the first that balances the labels of both sides is taken."""


@dataclass(frozen=True)
class _Slice:
    angle: float
    """Of its middle, in radians, anticlockwise from three o'clock."""
    lines: list[str]

    @property
    def height(self) -> float:
        return line_height(SMALL) * len(self.lines) + 0.07


def draw_ring(data: Composition) -> Figure:
    """The ring, every subject with its name, number and share."""
    shown = folded(data)
    slices = _slices(shown)
    start = min(_STARTS, key=lambda degrees: _need(_sides(slices, degrees)))
    sides = _sides(slices, start)
    need = _need(sides)
    reaches = _inner_reaches(shown, start)
    legend = [] if reaches else _legend_places(shown)
    top = _TOP + (line_height(SMALL) * (legend[-1][1] + 1) if legend else 0)
    height = need + top + 0.2
    sheet, axes = page(height)
    title(axes, height, f"{problems(shown.problems)} by discipline and subject")
    centre = (height - top + 0.1) / 2
    _wedges(axes, shown, centre, start, reaches)
    for at, (x, row) in enumerate(legend):
        _legend_entry(axes, x, height - _TOP - 0.04 - row * line_height(SMALL), at, _share_of(shown, at))
    for at, side in enumerate(sides):
        _labels(axes, side, 1 if at == 0 else -1, centre, height - top)
    return sheet


def _slices(data: Composition) -> list[_Slice]:
    """Slices in order, their angles counted from the beginning of the ring."""
    total = data.problems
    slices: list[_Slice] = []
    gone = 0
    for part in data.disciplines:
        for subject in part.subjects:
            middle = -2 * math.pi * (gone + subject.problems / 2) / total
            gone += subject.problems
            figure = f"{subject.problems:,} ({100 * subject.problems / total:.1f} %)"
            slices.append(_Slice(middle, name_lines(subject.name, figure, _COLUMN, SMALL)))
    return slices


def _sides(slices: Sequence[_Slice], start: float) -> tuple[list[_Slice], list[_Slice]]:
    """Those right and left of the middle of a ring that begins at so many degrees, the topmost first."""
    turned = [replace(one, angle=one.angle + math.radians(start)) for one in slices]
    right = [one for one in turned if math.cos(one.angle) >= 0]
    left = [one for one in turned if math.cos(one.angle) < 0]
    return (
        sorted(right, key=lambda one: -math.sin(one.angle)),
        sorted(left, key=lambda one: -math.sin(one.angle)),
    )


def _need(sides: tuple[list[_Slice], list[_Slice]]) -> float:
    """Height of the page's labels, at least the ring's."""
    return max(2 * _OUTER + 0.5, *(sum(one.height for one in side) for side in sides))


def _wedges(axes: Axes, data: Composition, centre: float, start: float, reaches: Sequence[float]) -> None:
    from matplotlib.patches import Wedge

    total = data.problems
    outer = inner = start
    edge: Any = {"edgecolor": "white", "linewidth": 1.0}
    for at, part in enumerate(data.disciplines):
        step = 360 * part.problems / total
        axes.add_patch(
            Wedge((WIDTH / 2, centre), _INNER - 0.02, inner - step, inner, facecolor=hue(at), **edge)
        )
        if reaches:
            place = math.radians(inner - step / 2)
            x, y = WIDTH / 2 + reaches[at] * math.cos(place), centre + reaches[at] * math.sin(place)
            label(axes, x, y, _inner_lines(part, total), SIZE, ha="center", color=on(hue(at)))
        inner -= step
        for place, subject in enumerate(part.subjects):
            turn = 360 * subject.problems / total
            shade = lighter(hue(at), 0.12 + 0.6 * place / max(1, len(part.subjects) - 1))
            axes.add_patch(
                Wedge(
                    (WIDTH / 2, centre),
                    _OUTER,
                    outer - turn,
                    outer,
                    width=_OUTER - _INNER,
                    facecolor=shade,
                    **edge,
                )
            )
            outer -= turn


def _inner_lines(part: DisciplinePart, total: int) -> list[str]:
    share = f"{100 * part.problems / total:.1f} %"
    return [part.name.en, *([part.name.zh] if part.name.zh else []), share]


def _inner_reaches(data: Composition, start: float) -> list[float]:
    """How far from the centre the words of each discipline stand inside its wedge; empty where some do not fit."""
    begun = 0.0
    reaches = []
    for part in data.disciplines:
        share = part.problems / data.problems
        middle = math.radians(start) - 2 * math.pi * (begun + share / 2)
        begun += share
        lines = _inner_lines(part, data.problems)
        half = (max(width_of(line) for line in lines) / 2 + 0.06, line_height(SIZE) * len(lines) / 2)
        tries = (0.0,) if share == 1 else tuple(_INNER * step / 50 for step in range(36, 19, -1))
        fitting = [reach for reach in tries if _inside(half, middle, share, reach)]
        if not fitting:
            return []
        reaches.append(fitting[len(fitting) // 2])
    return reaches


def _inside(half: tuple[float, float], middle: float, share: float, reach: float) -> bool:
    """Whether a box of words lies in a wedge.

    Args:
        half: half its width and height.
        middle: direction of the middle of the wedge, in radians.
        share: of the circle.
        reach: from the centre to the middle of the box.
    """
    for across, up in ((1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0)):
        x = reach * math.cos(middle) + across * half[0]
        y = reach * math.sin(middle) + up * half[1]
        off = abs((math.atan2(y, x) - middle + math.pi) % (2 * math.pi) - math.pi)
        if math.hypot(x, y) > _INNER - 0.03 or (share < 1 and off > math.pi * share):
            return False
    return True


def _share_of(data: Composition, at: int) -> str:
    """A discipline's name and share."""
    part = data.disciplines[at]
    return f"{part.name.en} {part.name.zh}".strip() + f" {100 * part.problems / data.problems:.1f} %"


def _legend_places(data: Composition) -> list[tuple[float, int]]:
    """Left edge and line of each discipline in a legend under the title, as many on a line as fit."""
    places: list[tuple[float, int]] = []
    x, row = 0.2, 0
    for at in range(len(data.disciplines)):
        need = 0.2 + width_of(_share_of(data, at), SMALL)
        if x > 0.2 and x + need > WIDTH - 0.1:
            x, row = 0.2, row + 1
        places.append((x, row))
        x += need + 0.24
    return places


def _legend_entry(axes: Axes, x: float, y: float, at: int, text: str) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y - 0.06), 0.14, 0.12, facecolor=hue(at), linewidth=0))
    words(axes, x + 0.2, y, text, SMALL)


def _labels(axes: Axes, side: list[_Slice], way: int, centre: float, top: float) -> None:
    """Names at one side (1 right, -1 left), each tied to its slice by a line."""
    wanted = [centre + (_OUTER + _ARM) * math.sin(one.angle) for one in side]
    places = spread(wanted, [one.height for one in side], 0.1, top)
    column = WIDTH / 2 + way * (_OUTER + _ARM + 0.2)
    for one, place in zip(side, places, strict=True):
        x = WIDTH / 2 + _OUTER * math.cos(one.angle)
        y = centre + _OUTER * math.sin(one.angle)
        bend = WIDTH / 2 + (_OUTER + 0.08) * math.cos(one.angle)
        rise = centre + (_OUTER + 0.08) * math.sin(one.angle)
        # Straight out of the ring's way first: so no line crosses it, and none another.
        clear = WIDTH / 2 + way * (_OUTER + 0.1)
        axes.plot(
            [x, bend, clear, column - way * 0.05],
            [y, rise, rise, place],
            color=RULE,
            linewidth=0.8,
            solid_joinstyle="round",
        )
        label(axes, column, place, one.lines, SMALL, ha="left" if way > 0 else "right")

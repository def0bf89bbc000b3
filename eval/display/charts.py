"""Charts of runs: accuracy by subject (radar), by level, by version. PNG and SVG, drawn by matplotlib without a screen.

The first two are the views of VisScience's Figure 1, the third is SciVerse's Table 2 as a picture. Colours are those of
Okabe and Ito, told apart with colour-blind eyes too; each run has a sign and a dash of its own besides. The bundled
font is named, since matplotlib's own has no Chinese. Same figures, same bytes, with one version of matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from benchwright.eval.display.plain_text import one_line
from benchwright.render.font import load_font
from benchwright.render.plots import INK, blank_figure, plot_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8c7a00")
_LIGHT = frozenset({"#CC79A7", "#56B4E9", "#E69F00"})
"""Of them, those on which white letters cannot be read."""
_SIGNS = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 2, 1, 2)))
_LONGEST = 34
"""Characters of a name on an axis or in a legend; a longer one is cut in the middle."""
FORMATS = ("png", "svg")


@dataclass(frozen=True)
class Point:
    """One figure; all in 0..1, None where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    incomplete: bool = False


@dataclass(frozen=True)
class Series:
    """One run's figures, by place on the axis."""

    label: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Chart:
    """What a picture shows."""

    name: str
    """File name without ending."""
    kind: str
    """`radar`, `lines`, or `shares`: each place is a bar of 100 %, each series a part of it."""
    title: str
    places: tuple[str, ...]
    """Names along the axis, or around."""
    series: tuple[Series, ...]
    value_name: str = "accuracy, %"
    chance: tuple[float | None, ...] = ()
    """A blind guesser's level at each place, in 0..1; empty where none is drawn."""


def draw_charts(charts: Sequence[Chart], folder: FilePath) -> list[tuple[str, str]]:
    """Draw charts.

    Args:
        charts: what to draw.
        folder: an existing folder; `NAME.png` and `NAME.svg` are written into it.

    Returns:
        Name without ending and title of each, in order.
    """
    with plot_style():
        for chart in charts:
            figure = {"radar": _radar, "shares": _shares}.get(chart.kind, _lines)(chart)
            for ending in FORMATS:
                _save(figure, folder / f"{chart.name}.{ending}")
    return [(chart.name, chart.title) for chart in charts]


def _save(figure: Figure, path: FilePath) -> None:
    """Neither date nor the program's name: they would differ from day to day."""
    nothing = {"Software": None} if path.suffix == ".png" else {"Date": None, "Creator": None}
    figure.savefig(path, dpi=150, facecolor="white", metadata=nothing, bbox_inches="tight", pad_inches=0.12)


def _radar(chart: Chart) -> Figure:
    """A ring of places; zero is the centre. A place without a figure breaks the line."""
    figure = blank_figure(8.6, 7.4)
    axes: Any = figure.add_subplot(projection="polar")
    n = len(chart.places)
    angles = [2 * math.pi * place / n for place in range(n)]
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    if chart.chance:
        values = [math.nan if share is None else 100 * share for share in chart.chance]
        axes.plot([*angles, angles[0]], [*values, values[0]], color="#9a9a9a", linewidth=1, linestyle=":")
    for at, series in enumerate(chart.series):
        values = [_percent(point) for point in series.points]
        axes.plot(
            [*angles, angles[0]], [*values, values[0]], label=_short(series.label), clip_on=False, **_look(at)
        )
    axes.set_xticks(angles)
    axes.set_xticklabels([])
    top = _top(chart)
    axes.set_ylim(0, top)
    axes.set_yticks([step for step in (20, 40, 60, 80, 100) if step <= top])
    axes.tick_params(axis="y", labelsize=8)
    axes.grid(color="#d8d8d8", linewidth=0.7)
    axes.spines["polar"].set_color("#c4c4c4")
    for angle, name in zip(angles, chart.places, strict=True):
        side = math.sin(angle)
        anchor = "center" if abs(side) < 0.05 else ("left" if side > 0 else "right")
        axes.text(angle, top * 1.06, _wrapped(name), ha=anchor, va="center", fontsize=9.5)
    _legend(figure, axes, len(chart.series), chart.chance)
    return figure


def _lines(chart: Chart) -> Figure:
    """Places side by side, each run's figures with their 95 % intervals; runs stand a little apart."""
    width = max(6.4, 1.35 * len(chart.places) + 2.2)
    figure = blank_figure(width, 4.6)
    axes = figure.add_subplot()
    n = len(chart.series)
    for at, series in enumerate(chart.series):
        shift = 0.0 if n == 1 else 0.34 * (at / (n - 1) - 0.5)
        xs = [place + shift for place in range(len(chart.places))]
        ys = [_percent(point) for point in series.points]
        look = _look(at)
        # A marker on the rim of the axis is drawn whole.
        axes.plot(xs, ys, label=_short(series.label), clip_on=False, zorder=3, **look)
        bars = [(x, p) for x, p in zip(xs, series.points, strict=True) if p.low is not None]
        if bars:
            axes.vlines(
                [x for x, _ in bars],
                [100 * (p.low or 0.0) for _, p in bars],
                [100 * (p.high or 0.0) for _, p in bars],
                color=look["color"],
                linewidth=1.2,
                alpha=0.75,
            )
        for x, point in zip(xs, series.points, strict=True):
            if point.incomplete and point.value is not None:
                axes.annotate("*", (x, 100 * point.value), xytext=(5, 3), textcoords="offset points")
    if chart.chance:
        levels = [math.nan if share is None else 100 * share for share in chart.chance]
        axes.plot(range(len(levels)), levels, color="#8a8a8a", linewidth=1, linestyle=":")
    axes.set_xticks(range(len(chart.places)))
    axes.set_xticklabels([_wrapped(name) for name in chart.places])
    axes.set_xlim(-0.5, len(chart.places) - 0.5)
    axes.set_ylim(0, _top(chart))
    axes.set_ylabel(chart.value_name)
    axes.grid(axis="y", color="#e3e3e3", linewidth=0.7)
    axes.set_axisbelow(True)
    _legend(figure, axes, n, chart.chance)
    return figure


def _shares(chart: Chart) -> Figure:
    """A bar for each place, its parts in the order of the series; parts below 4 % bear no number."""
    figure = blank_figure(8.6, 0.62 * len(chart.places) + 1.6)
    axes = figure.add_subplot()
    starts = [0.0] * len(chart.places)
    for at, series in enumerate(chart.series):
        widths = [0.0 if point.value is None else 100 * point.value for point in series.points]
        colour = _COLOURS[at % len(_COLOURS)]
        ink = INK if colour in _LIGHT else "white"
        axes.barh(
            range(len(widths)), widths, left=starts, color=colour, label=_short(series.label), height=0.62
        )
        for place, (start, width) in enumerate(zip(starts, widths, strict=True)):
            if width >= 4:
                axes.text(
                    start + width / 2,
                    place,
                    f"{width:.0f}",
                    ha="center",
                    va="center",
                    color=ink,
                    fontsize=9,
                )
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.set_yticks(range(len(chart.places)))
    axes.set_yticklabels([_short(name) for name in chart.places])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel(chart.value_name)
    axes.grid(axis="x", color="#e3e3e3", linewidth=0.7)
    axes.set_axisbelow(True)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9.5)
    return figure


def _legend(figure: Figure, axes: Axes, n: int, chance: Sequence[float | None]) -> None:
    from matplotlib.lines import Line2D

    handles, labels = axes.get_legend_handles_labels()
    if chance:
        handles = [*handles, Line2D([], [], color="#8a8a8a", linewidth=1, linestyle=":")]
        labels = [*labels, "blind guesser"]
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(len(labels), 2 if n > 1 else 3), frameon=False,
        fontsize=9.5, handlelength=3.2,
    )  # fmt: skip


def _look(at: int) -> dict[str, Any]:
    return {
        "color": _COLOURS[at % len(_COLOURS)],
        "marker": _SIGNS[at % len(_SIGNS)],
        "linestyle": _DASHES[(at + at // len(_COLOURS)) % len(_DASHES)],
        "linewidth": 1.6,
        "markersize": 5.5,
        # From the ninth run on colours come again: their signs are hollow.
        "markerfacecolor": _COLOURS[at % len(_COLOURS)] if at < len(_COLOURS) else "white",
    }


def _percent(point: Point) -> float:
    return math.nan if point.value is None else 100 * point.value


def _top(chart: Chart) -> float:
    """The axis ends at the next ten above everything that is drawn."""
    known = [
        share
        for series in chart.series
        for point in series.points
        for share in (point.value, point.high if chart.kind == "lines" else None)
        if share is not None
    ]
    known += [share for share in chart.chance if share is not None]
    return max(10.0, min(100.0, 10 * math.ceil(10 * max(known, default=1.0) + 0.2)))


def _short(name: str, longest: int = _LONGEST) -> str:
    """A name at a length that fits; what the font lacks is a question mark."""
    font = load_font()
    shown = "".join(char if char in font or char == " " else "?" for char in one_line(name))
    if len(shown) <= longest:
        return shown
    half = (longest - 3) // 2
    return f"{shown[:half]}...{shown[-half:]}"


def _wrapped(name: str) -> str:
    """A subject's id as words, on lines of about fourteen characters."""
    lines = [""]
    for word in _short(name, 2 * _LONGEST).replace("-", " ").split():
        if lines[-1] and len(lines[-1]) + len(word) >= 14:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)

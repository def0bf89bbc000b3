"""Function graphs, charts and energy diagrams on labelled axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from benchwright.examples.canvas import DASH, PALE, SIZE, THIN, Canvas, Drawing, Point
from benchwright.examples.problem import num

TickMarks = Sequence[float] | Mapping[float, str]


class Axes:
    """A pair of axes on a canvas; maps data to units."""

    def __init__(
        self,
        canvas: Canvas,
        x_range: tuple[float, float],
        y_range: tuple[float, float],
        names: tuple[str, str],
        *,
        origin: tuple[float, float] = (0.0, 0.0),
        margins: tuple[float, float, float, float] = (66, 44, 34, 46),
        zero: str = "O",
        zero_side: str = "sw",
    ) -> None:
        left, right, top, bottom = margins
        self.canvas = canvas
        self.origin = origin
        self._x = x_range
        self._y = y_range
        self._left, self._wide = left, canvas.width - left - right
        self._top, self._high = top, canvas.height - top - bottom
        start_x, start_y = self.at(x_range[0], origin[1]), self.at(origin[0], y_range[0])
        end_x, end_y = self.at(x_range[1], origin[1]), self.at(origin[0], y_range[1])
        canvas.arrow(start_x, (end_x[0] + 16, end_x[1]), width=1.5)
        canvas.arrow(start_y, (end_y[0], end_y[1] - 16), width=1.5)
        if names[0]:
            half = canvas.measure(names[0])[0] / 2
            canvas.label(names[0], (min(end_x[0] + 20, canvas.width - half - 6), end_x[1]), "s", gap=9)
        canvas.label(names[1], (end_y[0], end_y[1] - 10), "e", gap=11)
        if zero:
            canvas.label(zero, self.at(*origin), zero_side, gap=8, size=SIZE - 1)

    def at(self, x: float, y: float) -> Point:
        """Units of a data point."""
        return (
            self._left + (x - self._x[0]) / (self._x[1] - self._x[0]) * self._wide,
            self._top + (self._y[1] - y) / (self._y[1] - self._y[0]) * self._high,
        )

    def ticks(self, xs: TickMarks = (), ys: TickMarks = (), *, grid: bool = False) -> None:
        """Tick marks with their numbers (or given labels), on a pale grid if asked."""
        for x, name in _named(xs):
            px, py = self.at(x, self.origin[1])
            if grid:
                self.canvas.line(self.at(x, self._y[0]), self.at(x, self._y[1]), width=0.8, colour="#dadada")
            self.canvas.line((px, py), (px, py - 5), width=THIN)
            self.canvas.label(name, (px, py), "s", gap=8, size=SIZE - 2)
        for y, name in _named(ys):
            px, py = self.at(self.origin[0], y)
            if grid:
                self.canvas.line(self.at(self._x[0], y), self.at(self._x[1], y), width=0.8, colour="#dadada")
            self.canvas.line((px, py), (px + 5, py), width=THIN)
            self.canvas.label(name, (px, py), "w", gap=8, size=SIZE - 2)

    def plot(self, function: Callable[[float], float], start: float, end: float, *, steps: int = 120) -> None:
        """The curve of a function between two values of x."""
        xs = [start + (end - start) * i / steps for i in range(steps + 1)]
        self.canvas.line(*(self.at(x, function(x)) for x in xs), width=2.0)

    def guide(self, x: float, y: float, *, to_x: bool = True, to_y: bool = True) -> None:
        """Dashed lines from a data point to the axes."""
        if to_x:
            self.canvas.line(self.at(x, y), self.at(x, self.origin[1]), width=THIN, dash=DASH)
        if to_y:
            self.canvas.line(self.at(x, y), self.at(self.origin[0], y), width=THIN, dash=DASH)


def _named(marks: TickMarks) -> list[tuple[float, str]]:
    if isinstance(marks, Mapping):
        return list(marks.items())
    return [(value, num(value)) for value in marks]


def parabola(root1: float, root2: float, at_zero: float) -> Drawing:
    """A parabola with both roots and the y-intercept written at the axes."""
    lead = at_zero / (root1 * root2)
    vertex = lead * ((root2 - root1) / 2) ** 2 * -1
    span = root2 - root1
    low, high = min(vertex, 0.0), max(vertex, 0.0)
    pad = (high - low) * 0.5
    canvas = Canvas("function-graph", 400, 360)
    axes = Axes(
        canvas,
        (min(root1, 0) - span * 0.3, max(root2, 0) + span * 0.3),
        (low - pad * (0.4 if lead > 0 else 1), high + pad * (1 if lead > 0 else 0.5)),
        ("x", "y"),
        margins=(30, 44, 36, 30),
    )
    reach = span * 0.14
    axes.plot(lambda x: lead * (x - root1) * (x - root2), root1 - reach, root2 + reach)
    for root, side in ((root1, "nw" if lead < 0 else "sw"), (root2, "ne" if lead < 0 else "se")):
        point = axes.at(root, 0)
        canvas.dot(point)
        canvas.label(num(root), point, side, gap=9, size=SIZE - 1)
    point = axes.at(0, at_zero)
    canvas.dot(point)
    canvas.label(num(at_zero), point, "e" if root1 + root2 < 0 else "w", gap=12, size=SIZE - 1)
    return canvas.finish()


def sine(amplitude: float, period_in_pi: float, period_tex: str) -> Drawing:
    """One and a half waves of A sin(omega x) with amplitude and period at the axes."""
    period = period_in_pi * math.pi
    canvas = Canvas("function-graph", 480, 300)
    axes = Axes(
        canvas,
        (-period * 0.35, period * 1.3),
        (-amplitude * 1.35, amplitude * 1.35),
        ("x", "y"),
        margins=(30, 44, 36, 24),
        zero_side="se",
    )
    axes.plot(lambda x: amplitude * math.sin(2 * math.pi * x / period), -period * 0.3, period * 1.22)
    axes.guide(period / 4, amplitude, to_x=False)
    axes.guide(period * 3 / 4, -amplitude, to_x=False)
    canvas.label(num(amplitude), axes.at(0, amplitude), "w", gap=8)
    canvas.label(num(-amplitude), axes.at(0, -amplitude), "w", gap=8)
    canvas.label(period_tex, axes.at(period, 0), "se", gap=9)
    return canvas.finish()


def piecewise(
    points: Sequence[Point],
    names: tuple[str, str],
    *,
    size: tuple[float, float] = (480, 320),
    grid: bool = False,
) -> Drawing:
    """A graph of straight pieces through data points whose coordinates are all at the axes."""
    canvas = Canvas("function-graph", *size)
    x_end, y_end = max(p[0] for p in points), max(p[1] for p in points)
    axes = Axes(canvas, (0, x_end * 1.1), (0, y_end * 1.15), names)
    axes.ticks(sorted({p[0] for p in points} - {0}), sorted({p[1] for p in points} - {0}), grid=grid)
    drawn: set[float] = set()
    for x, y in points:
        if x and y and not grid:
            axes.guide(x, y, to_y=y not in drawn)
            drawn.add(y)
    canvas.line(*(axes.at(x, y) for x, y in points), width=2.2)
    return canvas.finish()


def derivative(roots: Sequence[float]) -> Drawing:
    """The graph of a cubic derivative with three roots at the axis, rising at the right."""
    a, b, c = roots
    span = c - a
    peak = max(abs((x - a) * (x - b) * (x - c)) for x in (a + span * i / 60 for i in range(61)))
    canvas = Canvas("function-graph", 480, 320)
    axes = Axes(canvas, (a - span * 0.22, c + span * 0.22), (-peak * 1.5, peak * 1.6), ("x", "y"))
    reach = span * 0.11
    axes.plot(lambda x: (x - a) * (x - b) * (x - c), a - reach, c + reach)
    for root, side in ((a, "nw"), (b, "ne"), (c, "se")):
        point = axes.at(root, 0)
        canvas.dot(point)
        canvas.label(num(root), point, side, gap=10, size=SIZE - 1)
    canvas.label(r"y=f'(x)", axes.at(c - span * 0.02, peak * 1.25), "w", gap=8)
    return canvas.finish()


def bars(heights: Mapping[str, int], names: tuple[str, str], *, step: int) -> Drawing:
    """A bar chart; each bar carries its height."""
    canvas = Canvas("bar-chart", 500, 330)
    top = max(heights.values())
    axes = Axes(canvas, (0, len(heights) + 0.4), (0, top * 1.15), names, zero="0")
    axes.ticks((), list(range(step, top + 1, step)))
    for i, (name, height) in enumerate(heights.items()):
        left, right = i + 0.45, i + 1.05
        canvas.line(
            axes.at(left, 0),
            axes.at(left, height),
            axes.at(right, height),
            axes.at(right, 0),
            closed=True,
            fill=PALE,
        )
        canvas.label(num(height), axes.at((left + right) / 2, height), "n", gap=6, size=SIZE - 2)
        canvas.label(name, axes.at((left + right) / 2, 0), "s", gap=8, size=SIZE - 2)
    return canvas.finish()


def straight_line(
    start: Point,
    end: Point,
    names: tuple[str, str],
    xs: TickMarks,
    ys: TickMarks,
    points: Sequence[Point] = (),
) -> Drawing:
    """A measured straight line on a grid, with data points as crosses."""
    canvas = Canvas("data-graph", 480, 340)
    top_x = max(x for x, _ in _named(xs))
    top_y = max(y for y, _ in _named(ys))
    axes = Axes(canvas, (0, top_x * 1.08), (0, top_y * 1.1), names, zero="0")
    axes.ticks(xs, ys, grid=True)
    canvas.line(axes.at(*start), axes.at(*end), width=2.0)
    for x, y in points:
        px, py = axes.at(x, y)
        for sign in (1, -1):
            canvas.line((px - 4.5, py - 4.5 * sign), (px + 4.5, py + 4.5 * sign), width=1.4)
    return canvas.finish()


def state_changes(
    states: Mapping[str, Point], names: tuple[str, str], xs: TickMarks, ys: TickMarks
) -> Drawing:
    """A gas's states joined by arrows, with dashed guides to the axes."""
    canvas = Canvas("state-graph", 440, 330)
    top_x = max(x for x, _ in states.values())
    top_y = max(y for _, y in states.values())
    axes = Axes(canvas, (0, top_x * 1.25), (0, top_y * 1.25), names)
    axes.ticks(xs, ys)
    points = list(states.items())
    for (_, (x0, y0)), (_, (x1, y1)) in pairwise(points):
        p, r = axes.at(x0, y0), axes.at(x1, y1)
        canvas.line(p, r, width=2.0)
        canvas.arrow_head(p, ((p[0] * 0.42 + r[0] * 0.58), (p[1] * 0.42 + r[1] * 0.58)), 12)
    for i, (name, (x, y)) in enumerate(points):
        earlier = [state for _, state in points[:i]]
        axes.guide(x, y, to_x=x not in [e[0] for e in earlier], to_y=y not in [e[1] for e in earlier])
        canvas.dot(axes.at(x, y), 3.5)
        canvas.label(name, axes.at(x, y), "ne", gap=8)
    return canvas.finish()


def energy_profile(reactants: float, peak: float, products: float, names: tuple[str, str, str]) -> Drawing:
    """Energy along a reaction path with its three levels at the axis (reactants, transition state, products)."""
    canvas = Canvas("energy-profile", 480, 340)
    axes = Axes(
        canvas,
        (0, 10),
        (0, peak * 1.18),
        ("", r"E/(\mathrm{kJ\cdot mol^{-1}})"),
        zero="",
        margins=(66, 40, 34, 30),
    )
    axes.ticks((), {reactants: num(reactants), peak: num(peak), products: num(products)})

    def level(x: float) -> float:
        if x < 5:
            return reactants + (peak - reactants) * _ease((x - 2.2) / 2.8)
        return products + (peak - products) * _ease((7.8 - x) / 2.8)

    axes.plot(level, 0.6, 9.6)
    axes.guide(5, peak, to_x=False)
    axes.guide(1.2, reactants, to_x=False)
    axes.guide(7.8, products, to_x=False)
    for name, (x, y), side in (
        (names[0], (1.7, reactants), "n"),
        (names[2], (8.9, products), "s"),
    ):
        canvas.label(name, axes.at(x, y), side, gap=9, size=SIZE - 1)
    canvas.label(names[1], axes.at(5, peak), "ne", gap=10, size=SIZE - 1)
    return canvas.finish()


def _ease(share: float) -> float:
    share = min(1.0, max(0.0, share))
    return share * share * (3 - 2 * share)


def concentrations(curves: Mapping[str, tuple[float, float]], settled: float) -> Drawing:
    """Concentrations that settle: name -> (start, end), and the time from which nothing changes."""
    canvas = Canvas("concentration-graph", 480, 340)
    top = max(max(pair) for pair in curves.values())
    axes = Axes(
        canvas, (0, settled * 1.9), (0, top * 1.14), (r"t/\mathrm{min}", r"c/(\mathrm{mol\cdot L^{-1}})")
    )
    values = sorted({value for pair in curves.values() for value in pair if value})
    axes.ticks([settled], values)
    for name, (start, end) in curves.items():
        axes.plot(_settling(start, end, settled), 0, settled * 1.7)
        axes.canvas.line(axes.at(0, end), axes.at(settled, end), width=THIN, dash=DASH)
        canvas.label(name, axes.at(settled * 1.45, end), "n", gap=8)
    axes.guide(settled, max(end for _, end in curves.values()), to_y=False)
    return canvas.finish()


def _settling(start: float, end: float, settled: float) -> Callable[[float], float]:
    """A curve that leaves `start` steeply and reaches `end` without a kink at the time `settled`."""
    return lambda time: end + (start - end) * float(max(0.0, 1 - time / settled) ** 2.6)


def solubility(cold: Point, hot: Point) -> Drawing:
    """A solubility curve through two points (temperature in degrees, grams in 100 g of water)."""
    canvas = Canvas("solubility-curve", 470, 340)
    growth = math.log(hot[1] / cold[1]) / (hot[0] - cold[0])
    axes = Axes(
        canvas, (0, hot[0] * 1.25), (0, hot[1] * 1.3), (r"t/\mathrm{{}^\circ C}", r"S/\mathrm{g}"), zero="0"
    )
    axes.ticks([cold[0], hot[0]], [cold[1], hot[1]])
    axes.plot(lambda t: cold[1] * math.exp(growth * (t - cold[0])), 0, hot[0] * 1.12)
    for point in (cold, hot):
        axes.guide(*point)
        canvas.dot(axes.at(*point), 3.4)
    canvas.label(
        "X", axes.at(hot[0] * 1.1, cold[1] * math.exp(growth * (hot[0] * 1.1 - cold[0]))), "w", gap=12
    )
    return canvas.finish()


def precipitate(peak: float, end: float) -> Drawing:
    """A precipitate that forms up to `peak` and dissolves up to `end` (mL); a mark takes the concentration."""
    canvas = Canvas("function-graph", 480, 330)
    axes = Axes(canvas, (0, end * 1.15), (0, 1.25), (r"V/\mathrm{mL}", r"n/\mathrm{mol}"))
    axes.ticks([peak, end], ())
    canvas.line(axes.at(0, 0), axes.at(peak, 1), axes.at(end, 0), width=2.2)
    axes.guide(peak, 1, to_y=False)
    canvas.spot("concentration", 96, 62, 176, 30)
    return canvas.finish()


def smooth_curve(
    points: Sequence[Point],
    names: tuple[str, str],
    *,
    xs: TickMarks = (),
    ys: TickMarks = (),
    guides: Sequence[Point] = (),
    levels: Sequence[Point] = (),
    low: float = 0.0,
) -> Drawing:
    """A smooth measured curve through data points.

    Args:
        points: the data.
        names: names of the axes.
        xs: marks of the x axis.
        ys: marks of the y axis.
        guides: data points with dashed lines to both axes.
        levels: data points with a dashed line to the y axis alone.
        low: lowest value of the y axis, where it goes below zero.
    """
    canvas = Canvas("function-graph", 480, 330)
    axes = Axes(canvas, (0, max(p[0] for p in points) * 1.1), (low, max(p[1] for p in points) * 1.2), names)
    axes.ticks(xs, ys)
    for x, y in guides:
        axes.guide(x, y)
    for x, y in levels:
        axes.guide(x, y, to_x=False)
    canvas.curve([axes.at(x, y) for x, y in points], width=2.1)
    return canvas.finish()

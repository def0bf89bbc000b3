"""Charts of data and chance: pie charts, histograms, sets, number lines, trees of probabilities, vectors on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from benchwright.examples.canvas import PALE, SIZE, THIN, Canvas, Drawing, Point, beside, on_circle
from benchwright.examples.graphs import Axes


def pie(shares: Sequence[tuple[str, int]], marks: bool = True) -> Drawing:
    """A pie chart: (LaTeX, percent) for each sector; the whole may be left to a mark."""
    canvas = Canvas("pie-chart", 500, 360)
    centre, radius, start = (200.0, 180.0), 142.0, 90.0
    shades = ("#ffffff", "#ececec", "#ffffff", "#ececec", "#ffffff")
    for (name, percent), shade in zip(shares, shades, strict=False):
        end = start - 3.6 * percent
        edge = [on_circle(centre, radius, start + (end - start) * i / 40) for i in range(41)]
        canvas.line(centre, *edge, closed=True, fill=shade)
        at = on_circle(centre, radius * 0.64, (start + end) / 2)
        canvas.label(rf"{name}\ {percent}\%", at, size=SIZE - 1)
        start = end
    if marks:
        canvas.spot("total", 368, 40, 118, 30)
    return canvas.finish()


def histogram(edges: Sequence[float], counts: Sequence[int], names: tuple[str, str]) -> Drawing:
    """A histogram of classes of equal width; each column carries its count."""
    canvas = Canvas("histogram", 500, 330)
    top = max(counts)
    span = edges[-1] - edges[0]
    axes = Axes(
        canvas,
        (edges[0] - span * 0.12, edges[-1] + span * 0.2),
        (0, top * 1.15),
        names,
        origin=(edges[0] - span * 0.12, 0),
        zero="",
    )
    axes.ticks(list(edges), ())
    for (left, right), count in zip(pairwise(edges), counts, strict=True):
        corners = [(left, 0.0), (left, float(count)), (right, float(count)), (right, 0.0)]
        canvas.line(*(axes.at(*p) for p in corners), closed=True, fill=PALE)
        canvas.label(str(count), axes.at((left + right) / 2, count), "n", gap=6, size=SIZE - 2)
    return canvas.finish()


def venn(only_a: int, both: int, only_b: int, neither: int) -> Drawing:
    """Two sets in a universe with the number of elements of each region."""
    canvas = Canvas("venn", 500, 300)
    canvas.rect(30, 24, 440, 252)
    for x in (195.0, 305.0):
        canvas.circle((x, 150), 92)
    for tex, at in (
        (str(only_a), (148, 156)),
        (str(both), (250, 156)),
        (str(only_b), (352, 156)),
        (str(neither), (440, 248)),
    ):
        canvas.label(tex, at, size=20)
    for tex, at in (("U", (50, 44)), ("A", (110, 66)), ("B", (390, 66))):
        canvas.label(tex, at)
    return canvas.finish()


def number_line(a: float, b: float) -> Drawing:
    """A number line with the points a and b to scale; zero and one are marked."""
    canvas = Canvas("number-line", 520, 150)
    reach = max(abs(a), abs(b)) + 1
    step = 220 / reach

    def at(value: float) -> Point:
        return 255 + step * value, 80.0

    canvas.arrow((20, 80), (500, 80))
    for i in range(-int(reach), int(reach) + 1):
        x, y = at(i)
        canvas.line((x, y - 6), (x, y), width=THIN)
    for digit in (0, 1):
        canvas.label(str(digit), at(digit), "s", gap=9)
    for name, value in (("a", a), ("b", b)):
        canvas.dot(at(value), 4.2)
        canvas.label(name, at(value), "n", gap=12)
    return canvas.finish()


def chance_tree(first: Sequence[tuple[str, str]], second: Sequence[Sequence[tuple[str, str]]]) -> Drawing:
    """A tree of two steps: (name, probability) of each branch, and of each of its two branches."""
    canvas = Canvas("probability-tree", 520, 370)
    root: Point = (50.0, 185.0)
    for i, (name, chance) in enumerate(first):
        node = (220.0, 95.0 + 180.0 * i)
        canvas.line(root, (node[0] - 26, node[1]))
        canvas.label(chance, beside(root, node, -23 if i == 0 else 23, 0.5))
        canvas.label(name, node)
        for j, (leaf, share) in enumerate(second[i]):
            end = (420.0, node[1] + (-50 if j == 0 else 50))
            canvas.line((node[0] + 26, node[1]), (end[0] - 8, end[1]))
            canvas.label(share, beside((node[0] + 26, node[1]), end, -20 if j == 0 else 20, 0.5))
            canvas.label(leaf, end, "e", gap=6)
    canvas.dot(root)
    return canvas.finish()


def vectors(a: tuple[int, int], b: tuple[int, int]) -> Drawing:
    """Two vectors from one point on a grid of unit squares."""
    canvas = Canvas("vector-grid", 500, 360)
    xs, ys = [0, a[0], b[0]], [0, a[1], b[1]]
    left, bottom = min(xs) - 1, min(ys) - 1
    wide, high = max(xs) + 1 - left, max(ys) + 1 - bottom
    step = min(400 / wide, 310 / high)
    x0 = (500 - step * wide) / 2

    def at(x: float, y: float) -> Point:
        return x0 + (x - left) * step, 25 + (high - (y - bottom)) * step

    for i in range(wide + 1):
        canvas.line(at(left + i, bottom), at(left + i, bottom + high), width=0.8, colour="#dadada")
    for j in range(high + 1):
        canvas.line(at(left, bottom + j), at(left + wide, bottom + j), width=0.8, colour="#dadada")
    for name, (x, y) in (("a", a), ("b", b)):
        canvas.arrow(at(0, 0), at(x, y), width=2.4, head=14)
        canvas.label(rf"\vec{{{name}}}", beside(at(0, 0), at(x, y), -17, 0.6))
    canvas.dot(at(0, 0), 3.4)
    canvas.label("O", at(0, 0), "sw", gap=9)
    return canvas.finish()

"""Things to count and to follow: flow charts, networks, maps, boards, grids with a closed crossing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.examples.canvas import PALE, THICK, Canvas, Drawing, Point, between, on_circle


def flow_chart(start: Sequence[str], test: str, step: Sequence[str], result: str) -> Drawing:
    """A loop: start values, a test, steps while it holds, and what is printed when it fails."""
    canvas = Canvas("flow-chart", 500, 400)
    x = 190.0
    canvas.rect(x - 90, 22, 180, 42)
    canvas.label(r",\ ".join(start), (x, 43))
    canvas.arrow((x, 64), (x, 108))
    canvas.line((x, 108), (x + 96, 146), (x, 184), (x - 96, 146), closed=True)
    canvas.label(test, (x, 146))
    canvas.arrow((x, 184), (x, 226))
    for i, tex in enumerate(step):
        y = 226 + 62 * i
        canvas.rect(x - 90, y, 180, 40)
        canvas.label(tex, (x, y + 20))
        if i + 1 < len(step):
            canvas.arrow((x, y + 40), (x, y + 62))
    low = 226 + 62 * (len(step) - 1) + 40
    canvas.line((x, low), (x, low + 20), (60, low + 20), (60, 86))
    canvas.arrow((60, 86), (x - 1, 86))
    canvas.arrow((x + 96, 146), (356, 146))
    canvas.line((372, 126), (474, 126), (458, 166), (356, 166), closed=True)
    canvas.label(result, (415, 146))
    canvas.label(r"\mathrm{Y}", (x, 204), "e", gap=9)
    canvas.label(r"\mathrm{N}", (x + 118, 146), "n", gap=9)
    return canvas.finish()


def network(places: Mapping[str, Point], roads: Sequence[tuple[str, str, int]]) -> Drawing:
    """Towns at places and roads with their lengths."""
    canvas = Canvas("network", 540, 340)
    for a, b, length in roads:
        canvas.line(places[a], places[b])
        canvas.label(str(length), between(places[a], places[b]), patch=True)
    for name, at in places.items():
        canvas.circle(at, 17, fill="#ffffff")
        canvas.label(name, at)
    return canvas.finish()


def ring_map(ring: int) -> Drawing:
    """A map: one inner region and a ring of regions around it."""
    canvas = Canvas("map", 500, 350)
    centre: Point = (250.0, 175.0)
    canvas.circle(centre, 150)
    canvas.circle(centre, 66, fill=PALE)
    for i in range(ring):
        angle = 90 + 360 * i / ring
        canvas.line(on_circle(centre, 66, angle), on_circle(centre, 150, angle))
    return canvas.finish()


def domino_board(columns: int) -> Drawing:
    """An empty board of two rows, and one domino beside it."""
    step = min(44.0, 400 / columns)
    canvas = Canvas("board", max(500.0, step * columns + 60), 230)
    left = (canvas.width - step * columns) / 2
    canvas.rect(left, 30, step * columns, 2 * step, width=THICK)
    canvas.line((left, 30 + step), (left + step * columns, 30 + step))
    for i in range(1, columns):
        canvas.line((left + step * i, 30), (left + step * i, 30 + 2 * step))
    canvas.rect(left, 160, 2 * step, step, fill=PALE, r=6)
    return canvas.finish()


def fan(cuts: int, parallels: int) -> Drawing:
    """A triangle with lines from its apex to the base and parallels to the base."""
    canvas = Canvas("triangle", 500, 340)
    a, b, c = (60.0, 310.0), (440.0, 310.0), (230.0, 30.0)
    canvas.line(a, b, c, closed=True)
    for i in range(1, cuts + 1):
        canvas.line(c, between(a, b, i / (cuts + 1)))
    for j in range(1, parallels + 1):
        share = 1 - j / (parallels + 1.6)
        canvas.line(between(c, a, share), between(c, b, share))
    return canvas.finish()


def streets(columns: int, rows: int, closed: Point) -> Drawing:
    """A grid of streets from A (left, below) to B (right, above) with one closed crossing."""
    step = min(400 / columns, 250 / rows)
    canvas = Canvas("grid", step * columns + 100, step * rows + 90)

    def at(x: float, y: float) -> Point:
        return 50 + step * x, 45 + step * (rows - y)

    for i in range(columns + 1):
        canvas.line(at(i, 0), at(i, rows))
    for j in range(rows + 1):
        canvas.line(at(0, j), at(columns, j))
    x, y = at(*closed)
    canvas.circle((x, y), 11, fill="#ffffff")
    for sign in (1, -1):
        canvas.line((x - 6, y - 6 * sign), (x + 6, y + 6 * sign), width=2.4)
    for name, point, side in (("A", at(0, 0), "sw"), ("B", at(columns, rows), "ne")):
        canvas.dot(point, 4)
        canvas.label(name, point, side, gap=9)
    return canvas.finish()

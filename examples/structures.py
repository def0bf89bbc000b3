"""Structures of matter: carbon skeletons, electron shells, unit cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from benchwright.examples.canvas import DASH, THIN, Canvas, Drawing, Point


def carbon_skeleton(chain: int, branches: Sequence[int]) -> Drawing:
    """A zigzag chain of carbon atoms with methyl branches at the given positions (1 is the left end)."""
    bond, margin = 58.0, 60.0
    rise = bond / 2
    run = bond * math.cos(math.radians(30))
    canvas = Canvas("structural-formula", 2 * margin + run * (chain - 1), 240)
    points = [(margin + run * i, 120 + (rise / 2 if i % 2 == 0 else -rise / 2)) for i in range(chain)]
    canvas.line(*points, width=2.6)
    for position in branches:
        x, y = points[position - 1]
        canvas.line((x, y), (x, y + (bond if (position - 1) % 2 == 0 else -bond)), width=2.6)
    return canvas.finish()


def electron_shells(charge: int, shells: Sequence[int]) -> Drawing:
    """A nucleus with its charge and arcs with the number of electrons in each shell."""
    canvas = Canvas("shell-model", 190 + 50 * len(shells), 260)
    centre: Point = (110.0, 130.0)
    canvas.circle(centre, 40)
    canvas.label(f"+{charge}", centre, size=20)
    for i, electrons in enumerate(shells):
        radius = 74.0 + 50 * i
        spread = math.degrees(math.asin(min(1.0, 82 / radius)))
        canvas.arc(centre, radius, -spread, spread)
        canvas.label(str(electrons), (centre[0] + radius, centre[1]), patch=True, size=20)
    return canvas.finish()


def unit_cell(sites: Mapping[str, str], *, metal: bool = False) -> Drawing:
    """A cubic unit cell; sites (corner, face, centre) hold the particle named, each drawn in its own shade.

    A metal has one shade and no legend; its edge is left to a mark.
    """
    canvas = Canvas("unit-cell", 480, 370)
    x0, y0, a = 60.0, 330.0, 190.0
    dx, dy = 84.0, -64.0

    def place(x: float, y: float, z: float) -> Point:
        return x0 + a * x + dx * y, y0 - a * z + dy * y

    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    for p in corners:
        for axis in range(3):
            other = (*p[:axis], 1, *p[axis + 1 :])
            if p[axis] == 0:
                hidden = p in ((0, 1, 0),) or (other == (0, 1, 0))
                canvas.line(
                    place(*p), place(*other), width=THIN if hidden else 1.7, dash=DASH if hidden else None
                )
    atoms: dict[str, list[tuple[float, float, float]]] = {
        "corner": [(float(x), float(y), float(z)) for x, y, z in corners],
        "face": [(0.5, 0.5, 0), (0.5, 0.5, 1), (0.5, 0, 0.5), (0.5, 1, 0.5), (0, 0.5, 0.5), (1, 0.5, 0.5)],
        "centre": [(0.5, 0.5, 0.5)],
    }
    shades = {"corner": "#141414", "face": "#ffffff", "centre": "#9a9a9a"}
    radii = {"corner": 9.0, "face": 9.0, "centre": 12.0}
    for site in ("face", "centre", "corner"):
        for atom in atoms[site] if site in sites else []:
            canvas.circle(place(*atom), radii[site], fill=shades["centre"] if metal else shades[site])
    if metal:
        canvas.spot("edge", x0 + a / 2 - 70, y0 + 6, 140, 27)
        return canvas.finish()
    for i, site in enumerate(s for s in ("corner", "face", "centre") if s in sites):
        y = 110.0 + 48 * i
        canvas.circle((384, y), radii[site], fill=shades[site])
        canvas.label(sites[site], (402, y), "e", gap=4)
    return canvas.finish()


def dna_ladder(pairs: Sequence[str]) -> Drawing:
    """A stretch of double-stranded DNA as a ladder of base pairs; the share of a base is left to a mark."""
    step = 52.0
    canvas = Canvas("dna", step * len(pairs) + 130, 270)
    left, top, bottom = 56.0, 74.0, 196.0
    right = left + step * len(pairs)
    for y in (top, bottom):
        canvas.line((left, y), (right, y), width=4.5)
    other = {"A": "T", "T": "A", "G": "C", "C": "G"}
    for i, base in enumerate(pairs):
        x = left + step * (i + 0.5)
        middle = (top + bottom) / 2
        canvas.line((x, top), (x, middle - 5), width=7, colour="#b5b5b5")
        canvas.line((x, middle + 5), (x, bottom), width=7, colour="#b5b5b5")
        if base in other:
            canvas.label(rf"\mathrm{{{base}}}", (x, (top + middle) / 2), patch=True)
            canvas.label(rf"\mathrm{{{other[base]}}}", (x, (bottom + middle) / 2), patch=True)
    canvas.label("5'", (left - 4, top), "w", gap=8)
    canvas.label("3'", (right + 4, top), "e", gap=8)
    canvas.label("3'", (left - 4, bottom), "w", gap=8)
    canvas.label("5'", (right + 4, bottom), "e", gap=8)
    canvas.spot("share", left + 40, 18, 130, 30)
    canvas.spot("count", left + 40, 222, 190, 30)
    return canvas.finish()

"""Optics: lenses, boundaries, mirrors; and the energy levels of an atom."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.examples.canvas import DASH, PALE, THICK, THIN, Canvas, Drawing, Point, between, on_circle


def thin_lens(u: float, f: float) -> Drawing:
    """An object before a converging lens with both foci, to scale; distances are left to marks."""
    far = max(u, 2 * f) * 1.12
    canvas = Canvas("lens", 560, 300)
    x0, y0 = 280.0, 140.0
    scale = 236 / far
    canvas.line((24, y0), (536, y0), width=THIN, dash=(10, 4, 2, 4))
    canvas.path(f"M{x0} 44 Q{x0 + 21} {y0} {x0} 236 Q{x0 - 21} {y0} {x0} 44 Z", fill=PALE)
    canvas.label("O", (x0, y0), "se", gap=16)
    for sign in (-1, 1):
        point = (x0 + sign * f * scale, y0)
        canvas.dot(point, 3.2)
        canvas.label("F", point, "s", gap=9)
    x = x0 - u * scale
    canvas.arrow((x, y0), (x, y0 - 56), width=2.6, head=13)
    canvas.label("A", (x, y0), "s", gap=9)
    canvas.label("B", (x, y0 - 56), "n", gap=7)
    canvas.line((x, y0 + 34), (x, 266), width=THIN, dash=DASH)
    canvas.arrow((x, 254), (x0, 254), width=THIN, head=8, both=True)
    canvas.line((x0, 240), (x0, 266), width=THIN, dash=DASH)
    middle = (x + x0) / 2
    canvas.spot("distance", middle - 58, 262, 116, 28)
    canvas.spot("focal", x0 + f * scale - 50, y0 + 32, 112, 28)
    return canvas.finish()


def refraction(incidence: float, refracted: float) -> Drawing:
    """A ray from air into glass with both angles to the normal."""
    canvas = Canvas("refraction", 440, 360)
    hit: Point = (220.0, 180.0)
    canvas.rect(30, 180, 380, 150, width=0, fill=PALE)
    canvas.line((30, 180), (410, 180), width=2.2)
    canvas.line((220, 30), (220, 330), dash=DASH, width=THIN)
    start = on_circle(hit, 165, 90 + incidence)
    end = on_circle(hit, 150, 270 + refracted)
    canvas.line(start, hit, end, width=2.2)
    canvas.arrow_head(start, between(start, hit, 0.55), 13)
    canvas.arrow_head(hit, between(hit, end, 0.6), 13)
    canvas.angle(hit, 90, 90 + incidence, rf"{incidence:g}^\circ", radius=44)
    canvas.angle(hit, 270, 270 + refracted, rf"{refracted:g}^\circ", radius=60)
    canvas.label("n_1", (62, 160))
    canvas.label("n_2", (62, 202))
    return canvas.finish()


def mirror(angle: float) -> Drawing:
    """A ray falling on a plane mirror, with the angle between ray and mirror."""
    canvas = Canvas("mirror", 460, 300)
    hit: Point = (230.0, 230.0)
    canvas.hatch((40, 230), (420, 230))
    start = on_circle(hit, 196, 180 - angle)
    canvas.line(start, hit, width=2.2)
    canvas.arrow_head(start, between(start, hit, 0.5), 13)
    canvas.line(hit, (230, 40), dash=DASH, width=THIN)
    canvas.label("N", (230, 40), "n", gap=7)
    canvas.label("O", hit, "s", gap=17)
    canvas.angle(hit, 180 - angle, 180, rf"{angle:g}^\circ", radius=max(48, 1500 / angle))
    return canvas.finish()


def energy_levels(levels: Sequence[tuple[int, float]], jump: tuple[int, int]) -> Drawing:
    """Energy levels (quantum number, energy in eV) with one downward transition."""
    canvas = Canvas("energy-levels", 440, 360)
    heights = [290.0, 176.0, 116.0, 70.0][: len(levels)]
    place = {n: y for (n, _), y in zip(levels, heights, strict=True)}
    canvas.label("n", (64, 34))
    canvas.label(r"E/\mathrm{eV}", (376, 34))
    for n, energy in levels:
        y = place[n]
        canvas.line((90, y), (320, y), width=2.0)
        canvas.label(str(n), (90, y), "w", gap=18)
        canvas.label(f"{energy:.2f}", (320, y), "e", gap=22)
    canvas.arrow((200, place[jump[0]]), (200, place[jump[1]]), width=THICK - 0.6, head=13)
    return canvas.finish()

"""Relations between living things: pedigrees, food webs, family trees of species."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.examples.canvas import Canvas, Drawing, Point, between

Person = tuple[str, bool, bool]
"""Name, female, affected."""


def pedigree() -> Drawing:
    """Two healthy parents with an affected daughter and a healthy son; he and a healthy woman expect a child."""
    canvas = Canvas("pedigree", 480, 360)
    father, mother = (130.0, 70.0), (250.0, 70.0)
    daughter, son, wife = (110.0, 190.0), (270.0, 190.0), (390.0, 190.0)
    child = (330.0, 300.0)
    canvas.line(father, mother)
    canvas.line((190, 70), (190, 130))
    canvas.line((110, 130), (270, 130))
    canvas.line((110, 130), daughter)
    canvas.line((270, 130), son)
    canvas.line(son, wife)
    canvas.line((330, 190), child)
    for place, female, affected in (
        (father, False, False),
        (mother, True, False),
        (daughter, True, True),
        (son, False, False),
        (wife, True, False),
    ):
        _person(canvas, place, female, affected)
    canvas.line((330, 276), (354, 300), (330, 324), (306, 300), closed=True, fill="#ffffff")
    canvas.label("?", child)
    for place, tex in ((father, "1"), (mother, "2"), (daughter, "3"), (son, "4"), (wife, "5")):
        canvas.label(tex, (place[0], place[1] + 20), "s", gap=6)
    for y, tex in ((70.0, r"\mathrm{I}"), (190.0, r"\mathrm{II}"), (300.0, r"\mathrm{III}")):
        canvas.label(tex, (44, y))
    canvas.spot("spouse", 362, 132, 60, 28)
    return canvas.finish()


def _person(canvas: Canvas, place: Point, female: bool, affected: bool) -> None:
    fill = "#141414" if affected else "#ffffff"
    if female:
        canvas.circle(place, 20, fill=fill)
    else:
        canvas.rect(place[0] - 19, place[1] - 19, 38, 38, fill=fill)


def food_web(
    places: Mapping[str, Point], eats: Sequence[tuple[str, str]], texts: Mapping[str, str]
) -> Drawing:
    """A food web: boxes at places, arrows from the eaten to the eater.

    Args:
        places: name -> centre of its box.
        eats: pairs (eaten, eater).
        texts: name -> letters in the box.
    """
    canvas = Canvas("food-web", 540, 340)
    w, h = 62.0, 40.0
    for eaten, eater in eats:
        p, s = places[eaten], places[eater]
        canvas.arrow(_edge(p, s, w, h, 3), _edge(s, p, w, h, 5), width=1.6, head=11)
    for name, (x, y) in places.items():
        canvas.rect(x - w / 2, y - h / 2, w, h, r=6, fill="#ffffff")
        canvas.label(texts[name], (x, y))
    canvas.spot("fixed", 14, 284, 170, 32)
    return canvas.finish()


def _edge(p: Point, towards: Point, w: float, h: float, gap: float) -> Point:
    """The point on the border of a box at p in the direction of another point, moved out by a gap."""
    dx, dy = towards[0] - p[0], towards[1] - p[1]
    share = min((w / 2 + gap) / abs(dx) if dx else 1.0, (h / 2 + gap) / abs(dy) if dy else 1.0)
    return between(p, towards, share)


def family_tree(leaves: Sequence[str]) -> Drawing:
    """A rooted tree of four species: the first splits off first, the last next, the middle two are sisters."""
    canvas = Canvas("cladogram", 460, 330)
    xs = [80.0, 180.0, 280.0, 380.0]
    top, foot = 70.0, 290.0
    sisters: Point = (230.0, 140.0)
    inner: Point = (272.0, 196.0)
    root: Point = (230.0, foot - 34)
    for end in (xs[1], xs[2]):
        canvas.line(sisters, (end, top), width=2.2)
    canvas.line(inner, sisters, width=2.2)
    canvas.line(inner, (xs[3], top), width=2.2)
    canvas.line(root, inner, width=2.2)
    canvas.line(root, (xs[0], top), width=2.2)
    canvas.line(root, (root[0], foot), width=2.2)
    for x, name in zip(xs, leaves, strict=True):
        canvas.label(name, (x, top), "n", gap=9, size=20)
    for node in (sisters, inner, root):
        canvas.dot(node, 3.6)
    return canvas.finish()

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from benchwright.render.compose import render_vision_rich
from benchwright.render.inkmap import ground_colour, ink_of
from benchwright.render.layout import Setter
from benchwright.render.placement import Diagram, painted, require_ink_kept
from benchwright.render.sidecar import MarkRecord, Sidecar
from benchwright.render.style import INKS, RenderStyle
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Anchor, Arrow, ImageRef, Mark
from benchwright.schemas.versions import Version, version_text

from .conftest import Studio

STYLE = RenderStyle()
STEM = "A block of mass m = 2 kg moves right at 3 m/s. Find its momentum."


def at(ref: ImageRef, x: float, y: float, w: float = 0.0, h: float = 0.0) -> Anchor:
    return Anchor(image=ref.sha256, kind="box" if w else "point", x=x, y=y, w=w, h=h)


def draw(
    studio: Studio, refs: tuple[ImageRef, ...], *marks: Mark, style: RenderStyle = STYLE
) -> tuple[Image.Image, Sidecar]:
    spans = ("m = 2 kg", "3 m/s")
    conditions = tuple((spans[i], "on-diagram", (mark,)) for i, mark in enumerate(marks))
    problem = studio.problem(STEM, images=refs, decomposition=studio.decomposed(STEM, *conditions))
    rendered = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, style)
    return Image.open(io.BytesIO(rendered.png)).convert("RGB"), rendered.sidecar


def gap(mark: MarkRecord, x: float, y: float) -> float:
    """Distance from a point to a mark's box."""
    dx = max(mark.box.x - x, x - mark.box.x - mark.box.width, 0)
    dy = max(mark.box.y - y, y - mark.box.y - mark.box.height, 0)
    return float(np.hypot(dx, dy))


def test_a_label_stands_at_its_anchor(studio: Studio) -> None:
    ref = studio.triangle()
    image, sidecar = draw(studio, (ref,), Mark(label="$m = 2$ kg", anchor=at(ref, 0.05, 0.05, 0.3, 0.15)))
    mark = sidecar.marks[0]
    assert mark.place == "anchor"
    assert gap(mark, 0.2 * image.width, 0.12 * image.height) == 0
    assert sidecar.shown == ("c1",)
    assert sidecar.diagrams[0].sha256 == ref.sha256


def test_a_label_on_a_line_is_nudged_off_it(studio: Studio) -> None:
    ref = studio.triangle()
    image, sidecar = draw(studio, (ref,), Mark(label="5 cm", anchor=at(ref, 0.5, 0.8)))
    assert sidecar.marks[0].place in ("anchor", "near-anchor")
    assert gap(sidecar.marks[0], 0.5 * image.width, 0.8 * image.height) < 1.5 * STYLE.font_px


def test_a_label_without_anchor_avoids_closed_shapes(studio: Studio) -> None:
    ref = studio.triangle()
    image, sidecar = draw(studio, (ref,), Mark(label="t = 2 s"))
    mark = sidecar.marks[0]
    assert mark.place == "free"
    x, y = (mark.box.x + mark.box.width / 2) / image.width, (mark.box.y + mark.box.height / 2) / image.height
    inside = y < 0.8 and (x - 0.2) / 0.35 > (0.8 - y) / 0.6 and (0.8 - x) / 0.25 > (0.8 - y) / 0.6
    assert not inside


def test_a_small_diagram_is_enlarged_first_and_labels_keep_their_size(studio: Studio) -> None:
    ref = studio.triangle(250, 180)
    image, sidecar = draw(studio, (ref,), Mark(label="5 cm", anchor=at(ref, 0.5, 0.9)))
    assert sidecar.diagrams[0].box.width == 750
    assert image.width >= 750
    assert sidecar.marks[0].box.height < 2 * STYLE.font_px


def test_a_tight_diagram_gets_air_around_it(studio: Studio) -> None:
    image = Image.new("RGB", (400, 300), "white")
    ImageDraw.Draw(image).rectangle((2, 2, 397, 297), fill="lightgrey", outline="black", width=3)
    for x in range(10, 390, 12):
        ImageDraw.Draw(image).line((x, 5, x, 295), fill="black")
    ref = studio.add(image)
    picture, sidecar = draw(studio, (ref,), Mark(label="$\\rho = 7.8$", anchor=at(ref, 0.02, 0.5)))
    box = sidecar.diagrams[0].box
    assert picture.width > box.width and box.x > 0
    assert sidecar.shown == ("c1",)


@pytest.mark.parametrize(("ground", "ink"), [("white", "black"), ("black", "white")])
def test_a_far_label_has_a_leader_line_to_what_it_names(studio: Studio, ground: str, ink: str) -> None:
    image = Image.new("RGB", (900, 600), ground)
    pen = ImageDraw.Draw(image)
    pen.ellipse((440, 290, 460, 310), fill=ink)  # the body
    for angle in range(0, 360, 45):  # rays that leave only narrow sectors near it
        x, y = 450 + 130 * np.cos(np.radians(angle)), 300 + 130 * np.sin(np.radians(angle))
        pen.line((450, 300, x, y), fill=ink, width=2)
    ref = studio.add(image)
    _, sidecar = draw(
        studio, (ref,), Mark(label="$q = 3\\,\\mu\\mathrm{C}$, at rest", anchor=at(ref, 0.5, 0.5))
    )
    assert sidecar.marks[0].place == "leader"
    leader = sidecar.marks[0].leader
    assert leader is not None
    scale = sidecar.width / 900
    assert np.hypot(leader[2] - 450 * scale, leader[3] - 300 * scale) < 2.5 * STYLE.font_px


def test_an_arrow_is_drawn_where_a_direction_is_given(studio: Studio) -> None:
    ref = studio.triangle()
    image, sidecar = draw(studio, (ref,), Mark(label="$v$", arrow=Arrow(x0=0.2, y0=0.1, x1=0.4, y1=0.1)))
    arrow = sidecar.marks[0].arrow
    assert arrow is not None
    assert arrow[2] - arrow[0] == pytest.approx(0.2 * image.width, abs=2)
    row = np.asarray(image)[arrow[1], arrow[0] + 3 : arrow[2] - 3]
    assert (row == np.array(INKS["dark-red"])).all()


def test_an_arrow_over_a_line_moves_aside(studio: Studio) -> None:
    ref = studio.triangle()
    _, sidecar = draw(studio, (ref,), Mark(label="F", arrow=Arrow(x0=0.3, y0=0.8, x1=0.6, y1=0.8)))
    arrow = sidecar.marks[0].arrow
    assert arrow is not None and arrow[1] == arrow[3]
    assert arrow[1] != round(0.8 * sidecar.diagrams[0].box.height)


def test_on_dark_ground_a_light_backing_lies_under_the_ink(studio: Studio) -> None:
    ref = studio.triangle(ground="black", ink="white")
    image, sidecar = draw(studio, (ref,), Mark(label="m = 2 kg", anchor=at(ref, 0.1, 0.1)))
    mark = sidecar.marks[0]
    assert mark.backed
    inside = np.asarray(image)[
        mark.box.y : mark.box.y + mark.box.height, mark.box.x : mark.box.x + mark.box.width
    ]
    assert (inside.reshape(-1, 3).max(axis=0) == 255).all()


def test_on_dark_ground_an_arrow_has_a_light_edge(studio: Studio) -> None:
    ref = studio.triangle(ground="black", ink="white")
    image, sidecar = draw(studio, (ref,), Mark(label="v", arrow=Arrow(x0=0.2, y0=0.1, x1=0.4, y1=0.1)))
    arrow = sidecar.marks[0].arrow
    assert arrow is not None
    middle = (arrow[0] + arrow[2]) // 2
    column = [tuple(p) for p in np.asarray(image)[arrow[1] - 9 : arrow[1] + 10, middle].tolist()]
    colours = [c for i, c in enumerate(column) if i == 0 or c != column[i - 1]]
    assert colours == [(0, 0, 0), (255, 255, 255), INKS["dark-red"], (255, 255, 255), (0, 0, 0)]


def test_several_diagrams_become_one_picture(studio: Studio) -> None:
    refs = (studio.triangle(500, 300), studio.triangle(480, 320))
    image, sidecar = draw(
        studio,
        refs,
        Mark(label="a", anchor=at(refs[1], 0.1, 0.1)),
        Mark(label="b", anchor=at(refs[0], 0.1, 0.1)),
    )
    assert [d.sha256 for d in sidecar.diagrams] == [ref.sha256 for ref in refs]
    by_label = {mark.label: mark for mark in sidecar.marks}
    assert by_label["b"].box.y < by_label["a"].box.y
    second = sidecar.diagrams[1].box
    assert second.y < by_label["a"].box.y < second.y + second.height <= image.height


@pytest.mark.parametrize("band", [False, True])
def test_without_room_a_condition_goes_to_the_band_or_stays_text(studio: Studio, band: bool) -> None:
    ref = studio.triangle()
    spans = (
        ("m = 2 kg", "on-diagram", (Mark(label="m", anchor=Anchor(image="f" * 64, kind="point", x=0, y=0)),)),
    )
    first = ("moves right", "already-there", ())
    decomposition = studio.decomposed(STEM, *spans, first, core="Find it.")
    problem = studio.problem(STEM, images=(ref,), decomposition=decomposition)
    rendered = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, RenderStyle(band=band))
    sidecar = rendered.sidecar
    text = version_text(problem, Version.VISION_RICH, "en", sidecar.shown).question
    if band:
        assert sidecar.shown == ("c1", "c2")
        assert sidecar.marks[-1].place == "band" and sidecar.marks[-1].label == "m = 2 kg"
        assert text == "Find it."
    else:
        assert sidecar.shown == ("c2",)
        assert sidecar.unshown == {"c1": "unknown-image"}
        assert "m = 2 kg" in text and "moves right" not in text


def test_all_marks_of_a_condition_are_placed_or_none(studio: Studio) -> None:
    ref = studio.triangle()
    good = Mark(label="m", anchor=at(ref, 0.1, 0.1))
    bad = Mark(label="n", anchor=Anchor(image="f" * 64, kind="point", x=0, y=0))
    decomposition = studio.decomposed(
        STEM, ("m = 2 kg", "on-diagram", (good, bad)), ("3 m/s", "on-diagram", (good,))
    )
    problem = studio.problem(STEM, images=(ref,), decomposition=decomposition)
    sidecar = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, STYLE).sidecar
    assert [mark.condition for mark in sidecar.marks] == ["c2"]
    assert sidecar.shown == ("c2",)
    assert len(sidecar.lines) == 1


def test_nothing_to_show_is_a_rule_not_a_failure(studio: Studio) -> None:
    ref = studio.triangle()
    text_only = studio.problem(
        STEM, images=(ref,), decomposition=studio.decomposed(STEM, ("m = 2 kg", "text", ()))
    )
    bare = studio.problem(STEM, images=(ref,))
    blind = studio.problem(
        STEM, decomposition=studio.decomposed(STEM, ("3 m/s", "on-diagram", (Mark(label="v"),)))
    )
    for problem, reason in (
        (text_only, "nothing-to-show"),
        (bare, "no-decomposition"),
        (blind, "no-diagram"),
    ):
        with pytest.raises(ItemError) as caught:
            render_vision_rich(problem, "en", studio.bytes_of.__getitem__, STYLE)
        assert caught.value.reason == reason


def test_a_photograph_without_free_ground_has_no_room(studio: Studio) -> None:
    noise = np.random.default_rng(3).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    ref = studio.add(Image.fromarray(noise))
    _, sidecar = draw(studio, (ref,), Mark(label="m = 2 kg"))
    box, mark = sidecar.diagrams[0].box, sidecar.marks[0].box
    assert (
        mark.y + mark.height <= box.y
        or mark.y >= box.y + box.height
        or mark.x >= box.x + box.width
        or mark.x + mark.width <= box.x
    )


def test_unknown_characters_in_a_label_are_refused(studio: Studio) -> None:
    ref = studio.triangle()
    with pytest.raises(ItemError) as caught:
        draw(studio, (ref,), Mark(label="🧪", anchor=at(ref, 0.1, 0.1)))
    assert caught.value.reason == "missing-glyph"


# --- the invariant: no changed pixel meets the original's ink ----------------------------------------------------

LINES = st.lists(st.tuples(*[st.floats(0, 1)] * 4), min_size=1, max_size=12)
LABELS = st.sampled_from(["2 s", "m = 2 kg", "$\\mu = 0.1$", "质量 2 kg", "$\\frac{a}{b}$", "30°"])
GROUNDS = st.sampled_from([("white", "black"), ("black", "white"), ("#eef", "#335"), ("#888", "#111")])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LINES, LABELS, st.floats(0, 1), st.floats(0, 1), GROUNDS, st.booleans(), st.booleans())
def test_no_mark_ever_covers_ink(
    lines: list[tuple[float, float, float, float]],
    label: str,
    x: float,
    y: float,
    colours: tuple[str, str],
    anchored: bool,
    pointed: bool,
) -> None:
    studio = Studio()
    image = Image.new("RGB", (420, 320), colours[0])
    pen = ImageDraw.Draw(image)
    for x0, y0, x1, y1 in lines:
        pen.line((x0 * 420, y0 * 320, x1 * 420, y1 * 320), fill=colours[1], width=3)
    ref = studio.add(image)
    arrow = Arrow(x0=x, y0=y, x1=1 - x, y1=y) if pointed else None
    mark = Mark(label=label, anchor=at(ref, x, y) if anchored else None, arrow=arrow)
    try:
        picture, sidecar = draw(studio, (ref,), mark)
    except ItemError as error:
        assert error.reason == "no-room"
        return
    box = sidecar.diagrams[0].box
    base = Diagram.load(ref, studio.bytes_of[ref.sha256]).base
    drawn = picture.crop((box.x, box.y, box.x + box.width, box.y + box.height))
    changed = (np.asarray(base) != np.asarray(drawn)).any(axis=2)
    assert not (changed & ink_of(base, ground_colour(base))).any()
    for record in sidecar.marks:
        assert record.box.x >= 0 and record.box.x + record.box.width <= picture.width
        assert record.box.y >= 0 and record.box.y + record.box.height <= picture.height


def test_a_planted_violation_is_caught(studio: Studio) -> None:
    ref = studio.triangle()
    diagram = Diagram.load(ref, studio.bytes_of[ref.sha256])
    spoiled = diagram.base.copy()
    y, x = (int(v[0]) for v in np.nonzero(diagram.ink))
    spoiled.putpixel((x, y), (142, 22, 22))
    with pytest.raises(ItemError) as caught:
        require_ink_kept(diagram.base, spoiled, diagram.ink)
    assert caught.value.reason == "covers-ink"
    require_ink_kept(diagram.base, diagram.base, diagram.ink)


def test_a_label_put_over_ink_by_a_faulty_placement_is_never_painted(studio: Studio, setter: Setter) -> None:
    ref = studio.triangle()
    diagram = Diagram.load(ref, studio.bytes_of[ref.sha256])
    y, x = (int(v[0]) for v in np.nonzero(diagram.ink))
    diagram.block.add(setter.set("MMM", 400), x - 20, y - 10)
    with pytest.raises(ItemError) as caught:
        painted(diagram, STYLE, setter)
    assert caught.value.reason == "covers-ink"

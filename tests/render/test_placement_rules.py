"""What a floating mark is called, what a drawing says already, how large letters are, which pictures are options."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw

from benchwright.render.compose import render_vision_rich, typesetter_for
from benchwright.render.inkmap import ground_colour, ink_of
from benchwright.render.layout import Setter
from benchwright.render.placement import annotate
from benchwright.render.placement_diagram import Diagram
from benchwright.render.placement_marks import PlacedMark, Placements, place_marks, with_placements
from benchwright.render.placement_names import DiagramLabel, names_of, target_of
from benchwright.render.placement_options import home_of, option_pictures
from benchwright.render.placement_owner import owned_label
from benchwright.render.placement_scale import letter_height, letters_of
from benchwright.render.placement_there import already_there
from benchwright.render.style import RenderStyle
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Anchor, ImageRef, Mark, Show
from benchwright.schemas.versions import Version, version_text

from .conftest import Studio

STYLE = RenderStyle()
DIGEST = "a" * 64


def read(text: str, score: float = 0.99, x: float = 0.2, y: float = 0.2) -> DiagramLabel:
    return DiagramLabel(text=text, score=score, box=(x, y, 0.08, 0.06))


# --- whose value it is ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "stem", "span", "said"),
    [
        ("10 kg", "A 10-kg crate slides down.", "10-kg", "crate: 10 kg"),
        ("2 kg", "A 2-kg steel cart yields at last.", "2-kg", "steel cart: 2 kg"),
        ("8.0 moles", "The tank holds 8.0 moles of argon at first.", "8.0 moles of", "argon: 8.0 moles"),
        ("60.0 cm", "It has a focal length of 60.0 cm when new.", "of 60.0 cm", "focal length: 60.0 cm"),
        ("24", "a square with side length 24 is cut", "with side length 24", "side length: 24"),
        ("1 cm", "The radius of the inner discs is 1 cm.", "The radius of the inner discs is 1 cm.",
         "radius of inner discs: 1 cm"),
        ("2 kg", "A ball of mass m of 2 kg falls.", "of 2 kg", "$m$ = 2 kg"),
        ("$120^{\\circ}$", "Two rods form the sides of a $120^{\\circ}$ angle here.", "$120^{\\circ}$",
         "angle: $120^{\\circ}$"),
        ("5 g", "5 g of CaCl$_2$ is dissolved", "5 g of", "CaCl$_2$: 5 g"),
        ("$12\\mathrm{V}$", "灯泡接在电压为 $12\\mathrm{V}$ 的电源上", "电压为 $12\\mathrm{V}$ 的",
         "电压: $12\\mathrm{V}$"),
        ("30 min", "It is stirred for 30 min and cooled.", "for 30 min", "30 min"),
        ("$m = 2$ kg", "A ball of mass $m = 2$ kg.", "of mass $m = 2$ kg", "$m = 2$ kg"),
        ("frictionless", "It moves on a frictionless table.", "frictionless", "frictionless"),
        ("12 children", "In a class 12 children sing.", "12", "12 children"),
        ("$1 \\le n \\le 9$", "For how many $n$ with $1 \\le n \\le 9$ can it", "with $1 \\le n \\le 9$",
         "$1 \\le n \\le 9$"),
        ("50 m", "A 50 m long pool is empty.", "50 m", "50 m"),
    ],
)  # fmt: skip
def test_a_bare_value_is_given_the_name_that_the_question_gives_it(
    label: str, stem: str, span: str, said: str
) -> None:
    start = stem.index(span)
    assert owned_label(label, stem, start, start + len(span)) == said
    assert owned_label(said, stem, start, start + len(span)) == said


def test_a_name_is_put_in_front_of_a_floating_mark_alone(studio: Studio) -> None:
    stem = "A 3-kg crate stands at P. Find it."
    ref = studio.triangle()
    free = studio.decomposed(stem, ("3-kg", "on-diagram", (Mark(label="3 kg"),)))
    (mark,) = place_marks((ref,), studio.bytes_of.__getitem__, free).marks
    assert mark.label == "crate: 3 kg"
    anchor = Anchor(image=ref.sha256, kind="point", x=0.1, y=0.1)
    put = studio.decomposed(stem, ("3-kg", "on-diagram", (Mark(label="3 kg", anchor=anchor),)))
    assert place_marks((ref,), studio.bytes_of.__getitem__, put).marks[0].label == "3 kg"
    drawn = render_vision_rich(
        studio.problem(stem, images=(ref,), decomposition=free), "en", studio.bytes_of.__getitem__, STYLE
    )
    assert [m.label for m in drawn.sidecar.marks] == ["crate: 3 kg"]


@pytest.mark.parametrize(
    ("label", "span", "before", "names"),
    [
        ("ball mass: $m$", "of mass $m$", "", ("m",)),
        ("$y = x^2$", "$y = x^2$", "", ()),
        ("3 kg", "of mass 3 kg", "Block B ", ("B",)),
        ("3 kg", "的质量为 3 kg", "物体A", ("A",)),
        ("m \\angle M = 10 x", "", "", ("∠M",)),
        ("rod: 2 m", "of 2 m", "A rod ", ()),
    ],
)
def test_what_a_mark_names_is_a_symbol_or_a_letter_before_it(
    label: str, span: str, before: str, names: tuple[str, ...]
) -> None:
    assert names_of(label, span, before) == names


def test_steps_of_a_flow_chart_name_nothing_and_its_input_does() -> None:
    chart = [read("输入a,b", y=0.1), read("a=a-b", y=0.5), read("输出a", y=0.9)]
    found = target_of(("a",), chart)
    assert found is not None and found.label == "输入a,b"
    ends = [read("a", x=0.1), read("b", x=0.7)]
    middle = target_of(("ab",), ends)
    assert middle is not None and middle.box[0] == pytest.approx(0.44)


# --- what is there already ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "span", "texts", "found"),
    [
        ("10 kg", "10-kg", ["10 kg", "5 N"], "10 kg"),
        ("crate: 2.0 kg", "2.0-kg", ["2kg"], "2kg"),
        ("$m = 2$ kg", "of mass $m = 2$ kg", ["m=2kg", "k"], "m=2kg"),
        ("$m = 2$ kg", "of mass $m = 2$ kg", ["2kg"], None),
        ("$m$ = 2 kg", "with mass 2 kg", ["2 kg"], "2 kg"),
        ("$\\theta=30^{\\circ}$", "$\\theta=30^{\\circ}$", ["θ=30°"], "θ=30°"),
        ("$30^\\circ$", "of $30^\\circ$", ["30°", "60°"], "30°"),
        ("$30^\\circ$", "of $30^\\circ$", ["30°", "30°"], None),
        ("24", "side 24", ["24"], None),
        ("10 kg", "10-kg", ["10 g"], None),
        ("10 kg", "10-kg", ["110 kg"], None),
        ("$3.0 \\times 10^{3}$ J", "of $3.0 \\times 10^{3}$ J", ["3.0×10^3J"], "3.0×10^3J"),
        ("$3.0 \\times 10^{3}$ J", "of $3.0 \\times 10^{3}$ J", ["3.0×10^4J"], None),
        ("$y=x^{2}-1$", "$y=x^{2}-1$", ["y = x² −1", "y"], "y = x² −1"),
        ("$a = 2$ m/s$^2$", "of $a = 2$ m/s$^2$", ["a=2m/s²"], "a=2m/s²"),
        ("$3.0 \\times 10^{3}$ J", "of $3.0 \\times 10^{3}$ J", ["3.0×10³J"], "3.0×10³J"),
        ("$R = 5\\ \\Omega$", "$R = 5\\ \\Omega$", ["R=5Ω"], "R=5Ω"),
    ],
)
def test_a_drawing_that_says_symbol_and_value_says_it_already(
    label: str, span: str, texts: list[str], found: str | None
) -> None:
    there = already_there(label, span, {DIGEST: [read(text) for text in texts]})
    assert (there.label.text if there else None) == found
    assert already_there(label, span, {DIGEST: [read(text, score=0.5) for text in texts]}) is None


STEM = "A 10-kg box slides at 3 m/s. Find it."


def there_problem(studio: Studio) -> tuple[ImageRef, dict[str, tuple[DiagramLabel, ...]]]:
    ref = studio.triangle()
    return ref, {ref.sha256: (read("10 kg", x=0.4, y=0.6),)}


def test_what_is_there_already_is_not_drawn_again_and_the_text_stays_right(studio: Studio) -> None:
    ref, labels = there_problem(studio)
    split = studio.decomposed(
        STEM,
        ("10-kg", "on-diagram", (Mark(label="10 kg"),)),
        ("at 3 m/s", "on-diagram", (Mark(label="3 m/s"),)),
        core="A box slides. Find it.",
    )
    placements = place_marks((ref,), studio.bytes_of.__getitem__, split, labels=labels)
    first, second = placements.marks
    assert (first.place, first.near, first.label) == ("already-there", "10 kg", "10 kg")
    assert first.anchor is not None and first.anchor.x == 0.4
    assert second.place == "free"
    placed = with_placements(split, placements)
    assert [c.show for c in placed.conditions] == [Show.ALREADY_THERE, Show.ON_DIAGRAM]
    problem = studio.problem(STEM, images=(ref,), decomposition=placed)
    sidecar = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, STYLE).sidecar
    assert [mark.condition for mark in sidecar.marks] == ["c2"]
    assert sidecar.shown == ("c1", "c2") and not sidecar.text_changed
    text = version_text(problem, Version.VISION_RICH, "en", sidecar.shown).question
    assert text == "A box slides. Find it."


def test_the_renderer_that_was_given_labels_does_not_draw_a_value_twice(
    studio: Studio, setter: Setter
) -> None:
    ref, labels = there_problem(studio)
    split = studio.decomposed(STEM, ("10-kg", "on-diagram", (Mark(label="10 kg"),)))
    placed = annotate(split, (ref,), studio.bytes_of.__getitem__, STYLE, setter, "en", labels)
    assert placed.marks == () and placed.shown == ("c1",) and not placed.text_changed
    assert np.array_equal(
        np.asarray(placed.image), np.asarray(Diagram.load(ref, studio.bytes_of[ref.sha256]).base)
    )


def test_two_marks_are_never_said_by_one_label(studio: Studio) -> None:
    ref, labels = there_problem(studio)
    twice = studio.decomposed(STEM, ("10-kg", "on-diagram", (Mark(label="10 kg"), Mark(label="10 kg"))))
    found = place_marks((ref,), studio.bytes_of.__getitem__, twice, labels=labels)
    assert [mark.place for mark in found.marks] == ["free", "free"]


def test_a_mark_placed_by_hand_is_drawn_whatever_the_drawing_says(studio: Studio) -> None:
    ref, labels = there_problem(studio)
    mark = Mark(label="10 kg", anchor=Anchor(image=ref.sha256, kind="point", x=0.1, y=0.1))
    put = studio.decomposed(STEM, ("10-kg", "on-diagram", (mark,)))
    (found,) = place_marks((ref,), studio.bytes_of.__getitem__, put, labels=labels).marks
    assert found.place == "anchor" and found.anchor == mark.anchor


@pytest.mark.parametrize(
    "wrong",
    [
        Placements(marks=(PlacedMark(condition="c9", mark=0, label="x", place="free"),)),
        Placements(marks=(PlacedMark(condition="c1", mark=1, label="x", place="free"),)),
        Placements(unplaced={"c2": "no-room"}),
    ],
)
def test_a_placement_of_what_is_not_to_be_drawn_is_refused(studio: Studio, wrong: Placements) -> None:
    split = studio.decomposed(STEM, ("10-kg", "on-diagram", (Mark(label="10 kg"),)), ("at 3 m/s", "text", ()))
    with pytest.raises(ItemError) as caught:
        with_placements(split, wrong)
    assert caught.value.reason == "bad-verdict"
    assert with_placements(split, wrong, relabel=False).conditions[0].marks[0].label == "10 kg"


# --- how large -----------------------------------------------------------------------------------------------------


def lettered(px: int, width: int = 1000) -> Image.Image:
    image = Image.new("RGB", (width, width * 7 // 10), "white")
    pen = ImageDraw.Draw(image)
    pen.line((50, 350, width - 50, 350), fill="black", width=3)
    face = typesetter_for().font.face(px)
    for n, letter in enumerate("ABHE"):
        pen.text((80 + n * 2 * px, 300), letter, fill="black", font=face, anchor="ls")
    return image


@pytest.mark.parametrize("px", [30, 50, 70])
def test_the_size_of_a_drawings_letters_is_told_from_its_ink(px: int) -> None:
    image = lettered(px)
    ink = ink_of(image, ground_colour(image))
    height = letter_height(ink)
    assert height is not None and height == pytest.approx(0.7 * px, rel=0.15)
    assert letters_of(ink)[300 - px // 3, 80 + px // 3] and not letters_of(ink)[350, 500]


def test_lines_and_specks_are_no_letters() -> None:
    image = Image.new("RGB", (600, 400), "white")
    pen = ImageDraw.Draw(image)
    for x in range(20, 580, 40):
        pen.line((x, 100, x + 20, 100), fill="black", width=3)
        pen.rectangle((x, 200, x + 4, 204), fill="black")
    assert letter_height(ink_of(image, (255, 255, 255))) is None


def test_labels_grow_with_the_drawings_letters_and_never_fall_below_the_style(studio: Studio) -> None:
    sizes = {}
    for px in (24, 60):
        ref = studio.add(lettered(px))
        split = studio.decomposed(STEM, ("at 3 m/s", "on-diagram", (Mark(label="v = 3 m/s"),)))
        problem = studio.problem(STEM, images=(ref,), decomposition=split)
        rendered = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, STYLE)
        sizes[px] = rendered.sidecar.marks[0].px
    assert sizes[24] == STYLE.font_px
    assert sizes[60] == round(1.5 * STYLE.font_px)


def test_an_enlarged_low_resolution_drawing_is_labelled_in_its_own_scale(studio: Studio) -> None:
    small = lettered(60).resize((330, 231), Image.Resampling.LANCZOS)
    ref = studio.add(small)
    split = studio.decomposed(STEM, ("at 3 m/s", "on-diagram", (Mark(label="v = 3 m/s"),)))
    problem = studio.problem(STEM, images=(ref,), decomposition=split)
    rendered = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, STYLE)
    assert rendered.sidecar.marks[0].px > 1.3 * STYLE.font_px


def test_a_label_is_not_put_in_line_with_the_letter_it_stands_beside(studio: Studio) -> None:
    ref = studio.add(lettered(40))
    split = studio.decomposed(STEM, ("at 3 m/s", "on-diagram", (Mark(label="$H = 3$ m/s"),)))
    labels = {ref.sha256: (DiagramLabel(text="H", score=0.99, box=(0.24, 0.38, 0.04, 0.05)),)}
    (mark,) = place_marks((ref,), studio.bytes_of.__getitem__, split, labels=labels).marks
    assert mark.place == "named" and mark.anchor is not None
    assert mark.anchor.y + mark.anchor.h <= 0.38 or mark.anchor.y >= 0.43


# --- options in pictures --------------------------------------------------------------------------------------------


def option_sheet(studio: Studio) -> tuple[tuple[ImageRef, ...], dict[str, tuple[DiagramLabel, ...]]]:
    """Three graphs with an option's letter, then the question's own diagram, then the fourth."""
    refs = tuple(studio.triangle(400 + n, 300) for n in range(5))
    texts = ("D.", "A.", "(B)", "P", "C")
    return refs, {ref.sha256: (read(text),) for ref, text in zip(refs, texts, strict=True)}


def test_marks_go_to_the_questions_own_diagram_and_never_to_an_options_picture(studio: Studio) -> None:
    refs, labels = option_sheet(studio)
    assert option_pictures(refs, labels) == {ref.sha256 for n, ref in enumerate(refs) if n != 3}
    split = studio.decomposed(STEM, ("at 3 m/s", "on-diagram", (Mark(label="v = 3 m/s"),)))
    (mark,) = place_marks(refs, studio.bytes_of.__getitem__, split, labels=labels).marks
    assert mark.anchor is not None and mark.anchor.image == refs[3].sha256


def test_a_letter_on_an_options_picture_draws_no_mark(studio: Studio) -> None:
    refs, labels = option_sheet(studio)
    labels[refs[0].sha256] += (read("v", x=0.6),)
    split = studio.decomposed(STEM, ("at 3 m/s", "on-diagram", (Mark(label="v = 3 m/s"),)))
    (mark,) = place_marks(refs, studio.bytes_of.__getitem__, split, labels=labels).marks
    assert mark.anchor is not None and mark.anchor.image == refs[3].sha256


def test_among_many_pictures_that_nobody_read_no_mark_is_guessed(studio: Studio) -> None:
    refs, labels = option_sheet(studio)
    split = studio.decomposed(STEM, ("at 3 m/s", "on-diagram", (Mark(label="v = 3 m/s"),)))
    assert place_marks(refs, studio.bytes_of.__getitem__, split).unplaced == {"c1": "which-diagram"}
    only_options = refs[:3] + refs[4:]
    assert home_of(only_options, labels) is None
    assert home_of(refs[:2], {}) == refs[0].sha256
    problem = studio.problem(STEM, images=refs, decomposition=split)
    with pytest.raises(ItemError) as caught:
        render_vision_rich(problem, "en", studio.bytes_of.__getitem__, STYLE)
    assert caught.value.reason == "no-room"


def test_beside_one_of_several_pictures_a_place_says_which_and_draws_no_line(studio: Studio) -> None:
    full = Image.new("RGB", (1000, 700), "white")
    pen = ImageDraw.Draw(full)
    for x in range(4, 1000, 12):
        pen.line((x, 2, x, 698), fill="black", width=2)
    refs = (studio.triangle(), studio.add(full))
    labels = {refs[0].sha256: (), refs[1].sha256: (read("v", x=0.5, y=0.5),)}
    split = studio.decomposed(STEM, ("at 3 m/s", "on-diagram", (Mark(label="v = 3 m/s"),)))
    placements = place_marks(refs, studio.bytes_of.__getitem__, split, labels=labels)
    (mark,) = placements.marks
    assert mark.place == "around" and mark.anchor is not None
    assert mark.anchor.image == refs[1].sha256 and {mark.anchor.x, mark.anchor.y} & {0.0, 1.0}
    problem = studio.problem(STEM, images=refs, decomposition=with_placements(split, placements))
    sidecar = render_vision_rich(problem, "en", studio.bytes_of.__getitem__, STYLE).sidecar
    (drawn,) = sidecar.marks
    assert drawn.image == refs[1].sha256 and drawn.leader is None and sidecar.shown == ("c1",)


def test_the_largest_size_gives_way_to_a_place(studio: Studio, setter: Setter) -> None:
    """A mark whose place has been chosen at a smaller size is not driven off it by a larger one."""
    ref = studio.add(lettered(60))
    split = studio.decomposed(STEM, ("at 3 m/s", "on-diagram", (Mark(label="v = 3 m/s"),)))
    (mark,) = place_marks((ref,), studio.bytes_of.__getitem__, split).marks
    assert mark.anchor is not None
    fixed = with_placements(split, Placements(marks=(mark,)))
    wide = replace(setter, px=STYLE.font_px)
    placed = annotate(fixed, (ref,), studio.bytes_of.__getitem__, STYLE, wide, "en")
    (record,) = placed.marks
    assert record.place == "anchor"
    assert abs(record.box.x - mark.anchor.x * 1000) <= 3 and abs(record.box.y - mark.anchor.y * 700) <= 3

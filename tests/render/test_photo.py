from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from benchwright.render.compose import render_vision_only
from benchwright.render.photo import Matrix, inverse, photograph, projected, projection
from benchwright.render.style import LOOKS, MINIMUM_CONTRAST, PhotoLook, RenderStyle, contrast

from .conftest import Studio

LOOK = PhotoLook()
PHOTO = RenderStyle(name="phone-photo", look=LOOKS["phone-photo"])


def flattened(picture: Image.Image, matrix: Matrix, size: tuple[int, int]) -> Image.Image:
    """The flat page of `size` seen in a photograph."""
    scaled = tuple(value / matrix[8] for value in matrix)
    return picture.transform(size, Image.Transform.PERSPECTIVE, scaled[:8], Image.Resampling.BICUBIC)


def page(width: int = 700, height: int = 500) -> Image.Image:
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    for x in range(60, width - 60, 80):
        draw.rectangle((x, 60, x + 30, height - 60), fill=(17, 17, 17))
    return image


def test_the_same_seed_gives_the_same_photograph_and_another_a_different_one() -> None:
    first, again, other = (photograph(page(), LOOK, seed) for seed in ("p1", "p1", "p2"))
    assert first.image.tobytes() == again.image.tobytes() and first.matrix == again.matrix
    assert other.matrix != first.matrix and other.image.tobytes() != first.image.tobytes()


@pytest.mark.parametrize("seed", [f"seed-{n}" for n in range(12)])
def test_the_whole_page_stays_in_sight_and_ink_keeps_its_contrast(seed: str) -> None:
    flat = page()
    taken = photograph(flat, LOOK, seed)
    for corner in ((0, 0), (700, 0), (700, 500), (0, 500)):
        x, y = projected(taken.matrix, *corner)
        assert 0 < x < taken.image.width and 0 < y < taken.image.height
    back = np.asarray(flattened(taken.image, taken.matrix, flat.size).convert("L")).astype(int)
    ink = np.asarray(flat.convert("L")) < 100
    for rows in np.array_split(np.arange(70, 430), 6):
        for columns in np.array_split(np.arange(60, 640), 6):
            part, dark = back[np.ix_(rows, columns)], ink[np.ix_(rows, columns)]
            grounds, inks = int(np.median(part[~dark])), int(np.median(part[dark]))
            assert contrast((grounds,) * 3, (inks,) * 3) >= MINIMUM_CONTRAST


def test_a_flattened_photograph_has_everything_in_its_place() -> None:
    flat = page()
    taken = photograph(flat, PhotoLook(shadow=0, vignette=0, noise_bits=0, blur=0), "s")
    back = flattened(taken.image, taken.matrix, flat.size).convert("L")
    dark = np.asarray(back) < 128
    expected = np.asarray(flat.convert("L")) < 128
    assert (dark != expected)[10:-10, 10:-10].mean() < 0.01


@settings(deadline=None)
@given(st.lists(st.floats(-20, 20), min_size=8, max_size=8), st.floats(0, 300), st.floats(0, 200))
def test_a_projection_meets_its_corners_and_its_inverse_leads_back(
    shifts: list[float], x: float, y: float
) -> None:
    corners = tuple(
        (a + dx, b + dy)
        for (a, b), dx, dy in zip(
            ((0, 0), (300, 0), (300, 200), (0, 200)), shifts[::2], shifts[1::2], strict=True
        )
    )
    matrix = projection((300, 200), corners)
    for flat, wanted in zip(((0, 0), (300, 0), (300, 200), (0, 200)), corners, strict=True):
        assert projected(matrix, *flat) == pytest.approx(wanted, abs=1e-6)
    assert projected(inverse(matrix), *projected(matrix, x, y)) == pytest.approx((x, y), abs=1e-6)


def test_a_photographed_page_says_where_everything_lies(studio: Studio) -> None:
    problem = studio.problem("Find $x$ in the triangle.", images=(studio.triangle(),))
    rendered = render_vision_only(problem, "en", studio.bytes_of.__getitem__, PHOTO)
    clean = render_vision_only(problem, "en", studio.bytes_of.__getitem__, RenderStyle(ink="black"))
    photo = rendered.sidecar.photo
    assert photo is not None and clean.sidecar.photo is None
    assert (photo.width, photo.height) == (clean.sidecar.width, clean.sidecar.height)
    assert rendered.sidecar.lines == clean.sidecar.lines
    with Image.open(io.BytesIO(rendered.png)) as opened:
        assert opened.size == (rendered.sidecar.width, rendered.sidecar.height)
        back = flattened(opened.convert("RGB"), photo.matrix, (photo.width, photo.height)).convert("L")
    box = rendered.sidecar.lines[0].box
    line = back.crop((box.x, box.y, box.x + box.width, box.y + box.height))
    beside = back.crop((box.x, box.y + box.height + 8, box.x + box.width, box.y + box.height + 20))
    assert min(line.tobytes()) + 80 < min(beside.tobytes())


def test_a_photograph_depends_on_the_problem_alone(studio: Studio) -> None:
    made = [
        render_vision_only(
            studio.problem("Find it.", problem_id=name), "en", studio.bytes_of.__getitem__, PHOTO
        )
        for name in ("a", "a", "b")
    ]
    assert made[0].png == made[1].png != made[2].png


def test_exam_pages_are_black_justified_and_have_the_diagram_beside_the_text(studio: Studio) -> None:
    ref = studio.triangle(400, 300)
    words = "A long question about a triangle whose sides are given in the figure beside it. " * 3
    exam = RenderStyle(name="exam", look=LOOKS["exam"])
    problem = studio.problem(words, images=(ref,))
    rendered = render_vision_only(problem, "en", studio.bytes_of.__getitem__, exam)
    colours = Image.open(io.BytesIO(rendered.png)).convert("RGB").getcolors(1 << 20)
    assert colours is not None and all(max(c) - min(c) <= 2 for _, c in colours)
    lines, diagram = rendered.sidecar.lines, rendered.sidecar.diagrams[0].box
    assert len(lines) > 3 and len({line.box.width for line in lines[:-1]}) == 1
    assert all(line.box.x + line.box.width < diagram.x for line in lines)
    assert diagram.y < lines[-1].box.y
    assert len(rendered.sidecar.rules) == 2

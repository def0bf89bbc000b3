"""The diagrams themselves: labels free of ink and of each other, spots really free, the same bytes everywhere."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from benchwright.examples.canvas import Canvas, Drawing
from benchwright.examples.problem import ExampleProblem
from benchwright.examples.registry import all_problems
from benchwright.schemas.images import load_image_bytes

PROBLEMS = all_problems()
NAMES = [p.id for p in PROBLEMS]
INK_DISTANCE = 40
"""Grey levels from white at which a pixel counts as ink, as the renderer's."""


def decoded(drawing: Drawing) -> npt.NDArray[np.uint8]:
    with Image.open(io.BytesIO(drawing.png)) as image:
        assert image.mode == "RGB"
        assert not image.info
        return np.asarray(image)


@pytest.mark.parametrize("problem", PROBLEMS, ids=NAMES)
def test_published_bytes_are_the_source_bytes(problem: ExampleProblem) -> None:
    loaded = load_image_bytes(problem.drawing.png)
    assert loaded.published == loaded.source == problem.drawing.png
    assert loaded.ref.sha256 == problem.drawing.sha256
    assert (loaded.ref.width, loaded.ref.height) == (problem.drawing.width, problem.drawing.height)
    assert loaded.ref.conversion is None


@pytest.mark.parametrize("problem", PROBLEMS, ids=NAMES)
def test_labels_stand_free_and_spots_are_free_ground(
    problem: ExampleProblem, clean: Callable[[Drawing], None]
) -> None:
    clean(problem.drawing)


def test_the_check_sees_a_label_on_a_line(clean: Callable[[Drawing], None]) -> None:
    canvas = Canvas("test", 100, 100)
    canvas.line((10, 50), (90, 50))
    canvas.label("A", (50, 50))
    with pytest.raises(AssertionError, match="tex='A'"):
        clean(canvas.finish())


def test_the_check_sees_a_spot_on_a_line(clean: Callable[[Drawing], None]) -> None:
    canvas = Canvas("test", 100, 100)
    canvas.line((10, 50), (90, 50))
    canvas.spot("mine", 20, 40, 40, 30)
    with pytest.raises(AssertionError, match="mine"):
        clean(canvas.finish())


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if p.drawing.spots], ids=lambda p: p.id)
def test_arrows_cross_no_ink(problem: ExampleProblem) -> None:
    pixels = decoded(problem.drawing)
    height, width, _ = pixels.shape
    for spot in problem.drawing.spots.values():
        if spot.arrow is None:
            continue
        x0, y0, x1, y1 = spot.arrow
        for share in np.linspace(0, 1, 60):
            x, y = (x0 + (x1 - x0) * share) * width, (y0 + (y1 - y0) * share) * height
            assert pixels[int(y) - 6 : int(y) + 7, int(x) - 6 : int(x) + 7].min() > 255 - INK_DISTANCE


@pytest.mark.parametrize("problem", PROBLEMS, ids=NAMES)
def test_drawing_keeps_a_white_border(problem: ExampleProblem) -> None:
    pixels = decoded(problem.drawing)
    edge = np.concatenate(
        [pixels[:6].ravel(), pixels[-6:].ravel(), pixels[:, :6].ravel(), pixels[:, -6:].ravel()]
    )
    assert edge.min() == 255
    assert problem.drawing.width >= 1000 and problem.drawing.height >= 260


def test_same_bytes_in_another_process() -> None:
    program = (
        "from benchwright.examples.registry import all_problems\n"
        "for p in all_problems(): print(p.id, p.drawing.sha256)\n"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert dict(line.split() for line in told.splitlines()) == {p.id: p.drawing.sha256 for p in PROBLEMS}


def test_a_label_that_cannot_be_set_is_an_error() -> None:
    canvas = Canvas("test", 100, 100)
    with pytest.raises(ValueError, match="nosuchcommand"):
        canvas.label(r"\nosuchcommand", (50, 50))


def test_a_label_lies_where_it_was_recorded() -> None:
    canvas = Canvas("test", 200, 100)
    canvas.label("A", (100, 50))
    drawing = canvas.finish()
    pixels = decoded(drawing)
    box = drawing.labels[0].box
    rows, columns = np.nonzero(pixels.min(axis=2) < 128)
    assert columns.min() >= box.x * 1000 - 2 and columns.max() <= (box.x + box.w) * 1000 + 2
    assert rows.min() >= box.y * 200 - 2 and rows.max() <= (box.y + box.h) * 200 + 2
    assert abs((box.x + box.w / 2) - 0.5) < 0.01

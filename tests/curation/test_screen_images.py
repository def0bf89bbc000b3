"""Measures of pictures, on drawings made on the spot."""

from __future__ import annotations

import io
from importlib.util import find_spec

import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from benchwright.curation.screen_codes import rules_of
from benchwright.curation.screen_images import ImageMeasures, image_findings, measure_image
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.recipe import ScreenRecipe

RULES = rules_of(ScreenRecipe())


def png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    return stream.getvalue()


def measured(image: Image.Image) -> ImageMeasures:
    data = png(image)
    return measure_image(sha256_bytes(data), data)


def codes(image: Image.Image) -> set[str]:
    return {finding.code for finding in image_findings(measured(image), RULES)}


def drawing(
    width: int = 1, ink: int = 0, ground: int = 255, size: tuple[int, int] = (400, 300)
) -> Image.Image:
    """A triangle on a plane ground: a line drawing with very little ink."""
    image = Image.new("L", size, ground)
    draw = ImageDraw.Draw(image)
    x, y = size
    draw.line([(x // 8, y // 8), (x // 2, y - y // 8), (x - x // 8, y // 4), (x // 8, y // 8)], ink, width)
    return image


@pytest.mark.parametrize("width", [1, 2, 5])
def test_line_drawings_are_normal_however_thin_their_lines(width: int) -> None:
    assert codes(drawing(width)) == set()
    assert measured(drawing(width)).sharpness > 0.3


def test_a_single_dot_is_ink_and_nothing_is_blank() -> None:
    dotted = Image.new("L", (200, 150), 255)
    ImageDraw.Draw(dotted).ellipse((90, 70, 100, 80), fill=0)
    assert codes(dotted) == set()
    for shade in (0, 128, 255):
        (found,) = image_findings(measured(Image.new("L", (200, 150), shade)), RULES)
        assert (found.code, found.severity, found.measure) == ("image-blank", "reject", 0.0)


def test_white_lines_on_black_are_dark_not_blank() -> None:
    assert codes(drawing(3, ink=255, ground=0)) == {"image-dark"}


def test_blur_faintness_and_size_are_told_apart() -> None:
    assert codes(drawing(4).filter(ImageFilter.GaussianBlur(9))) >= {"image-blurred"}
    assert codes(drawing(3, ink=225)) == {"image-faint"}
    assert codes(drawing(1, size=(40, 30))) == {"image-small"}
    strip = Image.new("L", (300, 12), 255)
    ImageDraw.Draw(strip).line((10, 6, 280, 6), fill=0, width=2)
    assert codes(strip) == {"image-thin"}


def test_strokes_that_run_into_the_edge_are_counted_by_side() -> None:
    lines = Image.new("L", (300, 200), 255)
    draw = ImageDraw.Draw(lines)
    for x in range(20, 290, 30):
        draw.line((x, 100, x, 199), fill=0, width=3)
    cut = measured(lines)
    assert (cut.cut, cut.cut_sides) == (9, "b")
    (found,) = image_findings(cut, RULES)
    assert (found.code, found.severity) == ("image-cut", "note")


def test_frames_margins_and_photographs_are_not_cut() -> None:
    framed = drawing()
    ImageDraw.Draw(framed).rectangle((0, 0, 399, 299), outline=0, width=4)
    assert measured(framed).cut == 0
    assert measured(drawing()).cut == 0
    noise = Image.effect_noise((200, 200), 90)
    assert measured(noise).cut == 0


def test_thresholds_come_from_the_recipe() -> None:
    found = measured(drawing())
    strict = rules_of(ScreenRecipe(reject=("image-small",), thresholds={"image-small": 500}))
    assert [(f.code, f.severity, f.threshold) for f in image_findings(found, strict)] == [
        ("image-small", "reject", 500.0)
    ]


@pytest.mark.skipif(find_spec("rapidocr") is None, reason="the ocr extra is not installed")
def test_watermarks_are_read_where_they_are_asked_for() -> None:
    from benchwright.curation.screen_watermarks import Watermarks

    image = drawing(2, size=(640, 420)).convert("RGB")
    ImageDraw.Draw(image).text(
        (150, 380), "www.example-exams.com", fill=(60, 60, 60), font=ImageFont.load_default(26)
    )
    marks = Watermarks().marks(png(image))
    assert [mark.code for mark in marks] == ["watermark"]
    reading = measured(image).model_copy(update={"marks": marks})
    assert list(image_findings(reading, RULES)) == []
    asked = rules_of(ScreenRecipe(note=("watermark",)))
    (found,) = image_findings(reading, asked)
    assert "example-exams" in found.detail and found.threshold == 0.8

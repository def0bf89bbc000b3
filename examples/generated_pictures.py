"""Simple line drawings for generated questions: shapes, an axis cross, a few labels; each different from all others."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageDraw

_SIZE = (320, 240)
_LETTERS = "ABCDPQRXYOF"


def write_pictures(folder: Path, count: int, seed: int) -> list[str]:
    """Draw pictures into a folder; returns their file names in order."""
    if count == 0:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for number in range(count):
        name = f"figure-{number:06d}.png"
        (folder / name).write_bytes(_png(random.Random(f"picture/{seed}/{number}")))
        names.append(name)
    return names


def _png(rng: random.Random) -> bytes:
    image = Image.new("L", _SIZE, 255)
    draw = ImageDraw.Draw(image)
    if rng.random() < 0.4:
        draw.line((20, 220, 300, 220), fill=0, width=2)
        draw.line((20, 220, 20, 20), fill=0, width=2)
    for _ in range(rng.randint(2, 5)):
        rng.choice(_SHAPES)(draw, rng)
    for letter in rng.sample(_LETTERS, rng.randint(2, 5)):
        draw.text(_spot(rng), letter, fill=0, font_size=16)
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def _spot(rng: random.Random) -> tuple[int, int]:
    return rng.randint(30, _SIZE[0] - 40), rng.randint(20, _SIZE[1] - 40)


def _box(draw: ImageDraw.ImageDraw, rng: random.Random) -> None:
    x, y = _spot(rng)
    draw.rectangle((x, y, x + rng.randint(20, 90), y + rng.randint(15, 60)), outline=0, width=2)


def _circle(draw: ImageDraw.ImageDraw, rng: random.Random) -> None:
    x, y = _spot(rng)
    size = rng.randint(15, 70)
    draw.ellipse((x, y, x + size, y + size), outline=0, width=2)


def _line(draw: ImageDraw.ImageDraw, rng: random.Random) -> None:
    draw.line((*_spot(rng), *_spot(rng)), fill=0, width=2)


def _triangle(draw: ImageDraw.ImageDraw, rng: random.Random) -> None:
    draw.polygon((_spot(rng), _spot(rng), _spot(rng)), outline=0, width=2)


_SHAPES: tuple[Callable[[ImageDraw.ImageDraw, random.Random], None], ...] = (_box, _circle, _line, _triangle)

"""A page as a telephone photographs it: perspective, a desk, uneven light, a shadow, softness, noise.

Everything drawn by chance follows from a seed text through `random.Random` and the raw stream of PCG64, whose values
are fixed for good; the rest is plain arithmetic, so that the same page gives the same photograph.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from benchwright.render.style import PhotoLook
from benchwright.schemas.digest import sha256_bytes

Matrix = tuple[float, float, float, float, float, float, float, float, float]
"""A plane projection in rows: (x, y) goes to ((ax + by + c) / w, (dx + ey + f) / w) with w = gx + hy + i."""
Point = tuple[float, float]

_BORDER = 0.045
"""Desk seen around the paper, as a share of the page's width."""
_CELL = 16
"""The light is computed at every so manieth pixel and drawn smoothly between."""
_STRIP = 512
"""Rows that get their noise at once: bounds the memory of a tall page."""
_DESKS = ((92, 78, 64), (70, 72, 76), (118, 104, 88), (60, 66, 62), (134, 126, 118))
_TINTS = ((255, 251, 242), (250, 252, 255), (255, 253, 248))
"""Warm lamp, daylight, neutral."""


@dataclass(frozen=True)
class Photograph:
    """The picture, and where the page's pixels went in it."""

    image: Image.Image
    matrix: Matrix


def photograph(page: Image.Image, look: PhotoLook, seed: str) -> Photograph:
    """Photograph a flat page.

    Args:
        page: RGB.
        look: bounds of tilt, light, softness, noise.
        seed: same seed, page and look, same pixels.
    """
    chance = random.Random(int(sha256_bytes(seed.encode("utf-8")), 16))
    border = round(_BORDER * page.width)
    size = (page.width + 2 * border, page.height + 2 * border)
    reach = min(look.tilt * page.width, border - 4.0)
    corners = tuple(
        (border + x + chance.uniform(-reach, reach), border + y + chance.uniform(-reach, reach))
        for x, y in ((0, 0), (page.width, 0), (page.width, page.height), (0, page.height))
    )
    matrix = projection(page.size, corners)
    paper = warped(page, matrix, size, (255, 255, 255))
    shape = warped(Image.new("L", page.size, 255), matrix, size, 0)
    picture = Image.new("RGB", size, chance.choice(_DESKS))
    picture = ImageChops.multiply(picture, _grey_rgb(_cast_shadow(shape)))
    picture.paste(paper, mask=shape)
    picture = ImageChops.multiply(picture, Image.new("RGB", size, chance.choice(_TINTS)))
    picture = ImageChops.multiply(picture, _grey_rgb(_light(size, look, chance)))
    if look.blur:
        picture = picture.filter(ImageFilter.GaussianBlur(look.blur))
    return Photograph(_noisy(picture, look.noise_bits, chance.getrandbits(64)), matrix)


def projection(size: tuple[int, int], corners: tuple[Point, ...]) -> Matrix:
    """The projection that takes a page's corners, clockwise from the top left, to four points (Heckbert 1989, 2.2)."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    dx1, dy1, dx2, dy2 = x1 - x2, y1 - y2, x3 - x2, y3 - y2
    sx, sy = x0 - x1 + x2 - x3, y0 - y1 + y2 - y3
    det = dx1 * dy2 - dx2 * dy1
    g, h = (sx * dy2 - dx2 * sy) / det, (dx1 * sy - sx * dy1) / det
    w, t = size
    return (
        *((x1 - x0 + g * x1) / w, (x3 - x0 + h * x3) / t, x0),
        *((y1 - y0 + g * y1) / w, (y3 - y0 + h * y3) / t, y0),
        *(g / w, h / t, 1.0),
    )


def projected(matrix: Matrix, x: float, y: float) -> Point:
    """Where a point of the page lies in the photograph."""
    a, b, c, d, e, f, g, h, i = matrix
    w = g * x + h * y + i
    return (a * x + b * y + c) / w, (d * x + e * y + f) / w


def inverse(matrix: Matrix) -> Matrix:
    """The projection back, scaled so that its last number is 1."""
    a, b, c, d, e, f, g, h, i = matrix
    rows = (
        *(e * i - f * h, c * h - b * i, b * f - c * e),
        *(f * g - d * i, a * i - c * g, c * d - a * f),
        *(d * h - e * g, b * g - a * h, a * e - b * d),
    )
    n0, n1, n2, n3, n4, n5, n6, n7, n8 = (value / rows[8] for value in rows)
    return n0, n1, n2, n3, n4, n5, n6, n7, n8


def warped(
    image: Image.Image, matrix: Matrix, size: tuple[int, int], fill: tuple[int, int, int] | int
) -> Image.Image:
    """A flat image as it lies in a picture of `size`; around it `fill`."""
    # Pillow asks where each pixel of the result comes from.
    return image.transform(
        size, Image.Transform.PERSPECTIVE, inverse(matrix)[:8], Image.Resampling.BICUBIC, fillcolor=fill
    )


def _cast_shadow(shape: Image.Image) -> Image.Image:
    """Light on the desk: less of it close to the paper's right and lower edge."""
    small = shape.resize((max(1, shape.width // 8), max(1, shape.height // 8)), Image.Resampling.BOX)
    soft = ImageChops.offset(small, 1, 1).filter(ImageFilter.GaussianBlur(1.5))
    return soft.point(lambda value: 255 - value // 2).resize(shape.size, Image.Resampling.BICUBIC)


def _light(size: tuple[int, int], look: PhotoLook, chance: random.Random) -> Image.Image:
    """Grey picture of the light: a vignette and one soft-edged shadow falling in from a side."""
    columns, rows = size[0] // _CELL + 2, size[1] // _CELL + 2
    x = np.linspace(0.0, 1.0, columns)[None, :]
    y = np.linspace(0.0, 1.0, rows)[:, None]
    round_ = (2 * x - 1) ** 2 * 0.5 + (2 * y - 1) ** 2 * 0.5
    nx, ny = chance.choice(((0.8, 0.6), (-0.8, 0.6), (0.6, 0.8), (-0.6, 0.8), (1.0, 0.0), (0.0, 1.0)))
    along = nx * x + ny * y
    low, high = min(nx, 0.0), max(nx, 0.0) + ny
    start = low + (high - low) * chance.uniform(0.35, 0.7)
    ramp = np.clip((along - start) / (chance.uniform(0.12, 0.3) * (high - low)), 0.0, 1.0)
    soft = ramp * ramp * (3 - 2 * ramp)
    light = (1 - look.vignette * round_) * (1 - look.shadow * chance.uniform(0.6, 1.0) * soft)
    small = Image.fromarray(np.round(255 * light).astype(np.uint8))
    return small.resize(size, Image.Resampling.BICUBIC)


def _noisy(picture: Image.Image, bits: int, seed: int) -> Image.Image:
    if not bits:
        return picture
    stream = np.random.PCG64(seed)
    top = (1 << bits) - 1
    for y in range(0, picture.height, _STRIP):
        box = (0, y, picture.width, min(y + _STRIP, picture.height))
        count = (box[3] - y) * picture.width
        raw = np.asarray(stream.random_raw(-(-count // 8)), dtype="<u8").view(np.uint8)[:count]
        noise = (raw & top).astype(np.int16) + ((raw >> 4) & top) - top
        pixels = np.asarray(picture.crop(box), dtype=np.int16) + noise.reshape(-1, picture.width, 1)
        picture.paste(Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)), box)
    return picture


def _grey_rgb(grey: Image.Image) -> Image.Image:
    return Image.merge("RGB", (grey, grey, grey))

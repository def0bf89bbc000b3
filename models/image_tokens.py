"""How many tokens an image costs: the published rules, each a record with its numbers, read from `token_rules.toml`.

Only the size of an image is needed; it is read from the file's head, no pixel is decoded.
"""

from __future__ import annotations

import io
import math
from typing import Annotated, Literal

from pydantic import Field

from benchwright.schemas.records import Record

Positive = Annotated[int, Field(gt=0)]


class _Sourced(Record):
    source: str
    """Where the rule is published."""
    date: str
    """When it was read there."""
    usual: bool = True
    """False: not among the rules that span the range for a model whose rule is unknown."""


class FixedRule(_Sourced):
    """Every image costs the same."""

    kind: Literal["fixed"]
    tokens: Positive

    def tokens_for(self, width: int, height: int) -> int:
        """Tokens of an image of that size in pixels."""
        return self.tokens


class TileRule(_Sourced):
    """A base and a price a tile, after scaling down into a square and to a shortest side (OpenAI, high detail)."""

    kind: Literal["tiles"]
    base: Positive
    tile: Positive
    square: Positive = 2048
    short: Positive = 768
    size: Positive = 512

    def tokens_for(self, width: int, height: int) -> int:
        """Tokens of an image of that size in pixels."""
        scale = min(1.0, self.square / max(width, height))
        scale *= min(1.0, self.short / (min(width, height) * scale))
        across, down = math.ceil(width * scale / self.size), math.ceil(height * scale / self.size)
        return self.base + self.tile * across * down


class AreaRule(_Sourced):
    """Area over a constant, after scaling down to a longest edge and a largest cost (Anthropic)."""

    kind: Literal["area"]
    pixels_per_token: Positive = 750
    edge: Positive = 1568
    most: Positive = 1600

    def tokens_for(self, width: int, height: int) -> int:
        """Tokens of an image of that size in pixels."""
        scale = min(1.0, self.edge / max(width, height))
        return min(self.most, math.ceil(width * height * scale * scale / self.pixels_per_token))


class PatchRule(_Sourced):
    """One token a patch at the image's own resolution, between two limits (Qwen2-VL)."""

    kind: Literal["patches"]
    patch: Positive = 28
    least: Positive = 4
    most: Positive = 16384
    marks: Annotated[int, Field(ge=0)] = 2
    """Tokens that open and close an image."""

    def tokens_for(self, width: int, height: int) -> int:
        """Tokens of an image of that size in pixels."""
        across, down = (max(1, round(side / self.patch)) for side in (width, height))
        if across * down > self.most:
            shrink = math.sqrt(width * height / (self.most * self.patch**2))
            across, down = (max(1, int(side / shrink / self.patch)) for side in (width, height))
        elif across * down < self.least:
            grow = math.sqrt(self.least * self.patch**2 / (width * height))
            across, down = (math.ceil(side * grow / self.patch) for side in (width, height))
        return across * down + self.marks


class GridRule(_Sourced):
    """The grid of square tiles that fits the aspect ratio best, and a thumbnail (InternVL 1.5 and later)."""

    kind: Literal["grid"]
    size: Positive = 448
    most: Positive = 12
    tokens: Positive = 256
    marks: Annotated[int, Field(ge=0)] = 2

    def tokens_for(self, width: int, height: int) -> int:
        """Tokens of an image of that size in pixels."""
        tiles = self._tiles(width, height)
        return self.tokens * (tiles + (tiles > 1)) + self.marks

    def _tiles(self, width: int, height: int) -> int:
        grids = [
            (across, down)
            for across in range(1, self.most + 1)
            for down in range(1, self.most + 1)
            if across * down <= self.most
        ]
        best, distance = 1, math.inf
        for across, down in sorted(grids, key=lambda grid: grid[0] * grid[1]):
            off, count = abs(width / height - across / down), across * down
            if off < distance or (off == distance and width * height > 0.5 * self.size**2 * count):
                best, distance = count, off
        return best


ImageRule = Annotated[
    FixedRule | TileRule | AreaRule | PatchRule | GridRule,
    Field(discriminator="kind"),
]


def image_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, or None where the bytes hold no readable head."""
    from PIL import Image, UnidentifiedImageError  # only an estimate of tokens needs it

    try:
        with Image.open(io.BytesIO(data)) as image:
            return image.size
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        # What Pillow's header readers raise on broken bytes; the caller states a range instead.
        return None

"""How burnt-in text looks: a small frozen record whose digest enters every sidecar."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Field

from benchwright.schemas.digest import digest_of
from benchwright.schemas.recipe import RenderRecipe, StyleName
from benchwright.schemas.records import Record

INKS: dict[str, tuple[int, int, int]] = {"dark-red": (142, 22, 22), "black": (17, 17, 17)}
"""Named inks as RGB. Dark red on white has a contrast of 9.0 : 1."""

WHITE = (255, 255, 255)
MINIMUM_CONTRAST = 4.5
"""WCAG 2.2, success criterion 1.4.3, for text of this size."""


class PhotoLook(Record):
    """How a printed page is photographed. The problem's id seeds what is drawn by chance within these bounds."""

    tilt: Annotated[float, Field(ge=0.0, le=0.1)] = 0.035
    """How far a corner may leave its place, as a share of the page's width."""
    shadow: Annotated[float, Field(ge=0.0, le=0.6)] = 0.34
    """Light lost in the deepest shadow."""
    vignette: Annotated[float, Field(ge=0.0, le=0.5)] = 0.12
    """Light lost towards the corners."""
    blur: Annotated[float, Field(ge=0.0, le=2.0)] = 0.55
    """Radius of the lens's softness in pixels."""
    noise_bits: Annotated[int, Field(ge=0, le=4)] = 2
    """Sensor noise: the sum of two uniform numbers of so many bits, centred on zero."""


class Look(Record):
    """What sets one style of vision-only pages apart from another."""

    page_ink: Literal["style", "black"] = "style"
    """`style`: the ink of the style; `black`: as printed, whatever the ink of the marks is."""
    justify: bool = False
    """Lines end flush right."""
    aside: bool = False
    """A narrow diagram stands at the right of the text instead of below it."""
    ruled: bool = False
    """A thin rule above and below the question."""
    photo: PhotoLook | None = None


LOOKS: Mapping[StyleName, Look] = MappingProxyType(
    {
        "clean": Look(),
        "exam": Look(page_ink="black", justify=True, aside=True, ruled=True),
        "phone-photo": Look(page_ink="black", photo=PhotoLook()),
    }
)
"""The styles. `phone-photo` has the layout of `clean`, so that the two differ in the photograph alone."""


class RenderStyle(Record):
    """Sizes in pixels of the finished picture."""

    name: StyleName = "clean"
    look: Look = LOOKS["clean"]
    width: Annotated[int, Field(ge=400, le=4000)] = 1400
    font_px: Annotated[int, Field(ge=16, le=96)] = 32
    ink: Literal["dark-red", "black"] = "dark-red"
    choices: Literal["image", "text"] = "image"
    """Where the choices of vision-only stand."""
    band: bool = False
    """True: what finds no room on a diagram goes to a band below it instead of back into the text."""
    max_height: int = 20_000
    """A page taller than this is refused (`too-long`)."""

    @property
    def digest(self) -> str:
        """Digest of all settings."""
        return digest_of(self)

    @property
    def margin(self) -> int:
        """White border of a page: two text heights."""
        return 2 * self.font_px

    @property
    def rgb(self) -> tuple[int, int, int]:
        """Ink of marks on a diagram as RGB."""
        return INKS[self.ink]

    @property
    def page_rgb(self) -> tuple[int, int, int]:
        """Ink of a vision-only page as RGB."""
        return INKS["black"] if self.look.page_ink == "black" else self.rgb


def style_of(recipe: RenderRecipe) -> RenderStyle:
    """The style that a recipe asks for."""
    return RenderStyle(
        name=recipe.style,
        look=LOOKS[recipe.style],
        width=recipe.width,
        font_px=recipe.font_size,
        ink=recipe.ink,
        choices=recipe.choices,
        band=recipe.band,
    )


def contrast(first: tuple[int, int, int], second: tuple[int, int, int]) -> float:
    """Contrast ratio of two sRGB colours, 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(rgb: tuple[int, int, int]) -> float:
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

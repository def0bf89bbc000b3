"""Pictures of the placement page: the diagrams at a size a browser likes, and the proposal burnt in by the renderer."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from benchwright.annotation.jobs.base import FILES_URL
from benchwright.annotation.server import shown_folder
from benchwright.render.compose import typesetter_for
from benchwright.render.job import chosen_font
from benchwright.render.layout import Setter
from benchwright.render.placement import annotate
from benchwright.render.placement_marks import Placements, with_placements
from benchwright.render.raster import encode_png
from benchwright.render.spread import published_image
from benchwright.render.style import style_of
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import ItemError
from benchwright.schemas.images import open_published
from benchwright.schemas.records import Decomposition, ImageRef, Language
from benchwright.schemas.workspace import Workspace

FOLDER = "placement"
LONGEST = 2000
"""Longest side of a picture on the page, in pixels: boxes are shares of it, so a smaller copy serves as well."""


@dataclass(frozen=True)
class Pictures:
    """A workspace's diagrams as the placement page shows them. Copies are made once, in the folder of the server."""

    workspace: Workspace

    @property
    def folder(self) -> Path:
        """Where the server finds them."""
        return shown_folder(self.workspace) / FOLDER

    def shown(self, ref: ImageRef) -> tuple[str, int, int]:
        """Address, width and height of a diagram; a very large one is shown by a smaller copy.

        Raises:
            ItemError: `image-missing`, `image-tampered`.
        """
        width, height = fitted(ref.width, ref.height)
        if (width, height) == (ref.width, ref.height):
            return f"{FILES_URL}{FOLDER}/{ref.sha256}{ref.suffix}", width, height
        name = f"{ref.sha256}-{max(width, height)}.png"
        if not (self.folder / name).exists():
            self._write(name, encode_png(self._opened(ref)))
        return f"{FILES_URL}{FOLDER}/{name}", width, height

    def burnt(
        self, split: Decomposition, placements: Placements, refs: Sequence[ImageRef], language: Language
    ) -> str:
        """Address of the picture with the proposed marks, drawn by the renderer's own rules.

        Raises:
            ItemError: what placing or drawing raises (`covers-ink`, `missing-glyph`, `formula`, `bad-verdict`,
                `image-missing`), with its reason.
        """
        image = self._burnt(split, placements, refs, language)
        png = encode_png(image)
        name = f"burnt-{sha256_bytes(png)}.png"
        if not (self.folder / name).exists():
            self._write(name, png)
        return f"{FILES_URL}{FOLDER}/{name}"

    def _burnt(
        self, split: Decomposition, placements: Placements, refs: Sequence[ImageRef], language: Language
    ) -> Image.Image:
        style = style_of(self.workspace.recipe.render)
        typesetter = typesetter_for(chosen_font(self.workspace))
        small = {ref.sha256: self._opened(ref) for ref in refs}
        scale = min(small[ref.sha256].width / ref.width for ref in refs)
        px = max(8, round(style.font_px * scale))
        placed = annotate(
            with_placements(split, placements),
            [ref.model_copy(update=_size(small[ref.sha256])) for ref in refs],
            lambda sha256: _png(small[sha256]),
            style,
            Setter(typesetter.font, typesetter, px),
            language,
        )
        typesetter.take_counts()
        return placed.image

    def _opened(self, ref: ImageRef) -> Image.Image:
        image = open_published(published_image(self.workspace, ref.sha256))
        size = fitted(image.width, image.height)
        return image if size == image.size else image.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)

    def _write(self, name: str, data: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomic(self.folder / name, data)


def fitted(width: int, height: int) -> tuple[int, int]:
    """Width and height of a picture on the page: as it is, or shrunk to `LONGEST`."""
    scale = min(1.0, LONGEST / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def reason(error: ItemError) -> str:
    """Why there is no preview, in words for the page."""
    return f"{error.reason}: {error.detail}"


def _png(image: Image.Image) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "PNG", compress_level=1)
    return stream.getvalue()


def _size(image: Image.Image) -> dict[str, int]:
    return {"width": image.width, "height": image.height}

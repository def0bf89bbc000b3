"""Marks of provenance that stand in pictures, read by OCR where the `ocr` extra is there and wanted.

Reading takes a second or two a picture, forty times what all measures take together; so it is off until the recipe
names `watermark` under `[screen]` `note` or `reject`.
"""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from benchwright.curation.screen_privacy import found_marks
from benchwright.render.legibility_read import Reader, missing_packages
from benchwright.schemas.errors import UsageError
from benchwright.schemas.screening import ScreenFinding


class Watermarks:
    """Reads pictures and keeps what names a site, an account or a person's address.

    Raises:
        UsageError: the extra is not installed.
    """

    def __init__(self) -> None:
        self._reader = Reader()

    def marks(self, data: bytes) -> tuple[ScreenFinding, ...]:
        """Marks in a published picture, each with the reader's confidence as measure; the threshold is not applied."""
        with Image.open(io.BytesIO(data)) as opened:
            pixels = np.asarray(opened.convert("RGB"))
        return tuple(
            ScreenFinding(
                code="watermark",
                severity="note",
                measure=reading.score,
                detail=f"it reads {mark!r} ({code})",
            )
            for reading, _ in self._reader.find(pixels)
            for code, mark in found_marks(reading.text)
        )


def reader_version() -> str:
    """Name and version of the reader.

    Raises:
        UsageError: it is not installed.
    """
    if missing := missing_packages():
        raise UsageError(
            f"[screen] in benchwright.toml names watermark, which needs {' and '.join(missing)}: run `pip install "
            "'benchwright[ocr]'`, or take the code out."
        )
    from importlib.metadata import version

    return f"rapidocr {version('rapidocr')}"

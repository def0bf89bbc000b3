"""The reader: text recognition on lines whose places are known (PP-OCR through rapidocr, recognition model only).

Finding text on a page is not asked of it: page mode loses whole lines at sizes that read perfectly line by line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.schemas.errors import UsageError

Pixels = NDArray[np.uint8]
"""Shape (height, width, 3), RGB."""

_DISTRIBUTION = "rapidocr"
_NEEDED = ("rapidocr", "onnxruntime")


@dataclass(frozen=True)
class Reading:
    """What was read on one strip, and the reader's mean confidence (0..1)."""

    text: str
    score: float


class Reader:
    """Reads strips of text, one thread, no network: the models are inside the wheel.

    Raises:
        UsageError: the extra is not installed.
    """

    def __init__(self) -> None:
        if missing := missing_packages():
            raise UsageError(
                f"reading text back needs {' and '.join(missing)}: run `pip install 'benchwright[ocr]'`."
            )
        from rapidocr import RapidOCR

        settings = {
            "Global.log_level": "error",
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
        self._engine: Any = RapidOCR(params=settings)
        self._recogniser: Any = self._engine._load_rec_model()
        self._recogniser.rec_batch_num = 1  # a batch is padded to its widest strip: one by one is cheaper
        self.alphabet: frozenset[str] = frozenset(self._recogniser.postprocess_op.character)
        self.version = f"{_DISTRIBUTION} {version(_DISTRIBUTION)}"

    def read(self, strips: Sequence[Pixels]) -> list[Reading]:
        """Read each strip, in order."""
        if not strips:
            return []
        from rapidocr.ch_ppocr_rec import TextRecInput

        images = [np.ascontiguousarray(strip[:, :, ::-1]) for strip in strips]
        done = self._recogniser(TextRecInput(img=images))
        return [
            Reading(str(text), round(float(score), 4))
            for text, score in zip(done.txts, done.scores, strict=True)
        ]

    def find(self, picture: Pixels) -> list[tuple[Reading, tuple[int, int, int, int]]]:
        """Texts on a picture with their boxes (x, y, width, height): a diagram's own labels, of unknown place."""
        done = self._engine(np.ascontiguousarray(picture[:, :, ::-1]), use_cls=False)
        if done.boxes is None:
            return []
        found: list[tuple[Reading, tuple[int, int, int, int]]] = []
        for text, score, corners in zip(done.txts, done.scores, done.boxes, strict=True):
            x, y, w, h = cv2.boundingRect(np.round(corners).astype(np.int32))
            found.append((Reading(str(text), round(float(score), 4)), (x, y, w, h)))
        return found


def missing_packages() -> tuple[str, ...]:
    """Names of the packages that reading needs and that are not installed."""
    return tuple(name for name in _NEEDED if find_spec(name) is None)


def reader_version() -> str | None:
    """Name and version of the reader that would be used; None where it is not installed."""
    try:
        return None if missing_packages() else f"{_DISTRIBUTION} {version(_DISTRIBUTION)}"
    except PackageNotFoundError:
        return None


@lru_cache(maxsize=1)
def reader() -> Reader:
    """The process's reader: its models are loaded once.

    Raises:
        UsageError: the extra is not installed.
    """
    return Reader()

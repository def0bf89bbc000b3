"""What an embedder is: texts in, unit-length float32 rows out, each row independent of its neighbours."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """Stable id, written into manifests; changes when the weights or the arithmetic do."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def external_host(self) -> str | None:
        """The host outside this machine that texts would be sent to; None where they stay."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Float32 array (n, dimension); every row has length 1. Texts are NFKC-normalised; '' is allowed."""


def normalised(text: str) -> str:
    """The form in which a text is embedded: NFKC, blanks collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def unit_rows(vectors: npt.NDArray[Any]) -> Vectors:
    """Scale rows to length 1 (in double precision; a zero row stays zero)."""
    double = vectors.astype(np.float64)
    norms = np.linalg.norm(double, axis=1, keepdims=True)
    scaled: Vectors = np.divide(double, norms, out=np.zeros_like(double), where=norms > 0).astype(np.float32)
    return scaled

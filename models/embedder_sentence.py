"""`sentence-transformers:NAME-OR-PATH`: any model of that library, with equal bits for a text whatever its neighbours.

In batches as the library makes them, the last bits of a vector (three digits in bfloat16) depend on the longest text
beside it. So texts are filled up to a multiple of 16 tokens, and a batch holds 8 texts of one such length, the last
one of a length filled up by repeating its first text: all products have one shape for a text, wherever it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchwright.models.embedder import Vectors, normalised, unit_rows
from benchwright.schemas.digest import digest_of, sha256_file
from benchwright.schemas.errors import UsageError

PREFIX = "sentence-transformers:"
_BATCH, _STEP = 8, 16


class SentenceTransformersEmbedder:
    """A model of sentence-transformers, in bfloat16 where the processor has it."""

    external_host = None

    def __init__(self, name_or_path: str) -> None:
        """Load the model.

        Raises:
            UsageError: the extra `[embed]` is not installed, or the model cannot be loaded.
        """
        self._torch, self._model = load_model(name_or_path)
        self.name = sentence_name(name_or_path)
        self.dimension = vector_length(self._model)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        spoken = [normalised(text) for text in texts]
        steps = [-(-length // _STEP) for length in self._lengths(spoken)]
        for step in sorted(set(steps)):
            alike = [at for at, one in enumerate(steps) if one == step]
            for start in range(0, len(alike), _BATCH):
                places = alike[start : start + _BATCH]
                rows[places] = self._batch([spoken[at] for at in places])
        return unit_rows(rows)

    def _batch(self, texts: list[str]) -> Vectors:
        filled = texts + texts[:1] * (_BATCH - len(texts))
        tensor = self._model.encode(
            filled,
            batch_size=_BATCH,
            convert_to_tensor=True,
            show_progress_bar=False,
            processing_kwargs={"text": {"pad_to_multiple_of": _STEP}},
        )
        vectors: Vectors = tensor.to(device="cpu", dtype=self._torch.float32).numpy()[: len(texts)]
        return vectors

    def _lengths(self, texts: list[str]) -> list[int]:
        """Tokens of each text after cutting, as the model will see it."""
        lengths: list[int] = []
        for start in range(0, len(texts), 64):
            mask = self._model.preprocess(texts[start : start + 64])["attention_mask"]
            lengths += [int(length) for length in mask.sum(dim=1)]
        return lengths


def load_model(name_or_path: str) -> tuple[Any, Any]:
    """torch, and the model.

    Raises:
        UsageError: the extra `[embed]` is not installed, or the model cannot be loaded.
    """
    try:
        import torch
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise UsageError(
            f"{PREFIX}{name_or_path} needs torch and sentence-transformers ({error}); install benchwright[embed]."
        ) from error
    dtype = torch.bfloat16 if has_bfloat16(torch) else torch.float32
    try:
        return torch, SentenceTransformer(name_or_path, device=None, model_kwargs={"dtype": dtype})
    except (OSError, ValueError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UsageError(
            f"the embedder {name_or_path!r} cannot be loaded ({first}); give a model folder or a Hub name."
        ) from error


def vector_length(model: Any) -> int:
    """Length of a model's vectors."""
    names = ("get_embedding_dimension", "get_sentence_embedding_dimension")  # the second until version 5
    return int(next(getattr(model, name) for name in names if hasattr(model, name))())


def has_bfloat16(torch: Any) -> bool:
    """Whether products in bfloat16 are faster here than in float32."""
    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    probe = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(probe()) if probe is not None else False


def sentence_name(name_or_path: str) -> str:
    """A Hub name as it is; for a folder its name and the digest of its files, so that no machine's path is recorded."""
    folder = Path(name_or_path)
    if not folder.is_dir():
        return PREFIX + name_or_path
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix in (".safetensors", ".bin", ".json")
    )
    content = [[path.relative_to(folder).as_posix(), sha256_file(path)] for path in files]
    return f"{PREFIX}{folder.resolve().name}@{digest_of(content)[:12]}"

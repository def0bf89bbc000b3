"""Pictures as vectors by a model of the CLIP family that the user names (sentence-transformers)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchwright.models.embedder import Vectors, unit_rows
from benchwright.models.embedder_sentence import PREFIX, load_model, sentence_name
from benchwright.schemas.errors import UsageError
from benchwright.schemas.images import open_published

__all__ = ["PREFIX", "PictureEmbedder", "picture_embedder_name"]


class PictureEmbedder:
    """A model that sees pictures."""

    def __init__(self, name_or_path: str) -> None:
        """Load the model and let it see one white picture, which also tells the length of its vectors.

        Raises:
            UsageError: the extra `[embed]` is not installed, the model cannot be loaded, or it sees no pictures.
        """
        from PIL import Image

        self._torch, self._model = load_model(name_or_path)
        if "image" not in self._model.modalities:
            raise UsageError(
                f"[embed] images: {name_or_path!r} takes no pictures; name a model of the CLIP family, or use ink."
            )
        self.name = picture_embedder_name(PREFIX + name_or_path)
        self.dimension = int(self._seen(Image.new("RGB", (32, 32), "white")).shape[0])

    def embed_pictures(self, published: Sequence[bytes]) -> Vectors:
        """Unit vectors of published pictures, [n, dimension]; each picture goes through the model alone."""
        rows = np.empty((len(published), self.dimension), np.float32)
        for at, data in enumerate(published):
            with open_published(data) as image:
                rows[at] = self._seen(image.convert("RGB"))
        return unit_rows(rows)

    def _seen(self, image: object) -> Vectors:
        tensor = self._model.encode([image], convert_to_tensor=True, show_progress_bar=False)[0]
        vector: Vectors = tensor.to(device="cpu", dtype=self._torch.float32).numpy()
        return vector


def picture_embedder_name(name: str) -> str:
    """Stable id of a picture embedder, without loading it."""
    return "pictures:" + sentence_name(name.removeprefix(PREFIX)).removeprefix(PREFIX)

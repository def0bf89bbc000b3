"""What `curate embed` says it made: the index of a discipline's shards, and whether it is what the recipe asks for."""

from __future__ import annotations

from pathlib import Path

from benchwright.curation.embed_images import parameters
from benchwright.models.embedders import embedder_name
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record, Sha256
from benchwright.schemas.workspace import Workspace


class PictureIndex(Record):
    """The pictures' part of an index."""

    embedder: str
    dimension: int
    weight: float
    pictures: int
    """Distinct pictures."""
    shards: dict[str, Sha256]


class ShardIndex(Record):
    """The first artefact of the stage: which shards hold the discipline."""

    embedder: str
    dimension: int
    texts: int
    """Distinct texts."""
    shards: dict[str, Sha256]
    """Name -> digest of the `.npy` file."""
    pictures: PictureIndex | None = None


def index_path(workspace: Workspace, discipline: str) -> Path:
    """The index of a discipline's shards; its manifest is the embed stage's."""
    return workspace.embeddings(discipline) / "index.json"


def read_index(path: Path) -> ShardIndex:
    """Read an index."""
    return ShardIndex.model_validate_json(path.read_bytes())


def right_index(workspace: Workspace, discipline: str) -> ShardIndex:
    """The index of a discipline that was embedded as the recipe says.

    Raises:
        UsageError: it was not embedded, or otherwise.
    """
    output = index_path(workspace, discipline)
    if not output.is_file():
        raise UsageError(f"{discipline} was not embedded yet: run `curate embed --discipline {discipline}`.")
    index = read_index(output)
    recipe = workspace.recipe.embed
    again = f"run `curate embed --discipline {discipline}` again."
    wanted = embedder_name(recipe.embedder)
    if index.embedder != wanted:
        raise UsageError(f"{discipline} was embedded by {index.embedder}, the recipe names {wanted}: {again}")
    seen = index.pictures
    told = {} if seen is None else {"images": seen.embedder, "image_weight": seen.weight}
    if told != parameters(recipe.images, recipe.image_weight):
        raise UsageError(
            f"{discipline} was embedded with other settings for pictures than the recipe's: {again}"
        )
    return index

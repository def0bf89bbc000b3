"""The pictures of a discipline as vectors: which there are, what sees them, and where they stand for each question.

A picture is seen once, whatever number of questions shows it; its vector is kept by its digest, in shards like those of
the texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from benchwright.curation import embed_ink
from benchwright.curation.embed_fill import Keys, Report, Work, fill, first_seen, gather
from benchwright.curation.embed_shards import ShardFolder, Vectors
from benchwright.curation.executor import Executor
from benchwright.curation.pool_reader import iter_texts
from benchwright.models.embedder_pictures import PREFIX, PictureEmbedder, picture_embedder_name
from benchwright.schemas.errors import UsageError
from benchwright.schemas.workspace import Workspace

_WORTH_WORKERS = 256
"""Fewer pictures than this are seen in this process."""


@dataclass(frozen=True)
class Sight:
    """What turns pictures into vectors."""

    name: str
    dimension: int
    see: Callable[[list[str]], Vectors]
    """Digests -> [n, dimension]; runs in a worker."""


@dataclass(frozen=True)
class Pictured:
    """Vectors of pictures, by question."""

    shards: ShardFolder
    digests: dict[str, str]
    """Shard name -> digest of its file."""
    pictures: int
    starts: NDArray[np.int64]
    """[n + 1], where each question's pictures begin in `places`."""
    places: NDArray[np.int64]

    def of(self, rows: NDArray[np.int64]) -> list[Vectors | None]:
        """For each question [pictures, dimension], or None where it has none."""
        spans = [self.places[self.starts[row] : self.starts[row + 1]] for row in rows]
        seen = gather(self.shards, list(self.digests), np.concatenate([*spans, np.empty(0, np.int64)]))
        ends = list(accumulate(map(len, spans)))
        return [
            seen[end - len(span) : end] if len(span) else None for span, end in zip(spans, ends, strict=True)
        ]


def open_sight(images: str, root: Path) -> Sight | None:
    """What the recipe's `images` names: `none`, `ink`, or `sentence-transformers:NAME-OR-PATH`.

    Args:
        images: the setting.
        root: the workspace, where workers find the pictures.

    Raises:
        UsageError: unknown name, missing extra, or a model that cannot see pictures.
    """
    if images == "none":
        return None
    if images == "ink":
        return Sight(embed_ink.NAME, embed_ink.DIMENSION, partial(_see_ink, root))
    if images.startswith(PREFIX) and len(images) > len(PREFIX):
        model = _opened(images)
        return Sight(model.name, model.dimension, partial(_see_by_model, images, root))
    raise UsageError(f"[embed] images: {images!r} is not known; use none, ink or {PREFIX}NAME-OR-PATH.")


def sight_name(images: str) -> str:
    """The name of what the recipe's `images` names, without loading it."""
    if images == "ink":
        return embed_ink.NAME
    return picture_embedder_name(images) if images.startswith(PREFIX) else images


def parameters(images: str, weight: float) -> dict[str, JsonValue]:
    """What pictures add to the stage's parameters; nothing where they are not looked at."""
    return {} if images == "none" else {"images": sight_name(images), "image_weight": weight}


def fill_pictures(
    workspace: Workspace, discipline: str, sight: Sight, executor: Executor, here: Executor, report: Report
) -> Pictured:
    """See every picture of a discipline that was not seen before.

    Raises:
        UsageError: the workspace lacks a picture.
        TamperedError: a picture is not what its name says.
    """
    counts: list[int] = []
    found: list[bytes] = []
    for chunk in iter_texts(workspace.pool(discipline)):
        for digests in chunk.images:
            counts.append(len(digests))
            found += [bytes.fromhex(digest) for digest in sorted(digests)]
    keys: Keys = np.frombuffer(b"".join(found), np.uint8).reshape(-1, 32)
    distinct, places = first_seen(keys)
    shards = ShardFolder(workspace.embeddings(discipline) / "pictures", sight.name, sight.dimension)
    work = Work(partial(_wanted, distinct), sight.see, _WORTH_WORKERS)
    made, _ = fill(shards, distinct, work, executor, here, report)
    return Pictured(shards, made, len(distinct), np.array([0, *accumulate(counts)], np.int64), places)


def _wanted(keys: Keys, wanted: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    for key in keys:
        digest = key.tobytes().hex()
        if wanted(digest):
            yield digest, digest


def _see_ink(root: Path, digests: Sequence[str]) -> Vectors:
    workspace = _workspace(root)
    return np.stack([embed_ink.ink_vector(workspace.read_image(digest)) for digest in digests])


def _see_by_model(images: str, root: Path, digests: Sequence[str]) -> Vectors:
    workspace = _workspace(root)
    return _opened(images).embed_pictures([workspace.read_image(digest) for digest in digests])


@cache
def _workspace(root: Path) -> Workspace:
    return Workspace.find(root)


@cache
def _opened(images: str) -> PictureEmbedder:
    return PictureEmbedder(images.removeprefix(PREFIX))

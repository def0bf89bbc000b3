"""Shards of vectors, named by what they hold, so that nothing is embedded twice.

A shard holds the vectors of up to 256 distinct keys (digests of what was embedded) in the order in which the pool
names them first. Its side file is written last: a killed run loses at most the shards in the making, and a grown pool
takes known vectors over from older shards.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.digest import canonical_json, digest_of, sha256_bytes, sha256_file
from benchwright.schemas.errors import TamperedError
from benchwright.schemas.records import Record, Sha256

SHARD_KEYS = 256

Vectors = NDArray[np.float32]


class Shard(Record):
    """Side file of a shard."""

    embedder: str
    dimension: int
    keys: tuple[Sha256, ...]
    sha256: Sha256
    """Digest of the `.npy` file."""


@dataclass(frozen=True)
class Known:
    """A finished shard, as far as it has to be remembered."""

    embedder: str
    sha256: str


@dataclass(frozen=True)
class ShardFolder:
    """The shards of one embedder in one folder."""

    folder: Path
    embedder: str
    dimension: int

    def name(self, keys: Sequence[str]) -> str:
        """Name of the shard that holds these keys in this order."""
        return shard_name(self.embedder, keys)

    def finished(self) -> dict[str, Known]:
        """Whole and unchanged shards of the folder by name, those of other embedders too; torn ones are removed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for torn in self.folder.glob(".shard-*.tmp"):
            torn.unlink()
        found = {}
        for side in sorted(self.folder.glob("shard-*.json")):
            record = whole_shard(self.folder, side.stem)
            if record is not None:
                found[side.stem] = Known(record.embedder, record.sha256)
        return found

    def places(self, shards: Sequence[str]) -> Iterator[tuple[str, tuple[str, int]]]:
        """Each key of these shards and where it stands: (shard, row)."""
        for shard in shards:
            for at, key in enumerate(read_shard(self.folder, shard).keys):
                yield key, (shard, at)

    def write(self, keys: Sequence[str], rows: Vectors) -> Known:
        """Write a shard, its side file last."""
        shard = self.name(keys)
        buffer = io.BytesIO()
        np.save(buffer, rows, allow_pickle=False)
        data = buffer.getvalue()
        record = Shard(
            embedder=self.embedder, dimension=self.dimension, keys=tuple(keys), sha256=sha256_bytes(data)
        )
        write_atomic(self.folder / f"{shard}.npy", data)
        write_atomic(self.folder / f"{shard}.json", (canonical_json(record) + "\n").encode("utf-8"))
        return Known(self.embedder, record.sha256)

    def remove_others(self, kept: Sequence[str]) -> None:
        """Remove this embedder's shards that are not among those kept."""
        stay = set(kept)
        for side in sorted(self.folder.glob("shard-*.json")):
            record = whole_shard(self.folder, side.stem)
            if side.stem not in stay and record is not None and record.embedder == self.embedder:
                side.unlink()
                side.with_suffix(".npy").unlink()


def shard_name(embedder: str, keys: Sequence[str]) -> str:
    """Name of a shard: what made it and what it holds."""
    return f"shard-{digest_of([embedder, list(keys)])[:16]}"


def whole_shard(folder: Path, shard: str) -> Shard | None:
    """The side file of a shard that is whole and unchanged, else None."""
    side, data = folder / f"{shard}.json", folder / f"{shard}.npy"
    try:
        record = Shard.model_validate_json(side.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    if not data.is_file() or sha256_file(data) != record.sha256:
        return None
    return record if shard_name(record.embedder, record.keys) == shard else None


def read_shard(folder: Path, shard: str) -> Shard:
    """The side file of a shard.

    Raises:
        TamperedError: it is gone or damaged.
    """
    try:
        return Shard.model_validate_json((folder / f"{shard}.json").read_bytes())
    except (FileNotFoundError, ValidationError) as error:
        raise TamperedError(f"{folder / shard}.json is gone or damaged: run `curate embed` again.") from error


def open_rows(folder: Path, shard: str, dimension: int) -> Vectors:
    """Vectors of a shard, [keys, dimension], mapped from its file.

    Raises:
        TamperedError: the file does not hold such rows.
    """
    path = folder / f"{shard}.npy"
    rows: Vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    if rows.ndim != 2 or rows.shape[1] != dimension or rows.dtype != np.float32:
        raise TamperedError(f"{path} does not hold what its side file says: run `curate embed` again.")
    return rows

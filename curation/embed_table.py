"""The vectors of a discipline as one table on disk: row by row in the order of the question ids, never whole in memory.

`vectors.npy` is derived from the shards (`embed_shards`) and written by `curate embed` alone; `rows.parquet` beside it
says which question stands where, and the key of what was embedded of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchwright.curation.embed_index import index_path as index_path
from benchwright.curation.embed_index import right_index
from benchwright.schemas.artefact import manifest_path, read_manifest
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.errors import TamperedError, UsageError
from benchwright.schemas.workspace import Workspace

Vectors = NDArray[np.float32]
BLOCK = 4096
"""Rows that are held at a time."""
_ROWS = pa.schema([pa.field("question_id", pa.string(), False), pa.field("key", pa.string(), False)])


@dataclass(frozen=True)
class VectorTable:
    """Unit vectors of a discipline; opening it reads the ids and nothing else."""

    ids: tuple[str, ...]
    """Question ids in the pool's order (ascending)."""
    path: Path
    """The `.npy` file: float32, [len(ids), dimension], C order."""
    dimension: int
    offset: int
    """Where the numbers begin, in bytes."""

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def vectors(self) -> Vectors:
        """[n, dimension], mapped from the file.

        Pages that were touched count as this process's memory until the system wants them back: whoever walks over
        the whole table takes `blocks`.
        """
        if not self.ids:  # an empty file cannot be mapped
            return np.empty((0, self.dimension), np.float32)
        mapped: Vectors = np.load(self.path, mmap_mode="r", allow_pickle=False)
        return mapped

    def blocks(self, rows: int = BLOCK) -> Iterator[tuple[int, Vectors]]:
        """(first row, [<= rows, dimension]) from front to back, read into memory one block at a time."""
        with self.path.open("rb") as stream:
            stream.seek(self.offset)
            for start in range(0, len(self), rows):
                count = min(rows, len(self) - start)
                block = np.fromfile(stream, np.float32, count * self.dimension)
                if block.size != count * self.dimension:
                    raise TamperedError(
                        f"{self.path} is shorter than its head says: run `curate embed` again."
                    )
                yield start, block.reshape(count, self.dimension)

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> Vectors:
        """Some rows, [len(rows), dimension], read into memory."""
        taken = np.empty((len(rows), self.dimension), np.float32)
        width = 4 * self.dimension
        with self.path.open("rb") as stream:
            for at, row in enumerate(rows):
                if not 0 <= row < len(self):
                    raise IndexError(f"row {row} of {len(self)}")
                stream.seek(self.offset + int(row) * width)
                taken[at] = np.frombuffer(stream.read(width), np.float32)
        return taken


class TableWriter:
    """Writes `vectors.npy` and `rows.parquet` block by block, in a `with` block."""

    def __init__(self, vectors: Path, rows: Path, n: int, dimension: int) -> None:
        self._shape = (n, dimension)
        self._written = 0
        self._stream = vectors.open("wb")
        head = {"descr": "<f4", "fortran_order": False, "shape": self._shape}
        np.lib.format.write_array_header_1_0(self._stream, head)  # type: ignore[no-untyped-call]
        self._rows = pq.ParquetWriter(rows, _ROWS, compression="zstd", version="2.6")

    def add(self, ids: Sequence[str], keys: Sequence[str], vectors: Vectors) -> None:
        """Append rows."""
        self._stream.write(np.ascontiguousarray(vectors, "<f4").tobytes())
        self._rows.write_table(pa.table({"question_id": ids, "key": keys}, schema=_ROWS))
        self._written += len(ids)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._rows.close()
        self._stream.close()
        if kind is None and self._written != self._shape[0]:
            raise ValueError(f"{self._written} rows written of {self._shape[0]}")


def vectors_path(workspace: Workspace, discipline: str) -> Path:
    """The `.npy` file of a discipline's vectors."""
    return workspace.embeddings(discipline) / "vectors.npy"


def rows_path(workspace: Workspace, discipline: str) -> Path:
    """Question ids and keys in the order of the vectors."""
    return workspace.embeddings(discipline) / "rows.parquet"


def open_vectors(workspace: Workspace, discipline: str, changed: bool = False) -> VectorTable:
    """The vectors of a discipline in the order of its question ids, fused with pictures where the recipe says so.

    Args:
        workspace: the workspace.
        discipline: which pool.
        changed: True accepts that the pool changed since; rows are then those of the former pool.

    Raises:
        UsageError: the discipline was not embedded, or otherwise than the recipe says, or the pool changed since.
        TamperedError: the table's head is not what was written.
    """
    right_index(workspace, discipline)
    path = vectors_path(workspace, discipline)
    again = f"run `curate embed --discipline {discipline}`"
    manifest = read_manifest(manifest_path(index_path(workspace, discipline)))
    if manifest is None or not path.is_file():
        raise UsageError(f"{discipline} was not embedded yet: {again}.")
    pool = workspace.pool(discipline)
    if not changed and (
        not pool.is_file() or manifest.inputs.get(workspace.relative(pool)) != sha256_file(pool)
    ):
        raise UsageError(f"the pool of {discipline} changed since it was embedded: {again} again.")
    ids = tuple(read_rows(workspace, discipline, ("question_id",)).column("question_id").to_pylist())
    shape, offset = _head(path)
    if shape[0] != len(ids) or path.stat().st_size != offset + 4 * shape[0] * shape[1]:
        raise TamperedError(f"{path} does not hold the {len(ids)} questions of its rows: {again} again.")
    return VectorTable(ids, path, shape[1], offset)


def read_rows(workspace: Workspace, discipline: str, columns: Sequence[str]) -> pa.Table:
    """Columns `question_id` and `key` of the table's rows.

    Raises:
        UsageError: the discipline was not embedded.
        TamperedError: the file is damaged.
    """
    path = rows_path(workspace, discipline)
    try:
        return pq.read_table(path, columns=list(columns))
    except FileNotFoundError as error:
        raise UsageError(
            f"{discipline} was not embedded yet: run `curate embed --discipline {discipline}`."
        ) from error
    except (pa.ArrowInvalid, OSError) as error:
        raise TamperedError(
            f"{path} cannot be read: run `curate embed --discipline {discipline}` again."
        ) from error


def _head(path: Path) -> tuple[tuple[int, int], int]:
    """Shape of a `.npy` file of ours, and where its numbers begin."""
    with path.open("rb") as stream:
        try:
            version = np.lib.format.read_magic(stream)  # type: ignore[no-untyped-call]
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise TamperedError(
                f"{path} is no table of vectors ({error}): run `curate embed` again."
            ) from error
        if version != (1, 0) or fortran or dtype != np.float32 or len(shape) != 2:
            raise TamperedError(f"{path} is no table of float32 rows: run `curate embed` again.")
        return (shape[0], shape[1]), stream.tell()

"""The pictures of a run in a temporary file, so that memory does not grow with the data set."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping


class Pictures(Mapping[str, bytes]):
    """Published bytes by sha256; each distinct picture is kept once. The file goes away with the object."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the object)
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0

    def add(self, sha256: str, data: bytes) -> None:
        """Take a picture whose digest was checked."""
        if sha256 not in self._places:
            self._file.seek(self._end)
            self._file.write(data)
            self._places[sha256] = (self._end, len(data))
            self._end += len(data)

    def keep(self, names: Collection[str]) -> None:
        """Forget all others."""
        self._places = {sha256: place for sha256, place in self._places.items() if sha256 in names}

    def __del__(self) -> None:
        self._file.close()

    def __getitem__(self, sha256: str) -> bytes:
        start, length = self._places[sha256]
        self._file.seek(start)
        return self._file.read(length)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._places))

    def __len__(self) -> int:
        return len(self._places)

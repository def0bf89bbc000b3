"""Checks of the published pictures: there, unchanged, whole, and without words beside their pixels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from benchwright.curation.release.findings import Trouble
from benchwright.curation.release.rows import ReleaseImages
from benchwright.schemas.errors import ImageRejected, TamperedError
from benchwright.schemas.images import open_published
from benchwright.schemas.records import ReleaseRow

_NO_WORDS = frozenset(
    {"dpi", "gamma", "jfif", "jfif_version", "jfif_unit", "jfif_density", "progressive", "progression", "srgb",
     "transparency", "interlace", "adobe", "adobe_transform", "chromaticity", "aspect"}
)  # fmt: skip
"""What Pillow tells of a file's pixels; everything else that it finds is words or a block of foreign data."""


def image_troubles(rows: Iterable[ReleaseRow], images: ReleaseImages) -> Iterator[Trouble]:
    """Faults of pictures, each named at every row that shows the picture."""
    users: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for sha256 in (*row.images, *(option.image_sha256 for option in row.options)):
            if sha256 is not None:
                users[sha256].add(row.id)
    for sha256, ids in users.items():
        if (found := _trouble(sha256, images)) is not None:
            code, detail = found
            yield from (Trouble(code, row_id, detail) for row_id in ids)


def _trouble(sha256: str, images: ReleaseImages) -> tuple[str, str] | None:
    try:
        with open_published(images(sha256)) as image:
            words = sorted(str(name) for name in image.info if str(name).lower() not in _NO_WORDS)
    except (KeyError, FileNotFoundError):
        return "image-missing", f"{sha256[:12]}…"
    except TamperedError:
        return "image-changed", f"{sha256[:12]}…"
    except ImageRejected as error:
        return "image-undecodable", f"{sha256[:12]}…: {error.reason}"
    return ("image-metadata", f"{sha256[:12]}…: {', '.join(words)}") if words else None

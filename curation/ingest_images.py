"""Pictures of source rows: found, checked by the one loader, and kept by content before any table names them."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchwright.curation.fields import decoded
from benchwright.curation.sources import Number
from benchwright.schemas.artefact import write_atomic
from benchwright.schemas.errors import ImageRejected
from benchwright.schemas.images import ImageLimits, LoadedImage, load_image_bytes, load_image_file
from benchwright.schemas.records import ImageRef
from benchwright.schemas.workspace import Workspace

_DATA_URI = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]+={0,2}\s*")
# What PNG, JPEG, WebP, GIF, SVG, XML, TIFF and HEIC files look like in base64.
_BASE64_HEADS = ("iVBORw0KGgo", "/9j/", "UklGR", "R0lGOD", "PHN2Zy", "PD94bWw", "SUkq", "TU0A", "AAAA", "Qk")
_LONGEST_PATH = 1024


class ImageStore:
    """Takes pictures into the workspace; the same bytes are taken once.

    Args:
        workspace: where they go.
        root: the folder that paths are relative to; nothing outside it is read.
        limits: size limits.
        remote: gives the bytes of a picture at a URL, or raises `ImageRejected`.
    """

    def __init__(
        self,
        workspace: Workspace,
        root: Path,
        limits: ImageLimits,
        remote: Callable[[str], bytes] | None = None,
    ) -> None:
        self._workspace, self._root, self._limits, self._remote = workspace, root, limits, remote
        self._by_path: dict[str, ImageRef] = {}
        self.folder = ""
        """Folder of the present row's file below the root: paths are looked for there first."""
        self.payloads: dict[str, str] = {}
        """Texts of the present row that held a picture -> what `source_row` says in their place."""

    def take_all(self, value: Any) -> tuple[ImageRef, ...]:
        """All pictures of a field: nothing, one, or a list of them (also as JSON text).

        Raises:
            ImageRejected: one of them cannot be accepted; the detail says which.
        """
        value = decoded(value)
        items = value if isinstance(value, list) else [] if value is None or value == "" else [value]
        refs = []
        for number, item in enumerate(items, start=1):
            try:
                refs.append(self.take(item))
            except ImageRejected as error:
                raise ImageRejected(error.reason, f"image {number}: {error.detail}") from error
        return tuple(refs)

    def take(self, value: Any) -> ImageRef:
        """One picture, given as path, bytes, base64, data URI or `{"bytes", "path"}`.

        Raises:
            ImageRejected: any reason of the loader, or `remote`, `bad-base64`, `bad-value`.
        """
        if isinstance(value, dict):
            value = value.get("bytes") if value.get("bytes") is not None else value.get("path")
        if isinstance(value, bytes):
            return self._keep(load_image_bytes(value, self._limits))
        if not isinstance(value, str) or isinstance(value, Number) or not value:
            raise ImageRejected("bad-value", f"a {type(value).__name__} is no picture")
        if (payload := _payload(value)) is not None:
            ref = self._keep(load_image_bytes(payload, self._limits))
            self.payloads[value] = f"sha256:{ref.source_sha256}"
            return ref
        if re.match(r"[a-z][a-z0-9+.-]*://", value, re.IGNORECASE):
            return self._take_url(value)
        return self._take_path(value)

    def _take_url(self, url: str) -> ImageRef:
        if self._remote is None:
            raise ImageRejected(
                "remote", "the picture is a URL: --fetch-images fetches it, nothing is fetched without"
            )
        if url not in self._by_path:
            self._by_path[url] = self._keep(load_image_bytes(self._remote(url), self._limits))
        return self._by_path[url]

    def _take_path(self, path: str) -> ImageRef:
        if "\0" in path or len(path) > _LONGEST_PATH:
            raise ImageRejected("bad-value", "neither a path nor base64")
        name = located(path, self.folder, self._root)
        if name not in self._by_path:
            self._by_path[name] = self._keep(load_image_file(Path(name), self._root, self._limits))
        return self._by_path[name]

    def _keep(self, image: LoadedImage) -> ImageRef:
        published = self._workspace.image(image.ref.sha256, image.ref.suffix)
        source = self._workspace.source_image(image.ref.source_sha256, image.source_suffix)
        _put(published, image.published)
        if image.ref.sha256 == image.ref.source_sha256:
            _link(source, published, image.source)
        else:
            _put(source, image.source)
        return image.ref


def located(path: str, folder: str, root: Path) -> str:
    """A path of a row as one below the root: first beside the row's own file, then below the root itself."""
    # Windows writes backslashes into metadata; as a file name they exist nowhere else.
    name = path.replace("\\", "/")
    beside = f"{folder}/{name}"
    return beside if folder and inside(beside, root) is not None else name


def is_url(path: str) -> bool:
    """Whether a row's path is an address of the web."""
    return re.match(r"https?://", path, re.IGNORECASE) is not None


def referenced_paths(value: Any) -> list[str]:
    """The texts of an image field that are paths or URLs (not payloads), wherever they stand in it."""
    value = decoded(value)
    if isinstance(value, list):
        return [path for item in value for path in referenced_paths(item)]
    if isinstance(value, dict):
        return [] if value.get("bytes") is not None else referenced_paths(value.get("path"))
    if isinstance(value, str) and value and len(value) <= _LONGEST_PATH and _payload_kind(value) is None:
        return [value]
    return []


def inside(path: str, root: Path) -> Path | None:
    """The existing file that a path of the source names, or None when it is missing or leaves the root."""
    base = root.resolve()
    if "\0" in path:
        return None
    target = (base / path.replace("\\", "/")).resolve()
    return target if target.is_relative_to(base) and target.is_file() else None


def _payload_kind(value: str) -> str | None:
    if value[:5].lower() == "data:":
        return "uri"
    if value.startswith(_BASE64_HEADS) and len(value) > 60 and _BASE64.fullmatch(value):
        return "base64"
    return None


def _payload(value: str) -> bytes | None:
    kind = _payload_kind(value)
    if kind is None:
        return None
    body = value
    if kind == "uri":
        head = _DATA_URI.match(value)
        if head is None or ";base64" not in head.group(2).lower():
            raise ImageRejected("bad-base64", "the data URI is not base64")
        body = value[head.end() :]
    try:
        return base64.b64decode("".join(body.split()), validate=True)
    except binascii.Error as error:
        raise ImageRejected("bad-base64", str(error)) from error


def _put(path: Path, data: bytes) -> None:
    if not (path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data):
        write_atomic(path, data)


def _link(path: Path, published: Path, data: bytes) -> None:
    """Untouched pictures lie on disk once: the source's name is a second link to the published bytes."""
    if path.is_file():
        _put(path, data)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(published, path)
    except OSError:  # a file system without links
        _put(path, data)

"""Archives: unpacked into a folder of their own, and only when nothing in them can reach out of it or fill the disk."""

from __future__ import annotations

import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchwright.schemas.errors import UsageError

_BLOCK = 1 << 20
_SMALL = 1 << 20
"""Files below this size may be packed as tightly as they like: a page of blanks is no bomb."""
_IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db")
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1


@dataclass(frozen=True)
class ZipLimits:
    """What an archive may unpack to."""

    files: int = 200_000
    total_bytes: int = 20_000_000_000
    ratio: int = 200
    """Unpacked bytes for each packed one, of a file and of the whole archive."""


@contextmanager
def unpacked(archive: Path, limits: ZipLimits | None = None) -> Iterator[Path]:
    """A temporary folder with the archive's files; where all of them stand below one folder, that one.

    Nothing is written before every entry has been checked.

    Raises:
        UsageError: not an archive, a damaged or encrypted one, or one that holds a link, a name that leaves its
            folder, a name twice, or more than the limits allow.
    """
    with tempfile.TemporaryDirectory(prefix="benchwright-") as temporary:
        folder = Path(temporary)
        try:
            with zipfile.ZipFile(archive) as opened:
                entries = _checked(archive.name, opened.infolist(), limits or ZipLimits())
                for name, entry in entries:
                    _write(opened, entry, folder / name)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise UsageError(f"{archive.name} is damaged ({error}): pack or copy it again.") from error
        except OSError as error:  # a name too long, a file where a folder is needed, a full disk
            raise UsageError(
                f"{archive.name} cannot be unpacked ({error.strerror}): unpack it yourself, and name the files."
            ) from error
        inside = sorted(folder.iterdir())
        yield inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def check_archive(archive: Path, limits: ZipLimits | None = None) -> None:
    """Check an archive that another library is going to read (an `.xlsx` file is one).

    Raises:
        UsageError: see `unpacked`.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            _checked(archive.name, opened.infolist(), limits or ZipLimits())
    except zipfile.BadZipFile as error:
        raise UsageError(f"{archive.name} is damaged ({error}): save or copy it again.") from error


def _checked(
    archive: str, entries: Sequence[zipfile.ZipInfo], limits: ZipLimits
) -> list[tuple[str, zipfile.ZipInfo]]:
    found: dict[str, zipfile.ZipInfo] = {}
    if len(entries) > limits.files:
        raise UsageError(f"{archive} holds {len(entries)} files, at most {limits.files} are read: split it.")
    for entry in entries:
        name = _safe_name(archive, entry)
        if entry.is_dir() or any(part in _IGNORED for part in PurePosixPath(name).parts):
            continue
        if name in found:
            raise UsageError(f"{archive} holds {name} twice: pack it again.")
        found[name] = entry
        if entry.flag_bits & _ENCRYPTED:
            raise UsageError(f"{archive} is encrypted ({name}): pack it again without a password.")
        if entry.file_size > _SMALL and entry.file_size > limits.ratio * max(1, entry.compress_size):
            raise UsageError(
                f"{archive} looks like a decompression bomb: {name} unpacks to {entry.file_size} bytes from "
                f"{entry.compress_size}; unpack it yourself if you trust it."
            )
    total = sum(entry.file_size for entry in found.values())
    packed = sum(entry.compress_size for entry in found.values())
    if total > limits.total_bytes or total > max(_SMALL * 10, limits.ratio * packed):
        raise UsageError(
            f"{archive} looks like a decompression bomb: {total} bytes from {packed}; "
            "unpack it yourself if you trust it."
        )
    return sorted(found.items())


def _safe_name(archive: str, entry: zipfile.ZipInfo) -> str:
    name = _decoded(entry).replace("\\", "/")
    mode = entry.external_attr >> 16
    kind = stat.S_IFMT(mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UsageError(f"{archive} holds {name}, a link or a device: pack the file itself instead.")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[:1] or name[1:2] == ":" or "\0" in name:
        raise UsageError(f"{archive} holds {name}, a path that leaves the archive: pack it again.")
    return path.as_posix()


def _decoded(entry: zipfile.ZipInfo) -> str:
    """A name without the UTF-8 mark was read as code page 437; Windows wrote it in its own code, often Chinese."""
    if entry.flag_bits & _UTF8_NAME or entry.filename.isascii():
        return entry.filename
    raw = entry.filename.encode("cp437")
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return entry.filename


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path) -> None:
    """Unpack one file; `zipfile` gives no more bytes than the checked size and compares the checksum."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, target.open("xb") as stream:
        while block := source.read(_BLOCK):
            stream.write(block)

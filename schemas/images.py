"""The one image loader: ingest, renderer, annotation and evaluation all read images through it.

The type is told by content, never by the file's name. What is published is upright, free of metadata, RGB or grey,
PNG or JPEG. Metadata is cut out without touching pixels; only an orientation tag, transparency, CMYK, a palette,
16 bit or a foreign format make a new PNG, and the reason is recorded. Transparency is composited on white, so that
black lines on a transparent ground stay visible.
"""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import ImageRejected
from benchwright.schemas.records import ImageRef, Record

_PNG = b"\x89PNG\r\n\x1a\n"
_ORIENTATION = 0x0112
_KEPT_PNG_CHUNKS = frozenset({b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS"})


class ImageLimits(Record):
    """What is too large to be an exam diagram."""

    max_pixels: int = 50_000_000
    max_bytes: int = 30_000_000


@dataclass(frozen=True)
class LoadedImage:
    """An accepted image: what came, and what will be published."""

    ref: ImageRef
    source: bytes
    published: bytes
    source_suffix: str


def load_image_file(path: Path, root: Path, limits: ImageLimits | None = None) -> LoadedImage:
    """Read an image below `root`; nothing outside is opened, whatever the path or a symbolic link says.

    Args:
        path: absolute, or relative to `root`.
        root: the source's own folder.
        limits: size limits; None takes the defaults.

    Raises:
        ImageRejected: `outside-root`, `missing`, `not-a-file`, or any reason of `load_image_bytes`.
    """
    limits = limits or ImageLimits()
    base = root.resolve()
    target = (base / path).resolve()
    if not target.is_relative_to(base):
        raise ImageRejected("outside-root", f"{path} leaves the source folder")
    if not target.exists():
        raise ImageRejected("missing", f"{path} does not exist")
    if not target.is_file():
        raise ImageRejected("not-a-file", f"{path} is not a file")
    if target.stat().st_size > limits.max_bytes:
        raise ImageRejected(
            "too-many-bytes", f"{path} has {target.stat().st_size} bytes, the limit is {limits.max_bytes}"
        )
    return load_image_bytes(target.read_bytes(), limits)


def load_image_bytes(data: bytes, limits: ImageLimits | None = None) -> LoadedImage:
    """Check an image's bytes and make what is published of them.

    Raises:
        ImageRejected: `empty`, `too-many-bytes`, `svg`, `heic`, `not-an-image`, `too-many-pixels`, `animated`,
            `truncated`, or `undecodable`.
    """
    limits = limits or ImageLimits()
    if not data:
        raise ImageRejected("empty", "zero bytes")
    if len(data) > limits.max_bytes:
        raise ImageRejected("too-many-bytes", f"{len(data)} bytes, the limit is {limits.max_bytes}")
    _refuse_foreign(data)
    image = _open(data, limits)
    source_format = (image.format or "").lower()
    published, conversion = _published(image, data)
    with _open(published, limits) as final:
        size, final_format = final.size, "jpeg" if final.format == "JPEG" else "png"
    ref = ImageRef.model_validate(
        {
            "source_sha256": sha256_bytes(data),
            "sha256": sha256_bytes(published),
            "width": size[0],
            "height": size[1],
            "format": final_format,
            "conversion": conversion,
        }
    )
    suffix = {"jpeg": ".jpg", "mpo": ".jpg"}.get(source_format, f".{source_format}")
    return LoadedImage(ref, data, published, suffix)


def open_published(data: bytes) -> Image.Image:
    """Decode published bytes to an RGB image (grey is widened).

    Raises:
        ImageRejected: the bytes are not a whole image.
    """
    image = _open(data, ImageLimits())
    return image if image.mode == "RGB" else image.convert("RGB")


def media_type(data: bytes) -> str:
    """MIME type by content.

    Raises:
        ImageRejected: neither PNG nor JPEG.
    """
    if data.startswith(_PNG):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    raise ImageRejected("not-an-image", "published images are PNG or JPEG")


def _refuse_foreign(data: bytes) -> None:
    head = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<svg", b"<?xml", b"<!doctype svg")) and b"<svg" in data[:4096].lower():
        raise ImageRejected("svg", "SVG drawings are not accepted: convert them to PNG")
    if data[4:8] == b"ftyp" and data[8:12] in {
        b"heic",
        b"heix",
        b"hevc",
        b"mif1",
        b"msf1",
        b"avif",
        b"heim",
        b"heis",
    }:
        raise ImageRejected(
            "heic", f"{data[8:12].decode()} pictures are not accepted: convert them to PNG or JPEG"
        )


def _open(data: bytes, limits: ImageLimits) -> Image.Image:
    """Decode fully; `Image.open` and `verify` accept cut files, only `load` notices."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Pillow warns about (size, EXIF) is decided here instead
            image = Image.open(io.BytesIO(data))
            if image.width * image.height > limits.max_pixels:
                raise ImageRejected(
                    "too-many-pixels",
                    f"{image.width} x {image.height} pixels, the limit is {limits.max_pixels}",
                )
            if getattr(image, "n_frames", 1) > 1 and image.format != "MPO":
                raise ImageRejected("animated", f"{getattr(image, 'n_frames', 1)} frames")
            image.load()
    except UnidentifiedImageError as error:
        raise ImageRejected("not-an-image", f"starts with {data[:8]!r}") from error
    except Image.DecompressionBombError as error:
        raise ImageRejected("too-many-pixels", str(error)) from error
    except (OSError, EOFError) as error:
        raise ImageRejected("truncated", str(error)) from error
    except (ValueError, SyntaxError, struct.error, zlib.error) as error:
        raise ImageRejected("undecodable", str(error)) from error
    return image


def _published(image: Image.Image, data: bytes) -> tuple[bytes, str | None]:
    reason = _conversion_reason(image)
    if reason is None:
        return (_strip_png(data) if data.startswith(_PNG) else _strip_jpeg(data)), None
    upright = ImageOps.exif_transpose(image)
    return _encode(_flat(upright)), reason


def _conversion_reason(image: Image.Image) -> str | None:
    """Why the pixels must be written anew, or None; the first that applies."""
    if image.getexif().get(_ORIENTATION, 1) not in (0, 1):
        return "orientation"
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        return "alpha"
    if image.mode == "CMYK":
        return "cmyk"
    if image.mode == "P":
        return "palette"
    if image.mode in ("I", "F", "I;16", "I;16B", "I;16L"):
        return "16-bit"
    if image.mode not in ("RGB", "L"):
        return f"mode-{image.mode.lower()}"
    if image.format not in ("PNG", "JPEG"):
        return f"format-{(image.format or 'unknown').lower()}"
    return None


def _flat(image: Image.Image) -> Image.Image:
    if image.mode in ("I", "F", "I;16", "I;16B", "I;16L"):
        # Pillow clips 16-bit samples when converting; divide instead, as every viewer does.
        return image.convert("F").point(lambda value: value / 257.0).convert("L")
    if image.mode in ("1", "L") and "transparency" not in image.info:
        return image.convert("L")
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        rgba = image.convert("RGBA")
        ground = Image.new("RGBA", rgba.size, (255, 255, 255, 255))
        ground.alpha_composite(rgba)
        return ground.convert("RGB")
    return image.convert("RGB")


def _encode(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    bare = Image.frombytes(image.mode, image.size, image.tobytes())  # leaves every metadata dictionary behind
    bare.save(buffer, "PNG", optimize=False, compress_level=6)
    return buffer.getvalue()


def _strip_png(data: bytes) -> bytes:
    """Drop every chunk that does not carry pixels; compressed pixel data stays as it is."""
    kept = [_PNG]
    for kind, chunk in _png_chunks(data):
        if kind in _KEPT_PNG_CHUNKS:
            kept.append(chunk)
    return b"".join(kept)


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = len(_PNG)
    while position + 12 <= len(data):
        (length,) = struct.unpack(">I", data[position : position + 4])
        kind = data[position + 4 : position + 8]
        yield kind, data[position : position + 12 + length]
        position += 12 + length
        if kind == b"IEND":
            return


def _strip_jpeg(data: bytes) -> bytes:
    """Drop application segments and comments; APP0 (JFIF) and APP14 (Adobe) say how colours are coded and stay."""
    kept = [data[:2]]
    position = 2
    while position + 4 <= len(data):
        if data[position] != 0xFF:
            break
        marker = data[position + 1]
        if marker == 0xFF:  # fill byte
            position += 1
            continue
        if marker == 0xDA:  # start of scan: entropy-coded data to the end
            kept.append(data[position : _end_of_jpeg(data)])
            return b"".join(kept)
        (length,) = struct.unpack(">H", data[position + 2 : position + 4])
        metadata = marker == 0xFE or (0xE1 <= marker <= 0xEF and marker != 0xEE)
        if not metadata:
            kept.append(data[position : position + 2 + length])
        position += 2 + length
    raise ImageRejected("undecodable", "the JPEG's segments cannot be followed")


def _end_of_jpeg(data: bytes) -> int:
    """End of the first image: anything after its last EOI marker (previews, appended files) is not pixels."""
    end = data.rfind(b"\xff\xd9")
    return len(data) if end < 0 else end + 2

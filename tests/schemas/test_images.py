"""The image loader on every kind of picture that people send in."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchwright.schemas.errors import ImageRejected
from benchwright.schemas.images import (
    ImageLimits,
    load_image_bytes,
    load_image_file,
    media_type,
    open_published,
)


def encode(image: Image.Image, format: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


def gradient(mode: str = "RGB") -> Image.Image:
    ramp = np.linspace(0, 255, 60 * 40, dtype=np.uint8).reshape(40, 60)
    return Image.fromarray(np.stack([ramp, ramp[::-1], ramp.T.reshape(40, 60)], axis=-1)).convert(mode)


def reason_for(data: bytes, limits: ImageLimits | None = None) -> str:
    with pytest.raises(ImageRejected) as caught:
        load_image_bytes(data, limits)
    return caught.value.reason


@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_plain_png_keeps_its_bytes(mode: str) -> None:
    data = encode(gradient(mode), "PNG")
    loaded = load_image_bytes(data)
    assert loaded.published == data
    assert loaded.ref.sha256 == loaded.ref.source_sha256
    assert loaded.ref.conversion is None


@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_plain_jpeg_pixels_are_untouched(mode: str) -> None:
    data = encode(gradient(mode), "JPEG", quality=80)
    loaded = load_image_bytes(data)
    assert loaded.ref.format == "jpeg"
    assert loaded.ref.conversion is None
    assert np.array_equal(
        np.asarray(Image.open(io.BytesIO(data))), np.asarray(Image.open(io.BytesIO(loaded.published)))
    )


def test_metadata_is_cut_without_re_encoding() -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    jpeg = encode(gradient(), "JPEG", exif=exif, icc_profile=b"x" * 3000, comment=b"by me")
    loaded = load_image_bytes(jpeg)
    assert b"taken at home" in jpeg and b"by me" in jpeg
    assert b"taken at home" not in loaded.published and b"by me" not in loaded.published
    assert b"x" * 100 not in loaded.published
    scan = jpeg[jpeg.index(b"\xff\xda") :]
    assert loaded.published.endswith(scan)


def test_png_text_chunks_and_profile_are_cut() -> None:
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text("Author", "somebody", zip=False)
    data = encode(gradient(), "PNG", pnginfo=info)
    loaded = load_image_bytes(data)
    assert b"somebody" in data and b"somebody" not in loaded.published
    assert loaded.ref.conversion is None


def test_ing_07_orientation_is_applied_and_dropped() -> None:
    image = Image.new("RGB", (400, 100), "white")
    image.paste((255, 0, 0), (0, 0, 40, 100))
    exif = image.getexif()
    exif[0x0112] = 6
    loaded = load_image_bytes(encode(image, "JPEG", exif=exif))
    assert (loaded.ref.width, loaded.ref.height) == (100, 400)
    assert loaded.ref.conversion == "orientation"
    assert open_published(loaded.published).getexif().get(0x0112, 1) == 1
    red = np.asarray(open_published(loaded.published))[20, 50]
    assert red[0] > 200 and red[1] < 80, "the left edge stands on top once turned by a quarter"


def test_drawing_in_the_alpha_channel_alone_stays_visible() -> None:
    alpha = np.zeros((50, 50), dtype=np.uint8)
    alpha[20:30, :] = 255
    rgba = np.dstack([np.zeros((50, 50, 3), dtype=np.uint8), alpha])
    image = Image.fromarray(rgba)
    loaded = load_image_bytes(encode(image, "PNG"))
    pixels = np.asarray(open_published(loaded.published))
    assert loaded.ref.conversion == "alpha"
    assert pixels[0, 0].tolist() == [255, 255, 255] and pixels[25, 25].tolist() == [0, 0, 0]


def test_palette_with_transparency_and_cmyk_and_sixteen_bit() -> None:
    palette = gradient().convert("P")
    palette.info["transparency"] = 0
    assert load_image_bytes(encode(palette, "PNG", transparency=0)).ref.conversion == "alpha"
    assert load_image_bytes(encode(gradient().convert("P"), "PNG")).ref.conversion == "palette"
    cmyk = load_image_bytes(encode(gradient().convert("CMYK"), "JPEG", quality=95))
    assert cmyk.ref.conversion == "cmyk"
    difference = np.abs(np.asarray(open_published(cmyk.published), int) - np.asarray(gradient(), int)).mean()
    assert difference < 12, "colours of a CMYK picture must not be inverted"
    deep = Image.fromarray(np.linspace(0, 65535, 100 * 10, dtype=np.uint16).reshape(10, 100))
    loaded = load_image_bytes(encode(deep, "PNG"))
    pixels = np.asarray(open_published(loaded.published).convert("L"))
    assert loaded.ref.conversion == "16-bit"
    assert pixels.min() == 0 and pixels.max() == 255 and 120 < pixels.mean() < 135


def test_ing_13_type_by_content() -> None:
    webp = encode(Image.new("RGB", (8, 8)), "WEBP")
    loaded = load_image_bytes(webp)
    assert loaded.source_suffix == ".webp" and loaded.ref.format == "png"
    assert loaded.ref.conversion == "format-webp"
    assert media_type(loaded.published) == "image/png"
    assert reason_for(b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>') == "svg"
    assert reason_for(b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic") == "heic"


def test_ing_05_cut_and_empty_files() -> None:
    whole = encode(Image.effect_noise((200, 200), 60).convert("RGB"), "JPEG")
    assert reason_for(whole[: len(whole) // 2]) == "truncated"
    png = encode(gradient(), "PNG")
    assert reason_for(png[: len(png) // 2]) in {"truncated", "undecodable"}
    assert reason_for(b"") == "empty"
    assert reason_for(b"no picture at all") == "not-an-image"


def test_animation_is_refused() -> None:
    frames = [Image.new("L", (10, 10), value) for value in (0, 120, 240)]
    assert reason_for(encode(frames[0], "GIF", save_all=True, append_images=frames[1:])) == "animated"


def test_decompression_bomb_is_refused_before_decoding() -> None:
    header = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    idat = b"IDAT" + zlib.compress(b"\0" * 1000)
    data += struct.pack(">I", len(idat) - 4) + idat + struct.pack(">I", zlib.crc32(idat))
    assert reason_for(data) == "too-many-pixels"
    assert reason_for(encode(gradient(), "PNG"), ImageLimits(max_pixels=100)) == "too-many-pixels"
    assert reason_for(encode(gradient(), "PNG"), ImageLimits(max_bytes=10)) == "too-many-bytes"


def test_ing_03_nothing_outside_the_root_is_read(tmp_path: Path) -> None:
    root = tmp_path / "source"
    (root / "images").mkdir(parents=True)
    secret = tmp_path / "secret.png"
    secret.write_bytes(encode(gradient(), "PNG"))
    (root / "images" / "ok.png").write_bytes(encode(gradient(), "PNG"))
    (root / "images" / "link.png").symlink_to(secret)
    for path in (Path("../secret.png"), secret, Path("images/link.png")):
        with pytest.raises(ImageRejected) as caught:
            load_image_file(path, root)
        assert caught.value.reason == "outside-root"
    with pytest.raises(ImageRejected) as caught:
        load_image_file(Path("images/none.png"), root)
    assert caught.value.reason == "missing"
    assert load_image_file(Path("images/ok.png"), root).ref.width == 60


def test_published_bytes_are_a_fixed_point() -> None:
    for data in (
        encode(gradient("RGBA"), "PNG"),
        encode(gradient(), "JPEG"),
        encode(gradient().convert("P"), "PNG"),
    ):
        once = load_image_bytes(data)
        again = load_image_bytes(once.published)
        assert again.published == once.published and again.ref.conversion is None

"""SVG to pixels, with the baseline on a whole pixel, and PNG bytes that are the same every time."""

from __future__ import annotations

import io
import math
import re
import struct

import numpy as np
import resvg_py
from numpy.typing import NDArray
from PIL import Image
from zlib_ng import zlib_ng

from benchwright.render.formula import Drawing, Formula, Refusal

_STYLE = """
line[data-line] { stroke: black; stroke-width: 50px; fill: none; }
rect[data-frame] { stroke: black; stroke-width: 50px; fill: none; }
.mjx-dashed { stroke-dasharray: 140; }
.mjx-dotted { stroke-linecap: round; stroke-dasharray: 0, 140; }
"""
"""MathJax leaves the look of table rules to a style sheet; without one a frame is a black box."""

_PADDING = 0.25
"""Room around an engine's box, in em: italic letters and Chinese stick out of it by up to 0.1."""


def rasterise(drawing: Drawing, px: int, tex: str, display: bool) -> Formula:
    """Draw a formula at `px` pixels an em.

    The view box is widened to whole pixels above and below the baseline before drawing, so that formulas sit on the
    same pixel row as the text beside them instead of up to half a pixel off.

    Raises:
        Refusal: `formula`: ink far beyond the engine's own box (it would run into the text beside it), or no ink
            where there should be some.
    """
    unit = px / 1000
    pad = math.ceil(_PADDING * px)
    ascent, descent = math.ceil(drawing.ascent * px - 1e-6), math.ceil(drawing.descent * px - 1e-6)
    advance = max(math.ceil(drawing.width * px - 1e-6), 0)
    width, height = advance + 2 * pad, ascent + descent + 2 * pad
    if width > 60_000 or height > 20_000 or height <= 0:
        raise Refusal("formula", f"would be {width} x {height} pixels")
    view = f"{-pad / unit:g} {-(ascent + pad) / unit:g} {width / unit:g} {height / unit:g}"
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{width}" height="{height}" viewBox="{view}">{drawing.body}</svg>'
    )
    data = bytes(resvg_py.svg_to_bytes(svg_string=svg, style_sheet=_STYLE, skip_system_fonts=True))
    with Image.open(io.BytesIO(data)) as image:
        alpha = image.convert("RGBA").getchannel("A")
    if alpha.size != (width, height):
        raise Refusal("formula", f"drawn at {alpha.size} instead of {(width, height)}")
    box = alpha.getbbox()
    if box is None:
        if _has_content(tex):
            raise Refusal("formula", "drawn without any ink")
        return Formula(
            None, 0, 0, advance, ascent, descent, px, drawing.engine, tex, display, drawing.warnings
        )
    if box[0] == 0 or box[1] == 0 or box[2] == width or box[3] == height:
        raise Refusal("formula", "ink beyond its box")
    left, top = box[0] - pad, box[1] - pad - ascent
    return Formula(
        mask=alpha.crop(box),
        left=left,
        top=top,
        width=max(advance, box[2] - pad),
        ascent=max(ascent, -top),
        descent=max(descent, top + box[3] - box[1]),
        px=px,
        engine=drawing.engine,
        tex=tex,
        display=display,
        warnings=drawing.warnings,
    )


_BLANK = re.compile(
    r"\\(?:quad|qquad|hspace\*?|hskip|kern|mkern|mskip|phantom|hphantom|vphantom|enspace|thinspace|displaystyle|"
    r"textstyle|hfill|;|,|:|!|\s|>)(?:\s*\{[^{}]*\})?|[~\s{}]"
)


def _has_content(tex: str) -> bool:
    return bool(_BLANK.sub("", tex))


_DENSE = 0.2
"""Bytes a pixel from which a picture is taken for a photograph, whose rows are worth filtering."""
_LEVEL = 2
_STRIP = 64
"""Rows that are compressed at once: what fits the processor's cache costs no fresh memory."""


def encode_png(image: Image.Image) -> bytes:
    """PNG bytes without any metadata, equal for equal pixels.

    Rows go in as they are: on flat colours and thin lines that is smaller than Pillow's choice of filters, and with
    zlib-ng it takes a tenth of the time, which was half of a page's.

    Raises:
        ValueError: neither RGB nor grey.
    """
    if image.mode not in ("RGB", "L"):
        raise ValueError(f"pages are RGB or grey, not {image.mode}")
    data = _deflated(image, filtered=False)
    if len(data) > _DENSE * image.width * image.height:
        data = min(data, _deflated(image, filtered=True), key=len)
    header = _HEADER.pack(image.width, image.height, 8, 2 if image.mode == "RGB" else 0, 0, 0, 0)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")


def _deflated(image: Image.Image, *, filtered: bool) -> bytes:
    """Compressed scanlines; filtered: each holds the difference to the one above (PNG 1.2, 6.4: Up)."""
    stream = zlib_ng.compressobj(_LEVEL)
    bytes_a_row = image.width * len(image.getbands())
    lines = np.full((_STRIP, bytes_a_row + 1), 2 if filtered else 0, np.uint8)
    above: NDArray[np.uint8] = np.zeros(bytes_a_row, np.uint8)
    parts: list[bytes] = []
    for top in range(0, image.height, _STRIP):
        rows = min(_STRIP, image.height - top)
        strip = image.crop((0, top, image.width, top + rows)).tobytes()
        pixels = np.frombuffer(strip, np.uint8).reshape(rows, bytes_a_row)
        lines[:rows, 1:] = pixels
        if filtered:
            lines[0, 1:] -= above
            lines[1:rows, 1:] -= pixels[:-1]
            above = pixels[-1]
        parts.append(stream.compress(lines[:rows].data))
    return b"".join((*parts, stream.flush()))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + kind + body + zlib_ng.crc32(kind + body).to_bytes(4, "big")

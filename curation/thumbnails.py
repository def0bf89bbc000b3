"""Small pictures inside pages that stand alone."""

from __future__ import annotations

import base64
import io

from PIL import Image


def thumbnail(data: bytes, side: int) -> str:
    """A small PNG as a data address; pictures that are small already are not enlarged, so that blur stays visible.

    Args:
        data: bytes of a published picture.
        side: longest side in pixels.
    """
    with Image.open(io.BytesIO(data)) as opened:
        picture = opened.convert("RGB")
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    stream = io.BytesIO()
    picture.save(stream, format="PNG")
    return f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode('ascii')}"

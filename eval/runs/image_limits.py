"""Pictures that an endpoint would refuse for their size: noticed before they are sent, reduced only by agreement.

What counts is the length of the picture as base64 text, because that is what travels. The reduction is a fixed rule
with a name, part of a run's specification: the same picture and limit give the same bytes for every model.
"""

from __future__ import annotations

import io
from typing import Any

from benchwright.eval.runs.spec import ImagePolicy
from benchwright.schemas.errors import ItemError, UsageError

RULE = "tenths.1"
"""Both edges at 90 %, 80 %, ... 10 % by Lanczos, the first that fits; JPEG stays JPEG (quality 95), else PNG."""
MEGABYTE = 1024 * 1024
LIMIT_OF_HOST = {"api.anthropic.com": 5 * MEGABYTE}
"""Bytes of one picture as base64 by host, where its operator states a limit; others answer for themselves."""
JPEG_QUALITY = 95


def image_policy(host: str | None, limit_mb: float | None, downscale: bool) -> ImagePolicy:
    """How the pictures of a run travel.

    Args:
        host: of the endpoint; None for a model in this process.
        limit_mb: most megabytes of a picture as base64, as the user says; None: what is known of the host.
        downscale: the user agrees to the reduction.

    Raises:
        UsageError: a reduction to a size that nobody knows.
    """
    limit = round(limit_mb * MEGABYTE) if limit_mb is not None else LIMIT_OF_HOST.get(host or "")
    if not downscale:
        return ImagePolicy(limit=limit)
    if limit is None:
        raise UsageError(
            f"--downscale-images needs a size and none is known for {host or 'a model in this process'}: "
            "say how many megabytes a picture may have as base64 with --image-limit."
        )
    return ImagePolicy(kind="downscale", limit=limit, rule=RULE)


def base64_length(data: bytes) -> int:
    """Length of the bytes as base64 text."""
    return 4 * ((len(data) + 2) // 3)


def too_large(data: bytes, policy: ImagePolicy) -> bool:
    """Whether a picture breaks the limit once it is base64."""
    return policy.limit is not None and base64_length(data) > policy.limit


def fitting_bytes(data: bytes, policy: ImagePolicy) -> bytes:
    """The bytes to send for a picture: its own, or where the policy allows it a reduction.

    Raises:
        ItemError: `image-too-large`: it breaks the limit and may not or cannot be reduced below it.
    """
    if not too_large(data, policy):
        return data
    limit = policy.limit or 0
    words = f"{base64_length(data):,} bytes as base64, the limit is {limit:,}"
    if policy.kind != "downscale":
        raise ItemError("image-too-large", f"{words}; --downscale-images sends a reduced one")
    reduced = _reduced(data, limit)
    if reduced is None:
        raise ItemError("image-too-large", f"{words}, at a tenth of its size too")
    return reduced


def _reduced(data: bytes, limit: int) -> bytes | None:
    from PIL.Image import Resampling

    from benchwright.schemas.images import load_image_bytes, media_type, open_published

    published = load_image_bytes(data).published
    image = open_published(published)
    form: dict[str, Any] = {"format": "PNG"}
    if media_type(published) == "image/jpeg":
        form = {"format": "JPEG", "quality": JPEG_QUALITY, "subsampling": 0}
    for tenths in range(9, 0, -1):
        size = (max(1, image.width * tenths // 10), max(1, image.height * tenths // 10))
        stream = io.BytesIO()
        image.resize(size, Resampling.LANCZOS).save(stream, **form)
        if base64_length(stream.getvalue()) <= limit:
            return stream.getvalue()
    return None

"""Words of people, as a pull would bring them."""

from __future__ import annotations

from typing import Any

from benchwright.schemas.jobs import Review

DIGEST = "a" * 64


def review(item: str, value: Any, who: str = "A01", slot: str = "A", **changes: Any) -> Review:
    fields = {
        "job": "tagging",
        "item_id": item,
        "field": "subject",
        "digest": DIGEST,
        "value": value,
        "pseudonym": who,
        "slot": slot,
        "state": "submitted",
        "origin": "manual",
        "annotation_id": f"{slot}-{who}-{item}",
        "updated_at": "2026-01-01T00:00:00Z",
    }
    return Review.model_validate({**fields, **changes})

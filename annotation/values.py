"""When two answers to a field are the same answer."""

from __future__ import annotations

from pydantic import JsonValue

from benchwright.schemas.digest import canonical_json
from benchwright.schemas.jobs import JobField


def comparable(field: JobField, value: JsonValue) -> str:
    """A text that is the same for answers that are the same.

    The order of a list counts where it means something: options in another order are another answer, faults are not.
    """
    return canonical_json(value if field.ordered else without_order(value))


def without_order(value: JsonValue) -> JsonValue:
    """The value with all its lists sorted."""
    if isinstance(value, list):
        return sorted(map(without_order, value), key=canonical_json)
    if isinstance(value, dict):
        return {name: without_order(entry) for name, entry in value.items()}
    return value

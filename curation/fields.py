r"""Field mapping and cleaning: from a source row's values to the texts of a record.

Cleaning is exactly this, and nothing else is changed: line ends become LF, byte-order marks go, blanks are cut off
at both ends, control characters at the end. A control character before anything else, or half a surrogate pair, rejects
the row: it is what a broken escape leaves behind ("\frac" read as form feed + "rac"), and a silent repair would publish
the damage.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchwright.curation.sources import Number, parse_json
from benchwright.schemas.errors import ItemError, UsageError

GENERIC: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "source": ("source",),
    "source_license": ("source_license", "license"),
    "discipline": ("discipline",),
    "language": ("language", "lang"),
    "question": ("question",),
    "choices": ("choices", "options"),
    "choice_layout": ("choice_layout", "extra.choice_layout"),
    "answer": ("answer",),
    "unit": ("unit",),
    "solution": ("solution",),
    "images": ("images", "image"),
    "question_type": ("question_type",),
    "knowledge_points": ("knowledge_points",),
    "grade": ("grade", "grade_or_level"),
    "chapter": ("chapter",),
    "difficulty": ("difficulty",),
    "subject": ("subject",),
    "texts": ("texts",),
}
"""Record field -> source fields that are tried in turn. `[ingest.fields]` puts another one in their place."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BLANKS = " \t\n\u3000"
_ENDINGS = _BLANKS + "".join(chr(code) for code in (*range(0x20), 0x7F))


class FieldMap:
    """Where each record field is found in a source row.

    Args:
        mapping: record field -> source field, from `[ingest.fields]` and `[sources.NAME.fields]`.
        constants: record field -> value for rows that have none.

    Raises:
        UsageError: the mapping names a field that records do not have.
    """

    def __init__(self, mapping: Mapping[str, str], constants: Mapping[str, str]) -> None:
        unknown = sorted((set(mapping) | set(constants)) - set(GENERIC))
        if unknown:
            raise UsageError(
                f"[ingest.fields] maps {unknown[0]!r}, no field of a question: use one of {', '.join(GENERIC)}."
            )
        self._paths = GENERIC | {field: (path,) for field, path in mapping.items()}
        self._constants = dict(constants)

    def as_json(self) -> dict[str, Any]:
        """The mapping, for digests."""
        return {"paths": self._paths, "constants": self._constants}

    def get(self, values: Mapping[str, Any], field: str) -> Any:
        """The row's value of a record field; its constant, else None, where the row has none."""
        for path in self._paths[field]:
            value = lookup(values, path)
            if value is not None and value != "":
                return value
        return self._constants.get(field)

    def text(self, values: Mapping[str, Any], field: str) -> str | None:
        """The field as cleaned text, or None.

        Raises:
            ItemError: see `clean_text`.
        """
        return clean_text(self.get(values, field), field)


def lookup(values: Any, path: str) -> Any:
    """The value under a dotted path; a key that holds the dots itself goes first. JSON text on the way is parsed."""
    if isinstance(values, str) and values.lstrip().startswith(("{", "[")):
        values = decoded(values)
    if isinstance(values, list) and path.split(".")[0].isdigit():
        head, _, rest = path.partition(".")
        item = values[int(head)] if int(head) < len(values) else None
        return lookup(item, rest) if rest else item
    if not isinstance(values, dict):
        return None
    if path in values:
        return values[path]
    head, dot, rest = path.partition(".")
    return lookup(values[head], rest) if dot and head in values else None


def decoded(value: Any) -> Any:
    """A list or object that stands as JSON text in a cell; anything else unchanged."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            return parse_json(value)
        except ValueError:  # text that only looks like JSON: "[2, 3)" is an interval
            return value
    return value


def clean_text(value: Any, field: str) -> str | None:
    """A value as clean text: numbers by their literal, booleans as "true" and "false"; None for nothing.

    Raises:
        ItemError: `not-text`, `unpaired-surrogate` or `control-character`; the detail names the field.
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, (str, Number)):
        raise ItemError("not-text", f"{field} is a {type(value).__name__}")
    text = (
        str(value)
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .replace("\ufeff", "")
        .lstrip(_BLANKS)
        .rstrip(_ENDINGS)
    )
    if found := _SURROGATE.search(text):
        raise ItemError(
            "unpaired-surrogate", f"{field}: U+{ord(found.group()):04X} at character {found.start() + 1}"
        )
    if found := _CONTROL.search(text):
        raise ItemError(
            "control-character", f"{field}: U+{ord(found.group()):04X} at character {found.start() + 1}"
        )
    return text or None


def text_list(value: Any, field: str) -> tuple[str, ...]:
    """A list of clean texts from a list, JSON text of one, or a single text; empty entries are dropped.

    Raises:
        ItemError: see `clean_text`.
    """
    value = decoded(value)
    items = value if isinstance(value, list) else [value]
    texts = (clean_text(item, field) for item in items)
    return tuple(text for text in texts if text is not None)

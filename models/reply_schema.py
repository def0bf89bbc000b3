"""JSON schema of a reply, reduced to what every server that enforces schemas understands.

Kept: objects with all fields required and no others, arrays, strings, enums of strings, integers, numbers, booleans.
Left out: ranges, lengths, patterns, formats, defaults, titles, references (written out in place). The record itself
still checks all of them afterwards. `reason` comes first, so that a model reasons before it decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, JsonValue

_SIMPLE = frozenset({"string", "integer", "number", "boolean", "null"})
_DEEPEST = 6
"""Records nested deeper than this (or in themselves) are asked for by prompt alone."""
REASON_FIELDS = ("reason", "reasons", "reasoning")


class OutsideSubset(ValueError):
    """The record needs more than the common subset; ask for it by prompt, without a schema."""


@cache
def reply_schema(reply: type[BaseModel]) -> dict[str, JsonValue] | None:
    """The reduced schema of a record, or None where the common subset cannot express it.

    Args:
        reply: pydantic model of the form.
    """
    whole = reply.model_json_schema()
    try:
        return _reduced(whole, whole.get("$defs", {}), 0)
    except OutsideSubset:
        return None


def _reduced(node: Mapping[str, Any], defs: Mapping[str, Any], depth: int) -> dict[str, JsonValue]:
    if depth > _DEEPEST:
        raise OutsideSubset("nested too deeply")
    if "$ref" in node:
        return _reduced(defs[node["$ref"].rsplit("/", 1)[-1]], defs, depth + 1)
    if "allOf" in node and len(node["allOf"]) == 1:
        return _reduced(node["allOf"][0], defs, depth)
    if "anyOf" in node:
        return _nullable(node["anyOf"], defs, depth)
    if "enum" in node or "const" in node:
        return _choice(node.get("enum", [node.get("const")]))
    kind = node.get("type")
    if kind == "object" and node.get("properties"):
        return _object(node["properties"], defs, depth)
    if kind == "array" and isinstance(node.get("items"), dict):
        return {"type": "array", "items": _reduced(node["items"], defs, depth + 1)}
    if kind in _SIMPLE:
        return {"type": kind}
    raise OutsideSubset(str(kind))


def _object(properties: Mapping[str, Any], defs: Mapping[str, Any], depth: int) -> dict[str, JsonValue]:
    names = sorted(properties, key=lambda name: name not in REASON_FIELDS)
    return {
        "type": "object",
        "properties": {name: _reduced(properties[name], defs, depth + 1) for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


def _choice(values: list[Any]) -> dict[str, JsonValue]:
    if all(isinstance(value, str) for value in values):
        return {"type": "string", "enum": list(values)}
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return {"type": "integer"}
    raise OutsideSubset("an enum of mixed types")


def _nullable(options: list[Mapping[str, Any]], defs: Mapping[str, Any], depth: int) -> dict[str, JsonValue]:
    """`X | None`, the one union that the subset knows."""
    rest = [option for option in options if option.get("type") != "null"]
    if len(rest) != 1 or len(rest) == len(options):
        raise OutsideSubset("a union")
    inner = _reduced(rest[0], defs, depth)
    if inner.get("type") not in _SIMPLE:
        raise OutsideSubset("an optional object or list")
    nullable: dict[str, JsonValue] = {**inner, "type": [inner["type"], "null"]}
    if isinstance(values := inner.get("enum"), list):
        nullable["enum"] = [*values, None]
    return nullable

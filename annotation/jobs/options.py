"""Options of a question in one text field: a line each, its label in front, so that their number may change."""

from __future__ import annotations

import re
from collections.abc import Sequence

LABELS = "ABCDEFGHIJ"
"""Labels of options that have none of their own, in order."""


def options_text(labels: Sequence[str], texts: Sequence[str]) -> str:
    """Options as a reviewer edits them: `A. first`, a line each."""
    return "\n".join(f"{label}. {text}".rstrip() for label, text in zip(labels, texts, strict=True))


def read_options(text: str, labels: Sequence[str], *, exact: bool) -> list[str] | None:
    """The options that stand in a field; None where they cannot be told apart.

    A line that begins with the next label opens an option, lines without one go on with it. A field without any label
    holds one option a line.

    Args:
        text: of the field.
        labels: those expected, in order.
        exact: whether all of them must be there; else a beginning of them is enough.
    """
    lines = text.strip().split("\n")
    found: list[list[str]] = []
    for line in lines:
        label = labels[len(found)] if len(found) < len(labels) else None
        match = _labelled(label).match(line) if label is not None else None
        if match is not None:
            found.append([line[match.end() :]])
        elif found:
            found[-1].append(line)
        else:
            break
    inner = [line for part in found for line in part[1:]] if found else lines
    # A later label inside an option: the one between was lost. A label where the first one is not: likewise.
    lost = any(_labelled(label).match(line) for line in inner for label in labels[len(found) :])
    options = ["\n".join(part).strip() for part in found] or [line.strip() for line in lines if line.strip()]
    fits = len(options) == len(labels) if exact else 0 < len(options) <= len(labels)
    return options if fits and not lost else None


def _labelled(label: str) -> re.Pattern[str]:
    return re.compile(rf"\s*[(（]?{re.escape(label)}\s*[.．、:：)）]\s*")

"""Rows of tables: what a sheet's or a page's cells become, whichever of the two they stood in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_OPTION_COLUMN = re.compile(r"(?i)(?:option|choice|选项)?[ _]*([A-H])[.．]?")
_OPTIONS = ("choices", "options")
_ALIASES: Mapping[str, tuple[str, ...]] = {
    "id": ("题号", "编号", "no", "no.", "number"),
    "question": ("题目", "题干", "问题", "stem", "question text"),
    "choices": ("选项",),
    "answer": ("答案", "参考答案", "correct answer", "key"),
    "solution": ("解析", "分析", "解答", "explanation", "analysis"),
    "images": ("图片", "配图", "附图", "pictures", "picture", "figure"),
    "discipline": ("学科", "科目"),
    "difficulty": ("难度",),
    "knowledge_points": ("知识点", "knowledge points"),
    "grade": ("年级",),
    "chapter": ("章节",),
    "unit": ("单位",),
    "question_type": ("题型", "question type", "type"),
}
_NAMES = {alias: name for name, aliases in _ALIASES.items() for alias in aliases}


@dataclass(frozen=True)
class Cell:
    """What one cell shows: its text, and the pictures in it."""

    text: str | None = None
    pictures: tuple[Any, ...] = ()


def column_name(shown: str) -> str:
    """The field that a column's heading means; a heading that is no usual one stays as it is."""
    text = " ".join(shown.split())
    return _NAMES.get(text.casefold(), text)


def table_row(names: list[str], cells: list[Cell]) -> dict[str, Any]:
    """The values of a table row.

    Pictures in a column for pictures, or over any other column, are the question's, in the order of the cells; those
    in an option's column are the option's. Columns headed A, B, C... are the options, unless there is a column of
    options already.
    """
    values: dict[str, Any] = {}
    pictures: list[Any] = []
    labelled = not any(name in _OPTIONS for name in names)
    options: list[dict[str, Any]] = []
    for name, cell in zip(names, cells, strict=True):
        mark = _OPTION_COLUMN.fullmatch(name) if labelled else None
        if mark is not None:
            if cell.text is not None or cell.pictures:
                image = cell.pictures[0] if cell.pictures else None
                options.append({"label": mark.group(1).upper(), "text": cell.text, "image": image})
                pictures += cell.pictures[1:]
        elif name in ("images", "image"):
            pictures += [*_paths(cell.text), *cell.pictures]
        else:
            pictures += cell.pictures
            if name:
                values[name] = cell.text
    if options:
        values["choices"] = options
    if pictures:
        values["images"] = pictures
    return values


def _paths(text: str | None) -> list[str]:
    """Paths in a cell: one a line, or with semicolons between them."""
    parts = (
        re.split(r"[\n;；]", text)
        if text and not text.lstrip().startswith(("data:", "[", "{"))
        else [text or ""]
    )
    return [part.strip() for part in parts if part.strip()]

"""From a public source's row to the fields of a question, as its preset says; what was decided is noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

from benchwright.curation.fields import clean_text, decoded, lookup
from benchwright.curation.options import labels_shown, read_labels
from benchwright.curation.preset_answers import Notes, named_letters, python_list, read_answer
from benchwright.curation.preset_options import options_in
from benchwright.curation.presets import Lookup, Preset
from benchwright.curation.sources import SourceRow
from benchwright.schemas.errors import ItemError

_NAME = re.compile(r"\{([\w .]+)\}")
_PLACEHOLDER = re.compile(r"<\s*image\s*_?(\d+)\s*>", re.IGNORECASE)
_RADICALS = re.compile(r"[\u2e80-\u2fdf\uf900-\ufaff]")
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")
_HTML = re.compile(
    r"</?(?:sub|sup|br|p|i|b|em|strong|u|span|div)\b[^<>]*>|&(?:nbsp|lt|gt|amp|#\d+);", re.IGNORECASE
)
_LINE_ENDS = re.compile(r"[ \t]*[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+[ \t]*(?=\r?\n|[(（]?[A-H]\s*[.．)）:：])")
_POWER = re.compile(r"10\s*\^")


@dataclass(frozen=True)
class MappedRow:
    """The fields of a question by their record names, and what was decided."""

    values: dict[str, Any]
    notes: Notes = field(default_factory=list)


def mapped_id(preset: Preset, row: SourceRow) -> str:
    """A row's id by the preset's template; a part that the row does not have makes it the row's place."""
    template = preset.ids.get(row.context.get("file", ""), preset.id)
    try:
        return _filled(template, row)
    except ItemError:
        return f"{preset.name}-{row.context.get('file', '')}-{row.line}"


def mapped_row(preset: Preset, row: SourceRow, exists: Callable[[str], bool]) -> MappedRow:
    """Read a row by its preset.

    Args:
        preset: how.
        row: the row with its context.
        exists: whether a path below the source's folder is a file.

    Raises:
        ItemError: the row cannot be read so.
    """
    notes: Notes = []
    values: dict[str, Any] = {
        **preset.constants,
        **{name: lookup(row.values, column) for name, column in preset.fields.items()},
        "id": mapped_id(preset, row),
        "source": preset.source,
        "language": preset.language,
        "discipline": _looked_up(preset.discipline, row),
    }
    if preset.subject is not None:
        values["subject"] = _looked_up(preset.subject, row)
    if preset.difficulty is not None:
        values["difficulty"] = _looked_up(preset.difficulty, row)
    pictures = list(_pictures(preset, row, exists))
    question = _cleaned(preset, values.get("question"), notes)
    answer = lookup(row.values, preset.answer.column)
    values["question"], values["choices"] = _options(preset, row, question, answer, len(pictures), notes)
    read = read_answer(preset.answer, answer, lookup(row.values, preset.answer.latex), notes)
    if (
        not values["choices"]
        and preset.options.style == "in-question"
        and _letters(preset, answer) is not None
    ):
        values["question_type"] = (
            "choice"  # a letter answers it: the rules for every source look for its options
        )
    values["answer"] = read.value
    values["solution"] = values.get("solution") or read.solution
    if isinstance(values.get("unit"), str) and _POWER.search(values["unit"]):
        notes.append(("unit-with-factor", f"the unit {values['unit'].strip()!r} holds a power of ten"))
    _place(preset, values, pictures, notes)
    return MappedRow(values, notes)


def _filled(template: str, row: SourceRow) -> str:
    def fill(mark: re.Match[str]) -> str:
        name = mark.group(1)
        found = row.context[name] if name in row.context else clean_text(lookup(row.values, name), name)
        if found is None:
            raise ItemError("missing-field", f"the row has no {name!r}")
        return found.strip()

    return _NAME.sub(fill, template)


def _looked_up(wanted: Lookup, row: SourceRow) -> str | None:
    try:
        text = _filled(wanted.template, row)
    except ItemError as error:
        if error.reason != "missing-field":
            raise
        return None
    found = re.search(wanted.pattern, text)
    caught = found.group(1) if found else text
    return wanted.map.get(caught, caught)


def _cleaned(preset: Preset, value: Any, notes: Notes) -> str | None:
    """The question without what the source says belongs to the paper, not to it; odd characters are noted only."""
    if isinstance(value, str) and preset.options.style == "in-question" and _LINE_ENDS.search(value):
        # What may end a text may end each option, which will be a text of its own.
        value = _LINE_ENDS.sub("", value)
        notes.append(("control-character-cut", "at the end of a line or of an option"))
    text = clean_text(value, "question")
    if text is None:
        return None
    for cut in preset.cut:
        if found := re.match(cut.pattern, text):
            notes.append((cut.note, found.group().strip()))
            text = text[found.end() :]
    for code, pattern in (
        ("radical-characters", _RADICALS),
        ("private-characters", _PRIVATE),
        ("html-tags", _HTML),
    ):
        if marks := pattern.findall(text):
            notes.append((code, f"{len(marks)} stand in the question ({marks[0]}), which keeps them"))
    return text


def _options(
    preset: Preset, row: SourceRow, question: str | None, answer: Any, n_pictures: int, notes: Notes
) -> tuple[str | None, Any]:
    style = preset.options.style
    if style == "none" or question is None:
        return question, None
    given = lookup(row.values, preset.options.column) if style != "in-question" else None
    if style == "python-list" and isinstance(given, str):
        given = python_list(given)
    given = decoded(given)
    if isinstance(given, list) and given:
        texts = [
            clean_text(item, "options") if not isinstance(item, (dict, list)) else item for item in given
        ]
        if n_pictures and all(map(_is_bare, texts, ascii_uppercase)):
            notes.append(("options-in-pictures", f"the source gives {len(texts)} bare labels"))
        return question, texts
    if given:
        return question, given
    letters = _letters(preset, answer)
    if letters is None:
        return question, None
    wanted = max(ascii_uppercase.index(letter) for letter in letters)
    # An answer beyond the options is an answer beyond the options, not a reason to see others.
    found = options_in(question, wanted) or options_in(question, 0) if style == "in-question" else None
    if found is not None:
        notes.append(("options-split-from-question", f"{len(found[1])} options stood at its end, {found[2]}"))
        return found[0], list(found[1])
    if style == "in-question" and labels_shown(question):
        return question, None  # in a table, say: they stay there, by the rules for every source
    if preset.options.pictured and n_pictures:
        count = max(preset.options.pictured, wanted + 1)
        notes.append(
            ("options-in-pictures", f"bare labels A to {ascii_uppercase[count - 1]}, drawn in the pictures")
        )
        return question, list(ascii_uppercase[:count])
    return question, None


def _is_bare(text: Any, label: str) -> bool:
    return text is None or (isinstance(text, str) and text.strip(" ()（）.．") == label)


def _letters(preset: Preset, answer: Any) -> tuple[str, ...] | None:
    """The labels that the answer names; None where it is no choice."""
    answer = decoded(answer)
    if preset.answer.style == "letter-or-command":
        return named_letters(answer) or None
    parts = answer if isinstance(answer, list) else [answer]
    found: list[str] = []
    for part in parts:
        labels = read_labels(part, ascii_uppercase[:10]) if isinstance(part, str) else None
        if labels is None:
            return None
        found += labels
    return tuple(found) or None


def _pictures(preset: Preset, row: SourceRow, exists: Callable[[str], bool]) -> Iterator[tuple[int, Any]]:
    """(column number, picture) of each picture; paths as the first spelling that is there, else as given."""
    images = preset.images
    for number, columns in enumerate(images.columns, start=1):
        value = next(
            (v for column in columns.split("|") if (v := lookup(row.values, column)) is not None), None
        )
        value = decoded(value)
        for item in value if isinstance(value, list) else [value]:
            if item is not None and item != "":
                yield number, _found(preset, row, item, exists) if isinstance(item, str) else item
    beside = images.beside.get(row.context.get("file", ""))
    if beside is not None:
        yield 1, _found(preset, row, beside, exists)


def _found(preset: Preset, row: SourceRow, path: str, exists: Callable[[str], bool]) -> str:
    if re.match(r"(?i)(?:[a-z][a-z0-9+.-]*://|data:)", path):
        return path
    images = preset.images
    short = re.sub(f"^(?:{images.strip})", "", path.strip()) if images.strip else path.strip()
    for folder in (row.folder, "") if row.folder else ("",):
        for prefix in images.prefixes:
            for ending in images.endings:
                name = f"{folder}/{prefix}{short}{ending}" if folder else f"{prefix}{short}{ending}"
                if exists(name):
                    return name
    return path


def _place(preset: Preset, values: dict[str, Any], pictures: list[tuple[int, Any]], notes: Notes) -> None:
    """Say which picture each placeholder means; pictures that are options become the options'."""
    question = values.get("question")
    named = [int(number) for number in _PLACEHOLDER.findall(question)] if isinstance(question, str) else []
    if preset.images.placeholders != "numbered":
        if preset.images.placeholders == "shared" and len(set(named)) > len(pictures) > 0:
            notes.append(
                ("placeholders-share-picture", f"{len(set(named))} placeholders, {len(pictures)} picture")
            )
        values["images"] = [picture for _, picture in pictures]
        return
    by_number = dict(pictures)
    in_options = _option_pictures(values, by_number)
    missing = sorted({number for number in named if number not in by_number})
    if missing:
        raise ItemError("image-missing", f"<image {missing[0]}> stands in the question, its column is empty")
    own = [number for number in sorted(by_number) if number not in in_options or number in named]
    values["images"] = [by_number[number] for number in own]
    if isinstance(question, str) and any(own.index(number) + 1 != number for number in named):
        values["question"] = _PLACEHOLDER.sub(lambda mark: f"<image {own.index(int(mark[1])) + 1}>", question)
        notes.append(("placeholders-renumbered", "to the order of the question's pictures"))


def _option_pictures(values: dict[str, Any], by_number: dict[int, Any]) -> set[int]:
    """Options that are a placeholder, alone or with words, get its picture."""
    used: set[int] = set()
    options = values.get("choices")
    if not isinstance(options, list):
        return used
    for index, option in enumerate(options):
        marks = [int(number) for number in _PLACEHOLDER.findall(option)] if isinstance(option, str) else []
        if not marks:
            continue
        if len(marks) > 1 or marks[0] not in by_number:
            raise ItemError(
                "image-missing",
                f"option {ascii_uppercase[index]} names <image {marks[-1]}>, which is not there",
            )
        text = _PLACEHOLDER.sub("", option).strip()
        options[index] = {"label": ascii_uppercase[index], "text": text or None, "image": by_number[marks[0]]}
        used.add(marks[0])
    return used

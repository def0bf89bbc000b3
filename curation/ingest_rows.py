"""From a source row to a `Question`, or to an `ItemError` that says why not. What was decided on the way is noted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchwright.curation.fields import FieldMap, clean_text, decoded, text_list
from benchwright.curation.ingest_images import ImageStore, inside, is_url, located, referenced_paths
from benchwright.curation.ingest_text import Notes, TextPart, read_text
from benchwright.curation.preset_rows import MappedRow, mapped_id, mapped_row
from benchwright.curation.presets import Preset
from benchwright.curation.sources import SourceRow, dump_json
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import ItemError
from benchwright.schemas.recipe import Recipe
from benchwright.schemas.records import DIFFICULTY_NAMES, ImageRef, LocalizedText, Question, Record, Sha256
from benchwright.schemas.taxonomy import Taxonomy

UNKNOWN_LICENSE = "unknown"
DIVISION_SLASH = "\u2215"
_DISCIPLINE_WORDS = {
    "math": "mathematics",
    "maths": "mathematics",
    "bio": "biology",
    "chem": "chemistry",
    "phys": "physics",
}
_LANGUAGE_WORDS = {"chinese": "zh", "english": "en", "中文": "zh", "汉语": "zh", "英文": "en"}
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_UNSAFE_IN_RAW = re.compile(r"[\x00-\x1f]|NaN|Infinity")


class Note(Record):
    """Something that ingest decided about a kept item; nothing that changes a text goes without one."""

    item_id: str
    code: str
    detail: str
    source: str
    line: int


class IngestedRow(Record):
    """A kept question and where in its source it stood."""

    line: int
    digest: Sha256
    """Digest of the question, so that changes are told without reading whole records."""
    pictures: tuple[str, ...]
    """File names of its published pictures."""
    question: Question


@dataclass(frozen=True)
class RowReader:
    """Reads the rows of one source.

    Args:
        name: name of the source within the workspace.
        fields: where each record field is found.
        recipe: disciplines, languages and licences.
        taxonomy: names of disciplines and subjects.
        license: licence for rows that name none.
        preset: how the rows of a known public source are read first.
        root: the folder of the source's pictures.
    """

    name: str
    fields: FieldMap
    recipe: Recipe
    taxonomy: Taxonomy
    license: str | None
    preset: Preset | None = None
    root: Path = Path()

    def row_id(self, row: SourceRow) -> str:
        """The row's id as text; made from its content where it has none.

        Raises:
            ItemError: the id holds what no text may hold.
        """
        if self.preset is not None:
            return mapped_id(self.preset, row)
        given = self.fields.text(row.values, "id")
        return given if given is not None else f"{self.name}-{row_digest(row)[:12]}"

    def picture_paths(self, row: SourceRow) -> list[str]:
        """Paths and URLs of pictures that the row names, in its images and options; none where it cannot be read."""
        try:
            values = self._mapped(row).values
        except ItemError:
            return []
        paths = referenced_paths(self.fields.get(values, "images"))
        texts = decoded(self.fields.get(values, "texts"))
        holders = [self.fields.get(values, "choices")]
        if isinstance(texts, dict):
            holders += [text.get("choices") for text in texts.values() if isinstance(text, dict)]
        for holder in map(decoded, holders):
            if isinstance(holder, list):
                paths += [
                    p
                    for item in holder
                    if isinstance(item, dict)
                    for p in referenced_paths(item.get("image"))
                ]
        return [path if is_url(path) else located(path, row.folder, self.root) for path in paths]

    def _mapped(self, row: SourceRow) -> MappedRow:
        if self.preset is None:
            return MappedRow(row.values)
        return mapped_row(self.preset, row, lambda path: inside(path, self.root) is not None)

    def question(self, row: SourceRow, store: ImageStore) -> tuple[Question, tuple[Note, ...]]:
        """Read a row.

        Raises:
            ItemError: the row cannot become a question; `reason` says why.
        """
        store.payloads.clear()
        store.folder = row.folder
        try:
            return self._question(row, store)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ItemError("bad-record", f"{where}: {first['msg']}") from error

    def _question(self, row: SourceRow, store: ImageStore) -> tuple[Question, tuple[Note, ...]]:
        mapped = self._mapped(row)
        values, notes = mapped.values, Notes([*row.notes, *mapped.notes])
        item_id = self.row_id(row)
        discipline = self._discipline(values)
        source = self.fields.text(values, "source") or self.name
        images = store.take_all(self.fields.get(values, "images"))
        language, parts = self._texts(values, len(images), store, notes)
        main = parts[language]
        question = Question(
            id=item_id,
            source=source,
            source_license=self._license(values, source, notes),
            source_row=source_row(row, store),
            discipline=discipline,
            language=language,
            texts={code: part.text for code, part in sorted(parts.items())},
            images=images,
            question_type=main.question_type,
            knowledge_points=knowledge_paths(self.fields.get(values, "knowledge_points")),
            grade=self.fields.text(values, "grade"),
            chapter=self.fields.text(values, "chapter"),
            difficulty=_difficulty(self.fields.text(values, "difficulty"), notes),
            subject=self._subject(values, discipline, notes),
        )
        notes += main.notes
        return question, tuple(
            Note(
                item_id=item_id, code=code, detail=placed(detail, row.place), source=self.name, line=row.line
            )
            for code, detail in notes
        )

    def _texts(
        self, values: Mapping[str, Any], n_images: int, store: ImageStore, notes: Notes
    ) -> tuple[str, dict[str, TextPart]]:
        texts = decoded(self.fields.get(values, "texts")) or {}
        if not isinstance(texts, dict) or not all(isinstance(text, dict) for text in texts.values()):
            raise ItemError("bad-texts", "texts is not an object language -> object")
        language = self._language(values, texts, notes)
        own = texts.get(language, {})

        def get(field: str) -> Any:
            if own.get(field) is not None:
                return own[field]
            return None if field == "decomposition" else self.fields.get(values, field)

        parts = {language: read_text(get, n_images, store)}
        for code, other in texts.items():
            if code != language:
                other = {"choice_layout": self.fields.get(values, "choice_layout"), **other}
                parts[_language_code(code)] = read_text(other.get, n_images, store)
        return language, parts

    def _language(self, values: Mapping[str, Any], texts: Mapping[str, Any], notes: Notes) -> str:
        given = self.fields.text(values, "language")
        if given is not None:
            return _language_code(given)
        if len(texts) == 1:
            return _language_code(next(iter(texts)))
        for code in self.recipe.benchmark.languages:
            if code in texts:
                return code
        question = self.fields.text(values, "question") or ""
        guessed = "zh" if _HAN.search(question) else "en"
        notes.append(("language-guessed", f"{guessed}, by its characters"))
        return guessed

    def _discipline(self, values: Mapping[str, Any]) -> str:
        given = self.fields.text(values, "discipline")
        if given is None:
            raise ItemError(
                "no-discipline", "the row names no discipline and none was given with --discipline"
            )
        word = given.casefold()
        word = _DISCIPLINE_WORDS.get(word, word)
        for known in self.recipe.disciplines:
            names = {known}
            if self.taxonomy.has(known):
                names |= {name.casefold() for name in self.taxonomy.discipline(known).names.values()}
            if word in names:
                return known
        raise ItemError("discipline-not-in-recipe", f"{given!r}")

    def _subject(self, values: Mapping[str, Any], discipline: str, notes: Notes) -> str | None:
        given = self.fields.text(values, "subject")
        if given is None or not self.taxonomy.has(discipline):
            return given
        word = given.casefold()
        for subject in self.taxonomy.subjects(discipline):
            if word in {subject.id, *(name.casefold() for name in subject.names.values())}:
                return subject.id
        notes.append(("subject-not-in-taxonomy", f"{given!r} stays in the source row only"))
        return None

    def _license(self, values: Mapping[str, Any], source: str, notes: Notes) -> str:
        given = self.fields.text(values, "source_license")
        known = [
            self.recipe.sources[key].license for key in (source, self.name) if key in self.recipe.sources
        ]
        for candidate in (given, *known, self.license):
            if candidate is not None:
                return candidate
        notes.append(
            (
                "license-unknown",
                f"neither the row, the recipe nor --license says under which licence {source} is",
            )
        )
        return UNKNOWN_LICENSE


def placed(detail: str, place: str) -> str:
    """A detail with the place of its row, in a source of several files or sheets."""
    return f"{detail} [{place}]" if place else detail


def row_digest(row: SourceRow) -> str:
    """Digest of a row's content, whatever its spacing in the file."""
    return sha256_bytes(dump_json(row.values).encode("utf-8"))


def same_row_digest(row: SourceRow) -> str:
    """Digest that tells literally equal rows of one source."""
    return row_digest(row) if row.raw is None else sha256_bytes(row.raw.encode("utf-8"))


def source_row(row: SourceRow, store: ImageStore) -> str:
    """The untouched row as JSON text; pictures' payloads are named by digest, their bytes lie in `images/source/`."""
    if row.raw is not None and not store.payloads and not _UNSAFE_IN_RAW.search(row.raw):
        return row.raw
    return dump_json(row.values, store.payloads)


def picture_refs(texts: Mapping[str, LocalizedText], images: tuple[ImageRef, ...]) -> list[ImageRef]:
    """All pictures of a question, its options' included."""
    return [*images, *(choice.image for text in texts.values() for choice in text.choices if choice.image)]


def knowledge_paths(value: Any) -> tuple[str, ...]:
    """Knowledge points as paths: routes written with arrows ("A->B->C") become "A/B/C"; repeats are dropped.

    In a route with arrows a slash is part of a name ("AMC10/12"): it becomes the division slash, where no level ends.

    Raises:
        ItemError: neither a text nor a list of texts.
    """
    return tuple(dict.fromkeys(_path(point) for point in text_list(value, "knowledge_points")))


def _path(point: str) -> str:
    names = [name.strip() for name in re.split("->|→|>>", point)]
    return "/".join(name.replace("/", DIVISION_SLASH) for name in names if name) if len(names) > 1 else point


def _difficulty(text: str | None, notes: Notes) -> int | None:
    if text is None:
        return None
    for level, name in DIFFICULTY_NAMES.items():
        if text.casefold() in (name.casefold(), str(level), f"{level}.0"):
            return level
    notes.append(("difficulty-outside-scale", f"{text!r} is not one of 1 to 5; left open"))
    return None


def _language_code(text: str) -> str:
    word = text.strip().casefold()
    code = _LANGUAGE_WORDS.get(word, re.split(r"[-_]", word)[0])
    if not re.fullmatch(r"[a-z]{2,3}", code):
        raise ItemError("bad-language", f"{clean_text(text, 'language')!r} is no language code")
    return code

"""Taxonomies: disciplines and their subjects, as data. Built in: `visscience` and `sciverse`."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Language, Record

Identifier = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
BUILT_IN = ("visscience", "sciverse")


class Subject(Record):
    """One subject (VisScience) or topic (SciVerse) of a discipline."""

    id: Identifier
    names: dict[Language, str]
    descriptions: dict[Language, str]
    """One line per language; what the embedded proposer compares questions with."""

    def name(self, language: str) -> str:
        """Name in a language, English where that one is missing."""
        return self.names.get(language, self.names["en"])


class DisciplineTaxonomy(Record):
    """A discipline and its subjects, in the order in which people see them."""

    id: Identifier
    names: dict[Language, str]
    subjects: Annotated[tuple[Subject, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        ids = [subject.id for subject in self.subjects]
        if len(set(ids)) != len(ids):
            raise ValueError(f"discipline {self.id} names a subject twice")
        return self


class Taxonomy(Record):
    """All disciplines of a benchmark."""

    name: str
    source: str
    disciplines: Annotated[tuple[DisciplineTaxonomy, ...], Field(min_length=1)]

    def discipline(self, discipline: str) -> DisciplineTaxonomy:
        """One discipline.

        Raises:
            UsageError: the taxonomy does not have it.
        """
        for entry in self.disciplines:
            if entry.id == discipline:
                return entry
        known = ", ".join(entry.id for entry in self.disciplines)
        raise UsageError(
            f"taxonomy {self.name!r} has no discipline {discipline!r} (it has {known}): choose another taxonomy in "
            "the recipe, or add the discipline to a file below taxonomies/."
        )

    def has(self, discipline: str) -> bool:
        """Whether the taxonomy has that discipline."""
        return any(entry.id == discipline for entry in self.disciplines)

    def subjects(self, discipline: str) -> tuple[Subject, ...]:
        """The subjects of a discipline, in order."""
        return self.discipline(discipline).subjects

    def subject(self, discipline: str, subject: str) -> Subject:
        """One subject.

        Raises:
            UsageError: the discipline does not have it.
        """
        for entry in self.subjects(discipline):
            if entry.id == subject:
                return entry
        known = ", ".join(entry.id for entry in self.subjects(discipline))
        raise UsageError(
            f"{discipline} has no subject {subject!r} in taxonomy {self.name!r}: it has {known}."
        )


def load_taxonomy(name: str, folder: Path | None = None) -> Taxonomy:
    """Read a taxonomy.

    Args:
        name: a built-in name or a file below `folder`; several joined by `+` (the first to have a discipline wins).
        folder: the workspace's `taxonomies/`.

    Raises:
        UsageError: unknown or malformed; names what there is.
    """
    parts = [_load_one(part.strip(), folder) for part in name.split("+")]
    if len(parts) == 1:
        return parts[0]
    merged: dict[str, DisciplineTaxonomy] = {}
    for part in parts:
        for discipline in part.disciplines:
            merged.setdefault(discipline.id, discipline)
    return Taxonomy(
        name=name, source="; ".join(part.source for part in parts), disciplines=tuple(merged.values())
    )


def _load_one(name: str, folder: Path | None) -> Taxonomy:
    if folder is not None and (folder / f"{name}.toml").is_file():
        return _parse((folder / f"{name}.toml").read_text(encoding="utf-8"), str(folder / f"{name}.toml"))
    if name in BUILT_IN:
        text = (resources.files("benchwright.schemas") / "taxonomies" / f"{name}.toml").read_text(
            encoding="utf-8"
        )
        return _parse(text, name)
    raise UsageError(
        f"there is no taxonomy {name!r}: use one of {', '.join(BUILT_IN)}, "
        f"or put {name}.toml into the workspace's taxonomies/."
    )


def _parse(text: str, where: str) -> Taxonomy:
    try:
        return Taxonomy.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"taxonomy {where} is not valid TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"taxonomy {where}: {place}: {first['msg']}.") from error

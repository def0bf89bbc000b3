"""`CITATION.cff` (Citation File Format 1.2) and BibTeX: how to cite a release, as its recipe says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import yaml

from benchwright.curation.release.documents.stated import said
from benchwright.curation.release.edition import Edition
from benchwright.curation.release.licences import normal_name
from benchwright.schemas.recipe import AuthorRecipe

CITATION_NAME = "CITATION.cff"
_NOT_STATED = "Not stated: set [[release.authors]]"
_CREATIVE_COMMONS = re.compile(r"cc-by(-nc)?(-sa|-nd)?-\d\.\d")
_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_"}
    # BibTeX counts a brace even behind a backslash.
    | {"{": r"\textbraceleft{}", "}": r"\textbraceright{}", "\\": r"\textbackslash{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}"}
)
_SPDX = {
    "cc0-1.0": "CC0-1.0",
    "mit": "MIT",
    "apache-2.0": "Apache-2.0",
    "odbl-1.0": "ODbL-1.0",
    "odc-by-1.0": "ODC-By-1.0",
}


def citation(edition: Edition) -> str:
    """The text of `CITATION.cff`. Only what the recipe states is in it; no day is taken from a clock."""
    release = edition.release
    values: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite it, and name the version.",
        "type": "dataset",
        "title": edition.title,
        "version": edition.tag,
        "authors": [_author(one) for one in release.authors] or [{"name": f"The authors of {edition.title}"}],
        "url": edition.url,
    }
    if release.doi is not None:
        values["doi"] = release.doi
    if release.date_released is not None:
        values["date-released"] = release.date_released.isoformat()
    if (spdx := spdx_name(edition.licence.license)) is not None:
        values["license"] = spdx
    if (words := said(release, "measures")) is not None:
        values["abstract"] = words
    names = (share.name for share in edition.figures.disciplines)
    values["keywords"] = list(dict.fromkeys(("benchmark", "multi-modal", "science", *names)))  # each once
    note = "" if release.authors else f"# Authors. {_NOT_STATED} in benchwright.toml.\n"
    return note + "".join(f"{key}:{_flow(value)}\n" for key, value in values.items())


def bibtex(edition: Edition) -> str:
    """A BibTeX entry."""
    release = edition.release
    who = " and ".join(_name(one) for one in release.authors)
    day = release.date_released
    fields = {
        "title": "{" + _plain(edition.title) + "}",
        "author": who or "{The authors of " + _plain(edition.title) + "}",
        "year": None if day is None else str(day.year),
        "version": _plain(edition.tag),
        "doi": None if release.doi is None else _address(release.doi),
        "url": _address(edition.url),
    }
    key = re.sub(r"[^a-z0-9]+", "_", edition.recipe.benchmark.name)
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value is not None]
    return "@misc{" + key + ",\n" + ",\n".join(lines) + "\n}"


def authors_line(authors: Sequence[AuthorRecipe]) -> str:
    """The authors in one line, or what to set."""
    return ", ".join(_in_words(one) for one in authors) or f"{_NOT_STATED}."


def spdx_name(licence: str) -> str | None:
    """A licence by its SPDX name, where it is one of those that are known here."""
    name = normal_name(licence)
    return name.upper() if _CREATIVE_COMMONS.fullmatch(name) else _SPDX.get(name)


def _in_words(one: AuthorRecipe) -> str:
    name = one.name or " ".join(part for part in (one.given, one.family) if part)
    return f"{name} ({one.affiliation})" if one.affiliation else name


def _author(one: AuthorRecipe) -> dict[str, str]:
    parts = {
        "name": one.name,
        "family-names": one.family,
        "given-names": one.given,
        "affiliation": one.affiliation,
        "orcid": one.orcid,
    }
    return {key: value for key, value in parts.items() if value is not None}


def _name(one: AuthorRecipe) -> str:
    """As BibTeX wants it: a group's name in braces is not taken apart."""
    if one.name is not None:
        return "{" + _plain(one.name) + "}"
    return _plain(", ".join(part for part in (one.family, one.given) if part))


def _plain(text: str) -> str:
    """A text in which LaTeX takes nothing for a command."""
    return " ".join(text.split()).translate(_LATEX)


def _address(text: str) -> str:
    """An address without the braces that BibTeX counts and the brackets that end a comment."""
    return text.translate({ord(sign): f"%{ord(sign):02X}" for sign in "{}<>"})


def _flow(value: Any) -> str:
    """A value as YAML behind its key, characters as they are."""
    if isinstance(value, list):
        return "\n" + yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=10_000).rstrip()
    return f" {json.dumps(value, ensure_ascii=False)}"

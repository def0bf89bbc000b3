"""`croissant.json`: the release described by MLCommons Croissant 1.0 with the fields of its RAI vocabulary.

A `FileObject` with its sha256 for every Parquet file, a `RecordSet` for every one of them with a `Field` for every
column, and the splits as `cr:Split`. Paths are relative to the file itself, so that it holds in the release folder, in
a download and on any Hub.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from benchwright.curation.release.documents.citation import bibtex, spdx_name
from benchwright.curation.release.documents.rai import rai_fields
from benchwright.curation.release.edition import Edition
from benchwright.curation.release.markdown import counted
from benchwright.schemas.records import Split
from benchwright.schemas.release_table import ReleaseFile, release_schema

CROISSANT_NAME = "croissant.json"
CROISSANT = "http://mlcommons.org/croissant/1.0"
RAI = "http://mlcommons.org/croissant/RAI/1.0"
SPLITS = "splits"
"""The record set that lists the splits."""

CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The JSON-LD context that Croissant 1.0 prescribes."""

_COLUMNS: Mapping[str, str] = {
    "id": "problem, version and language",
    "problem_id": "stays the same for life, shared by all rows of a problem",
    "version": "what the text and the picture hold",
    "language": "ISO 639",
    "discipline": "discipline",
    "subject": "subject within the discipline",
    "difficulty": "1 (basic) to 5 (expert)",
    "knowledge_points": "paths, outermost first",
    "question": "exactly the text that a model is sent; empty where everything stands in the picture",
    "images": "the pictures that a model is sent, in order",
    "image_sha256": "of each of the pictures",
    "options": "the choices as data",
    "question_type": "single-choice, multiple-select, free-form or multi-part",
    "answer": "the key; null where it is withheld",
    "unit": "of the answer",
    "full_question": "the whole question, for judges and readers alone",
    "stem": "the question without background knowledge",
    "conditions": "what is given, as pieces of the stem",
    "core_question": "what is asked, without the conditions that the picture shows",
    "knowledge_cue": "names the knowledge that is needed",
    "knowledge_detail": "that knowledge in full",
    "solution": "worked solution",
    "split": "dev, testmini or test",
    "source": "where the problem comes from",
    "source_license": "its licence there",
    "render": "how a drawn picture was made",
    "canary": "tells a model that has seen the data",
}
_OPTION_PARTS = ("label", "text", "image_sha256")
"""What is described of an option; its picture's bytes lie beside them, `datasets` reads them."""


def croissant(edition: Edition, files: Sequence[ReleaseFile]) -> str:
    """The text of `croissant.json`.

    Args:
        edition: what is released.
        files: the Parquet files as they were written, with their digests.
    """
    tables = sorted(files, key=lambda file: file.path)
    release = edition.release
    values: dict[str, Any] = {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "name": edition.recipe.benchmark.name,
        "alternateName": edition.title,
        "description": _description(edition),
        "conformsTo": [CROISSANT, RAI],
        "version": edition.tag.removeprefix("v"),
        "url": edition.url,
        "license": _licence(edition),
        "inLanguage": list(edition.languages),
        "keywords": [
            "benchmark",
            "multi-modal",
            "science",
            *(one.name for one in edition.figures.disciplines),
        ],
        "citeAs": bibtex(edition),
        "isLiveDataset": False,
        "creator": [_creator(one.name, one.given, one.family) for one in release.authors],
        "datePublished": None if release.date_released is None else release.date_released.isoformat(),
        "sameAs": None if release.doi is None else f"https://doi.org/{release.doi}",
        "distribution": [_file(file) for file in tables],
        "recordSet": [_splits(edition), *(_records(file) for file in tables)],
        **rai_fields(edition),
    }
    kept = {key: value for key, value in values.items() if value not in (None, [])}
    return json.dumps(kept, ensure_ascii=False, indent=1) + "\n"


def _description(edition: Edition) -> str:
    figures = edition.figures
    words = edition.release.statements.get("measures", "").strip()
    sizes = (
        f"{counted(figures.problems, 'problem')} in {' and '.join(edition.languages)}, "
        f"{counted(figures.rows, 'row')}; "
        f"release {edition.tag} of {edition.title}."
    )
    return f"{words} {sizes}".strip()


def _licence(edition: Edition) -> str:
    name = spdx_name(edition.licence.license)
    return (
        f"https://spdx.org/licenses/{name}.html" if name else f"{edition.licence.sentence} See LICENSES.md."
    )


def _creator(name: str | None, given: str | None, family: str | None) -> dict[str, str]:
    if name is not None:
        return {"@type": "sc:Organization", "name": name}
    return {"@type": "sc:Person", "name": " ".join(part for part in (given, family) if part)}


def _file(file: ReleaseFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "description": f"{file.rows} rows",
        "contentUrl": file.path,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": "application/x-parquet",
        "sha256": file.sha256,
    }


def _splits(edition: Edition) -> dict[str, Any]:
    present = {row.split for row in edition.published.rows}
    name = f"{SPLITS}/name"
    return {
        "@type": "cr:RecordSet",
        "@id": SPLITS,
        "name": SPLITS,
        "description": "dev is for few-shot prompts and is never scored; no problem stands in two splits.",
        "dataType": "cr:Split",
        "key": {"@id": name},
        "field": [{"@type": "cr:Field", "@id": name, "name": "name", "dataType": "sc:Text"}],
        "data": [{name: split.value} for split in Split if split in present],
    }


def _records(file: ReleaseFile) -> dict[str, Any]:
    """The record set of one Parquet file: `vision_only_zh/test`, with the shard's number where there are several."""
    name = record_set_name(file.path)
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": {"@id": f"{name}/id"},
        "field": [_field(f"{name}/{column.name}", column, file.path) for column in release_schema()],
    }


def record_set_name(path: str) -> str:
    """Name of the record set of a file `data/LANGUAGE/VERSION/SPLIT-NUMBER-of-COUNT.parquet`."""
    _, language, version, name = path.split("/")
    split, number, _, count = name.removesuffix(".parquet").rsplit("-", 3)
    shard = "" if int(count) == 1 else f"/{int(number)}"
    return f"{version.replace('-', '_')}_{language}/{split}{shard}"


def _field(name: str, column: pa.Field, path: str) -> dict[str, Any]:
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": name,
        "name": column.name,
        "description": _COLUMNS[column.name],
        **_kind(column.type),
    }
    source: dict[str, Any] = {"fileObject": {"@id": path}, "extract": {"column": column.name}}
    if column.name == "options":
        field["subField"] = [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{part}",
                "name": part,
                "dataType": "sc:Text",
                "source": {**source, "transform": {"jsonPath": part}},
            }
            for part in _OPTION_PARTS
        ]
        return field
    if column.name == "images":
        source["transform"] = {"jsonPath": "bytes"}
    if column.name == "split":
        field |= {"dataType": ["sc:Text", "cr:Split"], "references": {"field": {"@id": f"{SPLITS}/name"}}}
    return {**field, "source": source}


def _kind(kind: pa.DataType) -> dict[str, Any]:
    """Data type of a column, and whether it holds several."""
    if pa.types.is_list(kind):
        inner = kind.value_type
        if not pa.types.is_struct(inner):
            return {"dataType": "sc:Text", "repeated": True}
        picture = {one.name for one in inner} == {"bytes", "path"}
        return {"dataType": "sc:ImageObject", "repeated": True} if picture else {"repeated": True}
    return {"dataType": "sc:Integer" if pa.types.is_integer(kind) else "sc:Text"}

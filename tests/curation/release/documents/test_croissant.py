"""`croissant.json`: it describes the very files, every column and split, and Croissant's own library reads it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.documents.croissant import CONTEXT, record_set_name
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.release_table import load_release, release_schema

FORMATS = os.environ.get("BENCHWRIGHT_FORMATS_PYTHON", "")

RAI = {
    "dataCollection", "dataCollectionType", "dataCollectionMissingData", "dataCollectionRawData",
    "dataCollectionTimeframe", "dataImputationProtocol", "dataPreprocessingProtocol", "dataManipulationProtocol",
    "dataAnnotationProtocol", "dataAnnotationPlatform", "dataAnnotationAnalysis", "annotationsPerItem",
    "annotatorDemographics", "machineAnnotationTools", "dataBiases", "dataUseCases", "dataLimitations",
    "dataSocialImpact", "personalSensitiveInformation", "dataReleaseMaintenancePlan",
}  # fmt: skip
"""The fields of the RAI vocabulary, version 1.0."""
MANY = {
    "dataCollectionType", "dataPreprocessingProtocol", "dataAnnotationProtocol", "dataAnnotationPlatform",
    "dataAnnotationAnalysis", "annotatorDemographics", "machineAnnotationTools", "dataBiases", "dataUseCases",
    "dataLimitations", "personalSensitiveInformation",
}  # fmt: skip
KINDS = {"sc:Text", "sc:Integer", "sc:ImageObject", "cr:Split"}


def built(workspace, **options):
    content, findings = checked_content(workspace)
    return build_release(workspace, "v1.2.0", "org/tiny", content, findings=findings, **options)


def described(release):
    return json.loads((release.folder / "croissant.json").read_text(encoding="utf-8"))


def ids_in(value):
    """Every `@id` that stands in a value of its own, i.e. a reference."""
    if isinstance(value, dict):
        if set(value) == {"@id"}:
            yield value["@id"]
        for inner in value.values():
            yield from ids_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from ids_in(inner)


def named(value):
    """Every node's own `@id`."""
    if isinstance(value, dict):
        if "@type" in value and "@id" in value:
            yield value["@id"]
        for inner in value.values():
            yield from named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from named(inner)


def test_every_table_is_described_with_its_digest(tiny):
    release = built(tiny, shard_bytes=1)
    said = described(release)
    tables = {file.path: file for file in release.manifest.tables()}
    assert {one["@id"] for one in said["distribution"]} == set(tables)
    for one in said["distribution"]:
        file = tables[one["@id"]]
        assert (one["sha256"], one["contentSize"]) == (file.sha256, f"{file.bytes} B")
        assert sha256_file(release.folder / one["contentUrl"]) == one["sha256"]
    records = {one["@id"]: one for one in said["recordSet"]}
    assert set(records) == {"splits", *map(record_set_name, tables)}
    assert {"original_en/dev", "original_en/test/0", "original_en/test/1"} <= set(records)
    for path in tables:
        fields = records[record_set_name(path)]["field"]
        assert [field["name"] for field in fields] == pq.read_schema(release.folder / path).names
    assert "croissant.json" in {file.path for file in release.manifest.files}


def test_the_graph_is_closed_and_typed(tiny):
    said = described(built(tiny))
    assert said["@context"] == CONTEXT and said["@type"] == "sc:Dataset"
    assert said["conformsTo"] == [
        "http://mlcommons.org/croissant/1.0",
        "http://mlcommons.org/croissant/RAI/1.0",
    ]
    own = list(named(said))
    assert len(set(own)) == len(own), "no name twice"
    assert set(ids_in({key: value for key, value in said.items() if key != "@context"})) <= set(own)
    for records in said["recordSet"]:
        for field in records["field"]:
            parts = field.get("subField", [field])
            for part in parts:
                kinds = part["dataType"]
                assert set(kinds if isinstance(kinds, list) else [kinds]) <= KINDS
                assert records["@id"] == "splits" or part["source"]["extract"] == {"column": field["name"]}
    columns = {field["name"]: field for field in said["recordSet"][1]["field"]}
    assert list(columns) == release_schema().names and all(one["description"] for one in columns.values())
    assert columns["images"]["repeated"] and columns["images"]["dataType"] == "sc:ImageObject"
    assert columns["difficulty"]["dataType"] == "sc:Integer"
    assert said["recordSet"][0]["data"] == [{"splits/name": "dev"}, {"splits/name": "test"}]


def test_responsible_use_is_told_in_the_vocabularys_words(tiny, told):
    silent, said = described(built(tiny)), described(built(told))
    for one in (silent, said):
        fields = {key.removeprefix("rai:"): value for key, value in one.items() if key.startswith("rai:")}
        assert set(fields) <= RAI and len(fields) >= 14
        assert all(isinstance(value, list) == (key in MANY) for key, value in fields.items())
    assert silent["rai:dataBiases"] == ["Not stated: set [release.statements] biases."]
    assert said["rai:dataBiases"] == ["Few subjects."]
    assert said["rai:annotatorDemographics"] == ["Two teachers, paid by the hour."]
    assert silent["rai:dataCollectionRawData"].endswith("hand-made (CC0-1.0, 4 problems).")
    assert silent["rai:dataCollectionMissingData"].startswith("32 rows could not be made; 3 knowledge-free")
    assert "datePublished" not in silent and "creator" not in silent
    assert (
        said["datePublished"] == "2026-03-01" and said["sameAs"] == "https://doi.org/10.5281/zenodo.1234567"
    )
    assert [one["name"] for one in said["creator"]] == ["Ada O'Neill-Żak", "题库 Group"]
    assert silent["license"].startswith("Each problem keeps") and said["license"].endswith("/CC0-1.0.html")


@pytest.mark.skipif(not FORMATS, reason="BENCHWRIGHT_FORMATS_PYTHON names no interpreter with mlcroissant")
def test_croissants_own_library_reads_every_record(told):
    """Its loader compares the files' digests itself; values and pictures come out as they were published."""
    release = built(told)
    rows = {row.id: row for row, _ in load_release(release.folder)}
    seen = {fields["id"]: fields for fields in json.loads(read_by_its_own_library(release).stdout)}
    assert set(seen) == set(rows)
    for name, row in rows.items():
        fields = seen[name]
        assert (fields["answer"], fields["difficulty"]) == (row.answer, row.difficulty)
        assert fields["question"] == row.question and fields["split"] == row.split
        assert fields["images"] == [[120, 60]] * len(row.images)
        assert fields["options"] == len(row.options)
    damaged = next(release.folder.glob("data/en/vision-only/*.parquet"))
    damaged.write_bytes(damaged.read_bytes() + b"x")
    refused = read_by_its_own_library(release)
    assert refused.returncode and "vision-only" in refused.stderr


def read_by_its_own_library(release):
    """Run `croissant_reader.py` in the environment that has mlcroissant."""
    reader = Path(__file__).with_name("croissant_reader.py")
    command = [FORMATS, "-I", str(reader), str(release.folder / "croissant.json")]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)

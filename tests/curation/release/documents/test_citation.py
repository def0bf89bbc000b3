"""`CITATION.cff`: what version 1.2 of the format demands, and nothing that the recipe does not say."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from subprocess import run

import pytest
import yaml

from benchwright.curation.release.documents.citation import bibtex, citation, spdx_name
from benchwright.schemas.recipe import AuthorRecipe

FORMATS = os.environ.get("BENCHWRIGHT_FORMATS_PYTHON", "")
PERSON = {"family-names", "given-names", "affiliation", "orcid"}
KEYS = {
    "cff-version", "message", "type", "title", "version", "authors", "url", "doi", "date-released", "license",
    "abstract", "keywords",
}  # fmt: skip


def checked(text):
    """Read it as the format's schema does: required keys, types, no other key."""
    values = yaml.safe_load(text)
    assert values["cff-version"] == "1.2.0" and values["type"] == "dataset"
    assert set(values) <= KEYS and {"message", "title", "authors"} <= set(values)
    for key in ("message", "title", "version", "url", "abstract", "license", "doi"):
        assert isinstance(values.get(key, "-"), str) and values.get(key, "-"), key
    assert values["authors"] and all(set(one) <= PERSON or set(one) == {"name"} for one in values["authors"])
    assert len(set(values["keywords"])) == len(values["keywords"])
    if "date-released" in values:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", values["date-released"])
    assert not re.search(r" $", text, re.MULTILINE)
    return values


def test_nothing_is_made_up(tiny, edition):
    made = edition(tiny)
    text = citation(made)
    values = checked(text)
    assert text.startswith("# Authors. Not stated: set [[release.authors]] in benchwright.toml.\n")
    assert values["authors"] == [{"name": "The authors of Tiny benchmark"}]
    assert (values["title"], values["version"]) == ("Tiny benchmark", "v1.2.0")
    assert values["url"] == "https://huggingface.co/datasets/org/tiny"
    assert not {"doi", "date-released", "license", "abstract"} & set(values)
    assert "year" not in bibtex(made)
    recipe = made.recipe.model_copy(
        update={"benchmark": made.recipe.benchmark.model_copy(update={"title": "R&D_1, 100 %"})}
    )
    assert r"title = {{R\&D\_1, 100 \%}}" in bibtex(replace(made, recipe=recipe))


def test_all_that_is_said_is_there(told, edition):
    made = edition(told)
    values = checked(citation(made))
    assert values["authors"] == [
        {
            "family-names": "O'Neill-Żak",
            "given-names": "Ada",
            "affiliation": "Lab: one",
            "orcid": "https://orcid.org/0000-0002-1825-0097",
        },
        {"name": "题库 Group"},
    ]
    assert values["abstract"] == 'Reading of diagrams: "and" what follows.'
    assert (values["license"], values["doi"]) == ("CC0-1.0", "10.5281/zenodo.1234567")
    assert values["date-released"] == "2026-03-01" and values["url"] == "https://data.example/tiny"
    entry = bibtex(made)
    assert "  author = {O'Neill-Żak, Ada and {题库 Group}},\n" in entry and "  year = {2026},\n" in entry


def test_odd_names_break_neither_format(tiny, edition):
    made = edition(tiny)
    odd = 'A {b} }: # | \\ %$_~^ <!-- c --> "d"\n- e'
    authors = (AuthorRecipe(family=odd, given="Al \\"), AuthorRecipe(name=odd), AuthorRecipe(name="yes"))
    science = made.figures.disciplines[0].model_copy(update={"name": "science"})
    made = replace(
        made,
        recipe=made.recipe.model_copy(
            update={
                "benchmark": made.recipe.benchmark.model_copy(update={"title": odd}),
                "release": made.recipe.release.model_copy(
                    update={"authors": authors, "url": "https://a.example/{x}_<y>"}
                ),
            }
        ),
        figures=made.figures.model_copy(update={"disciplines": (science,)}),
    )
    values = checked(citation(made))
    assert values["title"] == odd and [one.get("name") for one in values["authors"]] == [None, odd, "yes"]
    entry = bibtex(made)
    assert "<" not in entry and len(entry.splitlines()) == 6
    for line in entry.splitlines()[1:-1]:
        open_now = [line[:at].count("{") - line[:at].count("}") for at in range(1, len(line) + 1)]
        assert min(open_now) >= 0 and open_now[-1] == 0, line
    assert "url = {https://a.example/%7Bx%7D_%3Cy%3E}" in entry


@pytest.mark.parametrize(
    ("name", "spdx"),
    [
        ("CC BY-SA 4.0", "CC-BY-SA-4.0"),
        ("cc-by-nc-nd-3.0", "CC-BY-NC-ND-3.0"),
        ("mit license", "MIT"),
        ("other", None),
        ("house", None),
    ],
)
def test_licences_by_their_spdx_name(name, spdx):
    assert spdx_name(name) == spdx


@pytest.mark.skipif(not FORMATS, reason="BENCHWRIGHT_FORMATS_PYTHON names no interpreter with cffconvert")
def test_the_formats_own_validator_takes_it(tiny, told, edition, folder):
    validate = "import sys, cffconvert; cffconvert.Citation(sys.stdin.read()).validate()"
    for workspace in (tiny, told):
        text = citation(edition(workspace))
        run([FORMATS, "-I", "-c", validate], input=text, text=True, check=True, timeout=120)
    missing = text.replace("cff-version", "cff-versio")
    refused = run([FORMATS, "-I", "-c", validate], input=missing, text=True, timeout=120, capture_output=True)
    assert refused.returncode and missing != text

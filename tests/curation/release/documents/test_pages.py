"""Datasheet and data statement: a person's words where there are some, figures that are counted, nothing made up."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

import pytest

from benchwright.curation.release.documents.counted import drawn, tasks, varieties
from benchwright.curation.release.documents.pages import data_statement, datasheet
from benchwright.curation.release.rows import release_content
from benchwright.schemas.errors import RecipeError
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.recipe import RECIPE_NAME, Statement
from benchwright.schemas.records import Origin, Problem, Provenance
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

IN_DATASHEET = {
    "motivation", "measures", "funding", "collection", "people", "construction", "uses", "metric", "limitations",
    "biases", "impact", "contact", "retirement",
}  # fmt: skip
IN_STATEMENT = {"motivation", "varieties", "annotators", "collection", "limitations", "biases"}
THEMES = (
    "Motivation",
    "Composition",
    "Collection",
    "Preprocessing and labels",
    "Uses",
    "Distribution",
    "Maintenance",
)


def unsaid(text):
    return set(re.findall(r"Not stated: set \[release\.statements\] ([a-z]+)\.", text))


def test_what_nobody_said_is_named(tiny, edition):
    silent = edition(tiny)
    assert unsaid(datasheet(silent)) == IN_DATASHEET and unsaid(data_statement(silent)) == IN_STATEMENT
    assert "Not stated: set [[release.authors]]." in datasheet(silent)
    assert "Not stated: set date_released under [release]." in datasheet(silent)
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", datasheet(silent) + data_statement(silent)), "no clock"
    assert set(get_args(Statement)) - IN_DATASHEET - IN_STATEMENT == {"related"}, "the card has that one"


def test_a_persons_words_stand_where_they_belong(told, edition):
    said = edition(told)
    sheet, statement = datasheet(said), data_statement(said)
    assert "Not stated" not in sheet + statement
    for subject, words in told.recipe.release.statements.items():
        assert (words in sheet) == (subject in IN_DATASHEET), subject
        assert (words in statement) == (subject in IN_STATEMENT), subject
    assert "Ada O'Neill-Żak (Lab: one), 题库 Group" in sheet
    assert "DOI 10.5281/zenodo.1234567. **Since when?** 2026-03-01." in sheet
    assert [line[3:] for line in sheet.splitlines() if line.startswith("## ")] == list(THEMES)


def test_figures_are_counted(tiny, edition):
    made = edition(tiny)
    sheet, statement = datasheet(made), data_statement(made)
    assert "16 rows of 4 problems with 9 distinct pictures." in sheet
    assert "32 rows could not be made: 3 knowledge-free (no-decomposition)" in sheet
    assert "| discipline: biology | 2 | 50.0 |" in sheet and "| hand-made | CC0-1.0 | 4 |" in sheet
    assert "| difficulty | review | 1 |" in sheet
    assert "`testmini` copies" not in sheet and "`dev` is for few-shot prompts" in sheet
    assert [(one.language, one.problems, one.asked, one.translated) for one in varieties(made)] == [
        ("en", 3, 3, 0), ("zh", 2, 2, 0),
    ]  # fmt: skip
    assert drawn(made) == {"vision-rich": 2, "vision-only": 3}
    assert "| zh | 2 | 2 | 0 | 7 |" in statement and "3 pages of vision-only" in statement
    assert "dollar signs: en 0 of 9 rows, zh 0 of 7 rows. Topics: biology (2), physics (2)." in statement
    assert tasks(made) == () and "No figures of reviews are on record." in sheet


def test_what_a_source_has_in_two_languages_was_not_translated(tiny, edition):
    problems = read_records(tiny.problems, Problem)
    said = Provenance(field="question", language="zh", origin=Origin.REVIEW, by="A01")
    made = [
        one.model_copy(update={"provenance": (*one.provenance, said)}) if one.problem_id == "circuit" else one
        for one in problems
    ]
    translated = release_content(tiny, made).translated
    assert translated["circuit"] == {"zh"} and set().union(*translated.values()) == {"zh"}
    known = edition(tiny)
    known = replace(known, published=replace(known.published, translated=translated))
    found = {one.language: (one.asked, one.translated) for one in varieties(known)}
    assert found == {"en": (3, 0), "zh": (1, 1)}
    assert "Translated into zh: 1 problem. " in datasheet(known)


def test_machines_are_named_and_no_place_of_this_one(tiny, edition):
    lines = [
        Proposal(
            job="tagging", item_id="cell", language=None, field=name, digest="0" * 64, value=1, model=model
        )
        for name, model in (
            ("subject", "local/home/anna/models/Small-7B"),
            ("difficulty", "openai/large"),
            ("knowledge_points", "source"),
        )
    ]
    write_jsonl(tiny.proposals("tagging"), lines)
    tiny.proposals_rejected("tagging").write_text("")
    made = edition(tiny)
    assert made.machines == {"tagging": ("local/Small-7B", "openai/large")}
    assert "tagging: local/Small-7B, openai/large" in datasheet(made)
    assert "tagging by local/Small-7B, openai/large" in data_statement(made)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[[release.authors]]\ngiven = 'Ada'", "a name .* or a family name"),
        ("[[release.authors]]\nname = 'Lab'\nfamily = 'Żak'", "a name .* or a family name"),
        ("[[release.authors]]\nname = 'Lab'\ngiven = 'Ada'", "belong to a person"),
        (
            "[[release.authors]]\nfamily = 'Żak'\norcid = '0000-0002-1825-0097'",
            r"release\.authors\.0\.orcid",
        ),
        ("[release]\ndoi = 'https://doi.org/10.1/x'", r"release\.doi"),
        ("[release]\ndate_released = 'in March'", r"release\.date_released"),
        ("[release.statements]\nmood = 'good'", r"release\.statements"),
    ],
)
def test_a_recipe_that_cannot_be_cited_is_one_sentence(tiny, line, message):
    recipe = tiny.root / RECIPE_NAME
    recipe.write_text(f"{recipe.read_text()}\n{line}\n", encoding="utf-8")
    with pytest.raises(RecipeError, match=message):
        Workspace.find(tiny.root)

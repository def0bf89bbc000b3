"""What sources allow, which licence the whole may have, and LICENSES.md."""

from __future__ import annotations

import pytest

from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.licences import (
    known_rights,
    normal_name,
    release_licence,
    render_licenses,
    terms_of,
)
from benchwright.schemas.recipe import SourceRecipe
from benchwright.schemas.workspace import Workspace


@pytest.fixture
def rows(tiny):
    return checked_content(tiny)[0].rows


def under(rows, *licences):
    """The rows of each problem under one of the licences in turn, from a source named after it."""
    names = {
        name: licences[place % len(licences)]
        for place, name in enumerate(sorted({r.problem_id for r in rows}))
    }
    return [
        row.model_copy(
            update={"source_license": names[row.problem_id], "source": f"set {names[row.problem_id]}"}
        )
        for row in rows
    ]


@pytest.mark.parametrize(
    ("licence", "adapt", "commercial", "share_alike", "attribution"),
    [
        ("CC0-1.0", "yes", "yes", "no", "no"),
        ("CC BY 4.0", "yes", "yes", "no", "yes"),
        ("cc-by-sa-4.0", "yes", "yes", "yes", "yes"),
        ("CC-BY-NC-SA-3.0", "yes", "no", "yes", "yes"),
        ("CC-BY-NC-ND-4.0", "no", "no", "no", "yes"),
        ("MIT License", "yes", "yes", "no", "yes"),
        ("apache_2.0", "yes", "yes", "no", "yes"),
    ],
)
def test_licences_that_are_known_by_name(licence, adapt, commercial, share_alike, attribution):
    said = known_rights(licence)
    assert (said["adapt"], said["commercial"]) == (adapt, commercial)
    assert (said["share_alike"], said["attribution"]) == (share_alike, attribution)
    assert said["redistribute"] == "yes"


@pytest.mark.parametrize("licence", ["", "unknown", "research only", "cc-by-x-4.0", "CC", "MIT-ish"])
def test_nothing_is_known_of_others(licence):
    assert known_rights(licence) == {}


def test_the_recipe_goes_before_the_name(rows):
    terms = terms_of(
        under(rows, "MIT"), {"set MIT": SourceRecipe(adapt="no", credit="A. Author", url="https://a.example")}
    )
    assert [(one.adapt, one.redistribute, one.credit, one.problems) for one in terms] == [
        ("no", "yes", "A. Author", 4)
    ]
    assert terms_of(under(rows, "ours"), {})[0].unknown == (
        "redistribute", "adapt", "commercial", "share_alike", "attribution",
    )  # fmt: skip


def test_share_alike_fixes_the_licence_or_splits_it(rows):
    fixed = release_licence("other", terms_of(under(rows, "CC-BY-SA-4.0"), {}))
    assert fixed.license == "cc-by-sa-4.0" == normal_name("CC BY-SA 4.0")
    split = release_licence("other", terms_of(under(rows, "CC-BY-SA-4.0", "MIT"), {}))
    assert split.license == "other" and "CC-BY-SA-4.0" in split.sentence
    assert release_licence("other", terms_of(under(rows, "MIT"), {})).license == "other"
    assert release_licence("mit", terms_of(under(rows, "MIT"), {})).license == "mit"


def test_who_has_to_be_named_is_printed(rows):
    said = {
        "set CC-BY-4.0": SourceRecipe(credit="Drawings by B. Body | C. Cell", url="https://b.example/terms")
    }
    terms = terms_of(under(rows, "CC-BY-4.0", "CC0-1.0", "ours"), said)
    text = render_licenses(release_licence("other", terms), terms)
    assert "| set CC-BY-4.0 | CC-BY-4.0 | 2 | yes | yes | yes | no | yes |" in text
    assert "| set ours | ours | 1 | unknown | unknown | unknown | unknown | unknown |" in text
    named = text.split("## Attribution")[1]
    assert "- Drawings by B. Body \\| C. Cell, CC-BY-4.0, <https://b.example/terms>." in named
    assert "- Questions from set ours, ours." in named, "unknown is no reason not to name somebody"
    assert "CC0-1.0" not in named


def test_the_card_has_the_licence_that_the_sources_fix(tiny):
    recipe = tiny.root / "benchwright.toml"
    recipe.write_text(
        recipe.read_text() + '\n[sources."hand-made"]\ncredit = "Made by hand"\nattribution = "yes"\n'
    )
    workspace = Workspace.find(tiny.root)
    content, findings = checked_content(workspace)
    assert findings == ()
    folder = build_release(workspace, "v1.0.0", "org/tiny", content).folder
    assert "- Made by hand, CC0-1.0." in (folder / "LICENSES.md").read_text()
    assert "license: other" in (folder / "README.md").read_text()

"""The tiny release as its documents see it, told nothing by its recipe or told everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.curation.release.build import checked_content
from benchwright.curation.release.checklist import checklist
from benchwright.curation.release.edition import Edition
from benchwright.curation.release.withheld import keep_back
from benchwright.schemas.recipe import RECIPE_NAME
from benchwright.schemas.workspace import Workspace

TOLD = """
[release]
license = "cc0-1.0"
doi = "10.5281/zenodo.1234567"
url = "https://data.example/tiny"
date_released = 2026-03-01
[[release.authors]]
family = "O'Neill-Żak"
given = "Ada"
affiliation = "Lab: one"
orcid = "https://orcid.org/0000-0002-1825-0097"
[[release.authors]]
name = "题库 Group"
[release.statements]
motivation = "There was none of its kind."
measures = "Reading of diagrams: \\"and\\" what follows."
funding = "The lab paid."
collection = "Written by hand in spring."
varieties = "British English; Mandarin as written in Beijing."
annotators = "Two teachers, paid by the hour."
people = "Four teachers."
biases = "Few subjects."
impact = "Little."
limitations = "Four problems."
uses = "Tests, and no teaching."
metric = "Share of right answers."
construction = "By hand."
contact = "help@lab.example"
retirement = "In ten years."
related = "None."
"""


@pytest.fixture
def told(tiny: Workspace) -> Workspace:
    """The tiny workspace with a recipe that says everything."""
    recipe = tiny.root / RECIPE_NAME
    recipe.write_text(recipe.read_text(encoding="utf-8") + TOLD, encoding="utf-8")
    return Workspace.find(tiny.root)


@pytest.fixture
def edition() -> Callable[[Workspace], Edition]:
    """Gathers what a workspace's documents are made from, with all answers."""

    def gather(workspace: Workspace) -> Edition:
        content, findings = checked_content(workspace)
        assert findings == ()
        checked = checklist(content, workspace, findings, published=True)
        return Edition.of(workspace, "v1.2.0", "org/tiny", content, keep_back(content.rows, (), {}), checked)

    return gather


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder beside the workspace."""
    path = tmp_path / "beside"
    path.mkdir()
    return path

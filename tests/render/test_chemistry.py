"""Sixty chemical formulas of our own, looked at one by one (docs/acceptance/typeset-side-by-side.txt)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchwright.render.formula import Typesetter

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "chemistry.jsonl").read_text("utf-8").splitlines()
]


def test_there_are_sixty() -> None:
    assert len(CASES) == len({case["tex"] for case in CASES}) == 60


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["tex"])
def test_a_chemical_formula_is_drawn_by_the_engine_that_knows_chemistry(
    typesetter: Typesetter, case: dict[str, str]
) -> None:
    formula = typesetter.formula(case["tex"], 40)
    assert formula.mask is not None and formula.warnings == ()
    assert formula.engine == ("mathjax" if re.search(r"\\(?:ce|pu)\{", case["tex"]) else "mathra")


def test_no_markup_of_a_formula_is_drawn_as_text(typesetter: Typesetter) -> None:
    """Braces, backslashes and dollars would be glyphs of their own: no drawing has the shapes that they have."""
    shapes = set()
    for markup in (r"\{", r"\}", r"\backslash", r"\$"):
        shapes |= set(re.findall(r' d="([^"]+)"', typesetter.fallback.draw(markup, False).body))
    assert len(shapes) >= 4
    for case in CASES:
        drawn = set(re.findall(r' d="([^"]+)"', typesetter.fallback.draw(case["tex"], False).body))
        assert not drawn & shapes, case["tex"]

"""Acceptance B and H on the real pool: every page judged, by language, source and style; marks touch no ink."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from benchwright.render.check import gate_for
from benchwright.render.font import BUNDLED
from benchwright.render.legibility import Gate
from benchwright.schemas.recipe import StyleName
from benchwright.schemas.records import Problem

from .gate_sets import Store, real_problems
from .pool_rates import (
    NO_VERSION,
    NOT_DRAWN,
    PASSED,
    RichRow,
    accuracy,
    details,
    failed_share,
    judged_pool,
    judged_rich,
    line_problems,
    passed_share,
    rich_table,
    table,
)
from .test_legibility_long import needs_reader
from .test_real_input import needs_data


def rich_rows(
    problems: Iterable[tuple[Problem, Store]], floor: int, gate: Gate | None = None
) -> list[RichRow]:
    """Every vision-rich picture of real problems: no changed pixel meets the drawing's own ink."""
    rows = list(judged_rich(problems, gate))
    drawn = [row for row in rows if row.state not in (NO_VERSION, NOT_DRAWN)]
    failed = sum(row.state == NOT_DRAWN for row in rows)
    assert len(drawn) >= floor
    assert failed <= 0.02 * (len(drawn) + failed)
    assert [row.item for row in drawn if row.covered] == []
    return rows


@needs_data
def test_marks_on_a_sample_of_real_drawings_leave_their_ink_alone() -> None:
    rich_rows(real_problems(80), 4)


@needs_data
@needs_reader
@pytest.mark.long
def test_marks_on_all_real_drawings_leave_their_ink_alone_and_are_legible(tmp_path: Path) -> None:
    # Eighteen of the 500 stay text: their options are the pictures, and a mark on one would point it out.
    rows = rich_rows(line_problems(tmp_path), 480, gate_for(BUNDLED))
    print(rich_table(rows))
    assert sum(row.meant > 0 for row in rows) >= 500
    drawn = [row for row in rows if row.state not in (NO_VERSION, NOT_DRAWN)]
    assert sum(row.state == PASSED for row in drawn) >= 0.98 * len(drawn)


@needs_data
@needs_reader
@pytest.mark.long
@pytest.mark.parametrize("style", ["clean", "exam", "phone-photo"])
def test_pages_of_the_real_pool_pass_the_gate(style: StyleName) -> None:
    rows = list(judged_pool(style))
    print(table(rows))
    print(details(rows))
    assert failed_share(rows) <= 0.02
    assert passed_share(rows) >= 0.98
    assert accuracy(rows) >= 0.995

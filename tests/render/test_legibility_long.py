"""Acceptance C: the gate is judged both ways on thousands of lines; the log is `docs/acceptance/legibility.txt`."""

from __future__ import annotations

from itertools import chain, islice

import pytest

from benchwright.render.check import gate_for
from benchwright.render.font import BUNDLED
from benchwright.render.legibility_read import missing_packages
from benchwright.schemas.recipe import StyleName

from .gate_rates import rates, report
from .gate_sets import example_problems, pages, real_problems
from .test_real_input import needs_data

needs_reader = pytest.mark.skipif(
    bool(missing_packages()), reason=f"not installed: {', '.join(missing_packages())}"
)


@needs_reader
@needs_data
@pytest.mark.long
@pytest.mark.parametrize(
    ("style", "step", "first", "examples", "good", "damaged"),
    [("clean", 9, 0, 60, 2000, 1000), ("exam", 30, 0, 0, 300, 200), ("phone-photo", 30, 11, 0, 300, 200)],
)
def test_the_gate_is_right_both_ways(
    style: StyleName, step: int, first: int, examples: int, good: int, damaged: int
) -> None:
    gate = gate_for(BUNDLED)
    sources = [pages(real_problems(step, first), "real", style)]
    if examples:
        sources.append(pages(islice(example_problems(), examples), "examples", style))
    halves = rates(gate, chain(*sources))
    print(report(f"{style}, {gate.thresholds.model_dump_json()}", halves))
    for half in halves.values():
        print(*half.alarms, *half.missed, sep="\n  ")
    test = halves[False]
    assert halves[True].good + test.good >= good
    assert halves[True].damaged.total() + test.damaged.total() >= damaged
    assert test.false_alarm_rate <= 0.01
    assert test.caught_rate >= 0.99

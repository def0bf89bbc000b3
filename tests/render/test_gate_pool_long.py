"""Acceptance B and H on the real pool: every page judged, by language, source and style; marks touch no ink."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

from benchwright.curation.proposers.decomposition_rules import decompose
from benchwright.render.check import gate_for
from benchwright.render.compose import Rendered, render_vision_only, render_vision_rich, typesetter_for
from benchwright.render.font import BUNDLED
from benchwright.render.job import RULE_REASONS
from benchwright.render.legibility_marks import covered_drawings
from benchwright.render.legibility_result import GateState
from benchwright.render.legibility_scene import scene
from benchwright.render.style import LOOKS, RenderStyle
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Problem

from .gate_sets import Store, real_problems
from .test_legibility_long import needs_reader
from .test_real_input import needs_data


def decomposed(problem: Problem) -> Problem:
    """The problem as the embedded decomposer splits it."""
    text = problem.texts[problem.language]
    made = decompose(text, problem.language, problem.images, discipline=problem.discipline)
    changed = text.model_copy(update={"decomposition": made.decomposition})
    return problem.model_copy(update={"texts": {problem.language: changed}})


def rich_pictures(step: int, counts: Counter[str]) -> Iterator[tuple[Problem, Store, Rendered]]:
    for problem, store in real_problems(step):
        split = decomposed(problem)
        decomposition = split.texts[split.language].decomposition
        assert decomposition is not None
        counts["conditions"] += len(decomposition.conditions)
        try:
            rendered = render_vision_rich(split, split.language, store.__getitem__, RenderStyle())
        except ItemError as error:
            counts["no such version" if error.reason in RULE_REASONS else "failed"] += 1
            counts[error.reason] += 1
            continue
        counts["pictures"] += 1
        counts["shown"] += len(rendered.sidecar.shown)
        counts["text-changed"] += rendered.sidecar.text_changed
        yield split, store, rendered


def require_untouched_ink(step: int, floor: int) -> Counter[str]:
    """Every vision-rich picture of the real pool: no changed pixel meets the drawing's own ink."""
    counts: Counter[str] = Counter()
    for problem, store, rendered in rich_pictures(step, counts):
        before = scene(rendered.sidecar, store.__getitem__, typesetter_for()).before
        with Image.open(io.BytesIO(rendered.png)) as picture:
            after = np.asarray(picture.convert("RGB"))
        assert covered_drawings(rendered.sidecar, before, after) == 0, problem.problem_id
    assert counts["pictures"] >= floor
    assert counts["failed"] <= 0.02 * (counts["pictures"] + counts["failed"])
    return counts


@needs_data
def test_marks_on_a_sample_of_real_drawings_leave_their_ink_alone() -> None:
    require_untouched_ink(80, 4)


@needs_data
@pytest.mark.long
def test_marks_on_all_real_drawings_leave_their_ink_alone() -> None:
    print("vision-rich, whole pool:", dict(require_untouched_ink(1, 300)))


@needs_data
@needs_reader
@pytest.mark.long
@pytest.mark.parametrize(("style", "step"), [("clean", 1), ("exam", 8), ("phone-photo", 8)])
def test_pages_of_the_real_pool_pass_the_gate(style: str, step: int) -> None:
    gate = gate_for(BUNDLED)
    look = RenderStyle(name=style, look=LOOKS[style])  # type: ignore[arg-type, index]
    states: Counter[str] = Counter()
    groups: dict[str, Counter[str]] = {}
    characters = errors = failed = 0
    for problem, store in real_problems(step):
        try:
            rendered = render_vision_only(problem, problem.language, store.__getitem__, look)
        except ItemError as error:
            failed += 1
            states[f"not drawn: {error.reason}"] += 1
            continue
        verdict = gate.judge(rendered.sidecar, rendered.png, store.__getitem__)
        states[verdict.state.value] += 1
        for group in (problem.language, problem.source):
            groups.setdefault(group, Counter())[verdict.state.value] += 1
        characters, errors = characters + verdict.characters, errors + verdict.errors
        if verdict.codes:
            wrong = [line.expected for line in verdict.lines if line.codes]
            print(problem.problem_id, verdict.codes, json.dumps(wrong, ensure_ascii=False))
    accuracy = 1 - errors / characters
    print(style, dict(states), f"characters read back {100 * accuracy:.3f} % of {characters}")
    for group, found in sorted(groups.items()):
        print("  ", group, dict(found))
    judged = states[GateState.PASSED.value] + states[GateState.FAILED.value]
    assert states[GateState.PASSED.value] >= 0.98 * judged
    assert failed <= 0.02 * (judged + failed)
    assert accuracy >= 0.995

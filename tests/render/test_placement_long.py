"""Real drawings with their own labels read: marks placed by what is written there leave the drawing's ink alone."""

from __future__ import annotations

import io
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from benchwright.curation.proposers.decomposition_rules import decompose
from benchwright.render.compose import render_vision_rich
from benchwright.render.legibility_marks import covered_ink
from benchwright.render.legibility_read import reader
from benchwright.render.placement_diagram import Diagram
from benchwright.render.placement_marks import place_marks, to_be_placed, with_placements
from benchwright.render.placement_names import diagram_labels
from benchwright.render.style import RenderStyle

from .gate_sets import real_problems
from .test_legibility_long import needs_reader
from .test_real_input import needs_data


@needs_data
@needs_reader
@pytest.mark.long
def test_marks_placed_by_a_drawings_own_labels_leave_its_ink_alone() -> None:
    places: Counter[str] = Counter()
    for problem, store in real_problems(12):
        text = problem.texts[problem.language]
        split = decompose(text, problem.language, problem.images, discipline=problem.discipline).decomposition
        if not to_be_placed(split) or len(problem.images) != 1:
            continue
        (ref,) = problem.images
        labels = {ref.sha256: diagram_labels(store[ref.sha256], reader())}
        placements = place_marks((ref,), store.__getitem__, split, labels=labels)
        places.update(mark.place for mark in placements.marks)
        assert not placements.unplaced, problem.problem_id
        changed = text.model_copy(update={"decomposition": with_placements(split, placements)})
        placed = problem.model_copy(update={"texts": {problem.language: changed}})
        rendered = render_vision_rich(placed, problem.language, store.__getitem__, RenderStyle())
        assert not rendered.sidecar.text_changed, problem.problem_id
        before = np.asarray(Diagram.load(ref, store[ref.sha256]).base.convert("RGB"))
        box = rendered.sidecar.diagrams[0].box
        with Image.open(io.BytesIO(rendered.png)) as picture:
            after = np.asarray(picture.convert("RGB"))[box.y : box.y + box.height, box.x : box.x + box.width]
        assert covered_ink(before, after) == 0, problem.problem_id
    print("places, labels read:", dict(places))
    assert sum(places.values()) >= 40 and places["named"] + places["already-there"] >= 1

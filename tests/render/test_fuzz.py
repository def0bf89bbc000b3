"""No crash, no hang, no silent box: a page, or a refusal with one of the known reasons."""

from __future__ import annotations

import re
import time
from collections import Counter

import pytest

from benchwright.render.compose import render_vision_only, typesetter_for
from benchwright.render.font import load_font
from benchwright.render.sidecar import Sidecar
from benchwright.render.style import LOOKS, RenderStyle
from benchwright.schemas.errors import ItemError
from benchwright.schemas.records import Choice, LocalizedText, Problem, QuestionType

from .fuzz_texts import fuzz_text

REASONS = {
    *(
        "missing-glyph",
        "right-to-left",
        "formula",
        "formula-too-long",
        "formula-too-wide",
        "table",
        "too-long",
        "empty",
    ),
    "beyond-margin",
}
LIMIT_S = 5.0
STYLES = tuple(
    RenderStyle(name=name, look=look, width=560, font_px=16)
    for name, look in LOOKS.items()
    if name != "phone-photo"
)


def problem(number: int) -> Problem:
    texts = [fuzz_text(number)]
    options = [fuzz_text(8 * number + k + 1) for k in range(2)] if number % 5 == 0 else []
    choices = tuple(Choice(label="AB"[i], text=option) for i, option in enumerate(options))
    text = LocalizedText(question=texts[0], choices=choices, answer="A")
    return Problem(
        problem_id=f"fuzz-{number}",
        question_id=f"fuzz-{number}",
        source="fuzz",
        source_license="CC0-1.0",
        discipline="any",
        subject="any",
        difficulty=1,
        language="en",
        texts={"en": text},
        question_type=QuestionType.FREE_FORM,
        source_texts={"en": text},
        source_question_type=QuestionType.FREE_FORM,
    )


def drawn_boxes(sidecar: Sidecar) -> list[str]:
    """What was drawn as a placeholder: characters the font lacks, formulas with the engine's box for such a one."""
    font = load_font()
    lost = [run.text for run in sidecar.runs if font.missing(run.text)]
    for formula in sidecar.formulas:
        if formula.engine == "mathra" and not re.search(r"\\square|\\Box|□", formula.tex):
            body = typesetter_for().drawing(formula.tex, formula.display).body
            if re.search(rf'<use href="#[^"]*-{box_glyph()}"', body):
                lost.append(formula.tex)
    return lost


def box_glyph() -> str:
    """The main engine's name of the glyph it draws for what it lacks."""
    import mathra

    uses = re.findall(r'<use href="#[^"]*-(g\d+)"', mathra.render("\\text{\U000e0123}", display=False)["svg"])
    return str(uses[0])


def survive(numbers: range) -> Counter[str]:
    ends: Counter[str] = Counter()
    for number in numbers:
        made = problem(number)
        start = time.process_time()
        try:
            rendered = render_vision_only(made, "en", {}.__getitem__, STYLES[number % len(STYLES)])
        except ItemError as error:
            assert error.reason in REASONS, (number, error)
            assert error.detail or error.reason == "empty", number
            ends[error.reason] += 1
        else:
            assert not drawn_boxes(rendered.sidecar), number
            ends["drawn"] += 1
        assert time.process_time() - start < LIMIT_S, number
    return ends


def test_a_thousand_texts_that_nobody_would_write() -> None:
    ends = survive(range(1000))
    assert ends["drawn"] > 150 and ends["missing-glyph"] > 50 and ends["formula"] > 50, ends


@pytest.mark.long
def test_twenty_thousand_texts_that_nobody_would_write() -> None:
    ends = survive(range(20_000))
    print("fuzz, 20,000 texts:", dict(sorted(ends.items())))
    assert ends["drawn"] > 3000


def test_the_box_of_the_main_engine_is_recognised() -> None:
    import mathra

    assert f'-{box_glyph()}"' in mathra.render("\\text{中}", display=False)["svg"]
    assert f'-{box_glyph()}"' not in mathra.render("\\text{a}", display=False)["svg"]

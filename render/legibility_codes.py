"""From what was measured to what is wrong: the only place where thresholds meet measures."""

from __future__ import annotations

from benchwright.render.legibility_formula import widths_agree
from benchwright.render.legibility_result import FormulaVerdict, InkMeasure, LineVerdict
from benchwright.render.legibility_thresholds import Thresholds


def line_codes(line: LineVerdict, limits: Thresholds, photo: bool) -> tuple[str, ...]:
    """What is wrong with a text line.

    Args:
        line: what was measured; its own codes are not looked at.
        limits: the thresholds.
        photo: the page is a photograph.
    """
    found = {
        "misread": line.read is not None and line.errors > limits.misread + line.unknown,
        "too-small": 0 < line.px < limits.smallest_text,
        "ink-collides": line.collisions > limits.collisions,
        **_ink_codes(line.ink, limits, photo),
    }
    return tuple(code for code, holds in found.items() if holds)


def formula_codes(
    formula: FormulaVerdict, other: float | None, limits: Thresholds, photo: bool
) -> tuple[str, ...]:
    """What is wrong with a formula.

    Args:
        formula: what was measured.
        other: its width in em by the second engine; None where there is no second opinion.
        limits: the thresholds.
        photo: the page is a photograph.
    """
    agree = other is None or widths_agree(
        formula.width, other, limits.width_low, limits.width_high, limits.width_slack
    )
    found = {
        "formula-width": not agree,
        "formula-outside-box": formula.outside,
        "too-small": formula.px < limits.smallest_formula,
        "ink-collides": formula.collisions > limits.collisions,
        **_ink_codes(formula.ink, limits, photo),
    }
    return tuple(code for code, holds in found.items() if holds)


def _ink_codes(ink: InkMeasure, limits: Thresholds, photo: bool) -> dict[str, bool]:
    """The same for lines and formulas."""
    if photo:
        return {
            "low-contrast": _below(ink.contrast, limits.photo_contrast),
            "ink-differs": _below(ink.likeness, limits.photo_likeness) or ink.differing > limits.differing,
            "blurred": _below(ink.sharpness, limits.photo_sharpness),
        }
    return {
        "low-contrast": _below(ink.contrast, limits.contrast),
        "ink-differs": ink.differing > limits.differing,
        "blurred": _below(ink.sharpness, limits.sharpness),
    }


def _below(value: float | None, limit: float) -> bool:
    return value is not None and value < limit

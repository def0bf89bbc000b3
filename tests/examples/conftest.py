"""What several tests share: the cleanliness check of a diagram, and the comparison of an answer with a second way."""

from __future__ import annotations

import ast
import io
import math
import operator
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from benchwright.examples.canvas import Box, Drawing, rasterise
from benchwright.examples.problem import ExampleProblem
from benchwright.examples.registry import all_problems, makers
from benchwright.schemas.records import QuestionType

Expected = float | str | tuple[float, ...]

INK_DISTANCE = 40
"""Grey levels from white at which a pixel counts as ink, as the renderer's."""
TEXT_PIXELS = 32
"""Height of the renderer's text; a spot must take a line of it."""


def inked(pixels: npt.NDArray[np.uint8], box: Box, margin: int = 0) -> int:
    """Dark pixels in a box, its border widened by a margin."""
    height, width, _ = pixels.shape
    left, right = round(box.x * width) - margin, round((box.x + box.w) * width) + margin
    top, bottom = round(box.y * height) - margin, round((box.y + box.h) * height) + margin
    part = pixels[max(top, 0) : bottom, max(left, 0) : right]
    return int((part.min(axis=2) < 255 - INK_DISTANCE).sum())


def overlap(a: Box, b: Box) -> bool:
    return a.x < b.x + b.w and b.x < a.x + a.w and a.y < b.y + b.h and b.y < a.y + a.h


def inside(box: Box) -> bool:
    return box.x >= 0 and box.y >= 0 and box.x + box.w <= 1 and box.y + box.h <= 1


def check_labels(drawing: Drawing) -> None:
    bare = rasterise(drawing.svg_bare)
    for i, label in enumerate(drawing.labels):
        assert inside(label.box), label
        if not label.patched:
            assert inked(bare, label.box) == 0, label
        for other in drawing.labels[i + 1 :]:
            assert not overlap(label.box, other.box), (label, other)


def check_spots(drawing: Drawing) -> None:
    with Image.open(io.BytesIO(drawing.png)) as image:
        pixels = np.asarray(image.convert("RGB"))
    spots = list(drawing.spots.items())
    for i, (name, spot) in enumerate(spots):
        assert inside(spot.box), name
        assert spot.box.h * drawing.height >= 1.3 * TEXT_PIXELS, name
        assert inked(pixels, spot.box, margin=3) == 0, name
        for other, second in spots[i + 1 :]:
            assert not overlap(spot.box, second.box), (name, other)


@pytest.fixture
def clean() -> Callable[[Drawing], None]:
    """Fails where a label lies on ink or on another label, or where a spot is not free ground."""

    def check(drawing: Drawing) -> None:
        check_labels(drawing)
        check_spots(drawing)

    return check


def ids_of(*modules: ModuleType) -> set[str]:
    names = {module.__name__ for module in modules}
    return {p.id for maker, p in zip(makers(), all_problems(), strict=True) if maker.__module__ in names}


@pytest.fixture
def second_ways() -> Callable[..., None]:
    """Fails where a problem of the modules has no second way, or one without other parameters."""

    def check(second: dict[str, tuple[Any, ...]], *modules: ModuleType) -> None:
        assert set(second) == ids_of(*modules)
        assert all(others for _, *others in second.values())

    return check


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each parameter set of each entry of the module's `SECOND`; the first is the problem as shipped."""
    if "recompute" not in metafunc.fixturenames:
        return
    second = metafunc.module.SECOND
    found = []
    for maker, problem in zip(makers(), all_problems(), strict=True):
        if problem.id in second:
            solve, *others = second[problem.id]
            found.append(pytest.param((lambda problem=problem: problem, solve, {}), id=f"{problem.id}-0"))
            for number, parameters in enumerate(others, start=1):
                found.append(pytest.param((maker, solve, parameters), id=f"{problem.id}-{number}"))
    metafunc.parametrize("case", found)


@pytest.fixture
def recompute(
    case: tuple[Callable[..., ExampleProblem], Callable[..., Expected], dict[str, Any]],
    clean: Callable[[Drawing], None],
) -> Callable[[], None]:
    """Fails where the answer is not the second way's in both languages, or the diagram is not clean."""

    def check() -> None:
        maker, solve, parameters = case
        problem = maker(**parameters)
        if parameters:  # the diagrams as shipped are looked at in test_drawings
            clean(problem.drawing)
        assert parameters.items() <= dict(problem.parameters).items()
        expected = solve(problem.parameters)
        for language in ("en", "zh"):
            compare(problem, language, expected)

    return check


def compare(problem: ExampleProblem, language: str, expected: Expected) -> None:
    text = problem.texts[language]
    if problem.question_type is QuestionType.MULTIPLE_SELECT:
        assert text.answer == expected
    elif problem.question_type is QuestionType.MULTI_PART:
        assert isinstance(expected, tuple)
        assert part_numbers(text.answer) == pytest.approx(expected, rel=1e-6)
    elif problem.question_type is QuestionType.FREE_FORM:
        assert float(text.answer) == pytest.approx(expected, rel=1e-4)
    elif isinstance(expected, str):
        if language == "en":
            assert right_option(problem, language) == expected
    else:
        number, tolerance = number_of(right_option(problem, language))
        assert number == pytest.approx(expected, abs=tolerance + 1e-4 * abs(number))


def right_option(problem: ExampleProblem, language: str) -> str:
    text = problem.texts[language]
    return next(c.text for c in text.choices if c.label == text.answer and c.text is not None)


def part_numbers(answer: str) -> list[float]:
    parts = re.split(r"[;；]?\s*\(\d\)\s*", answer)[1:]
    return [float(found.group()) for part in parts if (found := re.match(r"-?[\d.]+", part))]


def number_of(tex: str) -> tuple[float, float]:
    """The number that an option states, and half a unit of its last printed decimal (0 for whole numbers)."""
    body = re.sub(r"\\ ?\\mathrm\{.*\}|\\,\\%|\^\\circ|[$]|个|种|尾", "", tex).strip()
    decimals = re.findall(r"\d+\.(\d+)", body)
    body = re.sub(r"\\frac\{([^{}]*(?:\{[^{}]*\})?)\}\{(\d+)\}", r"((\1)/\2)", body)
    body = re.sub(r"(?<=\d)\\sqrt", r"*\\sqrt", body)
    body = re.sub(r"\\sqrt\{(\d+)\}", r"(\1**0.5)", body)
    body = re.sub(r"(?<=\d)\\pi", f"*{math.pi}", body)
    body = re.sub(r"\\times 10\^(\d+)", r"*10**\1", body)
    scale = 1e5 if "10**5" in body else 1.0
    tolerance = 0.51 * 10 ** -len(decimals[0]) * scale if decimals else 0.0
    return evaluate(ast.parse(body, mode="eval").body), tolerance


def evaluate(node: ast.expr) -> float:
    operations = {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
    }
    if isinstance(node, ast.Constant):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.UnaryOp):
        return -evaluate(node.operand)
    assert isinstance(node, ast.BinOp)
    left, right = evaluate(node.left), evaluate(node.right)
    return left**right if isinstance(node.op, ast.Pow) else operations[type(node.op)](left, right)

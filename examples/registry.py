"""All examples: the modules' problems, in one order.

To add a problem, write a function of its parameters that returns an `ExampleProblem`, name it in its module's
`PROBLEMS`, and give `tests/examples/test_answers.py` a second way to its answer; every other test finds it by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType

from benchwright.examples import (
    biology_life,
    biology_nature,
    chemistry_matter,
    chemistry_reactions,
    mathematics_figures,
    mathematics_functions,
    physics_fields,
    physics_mechanics,
)
from benchwright.examples.problem import ExampleProblem

Maker = Callable[..., ExampleProblem]
MODULES: tuple[ModuleType, ...] = (
    mathematics_figures,
    mathematics_functions,
    physics_mechanics,
    physics_fields,
    chemistry_reactions,
    chemistry_matter,
    biology_life,
    biology_nature,
)


@cache
def all_problems() -> tuple[ExampleProblem, ...]:
    """Every example with its default parameters.

    Raises:
        ValueError: two problems share an id.
    """
    problems = tuple(maker() for maker in makers())
    ids = [problem.id for problem in problems]
    if len(set(ids)) != len(ids):
        raise ValueError(f"examples share an id: {sorted({i for i in ids if ids.count(i) > 1})}")
    return problems


def makers() -> tuple[Maker, ...]:
    """The functions that make the examples, in the same order."""
    found: list[Maker] = []
    for module in MODULES:
        found.extend(module.PROBLEMS)
    return tuple(found)

"""All examples: the modules' problems, in one order.

To add a problem, write a function of its parameters that returns an `ExampleProblem`, name it in its module's
`PROBLEMS`, and give its answer a second way in `tests/examples/test_answers_*.py`; every other test finds it by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import ModuleType

from benchwright.examples import (
    biology_life,
    biology_nature,
    biology_numbers,
    biology_parts,
    biology_populations,
    chemistry_cells,
    chemistry_changes,
    chemistry_equilibria,
    chemistry_matter,
    chemistry_reactions,
    chemistry_structures,
    mathematics_chance,
    mathematics_data,
    mathematics_figures,
    mathematics_functions,
    mathematics_space,
    physics_electricity,
    physics_fields,
    physics_forces,
    physics_heat,
    physics_light,
    physics_measuring,
    physics_mechanics,
    physics_motion,
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
    # The modules above hold the first sixty; golden pages name those by number, so that new ones come after them.
    mathematics_space,
    mathematics_data,
    mathematics_chance,
    physics_forces,
    physics_motion,
    physics_heat,
    physics_electricity,
    physics_light,
    physics_measuring,
    chemistry_structures,
    chemistry_changes,
    chemistry_cells,
    chemistry_equilibria,
    biology_parts,
    biology_numbers,
    biology_populations,
)


@cache
def all_problems() -> tuple[ExampleProblem, ...]:
    """Every example with its default parameters.

    Raises:
        ValueError: two problems share an id.
    """
    # Encoding a picture lets go of the interpreter, rasterising does not: with a few threads the two overlap.
    with ThreadPoolExecutor(4) as pool:
        problems = tuple(pool.map(lambda maker: maker(), makers()))
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

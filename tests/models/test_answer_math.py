"""math-verify in its own process: what it may decide, what it never sees, and what happens when it hangs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from benchwright.models.answer_compare import Match
from benchwright.models.answer_math import MathVerify, as_expression, may_hold_a_unit

pytestmark = pytest.mark.skipif(
    find_spec("math_verify") is None, reason="math-verify is not installed (pip install 'benchwright[math]')"
)


@pytest.fixture(scope="module")
def worker() -> Iterator[MathVerify]:
    with MathVerify(timeout_s=60) as one:
        yield one


@pytest.mark.parametrize(
    ("said", "ground", "match"),
    [
        ("$x^2+4x+4$", "4 + 4x + x²", "consistent"),
        ("(x-1)(x+1)", "(x+1)(x-1)", "consistent"),
        ("v = √(2gh)", "\\sqrt{2gh}", "consistent"),
        ("$3\\cos 3x$", "3cos(3x)", "consistent"),
        ("\\frac{1}{2}mv_0^2", "0.5mv_0²", "consistent"),
        ("2x - y + 1 = 0", "y = 2x + 1", "consistent"),
        ("The answer is $\\frac{mv^2}{2}$.", "\\frac{1}{2}mv^2", "consistent"),
        ("I^2R", "RI²", "consistent"),
        ("0.866", "\\frac{\\sqrt3}{2}", "consistent"),
        ("\\ln 4", "2\\ln 2", "consistent"),
        ("$x^2+4$", "x^2+4x+4", "inconsistent"),
        ("2gh", "\\sqrt{2gh}", "inconsistent"),
        ("\\ln 3", "\\ln 2", "inconsistent"),
        ("2x + y + 1 = 0", "y = 2x + 1", "inconsistent"),
        ("1 + 1/e", "1 - 1/e", "inconsistent"),
        # Two readings, a unit, a constant, other letters, a list, words: not for the library.
        ("1/2mv^2", "\\frac{1}{2}mv^2", "abstain"),
        ("5 mm", "0.005 m", "abstain"),
        ("x^2 + C", "x^2 + C + 1", "abstain"),
        ("R/2", "r/2", "abstain"),
        ("x", "y", "abstain"),
        ("log 2", "ln 2", "abstain"),
        ("n = 2, 3, 4", "n = 1, 2, 3", "abstain"),
        ("3-5", "-2", "abstain"),
        ("1 000", "1000", "abstain"),
        ("chloroplast", "chloroplasts", "abstain"),
        ("1.38", "\\sqrt{2}", "abstain"),
    ],
)
def test_it_proposes_only_what_can_be_proved(worker: MathVerify, said: str, ground: str, match: str) -> None:
    found = worker.judge(said, ground)
    assert found.match == match, found


def test_the_order_of_the_two_does_not_matter(worker: MathVerify) -> None:
    for one, other in (("x+1", "1+x"), ("2x", "x^2"), ("y=2x", "2x-y=0"), ("√8", "2√2")):
        assert worker.compare(one, other).match is worker.compare(other, one).match


@pytest.mark.parametrize(
    "text",
    [
        "9^{9^{9}}",
        "99999!",
        "x" * 300,
        "A∩B",
        "50%",
        "(1, 2)",
        "x > 3",
        "",
        "a = b = c",
        "一半",
        "\\text{cat}",
        "ABC",
    ],
)
def test_what_is_no_single_expression_never_reaches_the_library(text: str) -> None:
    assert as_expression(text) is None


def test_units_are_seen_where_a_number_stands_before_them() -> None:
    assert may_hold_a_unit("5 mm") and may_hold_a_unit("3 g") and may_hold_a_unit("\\frac{1}{2} m")
    assert not may_hold_a_unit("√(2gh)") and not may_hold_a_unit("x^2+1")


def test_a_worker_that_hangs_is_ended_and_the_next_one_answers(worker: MathVerify) -> None:
    hasty = MathVerify(timeout_s=0.0)
    try:
        found = hasty.compare("x+1", "1+x")
        assert (found.match, found.rule) == (Match.ABSTAIN, "math-timeout")
        assert hasty._process is None
    finally:
        hasty.close()
    worker.compare("x", "x")
    assert worker._process is not None
    worker._process.kill()
    worker._process.wait()
    # Nobody notices: another one is started.
    assert worker.compare("x+1", "1+x").match is Match.CONSISTENT


def test_the_library_is_loaded_in_the_worker_alone(worker: MathVerify) -> None:
    assert worker.compare("2x", "x+x").match is Match.CONSISTENT
    assert not {"math_verify", "sympy"} & set(sys.modules)

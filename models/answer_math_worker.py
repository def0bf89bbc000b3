"""The process that runs math-verify: one pair of expressions a line in, one finding a line out.

math-verify (with its LaTeX reader) is second, never first: it cannot abstain, folds capital letters, and calls some
different equations equal. So a finding `same` needs its word in both directions and equal values at points of our
own, and `different` is a finding of ours alone: values that differ where every symbol is a positive number. Its own
time limit uses signals; here the parent ends the process instead.

Started by `benchwright.models.answer_math` as `python -m`; it reads nothing but its standard input.
"""

from __future__ import annotations

import json
import logging
import sys
from functools import cache
from importlib import import_module
from typing import Any, Literal, NamedTuple

Finding = Literal["same", "close", "different", "unknown"]

_POSITIVE = ((0.731, 1.377, 2.129, 0.419, 1.873), (1.913, 0.587, 1.249, 2.671, 0.811))
_NEGATIVE = ((-0.731, -1.377, -2.129, -0.419, -1.873), (-1.913, 0.587, -1.249, 2.671, -0.811))
_EQUAL = 1e-9
_APART = 1e-4
"""Relative difference from which two values are no rounding of one another."""
_ROUNDED = 0.01
_TOLERANCE = 0.05
"""VisScience's: relative error below 0.05."""
_MEMORY = 2 << 30
_FREE_CONSTANTS = {"c", "k", "n"}
"""Letters that often stand for any constant or any integer: with them two forms may differ and mean the same."""


class Answer(NamedTuple):
    """A finding and its reason."""

    finding: Finding
    why: str


@cache
def _sympy() -> Any:
    """Sympy, which has no types; imported in the worker alone."""
    return import_module("sympy")


def read(text: str) -> Any | None:
    """The expression as a sympy object; None where math-verify cannot read it as one."""
    from math_verify import LatexExtractionConfig, parse

    found = parse(
        f"${text}$",
        extraction_config=[LatexExtractionConfig()],
        fallback_mode="no_fallback",
        parsing_timeout=None,
    )
    return found[0] if found and isinstance(found[0], _sympy().Basic) else None


def compare(said: str, ground: str) -> Answer:
    """Compare two expressions in LaTeX, each a single one without a unit."""
    left, right = read(said), read(ground)
    if left is None or right is None:
        return Answer("unknown", "not-read")
    if isinstance(left, _sympy().Eq) and isinstance(right, _sympy().Eq):
        return _equations(left, right)
    if not isinstance(left, _sympy().Expr) or not isinstance(right, _sympy().Expr):
        return Answer("unknown", "no-expression")
    if not left.free_symbols and not right.free_symbols:
        return _numbers(left, right)
    return _formulas(left, right)


def _numbers(left: Any, right: Any) -> Answer:
    one, two = complex(_sympy().N(left, 30)), complex(_sympy().N(right, 30))
    if not (abs(one) < float("inf") and abs(two) < float("inf")):
        return Answer("unknown", "no-finite-number")
    size = abs(two)
    apart = abs(one - two) / size if size else abs(one - two)
    if apart < _EQUAL:
        return (
            Answer("same", "equal-value") if _verified(left, right) else Answer("unknown", "library-differs")
        )
    if size == 0:
        return Answer("unknown", "ground-is-zero")
    if apart >= _TOLERANCE:
        return Answer("different", "other-value")
    rounded = left.has(_sympy().Float) or right.has(_sympy().Float)
    return (
        Answer("close", "rounded") if rounded and apart < _ROUNDED else Answer("unknown", "within-tolerance")
    )


def _formulas(left: Any, right: Any) -> Answer:
    if left.free_symbols != right.free_symbols:
        # The other may hold it in another form, or use another letter.
        return Answer("unknown", "other-symbols")
    symbols = sorted(left.free_symbols, key=str)
    if len(symbols) > len(_POSITIVE[0]):
        return Answer("unknown", "too-many-symbols")
    positive = [_apart(left, right, symbols, point) for point in _POSITIVE]
    negative = [_apart(left, right, symbols, point) for point in _NEGATIVE]
    if None in positive:
        return Answer("unknown", "no-value")
    if all(apart is not None and apart < _EQUAL for apart in (*positive, *negative)):
        return (
            Answer("same", "equal-values") if _verified(left, right) else Answer("unknown", "library-differs")
        )
    free = {str(symbol) for symbol in symbols} & _FREE_CONSTANTS
    if not free and all(apart is not None and apart > _APART for apart in positive):
        return Answer("different", "other-values")
    return Answer("unknown", "open")


def _equations(left: Any, right: Any) -> Answer:
    """Equations say the same when their sides' differences have a constant, non-zero ratio."""
    one, two = left.lhs - left.rhs, right.lhs - right.rhs
    if (
        not isinstance(one, _sympy().Expr)
        or not isinstance(two, _sympy().Expr)
        or one.free_symbols != two.free_symbols
    ):
        return Answer("unknown", "other-symbols")
    symbols = sorted(one.free_symbols, key=str)
    if not symbols or len(symbols) > len(_POSITIVE[0]):
        return Answer("unknown", "no-symbols" if not symbols else "too-many-symbols")
    ratios: list[complex] = []
    for point in (*_POSITIVE, *_NEGATIVE):
        top, bottom = _value(one, symbols, point), _value(two, symbols, point)
        if top is None or bottom is None or abs(bottom) < _EQUAL or abs(top) < _EQUAL:
            return Answer("unknown", "no-value")
        ratios.append(top / bottom)
    if all(abs(ratio - ratios[0]) < _EQUAL * abs(ratios[0]) for ratio in ratios):
        return Answer("same", "equal-equations")
    try:
        degrees = [_sympy().Poly(side, *symbols).total_degree() for side in (one, two)]
    except _sympy().PolynomialError:
        return Answer("unknown", "open")
    straight = degrees == [1, 1] and not {str(symbol) for symbol in symbols} & _FREE_CONSTANTS
    return Answer("different", "other-line") if straight else Answer("unknown", "open")


def _apart(left: Any, right: Any, symbols: list[Any], point: tuple[float, ...]) -> float | None:
    one, two = _value(left, symbols, point), _value(right, symbols, point)
    if one is None or two is None:
        return None
    return abs(one - two) / max(abs(one), abs(two), 1e-12)


def _value(expression: Any, symbols: list[Any], point: tuple[float, ...]) -> complex | None:
    number = _sympy().N(expression.subs(dict(zip(symbols, point, strict=False))), 30)
    if not number.is_number or number.has("zoo", "nan", "oo"):
        return None
    try:
        return complex(number)
    except TypeError:
        return None


def _verified(left: Any, right: Any) -> bool:
    from math_verify import verify

    return bool(verify(left, right, timeout_seconds=None)) and bool(verify(right, left, timeout_seconds=None))


def main() -> None:
    """Answer every line of standard input until it ends; first of all say that the library is there."""
    logging.disable(logging.CRITICAL)
    _limit_memory()
    _say({"ready": read("x") is not None})
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            said = compare(asked["said"], asked["ground"])
        # A reader of hostile LaTeX raises whatever it likes; the parent counts it as not read.
        except Exception as error:  # noqa: BLE001
            said = Answer("unknown", f"failed-{type(error).__name__}")
        _say({"finding": said.finding, "why": said.why})


def _limit_memory() -> None:
    """Hold the process to 2 GiB where the system can: a reply may ask for any power."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()

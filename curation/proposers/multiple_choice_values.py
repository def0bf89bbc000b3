r"""Reading options as values, and telling which two say the same: by text, by LaTeX, by number and unit.

Beyond what `models.answer_quantity` reads strictly, constant expressions are evaluated ("\frac{\sqrt{3}}{3}",
"2\pi/3"), so that two spellings of one value are found out. What cannot be read is compared as text alone.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from benchwright.curation.proposers.tokens_formulas import normal
from benchwright.models.answer_quantity import Quantity, convert, parse_quantity, parse_unit
from benchwright.models.answer_text import comparable, without_latex

_SAME_VALUE = 1e-9
_ROUNDED = 5e-3
"""An expression and a decimal this near to each other are one value, rounded."""
_CLOSE = 1e-2
_LONGEST, _LARGEST = 200, 10**300
"""Beyond these a text is no option's number, and a float could not hold it."""
_FRACTION = re.compile(r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_SHORT_FRACTION = re.compile(r"\\[dtc]?frac\s*(\d)\s*(\d)")
_ROOT = re.compile(r"\\sqrt\s*(?:\[(\d)\])?\s*(?:\{([^{}]*)\}|(\d))")
_ALLOWED = re.compile(r"[\d.+\-*/() ]*(?:(?:pi|root)[\d.+\-*/(), ]*)*")
_OPERATORS: dict[type[ast.AST], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True, slots=True)
class Value:
    """An option read as a number."""

    number: float
    unit: str | None
    """In pint's names; None: no unit."""
    percent: bool
    decimal: bool
    """Written as one number, not as a fraction or expression."""
    exact: bool
    """An integer or a fraction of integers."""


def read_value(text: str) -> Value | None:
    """The option as a value, or None where it is none or cannot be read."""
    if len(text) > _LONGEST:
        return None
    quantity = parse_quantity(_inner(text))
    if quantity is not None:
        return _of_quantity(quantity) if abs(quantity.value) < _LARGEST else None
    number = evaluate(_inner(text))
    return None if number is None else Value(number, None, percent=False, decimal=False, exact=False)


def _of_quantity(quantity: Quantity) -> Value:
    fraction = quantity.exact and quantity.value.denominator != 1
    return Value(float(quantity.value), quantity.unit, quantity.percent, not fraction, quantity.exact)


def evaluate(text: str) -> float | None:
    r"""The value of a constant expression such as `\frac{\sqrt{3}}{2}` or `3\pi`; None where it is none."""
    said = re.sub(r"\\(?:left|right|,|;|!|:| )|[$\s~]", "", text)
    for _ in range(6):
        before = said
        said = _SHORT_FRACTION.sub(r"((\1)/(\2))", said)
        said = _FRACTION.sub(r"((\1)/(\2))", said)
        said = _ROOT.sub(lambda m: f"root({m[2] or m[3]},{m[1] or 2})", said)
        if said == before:
            break
    said = re.sub(r"\\times|\\cdot|×|·", "*", said)
    said = re.sub(r"\\pi|π", "(pi)", said)
    said = re.sub(r"\\div|÷", "/", said).replace("−", "-")
    said = re.sub(r"√(\d+(?:\.\d+)?|\([^()]*\))", r"root(\1,2)", said)
    said = re.sub(r"\^\{([^{}]*)\}|\^(\d)", lambda m: f"**({m[1] or m[2]})", said)
    said = re.sub(r"(?<=[\d)])(?=\(|root|pi)", "*", said)
    said = re.sub(r"(?<=\))(?=\d)", "*", said)
    if len(said) > 120 or not re.search(r"\d|pi", said) or _ALLOWED.fullmatch(said) is None:
        return None
    try:
        return _evaluated(ast.parse(said, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError):
        # Not an expression after all; it stays a text.
        return None


def _evaluated(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id == "pi":
        return math.pi
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _evaluated(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        value = _OPERATORS[type(node.op)](_evaluated(node.left), _evaluated(node.right))
        if isinstance(value, complex) or not math.isfinite(value):
            raise ValueError("no real number")
        return value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2:
        base, degree = (_evaluated(argument) for argument in node.args)
        if base < 0:
            raise ValueError("no real root")
        return float(base ** (1 / degree))
    raise ValueError("not a constant expression")


def same_option(one: str, other: str) -> str | None:
    """How two options say the same (`text`, `latex`, `value`), or None where they do not."""
    if _same_words(one, other):
        return "text"
    if normal(_inner(one), with_text=True) == normal(_inner(other), with_text=True) != "":
        return "latex"
    first, second = read_value(one), read_value(other)
    if first is None or second is None:
        return None
    return "value" if _equal(first, second) else None


def _same_words(one: str, other: str) -> bool:
    """Equal but for the first letters of words ("Copper" is "copper"); "AaBb" is not "aabb", nor "CO" "Co"."""
    first, second = comparable(one), comparable(other)
    if first.casefold() != second.casefold() or not first:
        return False
    pairs = zip(re.split(r"(\w+)", first), re.split(r"(\w+)", second), strict=True)
    # Beside a plain word even a short one is a word: "It rises". Alone it may be a symbol: "Co".
    least = 2 if re.search(r"\b[a-z]{4}", first) else 3
    return all(a == b or (len(a) >= least and a[1:] == b[1:] and a[1:].islower()) for a, b in pairs)


def _equal(first: Value, second: Value) -> bool:
    if first.percent != second.percent:
        scaled = [value.number / 100 if value.percent else value.number for value in (first, second)]
        return first.unit is None and second.unit is None and _near(scaled[0], scaled[1], _SAME_VALUE)
    number = _in_unit(first, second)
    if number is None:
        return False
    within = _SAME_VALUE if first.decimal == second.decimal else _ROUNDED
    return _near(number, second.number, within)


def too_close(option: str, right: str) -> bool:
    """Whether somebody who rounds another way would take a wrong option for the right one.

    Counts and fractions of integers are exact: 29 people are not 30.
    """
    first, second = read_value(option), read_value(right)
    if first is None or second is None or first.percent != second.percent or (first.exact and second.exact):
        return False
    number = _in_unit(first, second)
    return number is not None and _near(number, second.number, _CLOSE)


def _in_unit(value: Value, other: Value) -> float | None:
    """The number of a value in the unit of another; None where that cannot be."""
    if value.unit == other.unit:
        return value.number
    if value.unit is None or other.unit is None:
        return None
    return convert(Fraction(value.number), value.unit, other.unit)


def same_kind_of_unit(one: Value, other: Value) -> bool:
    """Whether two values carry the same unit, percent signs included."""
    return one.unit == other.unit and one.percent == other.percent


def option_of(answer: str, unit: str | None) -> str:
    """The right option's text: the answer with its unit, where that stands apart and is not said already."""
    said = answer.strip()
    apart = (unit or "").strip()
    if len(said) > _LONGEST:
        return f"{said} {apart}".strip()
    if not apart or without_latex(said).endswith(without_latex(apart)):
        return said
    quantity = parse_quantity(_inner(said))
    if quantity is not None and (quantity.unit is not None or quantity.percent):
        return said
    if re.match(r"\$?\s*10\s*\^", apart):
        # Some sources part "4.16e-6 N" into "4.16" and the unit "10^{-6} N".
        return rf"${said.strip('$ ')}\times {apart.strip('$ ')}$"
    glue = "" if without_latex(apart)[:1] in "%°" else " "
    if apart.startswith("$") and said.endswith("$") and parse_unit(apart) is not None:
        return f"{said[:-1]}\\ {apart[1:]}"
    return f"{said}{glue}{apart}"


def _near(first: float, second: float, within: float) -> bool:
    return first == second or abs(first - second) <= within * max(abs(first), abs(second))


def _inner(text: str) -> str:
    """An option without the marks of a formula around it and without an end mark."""
    said = text.strip().rstrip("。.").strip()
    match = re.fullmatch(r"\$\$?([^$]*)\$\$?|\\\((.*)\\\)|\\\[(.*)\\\]", said, re.DOTALL)
    return next((part for part in match.groups() if part is not None), said) if match else said

"""Values of closed forms: numbers with roots, pi, powers and brackets, to 40 digits. Strict: else None.

"2√3" is a product, "1/2√3" can be read in two ways and is none. Nothing here looks at letters.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, InvalidOperation, localcontext
from fractions import Fraction

_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?|\.\d+)|(.))", re.DOTALL)
_CONTEXT = Context(prec=50)
_LONGEST = 80
_HIGHEST_POWER = 60
NEAR = Fraction(1, 10**25)
"""Relative difference below which two closed forms are the same number."""


def closed_form(text: str) -> Fraction | None:
    """The value of an arithmetic expression in plain notation (LaTeX spelled out); None where it is none."""
    if len(text) > _LONGEST:
        return None
    tokens = [number or sign for number, sign in _TOKEN.findall(text.strip())]
    try:
        with localcontext(_CONTEXT):
            reader = _Reader(tokens)
            value = reader.sum()
            return Fraction(value) if reader.at_end and value.is_finite() else None
    except (_NoForm, InvalidOperation, ZeroDivisionError, OverflowError, RecursionError):
        return None


def same_value(one: Fraction, other: Fraction) -> bool:
    """Equal up to what 50 digits can tell."""
    return one == other or abs(one - other) <= NEAR * max(abs(one), abs(other))


class _NoForm(Exception):
    """The text is no closed form."""


class _Reader:
    """Recursive descent over the tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._place = 0

    @property
    def at_end(self) -> bool:
        return self._place == len(self._tokens)

    def sum(self) -> Decimal:
        sign = self._take("+", "-")
        value = self._product()
        if sign == "-":
            value = -value
        while (sign := self._take("+", "-")) is not None:
            value = value + self._product() if sign == "+" else value - self._product()
        return value

    def _product(self) -> Decimal:
        value = self._power()
        divided = False
        while not self.at_end:
            if (sign := self._take("*", "·", "/")) is not None:
                # "1/2√3" and "a/b*c": the second is read from the left, as everybody does.
                bracket = not self.at_end and self._tokens[self._place] == "("
                factor = self._power()
                value, divided = (value / factor, not bracket) if sign == "/" else (value * factor, False)
            elif self._tokens[self._place] in "√π(":
                if divided:
                    raise _NoForm
                value *= self._power()
            else:
                break
        return value

    def _power(self) -> Decimal:
        value = self._atom()
        if self._take("^") is None:
            return value
        sign = self._take("+", "-")
        exponent = self._atom()
        if exponent != exponent.to_integral_value() or exponent > _HIGHEST_POWER:
            raise _NoForm
        return Decimal(value ** (-int(exponent) if sign == "-" else int(exponent)))

    def _atom(self) -> Decimal:
        if self.at_end:
            raise _NoForm
        token = self._tokens[self._place]
        self._place += 1
        if token[0].isdigit() or token[0] == ".":
            return Decimal(token)
        if token == "π":
            return +_PI
        if token == "√":
            under = self._atom()
            if under < 0:
                raise _NoForm
            return under.sqrt()
        if token in "({":
            value = self.sum()
            if self._take({"(": ")", "{": "}"}[token]) is None:
                raise _NoForm
            return value
        raise _NoForm

    def _take(self, *signs: str) -> str | None:
        if not self.at_end and self._tokens[self._place] in signs:
            self._place += 1
            return self._tokens[self._place - 1]
        return None

"""Pages in Markdown: templates, and texts of others in them, of which nothing may act as markup.

Names of sources, licences, models and subjects come from data; a page in which one of them opens a tag, closes a table
or ends a comment would say what its makers do not.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

_ACTS = re.compile(r"[\\`|<>\[\]*]")
"""Signs that Markdown or HTML takes for its own. `_` acts only around words, which would spoil most names."""
_ENTITY = re.compile(r"&(?=#?\w+;)")
_AT_A_START = re.compile(r"(?<!\w)_|_(?!\w)")
_LEAST_FENCE = 3


def in_line(value: Any) -> str:
    """One line of text in which nothing acts as markup, for a heading, a sentence or a cell of a table."""
    line = " ".join(str(value).split())
    return _ENTITY.sub("&amp;", _AT_A_START.sub(r"\\_", _ACTS.sub(r"\\\g<0>", line)))


def code(value: Any) -> str:
    """One line shown as code; a run of backticks inside of it does not end it."""
    line = " ".join(str(value).split())
    rule = "`" * (_longest_run(line) + 1)
    return f"{rule} {line} {rule}" if "`" in line else f"{rule}{line}{rule}"


def figure(value: float | None) -> str:
    """A number, or `-` where there is nothing to count."""
    return "-" if value is None else str(value)


def counted(count: int, name: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{count} {name}{'' if count == 1 else 's'}"


def fenced(value: Any, name: str = "") -> str:
    """A block of code; no line of the text ends it."""
    rule = "`" * max(_LEAST_FENCE, _longest_run(str(value)) + 1)
    return f"{rule}{name}\n{value}\n{rule}"


@cache
def pages(package: str) -> Environment:
    """Templates of a package, with the functions of this module as filters (`cell` is `in_line`).

    Args:
        package: holds `templates/`.
    """
    environment = Environment(
        loader=PackageLoader(package),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown, not HTML
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "cell": in_line,
        "code": code,
        "fenced": fenced,
        "figure": figure,
        "counted": counted,
    }
    return environment


def _longest_run(text: str) -> int:
    return max((len(list(run)) for sign, run in groupby(text) if sign == "`"), default=0)

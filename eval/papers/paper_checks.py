"""Where the papers' printed results contradict themselves: arithmetic on what they print, nothing else.

Each check allows for rounding: a printed figure stands for everything that rounds to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import ceil, floor
from typing import Literal

from benchwright.eval.papers.printed import (
    ALL,
    PROBLEMS_OF_A_DISCIPLINE,
    PROBLEMS_OF_A_VERSION,
    SCIVERSE_VERSIONS,
    PaperRow,
    PaperTable,
    subject_sizes,
)
from benchwright.schemas.records import Record

Check = Literal["subjects-to-all", "table-to-table", "mean-of-five", "mean-of-k-and-l", "not-k-of-n"]
CHECKS: dict[Check, str] = {
    "subjects-to-all": "the subjects, weighted with the published subject sizes, do not give ALL",
    "table-to-table": "another table prints another figure for the same thing",
    "mean-of-five": "the figure over all versions is not the mean of the five",
    "mean-of-k-and-l": "Sci-CoT is not the mean of its knowledge and its logic part",
    "not-k-of-n": "no whole number of the published number of questions gives this percentage",
}
_SMALLER = 40
"""How many questions fewer are tried, to say of which number the figure would be a share."""


class Inconsistency(Record):
    """A printed figure that does not fit the others."""

    check: Check
    table: str
    model: str
    column: str
    printed: str
    expected: str
    """What the other figures give, with one digit more than is printed."""
    detail: str = ""


def inconsistencies(tables: Sequence[PaperTable]) -> tuple[Inconsistency, ...]:
    """Every contradiction in the papers' results, by table, in the order of their lines."""
    found: list[Inconsistency] = []
    for table in tables:
        for row in table.rows:
            found += _in_row(table, row)
    found += _between(tables)
    return tuple(found)


def _in_row(table: PaperTable, row: PaperRow) -> Iterator[Inconsistency]:
    if table.paper == "sciverse":
        yield from _means_of_five(table, row)
        yield from _means_of_k_and_l(table, row)
    elif table.discipline is not None:
        yield from _weighted(table, row, subject_sizes()[table.discipline])
    for column, printed in row.values.items():
        n = size_of(table, column)
        if n is not None and row.group != "baseline":
            yield from _share(table, row, column, printed, n)


def _weighted(table: PaperTable, row: PaperRow, sizes: dict[str, int]) -> Iterator[Inconsistency]:
    """VisScience: ALL is the mean of the subjects, weighted with their sizes."""
    total = sum(sizes.values())
    shares = [(Decimal(row.values[subject]), n) for subject, n in sizes.items()]
    weighted = sum((share * n for share, n in shares), Decimal(0)) / total
    slack = sum((_half(row.values[subject]) * n for subject, n in sizes.items()), Decimal(0)) / total
    apart = abs(Decimal(row.values[ALL]) - weighted) * total / 100
    detail = f"{apart:.1f} of {total:,} questions apart"
    yield from _compare("subjects-to-all", table, row, ALL, weighted, slack, detail)


def _means_of_five(table: PaperTable, row: PaperRow) -> Iterator[Inconsistency]:
    for metric in ("Acc", "Sci-CoT"):
        parts = [row.values.get(f"{version} {metric}") for version in SCIVERSE_VERSIONS]
        known = [part for part in parts if part is not None]
        if len(known) == len(parts):
            yield from _mean("mean-of-five", table, row, f"all {metric}", known)


def _means_of_k_and_l(table: PaperTable, row: PaperRow) -> Iterator[Inconsistency]:
    for version in SCIVERSE_VERSIONS:
        k, logic = (row.values.get(f"{version} Sci-CoT_{part}") for part in "KL")
        if k is not None and logic is not None:
            yield from _mean("mean-of-k-and-l", table, row, f"{version} Sci-CoT", [k, logic])


def _mean(
    check: Check, table: PaperTable, row: PaperRow, column: str, parts: Sequence[str]
) -> Iterator[Inconsistency]:
    mean = sum(map(Decimal, parts), Decimal(0)) / len(parts)
    slack = sum(map(_half, parts), Decimal(0)) / len(parts)
    yield from _compare(check, table, row, column, mean, slack, f"of {', '.join(parts)}")


def _compare(
    check: Check,
    table: PaperTable,
    row: PaperRow,
    column: str,
    expected: Decimal,
    slack: Decimal,
    detail: str = "",
) -> Iterator[Inconsistency]:
    printed = row.values[column]
    if abs(Decimal(printed) - expected) > slack + _half(printed):
        digits = _digits(printed) + 1
        yield Inconsistency(
            check=check,
            table=table.name,
            model=row.model,
            column=column,
            printed=printed,
            expected=f"{expected:.{digits}f}",
            detail=detail,
        )


def _between(tables: Sequence[PaperTable]) -> Iterator[Inconsistency]:
    """VisScience: a discipline's column in the table of disciplines against ALL in its own table."""
    overall = next(t for t in tables if t.name == "visscience-2")
    for table in tables:
        if table.discipline is None or table.language != overall.language:
            continue
        for row in table.rows:
            first, second = overall.row(row.model).values[table.discipline], row.values[ALL]
            if abs(Decimal(first) - Decimal(second)) > max(_half(first), _half(second)):
                yield Inconsistency(
                    check="table-to-table",
                    table=table.name,
                    model=row.model,
                    column=ALL,
                    printed=second,
                    expected=first,
                    detail=f"{overall.name} prints {first} for {table.discipline}",
                )


def size_of(table: PaperTable, column: str) -> int | None:
    """How many questions a column rests on, where that is published and its figure is a share of questions."""
    if table.paper == "sciverse":
        return PROBLEMS_OF_A_VERSION if column.endswith(" Acc") and not column.startswith("all ") else None
    if table.discipline is None or column == ALL:
        return PROBLEMS_OF_A_DISCIPLINE
    return subject_sizes()[table.discipline][column]


def _share(table: PaperTable, row: PaperRow, column: str, printed: str, n: int) -> Iterator[Inconsistency]:
    if _numerator(printed, n) is not None:
        return
    near = Decimal(printed) * n / 100
    digits = _digits(printed) + 1
    around = " or ".join(
        f"{100 * Decimal(k) / n:.{digits}f}" for k in sorted({floor(near), ceil(near)}) if 0 <= k <= n
    )
    smaller = next((m for m in range(n - 1, max(0, n - _SMALLER), -1) if _numerator(printed, m)), None)
    detail = f"of {n} questions"
    if smaller is not None:
        detail += f"; it would be {_numerator(printed, smaller)} of {smaller}"
    yield Inconsistency(
        check="not-k-of-n",
        table=table.name,
        model=row.model,
        column=column,
        printed=printed,
        expected=around,
        detail=detail,
    )


def _numerator(printed: str, n: int) -> int | None:
    """The k for which k of n is printed so; None where there is none."""
    share, half = Decimal(printed), _half(printed)
    low, high = (share - half) * n / 100, (share + half) * n / 100
    k = ceil(low)
    return k if k <= min(high, Decimal(n)) else None


def _half(printed: str) -> Decimal:
    """Half a unit of the last digit printed."""
    return Decimal(5).scaleb(-_digits(printed) - 1)


def _digits(printed: str) -> int:
    return len(printed.partition(".")[2])


def counts_by_check(found: Iterable[Inconsistency]) -> dict[str, int]:
    """How many of each check, in the order of `CHECKS`."""
    listed = list(found)
    return {check: sum(one.check == check for one in listed) for check in CHECKS}

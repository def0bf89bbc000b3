"""Agreement of reviewers by job and field: kappa, alpha and the share of equal answers, each with its interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchwright.curation.release.plots.inputs import Agreement, AgreementRow
from benchwright.curation.release.plots.page import (
    RULE,
    SIZE,
    SMALL,
    SOFT,
    fitted,
    hue,
    page,
    title,
    words,
)
from benchwright.schemas.review_figures import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEFT, _RIGHT = 2.6, 7.0
_ROW, _JOB = 0.42, 0.36
_TOP, _BOTTOM = 0.98, 0.42
_MEASURES = (
    ("kappa between two people", hue(0), "o"),
    ("alpha over all people", hue(1), "s"),
    ("share of equal answers", "#4b4f58", "D"),
)


def draw_agreement(data: Agreement) -> Figure:
    """One row a field under the name of its job."""
    jobs = list(dict.fromkeys(row.job for row in data.rows))
    height = _TOP + _JOB * len(jobs) + _ROW * len(data.rows) + _BOTTOM
    sheet, axes = page(height)
    title(axes, height, "Agreement before adjudication, 95 % intervals")
    _legend(axes, height - 0.62)
    low = _floor(data.rows)
    _grid(axes, low, height - _TOP, _BOTTOM)
    words(axes, _RIGHT + 0.2, height - _TOP + 0.12, "items", SMALL, color=SOFT)
    y = height - _TOP
    for job in jobs:
        y -= _JOB
        words(axes, 0.2, y + _JOB * 0.35, job, SIZE, color=SOFT)
        for row in data.rows:
            if row.job == job:
                y -= _ROW
                _row(axes, row, y + _ROW / 2, low)
    return sheet


def _legend(axes: Axes, y: float) -> None:
    for at, (name, colour, sign) in enumerate(_MEASURES):
        x = 0.3 + 2.6 * at
        axes.plot([x], [y], sign, color=colour, markersize=6)
        words(axes, x + 0.15, y, name, SMALL)


def _floor(rows: Sequence[AgreementRow]) -> float:
    """Where the axis begins: at 0, or at the fifth below the lowest figure."""
    lowest = min(
        value for row in rows for _, one in _drawn(row) for value in (one.value, one.low) if value is not None
    )
    return min(0.0, max(-1.0, (lowest * 5 // 1) / 5))


def _drawn(row: AgreementRow) -> Iterator[tuple[int, Interval]]:
    """Measures of a row that are defined, with their places in the legend."""
    for at, one in enumerate((row.kappa, row.alpha, row.equal)):
        if one is not None and one.value is not None:
            yield at, one


def _at(value: float, low: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * (value - low) / (1 - low)


def _grid(axes: Axes, low: float, top: float, bottom: float) -> None:
    steps = round((1 - low) / 0.2)
    for step in range(steps + 1):
        value = low + 0.2 * step
        x = _at(value, low)
        strong = abs(value) < 1e-9
        axes.plot([x, x], [bottom, top], color="#8d919b" if strong else RULE, linewidth=0.8, zorder=0)
        text = f"{value:.1f}" if abs(value) > 1e-9 else "0"
        words(axes, x, bottom - 0.16, text, SMALL, ha="center", color=SOFT)


def _row(axes: Axes, row: AgreementRow, y: float, low: float) -> None:
    words(axes, 0.4, y, fitted(row.field, _LEFT - 0.6), SIZE)
    words(axes, _RIGHT + 0.2, y, f"{row.items:,}", SMALL, color=SOFT)
    found = list(_drawn(row))
    for place, (at, one) in enumerate(found):
        _, colour, sign = _MEASURES[at]
        height = y + 0.115 * ((len(found) - 1) / 2 - place)
        if one.low is not None and one.high is not None:
            ends = [_at(one.low, low), _at(one.high, low)]
            axes.plot(ends, [height, height], color=colour, linewidth=1.6, solid_capstyle="butt")
        if one.value is not None:
            axes.plot([_at(one.value, low)], [height], sign, color=colour, markersize=5)

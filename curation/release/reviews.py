"""What the card says about the reviews: figures of the group, as `annotate report` counted them."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.schemas.records import Record
from benchwright.schemas.review_figures import Interval, JobFigures

_BASES = ("agreed", "adjudicated", "consensus", "open")


class ReviewedJob(Record):
    """A job's row of the card."""

    job: str
    people: int
    items: int
    by_two: int
    verdicts: tuple[int, ...]
    """Values by basis: agreed, adjudicated, consensus, open."""
    gold: str
    kept: str
    """Proposals that people left as they were, over all fields."""


class AgreedField(Record):
    """A field's row of the card."""

    job: str
    field: str
    items: int
    equal: str
    kappa: str
    alpha: str


def reviewed_jobs(figures: Sequence[JobFigures]) -> list[ReviewedJob]:
    """Who reviewed how much, by job."""
    return [
        ReviewedJob(
            job=one.job,
            people=one.people,
            items=one.items,
            by_two=one.answered_by_two,
            verdicts=tuple(one.verdicts.get(basis, 0) for basis in _BASES),
            gold=_percent(one.gold),
            kept=_kept(one),
        )
        for one in figures
    ]


def agreed_fields(figures: Sequence[JobFigures]) -> list[AgreedField]:
    """How far people agreed, by job and field; fields that no two people answered are left out."""
    return [
        AgreedField(
            job=one.job,
            field=field.name,
            items=field.items,
            equal=_percent(field.percent),
            kappa=_figure(field.kappa) + (" (weighted)" if field.kappa_weights == "quadratic" else ""),
            alpha=_figure(field.alpha),
        )
        for one in figures
        for field in one.fields
        if field.items
    ]


def _kept(figures: JobFigures) -> str:
    n = sum(kept.n for kept in figures.kept.values())
    if not n:
        return "-"
    return f"{100 * sum((kept.value or 0.0) * kept.n for kept in figures.kept.values()) / n:.1f}"


def _figure(interval: Interval | None) -> str:
    if interval is None or interval.value is None:
        return "-"
    if interval.low is None or interval.high is None:
        return f"{interval.value:.2f}"
    return f"{interval.value:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


def _percent(interval: Interval | None) -> str:
    return "-" if interval is None or interval.value is None else f"{100 * interval.value:.1f}"

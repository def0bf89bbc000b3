"""The report on proposals for people: rows for a terminal, and one static page. No clock and no path in either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from benchwright.curation.proposers.report import FieldQuality, ProposerCost, Report

UNKNOWN = "–"
_CLOSED_TO_SHOW = 12
"""Widest confusion matrix whose column heads are written level."""


@dataclass(frozen=True)
class Table:
    """Rows under columns, all of them text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: int
    """How many columns, from the right, hold numbers."""


def tables(report: Report) -> tuple[Table, ...]:
    """What a terminal shows: acceptance and cost."""
    return (
        Table(
            "Proposals against reviews and sources",
            ("job", "field", "proposer", "against", "proposed", "compared", "equal %", "95 %", "majority %",
             "kappa", "ECE", "stale", "open", "unreviewed"),
            tuple(_field_row(entry) for entry in report.fields),
            10,
        ),
        Table(
            "What they took",
            ("job", "proposer", "items", "reviewed", "accepted", "calls", "input tokens", "output tokens",
             "tokens per accepted item", "cost", "cost per accepted item"),
            tuple(_cost_row(entry) for entry in report.costs),
            9,
        ),
    )  # fmt: skip


def html_page(report: Report) -> str:
    """The page: the tables, and for each field its confusion matrix and calibration."""
    environment = Environment(
        loader=PackageLoader("benchwright.curation.proposers"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        tables=tables(report),
        details=[entry for entry in report.fields if entry.confusion or entry.calibration],
        notes=_notes(report),
        bars=_bars,
        heat=_heat,
        wide=_CLOSED_TO_SHOW,
    )


def _field_row(entry: FieldQuality) -> tuple[str, ...]:
    share = entry.compared
    kappa = entry.confusion.kappa if entry.confusion else None
    interval = UNKNOWN
    if share.low is not None and share.high is not None:
        interval = f"{100 * share.low:.1f}–{100 * share.high:.1f}"
    against_gold = entry.reference == "gold"
    return (
        entry.job,
        entry.field,
        entry.proposer,
        "source's own" if against_gold else "reviews",
        str(entry.proposed),
        str(share.n),
        _percent(share.share),
        interval,
        _percent(share.majority),
        UNKNOWN if kappa is None else f"{kappa:.3f}",
        UNKNOWN if entry.calibration is None else f"{entry.calibration.error:.3f}",
        *((UNKNOWN,) * 2 if against_gold else (str(entry.stale), str(entry.open))),
        str(entry.unreviewed),
    )


def _cost_row(entry: ProposerCost) -> tuple[str, ...]:
    called = entry.calls > 0
    partial = entry.missing or entry.unreported
    mark = " at least" if partial else ""
    return (
        entry.job,
        entry.proposer,
        str(entry.items),
        str(entry.reviewed),
        str(entry.accepted),
        str(entry.calls),
        f"{entry.input_tokens:,}{mark}" if called else UNKNOWN,
        f"{entry.output_tokens:,}{mark}" if called else UNKNOWN,
        UNKNOWN if entry.tokens_per_accepted is None else f"{entry.tokens_per_accepted:,.0f}{mark}",
        UNKNOWN if entry.money is None else str(entry.money),
        UNKNOWN if entry.usd_per_accepted is None else f"{entry.usd_per_accepted:.4f} USD",
    )


def _notes(report: Report) -> list[str]:
    notes = [
        "Reviewers saw the proposal while they decided: acceptance is an upper bound of how often it is right.",
        "Stale (the text was changed after its review) and open (reviewers do not agree yet) decide nothing.",
        "Majority: what always proposing the most frequent right value would reach.",
        "ECE: the expected calibration error, mean distance of stated confidence and share of right proposals.",
        "Kappa of levels has quadratic weights; that of other values has none.",
        "Tokens are those of the calls that proposals name; a reply that had to be asked for again is not among them.",
    ]
    missing = sum(entry.missing for entry in report.costs)
    if missing:
        notes.append(f"{missing} calls are not in the call store any more: what they took is unknown.")
    return notes


def _percent(value: float | None) -> str:
    return UNKNOWN if value is None else f"{100 * value:.1f}"


def _heat(count: int, row: Sequence[int]) -> str:
    """Opacity of a cell: its share of the row."""
    total = sum(row)
    return f"{0.75 * count / total:.3f}" if total else "0"


def _bars(entry: FieldQuality) -> list[tuple[float, float, float, int, str]]:
    """Bars of the calibration chart, 100 units wide and high: (x, height, confidence, n, words)."""
    assert entry.calibration is not None
    return [
        (
            round(100 * found.low, 1),
            round(100 * found.share, 1),
            round(100 * found.confidence, 1),
            found.n,
            f"confidence {100 * found.confidence:.0f} %, right {100 * found.share:.0f} % of {found.n}",
        )
        for found in entry.calibration.bins
    ]

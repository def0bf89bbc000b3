"""The report on reviews as Markdown and HTML: figures of the group, in words that a reader of the card understands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from benchwright.annotation.annotators import RULE, PersonFigures, Share
from benchwright.annotation.gold import LEVEL_SLACK, PASS_SHARE
from benchwright.schemas.review_figures import FieldAgreement, Interval, JobFigures

NOTES = (
    "An interval holds 95 % of 1,000 resamples of the items; all parts of an item are drawn together.",
    "Equal: share of the pairs of answers to one thing that are the same.",
    "Kappa: Cohen's, between the slots (of more than two the mean over pairs), corrected for agreement by chance; "
    "levels with quadratic weights. A pair of slots whose answers are all one value has none and is left out.",
    "Alpha: Krippendorff's, over all people; levels by ranks, sets by what they do not share, boxes by 1 - "
    "intersection over union. By custom 0.8 and more is firm, 0.667 and more allows tentative conclusions.",
    "A dash: undefined, because nobody's answers vary, or too few resamples have a value. Texts are counted as equal "
    "or not, nothing more.",
    "Kept: the proposal was left as it was. Shown less withheld says how far proposals lead people: the withheld tasks "
    "were drawn at random.",
)
PEOPLE_COLUMNS = (
    "job",
    "person",
    "tasks",
    "median s",
    "proposals kept",
    "same as others",
    "gold right",
    "wrong proposals kept",
    "cannot decide",
    "faulty",
    "in two slots",
    "qualification",
    "warnings",
)


@dataclass(frozen=True)
class PageTable:
    """A table of the report; the first column is text, all others are figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Bar:
    """A figure and its interval on a line from 0 to 1, in hundredths."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class JobSection:
    """The part of the report about one job."""

    job: str
    lead: tuple[str, ...]
    tables: tuple[PageTable, ...]
    bars: tuple[Bar, ...]


def job_section(figures: JobFigures) -> JobSection:
    """A job's figures as sentences, tables and bars."""
    tables = [_agreement_table(figures)] if figures.fields else []
    if figures.kept:
        tables.append(_kept_table(figures))
    if figures.anchoring:
        tables.append(_anchoring_table(figures))
    bars = tuple(
        bar
        for field in figures.fields
        if field.alpha is not None and (bar := _bar(field.name, field.alpha)) is not None
    )
    return JobSection(figures.job, _lead(figures), tuple(tables), bars)


def report_markdown(benchmark: str, jobs: Sequence[JobFigures]) -> str:
    """The report as Markdown."""
    return (
        _environment(escape=False)
        .get_template("reviews.md.j2")
        .render(benchmark=benchmark, sections=[job_section(figures) for figures in jobs], notes=NOTES)
    )


def report_html(benchmark: str, jobs: Sequence[JobFigures]) -> str:
    """The report as one HTML page without outside parts."""
    return (
        _environment(escape=True)
        .get_template("reviews.html.j2")
        .render(benchmark=benchmark, sections=[job_section(figures) for figures in jobs], notes=NOTES)
    )


def people_rows(job: str, people: Sequence[PersonFigures]) -> list[tuple[str, ...]]:
    """The private table of a job, in the order of `PEOPLE_COLUMNS`."""
    return [
        (
            job,
            person.pseudonym,
            str(person.tasks),
            "-" if person.median_seconds is None else f"{person.median_seconds:.1f}",
            share_words(person.kept),
            share_words(person.same_as_others),
            share_words(person.right),
            share_words(person.wrong_kept),
            str(person.cannot_decide),
            str(person.item_faulty),
            str(person.in_two_slots),
            _passed(person),
            "; ".join(person.warnings) or "-",
        )
        for person in people
    ]


def people_rule() -> str:
    """What the private table's warnings and its qualification column rest on."""
    return (
        f"{RULE} The qualification is passed with {PASS_SHARE:.0%} of its items right in every field with a known "
        f"answer; a level may be {LEVEL_SLACK} off."
    )


def share_words(share: Share) -> str:
    """`81 % of 40`, or a dash."""
    return "-" if share.share is None else f"{100 * share.share:.0f} % of {share.of}"


def interval_words(interval: Interval | None, percent: bool = False) -> str:
    """`0.71 (0.65 to 0.78)`, as far as it is known."""
    if interval is None or interval.value is None:
        return "-"

    def one(figure: float) -> str:
        return f"{100 * figure:.1f}" if percent else f"{figure:.2f}"

    unit = " %" if percent else ""
    if interval.low is None or interval.high is None:
        return f"{one(interval.value)}{unit}"
    return f"{one(interval.value)}{unit} ({one(interval.low)} to {one(interval.high)})"


def _lead(figures: JobFigures) -> tuple[str, ...]:
    states = ", ".join(f"{n:,} {name}" for name, n in figures.states.items())
    verdicts = ", ".join(f"{n:,} {name}" for name, n in figures.verdicts.items())
    lines = [
        f"{_count(figures.people, 'person', 'people')} answered {_count(figures.items, 'item', 'items')}, "
        f"{figures.answered_by_two:,} of them by two people or more; slots: {', '.join(figures.slots)}.",
        f"Annotations: {states or 'none'}. Values: {verdicts or 'none yet'}.",
    ]
    if figures.undecided:
        said = ", ".join(f"{n:,} {name}" for name, n in figures.undecided.items())
        lines.append(f"No answer on purpose: {said}.")
    if figures.adjudicators:
        lines.append(
            f"{_count(figures.adjudicators, 'person', 'people')} adjudicated; "
            f"{_count(figures.adjudicated_by_a_party, 'item was', 'items were')} decided by one of those who had "
            "answered it."
        )
    if figures.left_open:
        why = ", ".join(f"{n:,} {name}" for name, n in figures.left_open.items())
        total = sum(figures.left_open.values())
        lines.append(
            f"{_count(total, 'item has', 'items have')} no value although adjudicated ({why}); annotate status names "
            f"{'it' if total == 1 else 'them'}."
        )
    if figures.in_two_slots:
        lines.append(
            f"{_count(figures.in_two_slots, 'item was', 'items were')} answered by one person in two slots and counted "
            "once."
        )
    if figures.gold is not None:
        lines.append(
            f"Answers to items whose answer is known: {interval_words(figures.gold, percent=True)} right of "
            f"{figures.gold.n:,}."
        )
    if figures.qualified is not None:
        lines.append(f"Qualification: {figures.qualified[0]} of {figures.qualified[1]} passed.")
    if figures.median_seconds is not None:
        lines.append(f"Median time on a task: {figures.median_seconds:g} s.")
    return tuple(lines)


def _agreement_table(figures: JobFigures) -> PageTable:
    rows = tuple(
        (
            field.name,
            field.scale or "text",
            f"{field.items:,}",
            interval_words(field.percent, percent=True),
            kappa_words(field),
            interval_words(field.alpha),
        )
        for field in figures.fields
    )
    return PageTable("Agreement", ("field", "scale", "items", "equal", "kappa", "alpha"), rows)


def kappa_words(field: FieldAgreement) -> str:
    """Kappa with its interval and, where some pair of slots has none, the mean's count and those pairs."""
    words = interval_words(field.kappa)
    if words != "-" and field.kappa_weights == "quadratic":
        words += ", weighted"
    if not field.kappa_undefined:
        return words
    left = ", ".join(field.kappa_undefined)
    of = field.kappa_pairs + len(field.kappa_undefined)
    return (
        f"{words}; mean of {field.kappa_pairs} of {of} pairs, undefined: {left}"
        if field.kappa_pairs
        else words
    )


def _kept_table(figures: JobFigures) -> PageTable:
    rows = tuple(
        (name, f"{kept.n:,}", interval_words(kept, percent=True)) for name, kept in figures.kept.items()
    )
    return PageTable("Proposals", ("field", "answers beside a proposal", "kept"), rows)


def _anchoring_table(figures: JobFigures) -> PageTable:
    rows = tuple(
        (
            arm.field,
            f"{arm.shown.n:,} / {arm.withheld.n:,}",
            interval_words(arm.shown, percent=True),
            interval_words(arm.withheld, percent=True),
            interval_words(arm.difference, percent=True).replace(" %", ""),
        )
        for arm in figures.anchoring
    )
    columns = ("field", "answers", "as proposed, shown", "as proposed, withheld", "difference in points")
    return PageTable("Do proposals lead people?", columns, rows)


def _bar(name: str, figure: Interval) -> Bar | None:
    if figure.value is None:
        return None
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    return Bar(name, *(100 * min(max(x, 0.0), 1.0) for x in (figure.value, low, high)))


def _passed(person: PersonFigures) -> str:
    if person.passed is None:
        return "-"
    taken = person.qualification
    return f"{'passed' if person.passed else 'failed'}, {taken.n} of {taken.of}"


def _count(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"


def _environment(*, escape: bool) -> Environment:
    environment = Environment(
        loader=PackageLoader("benchwright.annotation", "templates"),
        undefined=StrictUndefined,
        autoescape=escape,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|").replace("\n", " ")
    environment.filters["tenth"] = lambda x: f"{math.floor(10 * x + 0.5) / 10:g}"
    return environment

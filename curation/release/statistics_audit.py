"""Figures of the card that are counted from `audit/`: reviews, repeats, legibility, the pool, judges."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from statistics import NormalDist
from typing import Any

from benchwright.curation.release.audit_records import (
    GateLine,
    KeptLine,
    KnownLine,
    PointLine,
    ReleaseAudit,
    StationLine,
)
from benchwright.curation.release.repeats import THRESHOLDS, Repeats, SetFigures, set_figures
from benchwright.schemas.jobs import JOBS
from benchwright.schemas.records import Record, ReleaseRow
from benchwright.schemas.review_figures import Interval
from benchwright.schemas.review_states import ADJUDICATION, is_review_slot
from benchwright.schemas.versions import Version

_BASES = ("agreed", "adjudicated", "consensus", "open")
_ABOUT_PROBLEMS = "problem"


class ReviewedJob(Record):
    """A job's row of the card."""

    job: str
    people: int
    """Who submitted an independent review."""
    items: int
    by_two: int
    verdicts: tuple[int, ...]
    """Values by basis: agreed, adjudicated, consensus, open."""
    gold: str
    kept: str
    """Proposals that people left as they were, over all fields."""


class AgreedField(Record):
    """A measure's row of the card."""

    job: str
    field: str
    items: int
    equal: str
    kappa: str
    alpha: str


class ReviewedShare(Record):
    """How many of the published problems one job has seen."""

    job: str
    problems: int
    """Of the release."""
    reviewed: int
    """With a submitted independent review."""
    by_two: int
    adjudicated: int

    @property
    def percent(self) -> float:
        """Share of those that were reviewed."""
        return round(100 * self.reviewed / self.problems, 1)

    @property
    def percent_by_two(self) -> float:
        """Share of those that two people or more reviewed."""
        return round(100 * self.by_two / self.problems, 1)


class LegibilityFigures(Record):
    """The published pictures of one version and language that we rendered."""

    version: str
    language: str
    pictures: int
    passed: int
    failed: int
    not_judged: int
    """Together with those that the gate has not looked at."""
    characters: int
    errors: int

    @property
    def read(self) -> str:
        """Share of the characters that were read back, in percent; `-` where none could be compared."""
        return "-" if not self.characters else f"{100 * (1 - self.errors / self.characters):.2f}"


class CoverageFigures(Record):
    """The knowledge points of one discipline's pool, stand-ins left out."""

    discipline: str
    points: int
    chosen: int
    """Points that the choice covers."""
    published: int
    """Points that the release covers."""
    percent: float
    weighted: float
    """Share of the pool's mentions of points that go to a published one, in percent."""


class JudgeFigures(Record):
    """A judge measured on known verdicts."""

    name: str
    judge: str
    cases: int
    decided: int
    right: str
    """Share of right verdicts among those given with its interval, in percent."""
    kappa: str


class AuditFigures(Record):
    """Everything that the card says besides what it counts from the rows alone."""

    reviewed_jobs: tuple[ReviewedJob, ...]
    reviewed_shares: tuple[ReviewedShare, ...]
    agreed_fields: tuple[AgreedField, ...]
    repeats: tuple[Repeats, ...]
    thresholds: tuple[tuple[str, float], ...]
    """Of the searches for repeats."""
    compared: tuple[SetFigures, ...]
    legibility: tuple[LegibilityFigures, ...]
    coverage: tuple[CoverageFigures, ...]
    attrition: tuple[StationLine, ...]
    """By discipline and place."""
    judges: tuple[JudgeFigures, ...]

    @property
    def stations(self) -> tuple[str, ...]:
        """Of the attrition, in their order."""
        return tuple(dict.fromkeys(line.station for line in self.attrition))


def audit_figures(rows: Collection[ReleaseRow], audit: ReleaseAudit) -> AuditFigures:
    """Count everything.

    Args:
        rows: as published.
        audit: what lies beside them.
    """
    return AuditFigures(
        reviewed_jobs=reviewed_jobs(audit),
        reviewed_shares=reviewed_shares(rows, audit),
        agreed_fields=agreed_fields(audit),
        repeats=audit.repeats,
        thresholds=tuple(
            sorted(
                {pair for one in audit.repeats for pair in one.thresholds},
                key=lambda pair: (list(THRESHOLDS).index(pair[0]), pair[1]),
            )
        ),
        compared=set_figures(audit.repeats, rows),
        legibility=legibility_figures(audit),
        coverage=coverage_figures(audit.points),
        attrition=audit.attrition,
        judges=judge_figures(audit),
    )


def reviewed_jobs(audit: ReleaseAudit) -> tuple[ReviewedJob, ...]:
    """Who reviewed how much, by job, in the order of the jobs."""
    people: dict[str, set[str]] = defaultdict(set)
    by_item: dict[str, dict[tuple[str, str, int], set[str]]] = defaultdict(lambda: defaultdict(set))
    for line in audit.reviews:
        if line.state == "submitted" and is_review_slot(line.slot):
            people[line.job].add(line.reviewer)
            by_item[line.job][line.item, line.language or "", line.shown].add(line.reviewer)
    bases: Counter[tuple[str, str]] = Counter((line.job, line.basis) for line in audit.verdicts)
    return tuple(
        ReviewedJob(
            job=job,
            people=len(people[job]),
            items=len(by_item[job]),
            by_two=sum(len(names) > 1 for names in by_item[job].values()),
            verdicts=tuple(bases[job, basis] for basis in _BASES),
            gold=_right([line for line in audit.known if line.job == job]),
            kept=_kept([line for line in audit.kept if line.job == job]),
        )
        for job in JOBS
        if job in {line.job for line in audit.reviews}
    )


def reviewed_shares(rows: Iterable[ReleaseRow], audit: ReleaseAudit) -> tuple[ReviewedShare, ...]:
    """How many published problems were reviewed, by jobs about problems."""
    problems = {row.problem_id for row in rows}
    people: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for line in audit.reviews:
        if line.state == "submitted" and line.undecided is None and line.item in problems:
            place = people[line.job] if is_review_slot(line.slot) else people[f"{line.job} {ADJUDICATION}"]
            place[line.item].add(line.reviewer)
    return tuple(
        ReviewedShare(
            job=name,
            problems=len(problems),
            reviewed=len(people[name]),
            by_two=sum(len(who) > 1 for who in people[name].values()),
            adjudicated=len(people[f"{name} {ADJUDICATION}"]),
        )
        for name, job in JOBS.items()
        if job.item == _ABOUT_PROBLEMS and name in people
    )


def agreed_fields(audit: ReleaseAudit) -> tuple[AgreedField, ...]:
    """How far people agreed, by job and measure; those that no two people answered are left out."""
    return tuple(
        AgreedField(
            job=line.job,
            field=line.figures.name,
            items=line.figures.items,
            equal=_percent(line.figures.percent.value),
            kappa=_figure(line.figures.kappa)
            + (" (weighted)" if line.figures.kappa_weights == "quadratic" else ""),
            alpha=_figure(line.figures.alpha),
        )
        for line in audit.agreement
        if line.figures.items
    )


def legibility_figures(audit: ReleaseAudit) -> tuple[LegibilityFigures, ...]:
    """By version and language."""
    groups: dict[tuple[str, str], list[GateLine]] = defaultdict(list)
    for line in audit.gates:
        groups[line.version, line.language].append(line)
    order = {version.value: place for place, version in enumerate(Version)}
    return tuple(
        LegibilityFigures(
            version=version,
            language=language,
            pictures=len(lines),
            passed=sum(line.state == "passed" for line in lines),
            failed=sum(line.state == "failed" for line in lines),
            not_judged=sum(line.state in ("not-judged", "unchecked") for line in lines),
            characters=sum(line.characters for line in lines),
            errors=sum(line.errors for line in lines),
        )
        for (version, language), lines in sorted(
            groups.items(), key=lambda entry: (order[entry[0][0]], entry[0][1])
        )
    )


def coverage_figures(points: Iterable[PointLine]) -> tuple[CoverageFigures, ...]:
    """By discipline."""
    groups: dict[str, list[PointLine]] = defaultdict(list)
    for line in points:
        if not line.stand_in:
            groups[line.discipline].append(line)
    found = []
    for name, lines in sorted(groups.items()):
        covered = [line for line in lines if line.published]
        mentions = sum(line.pool for line in lines)
        found.append(
            CoverageFigures(
                discipline=name,
                points=len(lines),
                chosen=sum(line.chosen > 0 for line in lines),
                published=len(covered),
                percent=round(100 * len(covered) / len(lines), 1),
                weighted=round(100 * sum(line.pool for line in covered) / mentions, 1),
            )
        )
    return tuple(found)


def judge_figures(audit: ReleaseAudit) -> tuple[JudgeFigures, ...]:
    """By name of the calibration; of a judge of steps, marks are what is right or wrong."""
    return tuple(_judge(line.name, line.calibration) for line in audit.calibrations)


def _judge(name: str, found: dict[str, Any]) -> JudgeFigures:
    judge = found["judge"]
    right = found["same_score"] if "same_score" in found else found["accuracy"]
    kappa = found["score_kappa"] if "same_score" in found else found["kappa"]
    return JudgeFigures(
        name=name,
        judge=_judge_name(judge),
        cases=found["n"],
        decided=right["of"],
        right=_rate(right["count"], right["of"]),
        kappa="-" if kappa is None else f"{kappa:.2f}",
    )


def _judge_name(judge: dict[str, Any]) -> str:
    """`rules`, or the model that judges."""
    if "kind" not in judge:
        return str(judge["name"])
    model = judge.get("model")
    return str(judge["kind"]) if model is None else f"{judge['kind']}: {model['name']}"


def _rate(count: int, of: int) -> str:
    """Percent with Wilson's interval (95 %)."""
    if not of:
        return "-"
    z = NormalDist().inv_cdf(0.975)
    share = count / of
    middle = share + z * z / (2 * of)
    half = z * (share * (1 - share) / of + z * z / (4 * of * of)) ** 0.5
    low, high = ((middle + sign * half) / (1 + z * z / of) for sign in (-1, 1))
    return f"{100 * share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _right(lines: Sequence[KnownLine]) -> str:
    answers = sum(line.answers for line in lines)
    return _percent(sum(line.right for line in lines) / answers if answers else None)


def _kept(lines: Sequence[KeptLine]) -> str:
    answers = sum(line.answers for line in lines)
    return _percent(sum(line.kept for line in lines) / answers if answers else None)


def _figure(interval: Interval | None) -> str:
    if interval is None or interval.value is None:
        return "-"
    if interval.low is None or interval.high is None:
        return f"{interval.value:.2f}"
    return f"{interval.value:.2f} [{interval.low:.2f}, {interval.high:.2f}]"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"

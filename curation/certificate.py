"""The certificate of a selection: made from a choice, and recomputed from pool and selection without believing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from benchwright.curation.cover import smallest_cover
from benchwright.curation.select import Choice, choose, outside, worth
from benchwright.curation.select_items import (
    Band,
    Candidate,
    bands,
    frequencies,
    frequency_targets,
    must_cover,
    pool_digest,
    rules_of,
)
from benchwright.curation.select_solver import SOLVER
from benchwright.schemas.digest import digest_of
from benchwright.schemas.selection import (
    Certificate,
    ChoiceSettings,
    PointCount,
    RuleSlack,
    SelectionRow,
    is_stand_in,
)

_TOLERANCE = 1e-6


def certify(
    discipline: str, pool: Sequence[Candidate], choice: Choice, settings: ChoiceSettings, clusters_asked: int
) -> Certificate:
    """Write down what was chosen, what each rule came to, and what the solver proved."""
    rules = rule_slacks(choice.chosen, pool, settings)
    points = point_counts(choice.chosen, pool, settings.n)
    own = [point for point in points if not point.stand_in]
    stand_ins = [point for point in points if point.stand_in]
    return Certificate(
        discipline=discipline,
        settings=settings,
        pool_size=len(pool),
        pool_digest=pool_digest(pool),
        selection_digest=digest_of(sorted(item.question_id for item in choice.chosen)),
        n=len(choice.chosen),
        status=choice.status,
        objective=choice.objective,
        bound=choice.bound,
        gap=gap_of(choice.objective, choice.bound),
        cover=choice.cover,
        points_total=len(own),
        points_covered=sum(1 for point in own if point.selected),
        stand_ins_total=len(stand_ins),
        stand_ins_covered=sum(1 for point in stand_ins if point.selected),
        points=points,
        rules=rules,
        relaxed=tuple(rule.rule for rule in rules if rule.relaxed_by),
        per_difficulty=_tally(str(item.difficulty) for item in choice.chosen),
        per_subject=_tally(item.subject for item in choice.chosen),
        estimated=_tally(field for item in choice.chosen for field in item.estimated),
        clusters=len({item.cluster for item in pool}),
        clusters_asked=clusters_asked,
        solver=SOLVER,
        columns=choice.columns,
    )


def rows_of(discipline: str, choice: Choice) -> list[SelectionRow]:
    """The selection as it is stored, in the order in which it grew."""
    return [
        SelectionRow(
            question_id=item.question_id,
            discipline=discipline,
            subject=item.subject,
            difficulty=item.difficulty,
            cluster=item.cluster,
            centrality=item.centrality,
            points=item.points,
            rank=rank,
        )
        for rank, item in enumerate(choice.chosen, start=1)
    ]


def gap_of(objective: float, bound: float) -> float:
    """Relative distance of the bound from the objective."""
    return max(0.0, bound - objective) / max(1.0, abs(objective))


def rule_slacks(
    chosen: Sequence[Candidate], pool: Sequence[Candidate], settings: ChoiceSettings
) -> tuple[RuleSlack, ...]:
    """Every rule with what it allowed and what it got: difficulties, subjects, clusters."""
    counts = Counter(rule for item in chosen for rule in rules_of(item))
    clusters = [
        Band(f"cluster:{cluster}", 0, settings.max_per_cluster, False)
        for cluster in sorted({item.cluster for item in pool})
    ]
    return tuple(
        RuleSlack(
            rule=band.rule,
            hard=band.hard,
            lower=band.lower,
            upper=band.upper,
            count=counts[band.rule],
            relaxed_by=outside(band, counts[band.rule]),
        )
        for band in [*bands(pool, settings), *clusters]
    )


def point_counts(chosen: Sequence[Candidate], pool: Sequence[Candidate], n: int) -> tuple[PointCount, ...]:
    """Every point with its frequency in the pool, its target and its frequency in the selection."""
    counts = Counter(point for item in chosen for point in item.points)
    targets = frequency_targets(pool, n)
    return tuple(
        PointCount(
            point=point,
            stand_in=is_stand_in(point),
            pool=supply,
            target=targets[point],
            selected=counts[point],
        )
        for point, supply in frequencies(pool).items()
    )


def check_certificate(
    selection: Sequence[SelectionRow],
    pool: Sequence[Candidate],
    certificate: Certificate,
    resolve: bool = True,
) -> tuple[str, ...]:
    """Recompute everything a certificate claims from the pool and the selection; returns what does not hold.

    Args:
        selection: the stored rows.
        pool: the candidates, from pool, estimates and clusters.
        certificate: the claims.
        resolve: solve the program again, so that a bound set too low is found; without it the bound is only
            checked to lie above the objective.
    """
    known = {item.question_id: item for item in pool}
    ids = [row.question_id for row in selection]
    problems = [f"{question_id} is not in the pool" for question_id in ids if question_id not in known]
    problems += [
        f"{question_id} was chosen twice" for question_id, count in Counter(ids).items() if count > 1
    ]
    if problems:
        return tuple(problems)
    chosen = [known[question_id] for question_id in ids]
    settings = certificate.settings
    problems += _row_faults(selection, known)
    problems += [
        f"{row.question_id} belongs to {row.discipline}, the certificate is for {certificate.discipline}"
        for row in selection
        if row.discipline != certificate.discipline
    ]
    if sorted(row.rank for row in selection) != list(range(1, len(selection) + 1)):
        problems.append(f"ranks are not 1 to {len(selection)}")
    if len(selection) != settings.n:
        problems.append(f"the selection holds {len(selection)} questions instead of {settings.n}")
    counts = Counter(point for item in chosen for point in item.points)
    problems += [
        f"{point} is not covered" for point in must_cover(frequencies(pool), settings) if not counts[point]
    ]
    problems += [
        f"hard rule {rule.rule} is missed by {rule.relaxed_by}"
        for rule in rule_slacks(chosen, pool, settings)
        if rule.hard and rule.relaxed_by
    ]
    problems += _claim_faults(chosen, pool, certificate)
    if resolve and not problems:
        problems += _bound_faults(pool, certificate)
    return tuple(problems)


def _row_faults(selection: Sequence[SelectionRow], known: dict[str, Candidate]) -> list[str]:
    return [
        f"{row.question_id}: {field} is {getattr(row, field)!r}, the pool says {getattr(item, field)!r}"
        for row in selection
        for item in [known[row.question_id]]
        for field in ("subject", "difficulty", "cluster", "centrality", "points")
        if getattr(row, field) != getattr(item, field)
    ]


def _claim_faults(
    chosen: Sequence[Candidate], pool: Sequence[Candidate], certificate: Certificate
) -> list[str]:
    settings = certificate.settings
    objective = worth(chosen, pool, settings)
    cover = smallest_cover(pool, must_cover(frequencies(pool), settings), enough=settings.n)
    # A certificate made anew from the same facts; what only the solver can say is taken over and checked below.
    honest = certify(
        certificate.discipline,
        pool,
        Choice(tuple(chosen), objective, certificate.bound, certificate.status, cover, certificate.columns),
        settings,
        certificate.clusters_asked,
    )
    faults = []
    for field in sorted(set(Certificate.model_fields) - {"solver", "objective", "gap"}):
        claimed, found = getattr(certificate, field), getattr(honest, field)
        if claimed != found:
            faults.append(f"{field}: the certificate says {_short(claimed)}, recomputed {_short(found)}")
    if abs(certificate.objective - objective) > _TOLERANCE:
        faults.append(f"objective: the certificate says {certificate.objective}, recomputed {objective}")
    if certificate.bound < objective - _TOLERANCE:
        faults.append(f"bound {certificate.bound} lies below the objective {objective}")
    if abs(certificate.gap - gap_of(objective, certificate.bound)) > _TOLERANCE:
        faults.append(
            f"gap: the certificate says {certificate.gap}, recomputed {gap_of(objective, certificate.bound)}"
        )
    if (certificate.status == "optimal") != (gap_of(objective, certificate.bound) <= _TOLERANCE):
        faults.append(f"status {certificate.status} does not go with the gap")
    return faults


def _bound_faults(pool: Sequence[Candidate], certificate: Certificate) -> list[str]:
    again = choose(certificate.discipline, pool, certificate.settings)
    faults = []
    if again.objective > certificate.bound + _TOLERANCE:
        faults.append(f"bound {certificate.bound} is too low: a choice worth {again.objective} exists")
    if certificate.objective > again.bound + _TOLERANCE:
        faults.append(f"objective {certificate.objective} is above the proven bound {again.bound}")
    if again.columns != certificate.columns:
        faults.append(f"columns: the certificate says {certificate.columns}, recomputed {again.columns}")
    return faults


def _tally(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."

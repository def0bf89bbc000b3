"""The certificate of a selection: made from a choice, and recomputed from pool and selection without believing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from benchwright.curation.cover import smallest_cover
from benchwright.curation.select import Choice, choose
from benchwright.curation.select_items import Candidate, frequencies, pool_digest, shared_values
from benchwright.curation.select_model import model_of
from benchwright.curation.select_rules import Cap, Rules, must_cover
from benchwright.curation.select_solver import SOLVER, rounded_up
from benchwright.schemas.digest import digest_of
from benchwright.schemas.selection import (
    Certificate,
    ChoiceSettings,
    FamilySlack,
    PointCount,
    RefusedLevel,
    RuleSlack,
    SelectionRow,
    is_stand_in,
)

_TOLERANCE = 1e-6


def certify(
    discipline: str,
    pool: Sequence[Candidate],
    choice: Choice,
    settings: ChoiceSettings,
    clusters_asked: int,
    left_out: Mapping[str, int] | None = None,
    refused_levels: tuple[RefusedLevel, ...] = (),
) -> Certificate:
    """Write down what was chosen, what each rule came to, and what the solver proved.

    Args:
        discipline: whose selection it is.
        pool: the candidates, at the path level of `settings`.
        choice: made from them.
        settings: the rules.
        clusters_asked: how many clusters were wanted.
        left_out: questions that were not offered, by reason.
        refused_levels: deeper path levels that could not be kept.
    """
    rules = Rules.of(pool, settings)
    slacks = rule_slacks(choice.chosen, pool, rules)
    points = point_counts(choice.chosen, pool, rules)
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
        rules=slacks,
        families=tuple(_family(cap, choice.chosen, pool, rules) for cap in rules.caps),
        relaxed=tuple(rule.rule for rule in slacks if rule.relaxed_by),
        refused_levels=refused_levels,
        left_out=dict(sorted((left_out or {}).items())),
        kept=_tally(item.pinned for item in choice.chosen if item.pinned),
        per_difficulty=_tally(str(item.difficulty) for item in choice.chosen),
        per_subject=_tally(item.subject for item in choice.chosen),
        estimated=_tally(field for item in choice.chosen for field in item.estimated),
        clusters=len({item.cluster for item in pool}),
        clusters_asked=clusters_asked,
        solver=SOLVER,
        columns=choice.columns,
        priced_bound=choice.priced_bound,
        prices=dict(sorted(choice.prices.items())),
    )


def rows_of(discipline: str, chosen: Sequence[Candidate]) -> list[SelectionRow]:
    """Chosen questions as they are stored, in the order in which they are given."""
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
        for rank, item in enumerate(chosen, start=1)
    ]


def gap_of(objective: float, bound: float) -> float:
    """Relative distance of the bound from the objective."""
    return max(0.0, bound - objective) / max(1.0, abs(objective))


def rule_slacks(
    chosen: Sequence[Candidate], pool: Sequence[Candidate], rules: Rules
) -> tuple[RuleSlack, ...]:
    """Every rule with what it allowed and what it got: difficulties, subjects, clusters, chapters."""
    return rules.band_slacks(chosen) + tuple(
        slack
        for cap in rules.caps
        if cap.family in ("cluster", "chapter")
        for slack in _limit_slacks(cap, chosen, pool)
    )


def _limit_slacks(cap: Cap, chosen: Sequence[Candidate], pool: Sequence[Candidate]) -> list[RuleSlack]:
    counts = Counter(value for item in chosen for value in shared_values(item, cap.family))
    values = {value for item in pool for value in shared_values(item, cap.family)}
    return [
        RuleSlack(
            rule=f"{cap.family}:{value}",
            hard=cap.hard,
            lower=0,
            upper=cap.limit,
            count=counts[value],
            relaxed_by=max(0, counts[value] - cap.limit),
        )
        for value in sorted(values, key=lambda value: (len(value), value))
    ]


def _family(cap: Cap, chosen: Sequence[Candidate], pool: Sequence[Candidate], rules: Rules) -> FamilySlack:
    supply = Counter(value for item in pool for value in shared_values(item, cap.family))
    counts = Counter(value for item in chosen for value in shared_values(item, cap.family))
    tight = [value for value, count in supply.items() if count > cap.limit]
    return FamilySlack(
        family=cap.family,
        limit=cap.limit,
        hard=cap.hard,
        tight=len(tight),
        full=sum(1 for value in tight if counts[value] >= cap.limit),
        most=max(counts.values(), default=0),
        relaxed_by=sum(rules.over(cap, chosen).values()),
    )


def point_counts(
    chosen: Sequence[Candidate], pool: Sequence[Candidate], rules: Rules
) -> tuple[PointCount, ...]:
    """Every point with its frequency in the pool, its target and its frequency in the selection."""
    counts = Counter(point for item in chosen for point in item.points)
    return tuple(
        PointCount(
            point=point,
            stand_in=is_stand_in(point),
            pool=supply,
            target=rules.targets[point],
            selected=counts[point],
        )
        for point, supply in frequencies(pool).items()
    )


def check_certificate(
    selection: Sequence[SelectionRow],
    pool: Sequence[Candidate],
    certificate: Certificate,
    resolve: bool = True,
    left_out: Mapping[str, int] | None = None,
) -> tuple[str, ...]:
    """Recompute everything a certificate claims from the pool and the selection; returns what does not hold.

    Args:
        selection: the stored rows.
        pool: the candidates, from pool, estimates and clusters.
        certificate: the claims.
        resolve: solve the program again, so that a bound set too low is found; without it the bound is only
            checked to lie above the objective and within what the prices prove.
        left_out: questions that were not offered, by reason, where these are to be compared too.
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
    rules = Rules.of(pool, settings)
    # A preview promises nothing; what it breaks stands in its rules.
    problems += [] if certificate.status == "preview" else rules.broken(chosen)
    problems += [
        f"{item.question_id} must stay ({item.pinned}) and was not chosen"
        for item in pool
        if item.pinned and item.question_id not in set(ids)
    ]
    if left_out is not None and dict(left_out) != certificate.left_out:
        problems.append(f"left_out: the certificate says {certificate.left_out}, recomputed {dict(left_out)}")
    problems += _price_faults(pool, rules, certificate)
    problems += _claim_faults(chosen, pool, certificate)
    if resolve and not problems and certificate.status != "preview":
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
    objective = Rules.of(pool, settings).worth(chosen)
    cover = smallest_cover(pool, must_cover(frequencies(pool), settings), enough=settings.n)
    # A certificate made anew from the same facts; what only the solver can say is taken over and checked below.
    honest = certify(
        certificate.discipline,
        pool,
        Choice(
            tuple(chosen),
            objective,
            certificate.bound,
            certificate.status,
            cover,
            certificate.columns,
            certificate.priced_bound,
            certificate.prices,
        ),
        settings,
        certificate.clusters_asked,
        certificate.left_out,
        certificate.refused_levels,
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
    if certificate.status != "preview" and (certificate.status == "optimal") != (
        gap_of(objective, certificate.bound) <= _TOLERANCE
    ):
        faults.append(f"status {certificate.status} does not go with the gap")
    return faults


def _price_faults(pool: Sequence[Candidate], rules: Rules, certificate: Certificate) -> list[str]:
    """Whether the prices prove the bound that they are said to prove: arithmetic alone, no solver."""
    items = sorted(pool, key=lambda item: item.question_id)
    model = model_of(items, rules, [item.question_id for item in items if item.pinned])
    if strangers := sorted(set(certificate.prices) - set(model.names)):
        return [f"prices: there is no rule {strangers[0]}"]
    prices = np.array([certificate.prices.get(name, 0.0) for name in model.names])
    if not np.array_equal(prices, model.allowed_prices(prices)):
        return ["prices: one has a sign or size that proves nothing"]
    proven = rounded_up(model.priced(prices).bound)
    faults = []
    if abs(max(proven, certificate.objective) - certificate.priced_bound) > _TOLERANCE * max(
        1.0, abs(proven)
    ):
        faults.append(f"prices prove a bound of {proven}, the certificate says {certificate.priced_bound}")
    if certificate.bound > certificate.priced_bound + _TOLERANCE:
        faults.append(f"bound {certificate.bound} lies above what the prices prove")
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

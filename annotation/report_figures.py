"""The figures of a job's reviews, counted from the workspace's files: no server is asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from pydantic import JsonValue

from benchwright.annotation.agreement import (
    Estimate,
    FloatArray,
    Scale,
    Weights,
    cohen_kappa,
    krippendorff_alpha,
    pair_kappas,
    percent_agreement,
    resampled,
)
from benchwright.annotation.annotators import (
    Known,
    PersonFigures,
    answer_is_right,
    closed_answers,
    kept_proposal,
    person_figures,
    saw_proposal,
    task_seconds,
)
from benchwright.annotation.consensus import CLOSED
from benchwright.annotation.gold import load_gold
from benchwright.annotation.left_open import left_open
from benchwright.annotation.opinions import (
    Measure,
    answers_table,
    measures,
    raters,
    scale_name,
    submitted_answers,
)
from benchwright.annotation.proposals import newest_proposals
from benchwright.annotation.report_evidence import job_evidence
from benchwright.annotation.slots import (
    ItemKey,
    answered_twice,
    counted,
    item_key,
    needed_slots,
)
from benchwright.schemas.digest import canonical_json, sha256_bytes
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Key, Proposal, Review, Verdict
from benchwright.schemas.journal import Journal, read_jsonl
from benchwright.schemas.review_figures import (
    Anchoring,
    FieldAgreement,
    Interval,
    JobEvidence,
    JobFigures,
)
from benchwright.schemas.review_states import ADJUDICATION, current_states, is_review_slot
from benchwright.schemas.workspace import Workspace

LEAST_PEOPLE = 2
"""With fewer, a group figure of speed or care would be one person's."""


@dataclass(frozen=True)
class JobReport:
    """All about one job's reviews."""

    figures: JobFigures
    """For everybody."""
    evidence: JobEvidence
    """What they are counted from, for the release."""
    people: tuple[PersonFigures, ...]
    """For the project alone."""


def job_report(workspace: Workspace, job: str) -> JobReport:
    """Count everything.

    Args:
        workspace: its reviews, verdicts, proposals and gold answers are read.
        job: a name in `benchwright.schemas.jobs.JOBS`.

    Raises:
        UsageError: nothing was pulled for the job yet.
    """
    path = workspace.reviews(job)
    if not path.is_file():
        raise UsageError(f"{path} is missing: there are no {job} reviews, run `annotate pull {job}` first.")
    states = current_states(Journal(path).read(Review))
    known = Known(newest_proposals(workspace, job), load_gold(workspace, job).answers())
    people = tuple(person_figures(job, states, known))
    verdicts = read_jsonl(workspace.verdicts(job), Verdict) if workspace.verdicts(job).is_file() else []
    figures = _group_figures(workspace, job, states, known, people, verdicts)
    evidence = job_evidence(figures, counted(states), known, workspace.recipe.annotation.seed)
    return JobReport(figures, evidence, people)


def _group_figures(
    workspace: Workspace,
    job: str,
    states: Sequence[Review],
    known: Known,
    people: Sequence[PersonFigures],
    verdicts: Sequence[Verdict],
) -> JobFigures:
    recipe = workspace.recipe.annotation
    live = counted(states)
    reviewing = [review for review in live if is_review_slot(review.slot)]
    reviewers = {r.pseudonym for r in reviewing if r.state == "submitted"}
    enough = len(reviewers) >= LEAST_PEOPLE
    seconds = task_seconds(reviewing)
    takers = [person for person in people if person.passed is not None]
    return JobFigures(
        job=job,
        reviews_sha256=sha256_bytes(workspace.reviews(job).read_bytes()),
        slots=needed_slots(recipe.slots, {review.slot for review in states}),
        people=len(reviewers),
        adjudicators=len({r.pseudonym for r in live if r.slot == ADJUDICATION and r.state == "submitted"}),
        items=len({item_key(r) for r in reviewing if r.state == "submitted"}),
        answered_by_two=_answered_by_two(reviewing),
        states=_annotations(reviewing, lambda r: r.state),
        undecided=_annotations([r for r in reviewing if r.undecided], lambda r: str(r.undecided)),
        in_two_slots=len(answered_twice(states)),
        verdicts=dict(sorted(Counter(verdict.basis for verdict in verdicts).items())),
        adjudicated_by_a_party=_by_a_party(live),
        left_open=dict(sorted(Counter(item.why for item in left_open(job, live, verdicts)).items())),
        fields=tuple(field_agreement(measure, recipe.seed) for measure in measures(job, live)),
        kept=_kept(reviewing, known.proposals, recipe.seed) if enough else {},
        anchoring=anchoring(job, reviewing, known.proposals, recipe.seed) if enough else (),
        gold=_gold(reviewing, known.gold, recipe.seed) if enough else None,
        qualified=(sum(bool(p.passed) for p in takers), len(takers)) if len(takers) >= LEAST_PEOPLE else None,
        median_seconds=round(median(seconds), 1) if seconds and enough else None,
    )


def field_agreement(measure: Measure, seed: int) -> FieldAgreement:
    """Percent agreement and alpha over people, kappa between slots (levels with quadratic weights)."""
    table = answers_table(measure)
    paired = {item for item, answers in _answers_by_unit(measure).items() if answers >= 2}
    percent = _interval(percent_agreement(table, seed=seed))
    scale = measure.scale
    alpha = None if scale is None else _interval(krippendorff_alpha(table, scale, seed=seed))
    return FieldAgreement.model_validate(
        {
            "name": measure.name,
            "scale": scale_name(measure),
            "items": len(paired),
            "percent": percent,
            "alpha": alpha,
            **(_kappa(measure, scale, seed) if scale in {Scale.NOMINAL, Scale.ORDINAL} else {}),
        }
    )


def _kappa(measure: Measure, scale: Scale | None, seed: int) -> dict[str, object]:
    """The fields of `FieldAgreement` about kappa; none where no item has two answers."""
    table = answers_table(measure, "slot")
    weights = Weights.NONE if scale is Scale.NOMINAL else Weights.QUADRATIC
    estimate = cohen_kappa(table, weights, seed=seed)
    if not estimate.units:
        return {}
    slots, pairs = raters(measure, "slot"), pair_kappas(table, weights)
    return {
        "kappa": _interval(estimate),
        "kappa_weights": str(weights),
        "kappa_pairs": sum(value is not None for value in pairs.values()),
        "kappa_undefined": tuple(
            f"{slots[one]}-{slots[other]}" for (one, other), value in pairs.items() if value is None
        ),
    }


def anchoring(
    job: str, states: Iterable[Review], proposals: Mapping[Key, Proposal], seed: int
) -> tuple[Anchoring, ...]:
    """For each closed field: how often people say what is proposed, where they saw it and where they did not.

    Fields without an answer in both arms are left out. What is compared is the value, in both arms alike.
    """
    arms: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0] * 4))
    for review in closed_answers(states):
        proposal = proposals.get(review.key)
        if review.withheld is None or proposal is None or proposal.value is None:
            continue
        same = canonical_json(proposal.value) == canonical_json(review.value)
        cell = arms[review.field][canonical_json(list(item_key(review)))]
        arm = 2 if review.withheld else 0
        cell[arm] += same
        cell[arm + 1] += 1
    found = []
    for field in (f.name for f in JOBS[job].fields if f.kind in CLOSED):
        sums = np.asarray([arms[field][item] for item in sorted(arms[field])]).reshape(-1, 4)
        if sums[:, 1].sum() and sums[:, 3].sum():
            found.append(_anchoring(field, sums, seed))
    return tuple(found)


def _anchoring(field: str, sums: FloatArray, seed: int) -> Anchoring:
    """Args: sums: per item: equal and all answers with the proposal shown, the same with it withheld."""

    def shares(drawn: FloatArray) -> tuple[FloatArray, FloatArray]:
        totals = drawn @ sums
        with np.errstate(invalid="ignore"):
            return totals[:, 0] / totals[:, 1], totals[:, 2] / totals[:, 3]

    shown, withheld = int(sums[:, 1].sum()), int(sums[:, 3].sum())
    return Anchoring(
        field=field,
        shown=_interval(resampled(lambda w: shares(w)[0], len(sums), shown, seed=seed)),
        withheld=_interval(resampled(lambda w: shares(w)[1], len(sums), withheld, seed=seed)),
        difference=_interval(
            resampled(lambda w: np.subtract(*shares(w)), len(sums), shown + withheld, seed=seed)
        ),
    )


def _kept(states: Iterable[Review], proposals: Mapping[Key, Proposal], seed: int) -> dict[str, Interval]:
    """By field: the share of answers beside a proposal that left it as it was."""
    saw: dict[str, list[tuple[ItemKey, bool]]] = defaultdict(list)
    for review in submitted_answers(states):
        if saw_proposal(review, proposals):
            saw[review.field].append((item_key(review), kept_proposal(review, proposals)))
    return {field: _share(saw[field], seed) for field in sorted(saw)}


def _gold(states: Iterable[Review], gold: Mapping[Key, JsonValue], seed: int) -> Interval | None:
    known = [
        (item_key(review), answer_is_right(review, gold))
        for review in submitted_answers(states)
        if review.key in gold
    ]
    return _share(known, seed) if known else None


def _share(rows: Sequence[tuple[ItemKey, bool]], seed: int) -> Interval:
    """A share of answers, with an interval over items."""
    by_item: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for item, yes in rows:
        cell = by_item[canonical_json(list(item))]
        cell[0] += yes
        cell[1] += 1
    sums = np.asarray([by_item[item] for item in sorted(by_item)])

    def figure(drawn: FloatArray) -> FloatArray:
        totals = drawn @ sums
        return np.asarray(totals[:, 0] / totals[:, 1], dtype=np.float64)

    return _interval(resampled(figure, len(sums), len(rows), seed=seed))


def _interval(estimate: Estimate) -> Interval:
    def rounded(figure: float | None) -> float | None:
        return None if figure is None else round(figure, 4)

    return Interval(
        value=rounded(estimate.value),
        low=rounded(estimate.low),
        high=rounded(estimate.high),
        n=estimate.units,
    )


def _answers_by_unit(measure: Measure) -> dict[ItemKey, int]:
    people: dict[ItemKey, set[str]] = defaultdict(set)
    for opinion in measure.opinions:
        people[opinion.item].add(opinion.pseudonym)
    return {item: len(names) for item, names in people.items()}


def _answered_by_two(states: Iterable[Review]) -> int:
    people: dict[ItemKey, set[str]] = defaultdict(set)
    for review in states:
        if review.state == "submitted":
            people[item_key(review)].add(review.pseudonym)
    return sum(len(names) >= 2 for names in people.values())


def _annotations(states: Iterable[Review], name: Callable[[Review], str]) -> dict[str, int]:
    """Annotations, not fields, by name."""
    found = {(name(review), review.annotation_id) for review in states}
    return dict(sorted(Counter(kind for kind, _ in found).items()))


def _by_a_party(states: Iterable[Review]) -> int:
    said: dict[ItemKey, set[str]] = defaultdict(set)
    decided: dict[ItemKey, set[str]] = defaultdict(set)
    for review in states:
        if review.state == "submitted":
            (decided if review.slot == ADJUDICATION else said)[item_key(review)].add(review.pseudonym)
    return sum(bool(who & said[item]) for item, who in decided.items())

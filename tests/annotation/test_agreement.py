"""Agreement against published worked examples, independent packages, and known truths of simulated annotators."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.annotation.agreement import (
    MISSING,
    Estimate,
    FloatArray,
    IntArray,
    Scale,
    Table,
    Weights,
    box_disagreements,
    cohen_kappa,
    krippendorff_alpha,
    pair_kappas,
    percent_agreement,
    set_disagreement,
    table_of,
)

RADIOLOGY = [[21, 12, 0, 0], [4, 17, 1, 0], [3, 9, 15, 2], [0, 0, 0, 1]]
"""Two radiologists, 85 mammograms, four ordered classes (Boyd et al. 1982; worked in Stata's manual, `kappa`)."""
PSYCHODIAGNOSIS = [[75, 1, 4], [5, 4, 1], [0, 0, 10]]
"""Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions, table 18.1."""
RELIABILITY = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
"""Four observers, twelve units, missing values: Krippendorff, "Computing Krippendorff's alpha-reliability" (2011)."""


def of_counts(joint: list[list[int]]) -> Table:
    codes = [[i, j] for i, row in enumerate(joint) for j, n in enumerate(row) for _ in range(n)]
    return table_of(codes, len(joint))


def reliability() -> Table:
    observers = [line.split() for line in RELIABILITY.split("\n") if line]
    return table_of(
        [[MISSING if v == "." else int(v) - 1 for v in unit] for unit in zip(*observers, strict=True)], 5
    )


def value(estimate: Estimate) -> float:
    assert estimate.value is not None
    return estimate.value


def drawn(seed: int, raters: int = 3, missing: float = 0.2, values: int = 4, units: int = 40) -> Table:
    """Answers of raters who are right in seven of ten cases; some are missing."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, values, size=units)
    guess = random.integers(0, values, size=(units, raters))
    codes = np.where(random.random((units, raters)) < 0.7, truth[:, None], guess)
    codes[random.random((units, raters)) < missing] = MISSING
    return Table(codes, values, np.arange(units), numbers=np.arange(values) ** 1.5)


# --- published examples ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("scale", "published"), [(Scale.NOMINAL, 0.743), (Scale.ORDINAL, 0.815), (Scale.INTERVAL, 0.849)]
)
def test_alpha_of_krippendorffs_own_example(scale: Scale, published: float) -> None:
    estimate = krippendorff_alpha(reliability(), scale)
    assert round(value(estimate), 3) == published
    assert estimate.units == 11, "the unit with one answer is not pairable"


def test_kappa_of_published_tables() -> None:
    assert round(value(cohen_kappa(of_counts(PSYCHODIAGNOSIS))), 3) == 0.676
    assert round(value(cohen_kappa(of_counts(RADIOLOGY))), 4) == 0.4728
    assert round(value(cohen_kappa(of_counts(RADIOLOGY), Weights.LINEAR)), 4) == 0.5684
    assert value(percent_agreement(of_counts(RADIOLOGY))) == pytest.approx(54 / 85)


# --- independent packages --------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weights", list(Weights))
def test_kappa_equals_scikit_learns(seed: int, weights: Weights) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    table = drawn(seed, raters=2, missing=0.0)
    theirs = metrics.cohen_kappa_score(
        *table.codes.T, weights=None if weights is Weights.NONE else str(weights), labels=list(range(4))
    )
    assert value(cohen_kappa(table, weights, resamples=0)) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("joint", [RADIOLOGY, PSYCHODIAGNOSIS], ids=["radiology", "psychodiagnosis"])
@pytest.mark.parametrize("weights", list(Weights))
def test_kappa_equals_statsmodels(joint: list[list[int]], weights: Weights) -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    wt = {Weights.NONE: None, Weights.LINEAR: "linear", Weights.QUADRATIC: "quadratic"}[weights]
    theirs = inter_rater.cohens_kappa(np.array(joint), wt=wt)
    ours = cohen_kappa(of_counts(joint), weights, resamples=4000, seed=1)
    assert value(ours) == pytest.approx(theirs.kappa, abs=1e-12)
    assert ours.low == pytest.approx(theirs.kappa_low, abs=0.04), (
        "their interval is asymptotic, ours resampled"
    )
    assert ours.high == pytest.approx(theirs.kappa_upp, abs=0.04)


def nltk_task(table: Table, distance: object) -> object:
    agreement = pytest.importorskip("nltk.metrics.agreement")
    triples = [
        (f"r{rater}", f"u{unit}", int(code))
        for (unit, rater), code in np.ndenumerate(table.codes)
        if code != MISSING
    ]
    return agreement.AnnotationTask(data=triples, distance=distance)


@pytest.mark.parametrize("seed", range(3))
def test_alpha_equals_nltks(seed: int) -> None:
    table = drawn(seed)
    numbers, given = table.numbers, np.random.default_rng(seed).random((4, 4))
    assert numbers is not None
    given = (given + given.T) * (1 - np.eye(4))
    measures = {
        Scale.NOMINAL: lambda a, b: float(a != b),
        Scale.INTERVAL: lambda a, b: float((numbers[a] - numbers[b]) ** 2),
        Scale.GIVEN: lambda a, b: float(given[a, b]),
    }
    for scale, distance in measures.items():
        theirs = nltk_task(table, distance).alpha()  # type: ignore[attr-defined]
        full = Table(table.codes, table.values, table.items, numbers, given)
        assert value(krippendorff_alpha(full, scale, resamples=0)) == pytest.approx(theirs, abs=1e-9)


def test_kappa_of_several_raters_equals_nltks_mean_over_pairs() -> None:
    table = drawn(5, missing=0.0)
    theirs = nltk_task(table, lambda a, b: float(a != b)).kappa()  # type: ignore[attr-defined]
    assert value(cohen_kappa(table, resamples=0)) == pytest.approx(theirs, abs=1e-12)
    assert value(percent_agreement(table, resamples=0)) == pytest.approx(
        nltk_task(table, lambda a, b: float(a != b)).avg_Ao()  # type: ignore[attr-defined]
    )


def test_a_pair_without_kappa_is_left_out_of_the_mean_and_named() -> None:
    first = [(0, 0), (1, 1), (2, 2), (1, 0), (2, 1), (0, 0)]
    rows = [(a, b, MISSING) for a, b in first] + [(0, MISSING, 0)] * 4
    table = table_of(rows, 3)
    assert pair_kappas(table) == {(0, 1): pytest.approx(value(cohen_kappa(table_of(first, 3)))), (0, 2): None}
    ours = cohen_kappa(table)
    assert value(ours) == pytest.approx(value(cohen_kappa(table_of(first, 3))))
    assert ours.units == 10
    assert ours.low is not None
    two = table_of([*[(a, b, a) for a, b in first], (0, 1, 1)], 3)
    kappas = pair_kappas(two, Weights.QUADRATIC)
    assert len(kappas) == 3
    assert value(cohen_kappa(two, Weights.QUADRATIC)) == pytest.approx(sum(map(float, kappas.values())) / 3)


# --- what must hold --------------------------------------------------------------------------------------------
def test_ordinal_alpha_is_interval_alpha_of_mid_ranks() -> None:
    table = drawn(7)
    answers = table.codes[(table.codes != MISSING).sum(axis=1) >= 2]
    n = np.bincount(answers[answers != MISSING], minlength=4)
    ranks = Table(table.codes, 4, table.items, numbers=np.cumsum(n) - n / 2)
    assert value(krippendorff_alpha(table, Scale.ORDINAL, resamples=0)) == pytest.approx(
        value(krippendorff_alpha(ranks, Scale.INTERVAL, resamples=0))
    )


def test_where_nothing_varies_there_is_no_figure() -> None:
    same = table_of([[1, 1]] * 9, 3)
    assert krippendorff_alpha(same, Scale.NOMINAL) == Estimate(None, None, None, 9)
    assert cohen_kappa(same) == Estimate(None, None, None, 9)
    assert percent_agreement(same) == Estimate(1.0, 1.0, 1.0, 9)


def test_without_a_second_answer_there_is_no_figure() -> None:
    lonely = table_of([[1, MISSING], [MISSING, 0]], 2)
    nothing = Estimate(None, None, None, 0)
    assert krippendorff_alpha(lonely, Scale.ORDINAL) == nothing
    assert cohen_kappa(lonely) == percent_agreement(lonely) == nothing


def test_an_interval_that_rests_on_undefined_resamples_is_not_given() -> None:
    nearly = table_of([[1, 1]] * 30 + [[0, 1]], 2)
    estimate = krippendorff_alpha(nearly, Scale.NOMINAL)
    assert estimate.value is not None
    assert (estimate.low, estimate.high) == (None, None)


def test_a_scale_that_lacks_its_numbers_is_an_error() -> None:
    bare = Table(table_of([[0, 1]], 2).codes, 2, np.array([0]))
    for scale in (Scale.INTERVAL, Scale.GIVEN):
        with pytest.raises(ValueError, match=r"needs"):
            krippendorff_alpha(bare, scale)


def test_intervals_are_seeded_and_hold_the_value() -> None:
    table = drawn(11)
    first = krippendorff_alpha(table, Scale.ORDINAL, seed=3)
    assert first == krippendorff_alpha(table, Scale.ORDINAL, seed=3)
    assert first != krippendorff_alpha(table, Scale.ORDINAL, seed=4)
    assert first.low is not None
    assert first.high is not None
    assert first.low < value(first) < first.high


def test_units_of_one_item_are_drawn_together() -> None:
    """Ten copies of each unit carry no more information: the interval must not shrink."""
    table = drawn(2, missing=0.0, units=60)
    copied = Table(np.repeat(table.codes, 10, axis=0), 4, np.repeat(table.items, 10), numbers=table.numbers)
    one, ten = percent_agreement(table, seed=1), percent_agreement(copied, seed=1)
    assert ten.value == pytest.approx(one.value)
    assert (ten.low, ten.high) == pytest.approx((one.low, one.high))
    loose = percent_agreement(Table(copied.codes, 4, np.arange(600)), seed=1)
    assert loose.high is not None and loose.low is not None and one.high is not None and one.low is not None
    assert loose.high - loose.low < (one.high - one.low) / 2


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 1.0), 0.0),
        ((0.0, 0.0, 1.0, 1.0), (0.5, 0.0, 1.0, 1.0), 1 - 0.5 / 1.5),
        ((0.0, 0.0, 1.0, 1.0), (2.0, 2.0, 1.0, 1.0), 1.0),
        ((0.0, 0.0, 2.0, 2.0), (0.0, 0.0, 1.0, 1.0), 0.75),
        ((0.3, 0.3, 0.0, 0.0), (0.3, 0.3, 0.0, 0.0), 0.0),
        ((0.3, 0.3, 0.0, 0.0), (0.3, 0.4, 0.0, 0.0), 1.0),
    ],
)
def test_boxes_disagree_by_what_they_do_not_share(
    first: tuple[float, ...], second: tuple[float, ...], expected: float
) -> None:
    apart = box_disagreements(np.array([first, second, first]))
    np.testing.assert_allclose(apart, np.array([[0, expected, 0], [expected, 0, expected], [0, expected, 0]]))


def test_sets_disagree_by_what_they_do_not_share() -> None:
    assert set_disagreement(frozenset(), frozenset()) == 0.0
    assert set_disagreement(frozenset("ab"), frozenset("b")) == 0.5
    assert set_disagreement(frozenset("a"), frozenset("b")) == 1.0


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(-1, 3), min_size=3, max_size=3), min_size=2, max_size=12),
    st.permutations(range(3)),
)
def test_raters_and_units_have_no_order(rows: list[list[int]], order: list[int]) -> None:
    table = table_of(rows, 4)
    other = table_of([[row[r] for r in order] for row in rows[::-1]], 4)
    for scale in (Scale.NOMINAL, Scale.ORDINAL, Scale.INTERVAL):
        one, two = (
            krippendorff_alpha(table, scale, resamples=0),
            krippendorff_alpha(other, scale, resamples=0),
        )
        assert one.units == two.units
        assert one.value == pytest.approx(two.value)
        assert one.value is None or one.value <= 1.0


# --- known truths ----------------------------------------------------------------------------------------------
PREVALENCE = np.array([0.1, 0.3, 0.3, 0.2, 0.1])


def one_coin(accuracy: float) -> FloatArray:
    return np.full((5, 5), (1 - accuracy) / 4) * (1 - np.eye(5)) + accuracy * np.eye(5)


def answers_of(people: list[FloatArray], seed: int, items: int = 500) -> IntArray:
    random = np.random.default_rng(seed)
    truth = random.choice(5, size=items, p=PREVALENCE)
    columns = [
        (random.random((items, 1)) > np.cumsum(who[truth], axis=1)[:, :-1]).sum(axis=1) for who in people
    ]
    return np.stack(columns, axis=1)


def closed_forms(first: FloatArray, second: FloatArray) -> dict[str, float]:
    """Kappa and alpha of two people whose error rates are known, for infinitely many items."""
    joint = np.einsum("t,tj,tk->jk", PREVALENCE, first, second)
    rows, columns, both = joint.sum(1), joint.sum(0), (joint.sum(1) + joint.sum(0)) / 2
    ranks = np.arange(5.0)
    middle = np.cumsum(both) - both / 2
    apart = {
        "nominal": 1 - np.eye(5),
        "interval": np.subtract.outer(ranks, ranks) ** 2,
        "ordinal": np.subtract.outer(middle, middle) ** 2,
    }
    found = {
        f"kappa {name}": 1 - (joint * cost).sum() / (rows @ cost @ columns)
        for name, cost in apart.items()
        if name != "ordinal"
    }
    found |= {
        f"alpha {name}": 1 - (joint * cost).sum() / (both @ cost @ both) for name, cost in apart.items()
    }
    found["percent"] = float(np.trace(joint))
    return found


def covered(seeds: range, names: list[str], resamples: int) -> dict[str, int]:
    """In how many of the simulations the interval holds the closed form."""
    people = [one_coin(0.85), one_coin(0.7)]
    truth = closed_forms(*people)
    hits = dict.fromkeys(names, 0)
    for seed in seeds:
        table = Table(answers_of(people, seed), 5, np.arange(500), numbers=np.arange(5.0))
        for name in names:
            estimate = figure_of(name, table, resamples, 100_000 + seed)  # another stream than the data's
            assert estimate.low is not None
            assert estimate.high is not None
            hits[name] += estimate.low <= truth[name] <= estimate.high
    return hits


def figure_of(name: str, table: Table, resamples: int, seed: int) -> Estimate:
    kind, _, scale = name.partition(" ")
    if kind == "percent":
        return percent_agreement(table, resamples=resamples, seed=seed)
    if kind == "alpha":
        return krippendorff_alpha(table, Scale(scale), resamples=resamples, seed=seed)
    weights = Weights.NONE if scale == "nominal" else Weights.QUADRATIC
    return cohen_kappa(table, weights, resamples=resamples, seed=seed)


def test_intervals_hold_the_closed_form_in_a_small_set_of_simulations() -> None:
    hits = covered(range(60), ["kappa nominal", "alpha ordinal"], resamples=300)
    assert all(52 <= n <= 60 for n in hits.values()), hits


@pytest.mark.long
def test_intervals_hold_the_closed_form_in_90_to_98_of_100_simulations() -> None:
    names = ["percent", "kappa nominal", "kappa interval", "alpha nominal", "alpha ordinal", "alpha interval"]
    hits = covered(range(200), names, resamples=1000)
    print({name: f"{n / 2:.1f} %" for name, n in hits.items()})
    assert all(180 <= n <= 196 for n in hits.values()), hits


def test_many_items_come_near_the_closed_form() -> None:
    people = [one_coin(0.85), one_coin(0.7)]
    table = Table(answers_of(people, 1, items=60_000), 5, np.arange(60_000), numbers=np.arange(5.0))
    for name, truth in closed_forms(*people).items():
        assert value(figure_of(name, table, 0, 0)) == pytest.approx(truth, abs=0.012), name

"""The choice: exact against brute force, complete, and named when impossible."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.curation.cover import left_uncovered, smallest_cover
from benchwright.curation.select import choose, growth_order
from benchwright.curation.select_items import Candidate, frequencies, points_at, pool_digest
from benchwright.curation.select_rules import Rules, bands, frequency_targets, must_cover, outside
from benchwright.curation.select_solver import Program
from benchwright.schemas.errors import InfeasibleError, UsageError
from benchwright.schemas.selection import ChoiceSettings, Weights


def item(
    number: int,
    *points: str,
    subject: str = "s",
    difficulty: int = 3,
    cluster: int = 0,
    centrality: float = 0.0,
):
    return Candidate(f"q{number:04}", subject, difficulty, cluster, centrality, tuple(sorted(points)))


def rules(n: int, **changes) -> ChoiceSettings:
    return ChoiceSettings(**{"n": n, "max_per_cluster": 2, "seed": 7, "gap_limit": 0.0, **changes})


@st.composite
def pools(draw) -> list[Candidate]:
    size = draw(st.integers(1, 10))
    names = [f"p{i}" for i in range(draw(st.integers(1, 5)))]
    items = []
    for number in range(size):
        cluster = draw(st.integers(0, 2))
        own = draw(st.sets(st.sampled_from(names), max_size=3))
        items.append(
            Candidate(
                f"q{number}",
                draw(st.sampled_from(["a", "b", "c"])),
                draw(st.integers(1, 5)),
                cluster,
                draw(st.integers(0, 10)) / 10,
                points_at(own, cluster, None),
            )
        )
    return items


@st.composite
def choices(draw) -> tuple[list[Candidate], ChoiceSettings]:
    pool = draw(pools())
    quota = st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(0, 3), min_size=1)
    levels = st.dictionaries(st.sampled_from("12345"), st.integers(0, 2), min_size=1)
    return pool, rules(
        draw(st.integers(1, 5)),
        max_per_cluster=draw(st.integers(1, 3)),
        stand_ins_hard=draw(st.booleans()),
        subject_quota=draw(st.none() | quota),
        difficulty_quota=draw(st.none() | st.none() | levels),
        quota_tolerance=draw(st.integers(0, 2)),
        subject_tolerance=draw(st.sampled_from([0.0, 0.1, 0.5])),
        weights=Weights(
            crowding=draw(st.sampled_from([0.0, 0.5, 3.0])), quota=draw(st.sampled_from([0.0, 2.0]))
        ),
    )


def allowed(chosen: tuple[Candidate, ...], pool: list[Candidate], setting: ChoiceSettings) -> bool:
    """The hard rules, spelled out."""
    held = {point for item in chosen for point in item.points}
    if not held.issuperset(must_cover(frequencies(pool), setting)):
        return False
    for kind, quota in (("subject", setting.subject_quota), ("difficulty", setting.difficulty_quota)):
        counts = Counter(str(getattr(item, kind)) for item in chosen)
        for value, wanted in (quota or {}).items():
            if abs(counts[value] - wanted) > setting.quota_tolerance:
                return False
    return True


@settings(max_examples=150, deadline=None)
@given(choices())
def test_choice_is_the_best_of_all_subsets_or_impossible(case):
    pool, setting = case
    worths = [
        Rules.of(pool, setting).worth(chosen)
        for chosen in combinations(pool, setting.n)
        if allowed(chosen, pool, setting)
    ]
    if not worths:
        with pytest.raises(InfeasibleError) as caught:
            choose("pool", pool, setting)
        assert caught.value.conflict in {
            "budget-exceeds-pool",
            "quotas-exceed-budget",
            "quotas-below-budget",
            "quota-exceeds-supply",
            "cover-exceeds-budget",
            "quotas-against-cover",
        }
        return
    choice = choose("pool", pool, setting)
    assert len(choice.chosen) == len({item.question_id for item in choice.chosen}) == setting.n
    assert allowed(choice.chosen, pool, setting)
    assert choice.objective == pytest.approx(max(worths), abs=1e-6)
    assert choice.bound == pytest.approx(max(worths), abs=1e-5)
    assert choice.bound >= choice.objective
    assert choice.status == "optimal"


@settings(max_examples=100, deadline=None)
@given(pools())
def test_smallest_cover_agrees_with_trying_all(pool):
    points = list(frequencies(pool))
    for size in range(len(pool) + 1):
        if any(
            {p for item in chosen for p in item.points}.issuperset(points)
            for chosen in combinations(pool, size)
        ):
            break
    cover = smallest_cover(pool, points)
    assert (cover.size, cover.lower_bound, cover.proven) == (size, size, True)
    if size:
        left = left_uncovered(pool, points, size - 1)
        best = max(len({p for i in chosen for p in i.points}) for chosen in combinations(pool, size - 1))
        assert len(left) == len(points) - best > 0


def test_a_large_pool_only_has_to_know_on_which_side_of_the_budget_its_cover_lies():
    random = Random(5)
    pool = [item(i, *[f"p{random.randrange(300)}" for _ in range(3)]) for i in range(1500)]
    points = list(frequencies(pool))
    roomy, tight = smallest_cover(pool, points, enough=250), smallest_cover(pool, points, enough=60)
    assert roomy.lower_bound <= roomy.size <= 250
    assert 60 < tight.lower_bound <= tight.size
    with pytest.raises(InfeasibleError, match=r"needs at least \d+ questions, the budget is 60"):
        choose("pool", pool, rules(60))


@settings(max_examples=40, deadline=None)
@given(pools(), st.randoms(use_true_random=False))
def test_order_of_the_pool_does_not_matter(pool, random: Random):
    setting = rules(1)
    shuffled = random.sample(pool, len(pool))
    assert pool_digest(pool) == pool_digest(shuffled)
    try:
        first = choose("pool", pool, setting)
    except InfeasibleError as error:
        with pytest.raises(InfeasibleError, match=str(error).split(":")[0].replace("(", r"\(")):
            choose("pool", shuffled, setting)
    else:
        assert first == choose("pool", shuffled, setting)


def test_interchangeable_items_are_taken_by_centrality_then_id():
    pool = [item(i, "p", centrality=0.5) for i in range(30)] + [item(90, "p", centrality=0.9)]
    chosen = choose("pool", pool, rules(3, max_per_cluster=9)).chosen
    assert [one.question_id for one in chosen] == ["q0090", "q0000", "q0001"]


def test_frequent_points_get_more_places_but_not_all():
    pool = [item(i, "often", cluster=i) for i in range(64)] + [
        item(100 + i, "rare", cluster=i) for i in range(4)
    ]
    targets = frequency_targets(pool, 20)
    assert targets == {"often": 16, "rare": 4}
    counts = Counter(point for one in choose("pool", pool, rules(20)).chosen for point in one.points)
    assert counts == {"often": 16, "rare": 4}


def test_levels_are_mixed_as_evenly_as_the_pool_allows():
    pool = [item(i, "p", difficulty=1 + (i >= 80) + (i >= 95), cluster=i) for i in range(100)]
    setting = rules(30, difficulty_tolerance=0.0)
    assert [(band.rule, band.lower, band.upper) for band in bands(pool, setting)][:3] == [
        ("difficulty:1", 12, 13),
        ("difficulty:2", 12, 13),
        ("difficulty:3", 5, 5),
    ]
    counts = Counter(one.difficulty for one in choose("pool", pool, setting).chosen)
    assert counts[3] == 5 and {counts[1], counts[2]} == {12, 13}


def test_a_crowded_cluster_is_avoided_and_a_missed_soft_rule_is_told():
    pool = [item(i, "p", centrality=1.0) for i in range(6)] + [
        item(10 + i, "p", cluster=1 + i) for i in range(2)
    ]
    setting = rules(4, max_per_cluster=2)
    clusters = Counter(one.cluster for one in choose("pool", pool, setting).chosen)
    assert clusters == {0: 2, 1: 1, 2: 1}
    crowded = choose("pool", pool, rules(6, max_per_cluster=2))
    assert Counter(one.cluster for one in crowded.chosen)[0] == 4


def test_growth_order_starts_with_what_covers_most():
    pool = [item(1, "a"), item(2, "a", "b", "c"), item(3, "d", "a")]
    order = growth_order(pool, Rules.of(pool, rules(3)))
    assert [one.question_id for one in order] == ["q0002", "q0003", "q0001"]


def test_points_are_cut_to_the_path_level_and_replaced_by_the_cluster_where_missing():
    assert points_at(["A/B/C", "A/B/D", "E"], 4, 2) == ("A/B", "E")
    assert points_at([], 4, 2) == ("cluster:4",)


def test_SEL_01_a_quota_that_contradicts_the_budget_is_refused_and_a_possible_one_is_kept_in_any_file_order():
    pool = [
        item(i, "p", subject="mechanics" if i < 900 else "optics" if i < 960 else "thermodynamics", cluster=i)
        for i in range(1000)
    ]
    quota = {"mechanics": 30, "optics": 30, "thermodynamics": 30}
    with pytest.raises(InfeasibleError, match=r"at least 90 questions together, the budget is 60") as caught:
        choose("physics", pool, rules(60, subject_quota=quota))
    assert caught.value.conflict == "quotas-exceed-budget"
    with pytest.raises(InfeasibleError, match=r"at most 90 questions together, the budget is 100") as caught:
        choose("physics", pool, rules(100, subject_quota=quota))
    assert caught.value.conflict == "quotas-below-budget"
    for order in (pool, pool[::-1]):
        chosen = choose("physics", order, rules(90, subject_quota=quota)).chosen
        assert Counter(one.subject for one in chosen) == quota
    with pytest.raises(
        InfeasibleError, match=r"subject:thermodynamics of physics asks for at least 41 .* has 40"
    ):
        choose("physics", pool, rules(90, subject_quota={"thermodynamics": 41}))


def test_SEL_03_a_rare_tag_is_always_in_or_named():
    tags = ["a"] * 4 + ["b"] * 3 + ["ab", "c", "bc"]
    pool = [item(number, *points) for number, points in enumerate(tags)]
    chosen = choose("tags", pool, rules(2)).chosen
    assert {point for one in chosen for point in one.points} == {"a", "b", "c"}
    without = [one for one in pool if one.question_id not in ("q0007", "q0009")]
    with pytest.raises(
        InfeasibleError, match=r"needs 3 questions, the budget is 2: .*uncovered, for example [abc]\b"
    ):
        choose("tags", without, rules(2))


def test_quotas_that_exclude_coverage_name_the_smallest_relaxation():
    pool = [
        item(0, "a", subject="x"),
        item(1, "b", subject="y"),
        item(2, "a", subject="x"),
        item(3, "a", subject="x"),
    ]
    with pytest.raises(InfeasibleError) as caught:
        choose("physics", pool, rules(2, subject_quota={"x": 2, "y": 0}))
    assert caught.value.conflict == "quotas-against-cover"
    assert "widens subject:x by 1, subject:y by 1" in str(caught.value)


def test_budget_above_the_pool_is_named():
    with pytest.raises(InfeasibleError, match="has 1 questions, the budget is 2") as caught:
        choose("physics", [item(0, "a")], rules(2))
    assert caught.value.conflict == "budget-exceeds-pool"


def test_soft_bands_are_missed_rather_than_the_cover():
    pool = [item(i, f"p{i}", difficulty=1, cluster=i) for i in range(4)]
    pool += [item(10 + i, "q", difficulty=5, cluster=10 + i) for i in range(10)]
    setting = rules(5, difficulty_tolerance=0.0)
    choice = choose("pool", pool, setting)
    counts = Counter(f"difficulty:{one.difficulty}" for one in choice.chosen)
    assert counts == {"difficulty:1": 4, "difficulty:5": 1}
    assert [outside(band, counts[band.rule]) for band in bands(pool, setting)[:2]] == [1, 1]


def test_time_that_runs_out_before_any_choice_is_found_says_what_to_raise():
    """A market split problem: an answer exists, and nobody finds it in a moment."""
    random = Random(1)
    program = Program()
    columns = [program.variable(0.0, upper=1.0, whole=True) for _ in range(40)]
    hidden = [random.random() < 0.5 for _ in columns]
    for _ in range(5):
        weights = {column: float(random.randint(1, 99)) for column in columns}
        total = sum(weights[column] for column in columns if hidden[column])
        program.row(weights, lower=total, upper=total)
    with pytest.raises(UsageError, match=r"no selection within 0\.2 s: raise time_limit"):
        program.solve(time_limit=0.2)


def test_an_answer_worth_less_than_the_solver_says_is_solved_again():
    """Found by the test above: the solver's worth was right (5.04), the answer beside it was worth 5.02."""
    rows = [
        ("b", 0.0, "cluster:0"), ("c", 0.1, "cluster:0"), ("a", 0.1, "cluster:0"), ("b", 0.0, "p0"),
        ("b", 0.0, "p0"), ("a", 0.0, "p0 p1"), ("b", 0.0, "p0 p1"),
    ]  # fmt: skip
    pool = [
        Candidate(f"q{place}", subject, 1, 0, centrality, tuple(points.split()))
        for place, (subject, centrality, points) in enumerate(rows)
    ]
    settings = ChoiceSettings(
        n=4, subject_quota={"b": 3, "a": 2}, quota_tolerance=1, subject_tolerance=0.0, max_per_cluster=1,
        weights=Weights(quota=0.0, crowding=0.0), gap_limit=0.0, seed=7,
    )  # fmt: skip
    choice = choose("pool", pool, settings)
    assert (choice.objective, choice.status) == (pytest.approx(5.04), "optimal")

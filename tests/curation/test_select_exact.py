"""The reduced search against trying all selections and against the program over all items, with every kind of rule."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest

from benchwright.curation.select import choose, choose_deepest, preview
from benchwright.curation.select_items import Candidate, points_at
from benchwright.curation.select_model import model_of
from benchwright.curation.select_rules import Rules
from benchwright.curation.select_search import Effort, search
from benchwright.schemas.errors import InfeasibleError, UsageError
from benchwright.schemas.selection import ChoiceSettings, Weights


def made_pool(random: Random, size: int, points: int = 6) -> list[Candidate]:
    """Questions that share clusters, chapters, templates, groups and pictures; none to three points each."""

    def shared(letter: str, values: int, share: float) -> str | None:
        return f"{letter}{random.randrange(values)}" if random.random() < share else None

    items = []
    for number in range(size):
        cluster = random.randrange(4)
        own = {f"A/p{random.randrange(points)}" for _ in range(random.choice([0, 1, 1, 2, 3]))}
        images = {shared("i", size // 2, 0.5), shared("i", size // 2, 0.2)} - {None}
        items.append(
            Candidate(
                f"q{number:03}",
                random.choice("ab"),
                random.randint(1, 3),
                cluster,
                round(random.random(), 6),
                points_at(own, cluster, None),
                template=shared("t", size // 2, 0.6),
                group=shared("g", size // 2, 0.4),
                images=tuple(sorted(images)),
                chapter=shared("c", 3, 0.8),
            )
        )
    return items


def made_settings(random: Random, n: int) -> ChoiceSettings:
    return ChoiceSettings(
        n=n,
        max_per_cluster=random.randint(1, 3),
        cluster_hard=random.random() < 0.4,
        max_per_chapter=random.randint(1, 3),
        max_per_template=random.choice([1, 1, 2, None]),
        stand_ins_hard=random.random() < 0.2,
        subject_quota={"a": random.randint(0, n)} if random.random() < 0.3 else None,
        quota_tolerance=1,
        difficulty_tolerance=random.choice([0.0, 0.2]),
        weights=Weights(crowding=random.choice([0.5, 3.0]), chapter=random.choice([0.25, 2.0])),
        gap_limit=0.0,
        seed=3,
    )


def best_by_trying(pool: list[Candidate], rules: Rules, kept: set[str]) -> float | None:
    return max(
        (
            rules.worth(chosen)
            for chosen in combinations(pool, rules.n)
            if kept <= {item.question_id for item in chosen} and not rules.broken(chosen)
        ),
        default=None,
    )


def test_a_hundred_small_pools_agree_with_trying_every_selection():
    found, refused = 0, 0
    for seed in range(100):
        random = Random(seed)
        pool = made_pool(random, random.randint(8, 13), points=4)
        settings = made_settings(random, random.randint(2, 5))
        kept = {random.choice(pool).question_id} if seed % 3 == 0 else set()
        best = best_by_trying(pool, Rules.of(pool, settings), kept)
        if best is None:
            refused += 1
            with pytest.raises(InfeasibleError):
                choose("pool", pool, settings, fixed=kept)
            continue
        found += 1
        choice = choose("pool", pool, settings, fixed=kept)
        assert choice.objective == pytest.approx(best, abs=1e-6), seed
        assert best - 1e-6 <= choice.bound <= best + 1e-4, seed
        assert choice.status == "optimal" and choice.priced_bound >= best - 1e-6
        assert kept <= {item.question_id for item in choice.chosen}
    assert found >= 40 and refused >= 20


def test_a_hundred_reduced_searches_agree_with_the_program_over_all_items():
    """Only the best item of each rule and n more enter at first: most of the pool is priced, not solved."""
    left_out = 0
    for seed in range(100):
        random = Random(1000 + seed)
        pool = made_pool(random, 60)
        settings = made_settings(random, 8).model_copy(
            update={"subject_quota": None, "cluster_hard": False, "max_per_cluster": 3}
        )
        rules = Rules.of(pool, settings)
        model = model_of(pool, rules)
        whole = model.part(np.arange(len(pool)), whole=True).linear.solve()
        try:
            start = sorted(int(item.question_id[1:]) for item in choose("pool", pool, settings).chosen[::-1])
        except InfeasibleError:
            assert whole is None
            continue
        assert whole is not None
        # A poor start: what is best for nobody's centrality; the search has to find the rest itself.
        poor = _any_allowed(pool, rules, start)
        found = search(model, np.array(poor), Effort(0.0, 60.0, seed, small=0, margin=1))
        chosen = [pool[index] for index in found.chosen]
        assert rules.broken(chosen) == []
        assert rules.worth(chosen) == pytest.approx(whole.objective, abs=1e-6), seed
        assert found.value == pytest.approx(whole.objective, abs=1e-6)
        assert whole.objective - 1e-6 <= found.bound <= whole.objective + 1e-4
        assert found.priced_bound >= whole.objective - 1e-6
        left_out += len(pool) - found.columns
    assert left_out > 1000


def _any_allowed(pool: list[Candidate], rules: Rules, start: list[int]) -> list[int]:
    """A selection that keeps the rules and is worth less, if one exchange gives one."""
    worst, value = start, rules.worth([pool[index] for index in start])
    for out in start:
        for into in set(range(len(pool))) - set(start):
            other = sorted({*start, into} - {out})
            chosen = [pool[index] for index in other]
            if not rules.broken(chosen) and rules.worth(chosen) < value:
                worst, value = other, rules.worth(chosen)
    return worst


def test_prices_prove_a_bound_whatever_they_are():
    """Weak duality: no price, however odd, gives a bound below the best selection."""
    for seed in range(30):
        random = Random(seed)
        pool = made_pool(random, 10, points=3)
        settings = made_settings(random, 3)
        rules = Rules.of(pool, settings)
        best = best_by_trying(pool, rules, set())
        if best is None:
            continue
        model = model_of(pool, rules)
        for _ in range(20):
            prices = model.allowed_prices(np.array([random.uniform(-3, 3) for _ in model.names]))
            assert model.priced(prices).bound >= best - 1e-9


def item(number: int, *points: str, **more) -> Candidate:
    values = {"subject": "s", "difficulty": 3, "cluster": 0, "centrality": 0.5, **more}
    return Candidate(f"q{number}", points=tuple(points), **values)


def rules(n: int, **more) -> ChoiceSettings:
    return ChoiceSettings(**{"n": n, "max_per_cluster": 9, "seed": 1, "gap_limit": 0.0, **more})


@pytest.mark.parametrize("family", ["template", "group", "image"])
def test_one_of_each_template_duplicate_group_and_picture(family):
    like = {"image": {"images": ("f" * 64,)}}.get(family, {family: "x"})
    pool = [item(n, "p", centrality=1.0, **like) for n in range(3)] + [item(9, "p", centrality=0.0)]
    chosen = {one.question_id for one in choose("pool", pool, rules(2)).chosen}
    assert chosen == {"q0", "q9"}
    with pytest.raises(InfeasibleError, match=rf"widens {family}:.* by 1 .max_per_{family}") as caught:
        choose("pool", pool, rules(3))
    assert caught.value.conflict == "rules-against-cover"
    free = rules(3, **{f"max_per_{family}": None})
    assert len(choose("pool", pool, free).chosen) == 3


def test_chapters_are_spread_where_that_costs_little():
    pool = [item(n, "p", chapter="one", centrality=0.9) for n in range(4)]
    pool += [item(9, "p", chapter="two", centrality=0.2), item(8, "p", chapter="three", centrality=0.2)]
    chosen = {one.chapter for one in choose("pool", pool, rules(4, max_per_chapter=2)).chosen}
    assert chosen == {"one", "two", "three"}
    alone = {one.chapter for one in choose("pool", pool, rules(4)).chosen}
    assert alone == {"one"}


def test_pinned_and_fixed_questions_stay_and_banned_ones_do_not_come():
    pool = [item(n, "p", centrality=n / 10) for n in range(10)]
    pool[0] = item(0, "p", centrality=0.0, pinned="recipe")
    chosen = choose("pool", pool, rules(3), fixed=["q1"], banned=["q9"]).chosen
    assert {one.question_id for one in chosen} == {"q0", "q1", "q8"}
    with pytest.raises(InfeasibleError, match="3 questions of pool must stay, the budget is 2") as caught:
        choose("pool", pool, rules(2), fixed=["q1", "q2"])
    assert caught.value.conflict == "fixed-exceed-budget"
    with pytest.raises(UsageError, match="q77 must stay but is not offered"):
        choose("pool", pool, rules(2), fixed=["q77"])
    with pytest.raises(UsageError, match="q1 must stay and must not be chosen"):
        choose("pool", pool, rules(2), fixed=["q1"], banned=["q1"])
    twins = [item(n, "p", template="t", pinned="reviewed") for n in range(2)] + pool
    with pytest.raises(InfeasibleError, match=r"must stay share template:t \(2 of them, 1 may\)") as caught:
        choose("pool", twins[:2] + pool[2:], rules(3))
    assert caught.value.conflict == "fixed-against-rules"
    with pytest.raises(InfeasibleError, match="no question is left for rare") as caught:
        choose("pool", [*pool, item(20, "rare")], rules(3), banned=["q20"])
    assert caught.value.conflict == "points-without-supply"


def test_single_label_pool_with_more_points_than_budget_names_the_level_that_fits():
    pool = [item(n, f"{n % 4}/{n % 12}/{n % 40}", centrality=0.5) for n in range(80)]
    with pytest.raises(
        InfeasibleError, match=r"needs 80 questions, the budget is 15.* path_level = 2"
    ) as caught:
        choose("pool", pool, rules(15, max_per_cluster=99))
    assert caught.value.conflict == "cover-exceeds-budget"
    choice, items, settings, refused = choose_deepest("pool", pool, rules(15, max_per_cluster=99))
    assert (settings.path_level, len(choice.chosen), choice.status) == (2, 15, "optimal")
    assert {point for one in choice.chosen for point in one.points} == {
        p for one in items for p in one.points
    }
    assert [(level.path_level, level.conflict) for level in refused] == [(3, "cover-exceeds-budget")]
    with pytest.raises(InfeasibleError, match="no path level fits"):
        choose_deepest("pool", pool, rules(3))


def test_a_preview_keeps_the_rules_where_exchanges_can_and_is_never_above_the_bound():
    kept = 0
    for seed in range(40):
        random = Random(seed)
        pool = made_pool(random, 60)
        settings = made_settings(random, 12)
        try:
            exact = choose("pool", pool, settings)
        except InfeasibleError:
            continue
        quick = preview("pool", pool, settings)
        assert quick.status == "preview" and len(quick.chosen) <= 12
        if not Rules.of(pool, settings).broken(quick.chosen):
            kept += 1
            assert quick.objective <= exact.objective + 1e-6 <= quick.bound + 1e-6
    assert kept >= 10

"""Item statistics held against scipy, and what flags an item, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, pearsonr

from benchwright.eval.metrics.item_stats import (
    Answered,
    Item,
    ItemFigures,
    flags_of,
    item_figures,
    item_rest,
    mean_scores,
)


def items(n: int, chance: float = 0.25) -> list[Item]:
    return [Item(f"r{i}", f"p{i}", chance) for i in range(n)]


def model(name: str, right: set[int], n: int, wrong: dict[str, str] | None = None) -> Answered:
    return Answered(name, {f"r{i}": float(i in right) for i in range(n)}, wrong or {})


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_item_rest_is_pearsons_correlation_with_all_other_problems(seed: int) -> None:
    generator = np.random.default_rng(seed)
    scores = (generator.random((9, 8)) < 0.6).astype(float)
    scores[generator.random((9, 8)) < 0.05] = np.nan
    problems = ["a", "a", "b", "c", "d", "d", "e", "f"]
    found = item_rest(scores, problems)
    for place in range(8):
        others = [i for i in range(8) if problems[i] != problems[place]]
        pairs = [(line[place], np.nanmean(line[others])) for line in scores if not np.isnan(line[place])]
        here, rest = zip(*pairs, strict=True)
        if len(pairs) < 8 or len(set(here)) == 1:
            assert np.isnan(found[place])
        else:
            assert found[place] == pytest.approx(pearsonr(here, rest).statistic, abs=1e-9)


def test_a_planted_wrong_key_is_suspected() -> None:
    # Twelve models of rising skill on twenty items; on item 7 the key is wrong: only the four weakest "hit" it.
    models = [model(f"m{skill}", {i for i in range(20) if i < skill + 6 and i != 7} | ({7} if skill < 4 else set()), 20)
              for skill in range(12)]  # fmt: skip
    figures = item_figures(items(20), models)
    suspect = [
        one.row_id for one in figures for flag in flags_of(one, ("run",)) if flag.kind == "suspect-key"
    ]
    assert suspect == ["r7"]
    planted = next(one for one in figures if one.row_id == "r7")
    assert planted.item_rest is not None and planted.item_rest < -0.7
    assert (planted.respondents, planted.share_correct) == (12, 4 / 12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_among_the_lowest_of_a_thousand_items_most_have_a_planted_wrong_key(seed: int) -> None:
    # 16 models of normal ability, 2PL items, 8 % with a reversed key: of the 40 lowest items most are planted ones.
    generator = np.random.default_rng(seed)
    ability, slope = generator.normal(size=(16, 1)), generator.lognormal(0.0, 0.3, 1000)
    right = 1 / (1 + np.exp(-slope * (ability - generator.normal(size=1000))))
    planted = generator.random(1000) < 0.08
    scores = (generator.random((16, 1000)) < np.where(planted, 1 - right, right)).astype(float)
    found = item_rest(scores, [f"p{i}" for i in range(1000)])
    lowest = np.argsort(np.where(np.isnan(found), 1.0, found))[:40]
    assert planted[lowest].mean() >= 0.6


def test_too_few_models_say_nothing() -> None:
    three = item_figures(items(2), [model(f"m{i}", {0}, 2) for i in range(3)])
    assert [one.share_correct for one in three] == [1.0, 0.0]
    assert [one.item_rest for one in three] == [None, None]
    assert all(flags_of(one, ()) == () for one in three)
    four = item_figures(items(2), [model(f"m{i}", {0}, 2) for i in range(4)])
    assert [[flag.kind for flag in flags_of(one, ())] for one in four] == [["ceiling"], ["dead"]]
    seven = item_figures(items(3), [model(f"m{i}", {i % 3}, 3) for i in range(7)])
    assert [one.item_rest for one in seven] == [None] * 3


def test_models_that_agree_on_another_answer_make_the_key_suspect() -> None:
    said = ["c", "c", "c", "c", "b"]
    models = [model(f"m{i}", set(), 1, {"r0": answer}) for i, answer in enumerate(said)]
    (one,) = item_figures(items(1), models)
    assert (one.agreed_answer, one.agreeing) == ("c", 4)
    assert [flag.kind for flag in flags_of(one, ("x",))] == ["dead", "suspect-key"]
    # 4 of 6 are fewer than three quarters; 3 of 3 are too few.
    six = item_figures(items(1), [*models, model("m9", {0}, 1)])
    assert [flag.kind for flag in flags_of(six[0], ())] == []
    three = item_figures(items(1), models[:3])
    assert [flag.kind for flag in flags_of(three[0], ())] == []


def test_blind_solvable_is_more_often_right_than_a_guesser() -> None:
    full = [model("a", {0}, 1)]
    for right, of, flagged in (
        (1, 1, False),
        (2, 2, False),
        (2, 3, False),
        (3, 3, True),
        (3, 4, False),
        (4, 5, True),
    ):
        blind = [model(f"b{i}", {0} if i < right else set(), 1) for i in range(of)]
        (one,) = item_figures(items(1), full, blind)
        assert (one.blind_right, one.blind_respondents, one.respondents) == (right, of, 1)
        assert one.p_blind == pytest.approx(binom.sf(right - 1, of, 0.25))
        assert ([flag.kind for flag in flags_of(one, ())] == ["blind-solvable"]) is flagged
    # Nobody guesses a free-form answer.
    (free,) = item_figures(items(1, chance=0.0), full, [model("b", {0}, 1)])
    assert [flag.kind for flag in flags_of(free, ())] == ["blind-solvable"]
    (none,) = item_figures(items(1, chance=0.0), full, [model("b", set(), 1)])
    assert flags_of(none, ()) == ()


def test_several_runs_of_a_model_are_one_respondent() -> None:
    scores = mean_scores([{"r0": 1.0, "r1": 0.0}, {"r0": 0.0}, {"r0": 1.0, "r1": 0.0}])
    assert scores == {"r0": pytest.approx(2 / 3), "r1": 0.0}
    (one, _) = item_figures(items(2), [Answered("m", scores)])
    assert (one.respondents, one.share_correct) == (1, pytest.approx(2 / 3))


def test_rows_that_nobody_answered_have_no_figures() -> None:
    (one,) = item_figures(items(1), [])
    assert (one.respondents, one.share_correct, one.item_rest, one.p_blind) == (0, None, None, None)
    assert flags_of(one, ()) == ()
    assert item_figures([], []) == ()


def test_a_flag_carries_the_figures_behind_it() -> None:
    figures = ItemFigures(
        row_id="r0",
        problem_id="p0",
        respondents=9,
        share_correct=0.0,
        item_rest=None,
        blind_respondents=0,
        blind_right=0,
        chance=0.2,
        p_blind=None,
        agreed_answer=None,
        agreeing=0,
    )
    (flag,) = flags_of(figures, ("run-1", "run-2"))
    assert flag.kind == "dead" and flag.runs == ("run-1", "run-2") and flag.respondents == 9

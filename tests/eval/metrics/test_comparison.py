"""Several runs on the same rows: pairs, Holm, and ties in place of a ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from benchwright.eval.metrics.cells import Scored
from benchwright.eval.metrics.comparison import Comparison, Entrant, compare, letters_of
from benchwright.eval.metrics.step_metrics import StepScored
from benchwright.eval.reports.comparison_page import comparison_markdown

Rows = Callable[..., Scored]


def run(judged: Rows, name: str, right: Sequence[int], n: int = 100) -> Entrant:
    rows = [judged(f"p{i:03}", "consistent" if i in right else "inconsistent") for i in range(n)]
    return Entrant(name, rows)


def accuracy(runs: list[Entrant]) -> Comparison:
    (found,) = compare(runs)
    assert found.metric == "accuracy"
    return found


def test_runs_that_are_not_told_apart_share_a_place(judged: Rows) -> None:
    # 60, 57 and 20 of 100: the first two differ on 7 rows only.
    found = accuracy(
        [run(judged, "c", range(20)), run(judged, "a", range(60)), run(judged, "b", range(3, 60))]
    )
    assert [(one.run_id, one.best, one.worst, one.letters) for one in found.standings] == [
        ("a", 1, 2, "a"),
        ("b", 1, 2, "a"),
        ("c", 3, 3, "b"),
    ]
    overall = {frozenset((pair.a, pair.b)): pair for pair in found.pairs if not pair.by}
    tied = overall[frozenset("ab")]
    assert not tied.told_apart and tied.difference == pytest.approx(-0.03)
    assert (tied.only_a, tied.only_b, tied.p_method) == (3, 0, "mcnemar exact")
    assert tied.p == 2 / 8
    clear = overall[frozenset("ac")]
    assert clear.told_apart and clear.p_holm is not None and clear.p_holm < 1e-9


def test_not_told_apart_is_not_handed_on(judged: Rows) -> None:
    # a ~ b and b ~ c, but a and c are told apart: b shares a letter with both.
    found = accuracy([run(judged, "a", range(56)), run(judged, "b", range(51)), run(judged, "c", range(46))])
    letters = {one.run_id: one.letters for one in found.standings}
    places = {one.run_id: (one.best, one.worst) for one in found.standings}
    assert letters == {"a": "a", "b": "ab", "c": "b"}
    assert places == {"a": (1, 2), "b": (1, 3), "c": (2, 3)}


def test_holm_makes_many_comparisons_stricter(judged: Rows) -> None:
    # 6 against 0 discordant rows: p = 2/64 = 0.031 alone, told apart; among six comparisons no more.
    two = [run(judged, "a", range(50)), run(judged, "b", range(44))]
    alone = accuracy(two)
    assert alone.pairs[0].p == 2 / 64 and alone.pairs[0].told_apart
    four = accuracy([*two, run(judged, "c", range(47)), run(judged, "d", range(48))])
    pair = next(pair for pair in four.pairs if not pair.by and {pair.a, pair.b} == {"a", "b"})
    assert pair.p == 2 / 64 and pair.p_holm == pytest.approx(6 * 2 / 64) and not pair.told_apart
    assert {one.letters for one in four.standings} == {"a"}


def test_across_versions_whole_problems_are_drawn_and_within_one_mcnemar_is_used(judged: Rows) -> None:
    def over(name: str, right: range) -> Entrant:
        return Entrant(
            name,
            [
                judged(f"p{i:02}:{v}", "consistent" if i in right else "inconsistent", version=v)
                for i in range(40)
                for v in ("knowledge-free", "vision-only")
            ],
        )

    found = accuracy([over("a", range(10)), over("b", range(30))])
    methods = {(pair.by, pair.key): (pair.p_method, pair.n_pairs) for pair in found.pairs}
    assert methods == {
        ((), ()): ("bootstrap over problems", 80),
        (("version", "language"), ("knowledge-free", "en")): ("mcnemar exact", 40),
        (("version", "language"), ("vision-only", "en")): ("mcnemar exact", 40),
    }
    assert all(pair.told_apart for pair in found.pairs)


def test_a_row_without_an_outcome_leaves_the_pair(judged: Rows) -> None:
    one, other = run(judged, "a", range(50)), run(judged, "b", range(50))
    broken = [row.model_copy(update={"outcome": "unjudged"}) for row in other.rows[:10]]
    found = accuracy([one, Entrant("b", [*broken, *other.rows[10:]])])
    assert (found.pairs[0].n_pairs, found.pairs[0].left_out) == (90, 10)
    assert found.pairs[0].value_a == found.pairs[0].value_b == 40 / 90
    # The run that lacks rows bears the mark wherever its figure stands.
    assert {one.run_id: one.incomplete for one in found.standings} == {"a": False, "b": True}
    page = comparison_markdown([found], 100, {"a": "first", "b": "second"})
    assert "| second | 44.4 * |" in page and "| first | 50.0 |" in page


def test_runs_under_different_figures_are_not_compared(
    judged: Rows, stepped: Callable[..., StepScored]
) -> None:
    steps = [stepped(f"p{i}", (1, 1), (i % 2, 1)) for i in range(30)]
    direct, cot = run(judged, "a", range(5)), Entrant("b", steps=steps)
    assert compare([direct, cot]) == ()
    metrics = [found.metric for found in compare([direct, cot, Entrant("c", steps=steps)])]
    assert metrics == ["sci-cot-k", "sci-cot-l", "sci-cot"]


def test_letters_are_shared_exactly_by_those_not_told_apart() -> None:
    names = ["a", "b", "c", "d"]
    apart = frozenset({frozenset("ac"), frozenset("ad"), frozenset("bd")})
    letters = letters_of(names, apart)
    assert letters == {"a": "a", "b": "ab", "c": "bc", "d": "c"}
    for one in names:
        for other in names:
            share = bool(set(letters[one]) & set(letters[other]))
            assert share == (frozenset((one, other)) not in apart)

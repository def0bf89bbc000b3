"""The mean of five versions, knowledge gain and vision loss, on the same problems and by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchwright.eval.metrics.cells import Scored
from benchwright.eval.metrics.step_metrics import StepScored
from benchwright.eval.metrics.totals import RunFigures, figures, rounded
from benchwright.eval.metrics.version_figures import Change
from benchwright.eval.reports.report_words import version_lines

FREE, LITE, RICH, SEEN, ONLY = (
    "knowledge-free",
    "knowledge-lite",
    "knowledge-rich",
    "vision-rich",
    "vision-only",
)
# Which of 40 problems are right in which version; vision-rich lacks the last ten.
RIGHT_IN = {FREE: range(20), LITE: range(22), RICH: range(30), SEEN: range(8, 20), ONLY: range(4)}
OUTCOMES = ("inconsistent", "consistent")
PROBLEMS = {FREE: 40, LITE: 40, RICH: 40, SEEN: 30, ONLY: 40}


@pytest.fixture
def rows(judged: Callable[..., Scored]) -> list[Scored]:
    return [
        judged(
            f"p{i:02}:{version}", "consistent" if i in RIGHT_IN[version] else "inconsistent", version=version
        )
        for version, n in PROBLEMS.items()
        for i in range(n)
    ]


def change(found: RunFigures, before: str, after: str) -> Change:
    return next(one for one in found.changes if (one.before, one.after, one.by) == (before, after, ()))


def test_all_of_sciverse_is_the_unweighted_mean_of_five_versions(rows: list[Scored]) -> None:
    found = figures(rows, [])
    mean = next(one for one in found.means if one.by == ())
    assert mean.values == (20 / 40, 22 / 40, 30 / 40, 12 / 30, 4 / 40)
    assert mean.mean == pytest.approx((0.5 + 0.55 + 0.75 + 0.4 + 0.1) / 5)
    # The figure over all 190 rows is another one: 88 of 190.
    assert next(cell for cell in found.cells if not cell.by).accuracy == 88 / 190
    assert mean.interval == "bootstrap over problems" and mean.n_problems == 40
    assert mean.low is not None and mean.high is not None and mean.low < mean.mean < mean.high
    assert not mean.incomplete


def test_gain_and_loss_rest_on_the_problems_that_both_versions_have(rows: list[Scored]) -> None:
    found = figures(rows, [])
    gain = change(found, FREE, RICH)
    assert (gain.name, gain.n_pairs, gain.value_before, gain.value_after) == ("knowledge gain", 40, 0.5, 0.75)
    assert gain.change == 0.25 and not gain.tie and gain.p_holm is not None and gain.p_holm < 0.05
    loss = change(found, FREE, SEEN)
    # On the 30 shared problems: 20 right before, 12 after.
    assert (loss.name, loss.n_pairs, loss.value_before, loss.value_after) == (
        "vision loss",
        30,
        20 / 30,
        12 / 30,
    )
    assert loss.change == pytest.approx(-8 / 30) and loss.p is not None
    assert change(found, SEEN, ONLY).n_pairs == 30
    assert change(found, FREE, LITE).tie
    # Holm over the six changes of the table.
    table = sorted(one.p for one in found.changes if one.by == () and one.p is not None)
    assert len(table) == 6 and min(one.p_holm or 1 for one in found.changes if one.by == ()) == 6 * table[0]


def test_a_version_that_is_missing_leaves_no_mean(rows: list[Scored]) -> None:
    some = figures([row for row in rows if row.version != ONLY], [])
    assert some.means == ()
    assert {one.after for one in some.changes} == {LITE, RICH, SEEN}
    assert figures([row for row in rows if row.version == FREE], []).changes == ()


def test_rows_without_an_outcome_are_left_out_of_both_sides_and_mark_the_mean(rows: list[Scored]) -> None:
    lost = [
        row.model_copy(update={"outcome": "not-run"}) if row.row_id in (f"p00:{RICH}", f"p01:{FREE}") else row
        for row in rows
    ]
    found = figures(lost, [])
    gain = change(found, FREE, RICH)
    assert (gain.n_pairs, gain.left_out) == (38, 2)
    assert (gain.value_before, gain.value_after) == (18 / 38, 28 / 38)
    assert next(one for one in found.means if one.by == ()).incomplete and not found.complete
    assert "| 38 (2 left out) |" in "".join(version_lines(found.means, found.changes))


def test_both_languages_of_a_problem_stay_together(judged: Callable[..., Scored]) -> None:
    rows = [
        judged(
            f"p{i}:{version}:{lang}",
            "consistent" if (i + n) % 2 else "inconsistent",
            version=version,
            language=lang,
        )
        for i in range(24)
        for lang in ("en", "zh")
        for n, version in enumerate((FREE, RICH))
    ]
    gain = change(figures(rows, []), FREE, RICH)
    assert (gain.n_pairs, gain.n_problems, gain.change) == (48, 24, 0.0)
    by_language = [one for one in figures(rows, []).changes if one.by == ("language",)]
    assert [one.n_pairs for one in by_language] == [24, 24]


def test_sci_cot_has_means_and_changes_too(stepped: Callable[..., StepScored]) -> None:
    steps = [
        stepped(f"p{i}:{version}", (int(version == RICH), 1), (i % 2, 1), version=version)
        for version in PROBLEMS
        for i in range(30)
    ]
    found = figures([], steps)
    assert found.cells == () and {one.metric for one in found.means} == {"sci-cot-k", "sci-cot-l", "sci-cot"}
    assert next(m for m in found.means if m.metric == "sci-cot-k" and m.by == ()).mean == pytest.approx(0.2)
    gains = {
        one.metric: one.change for one in found.changes if (one.before, one.after, one.by) == (FREE, RICH, ())
    }
    assert gains == {"sci-cot-k": 1.0, "sci-cot-l": 0.0, "sci-cot": 0.5}


def test_figures_are_rounded_however_deep(rows: list[Scored]) -> None:
    once = rounded(figures(rows, []))
    mean = next(one for one in once.means if one.by == ())
    assert mean.values[3] == 0.4 and all(round(value, 6) == value for value in mean.values)
    assert rounded(once) == once

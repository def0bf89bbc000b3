"""Solvers that know everything or nothing, and the places of the keys."""

from __future__ import annotations

import pytest

from benchwright.curation.release.build import checked_content
from benchwright.curation.release.check_scoring import floors, key_skews, perfect_solver, skewed
from benchwright.curation.release.scorer_probes import PROBES, failed_probes
from benchwright.schemas.records import Option, QuestionType

LABELS = "ABCD"


@pytest.fixture
def row(tiny):
    return next(row for row in checked_content(tiny)[0].rows if row.id == "circuit-original-en")


def choices(row, keys, longest=None, discipline="physics"):
    """One single-choice problem for each key; the option `longest` says has the most characters."""
    return [
        row.model_copy(
            update={
                "id": f"p{place:04}-original-en",
                "problem_id": f"{discipline}{place:04}",
                "discipline": discipline,
                "options": tuple(
                    Option(
                        label=label,
                        text=f"{label.lower()} {'long ' * (label == (longest or (lambda k: ''))(key))}",
                    )
                    for label in LABELS
                ),
                "answer": key,
            }
        )
        for place, key in enumerate(keys)
    ]


def test_a_solver_that_knows_the_keys_gets_everything(row):
    rows = choices(row, "ABCD" * 3)
    assert perfect_solver(rows) == (12, 12, ())
    bad = rows[0].model_copy(update={"answer": "E"})
    right, keyed, troubles = perfect_solver([bad, *rows[1:], row.model_copy(update={"answer": None})])
    assert (right, keyed, [t.row_id for t in troubles]) == (11, 12, [bad.id])


def test_solvers_that_know_nothing_are_at_the_floor_of_a_fair_release(row):
    seen = floors(choices(row, "ABCD" * 50, longest=lambda key: LABELS[(LABELS.index(key) + 1) % 4]))
    assert (seen.problems, seen.chance, seen.empty, seen.better) == (200, 0.25, 0, ())
    assert [(one.solver, one.right, one.chance) for one in seen.constants] == [
        (f"always {label}", 50, 50.0) for label in LABELS
    ]
    assert (seen.longest.problems, seen.longest.right) == (200, 0)


def test_a_release_that_gives_itself_away_is_told(row):
    one_letter = floors(choices(row, "B" * 60 + "ACD" * 20))
    assert [blind.solver for blind in one_letter.better] == ["always B"]
    assert one_letter.constants[1].p < 1e-4
    length = floors(choices(row, "ABCD" * 30, longest=lambda key: key))
    assert [blind.solver for blind in length.better] == ["longest option"]
    assert length.longest.share == 1.0


def test_few_problems_prove_nothing(row):
    assert floors(choices(row, "BBB")).better == ()


def test_free_form_problems_have_a_commonest_answer(row):
    free = {"question_type": QuestionType.FREE_FORM, "options": ()}
    rows = [
        row.model_copy(update={**free, "problem_id": f"f{place}", "answer": answer})
        for place, answer in enumerate(["2", "2", "3"])
    ]
    seen = floors([*rows, *choices(row, "A")])
    assert (seen.commonest, seen.commonest_count, seen.free, seen.chance) == ("2", 2, 3, 0.25 / 4)


def test_places_of_keys_by_stratum(row):
    even, crooked = choices(row, "ABCD" * 20), choices(row, "B" * 40 + "ACD" * 10, discipline="chemistry")
    few = choices(row, "AAA", discipline="biology")
    found = key_skews([*even, *crooked, *few])
    assert [(skew.stratum, skew.problems) for skew in found] == [
        ("biology, 4 options", 3),
        ("chemistry, 4 options", 70),
        ("physics, 4 options", 80),
    ]
    assert found[0].p is None and found[2].p == 1.0
    # By hand: expected 17.5 at each place; (22.5² + 3 · 7.5²) / 17.5 = 38.57 with 3 degrees of freedom.
    assert found[1].p == pytest.approx(2.1e-8, rel=0.1)
    assert skewed(found) == (found[1],)


def test_versions_and_languages_of_a_problem_count_once(row):
    rows = choices(row, "ABCD" * 20)
    again = [one.model_copy(update={"id": f"{one.id}-zh", "language": "zh"}) for one in rows]
    assert floors([*rows, *again]) == floors(rows) and key_skews([*rows, *again]) == key_skews(rows)


def test_the_scorer_holds_on_every_fixed_reply():
    assert failed_probes() == ()
    assert sum(probe.right for probe in PROBES) >= 10 and sum(not probe.right for probe in PROBES) >= 10

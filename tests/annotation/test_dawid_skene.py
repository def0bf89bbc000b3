"""Dawid-Skene: the paper's own example, simulated people with known error rates, ties and missing answers."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.annotation.dawid_skene import (
    FloatArray,
    Votes,
    dawid_skene,
    majority,
    vote_shares,
    votes_of,
)

ANAESTHETISTS = """
111 1 1 1 1/333 4 3 3 4/112 2 1 2 2/222 3 1 2 1/222 3 2 2 2/222 3 3 2 2/122 2 1 1 1/333 3 4 3 3/222 2 2 2 3
232 2 2 2 3/444 4 4 4 4/222 3 3 4 3/111 1 1 1 1/222 3 2 1 2/121 1 1 1 1/111 2 1 1 1/111 1 1 1 1/111 1 1 1 1
222 2 2 2 1/222 1 3 2 2/222 2 2 2 2/222 2 2 2 1/222 3 2 2 2/221 2 2 2 2/111 1 1 1 1/111 1 1 1 1/232 2 2 2 2
111 1 1 1 1/111 1 1 1 1/112 1 1 2 1/111 1 1 1 1/333 3 2 3 3/111 1 1 1 1/222 2 2 2 2/222 3 2 3 2/433 4 3 4 3
221 2 2 3 2/232 3 2 3 3/333 3 4 3 2/111 1 1 1 1/111 1 1 1 1/121 2 1 1 1/232 2 2 2 2/121 1 1 1 1/222 2 2 2 2
"""
"""Table 1 of Dawid and Skene (1979): 45 patients, five anaesthetists, the first of whom saw them three times."""
UNEQUAL = (0.95, 0.85, 0.7, 0.6, 0.5)


def anaesthetists() -> Votes:
    cells = []
    for item, patient in enumerate(ANAESTHETISTS.replace("/", "\n").split("\n")[1:-1]):
        for rater, answers in enumerate(patient.split()):
            cells += [(item, rater, int(answer) - 1) for answer in answers]
    items, raters, labels = np.array(cells).T
    return Votes(items, raters, labels, 45, 5, 4)


def test_the_papers_own_example() -> None:
    truth = dawid_skene(anaesthetists(), smoothing=0.0)
    assert truth.converged
    assert truth.prevalence.round(2).tolist() == [0.40, 0.42, 0.11, 0.07]
    first = truth.confusion[0].round(2)
    assert first[0].tolist() == [0.89, 0.11, 0.0, 0.0]
    assert first[1].tolist() == [0.07, 0.88, 0.05, 0.0]
    assert truth.winners()[:3] == [0, 3, 1], (
        "the second: three of seven say 4, by those who never say it in error"
    )
    np.testing.assert_allclose(truth.posterior.sum(axis=1), 1.0)
    np.testing.assert_allclose(truth.confusion.sum(axis=2), 1.0)


def people(
    seed: int, accuracies: tuple[float, ...], classes: int, items: int, missing: float = 0.0
) -> tuple[Votes, FloatArray]:
    """Answers of people with known accuracies, and the truth; classes are unequally frequent."""
    random = np.random.default_rng(seed)
    truth = random.choice(classes, size=items, p=random.dirichlet(np.full(classes, 3.0)))
    wrong = (truth[:, None] + random.integers(1, classes, size=(items, len(accuracies)))) % classes
    codes = np.where(random.random(wrong.shape) < np.array(accuracies), truth[:, None], wrong)
    rows, raters = np.nonzero(random.random(codes.shape) >= missing)
    return Votes(rows, raters, codes[rows, raters], items, len(accuracies), classes), truth


def share_right(winners: list[int | None], truth: FloatArray, votes: Votes) -> float:
    """Share of right items; a tie counts for the part that a fair draw among the tied would get right."""
    shares = vote_shares(votes)
    credit = [
        float(shares[i, t] == shares[i].max()) / np.sum(shares[i] == shares[i].max())
        if w is None
        else float(w == t)
        for i, (w, t) in enumerate(zip(winners, truth.tolist(), strict=True))
    ]
    return float(np.mean(credit))


@pytest.mark.parametrize("classes", [2, 5, 9])
def test_five_unequal_people_500_items_never_worse_than_majority_in_19_of_20_seeds(classes: int) -> None:
    better = ties = 0
    for seed in range(20):
        votes, truth = people(seed, UNEQUAL, classes, 500)
        ours = share_right(dawid_skene(votes).winners(), truth, votes)
        theirs = share_right(majority(votes), truth, votes)
        better += ours > theirs
        ties += ours == theirs
    assert better + ties >= 19
    assert better >= 15, "it must gain something, not only keep up"


def test_error_rates_are_recovered() -> None:
    votes, _ = people(3, UNEQUAL, 4, 3000)
    truth = dawid_skene(votes)
    found = np.einsum("rkk,k->r", truth.confusion, truth.prevalence)
    np.testing.assert_allclose(found, UNEQUAL, atol=0.03)


def test_missing_answers_count_for_nothing() -> None:
    votes, truth = people(5, UNEQUAL, 3, 500, missing=0.4)
    unanswered = set(range(500)) - set(votes.items.tolist())
    assert unanswered, "the test needs an item that nobody answered"
    found = dawid_skene(votes)
    for item in unanswered:
        np.testing.assert_allclose(found.posterior[item], found.prevalence, atol=1e-4)
    assert share_right(found.winners(), truth, votes) >= share_right(majority(votes), truth, votes)


def test_two_equal_people_who_disagree_tie() -> None:
    votes = votes_of([[0, 0], [1, 1], [0, 1], [1, 0]], 2)
    assert dawid_skene(votes).winners() == [0, 1, None, None]
    assert majority(votes) == [0, 1, None, None]


def test_a_person_with_few_answers_is_no_expert_yet() -> None:
    """One answer that happens to be right makes nobody better than those who were right a hundred times."""
    table: list[list[int | None]] = [[k % 2, k % 2, k % 2, None] for k in range(100)]
    table += [[0, 0, 0, 0], [1, 1, 0, 0]]
    found = dawid_skene(votes_of(table, 2))
    newcomer, steady = found.confusion[3], found.confusion[0]
    assert newcomer[0, 0] <= steady[0, 0]
    assert newcomer[0, 0] > 0.5


def test_nothing_is_lost_where_there_is_nothing() -> None:
    empty = dawid_skene(votes_of([], 3))
    assert empty.posterior.shape == (0, 3)
    silent = dawid_skene(votes_of([[None, None]], 3))
    np.testing.assert_allclose(silent.posterior, 1 / 3)
    assert silent.winners() == [None]
    with pytest.raises(ValueError, match="at least one class"):
        dawid_skene(votes_of([], 0))


def test_the_same_answers_in_another_order_say_the_same() -> None:
    votes, _ = people(8, UNEQUAL, 5, 200)
    order = np.random.default_rng(0).permutation(len(votes.items))
    shuffled = Votes(votes.items[order], votes.raters[order], votes.labels[order], 200, 5, 5)
    np.testing.assert_allclose(dawid_skene(votes).posterior, dawid_skene(shuffled).posterior, atol=1e-6)

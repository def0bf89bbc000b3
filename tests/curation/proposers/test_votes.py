"""Counting votes: who wins, how sure it is, what happens to ballots without a value."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from benchwright.curation.proposers.panel import Ballot
from benchwright.curation.proposers.votes import entropy, kept_by_half, middle_winner, tally, winner
from benchwright.models.structured import Structured
from benchwright.schemas.errors import ItemError
from benchwright.schemas.status import CallStatus


class Reply(BaseModel):
    word: str


def ballot(word: str | None, status: CallStatus = CallStatus.OK, detail: str | None = None) -> Ballot[Reply]:
    value = Reply(word=word) if word is not None else None
    return Ballot("m", 0, Structured(status, value, detail, ()))


def test_a_ballot_without_a_value_lowers_the_confidence() -> None:
    votes = tally([ballot("a"), ballot("a"), ballot(None, CallStatus.TIMEOUT), ballot("b")])
    assert (votes.asked, len(votes.valid), votes.voted) == (4, 3, True)
    won = winner([reply.word for reply in votes.valid], votes.asked, ["a", "b"])
    assert (won.value, won.confidence, won.tied) == ("a", 0.5, False)


def test_no_value_at_all_fails_with_the_most_frequent_status() -> None:
    many = [
        ballot(None, CallStatus.REFUSED, "no"),
        ballot(None, CallStatus.UNPARSABLE, "half an object"),
        ballot(None, CallStatus.UNPARSABLE, "prose"),
    ]
    with pytest.raises(ItemError) as failed:
        tally(many)
    assert failed.value.reason == "unparsable"
    assert failed.value.detail == "refused 1, unparsable 2: half an object"
    with pytest.raises(ItemError) as alone:
        tally(many[:1])
    assert (alone.value.reason, alone.value.detail) == ("refused", "no")


@pytest.mark.parametrize(
    ("values", "value", "confidence", "tied"),
    [
        (["a", "b"], "b", 0.25, True),
        (["a", "a", "b", "b"], "b", 0.25, True),
        (["a", "a", "b", "c"], "a", 0.5, False),
        (["c", "a", "b"], "c", 0.1111, True),
        (["a"], "a", 1.0, False),
    ],
)
def test_a_tie_is_decided_by_the_order_and_is_less_sure_than_a_majority_of_its_size(
    values: list[str], value: str, confidence: float, tied: bool
) -> None:
    won = winner(values, len(values), ["c", "b", "a"])
    assert (won.value, won.confidence, won.tied) == (value, confidence, tied)


@pytest.mark.parametrize(
    ("levels", "value"),
    [([2, 3], 2), ([1, 5, 5, 1, 4], 5), ([1, 1, 4, 4, 2], 1), ([1, 1, 5, 5, 3], 1), ([4], 4)],
)
def test_equally_frequent_levels_go_to_the_one_nearest_the_mean_then_the_lower(
    levels: list[int], value: int
) -> None:
    assert middle_winner(levels, len(levels)).value == value


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9), st.integers(0, 3))
def test_the_winner_is_a_most_frequent_level_whatever_the_order_of_ballots(
    levels: list[int], failed: int
) -> None:
    won = middle_winner(levels, len(levels) + failed)
    counts = Counter(levels)
    assert counts[won.value] == max(counts.values())
    assert won == middle_winner(levels[::-1], len(levels) + failed)
    assert 0 < won.confidence <= counts[won.value] / (len(levels) + failed) + 1e-4


def test_points_need_half_of_the_ballots() -> None:
    kept, sure = kept_by_half([["b", "a"], ["a"], ["a", "c"], ["b"]], 5)
    assert kept == ["a", "b"]
    assert sure == 0.4  # two of five for b; against c three of five
    assert kept_by_half([[], []], 2) == ([], 1.0)
    assert kept_by_half([["z", "y"]], 1) == (["z", "y"], 1.0)


def test_entropy_is_nought_for_agreement_and_one_where_all_differ() -> None:
    assert entropy({"a": 3}) == 0.0
    assert entropy({"a": 1, "b": 1, "c": 1}) == 1.0
    assert 0 < entropy({"a": 2, "b": 1}) < 1
    assert entropy({}) == entropy({"a": 1}) == 0.0

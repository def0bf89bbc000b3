"""Blind double review: whose answers count, and what an adjudicator settles. Reviews to verdicts, without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.projects import ProjectMark
from benchwright.annotation.slots import (
    answered_twice,
    needed_slots,
    open_slots,
    slot_names,
)
from benchwright.annotation.verdicts import derive_verdicts
from benchwright.schemas.jobs import Review, Verdict
from benchwright.schemas.review_states import ADJUDICATION, QUALIFICATION

from .said import review as one_review

AB = ("A", "B")


def review(value: Any, slot: str = "A", who: str = "A01", **changes: Any) -> Review:
    return one_review("p1", value, who, slot, **changes)


def verdict(*reviews: Review, slots: tuple[str, ...] = AB) -> Verdict:
    (found,) = derive_verdicts(reviews, slots)
    return found


def test_slots_are_letters_and_an_opened_one_is_needed() -> None:
    assert slot_names(3) == ("A", "B", "C")
    assert needed_slots(1, ["A", "B", ADJUDICATION, QUALIFICATION]) == AB
    assert needed_slots(2, []) == AB


def test_one_person_in_both_slots_counts_once_and_the_item_waits_for_another() -> None:
    both = [review("optics"), review("optics", "B")]
    assert verdict(*both).basis == "open"
    (found,) = answered_twice(both)
    assert (found.pseudonym, found.slots) == ("A01", AB)
    joined = verdict(*both, review("optics", "B", "A02"))
    assert (joined.basis, joined.by) == ("agreed", ("A01", "A02"))


def test_a_person_who_changed_their_mind_in_the_second_slot_disagrees_with_nobody() -> None:
    assert (
        verdict(review("optics"), review("mechanics", "B"), review("optics", "B", "A02")).value == "optics"
    ), "the first slot's answer is the one that counts"


def test_the_qualification_set_settles_nothing() -> None:
    assert derive_verdicts([review("optics", QUALIFICATION, "A07")], ("A",)) == []
    assert (
        verdict(review("optics"), review("mechanics", QUALIFICATION, "A07"), slots=("A",)).value == "optics"
    )


def test_an_adjudicator_has_the_last_word() -> None:
    split = [review("optics"), review("mechanics", "B", "A02")]
    assert verdict(*split).basis == "open"
    decided = verdict(*split, review("thermodynamics", ADJUDICATION, "A03"))
    assert (decided.basis, decided.value, decided.by) == ("adjudicated", "thermodynamics", ("A03",))
    over_agreed = verdict(
        review("optics"), review("optics", "B", "A02"), review("mechanics", ADJUDICATION, "A03")
    )
    assert (over_agreed.basis, over_agreed.value) == ("adjudicated", "mechanics")


@pytest.mark.parametrize(
    "last",
    [
        [review(None, ADJUDICATION, "A03", undecided="cannot-decide")],
        [review("optics", ADJUDICATION, "A03"), review("mechanics", ADJUDICATION, "A04")],
        [review("optics", ADJUDICATION, "A03", state="draft")],
        [review("optics", ADJUDICATION, "A03", state="skipped")],
    ],
    ids=["cannot-decide", "two-adjudicators", "draft", "skipped"],
)
def test_no_last_word_leaves_it_open(last: list[Review]) -> None:
    found = verdict(review("optics"), review("mechanics", "B", "A02"), *last)
    assert (found.basis, found.value) == ("open", None)


def test_a_field_that_may_be_empty_is_settled_by_an_adjudicators_blank() -> None:
    def said(field: str, value: Any, slot: str, who: str) -> Review:
        return review(value, slot, who, job="translation", field=field, language="zh")

    reviews = [said("question", "问", slot, who) for slot, who in (("A", "A01"), ("B", "A02"))]
    reviews.append(said("unit", "m", "A", "A01"))
    before = {v.field: v.basis for v in derive_verdicts(reviews, AB)}
    assert (before["question"], before["unit"]) == ("agreed", "open"), "one gave a unit, the other none"
    assert before["solution"] == "agreed", "nobody gave any"
    after = derive_verdicts([*reviews, said("question", "问", ADJUDICATION, "A03")], AB)
    found = {v.field: (v.basis, v.value) for v in after}
    assert found["question"] == ("adjudicated", "问")
    assert found["unit"] == found["solution"] == ("adjudicated", None)


def test_no_answer_on_purpose_settles_nothing() -> None:
    found = verdict(review("optics"), review(None, "B", "A02", undecided="item-faulty"))
    assert (found.basis, found.by) == ("open", ("A01", "A02"))


def test_the_state_of_an_item_knows_no_qualification_and_no_remarks(tmp_path: Path, make_workspace) -> None:
    from benchwright.annotation.jobs.tagging import TaggingJob
    from benchwright.annotation.summary import job_states
    from benchwright.schemas.journal import write_jsonl

    workspace = make_workspace(tmp_path / "ws", 3)
    digests = [item.digest for item in TaggingJob().groups(workspace)[0].items]
    reviews = [review("optics", QUALIFICATION, "A07", item_id="q0001", digest=digests[1])]
    for slot, who in (("A", "A01"), ("B", "A02")):
        for field, value in (("subject", "optics"), ("difficulty", 2), ("comment", f"words of {who}")):
            reviews.append(review(value, slot, who, field=field, item_id="q0000", digest=digests[0]))
    workspace.reviews("tagging").parent.mkdir()
    write_jsonl(workspace.reviews("tagging"), reviews)
    write_jsonl(workspace.verdicts("tagging"), derive_verdicts(reviews, AB))
    (state,) = job_states(workspace, TaggingJob())
    assert (state.agreed, state.open, state.untouched) == (1, 0, 2)


def test_a_slot_of_a_page_that_asks_something_else_now_is_needed_no_more() -> None:
    def mark(group: str, slot: str, config: str) -> ProjectMark:
        return ProjectMark(
            benchmark="b", job="tagging", group=group, slot=slot, config=config, uid=slot + config
        )

    old = [mark("physics", "A", "old"), mark("physics", "B", "old")]
    assert open_slots(old) == {"A", "B"}
    assert open_slots([*old, mark("physics", "A", "new")]) == {"A"}
    assert open_slots([*old, mark("physics", "A", "new"), mark("chemistry", "C", "x")]) == {"A", "C"}

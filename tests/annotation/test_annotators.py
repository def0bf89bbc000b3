"""Figures of each person, counted by hand for a few reviews; the rules of the warnings; gold answers."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.annotators import (
    LEAST_TASKS,
    RULE,
    Known,
    PersonFigures,
    Share,
    person_figures,
)
from benchwright.annotation.gold import (
    GoldItem,
    GoldSet,
    gold_path,
    is_right,
    load_gold,
    mixed_in,
    qualification_items,
    store_gold,
)
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.schemas.errors import UsageError
from benchwright.schemas.jobs import JOBS, Key, Proposal, Review

from .said import DIGEST, review

NOTHING = Known({}, {})


def key(item: str, field: str = "subject") -> Key:
    return Key(item_id=item, field=field, digest=DIGEST)


def proposed(values: dict[str, str]) -> dict[Key, Proposal]:
    return {
        key(item): Proposal(
            job="tagging", item_id=item, field="subject", digest=DIGEST, value=value, model="m"
        )
        for item, value in values.items()
    }


def person(states: list[Review], known: Known = NOTHING, who: str = "A01") -> PersonFigures:
    return next(p for p in person_figures("tagging", states, known) if p.pseudonym == who)


def test_tasks_times_and_refusals_are_counted_by_annotation() -> None:
    states = [
        review("p1", "optics", lead_time=10.0),
        review("p1", 2, field="difficulty", lead_time=10.0),
        review("p2", "optics", lead_time=30.0),
        review("p3", None, undecided="item-faulty", lead_time=20.0),
        review("p4", None, state="skipped", lead_time=500.0),
        review("p5", "optics", state="draft", lead_time=900.0),
    ]
    mine = person(states)
    assert (mine.tasks, mine.skipped, mine.drafts, mine.item_faulty, mine.cannot_decide) == (3, 1, 1, 1, 0)
    assert mine.median_seconds == 20.0


def test_kept_proposals_count_where_they_were_seen() -> None:
    known = Known(proposed({"p1": "optics", "p2": "optics", "p3": "optics", "p4": "optics"}), {})
    states = [
        review("p1", "optics", origin="prediction"),
        review("p2", "waves", origin="prediction-changed"),
        review("p3", "optics", withheld=True),
        review("p4", "optics"),  # entered again as it was
        review("p5", "optics"),  # there was no proposal
    ]
    assert person(states, known).kept == Share(n=2, of=3)
    assert person(states, known).kept_by_field == {"subject": Share(n=2, of=3)}


def test_agreement_with_others_counts_pairs() -> None:
    states = [
        review("p1", "optics"),
        review("p1", "optics", "A02", "B"),
        review("p1", "waves", "A03", "C"),
        review("p2", "waves"),
        review("p2", "waves", "A02", "B"),
        review("p3", "heat"),
    ]
    figures = {p.pseudonym: p.same_as_others for p in person_figures("tagging", states, NOTHING)}
    assert figures == {"A01": Share(n=2, of=3), "A02": Share(n=2, of=3), "A03": Share(n=0, of=2)}


def test_a_remark_in_other_words_is_no_disagreement() -> None:
    states = [
        review("p1", "odd figure", field="comment"),
        review("p1", "strange picture", "A02", "B", field="comment"),
    ]
    assert person(states).same_as_others == Share(n=0, of=0)


def test_somebody_in_two_slots_is_named_and_counted_once() -> None:
    states = [review("p1", "optics"), review("p1", "optics", slot="B"), review("p2", "optics")]
    mine = person(states)
    assert (mine.in_two_slots, mine.tasks) == (1, 2)
    assert mine.same_as_others == Share(n=0, of=0), "nobody agrees with themselves"


def test_gold_tells_right_from_wrong_and_wrong_proposals_that_were_kept() -> None:
    known = Known(
        proposed({f"p{i}": "waves" for i in range(6)}),
        {key(f"p{i}"): "optics" for i in range(6)} | {key("p0", "difficulty"): 3},
    )
    states = [review(f"p{i}", "waves", origin="prediction") for i in range(5)]
    states += [review("p5", "optics", origin="prediction-changed"), review("p0", 4, field="difficulty")]
    mine = person(states, known)
    assert mine.right == Share(n=2, of=7), "one subject, and a level that is one off"
    assert mine.wrong_kept == Share(n=5, of=6)
    assert mine.warnings == ("kept 5 of 6 proposals that gold answers show to be wrong",)


def stamped(seconds: float, changed: int = 0, tasks: int = LEAST_TASKS) -> list[Review]:
    """One person's tasks beside a careful person's, who takes 40 seconds."""
    hasty = [
        review(f"p{i}", "waves" if i < changed else "optics", lead_time=seconds, origin="manual")
        for i in range(tasks)
    ]
    careful = [review(f"q{i}", "waves", "A02", lead_time=40.0) for i in range(2 * tasks)]
    return hasty + careful


@pytest.mark.parametrize(
    ("states", "warned"),
    [
        (stamped(9.9), True),
        (stamped(10.1), False),
        (stamped(9.9, changed=10), True),
        (stamped(9.9, changed=11), False),
        (stamped(9.9, tasks=LEAST_TASKS - 1), False),
    ],
    ids=["fast", "slow-enough", "half-changed", "more-than-half-changed", "too-few"],
)
def test_the_rubber_stamp_rule(states: list[Review], warned: bool) -> None:
    known = Known(proposed({f"p{i}": "optics" for i in range(LEAST_TASKS)} | {"q0": "optics"}), {})
    hasty, careful = person_figures("tagging", states, known)
    assert bool(hasty.warnings) == warned
    assert careful.warnings == ()
    if warned:
        assert "went through unchanged in less than 10.0 s" in hasty.warnings[0]
    assert "20 tasks" in RULE and "25%" in RULE and "3 s" in RULE


def test_skill_ranks_people_by_what_all_answers_say_together() -> None:
    import numpy as np

    random = np.random.default_rng(2)
    names = ("mechanics", "optics", "waves")
    states = []
    for item in range(400):
        truth = int(random.integers(0, 3))
        for place, accuracy in enumerate((0.95, 0.7, 0.4)):
            value = truth if random.random() < accuracy else int(random.integers(0, 3))
            states.append(review(f"p{item:03d}", names[value], f"A0{place + 1}", "ABC"[place]))
    skill = [p.skill["subject"] for p in person_figures("tagging", states, NOTHING)]
    assert skill[0] > skill[1] > skill[2]
    assert skill[0] > 0.9
    alone = [r for r in states if r.pseudonym == "A01"]
    assert person(alone).skill == {}, "alone there is nobody to be told apart from"


@pytest.mark.parametrize(("right", "passed"), [(10, True), (8, True), (7, False)])
def test_the_qualification_is_passed_with_eight_of_ten(right: int, passed: bool) -> None:
    known = Known({}, {key(f"p{i}"): "optics" for i in range(10)} | {key("p0", "difficulty"): 3})
    states = [
        review(f"p{i}", "optics" if i < right else "waves", slot="qualification") for i in range(10)
    ] + [review("p0", 2, field="difficulty", slot="qualification")]
    mine = person(states, known)
    assert mine.qualification == Share(n=right, of=10)
    assert mine.passed is passed
    assert (mine.tasks, mine.right) == (0, Share(n=0, of=0)), "it is no work on the benchmark"
    assert person([review("p0", "optics")], known).passed is None


def test_an_item_that_could_not_be_decided_is_not_right() -> None:
    known = Known({}, {key("p0"): "optics"})
    taken = [review("p0", None, slot="qualification", undecided="cannot-decide")]
    assert person(taken, known).qualification == Share(n=0, of=1)


# --- gold files --------------------------------------------------------------------------------------------------
def write_gold(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_a_gold_file_is_kept_privately_and_bound_to_what_is_shown(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 4)
    items = TaggingJob().groups(workspace)[0].items
    path = write_gold(
        tmp_path / "gold.jsonl", {"item_id": "q0002", "values": {"subject": "optics", "difficulty": 4}}
    )
    stored = store_gold(workspace, "tagging", path, items)
    assert load_gold(workspace, "tagging") == stored
    assert stat.S_IMODE(gold_path(workspace, "tagging").stat().st_mode) == 0o600
    digest = items[2].digest
    assert stored.answers() == {
        Key(item_id="q0002", field="subject", digest=digest): "optics",
        Key(item_id="q0002", field="difficulty", digest=digest): 4,
    }
    assert load_gold(workspace, "quality").items == ()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"item_id": "q0009", "values": {"subject": "optics"}}, "line 1: q0009 .* is no item of job tagging"),
        ({"item_id": "q0001", "values": {"colour": "red"}}, "has no field 'colour'"),
        ({"item_id": "q0001", "values": {"difficulty": 6}}, "6 is no value of 'difficulty'"),
        ({"item_id": "q0001", "values": {"difficulty": True}}, "True is no value"),
        ({"item_id": "q0001", "values": {"subject": ["optics"]}}, "is no value of 'subject'"),
    ],
)
def test_wrong_gold_lines_are_refused(
    tmp_path: Path, make_workspace, line: dict[str, Any], words: str
) -> None:
    workspace = make_workspace(tmp_path / "ws", 2)
    items = TaggingJob().groups(workspace)[0].items
    with pytest.raises(UsageError, match=words):
        store_gold(workspace, "tagging", write_gold(tmp_path / "gold.jsonl", line), items)
    assert not gold_path(workspace, "tagging").exists()


def test_a_missing_gold_file_is_named(tmp_path: Path, make_workspace) -> None:
    with pytest.raises(UsageError, match="there is no gold file"):
        store_gold(make_workspace(tmp_path / "ws", 1), "tagging", tmp_path / "none.jsonl", [])


def gold_set(*names: str) -> GoldSet:
    return GoldSet(
        job="tagging",
        items=tuple(GoldItem(item_id=n, digest=DIGEST, values={"subject": "optics"}) for n in names),
    )


def test_gold_is_spread_evenly_and_loses_nothing(tmp_path: Path, make_workspace) -> None:
    items = list(TaggingJob().groups(make_workspace(tmp_path / "ws", 40))[0].items)
    names = [item.item_id for item in items[:4]]
    mixed = mixed_in(items, gold_set(*names), seed=1)
    assert sorted(i.item_id for i in mixed) == sorted(i.item_id for i in items)
    assert mixed == mixed_in(items, gold_set(*names), seed=1)
    places = sorted(n for n, item in enumerate(mixed) if item.item_id in names)
    assert all(quarter * 10 <= place <= quarter * 10 + 10 for quarter, place in enumerate(places)), places
    others = [item.item_id for item in mixed if item.item_id not in names]
    assert others == [item.item_id for item in items[4:]], "the others keep their order"
    assert mixed_in(items, gold_set(), seed=1) == items


def test_the_qualification_takes_the_first_gold_items_that_are_shown_as_they_were(
    tmp_path: Path, make_workspace
) -> None:
    items = TaggingJob().groups(make_workspace(tmp_path / "ws", 12))[0].items
    fresh = GoldSet(
        job="tagging",
        items=tuple(GoldItem(item_id=i.item_id, digest=i.digest, values={}) for i in reversed(items)),
    )
    taken = qualification_items(items, fresh)
    assert [item.item_id for item in taken] == [f"q{n:04d}" for n in range(11, 1, -1)]
    assert qualification_items(items, gold_set("q0001")) == [], "gold about another content is of the past"


def test_what_counts_as_right() -> None:
    quality, tagging = JOBS["quality"], JOBS["tagging"]
    assert is_right(tagging.field("difficulty"), 2, 3)
    assert not is_right(tagging.field("difficulty"), 1, 3)
    assert not is_right(tagging.field("subject"), "optics", "waves")
    assert is_right(quality.field("text_faults"), ["incoherent", "ambiguous"], ["ambiguous", "incoherent"])
    choices = JOBS["translation"].field("choices")
    assert is_right(choices, ["1 N", "2 N"], ["1 N", "2 N"])
    assert not is_right(choices, ["2 N", "1 N"], ["1 N", "2 N"]), "the order of options means something"
    assert is_right(JOBS["answer"].field("answer"), " 2.5  N", "2.5 N")
    assert not is_right(JOBS["answer"].field("answer"), "2.5", "2.50")

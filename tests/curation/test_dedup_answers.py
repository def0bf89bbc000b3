"""Contradictory answers of one question: what people say in the job `duplicates` reaches proposers and problems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchwright.curation.dedup import dedup_discipline
from benchwright.curation.problems import make_problems
from benchwright.curation.proposers.chosen import chosen_questions
from benchwright.curation.proposers.stage import run_embedded
from benchwright.curation.proposers.tagging_material import embedded_tagger
from benchwright.curation.representatives import choose_representatives
from benchwright.schemas.duplicates import DuplicateGroup, group_item_id, group_view, groups_path
from benchwright.schemas.errors import ItemError, NotDone
from benchwright.schemas.jobs import Proposal, Verdict, problem_id, shown_digest, tagging_view
from benchwright.schemas.journal import read_jsonl, write_jsonl
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import (
    Choice,
    LocalizedText,
    Origin,
    Problem,
    Question,
    QuestionType,
    Rejected,
)
from benchwright.schemas.settled_answers import settle, translated_answer
from benchwright.schemas.tables import read_records
from benchwright.schemas.words import Trust, Words
from benchwright.schemas.workspace import Workspace

SCALAR = "Which of these quantities is a scalar?"


def question(name: str, answer: str, options: Sequence[str] = (), **more: Any) -> Question:
    kind = QuestionType.SINGLE_CHOICE if options else QuestionType.FREE_FORM
    choices = tuple(Choice(label=label, text=text) for label, text in zip("ABCD", options, strict=False))
    values = {
        "id": name, "source": "s", "source_license": "CC0-1.0", "source_row": "{}", "discipline": "physics",
        "language": "en", "question_type": kind,
        "texts": {"en": LocalizedText(question=SCALAR, choices=choices, answer=answer, **more)},
    }  # fmt: skip
    return Question.model_validate(values)


def verdicts(members: Sequence[Question], **said: Any) -> Words:
    item = group_item_id([member.id for member in members])
    made = [
        Verdict(
            job="duplicates", item_id=item, field=name, digest=shown_digest(group_view(members)), value=value,
            basis="open" if value is None else "agreed", by=("A01", "A02"),
        )
        for name, value in said.items()
    ]  # fmt: skip
    return Words({}, {("duplicates", item, None, one.field): [one] for one in made}, Trust.REVIEWED)


def group(members: Sequence[Question], why: str = "disputed") -> DuplicateGroup:
    ids = [member.id for member in members]
    digest = shown_digest(group_view(members))
    return DuplicateGroup.model_validate(
        {"item_id": group_item_id(ids), "why": why, "members": sorted(ids), "digest": digest}
    )


ONE = question("q1", "A", ("mass", "force", "speed"), solution="The first, since mass has no direction.")
TWO = question("q2", "A", ("force", "speed", "mass"), solution="Speed is meant here.")
POOL = {"q1": ONE, "q2": TWO}


def test_the_answer_is_meant_for_the_kept_question_and_found_in_the_other_by_its_words() -> None:
    words = verdicts([ONE, TWO], relation="same", keep="q1", answer="C")
    kept = settle(ONE, [group([ONE, TWO])], POOL, words)
    assert (kept.question.text.answer, kept.question.text.solution) == ("C", None), (
        "a solution that leads elsewhere goes with the answer that it leads to"
    )
    assert kept.by is not None and (kept.by.field, kept.by.origin, kept.by.by) == (
        "answer", Origin.REVIEW, "A01,A02",
    )  # fmt: skip
    assert settle(TWO, [group([ONE, TWO])], POOL, words).question.text.answer == "B", (
        "speed stands there as B"
    )
    confirmed = settle(ONE, [group([ONE, TWO])], POOL, verdicts([ONE, TWO], relation="same", answer="mass"))
    assert confirmed.question == ONE and confirmed.by is not None, "the option's text names it as well"


@pytest.mark.parametrize(
    ("said", "why", "reason"),
    [
        ({}, "disputed", "unreviewed"),
        ({}, "candidate", None),
        ({"relation": None}, "disputed", "open-review"),
        ({"relation": None}, "candidate", None),
        ({"relation": "same", "keep": "q1", "answer": None}, "disputed", "open-review"),
        ({"relation": "same", "keep": "q1", "answer": "D"}, "disputed", "bad-verdict"),
        ({"relation": "same", "answer": "C"}, "disputed", "bad-verdict"),
        ({"relation": "same", "keep": "q1"}, "disputed", None),
        ({"relation": "different", "answer": "C"}, "disputed", None),
    ],
)
def test_what_does_not_settle_an_answer_leaves_the_sources_and_says_why(
    said: dict[str, Any], why: str, reason: str | None
) -> None:
    found = settle(ONE, [group([ONE, TWO], why)], POOL, verdicts([ONE, TWO], **said))
    assert found.question == ONE and found.by is None
    assert (found.doubt.reason if found.doubt else None) == reason


def test_an_edited_member_makes_the_verdict_stale_and_a_lost_one_makes_the_group_void() -> None:
    words = verdicts([ONE, TWO], relation="same", keep="q1", answer="C")
    edited = {"q1": ONE, "q2": question("q2", "A", ("force", "speed", "charge"))}
    doubt = settle(ONE, [group([ONE, TWO])], edited, words).doubt
    assert doubt is not None and doubt.reason == "stale-review"
    assert settle(ONE, [group([ONE, TWO])], {"q1": ONE}, words).doubt is None


def test_two_verdicts_that_differ_are_no_verdict() -> None:
    three = question("q3", "B", ("mass", "force", "speed"))
    pool = {**POOL, "q3": three}
    one, two = (
        verdicts([ONE, TWO], relation="same", keep="q1", answer="C"),
        verdicts([ONE, three], relation="same", keep="q1", answer="B"),
    )
    both = Words({}, {**one.verdicts, **two.verdicts}, Trust.REVIEWED)
    doubt = settle(ONE, [group([ONE, TWO]), group([ONE, three], "candidate")], pool, both).doubt
    assert doubt is not None and doubt.reason == "open-review"


def test_a_free_answer_is_text_and_its_unit_is_that_of_who_gave_it() -> None:
    one, two = question("q1", "5", unit="m"), question("q2", "500", unit="cm")
    words = verdicts([one, two], relation="same", keep="q1", answer="500")
    text = settle(one, [group([one, two])], {"q1": one, "q2": two}, words).question.text
    assert (text.answer, text.unit) == ("500", "cm")
    with pytest.raises(ItemError, match="no text"):
        translated_answer(" ", one, two)


@pytest.fixture
def disputed(tmp_path: Path, jsonl: Callable[..., Path]) -> Workspace:
    """Four questions to choose from, one of them twice with two answers; tagged by a machine."""
    from benchwright.curation.ingest import IngestOptions, ingest

    rows = [
        {"id": "a", "question": SCALAR, "choices": ["mass", "force", "weight"], "answer": "B"},
        {"id": "b", "question": SCALAR, "choices": ["weight", "mass", "force"], "answer": "B"},
        {"id": "c", "question": "A lens forms an image at 30 cm. Where is the object?", "answer": "20 cm"},
        {"id": "d", "question": "The gas expands at 300 K. Find its pressure.", "answer": "2 kPa"},
    ]
    toml = default_recipe_toml("test", ("physics",)).replace("budget = 1000", "budget = 3")
    toml += "\n[screen]\nenabled = false\n[dedup.thresholds]\ncosine = 2\n"
    toml = toml.replace("dev_per_subject = 5", "dev_per_subject = 0")
    workspace = Workspace.create(tmp_path / "disputed", toml)
    ingest(workspace, [jsonl(*rows)], IngestOptions())
    choose_representatives(workspace, "physics", workers=1)
    run_embedded(workspace, embedded_tagger(workspace, ("physics",)))
    return workspace


def problems(workspace: Workspace) -> dict[str, Problem]:
    make_problems(workspace, accept_proposals=True)
    return {p.question_id: p for p in read_records(workspace.problems, Problem)}


def test_a_reviewed_answer_reaches_the_problem_and_what_was_said_before_is_stale(disputed: Workspace) -> None:
    (chosen,) = {item.question.id for item in chosen_questions(disputed, "physics", "test")[0]} & {"a", "b"}
    before = problems(disputed)
    assert before[chosen].texts["en"].answer == "B"
    pending = read_records(disputed.problems_pending, Rejected)
    assert [(r.item_id, r.reason) for r in pending] == [(chosen, "answer-unreviewed")]

    (item,) = read_jsonl(groups_path(disputed, "physics"), DuplicateGroup)
    said = {p.field: p.value for p in read_jsonl(disputed.proposals("duplicates"), Proposal)}
    assert said == {"relation": "same", "keep": "a"}, "one answer against another: no majority to propose"
    values = {"relation": "same", "keep": "b", "answer": "B"}  # b says mass, a says force
    write_jsonl(
        disputed.verdicts("duplicates"),
        [
            Verdict(job="duplicates", item_id=item.item_id, field=name, digest=item.digest, value=value,
                    basis="agreed", by=("A01", "A02"))
            for name, value in values.items()
        ],
    )  # fmt: skip
    with pytest.raises(NotDone, match="stale"):
        make_problems(Workspace(disputed.root, disputed.recipe, dry=True), accept_proposals=True)
    right = {"a": "A", "b": "B"}[chosen]
    (entry,) = [i for i in chosen_questions(disputed, "physics", "test")[0] if i.question.id == chosen]
    assert entry.question.text.answer == right and entry.answer_by is not None
    tags = run_embedded(disputed, embedded_tagger(disputed, ("physics",)))
    assert tags.ran, "proposals are about the text that counts"
    after = problems(disputed)
    problem = after[chosen]
    assert problem.texts["en"].answer == problem.source_texts["en"].answer == right
    (by,) = [p for p in problem.provenance if p.field == "answer"]
    assert (by.origin, by.by, by.language) == (Origin.REVIEW, "A01,A02", "en")
    assert read_records(disputed.problems_pending, Rejected) == []

    again = dedup_discipline(disputed, "physics", workers=1)
    assert again.stage.ran and again.report.disputed == 0
    assert read_jsonl(groups_path(disputed, "physics"), DuplicateGroup) == [item], (
        "settled, and still on record"
    )
    assert problems(disputed)[chosen].texts["en"].answer == right
    if chosen == "a":
        digests = {
            p.digest
            for p in read_jsonl(disputed.proposals("tagging"), Proposal)
            if p.item_id == problem_id("a")
        }
        assert digests == {shown_digest(tagging_view(entry.question))}


def test_a_disagreement_about_the_answer_holds_the_question_back(disputed: Workspace) -> None:
    (chosen,) = {item.question.id for item in chosen_questions(disputed, "physics", "test")[0]} & {"a", "b"}
    (item,) = read_jsonl(groups_path(disputed, "physics"), DuplicateGroup)
    open_one = Verdict(
        job="duplicates", item_id=item.item_id, field="relation", digest=item.digest, value=None, basis="open",
        by=("A01", "A02"),
    )  # fmt: skip
    write_jsonl(disputed.verdicts("duplicates"), [open_one])
    assert chosen not in problems(disputed)
    (gone,) = read_records(disputed.problems_rejected, Rejected)
    assert (gone.item_id, gone.reason) == (chosen, "open-review")

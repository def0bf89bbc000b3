"""From server rows to reviews to verdicts, without a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.annotation.client import Project
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.people import People
from benchwright.annotation.projects import ProjectMark
from benchwright.annotation.pull import PulledPage, task_reviews, unseen
from benchwright.annotation.verdicts import derive_verdicts
from benchwright.schemas.jobs import Proposal, Review, shown_digest
from benchwright.schemas.journal import write_jsonl
from benchwright.schemas.review_states import current_states
from benchwright.schemas.words import Trust, Words

from .said import DIGEST
from .said import review as one_review

MARK = ProjectMark(benchmark="b", job="tagging", group="physics", slot="A", config="c", uid="u1")
NEW, OLD = "b" * 64, "c" * 64
PROJECT = Project(
    1, "t", f"Made by hand.\nguidelines:{OLD}\nguidelines:{NEW} 2026-01-01T00:00:02+00:00", "", ""
)
EMAILS = {11: "one@example.org", 12: "two@example.org"}


def review(value: Any, **changes: Any) -> Review:
    return one_review("p1", value, **{"annotation_id": "u1-1", **changes})


def choices(name: str, value: str) -> dict[str, Any]:
    return {"from_name": name, "to_name": "question", "type": "choices", "value": {"choices": [value]}}


def annotation(number: int, author: int, subject: str, **changes: Any) -> dict[str, Any]:
    fields = {
        "id": number,
        "completed_by": author,
        "was_cancelled": False,
        "updated_at": f"2026-01-01T00:00:0{number}Z",
        "result": [choices("subject", subject), choices("difficulty", "3")],
    }
    return {**fields, **changes}


def row(item: str, **changes: Any) -> dict[str, Any]:
    data = {"item_id": item, "language": None, "digest": DIGEST, "task_key": "k" + item}
    return {"id": 1, "data": data, "annotations": [], "drafts": [], **changes}


def people(folder: Path) -> People:
    from benchwright.schemas.recipe import default_recipe_toml
    from benchwright.schemas.workspace import Workspace

    known = People(Workspace.create(folder / "ws", default_recipe_toml("people-test")))
    known.admit(EMAILS.values())
    return known


def read(rows: list[dict[str, Any]], folder: Path) -> list[Review]:
    known = people(folder)
    page = PulledPage(TaggingJob(), PROJECT, MARK, known, EMAILS)
    return [r for entry in rows for r in task_reviews(page, entry)]


def test_ann_03_a_draft_is_neither_final_nor_untouched(tmp_path: Path) -> None:
    draft = {
        "id": 5,
        "user": "one@example.org",
        "updated_at": "2026-01-01T00:00:01Z",
        "result": [choices("subject", "optics")],
    }
    rows = [row("p1", drafts=[draft]), row("p2", id=2, annotations=[annotation(1, 12, "mechanics")])]
    reviews = read(rows, tmp_path)
    assert {(r.item_id, r.field, r.state, r.value) for r in reviews} == {
        ("p1", "subject", "draft", "optics"),
        ("p1", "difficulty", "draft", None),
        ("p2", "subject", "submitted", "mechanics"),
        ("p2", "difficulty", "submitted", 3),
    }
    verdicts = {(v.item_id, v.field): v for v in derive_verdicts(reviews)}
    assert verdicts["p2", "subject"].value == "mechanics"
    assert verdicts["p2", "subject"].basis == "agreed"
    assert verdicts["p1", "subject"].basis == "open"
    assert verdicts["p1", "subject"].value is None
    assert verdicts["p1", "subject"].by == ("A01",)


def test_ann_05_two_opinions_on_one_task_listed_twice_stay_two_and_open(tmp_path: Path) -> None:
    first = row("p7", annotations=[annotation(1, 11, "optics"), annotation(2, 12, "mechanics")])
    reviews = unseen([], read([first, first], tmp_path))
    subject = [r for r in reviews if r.field == "subject"]
    assert [(r.annotation_id, r.value) for r in subject] == [("u1-1", "optics"), ("u1-2", "mechanics")]
    (verdict,) = [v for v in derive_verdicts(reviews) if v.field == "subject"]
    assert (verdict.basis, verdict.value, verdict.by) == ("open", None, ("A01", "A02"))
    (level,) = [v for v in derive_verdicts(reviews) if v.field == "difficulty"]
    assert (level.basis, level.value) == ("agreed", 3)


def test_a_skipped_task_is_recorded_without_values(tmp_path: Path) -> None:
    reviews = read([row("p1", annotations=[annotation(1, 11, "optics", was_cancelled=True)])], tmp_path)
    assert {(r.field, r.state, r.value) for r in reviews} == {
        ("subject", "skipped", None),
        ("difficulty", "skipped", None),
    }
    assert {v.basis for v in derive_verdicts(reviews)} == {"open"}


def test_a_submitted_annotation_without_a_required_field_settles_nothing(tmp_path: Path) -> None:
    reviews = read(
        [row("p1", annotations=[annotation(1, 11, "x", result=[choices("subject", "optics")])])], tmp_path
    )
    basis = {v.field: v.basis for v in derive_verdicts(reviews)}
    assert basis == {"subject": "agreed", "difficulty": "open"}


def test_an_edit_replaces_what_the_same_annotation_said() -> None:
    reviews = [review("optics"), review("mechanics", updated_at="2026-01-02T00:00:00Z")]
    assert [r.value for r in current_states(reviews)] == ["mechanics"]
    assert derive_verdicts(reviews)[0].value == "mechanics"
    assert derive_verdicts(reviews[::-1])[0].value == "mechanics"


def said(relation: Any, answer: str | None = None, **changes: Any) -> list[Review]:
    """An annotation of the job `duplicates`, whose answer need not be filled in."""
    lines = [review(relation, job="duplicates", field="relation", **changes)]
    if answer is not None:
        lines.append(review(answer, job="duplicates", field="answer", **changes))
    return lines


def settled(reviews: list[Review]) -> dict[str, tuple[str, Any]]:
    return {v.field: (v.basis, v.value) for v in derive_verdicts(reviews)}


@pytest.mark.parametrize(
    ("later", "basis"),
    [
        ({"relation": "different"}, "agreed"),  # a blank, on purpose
        ({"relation": None, "undecided": "cannot-decide"}, "open"),
        ({"relation": None, "state": "skipped"}, "open"),
    ],
)
def test_a_field_that_was_emptied_later_is_taken_back(later: dict[str, Any], basis: str) -> None:
    reviews = [*said("same", "B"), *said(**later, updated_at="2026-01-02T00:00:00Z")]
    assert [r.field for r in current_states(reviews)] == ["relation"]
    assert settled(reviews)["answer"] == (basis, None)
    assert derive_verdicts(reviews[::-1]) == derive_verdicts(reviews)


def test_a_field_that_all_left_empty_is_empty_and_not_the_machines() -> None:
    second = {"slot": "B", "pseudonym": "A02", "annotation_id": "u2-1"}
    reviews = [*said("same"), *said("same", **second)]
    verdicts = {v.field: v for v in derive_verdicts(reviews, ("A", "B"))}
    assert (verdicts["answer"].basis, verdicts["answer"].value) == ("agreed", None)
    assert verdicts["answer"].by == ("A01", "A02")
    assert set(verdicts) == {"relation", "keep", "answer"}, "nobody is asked to fill in a remark"
    half = {v.field: v.basis for v in derive_verdicts(reviews[:1], ("A", "B"))}
    assert half == {"relation": "open", "keep": "open", "answer": "open"}
    decided = said("same", slot="adjudication", pseudonym="A03", annotation_id="u9-1")
    assert settled([*reviews, *decided])["answer"] == ("adjudicated", None)


def test_accepted_proposals_do_not_fill_what_people_left_empty(tmp_path: Path) -> None:
    from benchwright.schemas.recipe import default_recipe_toml
    from benchwright.schemas.workspace import Workspace

    workspace = Workspace.create(tmp_path / "ws", default_recipe_toml("left-empty"))
    view = {"question": "1 kg of ice"}
    place = {"job": "translation", "item_id": "p1", "language": "zh", "digest": shown_digest(view)}
    proposals = [
        Proposal(**place, field=name, value=value, model="m")
        for name, value in (("question", "q"), ("unit", "kg"), ("solution", "s"))
    ]
    write_jsonl(workspace.proposals("translation"), proposals)
    reviews = [review(value, **place, field=name) for name, value in (("question", "q"), ("solution", "s"))]
    write_jsonl(workspace.verdicts("translation"), derive_verdicts(reviews))
    words = Words.read(workspace, ["translation"], Trust.ACCEPTED)
    assert words.optional("translation", "p1", "zh", "unit", view) is None
    solution = words.optional("translation", "p1", "zh", "solution", view)
    assert solution is not None
    assert solution[0] == "s"
    unreviewed = Words(words.proposals, {}, Trust.ACCEPTED).optional("translation", "p1", "zh", "unit", view)
    assert unreviewed is not None
    assert unreviewed[0] == "kg", "where nobody looked the machine's word is accepted"


def test_what_no_page_asks_for_stays_the_machines_alone() -> None:
    assert {v.field for v in derive_verdicts([review("optics")])} == {"subject"}


def test_an_answer_that_could_not_be_read_is_no_blank() -> None:
    lines = {"job": "translation", "language": "zh"}
    reviews = [review("q", field="question", **lines), review(None, field="choices", **lines)]
    found = settled(reviews)
    assert found["choices"] == ("open", None)
    assert found["unit"] == ("agreed", None)
    last = {"slot": "adjudication", "pseudonym": "A03", "annotation_id": "u9-1"}
    decided = [review("q", field="question", **lines, **last), review(None, field="choices", **lines, **last)]
    assert settled([*reviews, *decided])["choices"] == ("open", None)


def test_the_order_of_a_list_counts_only_where_it_means_something() -> None:
    second = {"slot": "B", "pseudonym": "A02", "annotation_id": "u2-1"}

    def both(first: Any, other: Any, **changes: Any) -> tuple[str, Any]:
        reviews = [review(first, **changes), review(other, **changes, **second)]
        (found,) = [v for v in derive_verdicts(reviews, ("A", "B")) if v.field == changes["field"]]
        (turned,) = [v for v in derive_verdicts(reviews[::-1], ("A", "B")) if v.field == changes["field"]]
        assert found == turned
        return found.basis, found.value

    faults = {"job": "quality", "language": "en", "field": "text_faults"}
    assert both(["incomplete", "ambiguous"], ["ambiguous", "incomplete"], **faults) == (
        "agreed",
        ["ambiguous", "incomplete"],
    )
    options = {"job": "translation", "language": "zh", "field": "choices"}
    assert both(["1 N", "2 N"], ["2 N", "1 N"], **options) == ("open", None)
    covers = {"job": "taxonomy", "field": "assignment"}
    assert both({"optics": ["a", "b"]}, {"optics": ["b", "a"]}, **covers)[0] == "agreed"
    assert both({"optics": ["a", "b"]}, {"optics": ["a"]}, **covers)[0] == "open"


def test_a_field_that_one_of_two_in_a_slot_left_empty_is_open() -> None:
    reviews = [*said("same", "B"), *said("same", annotation_id="u1-2", pseudonym="A02")]
    assert settled(reviews) == {
        "answer": ("open", None),
        "keep": ("agreed", None),
        "relation": ("agreed", "same"),
    }


def test_an_adjudicators_blank_stands_against_another_adjudicators_answer() -> None:
    last = {"slot": "adjudication", "pseudonym": "A03", "annotation_id": "u9-1"}
    other = {"slot": "adjudication", "pseudonym": "A04", "annotation_id": "u9-2"}
    reviews = [*said("same", "B"), *said("same", "C", **last)]
    assert settled(reviews)["answer"] == ("adjudicated", "C")
    assert settled([*reviews, *said("same", **other)])["answer"] == ("open", None)
    assert settled([*said("same", "B"), *said("same", **other)])["answer"] == ("adjudicated", None)


def test_times_are_compared_as_times_also_where_the_fraction_is_left_out() -> None:
    old, new = "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.250000Z"
    reviews = [review("mechanics", updated_at=new), review("optics", updated_at=old)]
    assert [r.value for r in current_states(reviews)] == ["mechanics"]


def test_two_equal_opinions_agree_and_name_both() -> None:
    reviews = [review("optics"), review("optics", annotation_id="u1-2", pseudonym="A02")]
    assert derive_verdicts(reviews)[0].by == ("A01", "A02")


def test_a_draft_beside_a_submitted_answer_changes_nothing() -> None:
    reviews = [review("optics"), review("mechanics", annotation_id="u1-d4", pseudonym="A02", state="draft")]
    (verdict,) = derive_verdicts(reviews)
    assert (verdict.value, verdict.by) == ("optics", ("A01",))


def test_every_slot_must_have_spoken() -> None:
    reviews = [review("optics"), review("optics", annotation_id="u2-1", pseudonym="A02", slot="B")]
    assert derive_verdicts(reviews, slots=("A", "B"))[0].basis == "agreed"
    assert derive_verdicts(reviews[:1], slots=("A", "B"))[0].basis == "open"


def test_a_deleted_annotation_leaves_its_key_open() -> None:
    reviews = [review("optics"), review("optics", state="deleted")]
    (verdict,) = derive_verdicts(reviews)
    assert (verdict.basis, verdict.value, verdict.by) == ("open", None, ())


def test_an_annotation_that_comes_back_with_a_backup_counts_again() -> None:
    journal = [review("optics"), review("optics", state="deleted")]
    back = unseen(journal, [review("optics")])
    assert [r.state for r in back] == ["submitted"]
    assert derive_verdicts([*journal, *back])[0].value == "optics"
    assert unseen([*journal, *back], [review("optics")]) == []
    assert unseen(journal, [review("optics", state="deleted")]) == []


def test_an_older_content_has_a_verdict_of_its_own() -> None:
    reviews = [review("optics"), review("mechanics", digest="b" * 64, annotation_id="u1-2")]
    assert [(v.digest[0], v.value) for v in derive_verdicts(reviews)] == [("a", "optics"), ("b", "mechanics")]


STATES = st.lists(
    st.builds(
        review,
        st.sampled_from(["optics", "mechanics"]),
        annotation_id=st.sampled_from(["u1-1", "u1-2", "u1-3"]),
        updated_at=st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]),
        state=st.sampled_from(["submitted", "draft", "skipped", "deleted"]),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda r: (r.annotation_id, r.updated_at),
)


@given(STATES, st.randoms())
def test_verdicts_do_not_depend_on_the_order_of_the_file(reviews: list[Review], random: Any) -> None:
    shuffled = list(reviews)
    random.shuffle(shuffled)
    assert derive_verdicts(shuffled) == derive_verdicts(reviews)


@given(STATES)
def test_an_agreed_value_was_submitted_by_everyone_who_submitted(reviews: list[Review]) -> None:
    (verdict,) = derive_verdicts(reviews)
    said = {r.value for r in current_states(reviews) if r.state == "submitted"}
    assert (verdict.basis == "agreed") == (len(said) == 1)
    if verdict.basis == "agreed":
        assert said == {verdict.value}


def test_cannot_decide_is_no_answer_whatever_else_stands_there(tmp_path: Path) -> None:
    said = [choices("undecided", "cannot-decide"), choices("subject", "optics"), choices("difficulty", "2")]
    rows = [row("p1", annotations=[annotation(1, 11, "optics", result=said)])]
    found = read(rows, tmp_path)
    assert [(r.field, r.value, r.undecided) for r in found] == [
        ("subject", None, "cannot-decide"),
        ("difficulty", None, "cannot-decide"),
    ]
    assert {v.basis for v in derive_verdicts(found)} == {"open"}


def test_work_left_open_is_not_a_refusal_to_decide(tmp_path: Path) -> None:
    rows = [row("p1", annotations=[annotation(1, 11, "optics", result=[choices("subject", "optics")])])]
    assert [(r.field, r.value, r.undecided) for r in read(rows, tmp_path)] == [
        ("subject", "optics", None),
        ("difficulty", None, None),
    ]


def test_a_review_keeps_the_guidelines_it_was_made_under(tmp_path: Path) -> None:
    rows = [row("p1", annotations=[annotation(1, 11, "optics"), annotation(3, 12, "optics")])]
    assert [r.guidelines for r in read(rows, tmp_path)] == [OLD, OLD, NEW, NEW]

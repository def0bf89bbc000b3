"""What a row becomes: types by rule, mapping, languages, and a note for every decision."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.ingest_pool import notes_path
from benchwright.curation.ingest_rows import Note, knowledge_paths
from benchwright.schemas.digest import sha256_file
from benchwright.schemas.errors import UsageError
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Question, QuestionType, Rejected
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace


def one(workspace: Workspace, path: Path, **options: Any) -> Question:
    """The only question of a source."""
    ingest(workspace, [path], IngestOptions(**options))
    (discipline,) = workspace.pool_disciplines()
    (question,) = read_records(workspace.pool(discipline), Question)
    return question


def reason(workspace: Workspace, path: Path) -> str:
    """Why the only row of a source was rejected."""
    ingest(workspace, [path], IngestOptions())
    (record,) = read_records(workspace.pool_rejected, Rejected)
    return record.reason


def notes(workspace: Workspace) -> list[str]:
    return [note.code for note in read_jsonl(notes_path(workspace), Note)]


@pytest.mark.parametrize(
    ("row", "kind", "answer"),
    [
        ({"choices": ["x", "y"], "answer": "B"}, "single-choice", "B"),
        ({"choices": ["x", "y", "z"], "answer": "CA"}, "multiple-select", "AC"),
        ({"choices": ["x", "y", "z"], "answer": ["A", "C"]}, "multiple-select", "AC"),
        ({"choices": ["x", "y", "z"], "answer": "A B A"}, "multi-part", "A B A"),
        ({"choices": ["6", "9"], "answer": 9}, "single-choice", "B"),
        ({"choices": ["AC", "AB", "BC"], "answer": "AB"}, "single-choice", "B"),
        (
            {"choices": ["AC", "AB", "BC"], "answer": "AB", "question_type": "multi-select"},
            "multiple-select",
            "AB",
        ),
        ({"choices": ["C", "A", "B"], "answer": "C"}, "single-choice", "C"),
        ({"answer": "a. 3 N; b. 4 N"}, "multi-part", "a. 3 N; b. 4 N"),
        ({"answer": "(1) 3 (2) 4"}, "multi-part", "(1) 3 (2) 4"),
        ({"answer": ["3", "4"]}, "multi-part", "(1) 3; (2) 4"),
        ({"answer": ["3"]}, "free-form", "3"),
        ({"answer": [3, 4]}, "multi-part", "(1) 3; (2) 4"),
        ({"answer": '["3", "4"]'}, "multi-part", "(1) 3; (2) 4"),
        ({"answer": "[3, 4]"}, "free-form", "[3, 4]"),
        ({"answer": "at a. rate"}, "free-form", "at a. rate"),
        ({"answer": "B"}, "free-form", "B"),
        ({"answer": True}, "free-form", "true"),
        ({"choices": ["x", "y"], "answer": "A", "question_type": "多选题"}, "multiple-select", "A"),
        ({"answer": "3", "question_type": "multi_part"}, "multi-part", "3"),
    ],
)
def test_the_type_follows_from_what_is_there(
    row: dict[str, Any], kind: str, answer: str, workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    question = one(workspace, jsonl({"id": "q", "question": "Q?", **row}))
    assert (question.question_type, question.text.answer) == (QuestionType(kind), answer)


def test_an_answer_that_reads_both_as_label_and_as_option_is_noted(
    workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    one(workspace, jsonl({"id": "q", "question": "Which point?", "choices": ["C", "A", "B"], "answer": "C"}))
    assert notes(workspace) == ["answer-read-as-label"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"question": " "}, "missing-question"),
        ({"answer": None}, "missing-answer"),
        ({"answer": []}, "missing-answer"),
        ({"choices": ["x", "y"], "answer": "C"}, "answer-not-among-choices"),
        ({"choices": ["x", "y"], "answer": 0}, "answer-not-among-choices"),
        ({"choices": 3}, "bad-choices"),
        ({"question_type": "mcq", "answer": "B"}, "no-options"),
        ({"discipline": "astrology"}, "discipline-not-in-recipe"),
        ({"discipline": None}, "no-discipline"),
        ({"language": "?"}, "bad-language"),
        ({"question": ["a"]}, "not-text"),
        ({"texts": {"en": "words"}}, "bad-texts"),
        ({"texts": {"en": {"decomposition": {"stem": ""}}}}, "bad-record"),
    ],
)
def test_what_cannot_become_a_question_says_why(
    row: dict[str, Any], why: str, workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    assert reason(workspace, jsonl({"id": "q", "question": "Q?", **row})) == why


def test_pictured_options_are_bare_labels_and_the_pictures_keep_their_order(
    workspace: Workspace, jsonl: Callable[..., Path], png: Callable[..., bytes]
) -> None:
    path = jsonl({
        "id": "q", "question": "Which graph?", "choices": None, "answer": "BD",
        "images": [f"{n}.png" for n in range(5)], "extra": {"choice_layout": "in_images"},
    })  # fmt: skip
    for n in range(5):
        (path.parent / f"{n}.png").write_bytes(png((n, 0, 0)))
    question = one(workspace, path)
    assert question.question_type is QuestionType.MULTIPLE_SELECT
    assert [(c.label, c.text, c.image) for c in question.text.choices] == [(x, None, None) for x in "ABCD"]
    sources = [sha256_file(path.parent / f"{n}.png") for n in range(5)]
    assert [ref.source_sha256 for ref in question.images] == sources
    assert notes(workspace) == ["options-in-pictures"]


def test_options_whose_pictures_the_source_names_keep_them(
    workspace: Workspace, jsonl: Callable[..., Path], png: Callable[..., bytes]
) -> None:
    options = [{"label": "A", "image": "a.png"}, {"label": "B", "image": "b.png", "text": "falling"}]
    path = jsonl({"id": "q", "question": "Q?", "answer": "B", "choices": options})
    (path.parent / "a.png").write_bytes(png((1, 0, 0)))
    (path.parent / "b.png").write_bytes(png((2, 0, 0)))
    question = one(workspace, path)
    assert question.images == ()
    assert [(c.label, c.text, c.image is not None) for c in question.text.choices] == [
        ("A", None, True), ("B", "falling", True),
    ]  # fmt: skip
    second = question.text.choices[1].image
    assert second is not None and second.source_sha256 == sha256_file(path.parent / "b.png")


def test_options_in_the_question_are_kept_and_noted(workspace: Workspace, jsonl: Callable[..., Path]) -> None:
    table = "Which row?\n\\hline A & 1 \\\\ \\hline B & 2 \\\\ \\hline C & 3 \\\\"
    question = one(workspace, jsonl({"id": "q", "question": table, "answer": "C"}))
    assert question.question_type is QuestionType.SINGLE_CHOICE
    assert [(c.label, c.text) for c in question.text.choices] == [("A", None), ("B", None), ("C", None)]
    assert question.text.question == table
    assert notes(workspace) == ["options-stand-in-question"]


def test_fields_are_mapped_by_dotted_paths_also_through_json_text(
    make_workspace: Callable[..., Workspace], jsonl: Callable[..., Path]
) -> None:
    workspace = make_workspace(
        '[ingest.fields]\nsolution = "extra.solution"\nquestion = "q.text"\nchoices = "meta.options"\n'
        'unit = "odd.key"\ngrade = "levels.1"\n[sources.pool.constants]\nsource = "Given/Name"\n'
    )
    row = {
        "id": 7, "q": {"text": "Q?"}, "extra": {"solution": "because"}, "meta": '{"options": ["x", "y"]}',
        "odd.key": "N", "answer": "A", "levels": ["no", "senior"], "knowledge_points": "A->B → C",
        "difficulty": "Expert", "subject": "Optics", "chapter": "12",
    }  # fmt: skip
    question = one(workspace, jsonl(row))
    assert (question.id, question.source, question.text.question, question.text.solution, question.text.unit) == (
        "7", "Given/Name", "Q?", "because", "N",
    )  # fmt: skip
    assert [choice.text for choice in question.text.choices] == ["x", "y"]
    assert (question.knowledge_points, question.difficulty, question.grade) == (("A/B/C",), 5, "senior")
    assert question.subject == "optics"
    assert json.loads(question.source_row)["meta"] == row["meta"]


def test_a_slash_inside_a_name_of_a_route_opens_no_level() -> None:
    assert knowledge_paths(["AMC10/12 -> Divisibility (2/3)", "A/B", "A->B->"]) == (
        "AMC10\u221512/Divisibility (2\u22153)", "A/B",
    )  # fmt: skip


def test_a_mapping_to_no_field_is_an_error_that_names_it(
    make_workspace: Callable[..., Workspace], jsonl: Callable[..., Path]
) -> None:
    workspace = make_workspace('[ingest.fields]\nsolutions = "x"\n')
    with pytest.raises(UsageError, match="'solutions'"):
        ingest(workspace, [jsonl({"id": "q", "question": "Q?"})], IngestOptions())


def test_what_the_row_does_not_say_comes_from_flags_and_is_noted_when_guessed(
    workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    row = {
        "question": "求速度。", "discipline": "物理", "language": None, "source_license": None, "difficulty": 9,
        "subject": "alchemy", "question_type": "riddle",
    }  # fmt: skip
    question = one(workspace, jsonl(row))
    assert (question.language, question.source_license, question.difficulty, question.subject) == (
        "zh", "unknown", None, None,
    )  # fmt: skip
    assert question.id.startswith("pool-")
    assert sorted(notes(workspace)) == [
        "difficulty-outside-scale", "language-guessed", "license-unknown", "subject-not-in-taxonomy",
        "unknown-question-type",
    ]  # fmt: skip


def test_further_languages_come_with_their_own_options_and_decomposition(
    workspace: Workspace, jsonl: Callable[..., Path]
) -> None:
    decomposition = {
        "stem": "A stone falls 5 m.", "core_question": "How long?", "knowledge_detail": [],
        "conditions": [{"id": "c1", "start": 14, "end": 17, "show": "on-diagram", "marks": [{"label": "5 m"}]}],
        "knowledge_cue": {"terms": ["free fall"], "sentence": "Use free fall."},
    }  # fmt: skip
    texts = {
        "en": {"question": "A stone falls 5 m. How long?", "choices": ["1 s", "2 s"], "answer": "A",
               "decomposition": decomposition},
        "zh": {"question": "石块下落 5 m，需多久？", "choices": ["1 秒", "2 秒"], "answer": "A"},
    }  # fmt: skip
    question = one(workspace, jsonl({"id": "q", "texts": texts, "answer": None, "language": "zh-CN"}))
    assert question.language == "zh"
    assert [choice.text for choice in question.texts["zh"].choices] == ["1 秒", "2 秒"]
    found = question.texts["en"].decomposition
    assert (
        found is not None
        and found.model_dump(mode="json", exclude_defaults=True)["conditions"][0]["start"] == 14
    )
    assert question.texts["zh"].decomposition is None

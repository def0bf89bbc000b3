"""Presets on small folders of each source's true shape, with every oddity that is known of it (docs/ingest.md)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from benchwright.curation.ingest import IngestOptions, IngestResult, ingest
from benchwright.curation.ingest_pool import notes_path
from benchwright.curation.ingest_rows import Note
from benchwright.curation.preset_answers import named_letters, python_list
from benchwright.curation.preset_options import options_in
from benchwright.curation.presets import load_preset, load_presets, preset_names
from benchwright.schemas.errors import UsageError
from benchwright.schemas.images import open_published
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.recipe import default_recipe_toml
from benchwright.schemas.records import Question, Rejected
from benchwright.schemas.tables import read_records
from benchwright.schemas.taxonomy import load_taxonomy
from benchwright.schemas.workspace import Workspace

from .public_shapes import write_gaokao_mm, write_math_v, write_mmmu, write_scemqa, write_scibench

DISCIPLINES = ("mathematics", "physics", "chemistry", "biology")


class Read:
    """What an ingest made of a source."""

    def __init__(self, workspace: Workspace, result: IngestResult) -> None:
        self.workspace, self.result = workspace, result
        self.questions = {
            question.id: question
            for name in workspace.pool_disciplines()
            for question in read_records(workspace.pool(name), Question)
        }
        self.rejected = {entry.item_id: entry for entry in read_records(workspace.pool_rejected, Rejected)}
        self.notes: dict[str, list[str]] = {}
        for note in read_jsonl(notes_path(workspace), Note):
            self.notes.setdefault(note.item_id, []).append(note.code)

    def options(self, item: str) -> list[str | None]:
        return [choice.text for choice in self.questions[item].text.choices]

    def answer(self, item: str) -> str:
        return self.questions[item].text.answer

    def reasons(self) -> dict[str, str]:
        return {item: entry.reason for item, entry in self.rejected.items()}


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Read]:
    """Ingest what a function of `public_shapes` writes, by a preset."""

    def go(write: Callable[[Path], Path], preset: str, below: str = "") -> Read:
        source = write(tmp_path / preset) / below
        workspace = Workspace.create(tmp_path / "workspace", default_recipe_toml("x", DISCIPLINES))
        (result,) = ingest(workspace, [source], IngestOptions(preset=preset))
        return Read(workspace, result)

    return go


def test_mmmu(read: Callable[..., Read]) -> None:
    found = read(write_mmmu, "mmmu")
    first = found.questions["mmmu-validation_Physics_1"]
    assert found.options(first.id) == ["at the top", "at the lens's rim", "nowhere", "below"], (
        "a list as Python text"
    )
    assert (first.text.answer, first.source, first.source_license, first.language) == (
        "B", "MMMU-Benchmark/MMMU", "Apache-2.0", "en",
    )  # fmt: skip
    assert first.difficulty is None, "Medium is no level of ours; it stays in the source row"
    assert json.loads(first.source_row)["topic_difficulty"] == "Medium"
    pictured = found.questions["mmmu-validation_Physics_2"]
    assert [(choice.text, choice.image is not None) for choice in pictured.text.choices] == [
        (None, True), (None, True), ("neither", False),
    ]  # fmt: skip
    assert len(pictured.images) == 1, "the options' pictures are the options' alone"
    assert len(found.questions["mmmu-validation_Physics_3"].images) == 2
    assert found.answer("mmmu-validation_Physics_4") == "3"
    assert found.answer("mmmu-validation_Physics_5") == "12.0", "a list of answers of which any one counts"
    assert found.answer("mmmu-validation_Physics_9") == "[2, 3]", "an interval is no list"
    renumbered = found.questions["mmmu-validation_Physics_7"]
    assert renumbered.text.question == "After the options <image 1> comes; what is it?"
    assert found.notes == {
        renumbered.id: ["placeholders-renumbered"], "mmmu-validation_Physics_5": ["several-answers"],
    }  # fmt: skip
    assert found.reasons() == {
        "mmmu-test_Physics_1": "answer-withheld",
        "mmmu-dev_History_1": "discipline-not-in-recipe",
        "mmmu-validation_Physics_6": "image-missing",
        "mmmu-validation_Physics_8": "answer-not-among-choices",
    }
    assert "Physics/test-00000-of-00001.parquet, row 1" in found.rejected["mmmu-test_Physics_1"].detail


def test_mmmu_renumbering_keeps_each_placeholder_with_its_picture(read: Callable[..., Read]) -> None:
    found = read(write_mmmu, "mmmu", "Physics/validation-00000-of-00001.parquet")
    (own,) = found.questions["mmmu-validation_Physics_7"].images
    shown = open_published(found.workspace.read_image(own.sha256))
    assert shown.getpixel((0, 0)) == (0, 0, 255), "image_3 is the blue one"


def test_scemqa_options_and_answers(read: Callable[..., Read]) -> None:
    found = read(write_scemqa, "scemqa")
    assert found.options("scemqa-Math-1") == ["p", "q", "r", "s"]
    assert found.options("scemqa-Math-2") == ["$2000", "$2250", "$2500", "$2750"], "prices, no formulas"
    assert found.options("scemqa-Math-3") == ["$0<x<1$", "$1<x<2$", "$2<x<3$", "$3<x<4$"]
    assert found.options("scemqa-Physics-2")[2] == "3\nwhich holds for\nboth"
    assert found.options("scemqa-Chemistry-1") == ["boiled.", "froze.", "rested."], "(A} for (A)"
    assert found.options("scemqa-Chemistry-2") == ["left", "right", "none"]
    assert found.notes["scemqa-Chemistry-2"][0] == "control-character-cut"
    answers = {item: found.answer(item) for item in found.questions}
    assert answers == {
        "scemqa-Math-1": "D", "scemqa-Math-2": "B", "scemqa-Math-3": "C", "scemqa-Math-4": "B", "scemqa-Math-6": "B",
        "scemqa-Physics-1": "A", "scemqa-Physics-2": "C", "scemqa-Chemistry-1": "A", "scemqa-Chemistry-2": "A",
        "scemqa-Biology-1": "C", "scemqa-Physics_Free_Response-1": "0.39",
        "scemqa-Physics_Free_Response-2": "3.4", "scemqa-Physics_Free_Response-3": "\\frac{1}{2}",
    }  # fmt: skip
    assert found.questions["scemqa-Math-4"].text.solution == "Only one does"
    assert found.notes["scemqa-Physics_Free_Response-1"] == [
        "answer-command-misspelt",
        "answer-and-explanation",
    ]
    assert "several-answers" in found.notes["scemqa-Physics_Free_Response-2"]
    assert found.reasons() == {
        "scemqa-Math-5": "answer-not-among-choices",
        "scemqa-Math-7": "no-options",
        "scemqa-Chemistry-3": "control-character",
        "scemqa-Biology-2": "image-missing",
        "scemqa-Physics_Free_Response-4": "answer-not-marked",
    }


def test_scemqa_pictures_and_odd_keys(read: Callable[..., Read]) -> None:
    found = read(write_scemqa, "scemqa")
    (cmyk,) = found.questions["scemqa-Chemistry-1"].images
    assert (cmyk.conversion, cmyk.format) == ("cmyk", "png"), (
        "its path gives no ending, and its list is another's"
    )
    (alpha,) = found.questions["scemqa-Math-3"].images
    grey = open_published(found.workspace.read_image(alpha.sha256)).convert("L")
    assert grey.getextrema() == (0, 255), "a drawing in the alpha channel alone stays black on white"
    (misnamed,) = found.questions["scemqa-Physics-1"].images
    assert misnamed.format == "jpeg", "told by content, whatever the ending says"
    row = json.loads(found.questions["scemqa-Biology-1"].source_row)
    assert row["https://example.org/questions"] == "5", "a key that is a URL stays in the source row"
    assert "\r" not in found.questions["scemqa-Physics-1"].text.question
    assert found.options("scemqa-Math-6") == [None] * 4, "options that are drawn only"
    assert "options-in-pictures" in found.notes["scemqa-Math-6"]


def test_math_v(read: Callable[..., Read]) -> None:
    found = read(write_math_v, "math-v")
    assert (found.questions["math-v-4"].difficulty, found.questions["math-v-6"].difficulty) == (1, 3)
    assert found.questions["math-v-6"].subject == "solid-geometry"
    assert found.questions["math-v-4"].subject is None, "counting is not certainly one of our subjects"
    assert found.questions["math-v-4"].knowledge_points == ("counting",)
    assert found.options("math-v-6") == [None] * 5
    assert found.options("math-v-59") == [None] * 5, "no options in the row, a letter as the answer"
    assert found.options("math-v-33") == ["up", "down", "C or D"]
    assert found.notes["math-v-6"] == ["options-in-pictures", "placeholders-share-picture"]
    assert "html-tags" in found.notes["math-v-62"]
    assert "<i>x</i>" in found.questions["math-v-62"].text.question, "noted, and kept as it is"
    assert found.answer("math-v-62") == "2.50"
    reasons = [
        (entry.item_id, entry.reason) for entry in read_records(found.workspace.pool_rejected, Rejected)
    ]
    assert sorted(reasons) == [
        ("math-v-4", "repeated-row"), ("math-v-60", "id-clash"), ("math-v-60", "id-clash"),
        ("math-v-61", "answer-not-among-choices"), ("math-v-63", "control-character"),
    ]  # fmt: skip


def test_a_file_whose_pictures_lie_elsewhere_needs_their_folder(tmp_path: Path, workspace: Workspace) -> None:
    folder = write_math_v(tmp_path / "math-v")
    file, options = folder / "data" / "testmini.jsonl", IngestOptions(preset="math-v")
    (result,) = ingest(workspace, [file], options)
    assert result.counts.reasons == {"image-missing": 1}, "nothing outside the source's folder is looked at"
    (result,) = ingest(workspace, [file], replace(options, images_root=folder))
    assert result.counts.n_kept == 1


def test_gaokao_mm(read: Callable[..., Read]) -> None:
    found = read(write_gaokao_mm, "gaokao-mm")
    physics = "gaokao-mm-2010-2023_Physics_MCQs-{}".format
    first = found.questions[physics(0)]
    assert (first.text.question, first.language, first.grade) == (
        "如图, 小车匀速运动, 则 ( )",
        "zh",
        "senior high",
    )
    assert found.notes[first.id][:2] == ["leading-number-cut", "score-note-cut"]
    assert json.loads(first.source_row)["question"].startswith("4. (6 分)"), "nothing is lost by the cut"
    assert found.options(physics(1)) == ["6", "9", "12", "$\\frac{5}{6}$"], "all in one line"
    assert found.options(physics(2)) == ["甲先到", "乙先到", "同时到", "都不到"], (
        '"B" without its dot, a small "c."'
    )
    assert found.answer(physics(2)) == "AC"
    assert found.questions[physics(2)].question_type == "multiple-select"
    assert (found.options(physics(3)), len(found.questions[physics(3)].images)) == ([None] * 4, 5)
    assert found.options(physics(4))[0] == "$\\mathrm{A} 、 \\mathrm{~B}$ 相等", (
        "letters in formulas are no marks"
    )
    assert found.options(physics(5)) == ["$I_1<I_3$", "$I_1>I_3$", "$I_1=I_2$", "$I_2=I_3$"]
    assert found.options(physics(6))[:2] == ["$\\frac{1}{2}+$ 表高", "$\\frac{1}{2}-$ 表高"]
    assert found.questions[physics(7)].text.question.startswith("2.5 秒"), (
        "a number with a point is no leading number"
    )
    assert "radical-characters" in found.notes[physics(8)]
    assert "\u2f64" in found.questions[physics(8)].text.question, "texts are stored as they are"
    assert found.options(physics(8)) == ["Ａ点", "Ｂ点", "Ｃ点", "都相等"], "full-width marks"
    table = found.questions["gaokao-mm-2010-2023_Chemistry_MCQs-0"]
    assert ("\\hline A & 气泡" in table.text.question, found.options(table.id)) == (True, [None] * 4)
    assert "options-stand-in-question" in found.notes[table.id], "rows of a table are the options"
    plain = found.questions["gaokao-mm-2010-2023_Chemistry_MCQs-1"]
    assert (plain.text.question, plain.language) == ("5+3=( )", "zh"), "Chinese, without a Chinese character"
    assert found.reasons() == {
        physics(9): "answer-not-among-choices",
        "gaokao-mm-2010-2023_History_MCQs-0": "discipline-not-in-recipe",
    }


@pytest.mark.parametrize("below", ["Data", "Data/2010-2023_Physics_MCQs.json"])
def test_gaokao_mm_from_within_its_folder_has_the_same_ids_and_pictures(
    below: str, read: Callable[..., Read], tmp_path: Path
) -> None:
    found = read(write_gaokao_mm, "gaokao-mm", below)
    item = found.questions["gaokao-mm-2010-2023_Physics_MCQs-3"]
    with Image.open(
        tmp_path / "gaokao-mm/Data/2010-2023_Physics_MCQs/2010-2023_Physics_MCQs_3_1.png"
    ) as second:
        assert second.getpixel((0, 0)) == open_published(
            found.workspace.read_image(item.images[1].sha256)
        ).getpixel((0, 0))


def test_scibench(read: Callable[..., Read]) -> None:
    found = read(write_scibench, "scibench")
    assert found.answer("scibench-fund-1") == "3.0"
    assert found.questions["scibench-fund-1"].text.unit == "m/s"
    assert found.notes["scibench-fund-2"] == ["unit-with-factor"]
    assert found.notes["scibench-fund-3"] == ["answers-differ"]
    assert found.answer("scibench-fund-5") == "1.571", "a JSON number keeps its spelling"
    assert found.notes["scibench-fund-7"] == ["latex-unreadable"]
    assert {item: question.discipline for item, question in found.questions.items() if "fund" not in item} == {
        "scibench-calculus-1": "mathematics", "scibench-problem-0": "mathematics", "scibench-problem-7": "physics",
        "scibench-problem_solution-0": "physics",
    }  # fmt: skip
    (misnamed,) = found.questions["scibench-problem-7"].images
    assert misnamed.format == "jpeg"
    assert not found.questions["scibench-fund-1"].images
    assert found.reasons() == {"scibench-fund-6": "missing-answer", "scibench-problem-9": "image-missing"}


def test_the_same_source_again_does_nothing_and_keeps_its_bytes(
    read: Callable[..., Read], tmp_path: Path
) -> None:
    found = read(write_scemqa, "scemqa")
    before = {
        path: path.read_bytes() for path in (found.workspace.root / "pool").rglob("*") if path.is_file()
    }
    (again,) = ingest(found.workspace, [tmp_path / "scemqa"], IngestOptions(preset="SceMQA"))
    assert not again.ran
    assert {path: path.read_bytes() for path in before} == before


def test_an_unknown_preset_is_told_in_one_sentence_that_names_all() -> None:
    with pytest.raises(UsageError) as caught:
        load_preset("MMLU")
    assert all(name in str(caught.value) for name in preset_names())
    assert preset_names() == ("gaokao-mm", "math-v", "mmmu", "scemqa", "scibench")


def test_a_preset_of_ones_own(tmp_path: Path, workspace: Workspace) -> None:
    own = tmp_path / "quiz.toml"
    own.write_text(
        'title = "A quiz"\nsource = "me/quiz"\nlicense = "CC0-1.0"\nurl = "https://example.org"\nlanguage = "en"\n'
        'files = ["*.jsonl"]\nid = "quiz-{n}"\n[fields]\nquestion = "ask.text"\n[discipline]\ntemplate = "{field}"\n'
        'map = { light = "physics" }\n[difficulty]\ntemplate = "{hard}"\nmap = { "0" = "1", "4" = "5" }\n'
        '[options]\nstyle = "list"\ncolumn = "of"\n[answer]\ncolumn = "is"\n'
    )
    (tmp_path / "rows").mkdir()
    row = {"n": 7, "ask": {"text": "Which?"}, "field": "light", "hard": "4", "of": ["x", "y"], "is": "B"}
    (tmp_path / "rows" / "a.jsonl").write_text(json.dumps(row) + "\n")
    ingest(workspace, [tmp_path / "rows"], IngestOptions(preset=str(own)))
    (question,) = read_records(workspace.pool("physics"), Question)
    assert (question.id, question.difficulty, question.text.answer, question.source) == (
        "quiz-7",
        5,
        "B",
        "me/quiz",
    )
    own.write_text(own.read_text().replace("[answer]", "[answers]"))
    with pytest.raises(UsageError, match="answers"):
        load_preset(str(own))


def test_a_folder_of_another_source_is_told_so(tmp_path: Path, workspace: Workspace) -> None:
    write_math_v(tmp_path / "math")
    with pytest.raises(UsageError, match="none of the files of scemqa"):
        ingest(workspace, [tmp_path / "math"], IngestOptions(preset="scemqa"))


def test_every_preset_names_disciplines_and_subjects_that_exist(tmp_path: Path) -> None:
    taxonomy = load_taxonomy("visscience", tmp_path)
    for preset in load_presets():
        assert set(preset.discipline.map.values()) <= set(DISCIPLINES)
        known = {
            subject.id
            for name in ("mathematics", "physics", "chemistry")
            for subject in taxonomy.subjects(name)
        }
        assert preset.subject is None or set(preset.subject.map.values()) <= known
        assert preset.url.startswith("https://") and preset.license


@pytest.mark.parametrize(
    ("question", "wanted", "texts"),
    [
        ("Pick. A. one B. two C. three", 0, ["one", "two", "three"]),
        ("Pick. (A) one (B) two (C) three", 2, ["one", "two", "three"]),
        ("( )A. 3B. 90C. 3D. 81", 3, ["3", "90", "3", "81"]),
        ("Vitamin A. B. and C. are known", 0, None),
        ("Points A, B and C lie on a line.", 0, None),
        ("Pick. A. one B. two", 0, None),
        ("Pick. A. one B. two C. three", 3, None),
    ],
)  # fmt: skip
def test_options_are_split_only_where_it_is_certain(
    question: str, wanted: int, texts: list[str] | None
) -> None:
    found = options_in(question, wanted)
    assert (list(found[1]) if found else None) == texts


@pytest.mark.parametrize(
    ("answer", "letters"),
    [
        ("D", "D"), ("D:", "D"), ("C-", "C"), ("A;", "A"), ("A：", "A"), ("(D) words", "D"), ("B words", "B"),
        ("(C, D) Since", "CD"), ("B $x$", "B"), ("Because", ""), ("3.5", ""), ("AB", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_letter_before_its_explanation(answer: str, letters: str) -> None:
    assert "".join(named_letters(answer)) == letters


def test_python_lists_are_read_without_running_anything() -> None:
    assert python_list("""['a', "it's", 3, None]""") == ["a", "it's", "3", None]
    assert python_list("[__import__('os').getcwd()]") == "[__import__('os').getcwd()]"
    assert python_list("['a'") == "['a'"

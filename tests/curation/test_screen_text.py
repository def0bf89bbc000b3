"""What screening says about texts, on self-written questions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchwright.curation.screen import screen_question
from benchwright.curation.screen_codes import built_in, rules_of
from benchwright.curation.screen_images import ImageMeasures
from benchwright.schemas.errors import UsageError
from benchwright.schemas.recipe import ScreenRecipe
from benchwright.schemas.records import Choice, ImageRef, LocalizedText, Question, QuestionType
from benchwright.schemas.screening import ScreenRow

RULES = rules_of(ScreenRecipe())
GOOD = ImageMeasures(
    sha256="a" * 64, width=400, height=300, ink=0.1, contrast=250, sharpness=0.5, laplacian=900, ground=255, cut=0
)  # fmt: skip


def question(
    stem: str = "A body of mass 2 kg falls freely for 3 s. How far does it fall?",
    answer: str = "44",
    options: list[str | None] | None = None,
    labels: str = "ABCDEFGH",
    pictures: int = 0,
    language: str = "en",
    kind: QuestionType | None = None,
    solution: str | None = None,
) -> Question:
    ref = ImageRef(source_sha256="b" * 64, sha256="a" * 64, width=400, height=300, format="png")
    choices = tuple(Choice(label=labels[i], text=text) for i, text in enumerate(options or []))
    text = LocalizedText(question=stem, choices=choices, answer=answer, solution=solution)
    kind = kind or (QuestionType.SINGLE_CHOICE if choices else QuestionType.FREE_FORM)
    return Question(
        id="q", source="own", source_license="CC0-1.0", source_row=json.dumps({}), discipline="physics",
        language=language, texts={language: text}, images=(ref,) * pictures, question_type=kind,
    )  # fmt: skip


def screened(**fields: Any) -> ScreenRow:
    return screen_question(question(**fields), {"a" * 64: GOOD}, RULES)


def codes(**fields: Any) -> set[str]:
    return {finding.code for finding in screened(**fields).findings}


def test_sound_questions_are_kept_without_a_word() -> None:
    assert screened() == ScreenRow(question_id="q", kept=True)
    assert codes(stem="如图所示，小球沿斜面滑下，求加速度。", language="zh", pictures=1) == set()
    assert codes(options=["1 m", "2 m", "3 m", "4 m"], answer="C") == set()


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("answer-missing", {"answer": ""}),
        ("answer-missing", {"answer": "略"}),
        ("answer-missing", {"answer": "N/A"}),
        ("answer-missing", {"answer": "<image 1>"}),
        ("answer-not-an-option", {"options": ["1", "2", "3"], "answer": "E"}),
        ("options-too-few", {"options": ["write on the sheet"], "answer": "A"}),
        ("options-missing", {"stem": "Which is it?", "options": [None, None, None], "answer": "A"}),
        ("option-repeated", {"options": ["5 m", "6 m", "5  m"], "answer": "B"}),
        ("placeholder", {"stem": "The rod is {{length}} long. Find its period."}),
        ("placeholder", {"stem": "Lorem ipsum dolor, find the force."}),
        ("placeholder", {"stem": "TODO: which force acts here?"}),
        ("placeholder", {"stem": "A number can be xxxx when divided. Which one?"}),
        ("placeholder", {"stem": "求合力的大小。", "answer": "暂无答案解析", "language": "zh"}),
        ("picture-missing", {"stem": "What does <image1> show?"}),
        ("picture-missing", {"stem": "如图所示，求电路中的电流。", "language": "zh"}),
        ("picture-missing", {"stem": "As shown in the figure, AB is a chord. Find its length."}),
        ("picture-missing", {"stem": "The graph below gives the speed. How far does the car go?"}),
    ],
)
def test_what_cannot_be_used_is_rejected(code: str, fields: dict[str, Any]) -> None:
    row = screened(**fields)
    assert not row.kept
    assert code in {finding.code for finding in row.findings if finding.severity == "reject"}


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("answer-not-one-label", {"options": ["1", "2", "3"], "answer": "AB"}),
        ("option-empty", {"options": ["1 m", None, "3 m"], "answer": "A"}),
        ("option-empty", {"options": ["1 m", None, None], "answer": "A"}),
        ("option-labels", {"options": ["1", "2", "3"], "labels": "ACD", "answer": "A"}),
        ("text-short", {"stem": "v?"}),
        ("text-cut-off", {"stem": "A cart rolls down a slope with the"}),
        ("text-garbled", {"stem": "The angle is 30\ufffd to the floor. Find the force."}),
        ("markers-beyond-pictures", {"stem": "Compare <image1> with <image2>.", "pictures": 1}),
        ("pictures-beyond-markers", {"stem": "What does <image1> show?", "pictures": 2}),
        ("picture-not-mentioned", {"pictures": 1}),
        ("picture-perhaps-missing", {"stem": "Which of the graphs shown rises fastest?"}),
        ("picture-in-answer", {"answer": "(a) <image 1> (b) 4 m"}),
        ("formula-broken", {"stem": r"Find $\frac{1}{2 x$ for the mass."}),
        ("formula-broken", {"stem": r"Find $\left( \frac{1}{2} x$ for the mass."}),
        ("formula-broken", {"stem": r"Find $x^2 + 1 for the smallest value of the variable."}),
        ("formula-broken", {"stem": "Which number stands here: $${\\frac{9}{24}}"}),
        ("language-mismatch", {"stem": "A body of mass two falls freely from a tower.", "language": "zh"}),
        ("language-mismatch", {"stem": "一个质量为二千克的物体从塔顶自由下落。", "language": "en"}),
        ("link", {"solution": "See https://example.org/physics for more."}),
        ("e-mail", {"stem": "Write the answer to teacher@example.org at once."}),
        ("phone-number", {"solution": "有问题请致电：13800138000", "language": "zh"}),
        ("messenger-id", {"solution": "加入QQ群：123456789 领取资料", "language": "zh"}),
        ("messenger-id", {"solution": "微信公众号：物理课堂", "language": "zh"}),
        ("provenance-mark", {"stem": "（学科网）小球落地时的速度是多少？", "language": "zh"}),
    ],
)
def test_what_may_have_a_second_reading_is_noted_only(code: str, fields: dict[str, Any]) -> None:
    row = screened(**fields)
    assert code in {finding.code for finding in row.findings if finding.severity == "note"}
    assert row.kept


@pytest.mark.parametrize(
    "fields",
    [
        {"stem": "A bat costs $5 more than a ball; both cost $11. What does the ball cost?"},
        {"stem": r"Simplify $\frac{{x}^{2}}{{y}}$ and compute $\left\{ 1, 2 \right\}$."},
        {"stem": "What is the slope of the graph of y = 2x + 1 at the origin?"},
        {"stem": "In the collection of points, find the figure with the largest area: circle or square?"},
        {"stem": "A lens makes an image of a lamp. How far is the lamp from the image?"},
        {
            "stem": "王飞到山上图书馆借书，上山每小时走三千米，下山每小时走五千米，求平均速度。",
            "language": "zh",
        },
        {"stem": "患者心电图示窦性心律，心率每分钟一百次，心动周期是多少秒？", "language": "zh"},
        {"stem": "The speed of light is 299792458 m/s, and 13800138000 electrons pass. Find the current."},
        {"stem": "电子电量为 1.6021766208 库，某电阻消耗功率 13912345678 W，求电压。", "language": "zh"},
        {"stem": "Women with the karyotype XXX have how many chromosomes?"},
        {"stem": "3 + 4 × 5 = ?", "language": "zh"},
        {"stem": r"\emph{R} 上的偶函数\emph{f}满足什么条件时递增并且有最大值？", "language": "zh"},
        {"stem": "The station (©E in the notes) orbits at 400 km. Find its speed."},
        {"stem": "The area of the shaded squares exceeds that of the light ones by"},
        {"options": ["K", "k", "Co", "CO"], "answer": "B", "stem": "Which symbol stands for kilo?"},
        {"options": [None, None, None, None], "answer": "B", "stem": "Which figure is shown?", "pictures": 1},
        {
            "options": ["none", "all"],
            "answer": "A",
            "stem": "How many forces act on a body at rest in space?",
        },
        {"answer": r"\left( -\frac{1}{4}, -2 \right)", "stem": "Where is the vertex of the parabola?"},
        {"answer": "none", "stem": "Which of the three balls floats in water?"},
    ],
)
def test_what_only_looks_like_a_fault_is_none(fields: dict[str, Any]) -> None:
    assert codes(**fields) == set()


def test_findings_name_place_measure_and_threshold() -> None:
    (found,) = screened(stem="v?").findings
    assert (found.code, found.measure, found.threshold) == ("text-short", 2, 4)
    (found,) = screened(options=["5", "6", "5"], answer="B").findings
    assert "A and C" in found.detail


def test_translations_are_looked_at_too() -> None:
    both = question()
    other = LocalizedText(question="一个物体自由下落三秒，落下多远？", answer="见解析")
    row = screen_question(both.model_copy(update={"texts": {**both.texts, "zh": other}}), {}, RULES)
    assert [finding.code for finding in row.findings] == ["answer-missing"]


def test_the_recipe_moves_codes_and_values() -> None:
    strict = rules_of(ScreenRecipe(reject=("link",), note=("answer-missing",), thresholds={"text-short": 90}))
    row = screen_question(question(solution="www.example.org/x", answer=""), {}, strict)
    assert [(f.code, f.severity) for f in row.findings] == [
        ("answer-missing", "note"), ("link", "reject"), ("text-short", "note"),
    ]  # fmt: skip
    assert not row.kept


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (ScreenRecipe(reject=("answer-mising",)), "answer-missing"),
        (ScreenRecipe(note=("blurry",)), "image-blurred"),
        (ScreenRecipe(thresholds={"sharpness": 1.0}), "image-blurred"),
        (ScreenRecipe(reject=("link",), note=("link",)), "both reject and note"),
        (ScreenRecipe(thresholds={"link": 1.0}), "measures nothing"),
    ],
)
def test_mistakes_in_the_recipe_name_the_way_out(recipe: ScreenRecipe, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        rules_of(recipe)


def test_every_code_has_a_meaning_and_docs() -> None:
    from pathlib import Path

    page = (Path(__file__).resolve().parents[2] / "docs" / "screening.md").read_text(encoding="utf-8")
    assert [code for code in built_in() if f"`{code}`" not in page] == []
    rejecting = {name for name, code in built_in().items() if code.severity == "reject"}
    assert rejecting == {
        "answer-missing", "answer-not-an-option", "options-too-few", "options-missing", "option-repeated",
        "placeholder", "picture-missing", "image-blank",
    }  # fmt: skip

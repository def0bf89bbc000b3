"""The checks of a decomposition: silent on the hand-made ones, loud on every planted fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from benchwright.curation.proposers.decomposition_checks import (
    CHECKS,
    MAX_MENDED_SHARE,
    check,
    check_languages,
)
from benchwright.curation.proposers.decomposition_knowledge import CUE_LENGTH, DETAIL_LENGTH
from benchwright.curation.proposers.decomposition_text import mending, removed_sentences, sentences
from benchwright.examples.problem import ExampleProblem
from benchwright.examples.registry import all_problems
from benchwright.schemas.images import load_image_bytes
from benchwright.schemas.records import (
    Condition,
    Decomposition,
    ImageRef,
    KnowledgeCue,
    KnowledgeDetail,
    LocalizedText,
    Mark,
    Show,
)

INCLINE, TITRATION, COSINES = "phys-rough-incline", "chem-titration", "math-law-of-cosines"


@pytest.fixture(scope="module")
def examples() -> dict[str, ExampleProblem]:
    return {problem.id: problem for problem in all_problems()}


@pytest.fixture(scope="module")
def picture(examples: dict[str, ExampleProblem]) -> ImageRef:
    return load_image_bytes(examples[INCLINE].drawing.png).ref


def split_of(text: LocalizedText) -> Decomposition:
    assert text.decomposition is not None
    return text.decomposition


def codes(text: LocalizedText, split: Decomposition, *images: ImageRef) -> set[str]:
    return {finding.code for finding in check(text, split, None, images)}


def test_no_false_alarm_on_any_hand_made_decomposition(examples: dict[str, ExampleProblem]) -> None:
    looked_at = 0
    for problem in examples.values():
        picture = load_image_bytes(problem.drawing.png).ref
        splits = [split_of(text) for text in problem.texts.values() if text.decomposition is not None]
        for text in problem.texts.values():
            if text.decomposition is not None:
                assert not check(text, text.decomposition, None, (picture,)), problem.id
                looked_at += 1
        if splits:
            assert not check_languages(*splits), problem.id
    assert looked_at == 2 * 76


def test_the_bounds_hold_what_people_made_and_not_much_more(examples: dict[str, ExampleProblem]) -> None:
    splits = [
        (language, split_of(text))
        for problem in examples.values()
        for language, text in problem.texts.items()
        if text.decomposition is not None
    ]
    most = max(mending(split).share for _, split in splits)
    assert most <= MAX_MENDED_SHARE <= most + 0.15
    for language, split in splits:
        cue = len(split.knowledge_cue.sentence)
        detail = sum(len(entry.term) + 2 + len(entry.text) for entry in split.knowledge_detail)
        assert CUE_LENGTH[language][0] <= cue <= CUE_LENGTH[language][1]
        assert DETAIL_LENGTH[language][0] <= detail <= DETAIL_LENGTH[language][1]
    # Table 1 of the paper: averages over its three sciences, in English.
    assert CUE_LENGTH["en"][0] < 491.6 - 254.3 < CUE_LENGTH["en"][1]
    assert DETAIL_LENGTH["en"][0] < 842.2 - 491.6 < DETAIL_LENGTH["en"][1]


@dataclass(frozen=True)
class Planted:
    """A fault: what is done to a split, and the code that must be found."""

    name: str
    problem: str
    code: str
    spoil: Callable[[LocalizedText, Decomposition], tuple[LocalizedText, Decomposition]]


def with_condition(split: Decomposition, name: str, **changes: object) -> Decomposition:
    return split.model_copy(
        update={
            "conditions": tuple(
                Condition.model_construct(**{**dict(c), **changes}) if c.id == name else c
                for c in split.conditions
            )
        }
    )


def span(name: str, start: int, end: int) -> Callable[..., tuple[LocalizedText, Decomposition]]:
    """Move both ends of a span."""

    def spoil(text: LocalizedText, split: Decomposition) -> tuple[LocalizedText, Decomposition]:
        condition = next(c for c in split.conditions if c.id == name)
        return text, with_condition(split, name, start=condition.start + start, end=condition.end + end)

    return spoil


def stem(old: str, new: str) -> Callable[..., tuple[LocalizedText, Decomposition]]:
    """Put other words of the same length into the stem, so that spans stay where they are."""

    def spoil(text: LocalizedText, split: Decomposition) -> tuple[LocalizedText, Decomposition]:
        assert old in split.stem and len(old) == len(new), "the fault has to be planted"
        return text, split.model_copy(update={"stem": split.stem.replace(old, new, 1)})

    return spoil


def question(addition: str) -> Callable[..., tuple[LocalizedText, Decomposition]]:
    """Something that the question has and the stem lost, inside of a sentence that stays."""

    def spoil(text: LocalizedText, split: Decomposition) -> tuple[LocalizedText, Decomposition]:
        first = sentences(text.question)[0]
        longer = text.question.replace(first, first.rstrip(".。；;") + addition, 1)
        return text.model_copy(update={"question": longer}), split

    return spoil


def core(old: str, new: str) -> Callable[..., tuple[LocalizedText, Decomposition]]:
    def spoil(text: LocalizedText, split: Decomposition) -> tuple[LocalizedText, Decomposition]:
        assert old in split.core_question, "the fault has to be planted"
        return text, split.model_copy(update={"core_question": split.core_question.replace(old, new, 1)})

    return spoil


def labels(name: str, *texts: str) -> Callable[..., tuple[LocalizedText, Decomposition]]:
    def spoil(text: LocalizedText, split: Decomposition) -> tuple[LocalizedText, Decomposition]:
        marks = tuple(Mark(label=label) for label in texts)
        return text, with_condition(split, name, show=Show.ON_DIAGRAM, marks=marks)

    return spoil


def detail(place: int, said: str) -> Callable[..., tuple[LocalizedText, Decomposition]]:
    def spoil(text: LocalizedText, split: Decomposition) -> tuple[LocalizedText, Decomposition]:
        entries = list(split.knowledge_detail)
        entries[place] = entries[place].model_copy(update={"text": said})
        return text, split.model_copy(update={"knowledge_detail": tuple(entries)})

    return spoil


def cue(said: str) -> Callable[..., tuple[LocalizedText, Decomposition]]:
    """Add to the cue's sentence."""

    def spoil(text: LocalizedText, split: Decomposition) -> tuple[LocalizedText, Decomposition]:
        longer = KnowledgeCue(terms=split.knowledge_cue.terms, sentence=split.knowledge_cue.sentence + said)
        return text, split.model_copy(update={"knowledge_cue": longer})

    return spoil


def ahead(said: Callable[[Decomposition], str]) -> Callable[..., tuple[LocalizedText, Decomposition]]:
    """Something in front of question, stem and core question alike: only what it says can be at fault."""

    def spoil(text: LocalizedText, split: Decomposition) -> tuple[LocalizedText, Decomposition]:
        words = said(split) + " "
        moved = tuple(
            c.model_copy(update={"start": c.start + len(words), "end": c.end + len(words)})
            for c in split.conditions
        )
        return text.model_copy(update={"question": words + text.question}), split.model_copy(
            update={
                "stem": words + split.stem,
                "core_question": words + split.core_question,
                "conditions": moved,
            }
        )

    return spoil


def knowledge(**changes: object) -> Callable[..., tuple[LocalizedText, Decomposition]]:
    def spoil(text: LocalizedText, split: Decomposition) -> tuple[LocalizedText, Decomposition]:
        made = {name: value(split) if callable(value) else value for name, value in changes.items()}
        return text, split.model_copy(update=made)

    return spoil


def entries(*places: int) -> Callable[[Decomposition], tuple[KnowledgeDetail, ...]]:
    return lambda split: tuple(split.knowledge_detail[place] for place in places)


def sentence(said: str) -> Callable[[Decomposition], KnowledgeCue]:
    return lambda split: KnowledgeCue(terms=split.knowledge_cue.terms, sentence=said)


KG, CM = r"$2\ \mathrm{kg}$", r"$5\ \mathrm{s}$"
ENGLISH = (
    Planted("begins inside of a formula", INCLINE, "condition-span", span("t", 6, 0)),
    Planted("ends inside of a formula", INCLINE, "condition-span", span("angle", 0, -2)),
    Planted("begins inside of a word", INCLINE, "condition-span", span("mu", 2, 0)),
    Planted("ends behind the stem", INCLINE, "condition-span", span("mu", 0, 900)),
    Planted("number changed", INCLINE, "lost-value", stem(r"for $2\ ", r"for $3\ ")),
    Planted("unit changed", INCLINE, "lost-value", stem(r"$2\ \mathrm{kg}$", r"$2\ \mathrm{mg}$")),
    Planted("symbol gone", "phys-lever", "lost-value", stem("$O$", "$Q$")),
    Planted("half a sentence gone", INCLINE, "lost-value", question(r" on a plank of $7\ \mathrm{m}$.")),
    Planted("number invented", INCLINE, "invented-value", stem("rest on", "$5$ on ")),
    Planted("symbol invented", "phys-lever", "invented-value", stem("$O$", "$P$")),
    Planted("shown value left over", INCLINE, "core-shows-value", core("A block", f"A block of {KG}")),
    Planted("value made up", INCLINE, "core-shows-value", core("slides down", f"slides down for {CM}")),
    Planted("agreed value lost", INCLINE, "core-loses-value", core(r"$g=10\ \mathrm{m/s^2}$, ", "")),
    Planted("unshown value lost", TITRATION, "core-loses-value", core(r"$24.00\ \mathrm{mL}$ of the base", "base")),
    Planted("reworded", INCLINE, "core-question-mended", core(
        "A block is released from rest on a slope and slides down.",
        "Imagine some heavy wooden thing that somebody lets go at the upper end of an icy hill one day.")),
    Planted("sentences lost", "bio-food-web", "core-question-mended", core(
        "In the food web P is grass, Q grasshoppers, R mice, S frogs and T snakes, and", "With")),
    Planted("another number", INCLINE, "mark-label", labels("t", r"$t=3\ \mathrm{s}$")),
    Planted("value left out", INCLINE, "mark-label", labels("mu", r"$\mu$")),
    Planted("another unit", INCLINE, "mark-label", labels("t", r"$t=2\ \mathrm{m}$")),
    Planted("a sentence", TITRATION, "mark-label", labels(
        "s", r"the flask holds $20.00\ \mathrm{mL}$ of hydrochloric acid")),
    Planted("a value too many", INCLINE, "mark-label", labels("mu", r"$\mu=0.25$, $m=2\ \mathrm{kg}$")),
    Planted("with its unit", INCLINE, "knowledge-holds-value", detail(0, f"The block of {KG} obeys $F=ma$.")),
    Planted("as a side", INCLINE, "knowledge-holds-value", detail(1, r"Here $\mu=0.25$, so $f=\mu N$.")),
    Planted("in the cue", TITRATION, "knowledge-holds-value", cue(r" There are 20.00 mL of acid.")),
    Planted("the cue's sentence", INCLINE, "stem-holds-cue", ahead(lambda s: s.knowledge_cue.sentence)),
    Planted("a detail's text", INCLINE, "stem-holds-cue", ahead(lambda s: s.knowledge_detail[0].text)),
    Planted("told to use", INCLINE, "stem-holds-cue", ahead(lambda s: "Work this out using Newton's second law.")),
    Planted("reworded cue", INCLINE, "stem-holds-cue", ahead(
        lambda s: s.knowledge_cue.sentence.replace("To solve this", "For this"))),
    Planted("a detail missing", INCLINE, "detail-terms", knowledge(knowledge_detail=entries(0, 1))),
    Planted("another order", INCLINE, "detail-terms", knowledge(knowledge_detail=entries(1, 0, 2))),
    Planted("explained twice", INCLINE, "detail-terms", knowledge(knowledge_detail=entries(0, 1, 2, 2))),
    Planted("a term not named", INCLINE, "detail-terms", knowledge(
        knowledge_cue=sentence("To solve this you need sliding friction."))),
    Planted("says nothing", INCLINE, "detail-terms", detail(0, "A law.")),
    Planted("no detail", INCLINE, "version-lengths", knowledge(knowledge_detail=())),
    Planted("a cue of two letters", INCLINE, "version-lengths", knowledge(knowledge_cue=sentence("-."))),
    Planted("a lecture", INCLINE, "version-lengths", detail(0, "The net force is the cause. " * 80)),
    Planted("core longer than stem", "phys-lever", "version-lengths", core(
        "A light lever", "A light lever, light enough that nobody need think of it at all, and stiff as well,")),
)  # fmt: skip
CHINESE = (
    Planted("begins inside of a formula", INCLINE, "condition-span", span("t", 5, 0)),
    Planted("ends inside of a formula", INCLINE, "condition-span", span("mu", 0, -2)),
    Planted("number changed", INCLINE, "lost-value", stem(r"下滑 $2\ ", r"下滑 $3\ ")),
    Planted("half a sentence gone", INCLINE, "lost-value", question("，斜面长 7 米。")),
    Planted("number invented", INCLINE, "invented-value", stem("由静止", "用5米")),
    Planted("symbol invented", "phys-lever", "invented-value", stem("$O$", "$P$")),
    Planted("shown value left over", INCLINE, "core-shows-value", core("物块从", f"质量为 {KG} 的物块从")),
    Planted("value made up", INCLINE, "core-shows-value", core("并下滑", f"并下滑 {CM}")),
    Planted("agreed value lost", INCLINE, "core-loses-value", core(r"取 $g=10\ \mathrm{m/s^2}$，", "")),
    Planted("unshown value lost", TITRATION, "core-loses-value", core(r"标准溶液 $24.00\ \mathrm{mL}$", "标准溶液")),
    Planted("reworded", INCLINE, "core-question-mended", core(
        "物块从斜面上由静止释放并下滑", "某同学把一件沉重木头家具搬到结冰的山坡顶端然后松手")),
    Planted("sentences lost", "bio-food-web", "core-question-mended", core(
        "如图所示的食物网中，P 为草，Q 为蝗虫，R 为鼠，S 为蛙，T 为蛇。", "")),
    Planted("another number", INCLINE, "mark-label", labels("t", r"$t=3\ \mathrm{s}$")),
    Planted("value left out", INCLINE, "mark-label", labels("mu", r"$\mu$")),
    Planted("a sentence", INCLINE, "mark-label", labels("t",
        r"这个物块从斜面上由静止开始释放以后沿着斜面一直向下滑动所用的全部时间一共是整整 $2\ \mathrm{s}$")),
    Planted("with its unit", INCLINE, "knowledge-holds-value", detail(0, f"质量 {KG} 的物块满足 $F=ma$。")),
    Planted("as a side", INCLINE, "knowledge-holds-value", detail(1, r"此处 $\mu=0.25$，故 $f=\mu N$。")),
    Planted("the cue's sentence", INCLINE, "stem-holds-cue", ahead(lambda s: s.knowledge_cue.sentence)),
    Planted("told to use", INCLINE, "stem-holds-cue", ahead(lambda s: "请利用牛顿第二定律求解。")),
    Planted("a detail missing", INCLINE, "detail-terms", knowledge(knowledge_detail=entries(0, 1))),
    Planted("a term not named", INCLINE, "detail-terms", knowledge(
        knowledge_cue=sentence("解答本题需要用到滑动摩擦力。"))),
    Planted("no detail", INCLINE, "version-lengths", knowledge(knowledge_detail=())),
    Planted("core longer than stem", "phys-lever", "version-lengths", core(
        "如图，轻质杠杆", "如图，某同学在实验室中制作的一根轻质而且坚硬、自重可以忽略、又不会弯曲的杠杆")),
)  # fmt: skip
ALL = [("en", planted) for planted in ENGLISH] + [("zh", planted) for planted in CHINESE]


@pytest.mark.parametrize(
    ("language", "planted"),
    ALL,
    ids=[f"{language}-{p.code}-{p.name}".replace(" ", "-") for language, p in ALL],
)
def test_planted_fault_is_found(
    examples: dict[str, ExampleProblem], picture: ImageRef, language: str, planted: Planted
) -> None:
    text = examples[planted.problem].texts[language]
    assert not codes(text, split_of(text), picture)
    spoilt_text, spoilt = planted.spoil(text, split_of(text))
    assert planted.code in codes(spoilt_text, spoilt, picture)


def test_enough_faults_are_planted_for_each_code_in_both_languages() -> None:
    assert len(ALL) >= 40
    found = {code for check_code in CHECKS for code in [check_code]} - {"core-values", "nothing-to-show-on"}
    for code in found | {"core-shows-value", "core-loses-value"}:
        for group in (ENGLISH, CHINESE):
            assert sum(planted.code == code for planted in group) >= 2, code


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_is_shown_on_a_picture_that_is_not_there(
    examples: dict[str, ExampleProblem], language: str
) -> None:
    text = examples[INCLINE].texts[language]
    findings = check(text, split_of(text))
    assert {finding.code for finding in findings} == {"nothing-to-show-on"} and len(findings) == 4


LANGUAGE_FAULTS: dict[str, Callable[[Decomposition], Decomposition]] = {
    "a condition missing": lambda split: split.model_copy(update={"conditions": split.conditions[1:]}),
    "another id": lambda split: with_condition(split, "mu", id="friction"),
    "shown elsewhere": lambda split: with_condition(split, "t", show=Show.TEXT, marks=()),
    "another value in a mark": lambda split: with_condition(split, "mu", marks=(Mark(label=r"$\mu=0.52$"),)),
    "ids exchanged": lambda split: with_condition(with_condition(with_condition(
        split, "m", id="x"), "angle", id="m"), "x", id="angle"),
    "a term missing": lambda split: split.model_copy(
        update={"knowledge_cue": KnowledgeCue(terms=split.knowledge_cue.terms[:2], sentence="-")}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LANGUAGE_FAULTS)
@pytest.mark.parametrize("spoilt", ["en", "zh"])
def test_languages_that_differ_are_found(examples: dict[str, ExampleProblem], name: str, spoilt: str) -> None:
    splits = {language: split_of(text) for language, text in examples[INCLINE].texts.items()}
    splits[spoilt] = LANGUAGE_FAULTS[name](splits[spoilt])
    findings = check_languages(splits["en"], splits["zh"])
    assert findings and {finding.code for finding in findings} == {"languages-differ"}


CONSTANTS = (
    r"On earth free fall has the acceleration $g=9.8\ \mathrm{m/s^2}$, so $F=mg$ for a body of mass $m$.",
    r"The angles of a triangle add up to $180^\circ$; a right angle has $90^\circ$.",
    r"Kinetic energy is $E=\frac{1}{2}mv^2$, a quadratic equation is $ax^2+2bx+c=0$.",
    r"One mole of a gas has the volume $22.4\ \mathrm{L}$ at standard conditions, $n=\frac{V}{V_m}$.",
)


@pytest.mark.parametrize("law", CONSTANTS)
def test_coefficients_exponents_and_constants_are_no_values_of_the_problem(
    examples: dict[str, ExampleProblem], picture: ImageRef, law: str
) -> None:
    """Even where the problem has the same number among its conditions."""
    text = examples[INCLINE].texts["en"]
    values = r"$2\ \mathrm{kg}$ $37^\circ$"
    assert values.split()[0] in split_of(text).stem
    _, spoilt = detail(0, law)(text, split_of(text))
    assert "knowledge-holds-value" not in codes(text, spoilt, picture)


def test_removed_sentences_are_told_and_their_values_may_go_with_them(picture: ImageRef) -> None:
    law = r"Recall that water boils at $100\ \mathrm{K}$ above its freezing point $x_0$."
    stem_text = r"A pot holds $3\ \mathrm{L}$ of water. How long does it boil?"
    split = Decomposition(
        stem=stem_text,
        core_question=stem_text,
        knowledge_cue=KnowledgeCue(terms=("boiling",), sentence="To solve this you need boiling."),
        knowledge_detail=(
            KnowledgeDetail(
                term="boiling", text="A liquid boils where its vapour pressure is that of the air."
            ),
        ),
    )
    original = LocalizedText(question=f"12. (6 分) {law} {stem_text} <image1>", answer="1")
    assert removed_sentences(original.question, stem_text) == (law,)
    assert not codes(original, split, picture)
    # The same words inside of a sentence that stays are a loss.
    joined = original.model_copy(update={"question": stem_text.replace("water.", "water at $100$ degrees.")})
    assert codes(joined, split, picture) == {"lost-value"}

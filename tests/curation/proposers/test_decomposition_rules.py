"""The decomposer that works by rule: what it takes out, how it mends, what it leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchwright.curation.proposers.decomposition_atoms import E, N, Q, S, X, equations, kind_of, shadow
from benchwright.curation.proposers.decomposition_checks import check_languages
from benchwright.curation.proposers.decomposition_embedded import RuleDecomposer, with_ids_of
from benchwright.curation.proposers.decomposition_rules import MODEL, decompose
from benchwright.curation.proposers.decomposition_values import formulas, numbers, quantities, symbols
from benchwright.curation.proposers.unit import Item
from benchwright.examples.registry import all_problems
from benchwright.schemas.jobs import Proposal
from benchwright.schemas.records import Decomposition, ImageRef, LocalizedText, Show
from benchwright.schemas.taxonomy import load_taxonomy

MECHANICS = load_taxonomy("sciverse").subject("physics", "mechanics")

# question, core question, labels of the marks; "" where nothing is to be shown.
ENGLISH = {
    "of-and-at": (
        r"A puck of mass $0.20\ \mathrm{kg}$ slides over the ice at a speed of 6.0 m/s. How large is its momentum?",
        "A puck slides over the ice. How large is its momentum?",
        [r"$m=0.20\ \mathrm{kg}$", "$v$ = 6.0 m/s"],
    ),
    "article": (
        "A 4-kg iron ball hangs from an 8-kg beam. Where does the beam balance?",
        "An iron ball hangs from a beam. Where does the beam balance?",
        ["iron ball: 4 kg", "beam: 8 kg"],
    ),
    "statement": (
        "A crate rests on a ramp. The coefficient of static friction is 0.3. When does it slip?",
        "A crate rests on a ramp. When does it slip?",
        [r"$\mu$ = 0.3"],
    ),
    "equations": (
        r"In triangle $PQR$, $PQ=7$, $QR=9$ and $\angle Q=60^\circ$. Find $PR$.",
        "In triangle $PQR$, find $PR$.",
        ["$PQ=7$", "$QR=9$", r"$\angle Q=60^\circ$"],
    ),
    "if": (
        r"Two lamps are joined as shown. If $U=6\ \mathrm{V}$ and $R=3\ \Omega$, what current flows?",
        "Two lamps are joined as shown. What current flows?",
        [r"$U=6\ \mathrm{V}$", r"$R=3\ \Omega$"],
    ),
    "bounded-by": (
        "Find the area of the region bounded by $y=x^3$, $y=0$ and $x=2$.",
        "Find the area of the region.",
        ["$y=x^3$", "$y=0$", "$x=2$"],
    ),
    "row": (
        "Cart A has a mass of 3 kg and cart B has a mass of 5 kg. They collide and stick. Who moves faster then?",
        "They collide and stick. Who moves faster then?",
        ["Cart A: 3 kg", "cart B: 5 kg"],
    ),
    "measure": (
        "A plank 3.5 m long leans against a wall. What force does the wall exert?",
        "A plank leans against a wall. What force does the wall exert?",
        ["3.5 m"],
    ),
    "count": (
        "A chain hangs from 12 rings as drawn. Which ring holds the longest part?",
        "A chain hangs from rings as drawn. Which ring holds the longest part?",
        ["12 rings"],
    ),
    "from-to": (
        "Water in a pot is heated from 20 °C to 80 °C. How much energy does that take?",
        "Water in a pot is heated. How much energy does that take?",
        ["20 °C → 80 °C"],
    ),
    "asked-value-stays": ("How long does a car take to reach 20 m/s from rest?", "", []),
    "named-by-its-value": (
        "A 2-kg cart meets a wall. With what speed does the 2-kg cart come back?",
        "",
        [],
    ),
    "height-above": ("A lamp hangs at a height of 4 m above the floor. How bright is it there?", "", []),
    "constants": (r"Take $g=9.8\ \mathrm{m/s^2}$ and $\sin 37^\circ=0.6$. How fast is it?", "", []),
    "sub-questions": ("A coil is shown. (a) Find the flux for a radius of 3 cm. (b) Find it for 5 cm.", "", []),
    "figure-number": ("Figure 22-40 shows a ring. Which way does the current flow?", "", []),
    "money": ("Pens cost $5 each and pads cost $6 each. How much do both cost?", "", []),
    "orbital": ("Which light ejects a 3s electron from chlorine?", "", []),
    "reaction": ("2NH$_3$ (g) + 3N$_2$O (g) react as shown. Which gas remains?", "", []),
}  # fmt: skip
CHINESE = {
    "attribute": (
        r"12. (6 分) 如图, 质量为 $2 \mathrm{~kg}$ 的木箱静止在斜面上, 求它受到的摩擦力。",
        "如图, 木箱静止在斜面上, 求它受到的摩擦力。",
        [r"$m=2 \mathrm{~kg}$"],
    ),
    "speed": (
        r"小车以 $3\ \mathrm{m/s}$ 的速度向右运动，撞上挡板后停下，求小车受到的冲量。",
        "小车向右运动，撞上挡板后停下，求小车受到的冲量。",
        [r"$v=3\ \mathrm{m/s}$"],
    ),
    "clause": (
        r"如图，灯泡与电阻串联，电源电压为 $6\ \mathrm{V}$，闭合开关后灯泡发光，求通过灯泡的电流。",
        "如图，灯泡与电阻串联，闭合开关后灯泡发光，求通过灯泡的电流。",
        [r"$U=6\ \mathrm{V}$"],
    ),
    "equations": (
        r"如图，在 $\triangle PQR$ 中，$PQ=7$，$\angle Q=60^\circ$，则 $PR$ 的长为（　）",
        r"如图，在 $\triangle PQR$ 中，$PR$ 的长为（　）",
        ["$PQ=7$", r"$\angle Q=60^\circ$"],
    ),
    "input": (
        r"执行如图所示的程序框图，若输入的 $n=6$，则输出的 $s=(\quad)$",
        r"执行如图所示的程序框图，则输出的 $s=(\quad)$",
        ["$n=6$"],
    ),
    "two-of-one-thing": (
        r"如图，长为 $3\ \mathrm{m}$、质量为 $6\ \mathrm{kg}$ 的均匀木板放在水平地面上，求抬起一端所需的力。",
        "如图，均匀木板放在水平地面上，求抬起一端所需的力。",
        [r"$3\ \mathrm{m}$", r"$6\ \mathrm{kg}$"],
    ),
    "symbols": (
        "如图，半径为 $R$ 的圆环固定在竖直面内，质量为 $m$ 的小球套在环上，求小球对环的压力。",
        "如图，圆环固定在竖直面内，小球套在环上，求小球对环的压力。",
        ["圆环半径: $R$", "小球质量: $m$"],
    ),
    "graph-of-time": ("物块的速度 $v$ 随时间 $t$ 的变化如图所示，求物块的位移。", "", []),
    "distance-from": (r"与 $P$ 点距离为 $2\ \mathrm{m}$ 的 $Q$ 点处放一点电荷，求 $Q$ 点的电势。", "", []),
    "respectively": (r"甲、乙的质量分别为 $1\ \mathrm{kg}$ 和 $2\ \mathrm{kg}$，求二者的速度之比。", "", []),
    "constant": (r"重力加速度取 $g=10\ \mathrm{m/s^2}$，求物块下落的时间。", "", []),
    "asked": (r"如图所示的电路中，通过电阻的电流为 $2\ \mathrm{A}$ 时，下列说法正确的是（　）", "", []),
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "name"), [("en", name) for name in ENGLISH] + [("zh", name) for name in CHINESE]
)
def test_what_is_cut_and_how_it_is_mended(language: str, name: str, picture: Callable[[], ImageRef]) -> None:
    question, core, labels = (ENGLISH if language == "en" else CHINESE)[name]
    made = decompose(LocalizedText(question=question, answer="1"), language, (picture(),), subject=MECHANICS)
    split = made.decomposition
    assert split.core_question == (core or split.stem)
    assert [mark.label for condition in split.conditions for mark in condition.marks] == labels
    assert not made.findings


def test_constants_and_instants_are_no_conditions(picture: Callable[[], ImageRef]) -> None:
    for question in (
        ENGLISH["constants"][0],
        CHINESE["constant"][0],
        "The wave is drawn at $t=0$. How long is it?",
    ):
        made = decompose(LocalizedText(question=question, answer="1"), "en", (picture(),), subject=MECHANICS)
        assert made.decomposition.conditions == ()


def test_what_cannot_be_cut_is_a_condition_in_words(picture: Callable[[], ImageRef]) -> None:
    text = LocalizedText(question=ENGLISH["height-above"][0], answer="1")
    (condition,) = decompose(text, "en", (picture(),), subject=MECHANICS).decomposition.conditions
    assert condition.show is Show.TEXT and text.question[condition.start : condition.end].endswith("4 m")


def test_without_a_picture_every_condition_stays_in_words() -> None:
    text = LocalizedText(question=ENGLISH["of-and-at"][0], answer="1")
    made = decompose(text, "en", (), subject=MECHANICS)
    assert [c.show for c in made.decomposition.conditions] == [Show.TEXT, Show.TEXT]
    assert made.decomposition.core_question == text.question and not made.findings


def test_a_question_without_conditions_is_valid(picture: Callable[[], ImageRef]) -> None:
    text = LocalizedText(question="Which organ filters the blood?", answer="kidney")
    made = decompose(text, "en", (picture(),), subject=MECHANICS)
    assert made.decomposition.conditions == () and not made.findings and made.confidence == 0.5


def test_the_exam_paper_s_number_and_a_hint_leave_the_stem_and_are_told() -> None:
    text = LocalizedText(
        question="7. (5 分) A lens is shown. (Hint: think of rays.) Which lens is it?", answer="1"
    )
    made = decompose(text, "en", subject=MECHANICS)
    assert made.decomposition.stem == "A lens is shown. Which lens is it?"
    kept = LocalizedText(question="A lens is shown. (Hint: it has 5 cm.) Which lens is it?", answer="1")
    assert "5 cm" in decompose(kept, "en", subject=MECHANICS).decomposition.stem, (
        "a value never goes with a hint"
    )


def test_no_law_is_ever_invented() -> None:
    text = LocalizedText(question="Which lens is it?", answer="1")
    known = decompose(text, "en", subject=MECHANICS, points=("Physics/Levers",)).decomposition
    assert known.knowledge_cue.terms == (MECHANICS.names["en"],)
    assert "Levers" in known.knowledge_cue.sentence
    assert [entry.text for entry in known.knowledge_detail] == [MECHANICS.descriptions["en"]]
    pointed = decompose(text, "en", points=("Physics/Levers",))
    assert pointed.decomposition.knowledge_cue.terms == ("Levers",)
    assert pointed.decomposition.knowledge_detail == () and pointed.confidence == 0.0
    assert {finding.code for finding in pointed.findings} == {"detail-terms", "version-lengths"}
    nothing = decompose(text, "en", discipline="physics").decomposition
    assert nothing.knowledge_cue.terms == ("physics",) and nothing.knowledge_detail == ()


def test_conditions_of_the_hand_made_decompositions_are_found(picture: Callable[[], ImageRef]) -> None:
    """Spans that overlap a hand-made one; the baseline finds four of five, and nine of ten of its own are right."""
    hand = found = mine = right = 0
    for problem in all_problems():
        for language, text in problem.texts.items():
            if text.decomposition is None:
                continue
            made = decompose(text, language, (picture(),), subject=MECHANICS).decomposition
            assert made.stem == text.decomposition.stem
            theirs = [(c.start, c.end) for c in text.decomposition.conditions]
            ours = [(c.start, c.end) for c in made.conditions]
            hand, mine = hand + len(theirs), mine + len(ours)
            found += sum(any(a < d and c < b for c, d in ours) for a, b in theirs)
            right += sum(any(a < d and c < b for c, d in theirs) for a, b in ours)
    print(f"recall {found}/{hand}, precision {right}/{mine}")
    assert found / hand >= 0.8 and right / mine >= 0.9


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (r"2.0 \times 10^{3} \mathrm{~N}", Q), (r"30^{\circ}", Q), (r"20\,\%", Q), (r"60-\mathrm{N}", Q),
        (r"\frac{1}{3}", N), ("5", N), (r"2\sqrt{3}", N), ("B_0", S), (r"\mathrm{B}_0", S), ("q(q>0)", S),
        (r"a=1.0 \mathrm{~nm}, b=2 \mathrm{~nm}", E), (r"\angle A=30^\circ", E), ("y=x^2-1", E),
        (r"S=(\quad)", X), (r"x \leq 3", X), (r"\mathrm{Ag}^{+}+\mathrm{e}^{-}=\mathrm{Ag}", X),
        (r"g=10\ \mathrm{m/s^2}", X), ("t=0", X), (r"5 \times 5", X), (r"x=?", X),
    ],
)  # fmt: skip
def test_kinds_of_formulas(source: str, kind: str) -> None:
    assert kind_of(source) == kind


def test_a_formula_s_equations() -> None:
    assert equations(r"a=1.5\,\mathrm{cm}, b=2,000") == [r"a=1.5\,\mathrm{cm}", "b=2,000"]
    assert equations("f(x, y)=x+y") == ["f(x, y)=x+y"]
    assert equations("a=1, b<2") == []


def test_values_are_the_same_however_they_are_written() -> None:
    spellings = (
        r"$2.0 \times 10^{3} \mathrm{~N}$",
        "2.0×10³ N",
        r"$2.0\times10^3$ N",
        r"\(2.0 \times 10^3\,\text{N}\)",
    )
    assert len({tuple(quantities(text)) for text in spellings}) == 1
    assert numbers(r"$R_1=2\ \Omega$ and 1,500 m") == {"1": 1, "2": 1, "1500": 1}
    assert symbols(r"$\varphi_{\mathrm{M}}=\frac{Q}{4r}$ at $5\ \mathrm{cm}$") == {"φ_M", "Q", "r"}
    priced = "pens at $5 each and pads at $6 each, $x=3$"
    assert formulas(priced) == [(priced.index("$x"), len(priced), "x=3")]


def test_shadow_and_text_have_the_same_places() -> None:
    text = r"A 5-kg block, $m=2\ \mathrm{kg}$, slides at $3$ m/s and 40 °C."
    found = shadow(text)
    assert [text[a.start : a.end] for a in found.atoms.values()] == [
        "5-kg", r"$m=2\ \mathrm{kg}$", "$3$ m/s", "40 °C",
    ]  # fmt: skip
    assert all(found.at(place) == atom.start for place, atom in found.atoms.items())
    assert found.at(len(found.text)) == len(text)


@pytest.fixture
def bilingual(text_item: Callable[..., Item], picture: Callable[[], ImageRef]) -> Item:
    return text_item(
        "puck",
        ENGLISH["of-and-at"][0],
        "1.2",
        language="en",
        images=(picture(),),
        subject="mechanics",
        translations={
            "zh": LocalizedText(
                question=r"质量为 $0.20\ \mathrm{kg}$ 的冰球以 6.0 m/s 的速度在冰面上滑行，求它的动量。",
                answer="1.2",
            )
        },
    )


def proposed(item: Item, **more: Any) -> dict[tuple[str, str | None], Proposal]:
    proposer = RuleDecomposer(load_taxonomy("sciverse"))
    known = Item(item.question, item.texts, item.source_texts, item.question_type, **more)
    plan = proposer.plan("physics", [known])
    made = [proposal for unit in plan.units for proposal in proposer.propose(unit)]
    return {(proposal.field, proposal.language): proposal for proposal in made}


def test_both_languages_share_ids_and_the_proposals_say_who_made_them(bilingual: Item) -> None:
    made = proposed(bilingual, subject="mechanics")
    english, chinese = (
        Decomposition.model_validate(made["decomposition", language].value) for language in ("en", "zh")
    )
    assert not check_languages(english, chinese)
    assert [c.id for c in english.conditions] == ["c1", "c2"] == [c.id for c in chinese.conditions]
    assert {proposal.model for proposal in made.values()} == {MODEL} == {"embedded/rules@1"}
    assert {field for field, _ in made} == {"decomposition"}
    assert made["decomposition", "en"].confidence == 0.8 and made["decomposition", "en"].call_id is None


def test_without_a_subject_the_missing_detail_is_told(bilingual: Item) -> None:
    made = proposed(bilingual)
    findings = made["findings", "en"].value
    assert isinstance(findings, list) and any(str(f).startswith("detail-terms") for f in findings)
    assert made["decomposition", "en"].confidence == 0.0


def test_ids_follow_the_values_not_the_order() -> None:
    first = decompose(LocalizedText(question="A rod 3 m long has a mass of 2 kg. How far?", answer="1"), "en")
    second = decompose(
        LocalizedText(question="质量为 2 kg、长为 3 m 的杆静止，它有多远？", answer="1"), "zh"
    ).decomposition
    stem = first.decomposition.stem
    ids = {stem[c.start : c.end]: c.id for c in first.decomposition.conditions}
    assert len(ids) == 2
    renamed = with_ids_of(second, first.decomposition)
    for condition in renamed.conditions:
        number = "3" if "3" in renamed.stem[condition.start : condition.end] else "2"
        assert any(number in words and name == condition.id for words, name in ids.items()) or (
            condition.id.startswith("x")
        )

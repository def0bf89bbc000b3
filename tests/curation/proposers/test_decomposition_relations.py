"""Conditions that are no plain value: relations, domains, instants, how many; and the checks of their labels."""

from __future__ import annotations

import pytest

from benchwright.curation.proposers.decomposition_checks import check
from benchwright.curation.proposers.decomposition_rules import Proposed, decompose
from benchwright.curation.proposers.decomposition_signs import twisted
from benchwright.schemas.records import Decomposition, ImageRef, LocalizedText, Mark, Show
from benchwright.schemas.taxonomy import load_taxonomy

SUBJECT = load_taxonomy("sciverse").subject("chemistry", "polymer")

# question, core question, labels of the marks.
ENGLISH = {
    "smooth": (
        "A crate slides down a frictionless ramp. How fast is it at the foot?",
        "A crate slides down a ramp. How fast is it at the foot?",
        ["frictionless"],
    ),
    "smooth-clause": (
        "If the surface of the ramp is frictionless, how long does the crate take?",
        "How long does the crate take?",
        ["frictionless"],
    ),
    "without": (
        "The bob swings to and fro without friction. Where is it fastest?",
        "The bob swings to and fro. Where is it fastest?",
        ["without friction"],
    ),
    "steady": (
        "A lift rises at a constant speed. Which of the arrows shows the net force?",
        "A lift rises. Which of the arrows shows the net force?",
        ["constant speed"],
    ),
    "rest": (
        "The sledge is released from rest at the top of the hill. Which graph fits?",
        "The sledge is released at the top of the hill. Which graph fits?",
        ["from rest"],
    ),
    "page": (
        "The wire lies in a magnetic field directed into the page. Which way is it pushed?",
        "The wire lies in a magnetic field. Which way is it pushed?",
        ["into the page"],
    ),
    "domain": (
        r"The graph of $h$ for $-2 \leq x \leq 5$ is a half circle and a line. Where does $h$ rise?",
        "The graph of $h$ is a half circle and a line. Where does $h$ rise?",
        [r"$-2 \leq x \leq 5$"],
    ),
    "domain-asked": (
        "What is the mean value of $h$ on $[0, 6]$?",
        "What is the mean value of $h$?",
        ["$[0, 6]$"],
    ),
    "instant": (
        "Use the graph to find the slope of the curve at $t=4$.",
        "Use the graph to find the slope of the curve.",
        ["$t=4$"],
    ),
    "steps": (
        "Use the graph and the Midpoint Rule with six subintervals to estimate the area.",
        "Use the graph and the Midpoint Rule to estimate the area.",
        ["six subintervals"],
    ),
    "steps-sign": (
        "Use Simpson's Rule with $n=8$ to estimate the area under the curve.",
        "Use Simpson's Rule to estimate the area under the curve.",
        ["$n=8$"],
    ),
    "shape": (
        "Find $k$ so that the quadrilateral is a rhombus.",
        "Find $k$.",
        ["rhombus"],
    ),
    "how-many": (
        "Tom draws five straight lines through a point. Into how many pieces is the sheet cut?",
        "Tom draws straight lines through a point. Into how many pieces is the sheet cut?",
        ["five straight lines"],
    ),
    "let": (
        r"Let $G(x)=\int_0^x f(t)\,dt$ and consider the graph of $f$. Where is $G$ least?",
        "Consider the graph of $f$. Where is $G$ least?",
        [r"$G(x)=\int_0^x f(t)\,dt$"],
    ),
    "given-list": (
        "A sheet $PQRS$ is folded along $MN$. The lengths $PM=8$ and $QM=17$ are given. Find the area of the sheet.",
        "A sheet $PQRS$ is folded along $MN$. Find the area of the sheet.",
        ["$PM=8$", "$QM=17$"],
    ),
    "angle-by-name": (
        r"Lines $PQ$ and $RS$ are parallel. Angle $PQR$ is $71^{\circ}$. How large is angle $QRS$?",
        "Lines $PQ$ and $RS$ are parallel. How large is angle $QRS$?",
        [r"$PQR$: $71^{\circ}$"],
    ),
    "symbol": (
        r"The charge per unit length on the wire shown is $\lambda$. How strong is the field at the point?",
        "How strong is the field at the point?",
        [r"charge per unit length: $\lambda$"],
    ),
}
CHINESE = {
    "光滑": (
        "如图，光滑的水平桌面上放着一只木箱，木箱受一水平推力，则木箱将（ ）",
        "如图，水平桌面上放着一只木箱，木箱受一水平推力，则木箱将（ ）",
        ["光滑"],
    ),
    "不计": (
        "如图，小球沿斜槽滚到底端后飞出，不计空气阻力，则小球落在（ ）",
        "如图，小球沿斜槽滚到底端后飞出，则小球落在（ ）",
        ["不计空气阻力"],
    ),
    "由静止": (
        "如图，把小铁环从杆顶由静止释放，铁环所受的力可能是（ ）",
        "如图，把小铁环从杆顶释放，铁环所受的力可能是（ ）",
        ["由静止"],
    ),
    "重力加速度": (
        r"木箱的动能随高度的变化如图所示。重力加速度取 $10\ \mathrm{m/s^2}$。木箱的质量为（ ）",
        "木箱的动能随高度的变化如图所示。木箱的质量为（ ）",
        [r"$g=10\ \mathrm{m/s^2}$"],
    ),
    "分别": (
        "执行如图的程序框图，若输入的 $p, q$ 分别为 21, 35，则输出的 $p=$（ ）",
        "执行如图的程序框图，则输出的 $p=$（ ）",
        ["$p=21$", "$q=35$"],
    ),
    "等式": (
        r"如图，三个接线柱之间接有电阻，测得接线柱之间的电压 "
        r"$U_{12}=4\ \mathrm{V}, U_{23}=1\ \mathrm{V}$。可能的接法是（ ）",
        "如图，三个接线柱之间接有电阻。可能的接法是（ ）",
        [r"$U_{12}=4\ \mathrm{V}$", r"$U_{23}=1\ \mathrm{V}$"],
    ),
}
CASES = {**ENGLISH, **CHINESE}


def split(question: str, picture: ImageRef) -> Proposed:
    language = "zh" if question in {case[0] for case in CHINESE.values()} or "不" in question else "en"
    return decompose(LocalizedText(question=question, answer="-"), language, [picture], subject=SUBJECT)


def labels_of(made: Decomposition) -> list[str]:
    return [mark.label for condition in made.conditions for mark in condition.marks]


@pytest.mark.parametrize("name", CASES)
def test_a_condition_without_a_plain_value_is_shown(name: str, picture: ImageRef) -> None:
    question, core, labels = CASES[name]
    made = split(question, picture)
    assert (made.decomposition.core_question, labels_of(made.decomposition)) == (core, labels)
    shown = [c for c in made.decomposition.conditions if c.show is Show.ON_DIAGRAM]
    assert shown and made.decomposition.stem == question and not made.findings


# Which of these may not go: what is asked for, what stands twice, what would leave a stump.
KEPT = {
    "asked for": "Which of the cars moves at a constant speed?",
    "said twice": "A box slides down a frictionless ramp onto a frictionless floor. How fast is it?",
    "two instants": "At $t=2$ the ball is thrown, and it lands at $t=5$. The graph shows its height. Where is it?",
    "example": "Which of the two curves belongs to the cold gas?",
    "one of a list": "The corners of the region lie at $A=(0,1)$, $B=(2,3)$ and $C=(3,1)$. What is its area?",
    "a name": "A driver can take the turn without friction failing. Why?",
    "drawn": "The square is cut into three equal strips. Tom draws four circles as shown. How many parts are there?",
}


@pytest.mark.parametrize("name", KEPT)
def test_what_cannot_be_taken_out_stays(name: str, picture: ImageRef) -> None:
    made = split(KEPT[name], picture)
    assert made.decomposition.core_question == KEPT[name] and not labels_of(made.decomposition)


# A label that is not what its span says.
PLANTED = {
    "the not lost": (ENGLISH["without"][0], "friction"),
    "the less lost": (ENGLISH["smooth"][0], "friction"),
    "denied": (ENGLISH["rest"][0], "not from rest"),
    "another thing": (ENGLISH["steady"][0], "from rest"),
    "another bound": (ENGLISH["domain"][0], r"$-2 \leq x \leq 6$"),
    "another sign": (ENGLISH["domain"][0], r"$-2 < x \leq 5$"),
    "a relation too many": (ENGLISH["given-list"][0], r"$PM \perp QM$, $PM=8$, $QM=17$"),
    "不 lost": (CHINESE["不计"][0], "空气阻力"),
    "rough for smooth": (CHINESE["光滑"][0], "粗糙"),
    "不 added": (CHINESE["光滑"][0], "不光滑"),
    "another value": (CHINESE["分别"][0], "$p=12$, $q=35$"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_label_that_says_otherwise_is_found(name: str, picture: ImageRef) -> None:
    question, label = PLANTED[name]
    made = split(question, picture)
    text = LocalizedText(question=question, answer="-")
    conditions = tuple(
        c.model_copy(update={"marks": (Mark(label=label),)}) if c.marks else c
        for c in made.decomposition.conditions
    )
    spoilt = made.decomposition.model_copy(update={"conditions": conditions})
    assert not made.findings and labels_of(spoilt) == [label]
    assert "mark-label" in {finding.code for finding in check(text, spoilt, made.removed, [picture])}


@pytest.mark.parametrize(
    ("label", "span"),
    [
        (r"$AB \parallel CD$", "where $AB$ is parallel to $CD$"),
        ("$AC ⊥ BD$", "对角线 $AC$ 垂直于 $BD$"),
        (r"$x \geq 3$", "at least $3$"),
        ("frictionless", "a frictionless"),
        ("$R$", "without a radius $R$"),
    ],
)
def test_the_same_in_other_signs_is_no_fault(label: str, span: str) -> None:
    assert twisted(label, span) == []

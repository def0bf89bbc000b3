"""Canonical text, numbers and MinHash: what is one text, and what only looks like it."""

from __future__ import annotations

import random
import string
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.curation.dedup_grams import GramIndex, grams_of
from benchwright.curation.dedup_minhash import jaccard, near_pairs, signature
from benchwright.curation.dedup_numbers import in_order, masked, numbers
from benchwright.curation.dedup_text import canonical, key_of, normal
from benchwright.curation.dedup_translated import kept_signs, shared
from benchwright.curation.dedup_verify import telling_difference

SAME = [
    (r"Find $\dfrac{1}{2}+x^{2}$.", r"find \(\frac12 + x^2\)"),
    (r"$x \leqslant 3$", r"$x\le 3$"),
    ("a slope of 30 degrees", r"a slope of $30^{\circ}$"),
    ("3. (5 分) 已知 $a>0$，则（　　）", "已知 $a > 0$ , 则"),
    ("a mass of 1,000 kg", "a mass of 1000 kg"),
    (r"speed $v=2\,\mathrm{m/s}$", "speed v = 2 m/s"),
    ("H₂O and x²", r"H$_2$O and $x^{2}$"),
    (r"H\textsubscript{2}O, 2\textsuperscript{18}~+1", "H₂O, $2^{18}+1$"),
    ("Ａ 与 Ｂ", "A与B"),
    ("★★★一艘轮船", "一艘轮船"),
    ("(★★)若$x+y=3$", "若$x+y=3$"),
    ("它们的平均数是（~ ~~）．", "它们的平均数是．"),
    ("线段AB的长度是（ ．", "线段AB的长度是"),
    (r"在$\bigtriangleup ABC$中", r"在 $\triangle A B C$ 中"),
    ("two-thirds of an ice-cream", "two thirds of an ice cream"),
]
OTHER = [
    ("2.5 m", "25 m"),
    ("points 1, 2, 3", "points 12, 3"),
    (r"$\frac{1}{23}$", r"$\frac{12}{3}$"),
    ("f(x)", "f'(x)"),
    ("x + 3", "x - 3"),
    ("the ratio 1:2", "the ratio 1.2"),
    ("x^{12}", "x^1 2"),
    ("sin x", "cos x"),
    ("px-py", "pxpy"),
    (r"$\sin x-\cos x$", r"$\sin x\cos x$"),
    ("f(x", "fx"),
    ("a★b", "ab"),
    ("HOOC-COOH", "HOOC COOH"),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_one_thing_written_twice(one: str, two: str) -> None:
    assert canonical(one) == canonical(two)


@pytest.mark.parametrize(("one", "two"), OTHER)
def test_two_things_that_look_alike(one: str, two: str) -> None:
    assert canonical(one) != canonical(two)


@given(st.text(alphabet="ab12 .,$\\{}()-中文", max_size=40))
def test_writing_a_text_canonically_twice_changes_nothing_that_blanks_could(text: str) -> None:
    assert canonical(f"  {text}\n") == canonical(text) or text[:1].isdigit() or text[:1] in "("


def test_numbers_in_digits_and_words() -> None:
    assert numbers(normal("Two blocks of 3.50 kg, -4 and 007, twice")) == ("-4", "2", "2", "3.5", "7")
    assert numbers(normal("二十五个，三百零六，一万二千，半径为一半")) == ("0.5", "0.5", "12000", "25", "306")
    assert numbers("x - 3") == ("3",), "a minus between two terms is no sign"
    assert in_order("from 9 to 2") == ("9", "2"), "in the order of the text"
    assert masked(normal("A 2 kg block and two 30° slopes")) == "a # kg block and # #° slopes"


@pytest.mark.parametrize("kept", [0, 40, 80, 120, 160, 190, 198])
def test_signatures_agree_as_often_as_shingles(kept: int) -> None:
    """Each function must choose its shingle anew: else one shared shingle makes two texts look alike, or hides it."""
    rng = random.Random(kept)
    errors = []
    for _ in range(20):
        one = "".join(rng.choices(string.ascii_lowercase, k=200))
        two = one[:kept] + "".join(rng.choices(string.ascii_lowercase, k=200 - kept))
        estimate = float((signature(one) == signature(two)).mean())
        errors.append(estimate - jaccard(one, two))
    assert max(map(abs, errors)) < 0.2, "four standard deviations of 128 independent functions"
    assert abs(sum(errors) / len(errors)) < 0.05


def test_minhash_finds_light_edits_and_the_guard_keeps_number_variants_apart() -> None:
    base = "a block of mass slides down a long smooth slope of given angle and hits a spring at its end"
    texts = [
        base,
        base + " fully",
        base.replace("spring", "wall 7"),
        "an unrelated text about acids and salts in water",
    ]
    signatures = np.stack([signature(text) for text in texts])
    guard = np.array([key_of(*numbers(text)) for text in texts], np.uint64)
    found = {
        tuple(pair)
        for pairs, _ in near_pairs(signatures, guard, np.arange(4), 0.7)
        for pair in pairs.tolist()
    }
    assert found == {(0, 1)}
    assert jaccard(texts[0], texts[2]) > 0.7, "without the guard the variant would have been found too"


def test_only_small_words_come_and_go() -> None:
    assert telling_difference("find the speed of the car", "find speed of car") == ""
    assert telling_difference("which is correct", "which is incorrect") == "correct | incorrect"
    assert telling_difference("the side a", "the side b") == "a | b"


def test_a_translation_keeps_numbers_signs_and_single_letters() -> None:
    en = normal(r"The speed of body $a$ is $v=3\,\mathrm{m/s}$; after 4 s, find $\sin\theta$ and $s=vt$.")
    zh = normal(r"物体速度为$v=3\,\mathrm{m/s}$，4秒后，求$\sin\theta$与$s=vt$。")
    other = normal(r"若$3x+4y=7$，求$\log_2 x$的最大值。")
    assert kept_signs(en)["="] == 2 and kept_signs(en)["3"] == 1 and "a" not in kept_signs(en)
    assert shared(kept_signs(en), kept_signs(zh)) > 0.8 > 0.4 > shared(kept_signs(en), kept_signs(other))
    assert shared(Counter(), Counter()) == 1.0, "two texts without any agree in all of them"


def test_overlap_counts_han_characters_and_sets_other_numbers_apart() -> None:
    zh = "一个质量为2千克的物体沿着光滑的斜面由静止开始下滑，求它到达底端时的速度大小"
    en = "A train leaves the station with constant acceleration and passes a signal after 20 seconds; how fast then?"
    index = GramIndex([grams_of(zh), grams_of(en)], 0.5)
    (same,) = index.hits(grams_of(zh.replace("物体", "木块")))
    assert (same.at, same.same_numbers) == (0, True)
    (other,) = index.hits(grams_of(en.replace("20", "35")))
    assert (other.at, other.same_numbers) == (1, False)
    assert index.hits(grams_of("水的密度与温度有什么关系，请举例说明理由并画出示意图")) == []

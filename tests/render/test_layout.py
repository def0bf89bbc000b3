from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from benchwright.render.canvas import Block, ink_mask
from benchwright.render.font import TextFont, load_font
from benchwright.render.formula import Typesetter, make_typesetter
from benchwright.render.layout import Setter
from benchwright.render.linebreak import NO_START
from benchwright.schemas.errors import ItemError

WORDS = st.sampled_from(
    [
        *("the", "block", "木块", "在水平面上", "，", "。", "（", "）", "25 ℃", "F=ma", "gpqy", "——", "\n"),
        *("$x^2$", "$\\frac{mv^2}{2}$", "\\ce{H2O}"),
    ]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=40).map(" ".join) | st.lists(WORDS, min_size=1, max_size=40).map(
    "".join
)
SLOW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def ink(block: Block, extra: int = 0) -> Image.Image:
    moved = Block()
    moved.add(block, extra, extra)
    return ink_mask(moved, (block.width + 2 * extra, block.height + 2 * extra), load_font())


@SLOW
@given(TEXTS, st.integers(min_value=300, max_value=1300))
def test_every_line_fits_and_none_begins_wrong(setter: Setter, text: str, width: int) -> None:
    try:
        block = setter.set(text, width)
    except ItemError as error:
        assert error.reason in ("formula", "formula-too-wide")
        return
    starts: list[str] = []
    for line in block.lines:
        assert line.x + line.width <= width + 1
        starts.append(line.text.lstrip()[:1])
    paragraphs = {part.lstrip()[:1] for part in text.split("\n")}
    assert not [c for c in starts if c in NO_START and c not in paragraphs]


@SLOW
@given(TEXTS)
def test_ren_07_nothing_is_cut_at_the_measured_size(setter: Setter, text: str) -> None:
    """A canvas of the measured size plus the air that pages have holds the ink of an over-large one."""
    try:
        block = setter.set(text, 900)
    except ItemError:
        return
    air = setter.px // 2
    assert sum(ink(block, air).tobytes()) == sum(ink(block, 400).tobytes())
    box = ink(block, 400).getbbox()
    if box is not None and block.lines:
        assert box[1] >= 400 and box[3] <= 400 + block.height


@pytest.mark.parametrize(
    "last",
    [
        "gÅpqy",
        "ends in $x_{gy}$",
        "ends in $\\frac{g}{y}$",
        "$\\dfrac{\\frac{a}{y}}{\\frac{g}{y}}$",
        "结尾，gy",
    ],
)
def test_ren_07_descenders_of_the_last_line_stay(typesetter: Typesetter, last: str) -> None:
    block = Setter(typesetter.font, typesetter, 40).set(f"first line\n{last}", 900)
    exact, large = ink(block, 6), ink(block, 300)
    assert sum(exact.tobytes()) == sum(large.tobytes()) > 0


def test_formulas_stand_on_the_baseline_of_the_text(setter: Setter) -> None:
    block = setter.set("speed $\\mathrm{H}$ and $\\frac{a}{b}$", 900)
    assert (
        {run.y for run in block.runs}
        == {formula.y for formula in block.formulas}
        == {block.lines[0].baseline}
    )


@pytest.mark.parametrize("inside", ["7", r"\mathrm{H}"])
def test_digits_and_capitals_are_as_tall_in_formulas_as_beside_them(setter: Setter, inside: str) -> None:
    formula = setter.set(f"${inside}$", 1000).formulas[0].formula
    assert formula.mask is not None
    top = -setter.font.ink(inside[-2] if "{" in inside else inside, setter.px)[1]
    assert abs(formula.mask.height - top) <= 1


def test_chinese_is_as_large_in_formulas_as_beside_them(setter: Setter) -> None:
    height = setter.font.face(setter.px).getmask("国").size[1]
    for tex in (r"\text{国}", r"\ce{\text{国}}"):  # one engine, and the other
        formula = setter.set(f"${tex}$", 1000).formulas[0].formula
        assert formula.mask is not None
        assert abs(formula.mask.height - height) <= 1


def test_lines_never_overlap(setter: Setter) -> None:
    block = setter.set("a $\\frac{\\frac{a}{b}}{\\frac{c}{d}}$ b\n" * 3 + "中" * 200, 600)
    for above, below in zip(block.lines, block.lines[1:], strict=False):
        assert below.y >= above.y + above.height


def test_a_long_formula_is_broken_at_relations(setter: Setter) -> None:
    block = setter.set("$" + " = ".join(f"a_{{{i}}} + b_{{{i}}}" for i in range(20)) + "$", 700)
    assert len(block.lines) > 1
    assert setter.counts["broken-formula"] >= 1


def test_a_formula_that_cannot_be_broken_shrinks_and_then_refuses(setter: Setter) -> None:
    wide = r"$\left(" + "+".join("abcdefgh"[i % 8] for i in range(30)) + r"\right)$"
    natural = setter.natural_width(wide)
    block = setter.set(wide, round(natural * 0.8))
    assert block.formulas[0].formula.px < setter.px
    with pytest.raises(ItemError) as caught:
        setter.set(wide, round(natural * 0.4))
    assert caught.value.reason == "formula-too-wide"


def test_an_endless_token_is_split(setter: Setter) -> None:
    block = setter.set("x" * 400, 600)
    assert len(block.lines) > 5
    assert "".join(line.text for line in block.lines) == "x" * 400


def test_a_split_token_keeps_numbers_signs_and_accents_whole(setter: Setter) -> None:
    text = "（（word" * 6 + "12345，（the25 ℃" * 9 + "e\u0301" * 60
    lines = [line.text for line in setter.set(text, 300).lines]
    assert len(lines) > 6
    assert not [line for line in lines if line.lstrip()[0] in NO_START or unicodedata.combining(line[0])]
    assert "".join(lines).replace(" ", "") == unicodedata.normalize("NFC", text).replace(" ", "")
    assert sum(line.count("12345") for line in lines) == 9


def test_sub_questions_hang(setter: Setter) -> None:
    block = setter.set(
        "Given a block.\n(1) Find the acceleration " + "of the block " * 12 + "\n(2) Find it.", 600
    )
    first = next(line for line in block.lines if line.text.startswith("(1)"))
    following = block.lines[block.lines.index(first) + 1]
    assert first.x == 0 < following.x


def test_chinese_and_latin_have_air_between_them(setter: Setter) -> None:
    assert (
        setter.natural_width("质量m为")
        > setter.natural_width("质量") + setter.natural_width("m") + setter.natural_width("为") + 8
    )
    assert setter.natural_width("质量，m") <= setter.natural_width("质量，") + setter.natural_width("m") + 1


@pytest.mark.parametrize("source", ["是（ ）。", "是（　　）。", "is (    ) so", "is ( ) so"])
def test_the_bracket_for_an_answer_has_room_for_one(setter: Setter, source: str) -> None:
    opening, closing = ("（", "）") if "（" in source else ("(", ")")
    line = setter.set(source, 900).lines[0]
    assert f"{opening}\u3000\u3000{closing}" in line.text
    for width in range(180, 260, 7):
        assert not [text for text in setter.set(source, width).lines if text.text.endswith(opening)]


def test_tables_are_drawn_with_every_cell(setter: Setter) -> None:
    block = setter.set(
        "\\begin{tabular}{|c|c|}\n\\hline 选项 & $x$ \\\\\n\\hline A & 稀盐酸"
        + "很长" * 30
        + " \\\\\n\\hline\n\\end{tabular}",
        700,
    )
    words = "".join(line.text for line in block.lines)
    assert "选项" in words and "$x$" in words and "稀盐酸" + "很长" * 30 in words
    box = ink(block, 50).getbbox()
    assert box is not None and box[2] - box[0] <= 700
    for line in block.lines:
        for rule in block.rules:
            apart_x = line.x + line.width <= rule.x or rule.x + rule.width <= line.x
            apart_y = line.y + line.height <= rule.y or rule.y + rule.height <= line.y
            assert apart_x or apart_y


def test_curly_quotes_are_narrow_in_english_and_an_em_wide_in_chinese(setter: Setter) -> None:
    em = setter.px
    assert setter.font.width("’", em) < 0.3 * em
    assert setter.natural_width("isn’t") < setter.natural_width("isnt") + 0.3 * em
    assert setter.natural_width("“电流”") == 4 * em
    assert setter.natural_width("他说It’s") == setter.natural_width("他说Its") + setter.font.width(
        "’", em
    ) or (setter.natural_width("他说It’s") < setter.natural_width("他说Its") + 0.3 * em)
    opening, closing = (run for run in setter.set("“电”", 900).runs if run.text in "“”")
    assert opening.x > 0.4 * em  # its ink is at the side of the word
    assert closing.x == 2 * em
    assert setter.set("“电”", 900).lines[0].text == "“电”"


def test_dots_stand_on_the_line_in_english_and_in_the_middle_in_chinese(setter: Setter) -> None:
    assert setter.set("and so on…", 900).lines[0].text == "and so on..."
    assert setter.counts["ellipsis"] == 1
    assert setter.set("等等……", 900).lines[0].text == "等等……"


@pytest.mark.parametrize("text", ["word " * 60, "木块在水平面上" * 20, "如图 block 与 $x^2$，" * 15])
def test_justified_lines_end_flush_and_say_the_same(setter: Setter, text: str) -> None:
    plain = setter.set(text, 700)
    justified = Setter(setter.font, setter.typesetter, setter.px, justify=True).set(text, 700)
    assert [line.text for line in justified.lines] == [line.text for line in plain.lines]
    stretched = [line for line in justified.lines[:-1] if line.width == 700]
    assert len(stretched) >= len(justified.lines) // 2
    assert justified.lines[-1].width == plain.lines[-1].width
    assert all(line.width <= 700 for line in justified.lines)


# --- what the font cannot draw ---------------------------------------------------------------------------------


def test_ren_01_no_placeholder_box_is_ever_drawn(setter: Setter) -> None:
    known = "如图，质量为2 kg的木块 θ=30°, ∠ABC, ①②, Ω, ⇌, ₂"
    assert setter.set(known, 900).lines
    with pytest.raises(ItemError) as caught:
        setter.set(known + ", 🧪", 900)
    assert caught.value.reason == "missing-glyph"
    assert "U+1F9EA" in caught.value.detail and "U+5982" not in caught.value.detail


def test_ren_01_a_font_without_chinese_refuses_naming_the_characters(
    latin_font: Path, typesetter: Typesetter
) -> None:
    small = Setter(TextFont(latin_font), typesetter, 32)
    assert small.set("plain words", 900).lines
    with pytest.raises(ItemError) as caught:
        small.set("如图 block", 900)
    assert caught.value.reason == "missing-glyph"
    assert "如 (U+5982)" in caught.value.detail and "图 (U+56FE)" in caught.value.detail


@pytest.mark.parametrize("text", ["احسب السرعة v = 3 m/s", "שלום 3", "กขค", "a \ue000 b", "f\x80(x)"])
def test_ren_03_scripts_that_are_not_supported_are_refused(setter: Setter, text: str) -> None:
    with pytest.raises(ItemError) as caught:
        setter.set(text, 900)
    assert caught.value.reason == "missing-glyph"
    assert "U+" in caught.value.detail


@pytest.mark.parametrize("text", ["שלום 3", "a \u202e b", r"$\text{שלום}$"])
def test_ren_03_a_font_with_hebrew_letters_does_not_make_them_supported(text: str, hebrew_font: Path) -> None:
    font = TextFont(hebrew_font)
    assert "ש" in font
    small = Setter(font, make_typesetter(font), 32)
    with pytest.raises(ItemError) as caught:
        small.set(text, 900)
    assert caught.value.reason in ("right-to-left", "missing-glyph")
    assert ("right" in caught.value.detail) == ("ש" in text)


def test_the_bundled_font_has_the_national_tables() -> None:
    font = load_font()
    for lead in range(0xB0, 0xF8):
        for trail in range(0xA1, 0xFF):
            char = bytes((lead, trail)).decode("gb2312", "ignore")
            assert char in font if char else True
    assert not font.missing("頂點標數狀況樣實質羅來則傑垟，。；：？！（）《》【】“”‘’①②③⇌∽⊙△∠∥⊥℃ℓΩμπθ㎡")


@SLOW
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_any_unicode_is_drawn_or_refused(setter: Setter, text: str) -> None:
    try:
        setter.set(text, 800)
    except ItemError as error:
        assert error.reason in (
            *("missing-glyph", "right-to-left", "formula", "formula-too-long", "formula-too-wide", "table"),
        )

"""Paragraphs of text and formulas into lines, with every baseline on a whole pixel."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from benchwright.render.canvas import Block, FormulaAt, Rule, Run, TextLine
from benchwright.render.font import TextFont
from benchwright.render.formula import Formula, Typesetter
from benchwright.render.linebreak import (
    FORMULA,
    NO_BREAK_SPACE,
    NO_BREAK_WIDE,
    NO_END,
    NO_START,
    Unit,
    glue,
    is_wide,
    units,
)
from benchwright.render.segment import Break, Math, Segment, Text, segment
from benchwright.render.table import Table
from benchwright.render.widths import split_wide
from benchwright.schemas.errors import ItemError

LEADING = 1.5
"""Distance of baselines, in em."""
_TEXT_ASCENT, _TEXT_DESCENT = 0.88, 0.26
"""Room of a line of text in em; taller ink (stacked accents) makes more."""
_LINE_GAP = 0.28
_PARAGRAPH_GAP = 0.3
_TABLE_GAP = 0.35
_CJK_LATIN_GAP = 0.18
"""Air between Chinese and Latin letters, digits or formulas where the source has no blank."""
_LOOSEST_WORDS, _LOOSEST_CHARACTERS = 0.6, 0.25
"""What a justified line may add at each place, in em: between words, between Chinese characters."""
_SMALLEST = 0.55
"""A formula too wide for the page may shrink to this share of the text size."""
_LABEL = re.compile(
    r"(?:[（(]\s?(?:\d{1,2}|[a-hivx]{1,4}|[A-H])\s?[)）]|[①-⑳]|(?:\d{1,2}|[A-H])[.．、])\s*(?=\S)"
)


@dataclass(frozen=True)
class _Box:
    """One stretch of text or one formula inside a unit."""

    text: str
    formula: Formula | None
    width: float
    gap: float
    """Air before it."""
    inset: float = 0.0
    """From the box's left edge to the pen."""


@dataclass
class _Line:
    """Boxes with their left edges."""

    boxes: list[tuple[float, _Box]] = field(default_factory=list)
    width: float = 0.0
    spaced: set[int] = field(default_factory=set)
    """Boxes that a blank precedes."""
    loose: list[int] = field(default_factory=list)
    """Boxes before which a justified line may stretch."""


@dataclass
class Setter:
    """Sets texts at one size.

    Args:
        font: text font.
        typesetter: formula engines.
        px: em in pixels.
        counts: what was repaired or adapted, summed over all texts set.
        justify: lines but the last of a paragraph end flush right.
    """

    font: TextFont
    typesetter: Typesetter
    px: int
    counts: Counter[str] = field(default_factory=Counter)
    justify: bool = False

    @property
    def formula_px(self) -> int:
        """Em of formulas in pixels."""
        return round(self.px * self.font.formula_scale)

    def set(self, text: str, width: int) -> Block:
        """Lay a text out in lines no wider than `width` pixels.

        Raises:
            ItemError: `missing-glyph`, `formula`, `formula-too-long`, `formula-too-wide`, `table`.
        """
        segmented = segment(text, self.font.__contains__)
        self.counts.update(segmented.counts)
        block = Block(width=width)
        y = 0.0
        after_table = False
        for paragraph in _paragraphs(segmented.segments):
            part = self._part(paragraph, width)
            if not part.lines and not part.rules:
                continue
            if block.lines or block.rules:
                y += (_PARAGRAPH_GAP + _TABLE_GAP * bool(part.rules or after_table)) * self.px
            else:
                block.baseline = part.baseline
            block.add(part, 0, math.ceil(y))
            after_table = bool(part.rules)
            y = block.height
        return block

    def natural_width(self, text: str) -> int:
        """Width of the text's widest line when nothing forces it to break."""
        counted = Counter(self.typesetter.counts)
        block = replace(self, counts=Counter()).set(text, 100_000)
        self.typesetter.counts = counted  # measuring is not drawing
        return max((line.x + line.width for line in block.lines), default=0)

    def _part(self, paragraph: list[Segment], width: int) -> Block:
        first = paragraph[0]
        if isinstance(first, Table):
            from benchwright.render.tablelayout import set_table

            return set_table(self, first, width)
        if isinstance(first, Math) and first.display:
            return self._display(first, width)
        return self._paragraph(paragraph, width)

    def _display(self, math_: Math, width: int) -> Block:
        formulas = self._fitted(math_, width)
        block = Block(width=width)
        for formula in formulas:
            line = _Line([(0.0, _Box("", formula, formula.width, 0.0))], formula.width)
            self._place(block, line, (width - formula.width) // 2 if width < 100_000 else 0)
        return block

    def _fitted(self, math_: Math, width: int) -> list[Formula]:
        """The formula in pieces that fit: whole, broken at relations and signs, or smaller."""
        whole = self.typesetter.formula(math_.tex, self.formula_px, math_.display)
        if whole.width <= width:
            return [whole]
        pieces = split_wide(whole.tex)
        if len(pieces) > 1:
            self.counts["broken-formula"] += 1
            lines: list[str] = []
            for piece in pieces:
                joined = f"{lines[-1]} {piece}" if lines else piece
                if lines and self.typesetter.formula(joined, self.formula_px, math_.display).width <= width:
                    lines[-1] = joined
                else:
                    lines.append(piece)
            return [self._shrunk(Math(line, math_.display), width) for line in lines]
        return [self._shrunk(math_, width)]

    def _shrunk(self, math_: Math, width: int) -> Formula:
        formula = self.typesetter.formula(math_.tex, self.formula_px, math_.display)
        if formula.width <= width:
            return formula
        px = int(self.formula_px * width / formula.width)
        self.counts["shrunk-formula"] += 1
        while px >= math.ceil(self.formula_px * _SMALLEST):
            formula = self.typesetter.formula(math_.tex, px, math_.display)
            if formula.width <= width:
                return formula
            px -= 1
        raise ItemError(
            "formula-too-wide", f"{math_.tex[:100]} does not fit {width} pixels at a legible size"
        )

    def _paragraph(self, paragraph: list[Segment], width: int) -> Block:
        text, formulas = self._analysed(paragraph, width)
        block = Block(width=width)
        hang = self._hang(text, width)
        for number, line in enumerate(self._filled(text, formulas, width, hang)):
            self._place(block, line, hang if number else 0)
        return block

    def _analysed(self, paragraph: list[Segment], width: int) -> tuple[str, list[Formula]]:
        """The paragraph as text with placeholders, and the formulas in order."""
        parts: list[str] = []
        formulas: list[Formula] = []
        for item in paragraph:
            if isinstance(item, Math):
                fitted = self._fitted(item, width)
                formulas += fitted
                parts.append(FORMULA * len(fitted))
            elif isinstance(item, Text):
                self.font.require(item.text.replace(FORMULA, "\ufffd"))
                parts.append(re.sub(r"[ \t]{2,}(?![)）])", " ", item.text.replace("\t", " ")))
        text = "".join(parts)
        # A blank that only separated a formula from Chinese punctuation would look like a hole.
        text = re.sub(r"(?<![（(]) +(?=[，。；：、？！）])", "", text)
        # The bracket for an answer has room for one, however many blanks the source gave it.
        text = re.sub(r"(?<=[（(])[ 　]+(?=[)）])", "\u3000\u3000", text)
        if "…" in text and not _has_han(text):
            # The font's own dots are those of Chinese: six in a row, at half height.
            self.counts["ellipsis"] += text.count("…")
            text = text.replace("…", "...")
        lead = len(text) - len(text.lstrip(" "))
        return glue(text[lead:].rstrip(" 　") if text.strip() else ""), formulas

    def _hang(self, text: str, width: int) -> int:
        match = _LABEL.match(text)
        if match is None or FORMULA in match[0]:
            return 0
        hang = math.ceil(self.font.width(match[0], self.px))
        return hang if hang < width / 4 else 0

    def _filled(self, text: str, formulas: list[Formula], width: int, hang: int) -> list[_Line]:
        lines = [_Line()]
        upcoming = iter(formulas)
        han = _has_han(text)
        blank = 0.0
        last = ""
        for unit in units(text):
            boxes = self._boxes(text, unit, upcoming, last if not blank else "", han)
            last = text[unit.end - 1] if unit.end > unit.start else last
            room = width - (hang if len(lines) > 1 else 0)
            for group in self._groups(boxes, width - hang):
                size = sum(box.width + box.gap for box in group)
                line = lines[-1]
                if line.boxes and line.width + blank + size > room:
                    line = _Line()
                    lines.append(line)
                    room = width - hang
                    blank = 0.0
                _extend(line, group, blank)
                blank = 0.0
            blanks = text[unit.end : unit.end + unit.blanks]
            blank = sum(self.font.width(c, self.px) for c in blanks)
        lines = [line for line in lines if line.boxes]
        if self.justify:
            for number, line in enumerate(lines[:-1]):
                _stretch(line, width - (hang if number else 0), self.px)
        return lines

    def _groups(self, boxes: list[_Box], width: int) -> list[list[_Box]]:
        """One group; formulas and the smallest pieces of text where the unit is wider than a line."""
        if sum(box.width + box.gap for box in boxes) <= width:
            return [boxes]
        self.counts["split-token"] += 1
        groups: list[list[_Box]] = []
        for box in boxes:
            for part in (box,) if box.formula is not None else self._pieces(box.text, width):
                room = width - sum(before.width for before in groups[-1]) if groups else 0.0
                if groups and part.text and part.text[0] in NO_START and part.width <= room:
                    groups[-1].append(part)
                else:
                    groups.append([part])
        return groups

    def _pieces(self, text: str, width: int) -> list[_Box]:
        """Characters; signs, accents and digits stay with what they belong to as long as that fits."""
        pieces: list[str] = []
        for char in text:
            last = pieces[-1][-1] if pieces else ""
            belongs = char in NO_START or char.isspace() or unicodedata.combining(char) or last in NO_END
            belongs = belongs or (char.isdigit() and (last.isdigit() or last in ".,"))
            if last and belongs and self.font.width(pieces[-1] + char, self.px) <= width:
                pieces[-1] += char
            else:
                pieces.append(char)
        return [_Box(piece, None, self.font.width(piece, self.px), 0.0) for piece in pieces]

    def _boxes(self, text: str, unit: Unit, upcoming: Iterator[Formula], last: str, han: bool) -> list[_Box]:
        boxes: list[_Box] = []
        position = unit.start
        while position < unit.end:
            gap = _CJK_LATIN_GAP * self.px if _needs_gap(last, text[position]) else 0.0
            if text[position] == FORMULA:
                formula = next(upcoming)
                boxes.append(_Box("", formula, formula.width, gap))
                end = position + 1
            elif han and _is_wide_quote(text, position):
                boxes.append(self._wide_quote(text[position]))
                end = position + 1
            else:
                end = position + 1
                while (
                    end < unit.end
                    and text[end] != FORMULA
                    and not _needs_gap(text[end - 1], text[end])
                    and not (han and _is_wide_quote(text, end))
                ):
                    end += 1
                run = text[position:end].replace(NO_BREAK_SPACE, " ").replace(NO_BREAK_WIDE, "\u3000")
                boxes.append(_Box(run, None, self.font.width(run, self.px), gap))
            last = text[end - 1]
            position = end
        return boxes

    def _wide_quote(self, quote: str) -> _Box:
        """A quotation mark among Chinese has an em, its ink at the side of what it embraces."""
        natural = self.font.width(quote, self.px)
        width = max(natural, float(self.px))
        return _Box(quote, None, width, 0.0, width - natural if quote in "‘“" else 0.0)

    def _place(self, block: Block, line: _Line, indent: int) -> None:
        """Append a line below what the block holds."""
        px = self.px
        formulas = [box.formula for _, box in line.boxes if box.formula is not None]
        inks = [self.font.ink(box.text, px) for _, box in line.boxes if box.text.strip()]
        ascent = max(
            [f.ascent for f in formulas] + [math.ceil(_TEXT_ASCENT * px)] + [math.ceil(-i[1]) for i in inks]
        )
        descent = max(
            [f.descent for f in formulas] + [math.ceil(_TEXT_DESCENT * px)] + [math.ceil(i[3]) for i in inks]
        )
        if block.lines:
            above = block.lines[-1]
            natural = above.baseline + round(LEADING * px)
            baseline = max(natural, above.y + above.height + math.ceil(_LINE_GAP * px) + ascent)
        else:
            baseline = ascent
            block.baseline = baseline
        words: list[str] = []
        for x, box in line.boxes:
            left = indent + round(x)
            if box.formula is not None:
                block.formulas.append(FormulaAt(left, baseline, box.formula))
                words.append(f"${box.formula.tex}$")
            else:
                block.runs.append(Run(left + round(box.inset), baseline, box.text, px))
                words.append(box.text)
        words_ = "".join(" " + w if i in line.spaced and i else w for i, w in enumerate(words))
        box_ = TextLine(indent, baseline - ascent, math.ceil(line.width), ascent + descent, baseline, words_)
        block.lines.append(box_)
        block.height = baseline + descent


def _extend(line: _Line, group: list[_Box], blank: float) -> None:
    x = line.width + (blank if line.boxes else 0.0)
    if line.boxes:
        line.loose.append(len(line.boxes))
        if blank:
            line.spaced.add(len(line.boxes))
    for box in group:
        x += box.gap if line.boxes else 0.0
        line.boxes.append((x, box))
        x += box.width
    line.width = x


def _stretch(line: _Line, room: float, px: int) -> None:
    """Spread a line to the full width, unless that would tear holes."""
    extra = room - line.width
    places = set(line.loose)
    loosest = _LOOSEST_WORDS if places <= line.spaced else _LOOSEST_CHARACTERS
    if not places or extra / len(places) > loosest * px:
        return
    share, moved = extra / len(places), 0.0
    for index, (x, box) in enumerate(line.boxes):
        moved += share if index in places else 0.0
        line.boxes[index] = (x + moved, box)
    line.width = room


@lru_cache(maxsize=8192)
def _needs_gap(before: str, after: str) -> bool:
    """Chinese beside Latin letters, digits or a formula, in either order."""
    if not before:
        return False
    return (_is_han(before) and _is_latin(after)) or (_is_latin(before) and _is_han(after))


@lru_cache(maxsize=8192)
def _is_han(char: str) -> bool:
    return is_wide(char) and char.isalpha()


def _has_han(text: str) -> bool:
    return any(map(_is_han, text))


def _is_wide_quote(text: str, index: int) -> bool:
    """A curly quotation mark of a Chinese sentence; not the apostrophe of a foreign word in it."""
    if text[index] not in "‘’“”":
        return False
    around = text[index - 1 : index] + text[index + 1 : index + 2]
    return not (
        text[index] == "’" and len(around) == 2 and all(c.isalpha() and not is_wide(c) for c in around)
    )


def _is_latin(char: str) -> bool:
    return char == FORMULA or (char.isalnum() and not is_wide(char))


def _paragraphs(segments: list[Segment]) -> list[list[Segment]]:
    """Segments between breaks; display formulas and tables stand alone."""
    paragraphs: list[list[Segment]] = [[]]
    for item in segments:
        if isinstance(item, Break):
            paragraphs.append([])
        elif isinstance(item, Table) or (isinstance(item, Math) and item.display):
            paragraphs += [[item], []]
        else:
            paragraphs[-1].append(item)
    return [p for p in paragraphs if p and any(not (isinstance(s, Text) and not s.text.strip()) for s in p)]


__all__ = ["LEADING", "Rule", "Setter"]

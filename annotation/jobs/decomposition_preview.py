"""What stands beside the selectable stem: the question as it is, and the proposal formatted as readers will see it."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from benchwright.annotation.markup import ImageUrl
from benchwright.annotation.svg import text_html
from benchwright.schemas.records import Condition, Decomposition, ImageRef, LocalizedText, Show

SHOWN: dict[Show, tuple[str, str, str]] = {
    Show.ON_DIAGRAM: ("drawn on the diagram · 画在图上", "#b02a37", "1"),
    Show.ALREADY_THERE: ("already on it · 图上已有", "#8a6100", "2"),
    Show.BAND: ("band below it · 图下文字带", "#5a3ea8", "3"),
    Show.TEXT: ("stays in the text · 留在文中", "#2f6f4f", "4"),
}
"""What becomes of a condition: its words on the page, its colour, its key."""

STYLE = """
.bw-q .bw-panel{margin:14px 0;padding:2px 14px 10px;border:1px solid #d0d7de;border-radius:6px}
.bw-q h5{margin:12px 0 2px;font-size:12px;letter-spacing:.04em;color:#57606a;font-weight:600}
.bw-q .bw-cond{border-bottom:2px solid;padding:1px 1px 0;border-radius:2px 2px 0 0}
.bw-q .bw-cond:has(svg){border:0}
.bw-q .bw-on-diagram{border-color:#b02a37;background:#fbecee}
.bw-q .bw-already-there{border-color:#8a6100;background:#fbf3df}
.bw-q .bw-band{border-color:#5a3ea8;background:#f1edfb}
.bw-q .bw-text{border-color:#2f6f4f;background:#edf5f0}
.bw-q .bw-removed{color:#57606a;text-decoration:line-through}
.bw-q .bw-found{color:#7a1f00}
.bw-q .bw-labels td{padding:1px 12px 1px 0;vertical-align:baseline}
.bw-q ul.bw-list{margin:2px 0;padding-left:18px;list-style:disc}
.bw-q .bw-panel ul.bw-options{margin:8px 0 0;padding:0;list-style:none}
.bw-stem .lsf-richtext__container{white-space:pre-wrap;font:15px/1.9 ui-monospace,Menlo,Consolas,monospace;
border:1px solid #d0d7de;border-radius:6px;padding:10px 12px;overflow-wrap:anywhere}
.bw-stem .lsf-richtext__line{white-space:pre-wrap;padding-left:0}
.bw-page h4{font-size:14px;line-height:1.4;margin:10px 0 2px !important}
.bw-page textarea{field-sizing:content;height:auto !important;min-height:54px;max-height:60vh}
.bw-page textarea,.bw-page input{animation:bw-appear .6s step-end}
@keyframes bw-appear{from{visibility:hidden}to{visibility:visible}}
"""
"""Style of this page, besides that of all pages.

Label Studio puts the pointer into the last filled field when a page opens, so that a key meant for a label would be
typed into a text. What is invisible cannot be given the pointer: the fields appear a moment later. A condition with a
formula has no line below it, which would run through the formula.
"""


def question_panel(text: LocalizedText, images: Sequence[ImageRef], url: ImageUrl) -> str:
    """The question as it is: text, pictures, options, answer.

    Args:
        text: the question in the language of the page.
        images: its diagrams.
        url: where the page finds an image.
    """
    figures = "".join(
        f'<figure><img src="{html.escape(url(image), quote=True)}" alt=""></figure>' for image in images
    )
    return _panel("Question · 原题", [text_html(text.question), figures, _options(text, url), _answer(text)])


def proposal_panel(split: Decomposition, removed: Sequence[str], findings: Sequence[str]) -> str:
    """A proposal as readers will see it.

    Args:
        split: the proposal.
        removed: sentences that its stem leaves out as background knowledge.
        findings: what the program checks found.
    """
    return _panel("As proposed · 建议拆分", _proposal(split, removed, findings))


def stem_html(split: Decomposition) -> str:
    """The stem with its formulas drawn and its conditions coloured.

    A condition that begins or ends inside a formula cannot be coloured without tearing the formula: then none is.
    """
    pieces: list[tuple[str, Condition | None]] = []
    place = 0
    for condition in split.conditions:
        pieces.append((split.stem[place : condition.start], None))
        pieces.append((split.stem[condition.start : condition.end], condition))
        place = condition.end
    pieces.append((split.stem[place:], None))
    drawn = [(text_html(words), condition) for words, condition in pieces]
    whole = text_html(split.stem)
    if "".join(part for part, _ in drawn) != whole:
        return whole
    return "".join(
        part if condition is None else f'<span class="bw-cond bw-{condition.show.value}">{part}</span>'
        for part, condition in drawn
    )


def _proposal(split: Decomposition, removed: Sequence[str], findings: Sequence[str]) -> Iterable[str]:
    yield _section("Stem, conditions coloured · 题干（着色处为条件）", stem_html(split))
    marks = [(condition, mark) for condition in split.conditions for mark in condition.marks]
    if marks:
        rows = "".join(
            f"<tr><td>{text_html(mark.label)}</td><td>← {text_html(split.stem[c.start : c.end])}</td></tr>"
            for c, mark in marks
        )
        yield _section(
            "Labels to be drawn · 画在图上的标注", f'<table class="bw-labels"><tbody>{rows}</tbody></table>'
        )
    yield _section("Core question · 核心问题", text_html(split.core_question))
    yield _section("Knowledge cue · 知识提示", text_html(split.knowledge_cue.sentence))
    if split.knowledge_detail:
        entries = "".join(
            f"<li><b>{text_html(entry.term)}</b>: {text_html(entry.text)}</li>"
            for entry in split.knowledge_detail
        )
        yield _section("Knowledge detail · 知识详解", f'<ul class="bw-list">{entries}</ul>')
    if removed:
        struck = "".join(
            f'<li><span class="bw-removed">{text_html(sentence)}</span></li>' for sentence in removed
        )
        yield _section("Left out as background · 作为背景知识删去", f'<ul class="bw-list">{struck}</ul>')
    if findings:
        found = "".join(f'<li class="bw-found">{html.escape(finding)}</li>' for finding in findings)
        yield _section("Found by program checks · 程序检查发现", f'<ul class="bw-list">{found}</ul>')


def _options(text: LocalizedText, url: ImageUrl) -> str:
    rows = []
    for choice in text.choices:
        picture = ""
        if choice.image is not None:
            picture = f'<figure><img src="{html.escape(url(choice.image), quote=True)}" alt=""></figure>'
        label = f'<span class="bw-label">{html.escape(choice.label)}</span>'
        rows.append(f"<li>{label}{text_html(choice.text or '')}{picture}</li>")
    return f'<ul class="bw-options">{"".join(rows)}</ul>' if rows else ""


def _answer(text: LocalizedText) -> str:
    unit = f" {text_html(text.unit)}" if text.unit else ""
    return f'<div class="bw-answer"><span class="bw-label">Answer · 答案</span>{text_html(text.answer)}{unit}</div>'


def _panel(title: str, parts: Iterable[str]) -> str:
    return (
        f'<div class="bw-q"><div class="bw-panel"><h5>{html.escape(title)}</h5>{"".join(parts)}</div></div>'
    )


def _section(title: str, body: str) -> str:
    return f"<h5>{html.escape(title)}</h5><div>{body}</div>"

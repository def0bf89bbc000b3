"""A question as HTML for review pages: text in both languages, options, answer, pictures. Everything is escaped."""

from __future__ import annotations

import html
from collections.abc import Callable

from benchwright.annotation.svg import text_html
from benchwright.schemas.records import Choice, ImageRef, LocalizedText, Question

ImageUrl = Callable[[ImageRef], str]
LANGUAGE_NAMES = {"en": "English", "zh": "中文"}

STYLE = """
.bw-page{display:grid;grid-template-columns:minmax(0,3fr) minmax(260px,2fr);gap:28px;align-items:start}
.bw-side{position:sticky;top:0}
.bw-q{font-size:16px;line-height:1.65;max-width:72ch;color:#1f2328}
.bw-q .bw-lang{color:#6e7781;font-size:12px;letter-spacing:.06em;margin:18px 0 4px}
.bw-q .bw-options{margin:8px 0 0;padding:0;list-style:none}
.bw-q .bw-options li{margin:2px 0}
.bw-q .bw-label{font-weight:600;margin-right:.5em}
.bw-q .bw-answer{margin-top:10px;padding:4px 10px;border-left:3px solid #2f6f4f;background:#f3f7f4}
.bw-q figure{margin:12px 0}
.bw-q img{max-width:100%;max-height:460px;background:#fff}
.bw-q svg.bw-math{display:inline-block !important;max-width:none}
.bw-q .bw-display{margin:8px 0;text-align:center;overflow-x:auto}
.bw-q .bw-table{border-collapse:collapse;margin:8px 0}
.bw-q .bw-table td{border:1px solid #8c959f;padding:3px 8px}
.bw-q .bw-fault{background:#ffebe9;color:#a40e26;border:1px solid #ff8182;border-radius:3px;padding:0 4px}
"""
"""Style of the review pages, put into the labelling config."""


def question_html(question: Question, url: ImageUrl) -> str:
    """The question in its source language first, its pictures, then the other languages."""
    order = [question.language, *sorted(set(question.texts) - {question.language})]
    parts = [_language_html(question.texts[order[0]], order[0], len(order) > 1, url)]
    parts += [_figure(image, url) for image in question.images]
    parts += [_language_html(question.texts[language], language, True, url) for language in order[1:]]
    return f'<div class="bw-q">{"".join(parts)}</div>'


def question_images(question: Question) -> tuple[ImageRef, ...]:
    """All pictures a question shows, options included, each once."""
    found = {image.sha256: image for image in question.images}
    for text in question.texts.values():
        found.update(
            {choice.image.sha256: choice.image for choice in text.choices if choice.image is not None}
        )
    return tuple(found.values())


def _language_html(text: LocalizedText, language: str, named: bool, url: ImageUrl) -> str:
    name = LANGUAGE_NAMES.get(language, language)
    heading = f'<div class="bw-lang">{html.escape(name)}</div>' if named else ""
    options = "".join(_option(choice, url) for choice in text.choices)
    listed = f'<ul class="bw-options">{options}</ul>' if options else ""
    unit = f" {text_html(text.unit)}" if text.unit else ""
    answer = (
        f'<div class="bw-answer"><span class="bw-label">Answer</span>{text_html(text.answer)}{unit}</div>'
    )
    return f"{heading}<div>{text_html(text.question)}</div>{listed}{answer}"


def _option(choice: Choice, url: ImageUrl) -> str:
    picture = _figure(choice.image, url) if choice.image is not None else ""
    return f'<li><span class="bw-label">{html.escape(choice.label)}</span>{text_html(choice.text or "")}{picture}</li>'


def _figure(image: ImageRef, url: ImageUrl) -> str:
    return f'<figure><img src="{html.escape(url(image), quote=True)}" alt=""></figure>'

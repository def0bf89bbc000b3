"""A released row and a model's answer to it as HTML for review pages. Everything is escaped; answers are hostile."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence

from benchwright.annotation.svg import text_html
from benchwright.models.thinking import split_thinking
from benchwright.schemas.records import ImageRef, ReleaseRow
from benchwright.schemas.runs import Response

ImageUrl = Callable[[ImageRef], str]
LONGEST = 20_000
"""Characters of an answer that a page shows; longer ones lose their middle, and the page says so."""
_TAIL = 5_000
_PARAGRAPH = re.compile(r"\n[ \t]*\n+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

ROW_STYLE = """
.bw-q .bw-part{color:#57606a;font-size:12px;letter-spacing:.05em;margin:18px 0 4px}
.bw-q .bw-response{padding:8px 12px;border-left:3px solid #9a6700;background:#fff8e5;overflow-wrap:anywhere}
.bw-q .bw-response p{margin:0 0 .7em}
.bw-q .bw-response p:last-child{margin-bottom:0}
.bw-q .bw-cut{color:#a40e26}
.bw-q figcaption{color:#57606a;font-size:12px}
.bw-q .bw-fault{white-space:pre-wrap}
"""
"""Style of pages about rows and answers, beside that of all pages."""


def given_html(row: ReleaseRow, pictures: Sequence[ImageRef], url: ImageUrl) -> str:
    """What a model is sent of a row: its text as it stands, then its pictures. Never the key."""
    return _box(_text(row.question) + _figures(row, pictures, url))


def judged_html(
    row: ReleaseRow,
    response: Response,
    pictures: Sequence[ImageRef] = (),
    url: ImageUrl = lambda image: image.sha256,
    *,
    solution: bool = False,
) -> str:
    """The whole question, its pictures and reference answer, and what the model said.

    Args:
        row: the row.
        response: the answer to it; thinking that the model marked as such is left out, as no judge sees it.
        pictures: those that the page shows.
        url: where the page finds a picture.
        solution: whether the worked solution stands below the reference answer.
    """
    parts = [_part("Question · 题目"), _text(row.full_question), _figures(row, pictures, url)]
    parts += [
        _part("Reference answer · 参考答案"),
        f'<div class="bw-answer">{text_html(reference(row))}</div>',
    ]
    if solution and row.solution:
        parts += [_part("Solution · 解答"), _text(row.solution)]
    parts += [_part("Response · 模型的回答"), f'<div class="bw-response">{response_html(response)}</div>']
    return _box("".join(parts))


def reference(row: ReleaseRow) -> str:
    """The reference answer with its unit, and for options with what they say."""
    answer = row.answer or ""
    said = {option.label: option.text for option in row.options}
    if row.options and answer and all(label in said for label in answer):
        return ", ".join(f"{label} ({said[label]})" if said[label] else label for label in answer)
    return f"{answer} {row.unit}" if row.unit else answer


def response_html(response: Response) -> str:
    """A model's words, paragraph by paragraph: a formula that cannot be drawn spoils only its own."""
    text = split_thinking(response.text).text
    if not text:
        return f"<i>no answer ({html.escape(response.detail or response.status.value)})</i>"
    if len(text) <= LONGEST:
        return paragraphs_html(text)
    cut = len(text) - LONGEST
    note = f'<p class="bw-cut">… {cut:,} characters are not shown …</p>'
    return paragraphs_html(text[: LONGEST - _TAIL]) + note + paragraphs_html(text[-_TAIL:])


def paragraphs_html(text: str) -> str:
    """Text with drawn formulas as `<p>`s; control characters are shown by their pictures."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    shown = _CONTROL.sub(_control_picture, lines)
    return "".join(f"<p>{text_html(part)}</p>" for part in _PARAGRAPH.split(shown) if part.strip())


def _control_picture(match: re.Match[str]) -> str:
    """Unicode's picture of a control character: an escape written out would be read as a LaTeX command."""
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def _text(text: str) -> str:
    return f"<div>{text_html(text)}</div>" if text else ""


def _part(name: str) -> str:
    return f'<div class="bw-part">{html.escape(name)}</div>'


def _figures(row: ReleaseRow, pictures: Sequence[ImageRef], url: ImageUrl) -> str:
    options = {option.image_sha256: option.label for option in row.options if option.image_sha256}
    parts = []
    for image in pictures:
        label = options.get(image.sha256)
        caption = f"<figcaption>{html.escape(label)}</figcaption>" if label else ""
        parts.append(f'<figure><img src="{html.escape(url(image), quote=True)}" alt="">{caption}</figure>')
    return "".join(parts)


def _box(inner: str) -> str:
    return f'<div class="bw-q">{inner}</div>'

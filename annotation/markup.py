"""A question as HTML for review pages: text in both languages, options, answer, pictures. Everything is escaped."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

from benchwright.annotation.svg import text_html
from benchwright.schemas.records import Choice, ImageRef, LocalizedText, Question

ImageUrl = Callable[[ImageRef], str]
LANGUAGE_NAMES = {"en": "English", "zh": "中文"}

STYLE = """
.bw-page{display:grid;grid-template-columns:minmax(0,3fr) minmax(260px,2fr);gap:28px;align-items:start}
.bw-side{position:sticky;top:0}
.bw-side h4,.bw-side h5{font-size:14px !important;font-weight:600;margin:10px 0 4px !important}
.bw-side .lsf-choices{margin:4px 0 !important}
.bw-side .lsf-choice_layout_inline{margin:0 16px 2px 0 !important;padding:0 !important;height:auto}
.bw-side .lsf-choice label{font-weight:400;color:inherit}
.bw-side .lsf-choice .ant-checkbox-wrapper,.bw-side .lsf-choice .ant-checkbox + span{
height:auto !important;min-height:0 !important;line-height:22px !important}
.bw-side .ant-radio-inner,.bw-side .lsf-choice .ant-checkbox:not(.ant-checkbox-checked) .ant-checkbox-inner{
border:1px solid #818b98 !important}
.bw-page ::placeholder{color:#6e7781 !important;opacity:1}
.bw-closing{margin-top:14px;border-top:1px solid #d0d7de}
.bw-field textarea{field-sizing:content;height:auto !important;max-height:60vh;line-height:1.5}
@keyframes bw-rest{from,to{visibility:hidden}}
.bw-field textarea,.bw-field input{animation:bw-rest .3s}
.lsf-sidepanels:not(:has(.lsf-labels)) .lsf-sidepanels__wrapper{display:none}
.lsf-sidepanels:not(:has(.lsf-labels)){padding-right:0 !important}
.lsf-tabs-panel:has(.lsf-info){height:168px !important}
.lsf-tabs-panel:has(.lsf-info) + .lsf-tabs-panel{height:calc(100% - 168px) !important}
.lsf-info [data-testid=empty-state]{padding:14px}
.lsf-info .bg-primary-background{display:none}
.lsf-outliner-item__title{min-width:0;flex-wrap:wrap}
.lsf-outliner-item__text{max-width:150px !important}
.bw-guide h4{font-weight:700;margin:14px 0 4px}
.bw-guide li{list-style:disc;margin:2px 0 2px 20px}
.bw-guide + .bw-guide{border-top:1px solid #d0d7de;margin-top:18px;padding-top:14px}
.bw-q{font-size:16px;line-height:1.65;max-width:72ch;color:#1f2328;overflow:auto hidden;overflow-wrap:break-word}
.bw-q .bw-lang{color:#6e7781;font-size:12px;letter-spacing:.06em;margin:18px 0 4px}
.bw-q .bw-options{margin:8px 0 0;padding:0;list-style:none}
.bw-q .bw-options li{margin:2px 0}
.bw-q .bw-label{font-weight:600;margin-right:.5em}
.bw-q .bw-answer{margin-top:10px;padding:4px 10px;border-left:3px solid #2f6f4f;background:#f3f7f4}
.bw-q figure{margin:12px 0}
.bw-q img{max-width:100%;max-height:460px;background:#fff}
.bw-q svg.bw-math{display:inline-block !important;max-width:none}
.bw-q .bw-display{display:block;margin:8px 0;text-align:center;overflow:auto hidden}
.bw-q .bw-table{border-collapse:collapse;margin:8px 0;display:block;overflow-x:auto}
.bw-q .bw-table td{border:1px solid #8c959f;padding:3px 8px}
.bw-q .bw-panel{margin:14px 0;padding:4px 14px 8px;border:1px solid #d0d7de;border-radius:6px}
.bw-q .bw-panel h5{margin:4px 0;font-size:12px;letter-spacing:.04em;color:#57606a;font-weight:600}
.bw-q .bw-panel ul{margin:2px 0;padding-left:18px;list-style:disc}
.bw-q .bw-found{color:#7a1f00}
.bw-q .bw-right{background:#e6f4ea;border-radius:3px}
.bw-q .bw-solution{margin-top:8px;color:#424a53}
.bw-two{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:20px}
.bw-q .bw-fault{background:#ffebe9;color:#a40e26;border:1px solid #ff8182;border-radius:3px;padding:0 4px}
[data-color-scheme=dark] .bw-q{background:#fdfdfc;padding:8px 14px;margin-bottom:10px;border-radius:6px}
[data-color-scheme=dark] .bw-q:has(.bw-panel:only-child){padding:0}
[data-color-scheme=dark] .bw-q .bw-panel:only-child{border:0}
[data-color-scheme=dark] .bw-page ::placeholder{color:#9b9b95 !important}
[data-color-scheme=dark] .lsf-outliner-item .lsf-labels-list{color:#dcdcda !important}
""" + "".join(
    f".bw-rows-{rows} textarea{{min-height:{21 * rows + 16}px !important}}\n" for rows in range(2, 13)
)
"""Style of the review pages, put into the labelling config. No `>` may stand in it: Label Studio writes it `&gt;`.

Pages without regions hide the panel that lists them; elsewhere the list gets the room, not the empty details above.
In the dark scheme what is shown lies on white paper, as its pictures do. A prefilled field takes the focus when it
appears, and a key that should choose would be typed into it: so fields are invisible, and cannot be focused, for their
first moment.
"""


def question_html(question: Question, url: ImageUrl) -> str:
    """The question in its source language first, its pictures, then the other languages."""
    order = [question.language, *sorted(set(question.texts) - {question.language})]
    parts = [_language_html(question.texts[order[0]], order[0], len(order) > 1, url)]
    parts += [_figure(image, url) for image in question.images]
    parts += [_language_html(question.texts[language], language, True, url) for language in order[1:]]
    return f'<div class="bw-q">{"".join(parts)}</div>'


def text_of_html(
    text: LocalizedText,
    language: str,
    images: Sequence[ImageRef],
    url: ImageUrl,
    *,
    title: str = "",
    right: str | None = None,
    solution: bool = False,
) -> str:
    """A question in one language: name of the language, text, options, answer with its unit, pictures.

    Args:
        text: what is shown.
        language: its language.
        images: pictures of the stem.
        url: where the page finds a picture.
        title: what it is, in front of the language's name.
        right: label of an option that is marked as the right one.
        solution: whether the solution is shown too.
    """
    solved = ""
    if solution and text.solution:
        words = text_html(text.solution)
        solved = f'<div class="bw-solution"><span class="bw-label">Solution · 解析</span>{words}</div>'
    pictures = "".join(_figure(image, url) for image in images)
    return (
        f'<div class="bw-q">{_language_html(text, language, True, url, right, title)}{solved}{pictures}</div>'
    )


def text_images(text: LocalizedText, images: Sequence[ImageRef]) -> tuple[ImageRef, ...]:
    """All pictures that `text_of_html` shows, each once."""
    found = {image.sha256: image for image in images}
    found.update({choice.image.sha256: choice.image for choice in text.choices if choice.image is not None})
    return tuple(found.values())


def panel_html(title: str, lines: Sequence[str], *, found: bool = False) -> str:
    """A box with a list of texts, formulas drawn; '' without lines. `found` marks what a check objects to."""
    if not lines:
        return ""
    mark = ' class="bw-found"' if found else ""
    rows = "".join(f"<li{mark}>{text_html(line)}</li>" for line in lines)
    return f'<div class="bw-q"><div class="bw-panel"><h5>{html.escape(title)}</h5><ul>{rows}</ul></div></div>'


def findings_html(findings: Sequence[str]) -> str:
    """What program checks object to in a proposal; '' where they found nothing."""
    return panel_html("Program checks found · 程序检查发现", findings, found=True)


def question_images(question: Question) -> tuple[ImageRef, ...]:
    """All pictures a question shows, options included, each once."""
    found = {image.sha256: image for image in question.images}
    for text in question.texts.values():
        found.update(
            {choice.image.sha256: choice.image for choice in text.choices if choice.image is not None}
        )
    return tuple(found.values())


def _language_html(
    text: LocalizedText,
    language: str,
    named: bool,
    url: ImageUrl,
    right: str | None = None,
    title: str = "",
) -> str:
    name = " · ".join(part for part in (title, LANGUAGE_NAMES.get(language, language)) if part)
    heading = f'<div class="bw-lang">{html.escape(name)}</div>' if named else ""
    options = "".join(_option(choice, url, choice.label == right) for choice in text.choices)
    listed = f'<ul class="bw-options">{options}</ul>' if options else ""
    unit = f" {text_html(text.unit)}" if text.unit else ""
    answer = f'<div class="bw-answer"><span class="bw-label">Answer · 答案</span>{text_html(text.answer)}{unit}</div>'
    return f"{heading}<div>{text_html(text.question)}</div>{listed}{answer}"


def _option(choice: Choice, url: ImageUrl, right: bool = False) -> str:
    picture = _figure(choice.image, url) if choice.image is not None else ""
    mark = ' class="bw-right"' if right else ""
    words = text_html(choice.text or "")
    return f'<li{mark}><span class="bw-label">{html.escape(choice.label)}</span>{words}{picture}</li>'


def _figure(image: ImageRef, url: ImageUrl) -> str:
    return f'<figure><img src="{html.escape(url(image), quote=True)}" alt=""></figure>'

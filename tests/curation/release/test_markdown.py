"""Texts of others on our pages: a real parser of Markdown sees them as text alone."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from benchwright.curation.release.markdown import code, fenced, figure, in_line, pages

HOSTILE = (
    "<script>alert(1)</script>",
    "a | b",
    "<!-- benchwright:end -->",
    "[click](javascript:alert(1))",
    "![x](https://example.org/x.png)",
    "**bold** and *more*",
    "_all_ of it",
    "`code` ``and`` ```more```",
    "one\n\n# two",
    "C:\\new | C:\\table\\",
    "&lt;b&gt; and AT&T; R&D",
    "snake_case_name",
    "<https://example.org>",
)


def said(html: str) -> list[tuple[str, str]]:
    """What the parser takes a page for: kinds of tokens with their texts."""
    found = []
    for token in MarkdownIt("commonmark").enable("table").parse(html):
        found += [(child.type, child.content) for child in token.children or ()] or [
            (token.type, token.content)
        ]
    return [one for one in found if one != ("text", "")]


@pytest.mark.parametrize("text", HOSTILE)
def test_in_a_cell_nothing_acts_as_markup(text):
    tokens = said(f"| name | n |\n|---|---|\n| {in_line(text)} | 1 |\n")
    cells = [content for kind, content in tokens if kind not in ("text", "text_special") or content]
    assert {kind for kind, _ in tokens if not kind.endswith(("_open", "_close"))} <= {"text", "text_special"}
    assert "".join(cells) == "namen" + " ".join(text.split()) + "1"


@pytest.mark.parametrize("text", HOSTILE)
def test_code_shows_the_text_and_ends_where_it_should(text):
    tokens = [token for token in said(f"see {code(text)}") if not token[0].startswith("paragraph")]
    assert tokens == [("text", "see "), ("code_inline", " ".join(text.split()))]
    tokens = said(f"{fenced(text, 'bibtex')}\n\nafter")
    assert tokens == [
        ("fence", text + "\n"),
        ("paragraph_open", ""),
        ("text", "after"),
        ("paragraph_close", ""),
    ]


def test_figures_of_nothing_are_a_dash_and_templates_have_the_filters():
    assert (figure(None), figure(0), figure(1.5)) == ("-", "0", "1.5")
    page = pages("benchwright.curation.release").from_string("{{ a | cell }} {{ b | figure }} {{ c | code }}")
    assert page.render(a="<i>", b=None, c="x") == "\\<i\\> - `x`"

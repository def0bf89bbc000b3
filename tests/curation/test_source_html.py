"""Web pages as sources: tables and marked blocks of questions, with their pictures and formulas."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.curation.sources import BadRow, SourceRow, read_rows
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Question, Rejected
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

OPTIONS = IngestOptions(license="CC0-1.0", discipline="physics", language="en")


def page(tmp_path: Path, body: str, head: str = "", name: str = "quiz.html") -> Path:
    path = tmp_path / name
    path.write_text(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>", encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    found = list(read_rows(path))
    assert all(isinstance(row, SourceRow) for row in found), found
    return [row.values for row in found if isinstance(row, SourceRow)]


def test_blocks_of_a_saved_page(tmp_path: Path) -> None:
    body = """
    <nav><ul><li>Home</li></ul></nav>
    <article id="q1" data-difficulty="3">
      <p class="stem">Find v<sub>0</sub> of H<sub>2</sub>SO<sub>4</sub><sup>2-</sup>.<br>Think &amp; answer:</p>
      <script>alert("no")</script><style>p {}</style><span hidden>no</span><p style="display: none">no</p>
      <img src="pics/a%20b.png?v=2"><img src="../up.png">
      <ol><li>A. one</li><li>(B) two <img src='two.png'></li><li>three</li></ol>
      <p class="answer">B</p>
      <div class="analysis">Since<ul><li>it falls</li></ul></div>
    </article>
    <article data-answer="4"><h2>What is 2 + 2?</h2></article>"""
    first, second = rows(page(tmp_path, body))
    assert first["question"] == "Find v$_{0}$ of H$_{2}$SO$_{4}^{2-}$.\nThink & answer:"
    assert (first["id"], first["difficulty"], first["answer"]) == ("q1", "3", "B")
    assert first["images"] == ["pics/a b.png", "../up.png"]
    assert first["choices"] == [
        {"text": "one", "label": "A"}, {"text": "two", "label": "B", "image": "two.png"}, {"text": "three"},
    ]  # fmt: skip
    assert first["solution"] == "Since\nit falls"
    assert second == {"answer": "4", "question": "What is 2 + 2?"}


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (
            '<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation '
            'encoding="application/x-tex">x^2</annotation></semantics></math></span>'
            '<span class="katex-html" aria-hidden="true">x2</span></span>',
            "$x^2$",
        ),
        (
            '<script type="math/tex">\\frac{1}{2}</script><span class="MathJax_Preview">1/2</span>',
            "$\\frac{1}{2}$",
        ),
        ('<math alttext="a+b"><mi>a</mi></math>', "$a+b$"),
        ("\\(y\\)", "\\(y\\)"),
        ('<math alttext="x"></math><sub>1</sub>', "$x_{1}$"),
    ],
)
def test_formulas_are_the_tex_that_they_carry(formula: str, text: str, tmp_path: Path) -> None:
    (row,) = rows(page(tmp_path, f'<div data-question data-answer="1">Is {formula} right?</div>'))
    assert row["question"] == f"Is {text} right?"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("Is <math><mi>a</mi></math> right?", "html-formula"),
        ("Is <svg><path d='M0 0'/></svg> right?", "html-drawing"),
        ("<ul><li>I</li></ul><ul><li>A</li></ul>", "bad-choices"),
        ("<ul><li><img src='a.png'><img src='b.png'></li><li>x</li></ul>", "bad-choices"),
    ],
)
def test_what_a_page_shows_and_text_cannot_say_rejects_its_row(
    body: str, reason: str, tmp_path: Path
) -> None:
    path = page(tmp_path, f"<article>{body}</article><article data-answer='1'>Fine?</article>")
    bad, fine = read_rows(path)
    assert isinstance(bad, BadRow) and bad.reason == reason
    assert isinstance(fine, SourceRow)


def test_a_marked_list_is_the_options_beside_others(tmp_path: Path) -> None:
    body = """<article><div data-field="question">Which hold?<ol><li>I. it falls</li><li>II. it rises</li></ol></div>
    <ul class="options"><li>I</li><li>II</li></ul><b data-field="answer">A</b></article>"""
    (row,) = rows(page(tmp_path, body))
    assert row["question"] == "Which hold?\nI. it falls\nII. it rises"
    assert [option["text"] for option in row["choices"]] == ["I", "II"]


def test_a_table_of_questions(tmp_path: Path) -> None:
    body = """<table><tr><td>Menu</td></tr></table>
    <table><thead><tr><th>题号</th><th>题目</th><th>A</th><th>B</th><th>答案</th><th>配图</th></tr></thead>
    <tr><td>7</td><td>Which? <img src="x.png"></td><td><img src="a.png"></td><td>2.50</td><td>A</td>
    <td>y.png; z.png</td></tr>
    <tr><td>8</td><td>short</td></tr></table>"""
    first, second = read_rows(page(tmp_path, body))
    assert isinstance(first, SourceRow)
    assert first.values == {
        "id": "7", "question": "Which?", "answer": "A", "images": ["x.png", "y.png", "z.png"],
        "choices": [{"label": "A", "text": None, "image": "a.png"}, {"label": "B", "text": "2.50", "image": None}],
    }  # fmt: skip
    assert isinstance(second, BadRow) and second.reason == "ragged-row"


def test_a_heading_that_cannot_be_read_takes_no_question_with_it(tmp_path: Path) -> None:
    body = """<table><tr><th>id</th><th>question</th><th><math><mi>g</mi></math></th><th>answer</th></tr>
    <tr><td>1</td><td>Which?</td><td>9.8</td><td>A</td></tr></table>"""
    (only,) = read_rows(page(tmp_path, body))
    assert isinstance(only, SourceRow) and only.values == {"id": "1", "question": "Which?", "answer": "A"}


def test_pictures_beside_the_page_are_taken_and_those_elsewhere_are_not(
    tmp_path: Path, workspace: Workspace, png: Callable[..., bytes]
) -> None:
    folder = tmp_path / "saved"
    (folder / "pics").mkdir(parents=True)
    (folder / "pics" / "a b.png").write_bytes(png((7, 7, 7)))
    (tmp_path / "secret.png").write_bytes(png())
    body = "".join(
        f'<article id="{name}" data-answer="1">What is {name}? <img src="{address}"></article>'
        for name, address in {
            "near": "./pics/a%20b.png", "outside": "../secret.png", "remote": "//example.org/a.png",
            "https": "https://example.org/a.png", "gone": "pics/none.png",
        }.items()
    )  # fmt: skip
    ingest(workspace, [page(folder, body)], OPTIONS)
    (question,) = read_records(workspace.pool("physics"), Question)
    assert question.images[0].source_sha256 == sha256_bytes(png((7, 7, 7)))
    assert {entry.item_id: entry.reason for entry in read_records(workspace.pool_rejected, Rejected)} == {
        "outside": "image-outside-root", "remote": "image-remote", "https": "image-remote", "gone": "image-missing",
    }  # fmt: skip


def test_a_page_in_an_old_chinese_encoding(tmp_path: Path) -> None:
    text = '<html><head><meta charset="gb2312"></head><body><article data-answer="1">求速度。</article></body></html>'
    path = tmp_path / "p.htm"
    path.write_bytes(text.encode("gb18030"))
    assert rows(path)[0]["question"] == "求速度。"


@pytest.mark.parametrize(
    ("body", "says"), [("<p>hello</p>", "shows no questions"), ("", "shows no questions")]
)
def test_a_page_without_questions_is_told_so(body: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says):
        list(read_rows(page(tmp_path, body)))


def test_what_is_no_known_text_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "p.html").write_bytes(b"<article>\xff</article>")
    with pytest.raises(UsageError, match="not UTF-8"):
        list(read_rows(tmp_path / "p.html"))


def test_large_pictures_within_a_page_hide_nothing_behind_them(tmp_path: Path) -> None:
    body = f"""<article data-answer="1">First?<img src="data:image/png;base64,{"A" * 11_000_000}"></article>
    <article data-answer="2">Second?</article>"""
    assert [row["question"] for row in rows(page(tmp_path, body))] == ["First?", "Second?"]


def test_nesting_beyond_what_can_be_read_is_told_and_loses_nothing(tmp_path: Path) -> None:
    deep = f'<article data-answer="1">{"<b>" * 900}Deep?{"</b>" * 900}</article>'
    deep += '<article data-answer="2">Flat?</article>'
    first, second = read_rows(page(tmp_path, deep))
    assert isinstance(first, BadRow) and first.reason == "html-nesting"
    assert isinstance(second, SourceRow) and second.values["question"] == "Flat?"
    with pytest.raises(UsageError, match="nested too deeply"):
        list(read_rows(page(tmp_path, "<div>" * 4000 + "Deeper?")))


_TAGS = st.sampled_from(
    ["b", "/b", "p", "/p", "article", "/article", "sub", "/sub", "ol", "li", "/ol", "br", "table", "tr", "td",
     "span hidden", "/span", "!-- c --", "?pi", "math", "/math", "script", "/script", "img src=a.png", "textarea"]
)  # fmt: skip


@given(st.lists(_TAGS.map("<{}>".format) | st.text("xy<&; \n", max_size=5), max_size=40))
def test_no_page_breaks_the_reading(parts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = page(Path(folder), "".join(parts) + '<article data-answer="1">Last?</article>')
        try:
            found = list(read_rows(path))
        except UsageError:
            return
        assert found and all(isinstance(row, (SourceRow, BadRow)) for row in found)

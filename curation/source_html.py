r"""Web pages: one question for each row of a table, or for each marked block; pictures from their tags.

A page is read as one of these, the first that fits:

1. tables with a heading for the question: rows as in a spreadsheet (`source_tables.py`);
2. blocks: `<article>` elements, or elements with `data-question`, or of the class `question-item` or `question`.
   Within a block, an element with `data-field="NAME"`, or whose class is a field's name (question or stem, choices or
   options, answer, solution or explanation or analysis, ...), is that field; `data-NAME` attributes of the block are
   fields too. The items of a list outside the solution are the options. Without a marked question, what no other field
   takes is the question.

Text is what the page shows: scripts, styles and hidden elements are dropped, `<br>` and blocks break lines, `<sub>` and
`<sup>` become `$_{...}$` and `$^{...}$`, formulas of KaTeX, MathJax and MathML are taken as the TeX that they carry. A
formula that carries none rejects its row.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from benchwright.curation.source_tables import Cell, column_name, table_row
from benchwright.curation.sources import BadRow, SourceRow
from benchwright.schemas.errors import ItemError, UsageError

_LONGEST = 200_000_000
_FIELDS = {
    "question": "question", "stem": "question", "prompt": "question", "question-text": "question",
    "choices": "choices", "options": "choices", "answer": "answer", "solution": "solution",
    "explanation": "solution", "analysis": "solution", "unit": "unit", "difficulty": "difficulty",
    "subject": "subject", "discipline": "discipline", "chapter": "chapter", "grade": "grade", "id": "id",
    "language": "language", "knowledge-points": "knowledge_points", "knowledge_points": "knowledge_points",
    "license": "license", "question-type": "question_type", "question_type": "question_type",
}  # fmt: skip
_ITEM_CLASSES = ("question-item", "question-block", "quiz-item")
_BLOCKS = frozenset(re.findall(r"\w+", """
    address article aside blockquote dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr
    li main nav ol p pre section table tr ul
"""))  # fmt: skip
_DROPPED = frozenset(re.findall(r"\w+", """
    style template noscript head title link meta button select textarea iframe object audio video
"""))  # fmt: skip
_LABEL = re.compile(r"\s*[(（]?([A-H])\s*[)）.．、:：]\s*")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def read_html(path: Path) -> Iterator[SourceRow | BadRow]:
    """Rows of a page; `line` counts questions.

    Raises:
        UsageError: not a page, too large, or one in which neither shape is found.
    """
    data = path.read_bytes()
    if len(data) > _LONGEST:
        raise UsageError(f"{path.name} has {len(data)} bytes, a page may have {_LONGEST}: split it.")
    page = _parsed(data, path.name)
    readings = list(_table_rows(page)) or list(_blocks(page))
    if not readings:
        raise UsageError(
            f"{path.name} shows no questions: it has no table with a heading for the question, and no <article>, "
            "data-question or class question (docs/ingest.md)."
        )
    for line, reading in enumerate(readings, start=1):
        if isinstance(reading, ItemError):
            yield BadRow(line, reading.reason, reading.detail)
        else:
            yield SourceRow(line, reading)


def shown_text(element: Any, skip: frozenset[Any] = frozenset()) -> tuple[str, list[str]]:
    """What an element shows, as text, and the addresses of its pictures in their order.

    Raises:
        ItemError: `html-formula` for a formula without TeX, `html-drawing` for one that is no picture file,
            `html-nesting` for elements that lie too deep.
    """
    parts: list[str] = []
    pictures: list[str] = []
    try:
        _walk(element, parts, pictures, skip)
    except RecursionError:
        raise ItemError("html-nesting", "elements are nested too deeply") from None
    return _tidy("".join(parts)), pictures


def _parsed(data: bytes, name: str) -> Any:
    from lxml import etree, html

    encoding = "utf-8"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        declared = re.search(rb"charset\s*=\s*[\"']?([\w-]+)", data[:4096], re.IGNORECASE)
        encoding = declared.group(1).decode("ascii") if declared else ""
        try:
            # Pages that call themselves GB2312 use its superset.
            text = data.decode("gb18030" if encoding.lower() in ("gb2312", "gbk") else encoding or "utf-8")
        except (UnicodeDecodeError, LookupError):
            raise UsageError(f"{name} is not UTF-8 (byte {error.start + 1}): save it as UTF-8.") from error
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    # Without `huge_tree` the parser drops what lies behind a large picture in the page, and says nothing.
    parser = html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True)
    try:
        page = html.document_fromstring(text.encode("utf-8"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise UsageError(f"{name} cannot be read as a page ({error}): save it again.") from error
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise UsageError(
            f"{name} is nested too deeply to be read whole: save its questions as a simpler page."
        )
    return page


def _table_rows(page: Any) -> Iterator[dict[str, Any] | ItemError]:
    for table in page.iter("table"):
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        if not rows:
            continue
        heads = [_heading(cell) for cell in _cells(rows[0])]
        heads = [head.lower() if head.lower() in _FIELDS else head for head in heads]
        if "question" not in heads or "answer" not in heads:
            continue
        for row in rows[1:]:
            yield _table_row(heads, _cells(row))


def _cells(row: Any) -> list[Any]:
    return [cell for cell in row if cell.tag in ("td", "th")]


def _heading(cell: Any) -> str:
    """Name of a column; a heading that cannot be read names none, and the others keep theirs."""
    try:
        return column_name(shown_text(cell)[0])
    except ItemError:
        return ""


def _table_row(heads: list[str], cells: list[Any]) -> dict[str, Any] | ItemError:
    if len(cells) != len(heads):
        return ItemError("ragged-row", f"{len(cells)} cells under {len(heads)} headings")
    read: list[Cell] = []
    try:
        for cell in cells:
            text, pictures = shown_text(cell)
            read.append(Cell(text or None, tuple(pictures)))
    except ItemError as error:
        return error
    return table_row(heads, read)


def _blocks(page: Any) -> Iterator[dict[str, Any] | ItemError]:
    marked = [element for element in page.iter("article") if _is_item(element)]
    if not marked:
        marked = [e for e in page.iter() if isinstance(e.tag, str) and _is_marked(e)]
    if not marked:
        marked = [e for e in page.iter("div", "li", "section", "fieldset") if "question" in _classes(e)]
    outer = frozenset(marked)
    for element in marked:
        if not any(above in outer for above in element.iterancestors()):
            try:
                yield _block(element)
            except ItemError as error:
                yield error


def _is_item(article: Any) -> bool:
    """An article that says a question; a page often has articles round them as well."""
    return not any(True for inner in article.iter("article") if inner is not article)


def _is_marked(element: Any) -> bool:
    return element.get("data-question") is not None or any(
        name in _ITEM_CLASSES for name in _classes(element)
    )


def _classes(element: Any) -> list[str]:
    return str(element.get("class") or "").lower().split()


def _field_of(element: Any) -> str | None:
    named = element.get("data-field")
    if named is not None:
        name = str(named).strip()
        return _FIELDS.get(name.lower(), name)
    return next((_FIELDS[name] for name in _classes(element) if name in _FIELDS), None)


def _block(block: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        _FIELDS[key[5:]]: value
        for key, value in block.attrib.items()
        if key.startswith("data-") and key[5:] in _FIELDS
    }
    if block.get("id") and "id" not in values:
        values["id"] = block.get("id")
    taken: set[Any] = set()
    pictures: list[str] = []
    question: Any = None
    options = _option_list(block)
    for element in block.iterdescendants():
        if not isinstance(element.tag, str) or any(above in taken for above in element.iterancestors()):
            continue
        name = _field_of(element)
        if name == "question" and question is None:
            question = element
        elif element is options:
            values["choices"] = _options(element)
            taken.add(element)
        elif name is not None and name not in ("question", "choices"):
            text, own = shown_text(element)
            pictures += own
            values[name] = text or None
            taken.add(element)
    text, own = shown_text(block if question is None else question, frozenset(taken))
    values["question"] = text or None
    if question is not None:  # pictures beside the marked question belong to it
        own = shown_text(block, frozenset(taken))[1]
    if own or pictures:
        values["images"] = [*own, *pictures]
    return values


def _option_list(block: Any) -> Any:
    """The element that holds the options: a marked one, else the only list outside the other fields; or None.

    Raises:
        ItemError: `bad-choices` where there are several.
    """
    inner = [element for element in block.iterdescendants() if isinstance(element.tag, str)]
    marked = [element for element in inner if _field_of(element) == "choices"]
    other = [element for element in inner if _field_of(element) not in (None, "question", "choices")]
    lists = [
        element
        for element in inner
        if element.tag in ("ol", "ul")
        and not any(above in other for above in (element, *element.iterancestors()))
    ]
    found = marked or [one for one in lists if not any(above in lists for above in one.iterancestors())]
    if len(found) > 1:
        raise ItemError(
            "bad-choices", "the question shows several lists: mark the options with data-field='choices'"
        )
    return found[0] if found else None


def _options(element: Any) -> list[dict[str, Any]]:
    items = list(element.iter("li")) or [item for item in element if isinstance(item.tag, str)]
    options = []
    for item in items:
        text, pictures = shown_text(item)
        mark = _LABEL.match(text)
        option: dict[str, Any] = {"text": (text[mark.end() :] if mark else text) or None}
        if mark:
            option["label"] = mark.group(1)
        if pictures:
            option["image"] = pictures[0]
        if len(pictures) > 1:
            raise ItemError("bad-choices", f"an option shows {len(pictures)} pictures, it may have one")
        options.append(option)
    return options


def _walk(element: Any, parts: list[str], pictures: list[str], skip: frozenset[Any]) -> None:
    tag = element.tag
    if not isinstance(tag, str) or element in skip or tag in _DROPPED or _is_hidden(element):
        pass
    elif tag == "script":
        kind = str(element.get("type") or "").lower()
        if kind.startswith("math/tex"):
            parts.append(_tex(element.text or ""))
    elif tag == "math":
        parts.append(_tex_of_math(element))
    elif tag in ("img", "image"):
        if address := _address(element):
            pictures.append(address)
    elif tag in ("svg", "canvas"):
        raise ItemError("html-drawing", f"the question holds a <{tag}> drawing: save it as a picture file")
    elif tag in ("sub", "sup"):
        inner: list[str] = []
        _children(element, inner, pictures, skip)
        if text := "".join(inner).strip():
            parts.append(("$_{" if tag == "sub" else "$^{") + text.replace("$", "") + "}$")
    else:
        line = tag in _BLOCKS
        parts.append("\n" if line or tag == "br" else "")
        _children(element, parts, pictures, skip)
        parts.append("\n" if line else "\t" if tag in ("td", "th") else "")


def _children(element: Any, parts: list[str], pictures: list[str], skip: frozenset[Any]) -> None:
    keep = element.tag == "pre"
    parts.append(_blanks(element.text, keep))
    for child in element:
        _walk(child, parts, pictures, skip)
        parts.append(_blanks(child.tail, keep))


def _blanks(text: str | None, keep: bool) -> str:
    if text is None:
        return ""
    return text if keep else re.sub(r"[ \t\r\n\f]+", " ", text)


def _is_hidden(element: Any) -> bool:
    return (
        element.get("hidden") is not None
        or (element.get("aria-hidden") == "true" and element.tag in ("span", "svg", "i"))
        or "mathjax_preview" in _classes(element)
        or _HIDDEN.search(str(element.get("style") or "")) is not None
    )


def _tex_of_math(element: Any) -> str:
    for note in element.iter("annotation"):
        if "tex" in str(note.get("encoding") or "").lower():
            return _tex(note.text or "")
    if element.get("alttext"):
        return _tex(element.get("alttext"))
    raise ItemError("html-formula", "a MathML formula carries no TeX (no annotation, no alttext)")


def _tex(text: str) -> str:
    return f"${text.strip()}$" if text.strip() else ""


def _address(image: Any) -> str | None:
    """A picture's address: as a path where it is one, without query and escapes; data URIs and URLs as they are."""
    address = str(
        image.get("src") or image.get("data-src") or image.get("data-original") or image.get("href") or ""
    )
    address = address.strip()
    if not address or address.lower().startswith("data:") or re.match(r"(?i)https?://", address):
        return address or None
    if address.startswith("//"):
        return "https:" + address
    parts = urlsplit(address)
    if parts.scheme == "file":
        return unquote(parts.path)
    return posixpath.normpath(unquote(parts.path)) if not parts.scheme and parts.path else address


def _tidy(text: str) -> str:
    lines = [re.sub(r"[ \t]*\t[ \t]*", "\t", line).strip() for line in text.replace("\xa0", " ").split("\n")]
    joined = "\n".join(line for line in lines if line)
    return joined.replace("$$_{", "_{").replace(
        "$$^{", "^{"
    )  # a formula and the index that follows it are one

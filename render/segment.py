r"""Text to segments: what is running text, what is mathematics, where lines end, where a table stands.

Understood: `$...$`, `$$...$$`, `\(...\)`, `\[...\]`, bare environments, bare commands (`\odot X`), raw
`\ce{...}`, `<sub>`/`<sup>`, Unicode subscripts and superscripts, symbols that only the mathematics font has, tables.
Not mistaken for mathematics: `$5`, `$5 and $6`, `50%`.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from benchwright.render.htmltable import html_tables
from benchwright.render.normalise import normalise_text
from benchwright.render.table import Table, markdown_table, spanning_array, tabular
from benchwright.schemas.errors import ItemError


@dataclass(frozen=True)
class Text:
    """Running text without line ends."""

    text: str


@dataclass(frozen=True)
class Math:
    """A formula's source."""

    tex: str
    display: bool = False


@dataclass(frozen=True)
class Break:
    """End of a paragraph."""


Segment = Text | Math | Break | Table


@dataclass
class Segmented:
    """A text's segments, with how often each rule fired."""

    segments: list[Segment] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


MAX_TEXT = 50_000
"""Characters of a text; the tallest page (20,000 pixels) holds fewer."""
_ENVIRONMENTS = (
    "array|matrix|pmatrix|bmatrix|Bmatrix|vmatrix|Vmatrix|smallmatrix|cases|dcases|rcases|aligned|alignedat|align|alignat|"
    "gathered|gather|split|equation|eqnarray|multline|subarray"
)
_WRAPPER = re.compile(
    r"\\(?:begin|end)\{(?:center|flushleft|flushright|table|figure|quote|small)\*?\}(?:\[[^\]]*\])?|\\centering(?![A-Za-z])"
)
"""Environments that say where something stands on a page of their own."""
_OWN_LINE = frozenset({"align", "alignat", "gather", "equation", "eqnarray", "multline", "split"})
_TOKEN = re.compile(
    r"(?P<escaped>\\\$|\\%|\\&|\\#|\\_)"
    r"|(?P<display>\$\$(?P<display_tex>.+?)(?<!\\)\$\$)"
    r"|(?P<bracket>\\\[(?P<bracket_tex>.+?)\\\])"
    r"|(?P<paren>\\\((?P<paren_tex>.+?)\\\))"
    r"|(?P<tabular>\\begin\{tabular\}(?:(?!\\(?:begin|end)\{tabular\}).|\\begin\{tabular\}"
    r"(?:(?!\\end\{tabular\}).)*\\end\{tabular\})*\\end\{tabular\})"
    rf"|(?P<environment>\\begin\{{(?P<env>{_ENVIRONMENTS})\*?\}}.*?\\end\{{(?P=env)\*?\}})"
    r"|(?P<dollar>\$(?P<dollar_tex>(?:\\text\s*\{[^{}$]*\$(?:[^{}$]|\{[^{}$]*\})*\$[^{}$]*\}"
    r"|[^$\\]|\\.)+?)\$)"
    r"|(?P<chem>\\(?:ce|pu|ch)\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})"
    r"|(?P<command>\\(?:(?:widehat|hat|overline|underline|bar|vec|dot|ddot|tilde|widetilde|sqrt|overrightarrow|mathrm"
    r"|mathbf|text)\s+[A-Za-z0-9](?![A-Za-z])|[A-Za-z]+)(?:\s*\[[^\]]*\])?(?:\s*(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
    r"|[_^](?:\{[^{}]*\}|[A-Za-z0-9])))*)"
    r"|(?P<scripts><(?P<tag>sub|sup)>(?P<script>.*?)</(?P=tag)>)"
    r"|(?P<image><image\s*\d+>)"
    r"|(?P<newline>\n|<br\s*/?>|</p>|\\\\)"
    r"|(?P<tag_other></?(?:p|b|i|em|strong|u|span|div|font)(?:\s[^<>]*)?>)",
    re.DOTALL | re.IGNORECASE,
)
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ", "0123456789+-=()aeoxhklmnpstijruv", strict=True))
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_SCRIPT_RUN = re.compile(rf"[{re.escape(''.join(_SUBSCRIPTS) + ''.join(_SUPERSCRIPTS))}]+")
_SCRIPT_BASE = re.compile(r"[A-Za-z0-9)\]）Α-Ωα-ω]+$")
_SYMBOL = re.compile(r"([\u2070-\u209f\u2100-\u214f\u2190-\u2bff\U0001d400-\U0001d7ff\u02c6\u02d9])")
_ENTITY = re.compile(r"&(?:[A-Za-z]+\d*|#\d+|#[xX][0-9A-Fa-f]+);")
_LABEL = re.compile(r"[（(]?(?:[A-Za-z]|\d{1,2}|[ivx]{1,4})[)）.．、:：]")
_MATHY = re.compile(r"[\\^_=+<>{}|]|\d\s*[*/×÷−-]\s*\d")


def segment(text: str, has_glyph: Callable[[str], bool]) -> Segmented:
    """Split a question or an option into segments.

    Args:
        text: the text as stored.
        has_glyph: whether the text font can draw a character; others are tried as mathematics.

    Raises:
        ItemError: `table`: a table that cannot be drawn; `too-long`: more text than the tallest page holds.
    """
    if len(text) > MAX_TEXT:
        raise ItemError("too-long", f"{len(text)} characters, the limit is {MAX_TEXT}")
    cleaned, counts = normalise_text(text)
    out = Segmented(counts=counts)
    cleaned, wrappers = _WRAPPER.subn("\n", cleaned)
    if wrappers:
        out.counts["wrapper"] += wrappers
    for part in html_tables(cleaned):
        if isinstance(part, Table):
            out.counts["html-table"] += 1
            out.segments.append(part)
        else:
            _scan(_markdown_tables(part, out), has_glyph, out)
    out.segments = _merged(out.segments)
    return out


_DASHES = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")


def _markdown_tables(text: str, out: Segmented) -> str:
    """Markdown tables as `tabular`s: a row, dashes, rows; with or without bars at both ends."""
    lines = text.split("\n")
    parts: list[str] = []
    row = 0
    while row < len(lines):
        end = row + 2
        if "|" in lines[row] and "|" in "".join(lines[row + 1 : end]) and _DASHES.fullmatch(lines[row + 1]):
            while end < len(lines) and "|" in lines[end]:
                end += 1
        if end > row + 2:
            out.counts["markdown-table"] += 1
            parts.append(markdown_table("\n".join(lines[row:end])))
            row = end
        else:
            parts.append(lines[row])
            row += 1
    return "\n".join(parts)


def _scan(text: str, has_glyph: Callable[[str], bool], out: Segmented) -> None:
    position = 0
    while match := _TOKEN.search(text, position):
        _plain(text[position : match.start()], has_glyph, out)
        position = match.end()
        kind = match.lastgroup
        # lastgroup is the innermost named group that closed last; the outer one is the first that matched.
        kind = next(name for name in _KINDS if match[name] is not None)
        if kind == "dollar" and _is_currency(text, match):
            out.counts["currency"] += 1
            out.segments.append(Text("$"))
            position = match.start() + 1
            continue
        _emit(kind, match, text, has_glyph, out)
    _plain(text[position:], has_glyph, out)


_KINDS = (
    "escaped", "display", "bracket", "paren", "tabular", "environment", "dollar", "chem", "command", "scripts", "image",
    "newline", "tag_other",
)  # fmt: skip


def _emit(
    kind: str, match: re.Match[str], text: str, has_glyph: Callable[[str], bool], out: Segmented
) -> None:
    if kind == "escaped":
        out.segments.append(Text(match[0][1]))
    elif kind in ("display", "bracket", "paren", "dollar"):
        tex = match[f"{kind}_tex"]
        if (table := spanning_array(tex)) is not None:
            out.counts["spanning-array"] += 1
            out.segments.append(table)
            return
        own_line = kind in ("display", "bracket") and _stands_alone(text, match)
        if kind == "display" and not own_line:
            out.counts["display-inline"] += 1
        out.segments.append(Math(_unwrapped(tex), own_line))
    elif kind == "environment":
        if (table := spanning_array(match[0])) is not None:
            out.counts["spanning-array"] += 1
            out.segments.append(table)
            return
        alone = match["env"] in _OWN_LINE or _stands_alone(text, match)
        out.segments.append(Math(_unwrapped(match[0]), alone))
    elif kind == "tabular":
        out.counts["tabular"] += 1
        out.segments.append(tabular(match[0]))
    elif kind == "command" and re.match(r"\\(?:begin\s*\{tabular|end\s*\{tabular|hline)", match[0]):
        raise ItemError("table", "a table that is begun or ended in another text")
    elif kind in ("chem", "command"):
        out.counts["raw-chemistry" if kind == "chem" else "bare-command"] += 1
        out.segments.append(Math(match[0]))
    elif kind == "scripts":
        out.counts["html-scripts"] += 1
        mark = "_" if match["tag"].lower() == "sub" else "^"
        script = re.sub(r"</?[A-Za-z][^<>]*>", "", html.unescape(match["script"]))
        out.segments.append(Math(f"{{}}{mark}{{{_as_text(script)}}}"))
    elif kind == "image":
        out.counts["image-placeholder"] += 1
        before, after = _around(text, match)
        item = _LABEL.fullmatch(text[: match.start()].rstrip().rpartition("\n")[2].strip())
        if item or (before and after):  # an item of a list, or named in a sentence: the caption's words
            word = "图" if re.search(r"[\u4e00-\u9fff]", text) else "Figure"
            out.segments.append(Text(f"{word} {re.sub(r'[^0-9]', '', match[0])}"))
    elif kind == "newline":
        out.segments.append(Break())
    else:
        out.counts["html-tag"] += 1


def _as_text(text: str) -> str:
    return (
        text
        if re.fullmatch(r"[A-Za-z0-9+\-=()]", text) or re.fullmatch(r"[0-9+\-]+", text)
        else rf"\text{{{text}}}"
    )


def _unwrapped(tex: str) -> str:
    """Environments that only exist on lines of their own become their inner forms."""
    for outer, inner in (
        ("align", "aligned"),
        ("alignat", "alignedat"),
        ("gather", "gathered"),
        ("eqnarray", "aligned"),
    ):
        tex = re.sub(rf"\\(begin|end)\{{{outer}\*?\}}", rf"\\\1{{{inner}}}", tex)
    return re.sub(r"\\(?:begin|end)\{(?:equation|multline)\*?\}", "", tex)


def _around(text: str, match: re.Match[str]) -> tuple[str, str]:
    """What stands before and after a match on its line."""
    before = text[: match.start()].rpartition("\n")[2].strip()
    return before, text[match.end() :].partition("\n")[0].strip()


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    before, after = _around(text, match)
    return not before and after.strip("。．.,，;；") == ""


def _is_currency(text: str, match: re.Match[str]) -> bool:
    r"""A dollar sign before a number, with prose up to the next dollar sign, is money.

    `$5 and $6`, `costs $5, not $6`, `$80 and the flashlight was only 20% of that price$`; but `$5$`, `$5 x$`,
    `$2 \mathrm{nd}$` are mathematics.
    """
    inner = match["dollar_tex"]
    if re.match(r"\s+\d", inner) and inner[-1].isspace():
        return False  # `$ 2mg $`: nobody writes money so
    if not re.match(r"\s?\d", inner):
        # The sign closed nothing and opens nothing: `25$ worth of mangoes, priced at $2`.
        return len(re.findall(r"\b[a-z]{2,}\b", inner)) >= 3 and not re.search(r"[\\^_{}=]", inner)
    if _MATHY.search(inner):
        return bool(re.search(r"[A-Za-z]{3,}\s+[a-z]{2,}\s+[a-z]{2,}", inner)) and "\\" not in inner
    closes_before_digit = text[match.end() : match.end() + 1].isdigit()
    words = re.findall(r"[A-Za-z]{2,}", inner)
    return closes_before_digit or len(words) >= 2 or bool(words and inner[-1].isspace()) or "\n" in inner


def _plain(text: str, has_glyph: Callable[[str], bool], out: Segmented) -> None:
    """Running text: entities, control characters, Unicode scripts, symbols of the mathematics font."""
    if not text:
        return
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    cleaned = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", "", text)
    if cleaned != text:
        out.counts["control"] += len(text) - len(cleaned)
    position = 0
    for match in _SCRIPT_RUN.finditer(cleaned):
        if all(has_glyph(char) for char in match[0]):
            continue  # the font has all of them: `m²` stays text
        out.counts["unicode-scripts"] += 1
        before = cleaned[position : match.start()]
        base = _SCRIPT_BASE.search(before)
        _symbols(before[: base.start()] if base else before, has_glyph, out)
        carrier = f"\\mathrm{{{base[0]}}}" if base else "{}"
        out.segments.append(Math(carrier + _scripts(match[0])))
        position = match.end()
    _symbols(cleaned[position:], has_glyph, out)


def _scripts(run: str) -> str:
    parts: list[str] = []
    for kind, chars in (("_", _SUBSCRIPTS), ("^", _SUPERSCRIPTS)):
        if text := "".join(chars[c] for c in run if c in chars):
            parts.append(f"{kind}{{{text if not text.isalpha() else chr(92) + 'mathrm{' + text + '}'}}}")
    return "".join(parts)


def _symbols(text: str, has_glyph: Callable[[str], bool], out: Segmented) -> None:
    for index, part in enumerate(re.split(_SYMBOL, text)):
        if index % 2 and not has_glyph(part) and not part.isspace():
            out.counts["symbol-as-maths"] += 1
            out.segments.append(Math(part))
        elif part:
            out.segments.append(Text(part))


def _merged(segments: list[Segment]) -> list[Segment]:
    """Join neighbouring text, drop empty paragraphs at both ends and repeated breaks."""
    merged: list[Segment] = []
    for item in segments:
        last = merged[-1] if merged else None
        if isinstance(item, Text) and isinstance(last, Text):
            merged[-1] = Text(last.text + item.text)
        elif isinstance(item, Break) and (last is None or isinstance(last, Break)):
            continue
        else:
            merged.append(item)
    while merged and (isinstance(merged[-1], Break) or merged[-1] == Text("")):
        merged.pop()
    return merged

r"""Repairs of dirty text and LaTeX, each with a name and counted, so that none happens unseen.

Most dirt comes from HTML-to-LaTeX conversion (`\textless`, `\left {`) and from JSON escapes eaten on the way
(a tab in front of `ext{`). Nothing here guesses meaning: a rule either has one reading or is not a rule.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

_END = r"(?:\{\})?(?![A-Za-z])\s?"


@dataclass(frozen=True)
class Rule:
    """One named rewriting."""

    name: str
    pattern: re.Pattern[str]
    replacement: str


def _rule(name: str, pattern: str, replacement: str) -> Rule:
    return Rule(name, re.compile(pattern), replacement)


MATH_RULES: tuple[Rule, ...] = (
    # A backslash and a letter that JSON read as one control character.
    _rule("escape-tab", r"\t(?=(?:ext|imes|heta|an|au|o|riangle|herefore|frac)(?![a-z]))", r"\\t"),
    _rule("escape-carriage-return", r"\r(?=(?:ight|m|ho|angle|oot)(?![a-z]))", r"\\r"),
    _rule("escape-form-feed", r"\f(?=(?:rac|orall)(?![a-z]))", r"\\f"),
    _rule("escape-backspace", r"\x08(?=(?:egin|eta|ar|ecause|ot|inom)(?![a-z]))", r"\\b"),
    # A semicolon straight after the name: nothing else is written so, and an engine would draw `lt;`.
    _rule("entity-less", r"&lt;", "<"),
    _rule("entity-greater", r"&gt;", ">"),
    _rule("entity-space", r"&nbsp;", "~"),
    _rule("entity-ampersand", r"&amp;", "&"),
    _rule("text-bar", r"\\textbar" + _END, "|"),
    _rule("text-less", r"\\textless" + _END, "<"),
    _rule("text-greater", r"\\textgreater" + _END, ">"),
    _rule("text-tilde", r"\\textasciitilde" + _END, r"\\sim "),
    _rule("text-dollar", r"\\textdollar" + _END, r"\\$"),
    _rule("text-quote", r"\\textquotesingle" + _END, "'"),
    # Pandoc writes `-\/-` to keep two dashes apart; TeX draws nothing for it.
    _rule("italic-correction", r"(?<!\\)\\/", ""),
    # A gap to be filled in is no text, though some write it inside \\text.
    _rule("blank-in-text", r"\\text\s*\{\s*(?:_{2,}|(?:\\_\s?){2,})\s*\}", r"\\underline{\\qquad}"),
    _rule("blank", r"_{2,}|(?:\\_){2,}", r"\\underline{\\qquad}"),
    _rule("left-brace", r"\\left\s*(?:\\textbackslash(?:\{\})?\s?)?\{", r"\\left\\{"),
    _rule("right-brace", r"\\right\s*(?:\\textbackslash(?:\{\})?\s?)?\}", r"\\right\\}"),
    _rule("overarc", r"\\overarc(?![A-Za-z])", r"\\overset{\\frown}"),
    _rule("ch", r"\\ch(?=\{)", r"\\ce"),
    _rule("bold", r"\\bold(?![A-Za-z])", r"\\mathbf"),
    # A line end written out, where no command starts with n: at the edges and before a command or a capital.
    _rule(
        "literal-newline",
        r"^(?:\\n)+(?=[A-Z0-9\\(\[|])(?!(?:Left|Right|Leftright)arrow|V[Dd]ash)|(?<!\\)(?:\\n)+$|(?<!\\)(?:\\n)+(?=\\[A-Za-z])",
        "",
    ),
    _rule("mbox", r"\\mbox(?![A-Za-z])", r"\\text"),
    _rule("bare-dollar", r"(?<!\\)((?:\\\\)*)\$", r"\1\\$"),
    # TeX and MathJax read a bare % as a comment and lose the rest of the formula without a word.
    _rule("bare-percent", r"(?<!\\)((?:\\\\)*)%", r"\1\\%"),
    # Colour would be lost in a one-ink picture; a coloured ground would become a black box.
    _rule("color", r"\\(?:text)?color\s*(?:\[[^]]*\])?\{[^{}]*\}", ""),
    _rule("colorbox", r"\\f?colorbox\s*\{[^{}]*\}(?:\{[^{}]*\}(?=\{))?", r"\\text"),
    _rule("euro", "€", r"\\text{€}"),
    _rule("label", r"\\label\s*\{[^{}]*\}", ""),
    # The number of an equation is part of the question: it may speak of equation (3).
    _rule("tag", r"\\tag\s*\{([^{}]*)\}", r"\\qquad\\text{(\1)}"),
    _rule("starred-tag", r"\\tag\*\s*\{([^{}]*)\}", r"\\qquad\\text{\1}"),
    _rule("nonumber", r"\\(?:nonumber|notag)(?![A-Za-z])", ""),
)
"""Rewritings inside formulas, in order."""

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"))
_SPACES = dict.fromkeys(
    map(ord, "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"), " "
)
_BREAKS = dict.fromkeys(map(ord, "\u2028\u2029\x85"), "\n")
_LIGATURES = {ord(c): unicodedata.normalize("NFKC", c) for c in "ﬀﬁﬂﬃﬄﬅﬆĳ"}


_WORDS = r"(?:[^{}$\\]|\\.|\{(?:[^{}$]|\{[^{}$]*\})*\})"
_MATHS_IN_TEXT = re.compile(rf"\\(?:text|textrm|mbox)\s*\{{({_WORDS}*)\$({_WORDS}+)\$", re.DOTALL)


def normalise_tex(tex: str) -> tuple[str, Counter[str]]:
    """Clean one formula's source; returns it with the number of uses of each rule."""
    cleaned, counts = _normalised(tex)
    return cleaned, Counter(dict(counts))


@lru_cache(maxsize=4096)
def _normalised(tex: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    """The same, remembered: a page asks for each formula several times, to measure and to draw it."""
    counts: Counter[str] = Counter()
    # `\text{if $x > 0$}`: the words end where the mathematics begins.
    while opened := _MATHS_IN_TEXT.subn(r"\\text{\1}{\2}\\text{", tex):
        if not opened[1]:
            break
        counts["maths-in-text"] += opened[1]
        tex = opened[0]
    for rule in MATH_RULES:
        if rule.name == "bare-dollar" and r"\ce" in tex and tex.count("$") % 2 == 0:
            continue  # mhchem's own way to mathematics: `\ce{$K$ = ...}`
        tex, n = rule.pattern.subn(rule.replacement, tex)
        if n:
            counts[rule.name] += n
    cleaned = tex.translate(_SPACES).translate(_INVISIBLE)
    if cleaned != tex:
        counts["invisible"] += 1
    cleaned = re.sub(r"[\t\n\x0b\x0c\r\u2028\u2029\x85]+", " ", cleaned)
    cleaned = re.sub(r"[\x00-\x08\x0e-\x1f\x7f]", "", cleaned)
    return cleaned.strip(), tuple(counts.items())


def normalise_text(text: str) -> tuple[str, Counter[str]]:
    """Clean running text: line ends, spaces, invisible characters, radicals that stand for characters."""
    counts: Counter[str] = Counter()
    text = (
        re.sub(r"\r\n?", "\n", text)
        if not re.search(r"\r(?=ight|m\{|ho\b)", text)
        else text.replace("\r\n", "\n")
    )
    # Neither a row's end before the letter n nor a negated arrow is a line end written out.
    text, literal = re.subn(
        r"(?<!\\)\\n(?![a-z]|(?:Left|Right|Leftright)arrow(?![A-Za-z])|V[Dd]ash(?![A-Za-z]))", "\n", text
    )
    if literal:
        counts["literal-newline"] += literal
    for name, table in (
        ("invisible", _INVISIBLE),
        ("spaces", _SPACES),
        ("line-separators", _BREAKS),
        ("ligatures", _LIGATURES),
    ):
        mapped = text.translate(table)
        if mapped != text:
            counts[name] += 1
            text = mapped
    radicals = "".join(_radical(c) for c in text) if _MAY_BE_RADICALS.search(text) else text
    if radicals != text:
        counts["radicals"] += sum(a != b for a, b in zip(text, radicals, strict=True))
        text = radicals
    composed = unicodedata.normalize("NFC", text)
    if composed != text:
        counts["composed"] += 1
    return composed, counts


_MAY_BE_RADICALS = re.compile("[\u2e80-\u2fdf\uf900-\ufaff]")


def _radical(char: str) -> str:
    """A Kangxi or supplement radical stands for the character it looks like (text copied from PDF files)."""
    code = ord(char)
    if 0x2E80 <= code <= 0x2FDF:
        plain = unicodedata.normalize("NFKC", char)
        return plain if len(plain) == 1 and plain != char else _SUPPLEMENT.get(char, char)
    if 0xF900 <= code <= 0xFAFF:
        return unicodedata.normalize("NFKC", char)
    return char


_SUPPLEMENT = dict(
    zip(
        "⺠⺟⻄⻅⻆⻉⻋⻓⻔⻘⻛⻜⻝⻢⻦⻨⻩⻬⻰⻥⻪⻚⻙⻤⻮⻳⺩⺼⻌",
        "民母西见角贝车长门青风飞食马鸟麦黄齐龙鱼黾页韦鬼齿龟王肉辶",
        strict=True,
    )
)

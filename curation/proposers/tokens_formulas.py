r"""Formulas as they are compared between two languages: `\dfrac{1}{2} x` and `\frac{1}{2}x` are one.

What may differ: spacing, sizes, delimiters, the text inside `\text{}`, the sign for "triangle", "angle" and "circle"
(which prose may say in words), Chinese punctuation. Everything else has to be the same.
"""

from __future__ import annotations

import re

from benchwright.curation.proposers.tokens_units import canonical_unit
from benchwright.models.answer_text import without_latex

_UPRIGHT_NAMES = "mathrm|text|textrm|rm|mbox|operatorname|mathsf|mathbf|bf|mathit"
_UPRIGHT = re.compile(rf"(\\(?:{_UPRIGHT_NAMES})\s*\{{[^{{}}]*\}})")
_TEXT = re.compile(r"\\(text|textrm|textbf|textit|mbox|hbox|mathrm)\s*\{([^{}]*)\}")
_SPACING = re.compile(r"\\[,;:! >]|\\(?:quad|qquad|thinspace|enspace|hfill)(?![A-Za-z])|~|\s+")
_SIZES = re.compile(r"\\(?:left|right|displaystyle|textstyle|limits|nolimits|[bB]igg?[lrm]?)(?![A-Za-z])\.?")
_SAME = (
    (re.compile(r"\\[dtc]frac(?![A-Za-z])"), r"\\frac"),
    (re.compile(r"\\(?:leqslant|leq|le)(?![A-Za-z])|≤|⩽"), r"\\le "),
    (re.compile(r"\\(?:geqslant|geq|ge)(?![A-Za-z])|≥|⩾"), r"\\ge "),
    (re.compile(r"\\(?:neq|ne)(?![A-Za-z])|≠"), r"\\ne "),
    (re.compile(r"\\(?:rightarrow|to|longrightarrow)(?![A-Za-z])|→"), r"\\to "),
    (re.compile(r"\\(?:parallel)(?![A-Za-z])|∥"), r"\\parallel "),
    (re.compile(r"\\(?:perp|bot)(?![A-Za-z])|⊥"), r"\\perp "),
    (re.compile(r"\\times(?![A-Za-z])|×"), r"\\times "),
    (re.compile(r"\\cdot(?![A-Za-z])|⋅|·"), r"\\cdot "),
    (re.compile(r"\\(?:varphi|phi)(?![A-Za-z])"), r"\\phi "),
    (re.compile(r"\\(?:varepsilon|epsilon)(?![A-Za-z])"), r"\\epsilon "),
    (re.compile(r"\^\{?\\prime\}?|′|’"), "'"),
    (re.compile(r"\^\{\s*\\circ\s*\}|\^\s*\\circ|\\degree|°"), "°"),
    (re.compile(r"\\(?:ldots|cdots|dots)(?![A-Za-z])|…+|\.{3,}"), r"\\dots "),
)
# \triangle ABC is "triangle ABC" in words, and so on: the sign is dropped on both sides.
_SAID = re.compile(
    r"\\(?:triangle|angle|odot|mathrm\{Rt\}|text\{Rt\}|rm\{?Rt\}?)(?![A-Za-z])|[△∠⊙]|\\mathrm\{\\,\}"
)
_PUNCTUATION = str.maketrans("，；：（）［］｛｝！？＝＋－＜＞、。", ",;:()[]{}!?=+-<>,.")
_OPENS, _CLOSES = "([{", ")]}"
_MATH = re.compile(
    r"\$\$((?:[^$\\]|\\.)+?)\$\$|(?<!\\)\$((?:[^$\\]|\\.)+?)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL
)
_WORDS_IN_MONEY = re.compile(r"(?<![A-Za-z\\])[a-z]{3,}(?![A-Za-z])|[\u4e00-\u9fff]{2,}")


def math_spans(text: str) -> list[tuple[int, int, str]]:
    """The formulas of a text: start and end with their marks, and the source between the marks.

    "$5 each and $6" is money: what begins with a digit and holds a word but no TeX is no formula.
    """
    found: list[tuple[int, int, str]] = []
    place = 0
    while match := _MATH.search(text, place):
        inner = next(part for part in match.groups() if part is not None)
        if match[2] is not None and _is_money(inner):
            place = match.start() + 1
            continue
        found.append((match.start(), match.end(), inner))
        place = match.end()
    return found


def _is_money(inner: str) -> bool:
    if re.search(r"[\\=^_]", inner):
        return False
    if len(_WORDS_IN_MONEY.findall(inner)) >= 3:
        return True
    return inner[:1].isdigit() and (
        _WORDS_IN_MONEY.search(inner) is not None or inner[-1:] in " (" or "\n" in inner
    )


def has_upright(tex: str) -> bool:
    """Whether a formula holds upright text, which is where its units stand."""
    return _UPRIGHT.search(tex) is not None or r"\Omega" in tex


def spelled(tex: str, mask: bool = False) -> str:
    r"""Plain spelling on one line: "$2.0\\times10^{3}\\ \\mathrm{N}$" -> "2.0*10^3 N".

    Args:
        tex: a text with or without formulas.
        mask: turn italic letters into "x", so that the `h` of `2h` is no hour.
    """
    if mask:
        parts = _UPRIGHT.split(tex)
        parts[::2] = [re.sub(r"\\[A-Za-z]+|[A-Za-z]", _masked, part) for part in parts[::2]]
        tex = "".join(parts)
    said = re.sub(r"(\d)\s*\{,\}\s*(\d)", r"\1,\2", tex)
    said = re.sub(r"\\%", "%", without_latex(said))
    return re.sub(r"\^\s*°|\{\s*°\s*\}", "°", said)


def _masked(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith("\\") else "x"


def normal(tex: str, with_text: bool = False) -> str:
    r"""The form in which two formulas are compared.

    Args:
        tex: source of a formula.
        with_text: keep what stands inside `\text{}`: for formulas of one language.
    """
    said = tex.translate(_PUNCTUATION)
    if not with_text:
        said = _TEXT.sub(_symbols_of, said)
    said = _SIZES.sub("", said)
    for pattern, plain in _SAME:
        said = pattern.sub(plain, said)
    said = _SAID.sub("", said)
    said = re.sub(r"\\mathrm\s*\{\s*~?\s*", r"\\mathrm{", said)
    said = _SPACING.sub("", re.sub(r"(\\[A-Za-z]+)\s+(?=[A-Za-z])", r"\1{}", said))
    said = re.sub(r"([_^])\{(\w|\\[A-Za-z]+(?:\{\})?)\}", r"\1\2", said)
    said = re.sub(r"(\\[A-Za-z]+)\{\}", r"\1 ", said)
    said = re.sub(r"(\\[A-Za-z]+) (?![A-Za-z])", r"\1", said)
    return said.strip(",.;:")


def _symbols_of(match: re.Match[str]) -> str:
    """Text inside a formula: a unit in symbols, symbols as they are ("Ni"), words as nothing."""
    inside = match[2].strip().strip("~")
    unit = canonical_unit(inside)
    if unit is not None:
        return rf"\mathrm{{{unit}}}"
    words = r"[\u3400-\u9fff]" if match[1] == "mathrm" else r"[\u3400-\u9fff]|[A-Za-z]{3}"
    return r"\text{}" if re.search(words, inside) else rf"\mathrm{{{inside}}}"


def atoms(tex: str) -> list[str]:
    r"""A formula's parts between commas outside of brackets, normalised: `A, B` is the two points A and B."""
    said = normal(tex)
    if re.search(r"\\(?:begin|left)", said):
        return [said]
    found: list[str] = []
    depth, part = 0, ""
    for character in said:
        depth += (character in _OPENS) - (character in _CLOSES)
        if character in ",;" and depth == 0:
            found.append(part)
            part = ""
        else:
            part += character
    found.append(part)
    return [part.strip(",.;:") for part in found if part.strip(",.;:")]


def is_name(formula: str) -> bool:
    r"""Whether a formula only names something: `x`, `AB`, `v_0`, `\\theta`, `f(x)`. Prose may repeat it or not."""
    return (
        re.fullmatch(
            r"(?:\\(?:mathrm|mathbf|overline|vec|bar)\{[A-Za-z]{1,4}\}|\\[A-Za-z]+|[A-Za-z]{1,6}|[α-ωΑ-Ω])"
            r"(?:_\{?\w{1,4}\}?)?'*(?:\([a-z]\))?",
            formula,
        )
        is not None
    )


def balanced(text: str) -> bool:
    """Whether braces and the dollar signs of formulas pair up; a dollar sign beside a digit may be a price."""
    depth = 0
    for match in re.finditer(r"\\.|[{}]", text, re.DOTALL):
        depth += (match[0] == "{") - (match[0] == "}")
        if depth < 0:
            return False
    left = text
    for start, end, _ in reversed(math_spans(text)):
        left = f"{left[:start]} {left[end:]}"
    return depth == 0 and re.search(r"(?<![\\\d])\$(?!\s?\.?\d)", left) is None

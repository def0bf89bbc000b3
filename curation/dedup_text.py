r"""The canonical form of a question: what is left when only the way of writing is taken away.

Two questions with one canonical form are one question written twice: NFKC, letter case, LaTeX spacing, delimiters and
synonyms (`\dfrac`, `\leqslant`, `^{\circ}`), marks of an exam paper (number and points), punctuation and blanks go;
decimal points, signs, primes and everything that carries meaning stay. Options are compared as a sorted list, since
many collections shuffle them.
"""

from __future__ import annotations

import html
import re
import unicodedata
from hashlib import blake2b

_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", (f"^{c}" for c in "0123456789+-"), strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", (f"_{c}" for c in "0123456789"), strict=True))
_BEFORE_NFKC = str.maketrans(
    {**_RAISED, **_LOWERED, "′": "′", "″": "′′", "−": "-", "–": "-", "—": "-", "º": "°", "˚": "°", "…": " "}
)
_TAGS = re.compile(r"</?(?:p|br|span|div|b|i|u|strong|em|sup|sub)\b[^<>]*>", re.IGNORECASE)
_RAISED_TAG = re.compile(r"<su([pb])>([^<>]{1,12})</su[pb]>", re.IGNORECASE)
_SPACING = re.compile(r"\\[,;:! ()\[\]]|\$|~|\\\\(?=\s*$)")
_WRAPPER = re.compile(
    r"\\(?:mathrm|text|mathbf|mathit|textrm|textbf|textit|operatorname|boldsymbol|mbox|mathsf|mathcal|mathbb)\*?"
    r"\s*\{([^{}]*)\}"
)
_RAISED_TEXT = re.compile(r"\\text(super|sub)script\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\([a-z]+)")
_DROPPED = frozenset(
    {
        *(
            "quad",
            "qquad",
            "left",
            "right",
            "displaystyle",
            "textstyle",
            "limits",
            "big",
            "bigg",
            "bigl",
            "bigr",
        ),
        *("biggl", "biggr", "rm", "bf", "it", "mathrm", "text", "mathbf", "ldots", "cdots", "dots", "hfill"),
        *("noindent", "underline", "textasciitilde"),
    }
)
_SYNONYMS = {
    "dfrac": "\\frac", "tfrac": "\\frac", "cfrac": "\\frac", "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥",
    "geq": "≥", "geqslant": "≥", "ne": "≠", "neq": "≠", "times": "×", "cdot": "·", "div": "÷", "pm": "±", "mp": "∓",
    "infty": "∞", "angle": "∠", "triangle": "△", "bigtriangleup": "△", "degree": "°", "to": "→",
    "rightarrow": "→", "circ": "∘",
    "longrightarrow": "→", "perp": "⊥", "parallel": "∥", "prime": "′", "textless": "<", "textgreater": ">", "lt": "<",
    "gt": ">", "in": "∈", "cup": "∪", "cap": "∩", "subset": "⊂", "subseteq": "⊆", "varnothing": "∅", "emptyset": "∅",
    "therefore": "∴", "because": "∵", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ",
    "lambda": "λ", "mu": "μ", "pi": "π", "rho": "ρ", "sigma": "σ", "phi": "φ", "varphi": "φ", "omega": "ω",
    "epsilon": "ε", "varepsilon": "ε", "eta": "η", "tau": "τ", "sin": "sin ", "cos": "cos ", "tan": "tan ",
    "ln": "ln ", "log": "log ", "lg": "lg ", "textbar": "|", "mid": "|", "vert": "|", "lvert": "|", "rvert": "|",
    "overrightarrow": "\\vec",
}  # fmt: skip
_DEGREES = re.compile(r"\^\{?\s*∘\s*\}?|(?<=\d)\s*-?degrees?\b|(?<=\d)\s*度(?!数)|∘(?=\s*c\b)")
_ONE_DIGIT_FRACTION = re.compile(r"\\frac\s*(\d)\s*(\d)(?!\d)")
_SINGLE = re.compile(r"([\^_])\{\s*([^{}\s])\s*\}")
_BLANK = re.compile(r"\([\s~]*\)|\([\s~]*(?=[.:?]?\s*$)|_{2,}")
"""A gap to be filled in; at the end of a text its bracket is sometimes not closed."""
_STARS = re.compile(r"^\s*(?:\(\s*[★☆✩✪✭⭐]+\s*\)|[★☆✩✪✭⭐]+)\s*")
"""A printed mark of difficulty."""
_HYPHEN = re.compile(r"(?<=[a-z]{3})(?:-|\$-\$|\$\$-\$\$)(?=[a-z]{3})")
"""Between two words ("two-thirds"); a minus stands between shorter names, a bond (HOOC-COOH) between capitals."""
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:(?:,|\{,\})\d{3})+(?![\d,])")
_EXAM_NUMBER = re.compile(
    r"^\s*(?:(?:question|problem|exercise|q)\s*:?\s*)?(?:\(?\d{1,3}\)?\s*[.、)]\s*(?!\d))?", re.IGNORECASE
)
_POINTS = re.compile(r"[(\[]\s*(?:本题|本小题)?(?:满分)?\s*\d{1,2}\s*(?:分|points?|marks?|pts?)\s*[)\]]")
_PRIME = re.compile(r"(?<=[a-z])'(?=[^a-z]|$)")
_MARKS = re.compile(r"[\s,.;:?、。·\"'“”‘’`«»《》~]+")

STEM_END = "\x1f"
"""Stands between stem and options in the text of a whole question."""


def normal(text: str) -> str:
    """The text with one spelling for each thing; words still stand apart."""
    if "&" in text:
        text = html.unescape(text)
    if "<" in text:
        text = _RAISED_TAG.sub(lambda m: ("^" if m[1] in "pP" else "_") + "{" + m[2] + "}", text)
        text = _TAGS.sub(" ", text)
    text = unicodedata.normalize("NFKC", text.translate(_BEFORE_NFKC))
    text = _HYPHEN.sub(" ", text).lower()
    if "\\" in text or "$" in text:
        text = _latex(text)
    if "{" in text:
        text = _SINGLE.sub(r"\1\2", text)
    text = _DEGREES.sub("°", text)
    text = _STARS.sub("", text, count=1)
    text = _EXAM_NUMBER.sub("", text, count=1)
    text = _POINTS.sub(" ", text)
    text = _THOUSANDS.sub(lambda m: m.group().replace("{,}", "").replace(",", ""), text)
    text = _PRIME.sub("′", text)
    return _BLANK.sub(" ", text)


def squashed(text: str) -> str:
    """A normal text without blanks and punctuation; two numbers side by side stay two."""
    return _MARKS.sub(_joint, text)


def canonical(text: str) -> str:
    """The canonical form of one text: `squashed` of `normal`."""
    return squashed(normal(text))


def key_of(*parts: str) -> int:
    """A 64-bit key of texts, equal on every machine."""
    return int.from_bytes(blake2b("\x1e".join(parts).encode("utf-8"), digest_size=8).digest(), "little")


def _latex(text: str) -> str:
    text = _SPACING.sub(" ", text.replace("\\{", "⟨").replace("\\}", "⟩").replace("\\%", "%"))
    text = _RAISED_TEXT.sub(lambda m: ("^" if m[1] == "super" else "_") + "{" + m[2] + "}", text)
    for _ in range(3):
        text, changed = _WRAPPER.subn(r" \1 ", text)
        if not changed:
            break
    text = _COMMAND.sub(_command, text)
    return _ONE_DIGIT_FRACTION.sub(r"\\frac{\1}{\2}", text)


def _command(match: re.Match[str]) -> str:
    name = match[1]
    if name in _DROPPED:
        return " "
    return _SYNONYMS.get(name, match.group())


def _joint(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    if start == 0 or end == len(text) or not (text[start - 1].isdigit() and text[end].isdigit()):
        return ""
    marks = match.group()
    return marks if marks == "." else (":" if ":" in marks else ",")

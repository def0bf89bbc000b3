r"""Normal form of answer text: full-width forms, superscripts, LaTeX spelling. Pure functions, no judgement here.

"２.５×１０³ Ｎ"            ->  "2.5*10^3 N"
"$\dfrac{1}{2}\,\text{m}$"  ->  "(1)/(2) m"
"""

from __future__ import annotations

import re
import unicodedata

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ]+")
_VULGAR = re.compile("[¼-¾⅐-⅞]")
_DASHES = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "—": "-",
        "﹣": "-",
        "⁄": "/",
        "∕": "/",
        "÷": "/",
        "×": "*",
        "⋅": "·",
        "∙": "·",
        "⩽": "≤",
        "≦": "≤",
        "⩾": "≥",
        "≧": "≥",
        "⟶": "→",
        "⟵": "←",
    }
)

_WRAPPED = re.compile(
    r"\\(?:text|textbf|textit|textrm|textsf|mathrm|mathbf|mathit|mathsf|rm|bf|mbox|operatorname|boldsymbol)\s*"
    r"\{([^{}]*)\}"
)
_FRACTION = re.compile(r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_SHORT_FRACTION = re.compile(r"\\[dtc]?frac\s*(\d)\s*(\d)")
_ROOT = re.compile(r"\\sqrt\s*(?:\{([^{}]*)\}|(\d))")
_SPACES = re.compile(r"\\[,;:! ]|\\quad|\\qquad|~|\\thinspace")
_REMOVED = re.compile(r"\\(?:left|right|displaystyle|textstyle|big|Big|bigl|bigr)(?![a-zA-Z])|\\[()\[\]]|\$")
_SYMBOLS = {
    r"\times": "*",
    r"\cdot": "·",
    r"\div": "/",
    r"\degree": "°",
    r"\circ": "°",
    r"\celsius": "°C",
    r"\approx": "≈",
    r"\simeq": "≈",
    r"\pm": "±",
    r"\mu": "μ",
    r"\Omega": "Ω",
    r"\pi": "π",
    r"\%": "%",
    r"\sqrt": "√",
    r"\infty": "∞",
    r"\le": "≤",
    r"\leq": "≤",
    r"\ge": "≥",
    r"\geq": "≥",
    r"\leqslant": "≤",
    r"\geqslant": "≥",
    r"\lt": "<",
    r"\gt": ">",
    r"\in": "∈",
    r"\cup": "∪",
    r"\rightarrow": "→",
    r"\longrightarrow": "→",
    r"\to": "→",
    r"\rightleftharpoons": "⇌",
    r"\downarrow": "↓",
    r"\uparrow": "↑",
}
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|%)")


def plain(text: str) -> str:
    """NFKC with superscripts kept as powers and fractions kept apart from the number before them."""
    text = _SUPERSCRIPT_RUN.sub(lambda match: "^" + match.group(0).translate(_SUPERSCRIPTS), text)
    text = _VULGAR.sub(lambda match: " " + unicodedata.normalize("NFKC", match.group(0)), text)
    return unicodedata.normalize("NFKC", text).translate(_DASHES).replace("µ", "μ")


def without_latex(text: str) -> str:
    """`plain`, with LaTeX spelled out where it has a plain form; unknown commands stay as they are."""
    text = _REMOVED.sub(" ", _SPACES.sub(" ", text))
    for _ in range(4):
        before = text
        text = _WRAPPED.sub(r" \1 ", text)
        text = _ROOT.sub(_root, text)
        text = _FRACTION.sub(r"(\1)/(\2)", _SHORT_FRACTION.sub(r"(\1)/(\2)", text))
        if text == before:
            break
    text = re.sub(r"\^\s*\{\s*\\circ\s*\}|\^\s*\\circ", "°", text)
    text = _COMMAND.sub(lambda match: _SYMBOLS.get(match.group(0), match.group(0)), text)
    text = re.sub(r"\^\s*\{\s*([-+]?\d+)\s*\}", r"^\1", text)
    text = re.sub(r"\s*\^\s*", "^", " ".join(plain(text).split()))
    text = re.sub(r"μ (?=[A-Za-zΩ])", "μ", text)
    return re.sub(r"(?:° ?|\bdegrees? (?=C|F))(?:C(?:elsius)?|F(?:ahrenheit)?)\b", _temperature, text)


def _root(match: re.Match[str]) -> str:
    under = (match.group(1) or match.group(2) or "").strip()
    return f"√{under}" if under.isdigit() or len(under) == 1 else f"√({under})"


def _temperature(match: re.Match[str]) -> str:
    return "°F" if "F" in match.group(0) else "°C"


def comparable(text: str) -> str:
    """Form in which two texts are called equal: blanks only between words, subscript signs and end marks gone."""
    text = without_latex(text)
    text = re.sub(r"_\{([^{}]*)\}|_", lambda match: match.group(1) or "", text)
    text = re.sub(r"\s*([^\w\s])\s*", r"\1", text)
    text = text.strip().rstrip(".;,。；，").strip()
    # "7!" may be a factorial; behind a word it is an exclamation.
    return re.sub(r"(?<=[^\W\d_]{2})!+$", "", text).rstrip(".;,。；，").strip()


def same_text(first: str, second: str) -> bool:
    """Equal after normalisation. Case counts but in plain words of four letters on.

    "Co" is not "CO", and neither a formula ("NaCl") nor a genotype ("AaBb", "aabb") is a plain word.
    """
    one, two = comparable(first), comparable(second)
    if not one or not two:
        return False
    if one == two:
        return True
    return _plain_words(one) and _plain_words(two) and one.casefold() == two.casefold()


_WORDS = re.compile(r"[A-Za-z]{4,}(?: [A-Za-z]{2,})*")
_GENOTYPE = re.compile(r"(?:([a-z])\1)+")


def _plain_words(text: str) -> bool:
    """Words in lower case, in capitals, or with a capital in front."""
    return _WORDS.fullmatch(text) is not None and all(
        word in (word.lower(), word.upper(), word.capitalize()) and not _GENOTYPE.fullmatch(word.lower())
        for word in text.split(" ")
    )


_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_BRACES = re.compile(r"\\(?:boxed|fbox)\s*\{|\{|\}")


def before_boxes(text: str) -> list[str]:
    r"""What stands before each `\boxed{`."""
    return [text[max(0, match.start() - 200) : match.start()] for match in _BOX.finditer(text)]


def after_boxes(text: str) -> str:
    r"""What follows the last `\boxed{...}`; empty where it is not closed."""
    start = next((match.end() for match in reversed(list(_BOX.finditer(text)))), len(text))
    depth = 1
    for match in _BRACES.finditer(text, start):
        depth += -1 if match.group(0) == "}" else 1
        if depth == 0:
            return text[match.end() :]
    return ""


def boxed(text: str) -> list[tuple[str, str]]:
    r"""Contents of all `\boxed{...}` with what follows each on its line (for a unit outside of the box)."""
    found: list[tuple[str, str]] = []
    opened: list[int | None] = []
    for match in _BRACES.finditer(text):
        if match.group(0) != "}":
            opened.append(match.end() if match.group(0) != "{" else None)
        elif opened and (start := opened.pop()) is not None:
            tail = text[match.end() : match.end() + 80].split("\n", 1)[0]
            found.append((text[start : match.start()], tail))
    return found

"""Whether a label without numbers still says what its span says: relations, inequalities, things that are not there."""

from __future__ import annotations

import re
from collections import Counter

from benchwright.curation.proposers.decomposition_values import numbers, symbols

HAN = re.compile(r"[\u3400-\u9fff]")
_SIGNS: dict[str, tuple[str, str]] = {
    "parallel": (r"\\parallel(?![A-Za-z])|∥|//", r"\bparallel|平行"),
    "perpendicular": (
        r"\\perp(?![A-Za-z])|⊥",
        r"\bperpendicular|\bright angle|\bnormal|\baltitude|\bheight|垂直|⟂|直角|高",
    ),
    "congruent": (r"\\cong(?![A-Za-z])|≅|≌", r"\bcongruent|全等"),
    "similar": (r"\\sim(?![A-Za-z])|∽", r"\bsimilar|相似"),
    "at most": (
        r"\\leq?(?:slant)?(?![A-Za-z])|≤",
        r"\bat most|\bno more|\bnot? (?:greater|exceed)|至多|不超过|不大于",
    ),
    "at least": (r"\\geq?(?:slant)?(?![A-Za-z])|≥", r"\bat least|\bno less|至少|不小于|不低于"),
    "less": (
        r"(?<![=\-])<|\\lt(?![A-Za-z])",
        r"\bless|\bsmaller|\bbelow|\bunder|小于|少于|低于|(?<!-)>|positive",
    ),
    "greater": (
        r"(?<![=\-])>|\\gt(?![A-Za-z])",
        r"\bgreater|\bmore|\blarger|\babove|\bover|大于|超过|高于|positive",
    ),
}
"""How a relation is written as a sign, and which words of a span say the same."""
_NOT = re.compile(
    r"\b(?:no|not|without|neither|nor|never|(?:neglect|ignor|disregard)\w*|negligible|\w*less)\b|不|没有|无|忽略|零",
    re.IGNORECASE,
)


def twisted(label: str, span: str) -> list[str]:
    """What a label says otherwise than its span: a sign that the span lacks, or a "not" that the label lost.

    A span with numbers or symbols of formulas is compared by those; its words say only what the numbers are of.
    """
    found: list[str] = []
    for name, (sign, words) in _SIGNS.items():
        more = len(re.findall(sign, label)) - len(re.findall(sign, span))
        if more > 0 and re.search(words, re.sub(sign, " ", span), re.IGNORECASE) is None:
            found.append(f"the label {label!r} says {name!r}, its span does not")
    if not numbers(span) and not symbols(span):
        lost = _words(span, _NOT) - _words(label, _NOT)
        found += [f"the label {label!r} lost {word!r} of its span" for word in sorted(lost)]
        if not _words(label, _NOT) <= _words(span, _NOT):
            found.append(f"the label {label!r} denies what its span says")
    return found


def _words(text: str, pattern: re.Pattern[str]) -> Counter[str]:
    return Counter(word.casefold() for word in pattern.findall(text))

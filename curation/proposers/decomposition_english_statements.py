"""Patterns of English sentences and clauses that are nothing but a condition, over a text of atoms."""

from __future__ import annotations

import re

from benchwright.curation.proposers.decomposition_atoms import E, N, Q, S
from benchwright.curation.proposers.decomposition_english_words import ADJ, DET, LIST, NOUNS, VALUE


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_SUBJECT = (
    rf"(?:(?:the|its|their|each|all|both|every|a|an|this|these|his|her)\s+)?"
    rf"(?:(?!(?:and|if|when|then|what|that|so|which|where|as)\b)[A-Za-z0-9'’-]+\s+|[{S}\ue005{N}]\s*){{0,11}}?"
)
_PREDICATE = (
    r"(?:is|are|was|were|be|equals?|measures?|=)\s+(?:about\s+|approximately\s+|given (?:as|by)\s+|set by\s+|"
    r"(?:held|kept|maintained)\s+(?:constant\s+)?at\s+|"
    r"equal to\s+|exactly\s+)?"
    rf"(?P<value>[{Q}{E}{N}](?:\s*,?\s*(?:and\s+)?{VALUE})*)(?:\s+(?:long|wide|high|tall|deep|thick|each))?"
)
_LEAD = (
    r"(?:(?:If|Given|Assume|Assuming|Suppose|Let|Note|When|At (?:an|the) instant when|Also|Here|Use|Take|"
    r"It is (?:known|given)|We know)(?: that)?,?\s+)?"
)
_END = r"\s*(?:[.;]|,?\s*$)"
STATEMENTS: tuple[tuple[str, re.Pattern[str], float], ...] = (
    # The coefficient of friction is 0.1.
    (
        "statement",
        _rule(
            rf"^\s*{_LEAD}{_SUBJECT}\b(?P<noun>{NOUNS})\b(?:\s+(?P<symbol>[{S}\ue005]))?"
            rf"(?:,\s*[{S}],)?(?:\s+(?:induced|applied|stored|supplied|produced|shown)\b)?"
            rf"(?:\s+(?:of|between|from|on|for|in|to|across|through|at)\s+(?P<owner>{_SUBJECT}(?:and\s+{_SUBJECT})?))?"
            rf"\s*{_PREDICATE}{_END}"
        ),
        0.85,
    ),
    # The charge per unit length on the rod is lambda.
    (
        "symbol-statement",
        _rule(
            rf"^\s*{_LEAD}(?:the\s+)?(?P<noun>{NOUNS})(?:\s+(?:of|on|in|for)\s+(?P<owner>{_SUBJECT}))?"
            rf"\s*(?:is|are|has a value)\s+(?P<value>{S}){_END}"
        ),
        0.65,
    ),
    # The dimensions AE = 8 and BE = 17 are given.
    (
        "given-list",
        _rule(
            rf"^\s*(?:The\s+)?(?:(?:dimensions|lengths|sides|measures|values|angles)\s+)?(?P<value>{LIST})"
            rf"\s+(?:are|is)\s+(?:given|known)(?P<noun>)(?P<owner>){_END}"
        ),
        0.8,
    ),
    # Let r = 5 cm and h = 3 cm.
    (
        "equations",
        _rule(
            r"^\s*(?:(?:Let|Given|Suppose|Assume|If|Also|Take|Here|Where|Use|Consider|It is (?:known|given)|We know)"
            rf"(?: that)?,?\s+)?(?:we have\s+)?{LIST}"
            r"(?P<noun>)(?P<owner>)\s*(?:[.;,]|$)\s*$"
        ),
        0.85,
    ),
    # Slider A has a mass of Q.
    (
        "has",
        _rule(
            rf"^\s*{_LEAD}(?P<owner>{_SUBJECT})(?:,\s*[{S}\ue005],\s*)?(?:has|have|had)\s+(?:{DET})?{ADJ}(?P<noun>{NOUNS})"
            rf"\s+(?:of\s+|equal to\s+)?"
            rf"(?P<value>[{Q}{E}{N}]){_END}"
        ),
        0.7,
    ),
    # The function f is given by f(x) = x^2.
    (
        "defined",
        _rule(
            rf"^\s*{_LEAD}{_SUBJECT}(?:is|are|be)\s+(?:given|defined|described)\s+(?:by|as)\s+(?:the\s+)"
            rf"?(?:equations?\s+|functions?\s+)?(?P<value>{LIST})(?P<noun>)(?P<owner>){_END}"
        ),
        0.75,
    ),
    # The shaft is 18 cm long.
    (
        "is-long",
        _rule(
            rf"^\s*{_LEAD}(?P<owner>{_SUBJECT})(?:is|are)\s+(?:about\s+)?(?P<value>{Q})"
            rf"\s+(?P<noun>long|wide|high|tall|deep|thick|in (?:diameter|radius|length|height)){_END}"
        ),
        0.75,
    ),
    # Distance a = 5 cm.
    (
        "named-equation",
        _rule(rf"^\s*{_LEAD}(?:The\s+)?{ADJ}(?P<noun>{NOUNS})\s+(?P<value>{E})(?P<owner>){_END}"),
        0.8,
    ),
    # AB is 5 cm.
    (
        "symbol-is",
        _rule(
            rf"^\s*{_LEAD}(?:the\s+)?(?:segment\s+|line\s+|side\s+|angle\s+)?(?P<owner>[{S}\ue005])"
            rf"\s+(?:is|measures|equals|has length)\s+(?P<value>[{Q}{N}])(?P<noun>)"
            rf"\s*(?:units?|long)?{_END}"
        ),
        0.8,
    ),
)
CLAUSES: tuple[tuple[str, re.Pattern[str], float], ...] = (
    (
        "clause",
        _rule(
            rf"(?P<wide>(?:,|;|\s(?=and))\s*(?P<cut>(?:and\s+|where\s+|while\s+|so\s+)?(?:the|its|"
            rf"their|each|whose)\s+{_SUBJECT}(?P<noun>{NOUNS})\b(?:\s+[{S}\ue005])?"
            rf"(?:\s+(?:of|between|from|on|for|in)\s+(?P<owner>{_SUBJECT}))?\s*(?:is|are|was|equals|=)\s+"
            rf"(?:about\s+|approximately\s+|equal to\s+)?(?P<value>[{Q}{E}{N}])))(?P<comma>)(?=\s*(?:[.;]|$))"
        ),
        0.7,
    ),
)

ONE_STATEMENT = tuple(
    _rule(pattern)
    for pattern in (
        rf"{_LEAD}{_SUBJECT}\b(?:{NOUNS})\b(?:\s+[{S}\ue005])?(?:\s+(?:of|between|from|on|for|in)"
        rf"\s+(?P<owner>{_SUBJECT}))?\s*(?:is|are|was|equals)\s+"
        rf"(?:about\s+|equal to\s+)?(?P<value>[{Q}{E}{N}])",
        rf"(?P<owner>{_LEAD}{_SUBJECT})(?:has|have|had)\s+(?:{DET})?{ADJ}(?:{NOUNS})\s+(?:of\s+)"
        rf"?(?P<value>[{Q}{E}{N}])",
        rf"(?P<owner>{_SUBJECT})(?:is|are)\s+(?P<value>{Q})\s+(?:long|wide|high|tall|deep|thick)",
    )
)

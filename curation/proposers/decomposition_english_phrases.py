"""Patterns of English phrases that state a value, over a text in which each value is one character."""

from __future__ import annotations

import re

from benchwright.curation.proposers.decomposition_atoms import E, N, P, Q, S
from benchwright.curation.proposers.decomposition_english_words import (
    ADJ,
    ANY,
    BOUND,
    DET,
    LIST,
    NOT_MORE,
    NOUNS,
    VALUE,
    VERBS,
)


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


PHRASES: tuple[tuple[str, re.Pattern[str], float], ...] = (
    # a square with sides of length 2
    (
        "with-sides",
        _rule(
            rf"(?P<wide>\s*,?\s+(?P<cut>(?:with|having|of)\s+(?:an?\s+|the\s+)?(?:sides?|edges?|"
            rf"radi(?:us|i))\s+(?:of\s+|each of\s+)?(?P<noun>length|measure)s?\s+[{Q}{N}{S}]))"
            rf"(?P<comma>){NOT_MORE}{BOUND}"
        ),
        0.86,
    ),
    # of mass Q; with radius E; of length Q and mass Q
    (
        "of-noun",
        _rule(
            rf"(?P<wide>\s*,?\s+(?P<cut>(?:of|with|having)\s+(?:an?\s+|the\s+)?{ADJ}(?P<noun>{NOUNS})"
            rf"\s+(?:of\s+|equal to\s+)?{ANY}"
            rf"(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:an?\s+|the\s+)?{ADJ}{NOUNS}\s+(?:of\s+|equal to\s+)?{ANY})*))"
            rf"(?P<comma>,(?=\s+(?:{VERBS})\b))?{NOT_MORE}{BOUND}"
        ),
        0.85,
    ),
    # at a constant speed of Q
    (
        "at-noun",
        _rule(
            rf"(?P<wide>\s*,?\s+(?P<cut>(?:at|with)\s+(?:{DET})?{ADJ}(?P<noun>(?!fields?|magnetic|"
            rf"electric){NOUNS})\s+(?:of\s+)?{ANY}))"
            rf"(?P<comma>){NOT_MORE}{BOUND}"
        ),
        0.8,
    ),
    # a distance of Q from: only the value goes
    (
        "noun-of",
        _rule(
            rf"(?<!has )(?<!have )(?<!had )\b(?:an?|the|its)\s+{ADJ}(?P<noun>{NOUNS})"
            rf"(?P<wide>\s+(?P<cut>of\s+{VALUE}))(?P<comma>)"
            rf"{NOT_MORE}(?!\s*(?:per|of|each)\b)"
        ),
        0.5,
    ),
    # a solution of 0.1 mol/L; the field of 0.5 T
    (
        "thing-of",
        _rule(
            rf"\b(?P<owner>solutions?|battery|cell|weight|disc|disk|body|lens|field|resistor|capacitor|ball|block)"
            rf"(?P<wide>\s+(?P<cut>of\s+{Q}))(?P<noun>)(?P<comma>){NOT_MORE}(?!\s*(?:per|of|each)\b)"
        ),
        0.7,
    ),
    # a 5-kg block
    (
        "attributive",
        _rule(
            rf"\b(?:an?|two|three|four|identical|another|uniform|small|large|light|thin|long|massless)"
            rf"\s+(?P<wide>(?P<cut>{Q})(?:[-\s]+))"
            r"(?=(?!(?:of|in|at|to|from|above|below|and|or|per|by|for|on|with|is|are|was|long|wide|"
            r"high|tall|deep|thick|away|apart|"
            r"each|more|less|older|chance|time|interval|period|later|increase|decrease|difference|"
            r"confidence|squared|than|as|"
            r"probability|discount|markup|risk)\b)[A-Za-z]{2,})(?P<noun>)(?P<comma>)"
        ),
        0.8,
    ),
    # a 5 x 5 grid
    (
        "grid",
        _rule(
            r"\b(?:an?|the|this|each)\s+(?P<wide>(?P<cut>\ue005)[-\s]+)(?=(?:square|grid|board|"
            r"chessboard|table|array|rectangle|cube|sheet)s?\b)"
            r"(?P<noun>)(?P<comma>)"
        ),
        0.7,
    ),
    (
        "grid",
        _rule(
            r"(?P<wide>\s+(?P<cut>with\s+(?:measures|dimensions|sides)\s+\ue005))(?P<noun>)(?P<comma>)"
            r"(?=\s*(?:[.,;]|is\b|are\b|and\b))"
        ),
        0.7,
    ),
    # Maria has 19 apples
    (
        "count",
        _rule(
            r"\b(?<!it )(?:of|has|have|had|with|are|contains?|into|from|uses?|used|buys?|bought|in|takes?|took|"
            r"makes?|made|glues?|glued|builds?|built|by|"
            r"holds?|inside|placed|draws?|for|cuts?|gives?|shows?|on|wrote|puts?|there were)\s+"
            rf"(?P<wide>(?P<cut>{N})\s+)(?P<noun>)(?P<comma>)"
            r"(?=(?P<owner>(?:(?!(?:of|in|at|to|from|and|or|by|for|on|with|is|are|was|times|different|digits?|"
            r"numbers?|integers?|ways|more|less|other|such|cards|points|tests|positions|moves|possible|cases|types|"
            r"kinds|steps|choices|options|letters|values|colou?rs)\b)[a-z]+\s+)?"
            r"(?!(?:times|digits|numbers|integers|ways|points|moves|steps|choices|options|letters|values|is|was|this|"
            r"has|as|us|its|does|colou?rs|appears|becomes|percents?|percentiles?)\b)[a-z]{2,}(?:s|ren|men|people)\b)"
            r"(?!(?:[a-z]+\s+){1,2}per\b))"
        ),
        0.45,
    ),
    # for 2 s; at 10 m/s
    (
        "for-value",
        _rule(
            rf"(?P<wide>\s+(?P<cut>(?:for\s+(?:an?\s+)?{Q}|at\s+{Q}|from\s+{Q}\s+to\s+{Q})))(?P<noun>)(?P<comma>)"
            rf"(?!\s*(?:above|below|from|per|apart|away|intervals?|or|than|of|each|at (?:most|least)|"
            rf"to(?! the)|,?\s*(?:and\s+|or\s+)?[{Q}{N}{E}]|[-/]))"
            r"(?=\s*[.,;)]|\s+[a-z])"
        ),
        0.6,
    ),
    # 20 mL of water
    (
        "amount-of",
        _rule(
            rf"(?:^|(?<!\bthan)(?<!\bevery)(?<!\beach)(?<!\bfirst)(?<!\blast)(?<!\bthe)(?<!\ba)"
            rf"(?<!\ban)\s)(?P<wide>(?P<cut>{Q}\s+of)\s+)"
            rf"(?=(?!(?:the|its|this|these|those|their|time|which|it|them|a|an|each|all)\b)"
            rf"[A-Za-z{S}\ue005])(?P<noun>)(?P<comma>)"
        ),
        0.6,
    ),
    # 0.5 M glucose solution
    (
        "concentration",
        _rule(
            rf"\b(?:of|some|with|using|into|to|by|in|from|containing|an?)\s+(?P<wide>(?P<cut>{Q})\s+)"
            rf"(?=(?:[a-z]+\s+){{1,2}}solutions?\b)(?P<noun>)(?P<comma>)"
        ),
        0.65,
    ),
    # a 50 m long pool
    (
        "attributive",
        _rule(
            rf"\b(?:an?|the)\s+(?P<wide>(?P<cut>{Q}[-\s]+(?P<noun>long|wide|high|tall|deep|thick))[-\s]+)(?P<comma>)"
            r"(?=[a-z]{3,})"
        ),
        0.75,
    ),
    # within 5 seconds; under 45 degrees
    (
        "for-value",
        _rule(
            rf"(?P<wide>\s+(?P<cut>(?:within|under|after)\s+(?:exactly\s+)?{Q}))(?P<noun>)(?P<comma>)"
            rf"(?!\s*(?:or|than|of|each|,?\s*(?:and\s+|or\s+)?[{Q}{N}{E}]|[-/]))(?=\s*[.,;)]|\s+[a-z])"
        ),
        0.55,
    ),
    # at 25 degrees C, also in questions
    (
        "at-state",
        _rule(rf"(?P<wide>\s+(?P<cut>at\s+{Q}))(?P<noun>)(?P<comma>)(?=\s*(?:[.?]|$))"),
        0.6,
    ),
    # In triangle ABC, AB = 8, BC = 7 and side BC is extended
    (
        "leading-list",
        _rule(
            rf"^\s*In\s+(?:the\s+)?(?:[a-z]+\s+)?[{S}\ue005A-Z\s]{{1,8}},(?P<wide>\s*(?P<cut>{LIST})\s*,?\s*and\s+)"
            rf"(?P<noun>)(?P<comma>)(?=[a-z])"
        ),
        0.75,
    ),
    # If h = 1 m and the fluid is water, what
    (
        "if-and",
        _rule(
            rf"^\s*(?:If|When|Given that)\s+(?P<wide>(?P<cut>{E})\s*,?\s+and\s+)(?P<noun>)(?P<comma>)(?=[a-z]+\s)"
        ),
        0.75,
    ),
    # , which has a mass of 16 amu
    (
        "which-has",
        _rule(
            rf"(?P<wide>,\s+(?P<cut>(?:each\s+of\s+)?which\s+(?:has|have|is\s+at)\s+"
            rf"(?:an?\s+)?{ADJ}(?P<noun>{NOUNS})\s+"
            rf"of\s+(?:about\s+)?[{Q}{E}]))(?P<comma>,)?(?=\s*(?:[.,;]|$))"
        ),
        0.75,
    ),
    # some 0.1 M HCl
    (
        "concentration",
        _rule(
            rf"\b(?:of|some|with|using|into|to|by|in|from)\s+(?P<wide>(?P<cut>{Q})\s+)(?=(?-i:[A-Z])"
            rf"[A-Za-z0-9]*|[{S}\ue005](?!\s*[,.]))(?P<noun>)(?P<comma>)"
        ),
        0.65,
    ),
    # a plank weighing 200 N
    (
        "weighing",
        _rule(
            rf"(?P<wide>,?\s+(?P<cut>(?:weighing|measuring|lasting)\s+{Q}))(?P<noun>)(?P<comma>){NOT_MORE}{BOUND}"
        ),
        0.75,
    ),
    # the curve y = x^2
    (
        "named-curve",
        _rule(
            rf"\b(?P<noun>curves?|lines?|parabolas?|circles?|ellipses?|hyperbolas?|functions?|planes?|"
            rf"graphs?|cardioids?|surfaces?|equations?)"
            rf"(?P<wide>\s+(?P<cut>(?:(?<=graph )of\s+|(?<=graphs )of\s+)?{LIST}))(?P<comma>)"
            r"(?=\s*(?:[.,;?]|and\b|is\b|are\b|"
            rf"from\b|about\b|at\b|on\b|in\b|that\b|which\b|"
            rf"has\b|for\b|with\b|between\b|intersects?\b|over\b|as\b|shown\b|below\b|above\b|lies\b))"
            rf"(?!\s*,?\s*and\s+(?:the\s+)?(?:x|y|\ue005|{S}|{N}))"
        ),
        0.7,
    ),
    # bounded by y = x^2, y = 8 and x = 0
    (
        "bounded-by",
        _rule(
            rf"(?P<wide>\s*,?\s*(?P<cut>(?:that is\s+|is\s+)?(?:bounded|enclosed)\s+(?:above\s+)?by\s+(?:the\s+)?"
            rf"(?:(?:curves?|lines?|graphs?|functions?|parabolas?)\s+(?:of\s+)?)?(?:the\s+)?{LIST}))"
            rf"(?P<noun>)(?P<comma>)"
            r"(?=\s*(?:[.,;?]|about\b|and\s+(?:above|below|to)|around\b|is\b|into\b|in the\b|$))"
            r"(?!\s*,?\s*and\s+(?:the|above|below))"
        ),
        0.8,
    ),
    # , where E and E ; with E and E ; (E)
    (
        "where",
        _rule(
            rf"(?P<wide>\s*,\s*(?P<cut>(?:and\s+)?(?:where|with|in which)\s+{LIST}))(?P<noun>)"
            rf"(?P<comma>,)?(?=\s*(?:[.,;?]|$|is\b|are\b))"
        ),
        0.85,
    ),
    (
        "with-equation",
        _rule(
            rf"(?P<wide>\s+(?P<cut>(?:with|where|such that|for which|so that|if|given that|given)"
            rf"\s+{LIST}))(?P<noun>)(?P<comma>)(?=\s*(?:[.;?]|$))"
        ),
        0.8,
    ),
    (
        "bracket",
        _rule(rf"(?P<wide>\s*\(\s*(?P<cut>(?:{NOUNS}\s+(?:of\s+)?)?{LIST})\s*\))(?P<noun>)(?P<comma>)"),
        0.8,
    ),
    # the charge q = 5 nC is placed
    (
        "noun-equation",
        _rule(
            rf"\b(?:an?|the|its|two|three|each|of|,)\s+{ADJ}(?P<noun>{NOUNS})"
            rf"(?P<wide>\s+(?P<cut>[{E}{S}]))(?P<comma>)"
            rf"(?!\s*(?:is|are|was|equals|measures)\s+(?:about\s+|equal to\s+|at least\s+)?[{Q}{E}{N}])"
            r"(?=\s*(?:is\b|are\b|in\b|on\b|at\b|[.;]|which\b|that\b|moves\b|enters\b|flows\b))"
        ),
        0.55,
    ),
    # ..., and distance a = 5 cm.
    (
        "and-equation",
        _rule(
            rf"(?P<wide>\s*,?\s+(?P<cut>and\s+(?:the\s+)?{ADJ}(?P<noun>{NOUNS})\s+{E}))(?P<comma>)(?=\s*[.;])"
        ),
        0.75,
    ),
    # a ladder 5 m long
    (
        "measure",
        _rule(
            rf"(?<=[a-z])(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\band)"
            rf"(?P<wide>\s+,?\s*(?P<cut>(?:that (?:is|are)\s+|which (?:is|are)\s+)?{Q}\s+"
            rf"(?P<noun>long|wide|high|tall|deep|thick|in (?:diameter|radius|length|height|width))))(?P<comma>)"
            r"(?=\s*(?:[.,;]|is\b|has\b|rests?\b|leans?\b|hangs?\b|on\b|that\b|in\b|against\b|with\b))"
        ),
        0.8,
    ),
    # , AB = 5, and BC = 6,
    (
        "list",
        _rule(
            rf"(?<![{Q}{N}{E}{P}])(?P<wide>,\s*(?P<cut>(?:and\s+)?{LIST}))(?P<noun>)(?P<comma>)"
            r"(?=\s*(?:[.;]|$|,\s*(?:then|find|what|and|how|calculate|determine)))"
        ),
        0.75,
    ),
    # If AB = 5 and BC = 6, find
    (
        "if-list",
        _rule(
            rf"^(?P<wide>\s*(?P<cut>(?:If|Given(?: that)?|When|With|For|Suppose(?: that)?|Let)"
            rf"\s+{LIST})\s*,?\s*$)(?P<noun>)(?P<comma>)"
        ),
        0.85,
    ),
    (
        "triangle-list",
        _rule(
            rf"(?:triangle|parallelogram|trapezoid|quadrilateral|rectangle|square|circle|pentagon|"
            rf"kite|rhombus)\s+(?:[A-Z]\s?){{1,5}}\s*(?P<wide>\s(?P<cut>with\s+{LIST}))(?P<noun>)"
            rf"(?P<comma>)(?=\s*,)"
        ),
        0.8,
    ),
)
WITHIN_NOUN_PHRASES = frozenset(
    {"leading-list", "if-and", "attributive", "count", "amount-of", "concentration", "grid"}
)
"""Phrases in front of a noun that stays: "of 19 apples" becomes "of apples"."""
IN_QUESTIONS = frozenset(
    {
        "bounded-by",
        "noun-of",
        "of-noun",
        "attributive",
        "with-sides",
        "named-curve",
        "with-equation",
        "grid",
        "bracket",
        "at-state",
    }
)
"""Phrases whose value is given even where they stand in the asking clause itself."""
NOT_DRAWN = re.compile(r"\b(?:probabilit|ratio|mean|median|standard dev|price|rate|slope|pH)", re.IGNORECASE)
"""Quantities that no place of a drawing belongs to: without a unit they stay in words."""

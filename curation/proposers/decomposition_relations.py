"""English conditions that are no value with a unit: smooth, from rest, a domain, an instant, how many things.

A textbook writes them beside the figure in the question's own words or signs, so the label is cut from the span
itself (`Cut.said`). A rule takes out only what the sentence can do without, and only what the text says once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.curation.proposers.decomposition_atoms import E, N, P, S, Shadow, X
from benchwright.curation.proposers.decomposition_cuts import Cut, cut_of
from benchwright.curation.proposers.decomposition_english_regions import regions

_I = "\ue006"
"""An interval: `-1 \\le x \\le 3`, `[0, 20]`."""
_LESS = r"(?:\\leq?(?:slant)?(?![A-Za-z])|<|≤)"
_SIDE = r"-?[\w.\\/{}\s]+?"
_INEQUALITY = re.compile(rf"\s*{_SIDE}\s*{_LESS}\s*\\?[A-Za-z]+\s*{_LESS}\s*{_SIDE}\s*")
_BRACKETED = re.compile(r"\s*\[\s*[^,\[\]()]+,\s*[^,\[\]()]+\]\s*")
_NUMBER_WORD = r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty)"
_END = r"(?=\s*(?:[.,;:?!)]|$)|\s+[a-z])"
_HALT = r"(?=\s*(?:[.,;?]|$))"
_IDLE = r"(?:friction|air resistance|air drag|drag|slipping|bouncing)"
_DRAWN = re.compile(r"\b(?:shown|seen?|figure|diagram|picture|above|below|following|drawn)\b", re.IGNORECASE)


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_ANYWHERE: tuple[tuple[str, re.Pattern[str], float], ...] = (
    # the graph of f for -1 <= x <= 3; in the interval [0, 20]
    (
        "domain",
        _rule(
            rf"(?P<wide>\s*,?\s+(?P<cut>(?:for|on|over|during|where|with|when)\s+(?P<said>{_I})))"
            rf"(?!\s*,?\s*(?:and|or)?\s*{_I}){_END}"
        ),
        0.7,
    ),
    (
        "domain",
        _rule(
            rf"(?P<wide>\s*,?\s+(?P<cut>(?:for|on|over|during|in|within)\s+(?:the\s+)?(?:(?:open|closed|time)\s+)?"
            rf"(?P<said>interval\s+(?:{_I}|{P}|[\[(]\s*–?{N}\s*,\s*{N}\s*[\])]))))(?!\s*,?\s*(?:and|or)\s+[{_I}{P}\[(]){_END}"
        ),
        0.7,
    ),
    (
        "domain",
        _rule(
            rf"(?P<wide>\s+(?P<cut>(?:(?:on|over|in)\s+the\s+interval\s+)?from\s+(?P<said>{E}\s+to\s+{E}))){_HALT}"
        ),
        0.65,
    ),
    # at t = 2 s
    (
        "instant",
        _rule(
            rf"(?P<wide>\s+(?P<cut>at\s+(?:time\s+|the\s+point\s+|the\s+instant\s+)?(?P<said>{E}))){_HALT}(?!\s*,\s*(?:and\s+)?[{E}{P}{X}])"
        ),
        0.65,
    ),
    # Use the Midpoint Rule with n = 10 to approximate; using five subintervals
    ("steps", _rule(rf"(?P<wide>\s+(?P<cut>with\s+(?P<said>{E})))(?=\s+to\s+[a-z])"), 0.7),
    (
        "steps",
        _rule(
            rf"(?P<wide>\s+(?P<cut>(?:with|using|and)\s+(?P<said>(?:{_NUMBER_WORD}|{N})\s+(?:equal\s+)?"
            rf"(?:subintervals|subdivisions|rectangles|strips)(?:\s+of\s+equal\s+(?:width|length)|\s+with\s+midpoints)?))){_END}"
        ),
        0.7,
    ),
    # so that the quadrilateral is a parallelogram
    (
        "shape",
        _rule(
            r"(?P<wide>\s+(?P<cut>(?:so|such)\s+that\s+(?:the|each|this)\s+(?:quadrilateral|figure|triangle|polygon)"
            r"\s+is\s+(?:an?\s+)?(?P<said>parallelogram|rectangle|rhombus|square|kite|isosceles(?:\s+trapezoid)?|"
            r"trapezoid|equilateral)))(?=\s*[.,;?])"
        ),
        0.8,
    ),
    # without friction
    (
        "idle",
        _rule(
            rf"(?P<wide>\s+(?P<cut>(?P<said>without\s+{_IDLE})))"
            r"(?=\s*[.,;?]|\s*$|\s+(?:and|on|along|at|in|when|between|down|up|from)\b)"
        ),
        0.75,
    ),
    # a frictionless incline
    (
        "smooth",
        _rule(
            r"\b(?:an?|the|this|another)\s+(?:(?:light|long|flat|fixed|horizontal|vertical|small|large)\s+){0,2}"
            r"(?P<wide>(?P<cut>(?P<said>frictionless|smooth|massless))\s+)(?=[a-z]{3,})(?!and\b|or\b)"
        ),
        0.75,
    ),
    # directed into the page
    (
        "into-page",
        _rule(
            r"(?<=field|rrent)(?P<wide>\s+(?P<cut>(?:(?:that is\s+)?(?:directed|pointing|oriented)\s+)?(?P<said>"
            r"(?:into|out\s+of)\s+the\s+(?:page|paper|plane\s+of\s+the\s+(?:page|paper|figure)))))"
            r"(?=\s*(?:[.,;?]|$)|\s+(?:is|are|in|with|of|at)\b)"
        ),
        0.75,
    ),
)
_TOLD: tuple[tuple[str, re.Pattern[str], float], ...] = (
    # at a constant speed
    (
        "steady",
        _rule(
            r"(?P<wide>\s+(?P<cut>(?:at|with)\s+(?:an?\s+)?(?P<said>constant\s+(?:horizontal\s+)?(?:angular\s+)?"
            r"(?:speed|velocity|acceleration))))(?!\s+(?:of|in|from|relative|along)\b)(?=\s*(?:[.,;?]|$)|\s+[a-z])"
        ),
        0.7,
    ),
    # If the surface of the incline is frictionless,
    (
        "idle",
        _rule(
            r"^(?P<wide>\s*(?P<cut>(?:If|Assume|Assuming|Suppose)\s+(?:that\s+)?(?:(?:the|all|its)\s+)?"
            r"(?:[a-z]+\s+){1,6}(?:is|are)\s+(?P<said>frictionless|smooth|massless|negligible))\s*[.,]\s*)$"
        ),
        0.85,
    ),
    (
        "idle",
        _rule(
            rf"^(?P<wide>\s*(?P<cut>(?P<said>(?:Neglect|Ignore|Disregard|Assume\s+no|There\s+is\s+no)\s+"
            rf"(?:the\s+)?(?:effects?\s+of\s+)?(?:any\s+)?{_IDLE})\.?)\s*)$"
        ),
        0.85,
    ),
    (
        "idle",
        _rule(
            rf"(?P<wide>\s*,\s+(?P<cut>(?P<said>(?:neglecting|ignoring|assuming\s+no|with\s+no)\s+{_IDLE})))"
            rf"(?=\s*[.,;])"
        ),
        0.8,
    ),
    (
        "from-rest",
        _rule(
            r"(?<=released|starting|launched)(?P<wide>\s+(?P<cut>(?P<said>from\s+rest)))"
            r"(?=\s*(?:[.,;]|$)|\s+(?:at|on|and|when|in|from|by)\b)"
        ),
        0.7,
    ),
    (
        "from-rest",
        _rule(r"(?P<wide>\s*,\s+(?P<cut>(?P<said>initially\s+at\s+rest))\s*,?)(?=\s)"),
        0.7,
    ),
    # point Q has coordinates (2, 2)
    (
        "point",
        _rule(
            rf"(?P<wide>,\s+(?P<cut>and\s+(?:the\s+)?point\s+(?P<said>[{S}A-Z]\s+(?:has\s+coordinates|is\s+at|is)"
            rf"\s+{P})))(?=\s*[.;])"
        ),
        0.75,
    ),
    # draws four straight lines
    (
        "how-many",
        _rule(
            r"\b(?:buys?|bought|takes?|took|draws?|drew|cuts?|puts?|throws?|threw|rolls?|rolled|picks?|chooses?|paints?)"
            rf"\s+(?P<wide>(?P<cut>{_NUMBER_WORD})\s+)(?=(?P<tail>(?:(?!(?:of|in|more|less|times|or|and|different|"
            rf"digit)\b)[a-z]+\s+){{0,2}}(?!(?:times|ways|steps|stops|points|is|was|has|as|hours|days|minutes)\b)"
            rf"(?:dice|men|people|[a-z]{{3,}}s)\b)(?!(?:[a-z]+\s+){{1,3}}of\b|[a-z\s]+:))"
        ),
        0.5,
    ),
    # Let g(t) = ... and consider the graph
    (
        "let",
        _rule(rf"^\s*(?P<wide>(?P<cut>Let\s+(?P<said>{E}))\s+and\s+)(?=(?:consider|suppose|let|use)\b)"),
        0.75,
    ),
)
_KEEPS_GRAMMAR = frozenset({"smooth", "how-many", "let", "idle"})
_MAX_SAID = 34


def relation_cuts(found: Shadow) -> list[Cut]:
    """Conditions of an English stem that hold no value with a unit; they may overlap."""
    text = _with_intervals(found)
    cuts: list[Cut] = []
    for start, end, asks in regions(found):
        if re.search(r"\b(?:constant\s+speed|frictionless|smooth)\b.*\bconstant\s+speed\b", text[start:end]):
            continue
        for rule, pattern, confidence in _ANYWHERE if asks else (*_ANYWHERE, *_TOLD):
            cuts += _of(found, text, (start, end), (rule, pattern, confidence))
    several = (
        len(re.findall(rf"\bat\s+(?:[a-z]+\s+){{0,3}}{E}", text, re.IGNORECASE)) > 1
    )  # two instants: which is which stays in words
    domains = sum(cut.rule == "domain" for cut in cuts) > 1
    unclear = {"instant"} if several else set()
    unclear |= {"domain"} if domains else set()
    return [cut for cut in cuts if cut.rule not in unclear]


def _of(
    found: Shadow, text: str, region: tuple[int, int], row: tuple[str, re.Pattern[str], float]
) -> Iterator[Cut]:
    rule, pattern, confidence = row
    start, end = region
    for match in pattern.finditer(text[start:end]):
        if rule == "how-many":
            if _DRAWN.search(match.string):
                continue  # what is drawn needs no label
            said = f"{match['cut']} {match['tail']}"
        else:
            said = _raw(found, start + match.start("said"), start + match.end("said"))
        if rule == "instant" and re.search(
            r"(?:vert(?:ices|ex)|points?|cent(?:er|re)s?|corners?)$", match.string[: match.start("wide")]
        ):
            continue
        if len(said.replace("$", "")) > _MAX_SAID or not _once(found.raw, match["cut"], said, rule):
            continue
        yield cut_of(
            found,
            (start + match.start("cut"), start + match.end("cut")),
            (start + match.start("wide"), start + match.end("wide")),
            confidence=confidence,
            rule=rule,
            keeps_grammar=rule in _KEEPS_GRAMMAR,
            said=re.sub(r"[\s.,;]+(?=\$?$)", "", said),
        )


def _raw(found: Shadow, start: int, end: int) -> str:
    last = found.atoms[end - 1].end if end - 1 in found.atoms else found.at(end)
    return found.raw[found.at(start) : last].strip()


def _once(raw: str, words: str, said: str, rule: str) -> bool:
    """Whether the text says it once: what stands elsewhere too must not be taken out here."""
    if rule == "how-many":
        return len(re.findall(rf"\b{re.escape(words)}\b", raw, re.IGNORECASE)) == 1
    key = "constant speed|same speed|constant velocity|same velocity" if rule == "steady" else re.escape(said)
    return len(re.findall(key, raw, re.IGNORECASE)) == 1


def _with_intervals(found: Shadow) -> str:
    characters = list(found.text)
    for place, atom in found.atoms.items():
        inner = atom.inner.strip(" .,")
        if atom.kind in (X, E) and (_INEQUALITY.fullmatch(inner) or _BRACKETED.fullmatch(inner)):
            characters[place] = _I
    return "".join(characters)

"""Conditions of an English question: which phrases state them, and what goes with them when they are cut."""

from __future__ import annotations

import re
from dataclasses import replace

from benchwright.curation.proposers.decomposition_atoms import Atom, E, N, P, Q, S, Shadow
from benchwright.curation.proposers.decomposition_cuts import Cut, cut_of
from benchwright.curation.proposers.decomposition_english_phrases import (
    IN_QUESTIONS,
    NOT_DRAWN,
    PHRASES,
    WITHIN_NOUN_PHRASES,
)
from benchwright.curation.proposers.decomposition_english_regions import regions
from benchwright.curation.proposers.decomposition_english_statements import (
    CLAUSES,
    ONE_STATEMENT,
    STATEMENTS,
)
from benchwright.curation.proposers.decomposition_english_words import (
    ADJ,
    ANY,
    NOUNS,
    RELATES,
    RELATIONAL,
    VERBS,
)
from benchwright.curation.proposers.decomposition_english_words import label_symbol as label_symbol


def english_cuts(found: Shadow) -> list[Cut]:
    """Conditions of an English stem that can be taken out; they may overlap."""
    cuts: list[Cut] = []
    for start, end, asks in regions(found):
        text = found.text[start:end]
        if _mentions_constant(text):
            continue
        if asks:
            if not re.match(r"\s*\(?(?:a|1|i)\)", text):
                cuts += [
                    replace(c, confidence=c.confidence - 0.15)
                    for c in _phrases(found, start, end)
                    if c.rule in IN_QUESTIONS and all(a.kind != S or _told_once(found, c, a) for a in c.atoms)
                ]
            continue
        cuts += [
            _statement(found, start, end, match, rule, sure)
            for rule, pattern, sure in STATEMENTS
            if (match := pattern.match(text))
        ]
        cuts += _statements_in_a_row(found, start, end)
        cuts += _phrases(found, start, end)
        for rule, pattern, confidence in CLAUSES:
            cuts += [_cut(found, start, m, rule, confidence) for m in pattern.finditer(text)]
    return [cut for cut in cuts if not (NOT_DRAWN.search(cut.noun) and any(a.kind == N for a in cut.atoms))]


def _told_once(found: Shadow, cut: Cut, atom: Atom) -> bool:
    """Whether a letter of "of radius R" is used nowhere else: then it can stand in the picture alone."""
    return (
        cut.rule == "of-noun"
        and len(re.findall(rf"(?<![A-Za-z\\]){re.escape(atom.inner.strip())}(?![A-Za-z])", found.raw)) == 1
    )


def _statements_in_a_row(found: Shadow, start: int, end: int) -> list[Cut]:
    """A sentence of several statements: "Slider A has a mass of 1 kg and slider B has a mass of 2 kg."."""
    prefix = re.match(r"\s*In\s+[^,.]{3,40},\s+(?=the\b)", found.text[start:end])
    start += prefix.end() if prefix is not None else 0
    text = found.text[start:end]
    body = text.rstrip(" .;,\n")
    places = [
        0,
        *(m.end() for m in re.finditer(r",\s*(?:and\s+|while\s+)?|;\s*(?:and\s+)?|\s+and\s+", body)),
        len(body),
    ]
    values: list[Atom] = []
    owners: list[str] = []
    position = 0
    for place in places[1:]:
        piece = re.sub(r"(?:,\s*(?:and\s+|while\s+)?|;\s*(?:and\s+)?|\s+and\s+)$", "", body[position:place])
        begin = position + len(piece) - len(piece.lstrip())
        match = next((m for p in ONE_STATEMENT if (m := p.fullmatch(piece.strip()))), None)
        if match is None:
            if place == len(body):
                return []
            continue  # "and" inside of a statement
        values += found.within(start + begin + match.start("value"), start + begin + match.end("value"))
        has_owner = match.groupdict().get("owner")
        span = (
            (start + begin + match.start("owner"), start + begin + match.end("owner"))
            if has_owner
            else (0, 0)
        )
        owners.append(_owner(found, *span))
        position = place
    if len(values) < 2 or len(owners) != len(values):
        return []
    begin = start + len(text) - len(text.lstrip())
    tail = 1 if text.rstrip().endswith((".", ";")) else 0
    cut = cut_of(
        found,
        (begin, start + len(body) + tail if prefix is None else start + len(body)),
        (begin, end if prefix is None else start + len(body)),
        confidence=0.75,
        rule="statements",
        keeps_grammar=True,
        owners=tuple(owners),
    )
    return [replace(cut, atoms=tuple(values))]


def _statement(
    found: Shadow, start: int, end: int, match: re.Match[str], rule: str, confidence: float
) -> Cut:
    """A sentence that is nothing but a condition."""
    wide_end = start + match.end()
    while wide_end < end and found.text[wide_end] in " \t":
        wide_end += 1
    begin = start + len(match.string) - len(match.string.lstrip())
    return cut_of(
        found,
        (begin, start + match.end()),
        (begin, wide_end),
        noun=match["noun"] or "",
        confidence=confidence,
        rule=rule,
        keeps_grammar=True,
        owner=_spoken_of(found, start, match, rule),
        value=_value(match, start),
    )


def _spoken_of(found: Shadow, start: int, match: re.Match[str], rule: str) -> str:
    """What a statement speaks of: its owner, else the symbol behind the quantity ("Angle STQ is 154°")."""
    for name in ("owner", "symbol"):
        if match.groupdict().get(name) and rule != "symbol-statement":
            return _owner(found, start + match.start(name), start + match.end(name))
    return ""


def _value(match: re.Match[str], offset: int) -> tuple[int, int] | None:
    if match.groupdict().get("value") is None:
        return None
    return offset + match.start("value"), offset + match.end("value")


def _phrases(found: Shadow, start: int, end: int) -> list[Cut]:
    text = found.text[start:end]
    return [
        _cut(found, start, match, rule, confidence)
        for rule, pattern, confidence in PHRASES
        for match in pattern.finditer(text)
        if _fits(rule, match) and (rule != "grid" or _is_grid(found, start, match))
    ]


_NOUN_BEFORE = re.compile(
    rf"\b(?:has|have|had|with|having)\s+(?:an?\s+|the\s+)?{ADJ}(?:{NOUNS})$", re.IGNORECASE
)


def _fits(rule: str, match: re.Match[str]) -> bool:
    """Whether what stands around a phrase lets it go."""
    before, behind = match.string[: match.start("wide")], match.string[match.end("wide") :]
    relational = RELATIONAL.search(match["noun"] or "") is not None
    if rule in ("of-noun", "at-noun"):
        if relational and RELATES.match(behind):
            return False  # "at a height of 3 m above the floor"
        if re.match(r"\s*(?:per|of|respectively|relative)\b", behind):
            return False
        if rule == "at-noun" and re.match(r"\s*from\b(?! rest)", behind):
            return False
        if re.match(r"\s*(?:feet|foot|inch(?:es)?|met(?:er|re)s?|units?)\b|\s*,?\s*and\s+the\s+\(", behind):
            return False
        if match["cut"].lower().startswith("of the center"):
            return False  # a place, not a value
        if match["cut"].lower().startswith("with the") and re.match(r"\s*shown\b", behind):
            return False  # "with the velocity v shown in the diagram"
    if rule == "noun-of" and re.search(r"\bfor an? $", match.string[: match.start("noun")]):
        return False  # "for a duration of 2 s" goes as a whole or not at all
    if rule == "named-curve" and re.search(
        r"\bsolutions? (?:of|to) the $", match.string[: match.start("noun")]
    ):
        return False
    if rule == "noun-of" and not relational:
        # "with a mass of 2 kg" goes as a whole or not at all.
        return (
            re.search(
                rf"(?:\b(?:with|at)|[{Q}{N}{E}{S}],? and) (?:an?|the) (?:[a-z]+ )?$",
                match.string[: match.start("noun")],
            )
            is None
        )
    if rule in ("of-noun", "with-sides"):
        return _NOUN_BEFORE.search(before) is None  # "has a perimeter of length 14 cm"
    if rule == "list" and re.match(r"\s*,?\s*and\b", behind):
        return False  # a longer list
    if rule == "count":
        # "27 houses on one side, on the other 13 houses", and what an example shows, stay in words.
        thing = re.escape(match["owner"].split()[-1])
        again = re.search(
            rf"[{N}{Q}]\s+(?:[a-z]+\s+)?{thing}", before + " \n " + behind[len(match["owner"]) :]
        )
        return again is None and re.search(r"\bfor example\b", before, re.IGNORECASE) is None
    if rule == "with-equation":
        return re.search(r"(?:rule|method|rectangles|subintervals)$", before, re.IGNORECASE) is None
    return True


def _is_grid(found: Shadow, start: int, match: re.Match[str]) -> bool:
    atoms = found.within(start + match.start("cut"), start + match.end("cut"))
    return all("times" in atom.inner or "×" in atom.inner for atom in atoms)


def _cut(found: Shadow, offset: int, match: re.Match[str], rule: str, confidence: float) -> Cut:
    # Of two commas around a phrase none stays; a comma behind it alone belongs to something else.
    comma = (match.groupdict().get("comma") or "") if match["wide"].lstrip().startswith(",") else ""
    wide = (offset + match.start("wide"), offset + match.end("wide") + len(comma))
    span = (offset + match.start("cut"), offset + match.end("cut"))
    owner = _neighbour(found, rule, match, offset)
    cut = cut_of(
        found,
        span,
        wide,
        noun="" if "specific" in match["cut"] else match["noun"] or "",
        # A bare letter is more often than not in the picture already.
        confidence=confidence - (0.3 if S in match["cut"] else 0.0),
        rule=rule,
        owner=owner,
        keeps_grammar=rule in WITHIN_NOUN_PHRASES,
        value=_value(match, offset),
    )
    if rule != "of-noun" or len(cut.atoms) < 2:
        return cut
    nouns = re.findall(rf"({NOUNS})\s+(?:of\s+|equal to\s+)?{ANY}", match["cut"], re.IGNORECASE)
    return (
        replace(cut, owners=tuple(f"{owner} {noun}".strip() for noun in nouns))
        if len(nouns) == len(cut.atoms)
        else cut
    )


def _neighbour(found: Shadow, rule: str, match: re.Match[str], offset: int) -> str:
    """The thing that a phrase belongs to: the words in front of "of mass", behind "5-kg"."""
    if match.groupdict().get("owner"):
        return _owner(found, offset + match.start("owner"), offset + match.end("owner"))
    text = match.string
    if rule in ("attributive", "amount-of", "concentration"):
        behind = re.match(
            rf"(?:(?!(?:{VERBS}|of|on|at|in|that|which|and|with|from|to|by)\b)[A-Za-z-]+\s*)"
            rf"{{1,3}}(?:[{S}]|[A-Z]\b)?",
            text[match.end("wide") :],
        )
        return (
            _owner(found, offset + match.end("wide"), offset + match.end("wide") + behind.end())
            if behind
            else ""
        )
    if rule in ("of-noun", "with-sides", "measure"):
        before = re.search(rf"[A-Za-z-]+(?:\s+(?:[{S}{N}]|[A-Z]))?,?$", text[: match.start("wide")])
        if before and not re.search(r"(?:ly|ing),?$", before[0]):  # "moving with speed v" names no thing
            return _owner(found, offset + before.start(), offset + before.end())
    return ""


def _owner(found: Shadow, start: int, end: int) -> str:
    words = found.raw[found.at(start) : found.at(end)].strip().rstrip(",")
    return re.sub(r"^(?:the|a|an|its|each|both|all|if)\s+", "", words, flags=re.IGNORECASE)


def _mentions_constant(text: str) -> bool:
    """A sentence about a constant of nature or a convention states no condition of the problem."""
    return (
        re.search(
            r"\b(?:acceleration (?:due to|of) gravity|molar mass|atomic mass|speed of light|Avogadro|gas constant|"
            r"Faraday'?s? constant|Planck|Boltzmann|1 mole? =|(?:use|take)\s+g\b)",
            text,
            re.IGNORECASE,
        )
        is not None
    )


def english_rest(found: Shadow, taken: list[Cut]) -> list[Cut]:
    """Values with a unit and equations before the question is asked that no phrase covers: conditions in words."""
    out: list[Cut] = []
    for start, end, asks in regions(found):
        if asks or _mentions_constant(found.text[start:end]):
            continue
        for place in range(start, end):
            atom = found.atoms.get(place)
            if atom is None or atom.kind not in (Q, E, P):
                continue
            if any(cut.start < atom.end and atom.start < cut.end for cut in taken):
                continue
            lead = re.search(
                rf"(?:\b(?:of|with|at|for|to|by|from|in)\s+(?:(?:an?\s+)?(?:{NOUNS}\s+(?:of\s+)?))?)$",
                found.text[start:place],
                re.IGNORECASE,
            )
            begin = start + lead.start() if lead and atom.kind == Q else place
            out.append(cut_of(found, (begin, place + 1), (begin, place + 1), confidence=0.5, rule="value"))
    return out

"""The embedded decomposer: conditions, marks and core question by rule, cue and detail from the taxonomy.

A baseline, and labelled as such: it takes values with a unit, equations, angles and ratios before the asking clause
for the conditions, cuts only what a rule can cut without leaving a stump, and never invents a law: its knowledge is
what the taxonomy says about the question's subject.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchwright.curation.proposers import decomposition_chinese, decomposition_english
from benchwright.curation.proposers.decomposition_atoms import Atom, E, N, Q, S, equations, shadow
from benchwright.curation.proposers.decomposition_checks import Finding, check
from benchwright.curation.proposers.decomposition_chinese import chinese_cuts, chinese_rest
from benchwright.curation.proposers.decomposition_chinese_relations import chinese_relation_cuts
from benchwright.curation.proposers.decomposition_cuts import Cut, apart, mended, sound_cuts
from benchwright.curation.proposers.decomposition_english import english_cuts, english_rest
from benchwright.curation.proposers.decomposition_relations import relation_cuts
from benchwright.curation.proposers.decomposition_text import removed_sentences
from benchwright.curation.proposers.decomposition_values import names_of, plain, quantities
from benchwright.schemas.records import (
    Condition,
    Decomposition,
    ImageRef,
    KnowledgeCue,
    KnowledgeDetail,
    LocalizedText,
    Mark,
    Show,
)
from benchwright.schemas.taxonomy import Subject

MODEL = "embedded/rules@1"
_HAN = re.compile(r"[\u3400-\u9fff]")
_EXAM_NUMBER = re.compile(
    r"^\s*\d{1,3}\s*[.．、]\s*(?!\d)(?:[（(]\s*\d+\s*分\s*[)）])?\s*|^\s*[（(]\s*\d+\s*分\s*[)）]\s*"
)
_HINT = re.compile(
    r"\s*[（(]\s*(?:Hint|提示)[:：][^()（）]*[)）]|\s*(?:Hint|提示)[:：][^\n]*$", re.IGNORECASE
)
_SPOILED = frozenset({"core-question-mended", "core-shows-value", "core-loses-value", "mark-label"})
"""Findings that showing nothing mends."""
_MAX_LABEL = 34
_MAX_OWNER = 22
_SAYS_NOUN = frozenset({"statement", "clause", "of-noun", "has"})
"""Rules whose bare numbers get the quantity's name into the label: "500" alone says nothing."""
_SHORT = frozenset(
    {
        "amount-of",
        "concentration",
        "attributive",
        "count",
        "grid",
        "named-curve",
        "how-many",
        "amount",
        "smooth",
    }
)
"""Rules whose span is made for cutting: in words the value alone is the condition."""


@dataclass(frozen=True)
class Proposed:
    """What the rules make of a question."""

    decomposition: Decomposition
    removed: tuple[str, ...]
    findings: tuple[Finding, ...]
    confidence: float


def decompose(
    text: LocalizedText,
    language: str,
    images: Sequence[ImageRef] = (),
    *,
    subject: Subject | None = None,
    points: Sequence[str] = (),
    discipline: str = "",
) -> Proposed:
    """Split a question by rule.

    Args:
        text: the question in one language.
        language: `en` or `zh`; others are read by the English rules where their script is Latin.
        images: the question's pictures; without one every condition stays in the text.
        subject: the question's subject, as reviewed or tagged; gives cue and detail.
        points: knowledge points as paths, chapter last: named by the cue.
        discipline: named by the cue where nothing else is known.
    """
    stem = _stem(text.question)
    chinese = language == "zh" or (language != "en" and _HAN.search(stem) is not None)
    found = shadow(stem)
    candidates = (
        [*chinese_cuts(found), *chinese_relation_cuts(found)]
        if chinese
        else [*english_cuts(found), *relation_cuts(found)]
    )
    cuts = apart(cut for cut in candidates if (cut.atoms or cut.said) and _shows(cut))
    shown = sound_cuts(stem, cuts, chinese) if images else []
    shown = sound_cuts(stem, _told_apart(stem, shown, chinese), chinese)
    rest = chinese_rest(found, shown) if chinese else english_rest(found, shown)
    rest = apart([*rest, *(c for c in cuts if c not in shown and c.rule not in _SHORT)])
    rest = [c for c in rest if all(c.end <= s.start or c.start >= s.end for s in shown)]
    cue, details = _knowledge(chinese, subject, points, discipline)
    removed = removed_sentences(text.question, stem)
    # What the checks refuse is not shown: the conditions stay, in words; those without a value give way first.
    for kept in dict.fromkeys((tuple(shown), tuple(c for c in shown if not c.said), ())):
        left = apart([*(c for c in shown if c not in kept), *rest])
        decomposition = _assemble(stem, kept, left, chinese, cue, details)
        findings = check(text, decomposition, removed, images)
        if not _SPOILED & {finding.code for finding in findings}:
            break
    shown = list(kept)
    return Proposed(decomposition, removed, tuple(findings), _confidence(shown, rest, findings))


def _stem(question: str) -> str:
    """The question without its number in the paper and without hints; nothing else is ever removed by rule."""
    stem = _EXAM_NUMBER.sub("", question.strip(), count=1)
    hintless = _HINT.sub("", stem)
    return (hintless if not quantities(" ".join(_HINT.findall(stem))) else stem).strip() or question


def _shows(cut: Cut) -> bool:
    """A span can be drawn where it holds few values, and no long words."""
    if cut.said:
        return all(len(plain(label.replace("$", " "))) <= _MAX_LABEL for label in cut.said.split("\n"))
    named = all(len(plain(name)) <= _MAX_OWNER for name in cut.owners)
    return (
        len(cut.atoms) <= 4 and named and all(len(plain(label)) <= _MAX_LABEL for label in _labels(cut.atoms))
    )


def _told_apart(stem: str, cuts: Sequence[Cut], chinese: bool) -> list[Cut]:
    """Leave out cuts whose labels a reader of the picture could not tell apart, or that name a thing elsewhere.

    "The 8.0 kg block" needs its value in words; "50 kg" and "70 kg" need to say whose they are.
    """
    rest = stem
    for cut in sorted(cuts, key=lambda c: -c.start):
        rest = rest[: cut.start] + " \n " + rest[cut.end :]
    elsewhere = {(q.number, q.unit) for q in quantities(rest)}
    kept = [c for c in cuts if not elsewhere & {(q.number, q.unit) for q in quantities(c.words(stem))}]
    groups: dict[str, list[Cut]] = {}
    for cut in kept:
        for atom in cut.atoms if not cut.said else ():
            if atom.kind in (Q, N) and cut.rule != "count":
                group = groups.setdefault(unit_of(stem[atom.start : atom.end]), [])
                # "from 20 °C to 80 °C" is one label; the same instant twice is the same label.
                if cut.rule != "for-value" or all(cut.words(stem) != other.words(stem) for other in group):
                    group.append(cut)
    alike = [cut for group in groups.values() if len(group) > 1 for cut in group]
    unclear = {id(cut) for cut in alike if not _named(cut)}
    names = Counter(name.casefold() for cut in {id(c): c for c in alike}.values() for name in _names(cut))
    things = Counter(cut.owner.casefold() for cut in kept if cut.rule == "count")
    unclear |= {id(cut) for cut in kept if cut.rule == "count" and things[cut.owner.casefold()] > 1}
    unclear |= {id(cut) for cut in alike if any(names[name.casefold()] > 1 for name in _names(cut))}
    return [cut for cut in kept if id(cut) not in unclear]


def _named(cut: Cut) -> bool:
    return all(0 < len(plain(name)) <= _MAX_OWNER for name in _names(cut))


def _names(cut: Cut) -> tuple[str, ...]:
    """The owner of each value of a cut."""
    return cut.owners or (cut.owner,) * len(cut.atoms)


def _labels(atoms: Sequence[Atom]) -> list[str]:
    """Values as labels: formulas between dollar signs, one label an equation, plain quantities as they are."""
    out: list[str] = []
    for atom in atoms:
        parts = equations(atom.inner) if atom.kind == E else []
        for part in parts if len(parts) > 1 else [atom.inner]:
            said = part.strip(" .,;?，。\n")
            formula = atom.kind in (E, S) or "\\" in said or "^" in said or "_" in said
            out.append(f"${said}$" if formula else said)
    return out


def _assemble(
    stem: str,
    shown: Sequence[Cut],
    rest: Sequence[Cut],
    chinese: bool,
    cue: KnowledgeCue,
    details: tuple[KnowledgeDetail, ...],
) -> Decomposition:
    symbol = decomposition_chinese.label_symbol if chinese else decomposition_english.label_symbol
    labels = _Labels(stem, shown, symbol)
    conditions: list[Condition] = []
    for number, cut in enumerate(sorted([*shown, *rest], key=lambda c: c.start), 1):
        marks: tuple[Mark, ...] = ()
        if cut in shown:
            marks = tuple(Mark(label=label) for label in labels.of(cut))
        conditions.append(
            Condition(
                id=f"c{number}",
                start=cut.start,
                end=cut.end,
                show=Show.ON_DIAGRAM if marks else Show.TEXT,
                marks=marks,
            )
        )
    core = mended(stem, shown, chinese) if shown else stem
    return Decomposition(
        stem=stem,
        conditions=tuple(conditions),
        core_question=core,
        knowledge_cue=cue,
        knowledge_detail=details,
    )


class _Labels:
    """Labels of cuts: values as the text writes them, with a usual symbol or with the owner's name in front.

    A symbol goes in front where it cannot be mistaken: the text does not use the letter, and speaks of one such
    quantity alone. The owner's name goes in front where two labels would look alike.
    """

    def __init__(self, stem: str, shown: Sequence[Cut], symbol: Callable[[str], str | None]) -> None:
        self.stem, self.symbol = stem, symbol
        self.letters = names_of(stem)
        self.uses = Counter(symbol(cut.noun) for cut in shown)
        self.units = Counter(
            self._unit(atom)
            for cut in shown
            if not cut.said
            for atom in cut.atoms
            if atom.kind in (Q, N) and cut.rule != "count"
        )

    def of(self, cut: Cut) -> list[str]:
        """The labels of one cut, one a value; "from 2 m/s to 5 m/s" gives one."""
        if cut.said:
            return cut.said.split("\n")
        if cut.rule == "for-value" and len(cut.atoms) == 2:
            return [" → ".join(self.stem[atom.start : atom.end].strip() for atom in cut.atoms)]
        symbol = self._prefix(cut)
        owners = (*cut.owners, *[cut.owner] * len(cut.atoms))
        return [
            label
            for atom, owner in zip(cut.atoms, owners, strict=False)
            for label in self._one(cut, atom, owner, symbol)
        ]

    def _one(self, cut: Cut, atom: Atom, owner: str, symbol: str | None) -> list[str]:
        value = self.stem[atom.start : atom.end].strip().rstrip(",.;，")
        if atom.kind == E and value[:1] not in "$\\":
            return [value]
        if atom.kind == E:
            return _labels([replace(atom, inner=_source(self.stem, atom))])
        if cut.rule == "count":
            return [f"{value} {owner}"]
        if atom.kind == S:
            # A letter alone says nothing at a place of the drawing that nobody has chosen yet.
            name = self._name(cut, owner) or (cut.noun if len(cut.atoms) == 1 else "")
            return [f"{name}: {_labels([atom])[0]}".removeprefix(": ")]
        value = re.sub(r"[.,;?]+(\}*\s*\$)$", r"\1", re.sub(r"(?<=\d)-(?=[A-Za-z])", " ", value))
        named = self.units[self._unit(atom)] > 1 or "$" in owner or cut.rule in ("statements", "has")
        if owner and named:
            name = self._name(cut, owner) if atom.kind == N else owner
            return [f"{name or owner}: {value}"]
        if symbol is not None:
            return [f"${symbol}={value[1:]}" if value.startswith("$") else f"${symbol}$ = {value}"]
        if atom.kind == N and cut.noun and cut.rule in _SAYS_NOUN:
            return [f"{cut.noun}: {value}"]
        return [value]

    def _name(self, cut: Cut, owner: str) -> str:
        """Owner and quantity, where both fit; the owners of several values are named with them already."""
        if len(cut.atoms) > 1:
            return owner if cut.owners else ""
        space = "" if _HAN.search(owner) else " "
        longer = f"{owner}{space}{cut.noun}" if cut.noun and not owner.endswith(cut.noun) else owner
        return longer if owner and len(plain(longer)) <= _MAX_OWNER else owner

    def _prefix(self, cut: Cut) -> str | None:
        symbol = self.symbol(cut.noun)
        if symbol is None or self.uses[symbol] > 1 or len(cut.atoms) != 1 or cut.atoms[0].kind not in (Q, N):
            return None
        said = plain(f"${symbol}$").strip("$ ")
        noun = re.sub(r"s$", "", cut.noun)
        once = len(re.findall(re.escape(noun), self.stem, re.IGNORECASE)) == 1
        return symbol if once and said not in self.letters else None

    def _unit(self, atom: Atom) -> str:
        return unit_of(self.stem[atom.start : atom.end])


def unit_of(value: str) -> str:
    """The unit of a value without its prefix, '' where it has none: what makes two labels look alike."""
    found = quantities(value)
    return re.sub(r"^(?:k|c|m|μ|n)(?=[gmsANVJCFWT])", "", found[0].unit) if found else ""


def _source(stem: str, atom: Atom) -> str:
    """An equation's source; a unit behind the formula stays with it."""
    written = stem[atom.start : atom.end]
    behind = written.rpartition("$")[2] if written.startswith("$") else ""
    return atom.inner if not behind.strip() else f"{atom.inner.rstrip(' .,')}\\ \\mathrm{{{behind.strip()}}}"


def _knowledge(
    chinese: bool, subject: Subject | None, points: Sequence[str], discipline: str
) -> tuple[KnowledgeCue, tuple[KnowledgeDetail, ...]]:
    """Cue and detail from the taxonomy: the subject is the term, its description the detail; points narrow it down."""
    language = "zh" if chinese else "en"
    names = [point.split("/")[-1].strip() for point in points if point.strip()]
    if subject is None:
        terms = tuple(dict.fromkeys(names)) or ((discipline,) if discipline else ())
        if not terms:
            return KnowledgeCue(terms=(), sentence="-"), ()
        joined = "、".join(terms) if chinese else ", ".join(terms)
        sentence = (
            f"解答本题需要用到{joined}的知识。"
            if chinese
            else f"To solve this you need what you know of {joined}."
        )
        return KnowledgeCue(terms=terms, sentence=sentence), ()
    name = subject.name(language)
    description = subject.descriptions.get(language, subject.descriptions.get("en", ""))
    narrower = [point for point in dict.fromkeys(names) if point.casefold() != name.casefold()]
    if chinese:
        among = f"（{'、'.join(narrower)}）" if narrower else ""
        sentence = f"解答本题需要用到{name}{among}的知识。"
    else:
        among = f" ({', '.join(narrower)})" if narrower else ""
        sentence = f"To solve this you need what you know of {name}{among}."
    details = (KnowledgeDetail(term=name, text=description),) if description else ()
    return KnowledgeCue(terms=(name,), sentence=sentence), details


def _confidence(shown: Sequence[Cut], rest: Sequence[Cut], findings: Sequence[Finding]) -> float:
    """The least sure rule's confidence; less where marks look alike, none where a check found something."""
    if findings:
        return 0.0
    if not shown:
        return 0.5 if not rest else 0.4
    values = Counter(plain(label) for cut in shown for label in _labels(cut.atoms))
    alike = any(times > 1 for times in values.values())
    return round(min(cut.confidence for cut in shown) * (0.8 if alike else 1.0), 2)

"""Chemical formulas and equations: how they are written does not matter, what they are made of does.

Two formulas that are written alike are consistent; two of other composition or charge are not; the same composition in
another writing (C2H5OH, C2H6O) abstains, for it may be another substance.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from benchwright.models.answer_numbers import Match
from benchwright.models.answer_text import without_latex

_SYMBOLS = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc
Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi
Po At Rn Fr Ra Ac Th Pa U Np Pu Am
"""
_ELEMENTS = frozenset(_SYMBOLS.split())
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-")
_STATES = re.compile(r"\((?:s|l|g|aq)\)|[↓↑]")
_CHARGE = re.compile(r"\^\{?\s*(\d*)\s*([+-])\s*\}?$|\^\{?\s*([+-])\s*(\d*)\s*\}?$|(?<=[A-Za-z\])])([+-])$")
_PART = re.compile(r"([A-Z][a-z]?)(\d*)|([(\[])|([)\]])(\d*)")
_ARROW = re.compile(r"\s*(⇌|<=>|⇄|[-=]+>|→|={1,2})\s*(?:\[[^\]]*\])?\s*")
_COEFFICIENT = re.compile(r"^(\d+)\s*(?=[A-Z(\[])")
_LONGEST = 200


@dataclass(frozen=True)
class Formula:
    """A formula: how it is written, what it is made of, its charge."""

    written: str
    atoms: tuple[tuple[str, int], ...]
    charge: int


def parse_formula(text: str) -> Formula | None:
    """One chemical formula and nothing else; None otherwise. Case counts: Co is not CO."""
    said = _plain(text)
    said = _STATES.sub("", said).strip()
    charge = 0
    if (match := _CHARGE.search(said)) is not None:
        sign = match[2] or match[3] or match[5]
        charge = int(match[1] or match[4] or 1) * (1 if sign == "+" else -1)
        said = said[: match.start()]
    if not said or len(said) > 60 or re.fullmatch(r"[A-Za-z0-9()\[\]·]+", said) is None:
        return None
    if "·" in said:
        return None
    atoms = _atoms(said)
    return None if atoms is None else Formula(said, tuple(sorted(atoms.items())), charge)


def _plain(text: str) -> str:
    said = without_latex(re.sub(r"\\(?:ce|mathrm|text|rm)\b", "", text.translate(_SUBSCRIPTS)))
    said = re.sub(r"_\s*\{?\s*(\d+)\s*\}?", r"\1", said)
    said = said.replace("{", "").replace("}", "").strip().rstrip("。.")
    # Blanks inside of a formula come from LaTeX.
    return said.replace(" ", "") if "^" in said else re.sub(r"(?<=[A-Za-z\])])\s+(?=[A-Z(\[])", "", said)


def _atoms(text: str) -> Counter[str] | None:
    stack: list[Counter[str]] = [Counter()]
    place = 0
    while place < len(text):
        match = _PART.match(text, place)
        if match is None:
            return None
        place = match.end()
        if match[1] is not None:
            if match[1] not in _ELEMENTS:
                return None
            stack[-1][match[1]] += int(match[2] or 1)
        elif match[3] is not None:
            stack.append(Counter())
        else:
            if len(stack) == 1:
                return None
            group, times = stack.pop(), int(match[5] or 1)
            for element, count in group.items():
                stack[-1][element] += count * times
    return stack[0] if len(stack) == 1 and stack[0] else None


def compare_formulas(said: Formula, ground: Formula) -> Match:
    """Compare two formulas."""
    if said == ground:
        return Match.CONSISTENT
    if said.written.casefold() == ground.written.casefold() and said.written != ground.written:
        return Match.ABSTAIN  # Co and CO, or a careless hand
    if said.atoms != ground.atoms:
        # P and P4 may both stand for phosphorus.
        element = len(said.atoms) == len(ground.atoms) == 1 and said.atoms[0][0] == ground.atoms[0][0]
        return (
            Match.ABSTAIN if element and 1 in (said.atoms[0][1], ground.atoms[0][1]) else Match.INCONSISTENT
        )
    if said.written == ground.written:
        return Match.INCONSISTENT  # another charge
    return Match.ABSTAIN


@dataclass(frozen=True)
class Reaction:
    """An equation: coefficient of each written formula, left and right."""

    left: tuple[tuple[Formula, int], ...]
    right: tuple[tuple[Formula, int], ...]
    both_ways: bool


def parse_reaction(text: str) -> Reaction | None:
    """A chemical equation and nothing else; None otherwise."""
    said = without_latex(text.translate(_SUBSCRIPTS).replace(r"\ce", ""))
    if len(said) > _LONGEST:
        return None
    sides = _ARROW.split(said.strip().rstrip("。."))
    if len(sides) != 3:
        return None
    left, right = _side(sides[0]), _side(sides[2])
    if left is None or right is None:
        return None
    return Reaction(left, right, sides[1] in ("⇌", "<=>", "⇄"))


def _side(text: str) -> tuple[tuple[Formula, int], ...] | None:
    found: dict[Formula, int] = {}
    for term in re.split(r"\s+\+\s*|(?<![\^{])\+(?=\s*\d*[A-Z(\[])", text):
        term = term.strip()
        count = _COEFFICIENT.match(term)
        formula = parse_formula(term[count.end() :] if count else term)
        if formula is None:
            return None
        found[formula] = found.get(formula, 0) + (int(count[1]) if count else 1)
    return tuple(sorted(found.items(), key=lambda item: item[0].written))


def compare_reactions(said: Reaction, ground: Reaction) -> Match:
    """Compare two equations: the same substances on each side, in the same proportion."""
    if said.both_ways != ground.both_ways:
        return Match.ABSTAIN
    ratios: set[Fraction] = set()
    for one, other in ((said.left, ground.left), (said.right, ground.right)):
        if [formula for formula, _ in one] != [formula for formula, _ in other]:
            return Match.ABSTAIN
        ratios |= {Fraction(a, b) for (_, a), (_, b) in zip(one, other, strict=True)}
    return Match.CONSISTENT if len(ratios) == 1 else Match.INCONSISTENT

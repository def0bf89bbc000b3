"""English words of the decomposer: names of quantities, their symbols, and what may stand around a value."""

from __future__ import annotations

import re

from benchwright.curation.proposers.decomposition_atoms import E, N, Q, S

NOUNS = (
    r"(?:(?:charge|mass|resistance|current)s? per unit (?:length|area|volume)|mass(?:es)?|weights?|"
    r"charges?|speeds?|velocit(?:y|ies)|accelerations?|radi(?:us|i)|diameters?|"
    r"(?:(?:side|edge|base|slant|focal|total|wave|arc|rest)[- ])?lengths?|sides?|edges?|widths?|"
    r"(?:slant )?heights?|depths?|"
    r"thickness(?:es)?|distances?|areas?|perimeters?|circumferences?|volumes?|densit(?:y|ies)|forces?|"
    r"tensions?|pressures?|"
    r"temperatures?|resistances?|resistors?|capacitances?|inductances?|voltages?|"
    r"potential differences?|potentials?|emfs?|"
    r"currents?|power|energ(?:y|ies)|work|frequenc(?:y|ies)|wavelengths?|periods?|amplitudes?|angles?|"
    r"(?:index|indices) of refraction|refractive ind(?:ex|ices)|(?:spring|force|dielectric|time|"
    r"equilibrium|rate) constants?|"
    r"coefficients? of (?:static |kinetic |sliding )?friction|magnitudes?|concentrations?|molarit(?:y|ies)|pH|"
    r"moments? of inertia|(?:rotational )?inertia|momentum|altitudes?|slopes?|ratios?|spacings?|"
    r"separations?|rates?|times?|durations?|"
    r"magnetic fields?|electric fields?|fields?|charge densit(?:y|ies)|torques?|half-li(?:fe|ves)|"
    r"means?|standard deviations?|"
    r"sums?|products?|medians?|probabilit(?:y|ies)|heats?|enthalp(?:y|ies)|entrop(?:y|ies)|"
    r"atomic (?:mass|number)s?|centers?|(?:solubility product|dissociation|rate|equilibrium) constants?|"
    r"concentrations?|reduction potentials?|(?:boiling|melting|freezing) points?)"
)
SYMBOLS = {
    r"mass": "m", r"(?:charge)$": "q", r"speed|velocity": "v",
    r"acceleration": "a", r"^radius": "r",
    r"temperature": "T", r"pressure": "p", r"resistance": "R", r"capacitance": "C",
    r"voltage|potential difference": "U", r"current": "I",
    r"frequency": "f", r"wavelength": r"\lambda", r"friction": r"\mu", r"spring constant|force constant": "k",
    r"focal length": "f", r"refracti": "n", r"density$": r"\rho", r"^time|duration": "t", r"magnetic field": "B",
    r"concentration|molarity": "c", r"^volume": "V", r"^forces?$": "F", r"^height": "h", r"slant": "l",
}  # fmt: skip
"""Usual symbols of quantities, used in a label where the text gives none and does not use the letter otherwise."""

VALUE = f"[{Q}{E}]"
ANY = f"[{Q}{E}{N}{S}]"
DET = r"(?:an?|the|its|their|each|his|her|whose)\s+"
ADJ = r"(?:(?!(?:and|or|of|is|are|with|has|have|at|in|on|by|from|to|that|which)\b)[A-Za-z-]+\s+){0,2}"
LIST = rf"{VALUE}(?:\s*,?\s*(?:and\s+|or\s+)?{VALUE})*"
VERBS = (
    r"is|are|was|were|has|have|moves?|slides?|rolls?|hangs?|rests?|lies|starts?|can|travels?|carr(?:y|"
    r"ies)|makes?|falls?|"
    r"enters?|undergoes|passes|rotates?|stands?|leans?|flows?|collides?|begins?|will|floats?|forms?|"
    r"contains?|consists?"
)
BOUND = r"(?=\s*[.,;:)?!]|\s*$|\s+[a-z\ue005])"
"""A phrase ends where punctuation or any word follows; what belongs to the phrase is looked for by itself."""
RELATES = re.compile(
    r"(?:\s*(?:from(?! rest)|above|below|to(?! the (?:right|left))|between|relative|with respect|"
    r"with (?:the|an?)\b|horizontally|vertically|directly|per|away|apart|past|"
    r"of\b|behind|beyond|in front|north|south|east|west|respectively|and (?:then|the same)))",
    re.IGNORECASE,
)
"""What may follow a distance, height or angle and belongs to it."""
RELATIONAL = re.compile(r"distance|height|angle|depth|separation|altitude|spacing|direction", re.IGNORECASE)
NOT_MORE = (
    rf"(?!\s*,?\s*(?:and|or|but)\s+(?:an?\s+|the\s+)?{ADJ}(?:{NOUNS}|direction|orientation)\b)"
    rf"(?!\s*,?\s*and\s+(?:with|having|of|at)\b)(?!\s*,?\s*and\s+(?:(?!(?:of|with|is|are|has)\b)"
    rf"[a-z]+\s+){{1,3}}[{Q}{N}{E}{S}])"
    rf"(?!\s*,?\s*(?:and|or)\s+(?-i:[A-Za-z])\b)"
    rf"(?!\s*,?\s*(?:and|or|to)\s+[{Q}{N}{E}{S}])(?!\s*,\s*[{Q}{N}{E}{S}])(?!\s*,?\s*respectively)"
)


def label_symbol(noun: str) -> str | None:
    """The usual symbol of a quantity, by its English name."""
    for pattern, symbol in SYMBOLS.items():
        if noun and re.search(pattern, noun, re.IGNORECASE):
            return symbol
    return None

"""Where quoted steps stand in a response, and how much of it they cover.

A judging model copies with small liberties: other blanks, other dollar signs, a lost asterisk. So quotes are looked up
in a reduced form of the response that has no blanks, no mark-up and no LaTeX delimiters. Letters, digits and operators
have to be those of the response, in order, and what is kept of a step is the response's own text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

_PASSED_OVER = re.compile(
    r"\\[()\[\]]"  # \( \) \[ \]
    r"|\\(?:left|right|displaystyle|quad|qquad|,|;|:|!|\s)"
    r"|(?<=\\)[dt](?=frac)"  # \dfrac is \frac
    r"|(?:[-─—]\s*){3,}"  # ruled lines, which are disarmed before a judge sees them
)
_MARKS = frozenset("\\{}$*_`\"'“”‘’„«»「」『』[]⟦⟧【】〔〕［］‹›#~|&")
_MOST_PLACES = 1000
"""Places of one quote that are looked at: a response may be a million times the same letter."""
_WORD = re.compile(r"[㐀-鿿豈-﫿]|[^\W_]+")


class QuoteError(ValueError):
    """A step is no quotation of its own; the message says which and why, in words for the re-ask."""


@dataclass(frozen=True)
class Span:
    """A passage of a response: `response[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True)
class _Reduced:
    text: str
    places: tuple[int, ...]
    """Of each reduced character, the place of the one it comes from."""


def find_steps(response: str, quotes: Sequence[str]) -> tuple[Span, ...]:
    """Find each quoted step in the response; no two steps share text.

    Longer quotes are placed first, so that a short formula does not take its twin inside a longer step.

    Args:
        response: the tested model's words.
        quotes: the steps as the judging model copied them.

    Returns:
        One passage a quote, in the order of the quotes.

    Raises:
        QuoteError: a quote is empty, does not stand in the response, or only where another one stands.
    """
    whole = _reduced(response)
    taken: list[tuple[int, int]] = []
    found: dict[int, Span] = {}
    wanted = [_reduced(quote).text for quote in quotes]
    for number in sorted(range(len(quotes)), key=lambda place: (-len(wanted[place]), place)):
        if not any(character.isalnum() for character in wanted[number]):
            raise QuoteError(f"step {number + 1} has no words")
        places = _places(whole, wanted[number], response)
        seen = next(places, None)
        if seen is None:
            raise QuoteError(
                f"the step {_shown(quotes[number])} does not stand in the response: copy steps as they are written"
            )
        place = next((one for one in chain([seen], places) if _free(one, taken)), None)
        if place is None:
            raise QuoteError(f"the step {_shown(quotes[number])} overlaps another one or is given twice")
        taken.append(place)
        found[number] = _passage(whole, place, response)
    return tuple(found[number] for number in range(len(quotes)))


def coverage(response: str, spans: Sequence[Span]) -> float:
    """Share of the response's words that stand in a passage, in 0..1.

    A Chinese character is a word, and so is a run of other letters and digits. A response without words is covered.
    """
    words = [match.start() for match in _WORD.finditer(response)]
    if not words:
        return 1.0
    ordered = sorted(spans, key=lambda span: span.start)
    starts = [span.start for span in ordered]
    inside = 0
    for word in words:
        place = bisect_right(starts, word) - 1
        inside += place >= 0 and word < ordered[place].end
    return inside / len(words)


def _reduced(text: str) -> _Reduced:
    skipped = {place for match in _PASSED_OVER.finditer(text) for place in range(*match.span())}
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if place in skipped or character in _MARKS or character.isspace():
            continue
        plain = character if character.isascii() else unicodedata.normalize("NFKD", character)
        kept = [one for one in plain.casefold() if not one.isspace()]
        characters += kept
        places += [place] * len(kept)
    return _Reduced("".join(characters), tuple(places))


def _places(whole: _Reduced, wanted: str, response: str) -> Iterator[tuple[int, int]]:
    """Where the quote stands without cutting a word, as places of the reduced text, from the start."""
    start = whole.text.find(wanted)
    for _ in range(_MOST_PLACES):
        if start < 0:
            return
        end = start + len(wanted)
        if _whole_words(whole, start, end, response):
            yield start, end
        start = whole.text.find(wanted, start + 1)


def _free(place: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    return all(place[1] <= start or end <= place[0] for start, end in taken)


def _shown(quote: str) -> str:
    text = " ".join(quote.split())
    return repr(text if len(text) <= 60 else text[:60] + "...")


def _whole_words(whole: _Reduced, start: int, end: int, response: str) -> bool:
    first, last = whole.places[start], whole.places[end - 1]
    before = response[first - 1 : first] + response[first]
    after = response[last] + response[last + 1 : last + 2]
    return not (_one_word(before) or _one_word(after))


def _one_word(two: str) -> bool:
    """True for two characters in the middle of a word or number; Chinese has no blanks between words."""
    return len(two) == 2 and all(character.isascii() and character.isalnum() for character in two)


def _passage(whole: _Reduced, place: tuple[int, int], response: str) -> Span:
    """The passage with the mark-up that clings to it, so that its formulas keep their delimiters."""
    start, end = whole.places[place[0]], whole.places[place[1] - 1] + 1
    floor = whole.places[place[0] - 1] + 1 if place[0] else 0
    ceiling = whole.places[place[1]] if place[1] < len(whole.places) else len(response)
    while start > floor and not response[start - 1].isspace():
        start -= 1
    while end < ceiling and not response[end].isspace():
        end += 1
    return Span(start, end)

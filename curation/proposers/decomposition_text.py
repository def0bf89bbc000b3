"""The texts of a decomposition as the checks compare them: sentences, tokens, what was taken out, what was mended."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from benchwright.curation.proposers.decomposition_values import formulas, plain
from benchwright.schemas.records import Decomposition, Show

SHOWN = (Show.ON_DIAGRAM, Show.ALREADY_THERE, Show.BAND)
"""Where a condition stands in the picture of the vision-rich version."""
_SCAFFOLD = re.compile(
    r"^\s*(?:\d{1,3}\s*[.．、]\s*(?!\d)|Question:?\s*\d+\s*)?(?:[（(]\s*\d+\s*分\s*[)）])?\s*"
    r"|[（(]\s*(?:本题)?\s*\d+\s*分\s*[)）]"
)
PICTURE = re.compile(r"<image\s*\d*>", re.IGNORECASE)
"""A picture's place-holder."""
_SENTENCE_END = re.compile(
    r"(?<!\bFig)(?<!\bFigs)(?<!\bEq)(?<!\bvs)(?<!\bDr)(?<!\bNo)[.?!]+(?=\s|$)|[。？！；;]|\n+"
)
_TOKEN = re.compile(r"\ufffc\d+|\d+(?:[.,]\d+)*|[A-Za-z]+(?:['’][a-z]+)?|[\u3400-\u9fff]|°|%")
_SMALL = frozenset(["a", "an", "the"])
"""Words that mending may add or drop freely."""


def without_scaffold(question: str) -> str:
    """A question without what an exam paper prints around it: its number, its score, a picture's place-holder."""
    return PICTURE.sub(" ", _SCAFFOLD.sub("", question, count=1))


def squeezed(text: str) -> str:
    """A text without blanks, formulas spelled out: for comparing whole sentences."""
    return re.sub(r"\s+", "", plain(text.replace("$", " "))).casefold()


def sentences(text: str) -> list[str]:
    """The sentences of a text, end marks included; formulas are not cut."""
    hidden = [" "] * len(text)
    hidden[:] = text
    for start, end, _ in formulas(text):
        hidden[start:end] = "\ufffc" * (end - start)
        if text[start:end].rstrip("$ ").endswith((".", "。")):
            hidden[end - 1] = "."  # a sentence that ends inside a formula
    found: list[str] = []
    position = 0
    for match in _SENTENCE_END.finditer("".join(hidden)):
        found.append(text[position : match.end()])
        position = match.end()
    found.append(text[position:])
    return [sentence.strip() for sentence in found if re.search(r"\w", sentence)]


def removed_sentences(question: str, stem: str) -> tuple[str, ...]:
    """Sentences of a question that its stem no longer holds, not even reworded: what was taken for knowledge."""
    kept = squeezed(stem)
    there = set(tokens(stem))
    removed: list[str] = []
    for sentence in sentences(without_scaffold(question)):
        words = tokens(sentence)
        if squeezed(sentence).rstrip(".。;；") in kept or not words:
            continue
        if sum(word in there for word in words) < 0.5 * len(words) or not _overlaps(sentence, stem):
            removed.append(sentence)
    return tuple(removed)


def _overlaps(sentence: str, stem: str) -> bool:
    """Whether some sentence of the stem is a reworded form of this one."""
    words = tokens(sentence)
    return any(
        difflib.SequenceMatcher(None, words, tokens(other), autojunk=False).ratio() >= 0.5
        for other in sentences(stem)
    )


def tokens(text: str) -> list[str]:
    """Words, numbers, single Chinese characters, and each formula as one token; no punctuation, no case."""
    names: list[str] = []
    parts: list[str] = []
    position = 0
    for start, end, inner in formulas(text):
        parts += [text[position:start], f" \ufffc{len(names)} "]
        names.append("$" + re.sub(r"[\s.,;]+$|\s+", "", plain(inner)) + "$")
        position = end
    parts.append(text[position:])
    return [
        names[int(token[1:])] if token[0] == "\ufffc" else token.casefold()
        for token in _TOKEN.findall("".join(parts))
    ]


@dataclass(frozen=True)
class Mending:
    """What was changed between the stem without its shown spans and the core question."""

    dropped: tuple[str, ...]
    added: tuple[str, ...]
    size: int
    """Tokens of the core question."""

    @property
    def share(self) -> float:
        """Changed tokens (a replaced one counts once) as a share of the core question's."""
        changed = max(len(self.dropped), len(self.added))
        return changed / max(1, self.size)

    def __str__(self) -> str:
        return f"dropped: {' '.join(self.dropped) or '-'}; added: {' '.join(self.added) or '-'}"


def rest_of(decomposition: Decomposition) -> str:
    """The stem without the spans that the picture shows, as it stands before any mending."""
    parts: list[str] = []
    position = 0
    for condition in decomposition.conditions:
        if condition.show in SHOWN:
            parts.append(decomposition.stem[position : condition.start])
            position = condition.end
    parts.append(decomposition.stem[position:])
    return " ".join(parts)


def mending(decomposition: Decomposition) -> Mending:
    """Compare the rest of the stem with the core question word by word; articles and punctuation count nothing.

    A word that only moved counts neither as dropped nor as added.
    """
    before, after = tokens(rest_of(decomposition)), tokens(decomposition.core_question)
    dropped: list[str] = []
    added: list[str] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, i0, i1, j0, j1 in matcher.get_opcodes():
        if kind != "equal":
            dropped += before[i0:i1]
            added += after[j0:j1]
    for word in list(dropped):
        if word in added:
            dropped.remove(word)
            added.remove(word)
    return Mending(
        tuple(word for word in dropped if word not in _SMALL),
        tuple(word for word in added if word not in _SMALL),
        len(after),
    )

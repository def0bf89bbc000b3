"""Reads an answer out of a reply. Only what the reply states explicitly counts; nothing is guessed.

For choices the outcome is one of four: found (a set of labels), refusal (the model says that it cannot), empty, or
unclear. Unclear is always safe: it goes to another judge. Statements that contradict each other are unclear.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from benchwright.models.answer_final import FinalAnswer, extract_final, readings
from benchwright.models.answer_marks import (
    BESIDE,
    CONTRAST,
    CORRECTION,
    DENIAL,
    DOUBT_BEHIND,
    HEDGE,
    OPENS_AGAIN,
    OTHER_OPTION,
    STRUCK,
    TAKEN_BACK,
    UNSURE_BEFORE,
    VERDICT,
    is_refusal,
    not_own,
    sentences,
    turned_down,
)
from benchwright.models.answer_numbers import compare_numbers, read_quantity
from benchwright.models.answer_text import after_boxes, before_boxes, boxed, comparable, plain, same_text

DEFAULT_LABELS = tuple("ABCDEFGH")


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a reply says about the options."""

    kind: Literal["found", "refusal", "empty", "unclear"]
    labels: frozenset[str] = frozenset()
    rule: str = ""
    """Which rule read it, or why it is unclear."""


_LEAD = re.compile(
    r"""
    (?:
        \b(?:(?:final|correct|right|best|my|the)\s+)?
        (?:answers?|correct\s+(?:option|choice)s?|right\s+(?:option|choice))
        (?:\s+(?:here|to\s+(?:the|this)\s+question))?
        \s*(?:(?:is|are|should\s+be|must\s+be|would\s+be)\s*:?|[:=])\s*
        (?:(?:the\s+)?(?:option|choice)s?\s*)?
      | \bI(?:'ll|'d|\s+would|\s+will)?\s+(?:choose|pick|select|go\s+with)\s+(?:(?:option|choice)s?\s*)?
      | \b(?:my\s+choice\s+is|(?:corresponds?\s+to|which\s+is|this\s+is|matches)\s+(?=(?:option|choice)\b))\s*
        (?:(?:option|choice)s?\s*)?
      | (?:正确|最终)?答案\s*[】\]]?\s*(?:应该|应|就)?(?:是|为|选)?\s*:?\s*(?:选项\s*)?
      | 正确的?选项\s*(?:应该|应|就)?(?:是|为)?\s*:?\s*
      | (?<![不勿别没可任误错漏易])选(?:择|出)?\s*:?\s*(?:选项\s*)?
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"\s*(?:$|\n|[.,;:!)\]}】》」。，；、](?!\d)|选?项|(?:is|are)\s+(?:correct|right)\b|(?:because|since|as)\b|因为|由于|\()",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"\s*[)\]】]?\s*(?:,\s*)?(?:or\b|或|/|!*[?？]|还是)", re.IGNORECASE)
_ASKED = re.compile(r"[^.。!！?？\n]{0,40}[?？]")
_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=[a-z]{3})", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|[。！!\n]+")
_THEREFORE = re.compile(
    r"(?:thus|so|hence|therefore|因此|所以|故)\s*[,:]?\s*(?:it\s+is\s+|it's\s+)?", re.IGNORECASE
)
_CALLED_RIGHT = re.compile(
    r"(?<![A-Za-z])\(?([A-H])\)?\s+is\s+(?:the\s+)?(?:correct|right)(?=\s*(?:[.,!]|$|\s(?:option|answer|choice)\b))"
    r"|(?<![A-Za-z])([A-H])\s*(?:选?项)?(?:是)?正确(?:的)?(?=\s*(?:[。,，.;；]|$))"
)
_CALLED_WRONG = re.compile(
    r"\b(?:wrong|incorrect|false|not|isn't|aren't|neither|nor|if|but|except|every|other|only)\b|错|误|不|非|如果|假设|除",
    re.IGNORECASE,
)


def extract_choices(
    reply: str | None,
    labels: Sequence[str] = (),
    multiple: bool = False,
    option_texts: Mapping[str, str] | None = None,
    cut_off: bool = False,
) -> Extraction:
    """Read the chosen option(s).

    Args:
        reply: text of the reply, without thinking text.
        labels: labels of the options; A to H where unknown.
        multiple: True for multiple-select; then any label named after the stated set makes the reply unclear.
        option_texts: text of each option where known, for replies that give the text instead of the label.
        cut_off: the reply was cut off at a limit, so its last sentence is no conclusion.
    """
    if reply is None or not reply.strip():
        return Extraction("empty", rule="empty")
    texts = dict(option_texts or {})
    reader = _LabelReader(tuple(labels) or DEFAULT_LABELS)
    body = _clean(reply)
    if (whole := reader.whole(body, lenient=True)) is not None:
        if len(whole) > 1 and not multiple and any(reader.mentions(text) for text in texts.values()):
            return Extraction("unclear", rule="labels-or-an-option-about-labels")
        return Extraction("found", whole, "bare-label")
    if (by_text := _by_option_text(reply, body, reader, texts)) is not None:
        return by_text
    if VERDICT.search(reply):
        return Extraction("unclear", rule="verdict-like-text")
    if STRUCK.search(reply):
        return Extraction("unclear", rule="struck-out")
    statements = _statements(reply, body, reader)
    if not statements.sets:
        if not statements.ambiguous and is_refusal(reply) and not reader.mentions(body):
            return Extraction("refusal", rule="refusal-in-words")
        if not statements.ambiguous and (by_value := _by_final_answer(reply, texts, cut_off)) is not None:
            return by_value
        return Extraction("unclear", rule="ambiguous-statement" if statements.ambiguous else "no-statement")
    return _settled(body, statements, reader, multiple, texts)


def _settled(
    body: str, statements: _Statements, reader: _LabelReader, multiple: bool, texts: Mapping[str, str]
) -> Extraction:
    """What the statements come to, where nothing around them speaks against it."""
    chosen = statements.sets[0]
    if not statements.ambiguous and any(other != chosen for other in statements.sets):
        corrected = statements.corrected(body)
        if corrected is None:
            return Extraction("unclear", rule="statements-disagree")
        chosen = corrected
    if statements.ambiguous:
        return Extraction("unclear", rule="statements-disagree")
    later = body[statements.end :]
    named = reader.mentions(later) - chosen
    if named and (multiple or CORRECTION.search(later) or CONTRAST.search(later)):
        return Extraction("unclear", rule="labels-after-statement")
    if reader.small(body[: statements.end], later, chosen) or not _stands(later, chosen, reader, texts):
        return Extraction("unclear", rule="opened-again-after-statement")
    if _with_another_text(later, chosen, texts):
        return Extraction("unclear", rule="label-with-another-text")
    if len(chosen) > 1 and not multiple and any(reader.mentions(text) for text in texts.values()):
        return Extraction("unclear", rule="labels-or-an-option-about-labels")
    if any(comparable(text) in reader.labels and comparable(text) != label for label, text in texts.items()):
        return Extraction("unclear", rule="label-is-also-a-text")
    return Extraction("found", chosen, "statement")


def _stands(later: str, chosen: frozenset[str], reader: _LabelReader, texts: Mapping[str, str]) -> bool:
    """Whether nothing behind a statement takes it back, doubts it, or puts another option beside it.

    Another option that is named at all has to be turned down in words, each in its own sentence.
    """
    others = [comparable(text) for label, text in texts.items() if label not in chosen]
    mine = [comparable(text) for label, text in texts.items() if label in chosen]
    own_text = _holds(comparable(later), mine)
    for place, piece in enumerate(sentences(later)):
        named = reader.mentions(piece) - chosen
        said = comparable(piece)
        doubt = HEDGE.search(piece) or BESIDE.search(piece)
        if TAKEN_BACK.search(piece) or OPENS_AGAIN.search(piece):
            return False
        if named and not turned_down(reader.marked(piece, chosen)):
            return False
        elsewhere = not named and _holds(said, others)
        if elsewhere and not own_text:
            return False
        own = later[:1] not in ("", "\n") and place == 0
        if own and not named and (doubt or elsewhere or DOUBT_BEHIND.search(piece)):
            return False
        if not named and reader.mentions(piece) and (DOUBT_BEHIND.search(piece) or DENIAL.search(piece)):
            return False
        if not named and doubt and (OTHER_OPTION.search(piece) or elsewhere):
            return False
    return True


def _holds(piece: str, texts: Sequence[str]) -> bool:
    return any(
        len(text) > 1 and re.search(rf"(?<![A-Za-z0-9.]){re.escape(text)}(?![A-Za-z0-9])", piece) is not None
        for text in texts
    )


@dataclass(slots=True)
class _Statements:
    sets: list[frozenset[str]]
    ambiguous: bool = False
    end: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)
    """Where the "answer is ..." statements stand, in order; boxes and bare lines have none."""
    said: list[frozenset[str]] = field(default_factory=list)
    """What these statements say."""

    def corrected(self, body: str) -> frozenset[str] | None:
        """The last statement, where it ends the reply and takes the earlier ones back or calls itself final."""
        if (
            len(self.said) < 2
            or not set(self.sets) <= set(self.said)
            or re.search(r"\w", body[self.places[-1][1] :])
        ):
            return None
        changed = max((i for i, said in enumerate(self.said[:-1]) if said != self.said[-1]), default=None)
        if changed is None:
            return None
        start, end = self.places[-1]
        final = re.search(r"\bfinal\b|最终|最后", body[max(0, start - 8) : end], re.IGNORECASE)
        taken_back = CORRECTION.search(body[self.places[changed][1] : start])
        return self.said[-1] if final or taken_back else None


def _clean(reply: str) -> str:
    """Text in which labels are searched: no emphasis marks, no LaTeX wrappers, full-width forms made plain."""
    body = reply
    for _ in range(3):
        body = re.sub(r"\\(?:text|textbf|mathrm|mathbf|rm|bf|boxed|fbox)\s*\{([^{}]*)\}", r" \1 ", body)
    body = re.sub(r"\\(?:text|mathrm|mathbf|rm|bf)(?![A-Za-z])|\\[()\[\]]|[$*`]|\\,", " ", body)
    lines = (" ".join(line.split()) for line in plain(body).replace("’", "'").splitlines())
    return "\n".join(bare for line in lines if (bare := line.lstrip("#> ")))


def _statements(reply: str, body: str, reader: _LabelReader) -> _Statements:
    """All explicit statements: boxed labels, "answer is ...", a first or last line that is nothing but labels."""
    found = _Statements([])
    for content, _ in boxed(reply):
        if (whole := reader.whole(_clean(content), lenient=True)) is not None:
            found.sets.append(whole)
    if found.sets:
        found.ambiguous = any(not_own(_clean(before)) for before in before_boxes(reply))
        rest = _clean(after_boxes(reply)).strip()
        found.end = len(body) - len(rest) if body.endswith(rest) else 0
        found.ambiguous = found.ambiguous or rest.startswith(("?", "or ", "/"))
    for lead in _LEAD.finditer(body):
        read = reader.set_at(body, lead.end())
        if read is None:
            continue
        chosen, end = read
        before = body[max(0, lead.start() - 200) : lead.start()]
        opened = _ALTERNATIVE.match(body, end) or _ASKED.match(body, end) or reader.goes_on(body, end)
        if opened or UNSURE_BEFORE.search(before[-45:]) or not_own(before):
            found.ambiguous = True
        elif body[end - 1] in ")]】" or _FOLLOWS.match(body, end):
            found.sets.append(chosen)
            found.said.append(chosen)
            found.places.append((lead.start(), end))
            found.end = max(found.end, end)
    if not found.sets and not found.ambiguous and (called := _called_right(body, reader)) is not None:
        found.sets.append(called)
        found.end = len(body)
    lines = body.split("\n")
    for place, start in ((0, 0), (-1, body.rfind("\n") + 1)):
        if (whole := reader.whole(lines[place])) is not None:
            found.sets.append(whole)
            found.end = max(found.end, start + len(lines[place]))
    return found


def _called_right(body: str, reader: _LabelReader) -> frozenset[str] | None:
    """The one label that is called right ("Option B is correct", "故B正确"), or that ends the reply ("Hence (B).")."""
    last = [piece for piece in _SENTENCE_END.split(body) if piece.strip()][-1:]
    ends = _THEREFORE.match(last[0].strip()) if last else None
    if ends is not None and (said := reader.whole(last[0].strip()[ends.end() :], lenient=True)) is not None:
        return said
    if (
        _CALLED_WRONG.search(body)
        or "?" in body
        or any(rule.search(body) for rule in (HEDGE, BESIDE, TAKEN_BACK))
    ):
        return None
    called = {
        label
        for match in _CALLED_RIGHT.finditer(body)
        if (label := reader.whole(match[1] or match[2])) is not None
    }
    return called.pop() if len(called) == 1 and reader.mentions(body) <= frozenset().union(*called) else None


def _by_option_text(
    reply: str, body: str, reader: _LabelReader, texts: Mapping[str, str]
) -> Extraction | None:
    """The whole reply is an option's text, or a label with that option's own text."""
    if not texts or "\n" in body:
        return None
    for candidate in (reply, body):
        hits = [label for label, text in texts.items() if same_text(candidate, text)]
        if len(hits) == 1:
            return Extraction("found", frozenset(hits), "option-text")
    read = reader.set_at(body, 0)
    if read is not None and len(read[0]) == 1:
        (label,) = read[0]
        rest = re.sub(r"^\s*[.):、]\s*", "", body[read[1] :])
        if rest and rest != body[read[1] :] and label in texts and same_text(rest, texts[label]):
            return Extraction("found", read[0], "label-and-text")
    return None


def _with_another_text(later: str, chosen: frozenset[str], texts: Mapping[str, str]) -> bool:
    """Whether the text of an option that was not chosen stands right behind the chosen label."""
    behind = re.split(r"\n|(?<=[^\d])\.\s|[。;；]", later.lstrip(" .):,、-\n"), maxsplit=1)[0].strip(
        " ()（）."
    )
    if len(chosen) != 1 or not behind:
        return False
    own = all(same_text(behind, texts[label]) for label in chosen if label in texts)
    return not own and any(same_text(behind, text) for label, text in texts.items() if label not in chosen)


def _by_final_answer(reply: str, texts: Mapping[str, str], cut_off: bool) -> Extraction | None:
    """The reply's final answer is the text or the value of just one option."""
    final = extract_final(reply, cut_off) if texts else None
    if final is None:
        return None
    for reading in readings(final):
        hits = [
            label
            for label, text in texts.items()
            if same_text(reading.text, text) or same_text(reading.raw, text)
        ]
        if not hits:
            hits = _by_value(reading, texts)
        if len(hits) == 1:
            return Extraction(
                "found", frozenset(hits), "option-value" if final.source == "tail" else "option-text"
            )
    return None


def _same_words(said: str, option: str) -> bool:
    """The same text, an article in front left away."""
    return same_text(said, option) or same_text(
        _ARTICLE.sub("", said.strip()), _ARTICLE.sub("", option.strip())
    )


def _by_value(final: FinalAnswer, texts: Mapping[str, str]) -> list[str]:
    """Options with the very number of the answer, in the same unit or with a unit on one side only."""
    said = read_quantity(final.text)
    if said is None:
        return []
    hits: list[str] = []
    for label, text in texts.items():
        option = read_quantity(text)
        if option is None or option.percent != said.percent:
            continue
        alike = option.unit == said.unit or option.unit is None or said.unit is None
        if (
            alike
            and compare_numbers(said, option)[0] == "consistent"
            and _same_digits(said.value, option.value)
        ):
            hits.append(label)
    return hits


def _same_digits(said: Fraction, option: Fraction) -> bool:
    """Equal, or the one is the other rounded to two digits or more."""
    return said == option or (option != 0 and abs(said - option) / abs(option) < Fraction(1, 200))


class _LabelReader:
    """Reads sets of labels such as "B", "(b)", "AC", "A, C and D", "A、C"."""

    _JOIN = re.compile(r" *(?:, *and\b|,|、|;|&|\+|\band\b|和|与|及) *| +(?=[A-Z]\b)", re.IGNORECASE)

    def __init__(self, labels: tuple[str, ...]) -> None:
        self.labels = frozenset(labels)
        self._fold = {label.casefold(): label for label in labels}
        ordered = sorted(labels, key=len, reverse=True)
        one = "|".join(re.escape(label) for label in ordered)
        self._one = re.compile(rf"[(\[（【]?\s*({one})(?:\s*[)\]）】]|(?![A-Za-z0-9_'-]))", re.IGNORECASE)
        single = [label for label in labels if len(label) == 1 and label.isalpha()]
        run = f"[{''.join(re.escape(label) for label in single)}]" if single else r"(?!)"
        self._run = re.compile(rf"[(\[（【]?\s*({run}{{2,}})(?:\s*[)\]）】]|(?![A-Za-z0-9_'-]))")
        self._mention = re.compile(rf"(?<![A-Za-z0-9_'-])({one})(?![A-Za-z0-9_'-])")

    def set_at(self, text: str, place: int) -> tuple[frozenset[str], int] | None:
        """The set of labels that begins at `place`, and where it ends; None where no label begins."""
        while place < len(text) and text[place] in " \n":
            place += 1
        run = self._run.match(text, place)
        if run is not None and len(set(run.group(1))) == len(run.group(1)):
            return frozenset(run.group(1)), run.end()
        chosen: list[str] = []
        end = place
        while (match := self._one.match(text, place)) is not None:
            chosen.append(self._fold[match.group(1).casefold()])
            end = match.end()
            join = self._JOIN.match(text, end)
            if join is None:
                break
            place = join.end()
        return (frozenset(chosen), end) if chosen else None

    def goes_on(self, text: str, place: int) -> bool:
        """Whether another label stands right behind a set, without a blank: "b)c)"."""
        return not text[place : place + 1].isspace() and self._one.match(text, place) is not None

    def small(self, before: str, later: str, chosen: frozenset[str]) -> bool:
        """Whether a label given in a small letter is followed by another one in a small letter, standing alone."""
        if self.mentions(before) & chosen:
            return False
        found = re.findall(r"(?<![\w'-])[b-z](?![\w'-])", later)
        return any(letter.upper() in self.labels - chosen for letter in found)

    def marked(self, text: str, chosen: frozenset[str]) -> str:
        """The text with "¤" for each chosen label and "§" for each other one."""
        return self._mention.sub(lambda match: self._sign(match, chosen), text)

    def _sign(self, match: re.Match[str], chosen: frozenset[str]) -> str:
        if match.group(1) in ("A", "I") and re.match(r"\s+['a-z]", match.string[match.end() :]):
            return match.group(0)
        return "¤" if match.group(1) in chosen else "§"

    def whole(self, text: str, lenient: bool = False) -> frozenset[str] | None:
        """The set when the text is nothing but labels (an end mark may follow); the article "A" alone on a line counts.

        With `lenient`, one or two words of frame ("Option B", "选B") are allowed.
        """
        if lenient:
            text = re.sub(r"^(?:(?:options?|choices?|选项|选)\s*|答\s*:\s*)", "", text, flags=re.IGNORECASE)
        read = self.set_at(text, 0)
        if read is None or not re.fullmatch(r"\s*[.。)、]?\s*", text[read[1] :]):
            return None
        return read[0]

    def mentions(self, text: str) -> frozenset[str]:
        """Labels that stand alone in a text, upper case as given; the article "A" before a small letter is none."""
        found = set()
        for match in self._mention.finditer(text):
            article = match.group(1) in ("A", "I") and re.match(r"\s+['a-z]", text[match.end() :]) is not None
            if not article:
                found.add(match.group(1))
        return frozenset(found)

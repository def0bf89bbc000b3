"""What is visibly wrong with a question's text. Pure functions; no rule says whether a statement is true.

A rejection needs a question that cannot be used as it stands; whatever may have a second reading is a note.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from benchwright.curation.screen_codes import Rules
from benchwright.curation.screen_formulas import broken_formula, without_formulas
from benchwright.curation.screen_pictures import picture_findings, without_places
from benchwright.models.answer_parse import extract_choices
from benchwright.schemas.records import Choice, LocalizedText, Question, QuestionType
from benchwright.schemas.screening import ScreenFinding

CLOSED = (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_SELECT)
_SAYS_NOTHING = frozenset(
    {"", "-", "--", "---", "n/a", "null", "nan", "undefined", "tbd", "todo", "略", "见解析", "答案略",
     "暂无", "暂无答案", "see solution", "see above", "answers vary", "answers will vary"}
)  # fmt: skip
_FILLER = re.compile(
    r"(?<![A-Za-z])(?:TODO|TBD|FIXME)(?![A-Za-z])|(?i:lorem ipsum)|\{\{\s*[A-Za-z_][\w. ]*\s*\}\}"
    r"|<(?i:insert|your) [^<>]*>|\[(?i:insert|your) [^\[\]]*\]|(?<![A-Za-z0-9\\$^_{=+*/-])x{4,}(?![A-Za-z0-9}^_=+*/-])"
    r"|待补充|待完善|此处(?:填写|插入|省略)|暂无(?:答案|解析|解答|题目|题干|选项|图片|内容|数据)"
)
_GARBLED = re.compile(
    r"[\ufffd\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ue000-\uf8ff]|锟斤拷|烫烫烫|屯屯屯|â€[™œ\x9d“”]|Ã[©¨¼¶¤±]|[?？]{4,}"
)
_TORN_END = re.compile(r"(?:[,，、(（\[{]|(?<![A-Za-z])(?:the|of|and|a|an|with)|[的和与或])\s*$")
_ASKS = re.compile(r"[?？]|_{2,}|[（(]\s*[)）]|\\(?:underline|uline|quad|qquad)")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u2e80-\u2fdf]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_DRESS = re.compile(r"\\(?:mathrm|text|mathbf|rm)(?![A-Za-z])|[\s${}()（）.．~]")
_COMMAND = re.compile(r"\\[A-Za-z]+|<[^<>]*>")
_WORD_LETTERS = 20
"""Letters that a text needs before its script says anything; formulas' names do not count."""
_PARTS_OF_A_WORD = 2.0
"""Latin letters that weigh as much as one Chinese character, which is about half a word."""


def text_findings(question: Question, rules: Rules) -> Iterator[ScreenFinding]:
    """What speaks against a question's texts, in all its languages; repeats between languages are not taken out."""
    pictures = len(question.images)
    for language, text in sorted(question.texts.items()):
        in_options = sum(choice.image is not None for choice in text.choices)
        yield from _stem(text, question.question_type, rules)
        yield from _answer(text, question.question_type, rules)
        if question.question_type in CLOSED:
            yield from _options(text, pictures, rules)
        yield from _filled(text, rules)
        yield from picture_findings(text.question, pictures, in_options, rules)
        for place, words in spoken_parts(text):
            yield from broken_formula(place, words, rules)
        yield from _language(language, text, rules)


def spoken_parts(text: LocalizedText) -> Iterator[tuple[str, str]]:
    """The texts of one language that are published: place and words."""
    yield "question", text.question
    for choice in text.choices:
        if choice.text:
            yield f"option {choice.label}", choice.text
    yield "answer", text.answer
    if text.solution:
        yield "solution", text.solution


def _stem(text: LocalizedText, kind: QuestionType, rules: Rules) -> Iterator[ScreenFinding]:
    stem = text.question.strip()
    length = len(stem) + sum(len(choice.text or "") for choice in text.choices)
    if len(stem) < rules.value("text-short"):
        yield from rules.found("text-short", f"the question is {stem!r}", measure=len(stem))
    if length > rules.value("text-long"):
        yield from rules.found("text-long", f"{length} characters", measure=length)
    # The stem of a question with options may be a sentence that each of them completes.
    if kind not in CLOSED and _TORN_END.search(stem) and not _ASKS.search(stem):
        yield from rules.found("text-cut-off", f"it ends in {stem[-30:]!r}")


def _filled(text: LocalizedText, rules: Rules) -> Iterator[ScreenFinding]:
    for place, words in spoken_parts(text):
        bare = without_formulas(words)
        if (match := _FILLER.search(bare)) is not None and place != "solution":
            yield from rules.found("placeholder", f"{place}: {match[0]!r}")
        if (match := _GARBLED.search(words)) is not None:
            yield from rules.found("text-garbled", f"{place}: {_shown(match[0])}")


def _shown(characters: str) -> str:
    """Characters by their names where they cannot be seen."""
    if len(characters) == 1 and not characters.isprintable():
        return f"the character U+{ord(characters):04X}"
    return repr(characters)


def _answer(text: LocalizedText, kind: QuestionType, rules: Rules) -> Iterator[ScreenFinding]:
    answer = text.answer.strip()
    said = without_places(answer).strip()
    if said.casefold().rstrip(".。") in _SAYS_NOTHING and said not in {
        choice.label for choice in text.choices
    }:
        yield from rules.found("answer-missing", f"the answer is {answer!r}")
        return
    if said != answer:
        yield from rules.found("picture-in-answer", f"beside it the answer says {said[:60]!r}")
    if kind not in CLOSED or not text.choices:
        return
    labels_in_order = [choice.label for choice in text.choices]
    found = extract_choices(answer, labels_in_order, kind is QuestionType.MULTIPLE_SELECT)
    if found.kind != "found":
        yield from rules.found(
            "answer-not-an-option", f"{answer[:60]!r} is none of {', '.join(labels_in_order)}"
        )
    elif kind is QuestionType.SINGLE_CHOICE and len(found.labels) > 1:
        yield from rules.found("answer-not-one-label", f"the answer is {answer!r}")


def _options(text: LocalizedText, pictures: int, rules: Rules) -> Iterator[ScreenFinding]:
    labels = [choice.label for choice in text.choices]
    count = len(labels)
    if count < rules.value("options-too-few"):
        yield from rules.found("options-too-few", f"{count} options", measure=count)
        return
    if labels != list(ascii_uppercase[:count]):
        yield from rules.found("option-labels", ", ".join(labels))
    bare = [choice.label for choice in text.choices if not _said(choice) and choice.image is None]
    elsewhere = bool(pictures) or _stand_in_stem(bare, text.question)
    if len(bare) == count and not elsewhere:
        yield from rules.found("options-missing", f"nothing but the letters {', '.join(bare)}")
    elif len(bare) == 1 or (0 < len(bare) < count and not elsewhere):
        # Several bare letters are points or rows that the picture or the text shows; a single one was lost.
        yield from rules.found("option-empty", f"nothing in {', '.join(bare)}", measure=len(bare))
    yield from _repeats(text.choices, rules)


def _said(choice: Choice) -> str:
    """An option's text; one that only repeats its own label, be it in a formula, says nothing."""
    text = (choice.text or "").strip()
    return "" if _DRESS.sub("", text) == choice.label else text


def _stand_in_stem(labels: Sequence[str], stem: str) -> bool:
    return all(re.search(rf"(?<![A-Za-z]){re.escape(label)}(?![A-Za-z])", stem) for label in labels)


def _repeats(choices: Sequence[Choice], rules: Rules) -> Iterator[ScreenFinding]:
    seen: dict[str, str] = {}
    for choice in choices:
        key = "".join(unicodedata.normalize("NFC", _said(choice)).split())
        if not key or choice.image is not None:
            continue
        twin = seen.setdefault(key, choice.label)
        if twin != choice.label:
            yield from rules.found("option-repeated", f"{twin} and {choice.label} both say {key[:40]!r}")


def _language(language: str, text: LocalizedText, rules: Rules) -> Iterator[ScreenFinding]:
    """Only Chinese and English have scripts that tell them apart; others are not judged."""
    if language not in ("zh", "en"):
        return
    whole = "\n".join([text.question, *(choice.text or "" for choice in text.choices)])
    words = _COMMAND.sub(" ", without_formulas(whole))
    han = float(len(_HAN.findall(words)))
    latin = sum(len(word) for word in _LATIN_WORD.findall(words)) / _PARTS_OF_A_WORD
    if han + latin < _WORD_LETTERS / _PARTS_OF_A_WORD:
        return
    share = (han if language == "zh" else latin) / (han + latin)
    if share < rules.value("language-mismatch"):
        yield from rules.found(
            "language-mismatch", f"stated {language}: {han:.0f} Chinese characters", measure=share
        )

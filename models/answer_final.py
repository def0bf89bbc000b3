r"""The final answer of a free-form reply: what it states, never what could be guessed.

Looked for in this order: the content of `\boxed{}` (with a unit behind it); "answer: ..." statements; a reply that is
one short line; the end of the last sentence ("..., so v = 8 m/s."). Statements have to agree. Where they do not, the
last one counts if it ends the reply and either calls itself final or takes the earlier ones back in words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from benchwright.models.answer_marks import (
    CORRECTION,
    HEDGE,
    STRUCK,
    UNSURE_BEFORE,
    VERDICT,
    not_own,
    opened_again,
    sentences,
)
from benchwright.models.answer_numbers import read_quantity
from benchwright.models.answer_numerals import without_counter
from benchwright.models.answer_quantity import Quantity, parse_unit
from benchwright.models.answer_text import after_boxes, before_boxes, boxed, comparable, plain, without_latex

Source = Literal["boxed", "stated", "whole", "tail"]

_STATED = re.compile(
    r"""
    (?P<lead>
        (?P<final>\bfinal\s+)?
        \b(?:answers?\s*(?:(?:is|are|should\s+be|must\s+be)\s*:?|[:=])|final\s+result\s*(?:is|[:=]))
      | (?P<last>最终|最后)?的?(?:答案|(?<=最终)结果)\s*】?\s*(?:应该|应|就)?(?:(?:是|为)\s*:?|:|(?=[\d$\\(-]))
      | ^[ \t]*答[ \t]*:
    )\s*
    (?P<said>\S.*?)(?=\.\s|\.?$|[。\n]|;\s)
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_NAME = re.compile(r"^\s*([^\s=≈<>≤≥,;，；]{1,14})\s*[=≈]\s*(?=[^=\s])")
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z\u4e00-\u9fff$*\\(])|[。\n]+|(?<![\d)])[！!]+")
_CONNECTOR = re.compile(
    r"[=≈]|(?<!\d):\s|\b(?:is|are|was|equals?|takes?|gives?|to\s+be)\b"
    r"|[为是得有约达共需]",
    re.IGNORECASE,
)
_OPEN_SENTENCE = re.compile(
    r"\b(?:not|never|if|whether|suppose|assum\w+|would|without|given|initially|except|unless|other|another|different|should|than|half|twice|times|"
    r"which|whose|where|while|before|after|until|per)\b|n't\b|\?|\b(?:square|cube|root|reciprocal|inverse|double|triple|third|quarter|opposite|negative)\s+of\b"
    r"|不|没|非|未|如果|假设|假如|若|已知|设|原来|相比|比[^值例,，]{1,8}[大小多少高低长短快慢]|倍|另|其他|一半|平方(?![米厘分千公])|立方(?![米厘分])|倒数|相反数|先.*后|其中|其|之前|之后|后来|此时|每",
    re.IGNORECASE,
)
_CHAIN_NAME = re.compile(r"([^\s=≈<>≤≥,;:，；：为是]{1,14})\s*[=≈][^,;:，；：]*$")
_REMARK = re.compile(
    r"(?P<value>.*?\d.*?)(?:\s*[,，;；]\s*|\s+(?=(?:to\s+the|due|because|since|as|towards?|upwards?|downwards?|left)\b))"
    r"(?P<remark>[^\d=]{1,80})"
)
_REASON = re.compile(r"\s*(?:because|since|as|which|so|hence|is)\b|\s*(?:因为|由于|即)", re.IGNORECASE)
_COUNTED = re.compile(
    r"\b(?:there\s+(?:are|is|will\s+be)|has|have|had|makes?|made|gets?|got|needs?|leaves?|earns?|pays?|costs?|spends?"
    r"|a\s+total\s+of)\s+(?:still\s+|only\s+|exactly\s+|a\s+total\s+of\s+)?"
    r"(?P<number>\d+)(?P<things>(?:\s+[a-z]{3,}){1,4})$"
    r"|(?:共|有|剩(?:下|余)?|得到?|需要?)\s*(?P<zh_number>\d+)\s*(?P<zh_things>[\u4e00-\u9fff]{1,10})$",
    re.IGNORECASE,
)
_NUMBER_WORD = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?|pairs?"
    r"|both|each|every|half|twice|double|per|more|less|fewer|another|other|(?:group|set|pack|couple|team|row|column|bag|tray|carton|packet|bundle)s?|box(?:es)?)\b|[一二两三四五六七八九十半倍各每双打对]",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]+")
_OPERATION = re.compile(
    r"[|!√∣‖^]|\\[lr]?[vV]ert|^\s*[-+]|^\s*\d|[\w)]\s*[-+*/·]\s*[\w(]|\b(?:sin|cos|tan|cot|log|ln|lg|exp|abs)\b",
    re.IGNORECASE,
)
_FUNCTION = re.compile(r"(?<![A-Za-z])(?:a?(?:sin|cos|tan|cot)|log|ln|lg|exp|abs)(?![A-Za-z])", re.IGNORECASE)
_ENDS_IN_VALUE = re.compile(r"(?<![\d.])-?\d[\d.,]*[^\d.,]{0,12}$")
_SHORT = 80
_LONGEST = 400
"""Characters; a longer sentence is not looked into."""


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """What a free-form reply states in the end: "v = 3 m/s" has the name "v" and the text "3 m/s"."""

    text: str
    name: str | None = None
    raw: str = ""
    """As it was written, with LaTeX and name."""
    source: Source = "stated"


def extract_final(reply: str, cut_off: bool = False) -> FinalAnswer | None:
    r"""The one final answer a free-form reply states; None where there is none or more than one.

    Args:
        reply: the reply's text.
        cut_off: the reply was cut off at a limit, so its last sentence is no conclusion.
    """
    body = re.sub(r"^[ \t]*#+[ \t]+", "", re.sub(r"\*\*|`|__", "", reply), flags=re.MULTILINE).strip()
    if VERDICT.search(body) or STRUCK.search(reply):
        return None
    if boxes := boxed(body):
        if any(not_own(before) for before in before_boxes(body)) or _opens(
            after_boxes(body), _box_text(*boxes[-1])
        ):
            return None
        return _agreed([_box_text(*box) for box in boxes], "boxed")
    # `plain` may change the length, so statements are read from its result.
    flat = plain(body)
    if statements := list(_STATED.finditer(flat)):
        return _from_statements(flat, statements)
    if cut_off:
        return None
    if "\n" not in body and len(body) <= _SHORT:
        found = named_answer(body)
        return replace(found, source="whole") if found.text else None
    return last_sentence_value(body)


def _opens(after: str, said: str) -> bool:
    """Whether what follows an answer takes it back, or gives another value."""
    answer = named_answer(said).text
    own = read_quantity(answer)
    return opened_again(after) or any(
        _bare_word(piece, answer) or _another_value(piece, own) for piece in sentences(after)
    )


def _bare_word(piece: str, answer: str) -> bool:
    """Whether a sentence is one word or formula, and thus may be another answer ("NaCl; KCl"); a unit is none."""
    said = comparable(piece).strip("?()").strip()
    longest = 6 if re.search(r"[\u4e00-\u9fff]", said) else 20
    if not re.fullmatch(r"\S+", said) or len(said) > longest or not re.search(r"\w", said):
        return False
    return said != comparable(answer) and parse_unit(said) is None


def _another_value(piece: str, own: Quantity | None) -> bool:
    """Whether a sentence is a value, or ends with one of the answer's unit that is not the answer's."""
    bare = without_latex(piece).strip(" \t\n;；()!。.")
    if is_value(bare):
        return True
    if own is None or len(bare) > _LONGEST:
        return False
    end = _ENDS_IN_VALUE.search(bare)
    found = read_quantity(end[0]) if end is not None else None
    if found is not None and found.unit is not None and found.unit == own.unit:
        return found.value != own.value
    tail = last_sentence_value(bare)
    found = None if tail is None else read_quantity(tail.text)
    return found is not None and found.unit == own.unit and found.value != own.value


def named_answer(text: str) -> FinalAnswer:
    """Split "v = 3 m/s" into name and value; LaTeX is spelled out."""
    said = without_latex(text).strip().rstrip("。.").strip()
    match = _NAME.match(said)
    if match is None or is_expression(match.group(1)):
        return FinalAnswer(said, raw=text)
    return FinalAnswer(said[match.end() :].strip(), comparable(match.group(1)), text)


def is_expression(left: str) -> bool:
    """Whether the left side of an equation is more than a name, so that its value is not the unknown's: "|x|", "2x".

    Bare arithmetic ("12/4", "2 kg * 3 m/s^2") is none: its value is the answer.
    """
    said = left.strip()
    names = _LETTERS.findall(said)
    if not names:
        return "|" in said or "!" in said
    if re.match(r"[\d(]", said) and all(parse_unit(name) is not None for name in names):
        return re.search(r"\d[A-Za-z]", said) is not None
    return _OPERATION.search(said) is not None


def last_sentence_value(body: str) -> FinalAnswer | None:
    """The number (with its unit) that the last sentence ends with; None where it denies, assumes or doubts."""
    sentences = [piece for piece in _SENTENCES.split(body) if piece.strip(" \t$*.。")]
    if not sentences:
        return None
    said = without_latex(sentences[-1]).strip().rstrip("。.").strip()
    if len(said) > _LONGEST:
        return None
    if is_value(said) and "\n" in body:
        if len(sentences) > 1 and is_value(without_latex(sentences[-2]).strip().rstrip("。.,;").strip()):
            return None
        return FinalAnswer(said, raw=said, source="tail")
    if _OPEN_SENTENCE.search(said) or HEDGE.search(said) or CORRECTION.search(said):
        return None
    if (counted := _counted(said)) is not None:
        return counted
    for connector in reversed(list(_CONNECTOR.finditer(said))):
        value = said[connector.end() :].strip()
        if is_value(value):
            if connector.group(0) in "=≈" and _of_expression(said[: connector.start()]):
                return None
            name = _CHAIN_NAME.search(said) if connector.group(0) in "=≈" else None
            return FinalAnswer(value, None if name is None else comparable(name[1]), value, "tail")
    return None


def _of_expression(before: str) -> bool:
    """Whether the chain of equations that ends here begins with an expression: "so 2x = 6"."""
    clause = re.split(r"[,;:，；：]", before)[-1].partition("=")[0].strip()
    left = re.split(r"(?<![-+*/·])\s+(?![-+*/·^])", clause)[-1]
    return is_expression(left) or _FUNCTION.search(clause) is not None


def _counted(sentence: str) -> FinalAnswer | None:
    """The only number of a sentence that counts things: "She has 6 apples left", "还剩6个苹果"."""
    match = _COUNTED.search(sentence)
    if match is None or _NUMBER_WORD.search(sentence) or len(re.findall(r"\d+", sentence)) != 1:
        return None
    things = (match["things"] or match["zh_things"]).strip()
    first = [things.split(" ")[0], *(things[:length] for length in (1, 2, 3))]
    # A number with a unit ("6 metres of rope") is no count.
    if any(parse_unit(word) is not None for word in first):
        return None
    number = match["number"] or match["zh_number"]
    return FinalAnswer(number, None, number, "tail")


def is_value(text: str) -> bool:
    """Whether a text is one number, with a unit, a counting word or neither."""
    return bool(text) and (
        read_quantity(text) is not None or read_quantity(without_counter(text)) is not None
    )


def readings(final: FinalAnswer) -> list[FinalAnswer]:
    """The answer as it stands, and without what surrounds it.

    Behind the last "=", before a remark that only says more ("5 m/s to the left"), behind the last "is".
    """
    head, sign, last = final.text.rpartition("=")
    chain = last.strip() if sign and not re.search(r"[,;，；<>≤≥]", head) else ""
    if chain and final.name is None and _of_expression(head):
        return [final]
    value = chain or _before_remark(final.text)
    if value:
        return [final, replace(final, text=value, raw=value)]
    tail = last_sentence_value(final.raw) if final.source in ("whole", "stated") else None
    return [final] if tail is None else [final, tail]


def _before_remark(text: str) -> str | None:
    """The value that a text begins with, where nothing but words without doubt or number follow."""
    match = _REMARK.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or not is_value(match["value"]):
        return None
    remark = match["remark"]
    doubt = HEDGE.search(remark) or CORRECTION.search(remark) or _OPEN_SENTENCE.search(remark)
    return None if doubt else match["value"]


def _box_text(content: str, tail: str) -> str:
    """What stands in a box, with the unit behind it; words that only give a reason are left away."""
    follows = without_latex(re.split(r"[.,;。，；]", tail, maxsplit=1)[0])
    return content if _REASON.match(follows) else f"{content} {follows}".strip()


def _agreed(stated: list[str], source: Source) -> FinalAnswer | None:
    answers = [named_answer(text) for text in stated]
    if not answers or not answers[0].text:
        return None
    same = all(comparable(other.text) == comparable(answers[0].text) for other in answers)
    return replace(answers[0], source=source) if same else None


def _from_statements(flat: str, statements: list[re.Match[str]]) -> FinalAnswer | None:
    before = [flat[max(0, match.start() - 200) : match.start()] for match in statements]
    if any(UNSURE_BEFORE.search(text[-45:]) or not_own(text) for text in before):
        return None
    last = statements[-1]
    after = flat[last.end() :]
    if _opens(after, last["said"]):
        return None
    agreed = _agreed([match["said"] for match in statements], "stated")
    if agreed is not None:
        return agreed
    between = flat[statements[-2].end() : last.start()]
    says_final = last["final"] or last["last"] or "final result" in last["lead"].lower()
    if (says_final or CORRECTION.search(between)) and not re.search(r"\w", after):
        return _agreed([last["said"]], "stated")
    return None

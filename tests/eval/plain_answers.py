"""Plain answers to real questions, whose truth is known because they are made here.

Questions, options and reference answers come from the shared pools; every reply is put together from a reference
answer (right) or from another option or number (wrong), in the styles in which models answer. Nothing is kept.

    python tests/eval/plain_answers.py SHARED [SEED]     prints how many of them the rules decide
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchwright.models.answer_compare import Comparison, Match, compare_answer
from benchwright.models.answer_text import comparable
from benchwright.schemas.records import QuestionType

LABELS = "ABCDEFGH"
WORKING = (
    "We have 3 unknowns and 2 conditions, so one of them stays free at first.\n"
    "Put the first condition into the second: 4.1 + 7.25 = 11.35.\n"
)
WORKING_ZH = "先列出两个条件，共有3个未知数。\n代入后得到 4.1 + 7.25 = 11.35。\n"


@dataclass(frozen=True)
class Plain:
    """A reply and whether it is right."""

    item: str
    style: str
    reply: str
    right: bool
    ground: str
    kind: QuestionType
    labels: tuple[str, ...]
    texts: dict[str, str]
    unit: str | None

    def judged(self) -> Comparison:
        """What the rules say."""
        return compare_answer(self.reply, self.ground, self.kind, self.labels, self.texts, self.unit)


CHOICE_STYLES = {
    "letter": "{label}",
    "bracketed": "({label})",
    "answer": "Answer: {label}",
    "bold": "**Answer: {label}**",
    "boxed": "\\boxed{{{label}}}",
    "sentence": "The correct answer is {label}.",
    "working": WORKING + "\nTherefore the answer is {label}.",
    "working-boxed": WORKING + "Final answer: $\\boxed{{\\text{{{label}}}}}$",
    "chinese": "答案：{label}",
    "chinese-working": WORKING_ZH + "故选{label}。",
    "option-text": "{text}",
    "answer-text": "The answer is {text}.",
    "label-and-text": "{label}. {text}",
    "restated": "The correct option is {label}) {text}",
}
SEVERAL_STYLES = {
    "run": "{label}",
    "answer": "Answer: {label}",
    "comma": "{comma}",
    "and": "The correct options are {words}.",
    "boxed": "\\boxed{{{label}}}",
    "chinese": "答案：{enum}",
    "chinese-working": WORKING_ZH + "故选{label}。",
}
NUMBER_STYLES = {
    "bare": "{number}",
    "unit": "{number}{unit}",
    "answer": "Answer: {number}{unit}",
    "bold": "**Final answer: {number}{unit}**",
    "boxed": "$\\boxed{{{number}}}$",
    "sentence": "The answer is {number}{unit}.",
    "working": WORKING + "\nTherefore, the result is {number}{unit}.",
    "working-answer": WORKING + "Answer: {number}{unit}",
    "working-boxed": WORKING + "Hence $x = \\boxed{{{number}}}$.",
    "last-line": WORKING + "{number}{unit}",
    "chinese": "答案：{number}{unit}",
    "chinese-working": WORKING_ZH + "所以结果为{number}{unit}。",
    "equation": "x = {number}{unit}",
}


def items(shared: Path) -> Iterator[dict[str, Any]]:
    """Rows of both pools."""
    with (shared / "data/real_pool/pool.jsonl").open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)
    with gzip.open(shared / "data/text_pool.jsonl.gz", "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def plain_answers(shared: Path, count: int = 400, seed: int = 5) -> list[Plain]:
    """`count` replies, half of them to questions with options, half of all right."""
    rng = random.Random(seed)
    choice: list[dict[str, Any]] = []
    several: list[dict[str, Any]] = []
    number: list[dict[str, Any]] = []
    for row in items(shared):
        if row.get("choices"):
            (several if len(str(row["answer"] or "").strip()) > 1 else choice).append(row)
        elif _as_number(row.get("answer")) is not None:
            number.append(row)
    for rows in (choice, several, number):
        rng.shuffle(rows)
    found = list(_take(several, count // 10, rng, _choice_reply))
    found += list(_take(choice, count // 2 - len(found), rng, _choice_reply))
    found += list(_take(number, count - len(found), rng, _number_reply))
    return found


def _take(rows: list[dict[str, Any]], count: int, rng: random.Random, make: Any) -> Iterator[Plain]:
    made = 0
    for row in rows:
        reply = make(row, made, rng)
        if reply is None:
            continue
        yield reply
        made += 1
        if made == count:
            return
    raise AssertionError(f"only {made} usable questions")


def _choice_reply(row: dict[str, Any], turn: int, rng: random.Random) -> Plain | None:
    texts = [str(text).strip() for text in row["choices"]]
    labels = LABELS[: len(texts)]
    answer = str(row["answer"] or "").strip()
    right = [label for label in labels if label in answer]
    # Options that are alike, or letters themselves, have no text by which they can be named.
    if not 2 <= len(texts) <= 8 or "".join(right) != answer or not right:
        return None
    if len({comparable(text) for text in texts}) < len(texts) or any(len(comparable(t)) < 2 for t in texts):
        return None
    is_right = turn % 2 == 0
    several = len(right) > 1
    others = [label for label in labels if label not in right]
    if several:
        said = right if is_right else sorted({*right, *others[:1]} if others else right[:-1])
    elif not others:
        return None
    else:
        said = right if is_right else [rng.choice(others)]
    styles = SEVERAL_STYLES if several else CHOICE_STYLES
    style = list(styles)[turn // 2 % len(styles)]
    text = texts[labels.index(said[0])]
    if not several and "text" in styles[style] and ("\n" in text or len(text) > 120):
        return None
    reply = styles[style].format(
        label="".join(said),
        text=text.rstrip("."),
        comma=", ".join(said),
        enum="、".join(said),
        words=f"{', '.join(said[:-1])} and {said[-1]}",
    )
    kind = QuestionType.MULTIPLE_SELECT if several else QuestionType.SINGLE_CHOICE
    named = dict(zip(labels, texts, strict=True))
    return Plain(row["id"], style, reply, is_right, answer, kind, tuple(labels), named, None)


def _number_reply(row: dict[str, Any], turn: int, rng: random.Random) -> Plain | None:
    value = _as_number(row["answer"])
    extra = row.get("extra")
    unit = extra.get("unit") if isinstance(extra, dict) else None
    unit = unit.strip() if isinstance(unit, str) and unit.strip() else None
    if (
        value is None
        or value == 0
        or (unit is not None and not unit.replace("$", "").replace("\\", "").isalnum())
    ):
        return None
    is_right = turn % 2 == 0
    said = value if is_right else value * Decimal(rng.choice(("1.4", "0.5", "2", "10", "-1", "1.0501")))
    style = list(NUMBER_STYLES)[turn // 2 % len(NUMBER_STYLES)]
    reply = NUMBER_STYLES[style].format(number=f"{said.normalize():f}", unit=f" {unit}" if unit else "")
    ground = str(row["answer"]).strip()
    return Plain(row["id"], style, reply, is_right, ground, QuestionType.FREE_FORM, (), {}, unit)


def _as_number(answer: Any) -> Decimal | None:
    text = str(answer or "").strip()
    digits = text.removeprefix("-").replace(".", "", 1)
    return Decimal(text) if digits.isdigit() and len(digits) <= 8 and text[-1] != "." else None


def summary(
    replies: list[Plain],
) -> tuple[int, list[tuple[Plain, Comparison]], list[tuple[Plain, Comparison]]]:
    """How many were decided, the wrong ones and the open ones."""
    judged = [(reply, reply.judged()) for reply in replies]
    undecided = [(reply, said) for reply, said in judged if said.match is Match.ABSTAIN]
    wrong = [
        (reply, said)
        for reply, said in judged
        if said.match is not Match.ABSTAIN and (said.match is Match.CONSISTENT) is not reply.right
    ]
    return len(judged) - len(undecided), wrong, undecided


if __name__ == "__main__":
    answers = plain_answers(Path(sys.argv[1]), seed=int(sys.argv[2]) if len(sys.argv) > 2 else 5)
    decided, wrong, undecided = summary(answers)
    sys.stdout.write(f"{len(answers)} plain answers, {decided} decided, {len(wrong)} wrong\n")
    for reply, said in (*wrong, *undecided):
        sys.stdout.write(f"{said.match} {said.rule} {reply.style}: {reply.ground!r} {reply.reply[-90:]!r}\n")
    sys.stdout.write(f"{Counter(reply.style for reply in answers)}\n")

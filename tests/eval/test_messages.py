"""What a row becomes on the wire: instruction, question, original bytes, nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchwright.eval.messages import direct_prompt, request_for
from benchwright.models.chat import ImagePart, Sampling, TextPart
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]


def test_instruction_question_and_images_in_order(row: Rows, png: Callable[[int], bytes]) -> None:
    pictures = [png(7), png(3)]
    one = row("p1", images=pictures)
    known = {sha256_bytes(data): data for data in pictures}
    (message,) = request_for(one, known, Sampling()).messages
    text, *images = message.parts
    assert text == TextPart(direct_prompt("en").text + "\n\n" + one.question)
    assert [part.data for part in images if isinstance(part, ImagePart)] == pictures


def test_vision_only_says_the_instruction_and_nothing_of_the_question(
    row: Rows, png: Callable[[int], bytes]
) -> None:
    one = row("p1", version="vision-only", images=[png(1)])
    (message,) = request_for(one, {sha256_bytes(png(1)): png(1)}, Sampling()).messages
    assert [type(part) for part in message.parts] == [TextPart, ImagePart]
    assert message.parts[0] == TextPart(direct_prompt("en").text)


def test_the_instruction_follows_the_language_of_the_data(row: Rows) -> None:
    zh = request_for(row("p1", language="zh", question="求 BC。"), {}, Sampling()).messages[0].parts[0]
    assert isinstance(zh, TextPart)
    assert zh.text.startswith("请")
    with pytest.raises(UsageError, match=r"direct\.fr\.1"):
        direct_prompt("fr")


def test_neither_the_key_nor_any_other_column_is_sent(row: Rows) -> None:
    one = row(
        "p1",
        answer="ANSWER-K",
        question_type="free-form",
        choices=(),
        solution="SOLUTION-S",
        knowledge_cue="CUE-C",
        knowledge_detail=("DETAIL-D",),
        conditions=("COND-X",),
        stem="STEM-T",
        full_question="FULL-F",
        unit="UNIT-U",
    )
    said = " ".join(
        part.text for part in request_for(one, {}, Sampling()).messages[0].parts if isinstance(part, TextPart)
    )
    for secret in (
        "ANSWER-K",
        "SOLUTION-S",
        "CUE-C",
        "DETAIL-D",
        "COND-X",
        "STEM-T",
        "FULL-F",
        "UNIT-U",
        "canary",
    ):
        assert secret not in said

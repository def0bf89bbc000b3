"""What a row becomes on the wire: instruction, question, original bytes, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchwright.eval.runs.instructions import default_protocol, instructions
from benchwright.eval.runs.messages import Requests
from benchwright.eval.runs.spec import DatasetSpec, ModelSpec, RunSpec, SamplingSpec
from benchwright.models.chat import ChatRequest, ImagePart, TextPart
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]


def make_spec(**fields: Any) -> RunSpec:
    dataset = DatasetSpec(
        name="d", origin="folder", digest="0" * 64, rows=1, versions=(), languages=(), splits=()
    )
    values = {
        "protocol": "sciverse",
        "dataset": dataset,
        "model": ModelSpec(name="openai/m", endpoint="openai"),
        "sampling": SamplingSpec(),
        "prompts": (),
        "judge": None,
    }
    return RunSpec.model_validate({**values, **fields})


def request_for(
    row: ReleaseRow, images: Mapping[str, bytes], prompts: Path | None = None, **fields: Any
) -> ChatRequest:
    spec = make_spec(**fields)
    words = instructions(spec.protocol, spec.mode, [row.language], prompts)
    return Requests(spec, words, images).request_for(row)


def text_of(request: ChatRequest) -> str:
    (message,) = request.messages
    return " ".join(part.text for part in message.parts if isinstance(part, TextPart))


def test_instruction_question_and_images_in_order(row: Rows, png: Callable[[int], bytes]) -> None:
    pictures = [png(7), png(3)]
    one = row("p1", images=pictures)
    known = {sha256_bytes(data): data for data in pictures}
    (message,) = request_for(one, known).messages
    text, *images = message.parts
    direct = instructions("sciverse", "direct", ["en"]).prompts["en"].text
    assert text == TextPart(direct + "\n\n" + one.question)
    assert [part.data for part in images if isinstance(part, ImagePart)] == pictures


@pytest.mark.parametrize("mode", ["direct", "cot"])
@pytest.mark.parametrize("protocol", ["visscience", "sciverse"])
def test_vision_only_says_the_instruction_and_nothing_of_the_question(
    row: Rows, png: Callable[[int], bytes], protocol: str, mode: str
) -> None:
    one = row("p1", version="vision-only", images=[png(1)])
    request = request_for(one, {sha256_bytes(png(1)): png(1)}, protocol=protocol, mode=mode)
    assert [type(part) for part in request.messages[0].parts] == [TextPart, ImagePart]
    for words in (one.full_question, "1.7 m", "find the length"):
        assert words not in text_of(request)


def test_the_instruction_follows_the_language_of_the_data(row: Rows) -> None:
    zh = text_of(request_for(row("p1", language="zh", question="求 BC。"), {}))
    assert zh.startswith("请")
    taught = text_of(request_for(row("p1", language="zh"), {}, protocol="visscience", mode="cot"))
    assert "物理老师" in taught
    with pytest.raises(UsageError, match=r"direct\.fr\.1"):
        instructions("sciverse", "direct", ["en", "fr"])


def test_text_alone_and_pictures_alone(row: Rows, png: Callable[[int], bytes]) -> None:
    one = row("p1", images=[png(1)])
    known = {sha256_bytes(png(1)): png(1)}
    text = request_for(one, known, input="Q")
    assert one.question in text_of(text)
    assert [type(part) for part in text.messages[0].parts] == [TextPart]
    blind = request_for(one, known, input="I")
    assert "find the length" not in text_of(blind)
    assert "1.7 m" not in text_of(blind)
    assert [type(part) for part in blind.messages[0].parts] == [TextPart, ImagePart]


def test_a_users_own_instruction_is_used_as_it_stands_and_recorded_as_theirs(
    row: Rows, tmp_path: Path
) -> None:
    (tmp_path / "direct.en.txt").write_text("Dear {{discipline}} model:\n{{question}}\nBe brief.\n")
    one = row("p1")
    assert text_of(request_for(one, {}, tmp_path)) == f"Dear physics model:\n{one.question}\nBe brief."
    mine = instructions("sciverse", "direct", ["en"], tmp_path)
    assert mine.whose == "user"
    assert [ref.name for ref in mine.refs] == ["direct.en.user"]
    (tmp_path / "direct.en.txt").write_text("Dear {{discipline}} model: be brief.")
    assert instructions("sciverse", "direct", ["en"], tmp_path).refs != mine.refs


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, r"has no cot\.en\.txt: put your words"),
        (b"", "is empty"),
        (b"\xff\xfe", "no UTF-8"),
        (b"Say {{answer}}.", r"placeholder \{\{answer\}\}, which nothing fills"),
    ],
)
def test_an_unusable_instruction_is_refused(tmp_path: Path, text: bytes | None, words: str) -> None:
    if text is not None:
        (tmp_path / "cot.en.txt").write_bytes(text)
    with pytest.raises(UsageError, match=words):
        instructions("sciverse", "cot", ["en"], tmp_path)


def test_samples_are_told_apart_and_a_guessers_seed_counts(row: Rows) -> None:
    spec = make_spec(sample=2)
    words = instructions("sciverse", "direct", ["en"])
    assert Requests(spec, words, {}).request_for(row("p1")).sample_index == 2
    seeded = make_spec(sample=2, sampling=SamplingSpec(seed=7))
    assert Requests(seeded, words, {}, by_item=True).request_for(row("p1")).sample_index == 7


def test_the_protocol_follows_the_versions_where_none_is_named() -> None:
    assert default_protocol(["original"]) == "visscience"
    assert default_protocol(["original", "vision-only"]) == "sciverse"


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
    said = text_of(request_for(one, {}))
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

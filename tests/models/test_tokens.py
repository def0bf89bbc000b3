"""Token estimates against real vocabularies on real texts, and image rules against the published examples."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from benchwright.examples.registry import all_problems
from benchwright.models.chat import ChatRequest, ImagePart, Message, Sampling
from benchwright.models.image_tokens import image_size
from benchwright.models.tokens import (
    FEATURES,
    Calibration,
    TokenEstimator,
    TokenRange,
    _count_line,
    count_features,
    token_rules,
)

SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).resolve().parents[2] / "../shared"))
POOL = SHARED / "data" / "text_pool.jsonl.gz"
MODEL_OF = {"cl100k_base": "openai/gpt-4", "o200k_base": "openai/gpt-4o"}


def vocabulary(name: str) -> Callable[[str], int]:
    """A real tokenizer of OpenAI's, shipped whole inside its package."""
    package: Any = pytest.importorskip("bpe_openai", reason="bpe-openai is not installed")
    encoding = package.get_encoding(name)
    return lambda text: len(encoding.encode_ordinary(text))


def png(width: int, height: int) -> bytes:
    stream = io.BytesIO()
    Image.new("L", (width, height), 255).save(stream, format="PNG")
    return stream.getvalue()


def pool_texts() -> Iterator[tuple[str, str, str]]:
    """(language, source, text) of questions that the weights were not fitted to (the fit takes every eighth)."""
    with gzip.open(POOL, "rt", encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            number = int(hashlib.sha256(row["id"].encode()).hexdigest()[:8], 16)
            if number % 8 and number % 25 == 0:
                text = "\n".join([row["question"] or "", *map(str, row["choices"] or [])])
                yield row["language"], row["source"], text


def sum_errors(pairs: list[tuple[str, int, int]]) -> dict[str, float]:
    """Error of the estimated sum, by group."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for group, guess, real in pairs:
        sums[group][0] += guess
        sums[group][1] += real
    return {group: guess / real - 1 for group, (guess, real) in sums.items()}


# ---- text ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODEL_OF)
def test_real_questions_are_estimated_within_ten_percent_of_a_real_vocabulary(name: str) -> None:
    if not POOL.is_file():
        pytest.skip("the shared text pool is not there")
    count, estimator = vocabulary(name), TokenEstimator(MODEL_OF[name])
    texts = list(pool_texts())
    assert len(texts) > 1500
    by_language = sum_errors([(lang, estimator.text(text).likely, count(text)) for lang, _, text in texts])
    assert set(by_language) == {"en", "zh"}
    assert all(abs(error) < 0.03 for error in by_language.values()), by_language
    sources = sum_errors(
        [(f"{source} {lang}", estimator.text(text).likely, count(text)) for lang, source, text in texts]
    )
    assert len(sources) >= 8
    assert all(abs(error) < 0.10 for error in sources.values()), sources


@pytest.mark.parametrize("name", MODEL_OF)
def test_texts_of_another_hand_are_estimated_within_ten_percent(name: str) -> None:
    """The examples of this repository: short physics, chemistry, mathematics, biology with much LaTeX."""
    count, estimator = vocabulary(name), TokenEstimator(MODEL_OF[name])
    pairs = [
        (language, estimator.text(text.question).likely, count(text.question))
        for problem in all_problems()
        for language, text in problem.texts.items()
    ]
    errors = sum_errors(pairs)
    assert set(errors) == {"en", "zh"}
    assert all(abs(error) < 0.10 for error in errors.values()), errors


def test_the_rule_of_thumb_that_others_use_fails_where_ours_holds() -> None:
    """Characters over four: far off for Chinese. Keeps the tests above honest: they can fail."""
    count = vocabulary("o200k_base")
    texts = [problem.texts["zh"].question for problem in all_problems()]
    real = sum(map(count, texts))
    assert sum(len(text) for text in texts) / 4 < 0.7 * real


def test_every_character_is_counted_as_something() -> None:
    counts = dict(
        zip(
            FEATURES,
            count_features(r"Find \pi, $\frac{12345}{x}$ 和  μ、力的ABCdefghij😀." + "\n\n"),
            strict=True,
        )
    )
    assert counts == {
        "word": 4,
        "word_rest": 3,
        "capital": 2,
        "command": 1,
        "command_rest": 0,
        "number_group": 2,
        "digit": 5,
        "number_blank": 0,
        "han": 3,
        "han_run": 2,
        "han_mark": 1,
        "line": 1,
        "blanks": 1,
        "mark_run": 6,
        "mark": 9,
        "letter": 1,
        "symbol": 1,
    }


@given(st.text(max_size=200))
def test_any_text_has_an_ordered_range_and_the_same_one_again(text: str) -> None:
    for model in ("openai/gpt-4o", "openai/some-other-model"):
        found = TokenEstimator(model).text(text)
        assert 0 <= found.low <= found.likely <= found.high
        assert found == TokenEstimator(model).text(text)
        assert (found.high > 0) == (text.strip(" ") != "" or "  " in text)


@given(
    st.lists(
        st.sampled_from(["a", " b1", "12 3", "\n", "\r\n", "\u3000", "\t", "中", "\\frac", "$", "x."]),
        max_size=40,
    )
)
def test_counting_line_by_line_is_counting_the_whole(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert count_features(text) == _count_line(text)


def test_an_unknown_model_gets_the_range_of_all_known_ones() -> None:
    text = problem_text("zh")
    unknown = TokenEstimator("openai/never-heard-of")
    known = [
        TokenEstimator(model).text(text)
        for model in ("openai/gpt-4o", "openai/gpt-4", "openai/Qwen/Qwen2-VL-7B")
    ]
    assert all(unknown.text(text).low <= one.low and one.high <= unknown.text(text).high for one in known)
    widths = [one.high - one.low for one in known]
    assert unknown.text(text).high - unknown.text(text).low > 2 * max(widths)
    assert "between" in unknown.basis and "o200k" in TokenEstimator("openai/gpt-4o").basis


def problem_text(language: str) -> str:
    return "\n".join(problem.texts[language].question for problem in all_problems())


# ---- images: (rule, width, height, tokens); the first of each rule are its publisher's own examples -----------------

PUBLISHED = [
    ("openai-tiles", 1024, 1024, 765),
    ("openai-tiles", 2048, 4096, 1105),
    ("openai-tiles", 400, 300, 255),
    ("openai-tiles-mini", 1024, 1024, 25501),
    ("claude-area", 200, 200, 54),
    ("claude-area", 1000, 1000, 1334),
    ("claude-area", 4000, 4000, 1600),
    ("gemini-fixed", 3000, 20, 258),
    ("llava-fixed", 3000, 20, 576),
    ("qwen2-vl-patches", 1024, 1024, 37 * 37 + 2),
    ("qwen2-vl-patches", 20, 20, 4 + 2),
    ("qwen2-vl-patches", 8000, 8000, 128 * 128 + 2),
    ("internvl-grid", 448, 448, 256 + 2),
    ("internvl-grid", 896, 448, 3 * 256 + 2),
    ("internvl-grid", 800, 600, 13 * 256 + 2),
]


@pytest.mark.parametrize(("rule", "width", "height", "tokens"), PUBLISHED)
def test_image_rules_give_the_published_counts(rule: str, width: int, height: int, tokens: int) -> None:
    assert token_rules().images[rule].tokens_for(width, height) == tokens


def test_a_known_rule_is_a_number_and_an_unknown_one_a_range() -> None:
    part = ImagePart.of(png(1024, 1024))
    assert TokenEstimator("openai/gpt-4o").image(part) == TokenRange(low=765, likely=765, high=765)
    unknown = TokenEstimator("openai/never-heard-of").image(part)
    assert unknown.low == 258 and unknown.high == 2562
    assert unknown.low < unknown.likely < unknown.high


def test_the_size_is_read_from_the_head_alone() -> None:
    whole = png(640, 480)
    assert image_size(whole[:60]) == (640, 480)
    assert image_size(whole[:12]) is None
    unsized = TokenEstimator("openai/gpt-4o").image(ImagePart.of(whole[:12]))
    assert (unsized.low, unsized.high) == (255, 765)


# ---- requests and presets ---------------------------------------------------------------------------------------


def test_a_request_is_the_sum_of_its_parts_and_the_frame() -> None:
    estimator = TokenEstimator("openai/gpt-4o")
    picture = png(400, 300)
    request = ChatRequest("q", (Message.system("Answer briefly."), Message.user("What is shown?", picture)))
    expected = estimator.text("Answer briefly.") + estimator.text("What is shown?")
    frame = 2 * 4 + 3
    assert estimator.request(request).likely == expected.likely + 255 + frame
    only_image = ChatRequest("q", (Message.user("", picture),))
    assert estimator.request(only_image) == TokenRange(low=262, likely=262, high=262)


def test_a_schema_may_or_may_not_be_read_by_the_model() -> None:
    estimator = TokenEstimator("openai/gpt-4o")
    bare = ChatRequest("q", (Message.user("Tag it."),))
    schema: dict[str, Any] = {"type": "object", "properties": {"subject": {"type": "string"}}}
    sent = ChatRequest("q", (Message.user("Tag it."),), Sampling(json_schema=schema))
    form: dict[str, Any] = {"type": "json_object", "schema": schema}
    other = ChatRequest("q", (Message.user("Tag it."),), Sampling(extra={"response_format": form}))
    without = estimator.request(bare)
    for with_it in map(estimator.request, (sent, other)):
        assert with_it.low == without.low
        assert with_it.likely > without.likely + 5


@pytest.mark.parametrize(
    ("model", "text", "image"),
    [
        ("openai/gpt-4o", "o200k", "openai-tiles"),
        ("openai/gpt-4o-2024-08-06", "o200k", "openai-tiles"),
        ("openai/gpt-4o-mini", "o200k", "openai-tiles-mini"),
        ("openai/GPT-4V", "cl100k", "openai-tiles"),
        ("openai/gpt-4", "cl100k", "openai-tiles"),
        ("openai/Qwen/Qwen2-VL-72B-Instruct", "qwen", "qwen2-vl-patches"),
        ("openai/qwen-vl-max", "qwen", None),
        ("openai/claude-3-5-sonnet-20240620", None, "claude-area"),
        ("openai/OpenGVLab/InternVL-Chat-V1-5", None, "internvl-grid"),
        ("openai/llava-1.5-13b-hf", None, "llava-fixed"),
    ],
)
def test_presets_know_the_models_of_the_papers(model: str, text: str | None, image: str | None) -> None:
    preset = token_rules().preset(model)
    assert preset is not None and (preset.text, preset.image) == (text, image)


@pytest.mark.parametrize(
    "model", ["openai/gpt-4.1", "openai/gpt-5", "openai/m", "baseline/random", "openai/my-gpt-4o"]
)
def test_presets_claim_no_other_model(model: str) -> None:
    assert token_rules().preset(model) is None


def test_what_ships_is_whole_and_sourced() -> None:
    rules = token_rules()
    for preset in rules.presets:
        assert preset.text is None or preset.text in rules.families
        assert preset.image is None or preset.image in rules.images
        re.compile(preset.ids)
    for family in rules.families.values():
        assert set(family.weights) == set(FEATURES)
        assert 0.0 < family.margin < 0.11
    sourced = [*rules.presets, *rules.families.values(), *rules.images.values()]
    assert all(one.source and re.fullmatch(r"\d{4}-\d\d-\d\d", one.date) for one in sourced)


def test_a_calibration_moves_and_narrows_the_range() -> None:
    learnt = Calibration(factor=1.2, low=1.15, high=1.25, calls=20)
    estimate = TokenRange(low=500, likely=1000, high=2000)
    assert learnt.apply(estimate) == TokenRange(low=1150, likely=1200, high=1250)

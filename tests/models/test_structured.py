"""Typed replies: reading JSON out of what models really send, one re-ask, and never a made-up value."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from benchwright.models.chat import ChatRequest, Message, Sampling
from benchwright.models.json_escapes import Damaged, repair_escapes
from benchwright.models.json_reply import NoObject, parse_object
from benchwright.models.registry import open_model
from benchwright.models.scheduler import SchedulerSettings
from benchwright.models.store import CallStore
from benchwright.models.structured import Structured, run_structured
from benchwright.models.thinking import split_thinking
from benchwright.schemas.digest import canonical_json
from benchwright.schemas.status import CallStatus

Server = Callable[..., Any]


class Tag(BaseModel):
    """What the tests ask for."""

    model_config = ConfigDict(extra="forbid")

    subject: Literal["optics", "mechanics"]
    difficulty: int = Field(ge=1, le=5)


def ask(
    server: Any, *, store: CallStore | None = None, check: Any = None, sampling: Sampling | None = None
) -> Structured[Tag]:
    request = ChatRequest("q", (Message.user("Tag this."),), sampling or Sampling())
    settings = SchedulerSettings(attempts=1)
    model = open_model("openai/m", base_url=server.base_url)
    return run_structured(model, [request], Tag, store=store, settings=settings, check=check)[0]


GOOD = '{"subject": "optics", "difficulty": 3}'

READ_AT_ONCE = [
    pytest.param(GOOD, id="bare"),
    pytest.param(f"Here is the label:\n```json\n{GOOD}\n```\nHope it helps", id="TAG-01-fence"),
    pytest.param(
        f"```python\nprint({{1: 2}})\n```\nand\n```json\n{GOOD}\n```", id="TAG-01-other-fence-first"
    ),
    pytest.param(f"```\n{GOOD}\n```", id="fence-without-language"),
    pytest.param(
        f'<think>maybe {{"subject":"mechanics"}} or [1,2]...</think>\n{GOOD}', id="TAG-05-thinking-in-front"
    ),
    pytest.param(
        f'so {{"subject":"mechanics","difficulty":1}} </think> {GOOD}', id="thinking-opened-in-the-prompt"
    ),
    pytest.param(f"Let me think {{step by step}} about \\frac{{a}}{{b}}. {GOOD} Done.", id="braces-in-prose"),
    pytest.param(
        '{"subject": "mechanics", "difficulty": 5}\nNo, better:\n' + GOOD, id="two-objects-the-last-counts"
    ),
    pytest.param(GOOD + '\nNote: {"confidence": 0.9}', id="a-later-object-of-another-form"),
    pytest.param('{"subject": "optics",\n "difficulty": 3}\n\n\n', id="trailing-blanks"),
]


@pytest.mark.parametrize("reply", READ_AT_ONCE)
def test_read_at_the_first_attempt(openai_server: Server, reply: str) -> None:
    server = openai_server({"rules": [{"content": reply}]})
    result = ask(server)
    assert result.value == Tag(subject="optics", difficulty=3), result.detail
    assert (result.status, len(result.calls), len(server.requests)) == (CallStatus.OK, 1, 1)


@pytest.mark.parametrize(
    ("first", "complaint"),
    [
        pytest.param("I think it is optics.", "no complete JSON object", id="prose"),
        pytest.param('{"subject": "astrology", "difficulty": 3}', "subject", id="another-label"),
        pytest.param('{"subject": "光学", "difficulty": 3}', "subject", id="label-in-another-language"),
        pytest.param('{"subject": "optics", "difficulty": 9}', "difficulty", id="out-of-range"),
        pytest.param('{"subject": "optics"}', "difficulty", id="missing-field"),
        pytest.param('{"subject": "optics", "difficulty": 3, "x": 1}', "x", id="unknown-field"),
        pytest.param('{"subject": "optics", "difficulty": NaN}', "JSON", id="nan"),
        pytest.param('[{"subject": "optics"}', "difficulty", id="in-a-list"),
    ],
)
def test_one_re_ask_with_the_complaint(openai_server: Server, first: str, complaint: str) -> None:
    server = openai_server({"rules": [{"match": "could not be used", "content": GOOD}, {"content": first}]})
    result = ask(server)
    assert result.value == Tag(subject="optics", difficulty=3)
    assert [message["role"] for message in server.requests[1].body["messages"]] == [
        "user",
        "assistant",
        "user",
    ]
    assert complaint in server.requests[1].prompt


def test_unparsable_after_the_second_failure(openai_server: Server) -> None:
    server = openai_server({"rules": [{"content": "optics, level 3"}]})
    result = ask(server)
    assert (result.status, result.value, len(server.requests)) == (CallStatus.UNPARSABLE, None, 2)


def test_the_callers_check_is_part_of_validity(openai_server: Server) -> None:
    server = openai_server(
        {"rules": [{"match": "too easy", "json": {"subject": "optics", "difficulty": 4}}, {"content": GOOD}]}
    )
    result = ask(server, check=lambda request, tag: "too easy" if tag.difficulty < 4 else None)
    assert result.value == Tag(subject="optics", difficulty=4)
    stubborn = ask(openai_server({"rules": [{"content": GOOD}]}), check=lambda request, tag: "no")
    assert (stubborn.status, stubborn.value, stubborn.detail) == (CallStatus.UNPARSABLE, None, "no")


def test_tag_03_a_filtered_call_passes_its_status_on(openai_server: Server) -> None:
    for rule, status in [
        ({"content": None, "finish_reason": "content_filter"}, CallStatus.FILTERED),
        ({"content": None, "refusal": "no"}, CallStatus.REFUSED),
        ({"status": 429}, CallStatus.RATE_LIMITED),
        ({"content": None}, CallStatus.EMPTY),
    ]:
        server = openai_server({"rules": [rule]})
        result = ask(server)
        assert (result.status, result.value, len(server.requests)) == (status, None, 1)


HALF = '{"subject":"mechanics","difficulty":'


def test_tag_07_half_a_json_is_truncated_and_tried_once_with_more_room(openai_server: Server) -> None:
    cut = {"content": HALF, "finish_reason": "length"}
    server = openai_server({"rules": [cut]})
    result = ask(server, sampling=Sampling(max_tokens=100))
    assert (result.status, result.value) == (CallStatus.TRUNCATED, None)
    assert [request.body["max_tokens"] for request in server.requests] == [100, 200]
    enough = openai_server({"rules": [cut | {"times": 1}, {"content": GOOD}]})
    sent_twice = ask(enough, sampling=Sampling(max_tokens=None, extra={"max_completion_tokens": 50}))
    assert sent_twice.status is CallStatus.TRUNCATED, "the wider request is another one, the rule counts anew"
    assert [request.body["max_completion_tokens"] for request in enough.requests] == [50, 100]


def test_a_complete_object_before_the_limit_counts(openai_server: Server) -> None:
    blanks = openai_server({"rules": [{"content": GOOD + "\n" * 50 + "```", "finish_reason": "length"}]})
    assert ask(blanks).value == Tag(subject="optics", difficulty=3)
    prose = openai_server({"rules": [{"content": GOOD + " But on reflec", "finish_reason": "length"}]})
    assert ask(prose).status is CallStatus.TRUNCATED


def test_results_come_from_the_store_the_second_time(openai_server: Server, tmp_path: Path) -> None:
    server = openai_server({"rules": [{"match": "could not be used", "content": GOOD}, {"content": "prose"}]})
    with CallStore(tmp_path / "calls.sqlite") as store:
        first = ask(server, store=store)
        second = ask(server, store=store)
    assert first == second and len(server.requests) == 2


# ---- reading ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        (r'{"t": "\frac{1}{2}"}', r"\frac{1}{2}"),
        (r'{"t": "\\frac{1}{2}"}', r"\frac{1}{2}"),
        (r'{"t": "\beta \theta \times \neq \nu \rho \tan x"}', r"\beta \theta \times \neq \nu \rho \tan x"),
        (r'{"t": "\alpha\,\Omega \% \{a\}"}', r"\alpha\,\Omega \% \{a\}"),
        (r'{"t": "\underline{x} \u4e2d"}', r"\underline{x} 中"),
        (r'{"t": "line\nnext\tend \"q\" a\/b"}', 'line\nnext\tend "q" a/b'),
        (r'{"t": "two\nnew lines\rand"}', "two\nnew lines\rand"),
        ('{"t": "raw\nbreak"}', "raw\nbreak"),
    ],
)
def test_damaged_latex_is_repaired(sent: str, meant: str) -> None:
    assert parse_object(sent) == [{"t": meant}]


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(NoObject):
        parse_object('{"subject": "\\ud83d"}')
    assert parse_object('{"subject": "\\ud83d\\ude00"}') == [{"subject": "\U0001f600"}]


def test_control_characters_are_refused() -> None:
    for code in ("000cx", "0008 ", "0000", "001b[0m", "000b"):
        with pytest.raises(NoObject, match="control character"):
            parse_object(f'{{"t": "\\u{code}"}}')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no object",
        HALF,
        '{"subject": "optics", "more": {"difficulty": 3}',
        '<think>{"a": 1}',
        "{1: 2}",
        '{"a": 1,}',
        "[1, 2]",
    ],
)
def test_what_is_no_complete_object_gives_none(text: str) -> None:
    with pytest.raises(NoObject):
        parse_object(text)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=("Cc", "Cs"))).filter(
        lambda text: not re.search(r"\\\\[A-Za-z]", text)  # "\\\\Xi" is one backslash too many: mended
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet="abc", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(alphabet="abcxyz", max_size=4), json_values, max_size=4),
    st.text(alphabet="ab {}[]\n", max_size=10),
)
def test_any_json_object_is_read_back_from_within_prose(value: dict[str, Any], prose: str) -> None:
    text = f"{prose.replace('{', '(')} {canonical_json(value)} {prose.replace('}', ')')}"
    assert value in parse_object(text)


@given(st.text(alphabet='\\{}"nrtbfu0a1 ', max_size=40))
def test_repair_changes_nothing_but_backslashes_and_is_stable(text: str) -> None:
    try:
        repaired = repair_escapes(text)
    except Damaged:
        assert re.search(r"\\(?:nu|\\)", text), "only what can be read in two ways is refused"
        return
    assert repaired.replace("\\", "") == text.replace("\\", "")
    assert repair_escapes(repaired) == repaired


def test_thinking_forms() -> None:
    cases = {
        "<think>a</think>b": ("b", "a", False),
        "<thinking>a</thinking> b": ("b", "a", False),
        "<think>a</think>b<think>c</think>d": ("bd", "a\nc", False),
        "a</think>b": ("b", "a", False),
        "<think>a": ("", "a", True),
        "b": ("b", None, False),
        "": ("", None, False),
    }
    for content, (text, thinking, unclosed) in cases.items():
        split = split_thinking(content)
        assert (split.text, split.thinking, split.unclosed) == (text, thinking, unclosed), content

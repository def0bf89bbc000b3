"""Acceptance: 500 items in one run over real HTTP against every fault that servers of language models are known for.

None is lost, none is blended with another (each answer carries its item's own number), every status is counted exactly,
and what is final is sent once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict

from benchwright.models.chat import ChatRequest, Message, Sampling
from benchwright.models.registry import open_model
from benchwright.models.scheduler import SchedulerSettings
from benchwright.models.store import CallStore
from benchwright.models.structured import Structured, run_structured
from benchwright.schemas.status import CallStatus

Server = Callable[..., Any]
ATTEMPTS = 5
SETTINGS = SchedulerSettings(
    concurrency=16,
    attempts=ATTEMPTS,
    attempt_timeout_s=4.0,
    backoff_base_s=0.01,
    backoff_max_s=0.05,
)


class Label(BaseModel):
    """The reply asked for."""

    model_config = ConfigDict(extra="forbid")

    n: int
    label: Literal["optics", "mechanics"]
    note: str


GOOD = r'{"n": \1, "label": "optics", "note": "plain"}'
FOREIGN = r'{"n": \1, "label": "光学", "note": "plain"}'
POLICY = {"code": "content_policy_violation", "message": "not allowed"}

KINDS: dict[str, tuple[list[dict[str, Any]], CallStatus, int]] = {
    # kind: rules, how the item ends, HTTP requests for one item
    "plain": ([{"answer": GOOD}], CallStatus.OK, 1),
    "limited-once": (
        [{"status": 429, "retry_after": "0.02", "times": 1}, {"answer": GOOD}],
        CallStatus.OK,
        2,
    ),
    "limited-thrice": (
        [{"status": 429, "retry_after": "0.02", "times": 3}, {"answer": GOOD}],
        CallStatus.OK,
        4,
    ),
    "limited-always": ([{"status": 429, "retry_after": "0.01"}], CallStatus.RATE_LIMITED, ATTEMPTS),
    "broken-once": ([{"status": 500, "times": 1}, {"answer": GOOD}], CallStatus.OK, 2),
    "broken-always": ([{"status": 500}], CallStatus.ERROR, ATTEMPTS),
    "overloaded-once": ([{"status": 503, "times": 1}, {"answer": GOOD}], CallStatus.OK, 2),
    "hangs-once": ([{"hang_s": 60, "times": 1}, {"answer": GOOD}], CallStatus.OK, 2),
    "policy": ([{"status": 400, "error": POLICY}], CallStatus.REFUSED, 1),
    "bad-request": ([{"status": 400}], CallStatus.ERROR, 1),
    "filtered": ([{"content": None, "finish_reason": "content_filter"}], CallStatus.FILTERED, 1),
    "empty": ([{"content": None}], CallStatus.EMPTY, 2),
    "cut": ([{"answer": r'{"n": \1, "label": "opt', "finish_reason": "length"}], CallStatus.TRUNCATED, 2),
    "cut-behind": ([{"answer": GOOD + "\n\n\n", "finish_reason": "length"}], CallStatus.OK, 1),
    "fenced": ([{"answer": f"Here:\n```json\n{GOOD}\n```\nDone."}], CallStatus.OK, 1),
    "thinking": ([{"think": 'maybe {"n": 0, "label": "mechanics"}', "answer": GOOD}], CallStatus.OK, 1),
    "thinking-for-ever": ([{"think": "hm", "unclosed": True, "answer": GOOD}], CallStatus.EMPTY, 2),
    "two-objects": (
        [{"answer": r'{"n": 9\1, "label": "mechanics", "note": "draft"} or ' + GOOD}],
        CallStatus.OK,
        1,
    ),
    "foreign-once": (
        [{"match": "could not be used", "answer": GOOD}, {"answer": FOREIGN}],
        CallStatus.OK,
        2,
    ),
    "foreign-always": ([{"answer": FOREIGN}], CallStatus.UNPARSABLE, 2),
    "latex": ([{"answer": GOOD.replace("plain", r"\\frac{1}{2} \\times \\beta")}], CallStatus.OK, 1),
    "latex-beyond-repair": ([{"answer": GOOD.replace("plain", r"a \\neq b")}], CallStatus.UNPARSABLE, 2),
    "trailing": ([{"answer": GOOD + r" I chose optics because of the lens {in \1}."}], CallStatus.OK, 1),
    "reset-once": ([{"disconnect": "reset", "times": 1}, {"answer": GOOD}], CallStatus.OK, 2),
    "torn-once": (
        [{"disconnect": "half", "times": 1}, {"malformed": True, "times": 1}, {"answer": GOOD}],
        CallStatus.OK,
        3,
    ),
}
COUNT = 500
HANGS_EVERY = 5
"""Only every fifth item of its kind really hangs, since each one costs a whole time-out; the others are plain."""
NOTES = {"latex": r"\frac{1}{2} \times \beta"}
FINAL = {CallStatus.OK, CallStatus.REFUSED, CallStatus.FILTERED, CallStatus.TRUNCATED, CallStatus.UNPARSABLE}
"""What a second run finds in the store: an unparsable reply is a reply."""


def script() -> dict[str, Any]:
    rules = []
    for kind, (actions, _, _) in KINDS.items():
        for action in actions:
            more = f".*{action['match']}" if "match" in action else ""
            rules.append({**action, "match": rf"Question 0*(\d+)\. Kind {kind}\.{more}"})
    return {"rules": rules}


def kind_of(number: int) -> str:
    kinds = list(KINDS)
    kind = kinds[number % len(kinds)]
    return "plain" if kind == "hangs-once" and number // len(kinds) % HANGS_EVERY else kind


def requests() -> list[ChatRequest]:
    return [
        ChatRequest(
            f"q{number}",
            (Message.user(f"Question {number:04d}. Kind {kind_of(number)}."),),
            Sampling(max_tokens=100),
        )
        for number in range(COUNT)
    ]


EXPECTED = Counter(kind_of(number) for number in range(COUNT))


def check(asked: list[ChatRequest], results: list[Structured[Label]]) -> None:
    assert len(asked) == len(results) == COUNT
    for number, result in enumerate(results):
        kind = kind_of(number)
        assert result.status is KINDS[kind][1], (kind, result.status, result.detail)
        assert (result.value is not None) == (result.status is CallStatus.OK)
        if result.value is not None:
            note = NOTES.get(kind, "plain")
            assert result.value == Label(n=number, label="optics", note=note)


def test_500_items_none_lost_none_blended(openai_server: Server, tmp_path: Path) -> None:
    assert sum(EXPECTED.values()) == 500 and set(EXPECTED) == set(KINDS)
    ends = Counter({end: 0 for _, end, _ in KINDS.values()})
    for kind, count in EXPECTED.items():
        ends[KINDS[kind][1]] += count
    server = openai_server(script())
    asked = requests()
    with CallStore(tmp_path / "calls.sqlite") as store:
        model = open_model("openai/m", base_url=server.base_url)
        results = run_structured(model, asked, Label, store=store, settings=SETTINGS)
        check(asked, results)
        assert Counter(result.status for result in results) == ends
        sent = Counter(kind_in(request.prompt) for request in server.requests)
        assert sent == {kind: count * KINDS[kind][2] for kind, count in EXPECTED.items()}
        assert sum(store.counts().values()) == len({call.key for result in results for call in result.calls})

        # The second run asks for what is not final, and for nothing else.
        before = len(server.requests)
        again = run_structured(model, asked, Label, store=store, settings=SETTINGS)
    check(asked, again)
    resent = Counter(kind_in(request.prompt) for request in server.requests[before:])
    assert resent == {
        kind: count * KINDS[kind][2] for kind, count in EXPECTED.items() if KINDS[kind][1] not in FINAL
    }


def kind_in(prompt: str) -> str:
    match = re.search(r"Kind ([\w-]+)\.", prompt)
    assert match is not None
    return match.group(1)


@pytest.mark.parametrize("item", ["policy", "bad-request"])
def test_a_4xx_is_sent_once_whatever_the_settings(openai_server: Server, item: str) -> None:
    server = openai_server(script())
    asked = [request for number, request in enumerate(requests()) if kind_of(number) == item]
    generous = SETTINGS.model_copy(update={"attempts": 20, "adaptive": False})
    results = run_structured(
        open_model("openai/m", base_url=server.base_url), asked, Label, settings=generous
    )
    assert {result.status for result in results} == {KINDS[item][1]}
    assert Counter(request.prompt for request in server.requests) == Counter(
        f"Question {request.item_id[1:]:0>4}. Kind {item}." for request in asked
    )

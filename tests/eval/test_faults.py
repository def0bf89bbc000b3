"""Acceptance: 500 items in one `evaluate` over real HTTP with the faults that servers of language models are known for.

None is lost, none is blended with another (each answer carries its item's own code), every status is counted exactly,
a refusal is sent once, the exit code says that rows are missing, and a resume asks for those and nothing else.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchwright.schemas.records import ReleaseRow

Rows = Callable[..., ReleaseRow]
Command = Any  # the fixture `command` of conftest.py
N, ATTEMPTS = 500, 4
GOOD = {"match": r"code (\d+)", "answer": "The code is \\1.\nAnswer: B"}
POLICY = {"code": "content_policy_violation", "message": "not allowed"}
SHARE = 25
"""Items in 5 % of 500."""
MIX: dict[str, tuple[int, list[dict[str, Any]], str, int]] = {
    # kind: items, rules, how the call ends, requests for one item
    "limited-once": (2 * SHARE, [{"status": 429, "retry_after": "0.05", "times": 1}], "ok", 2),
    "limited-thrice": (SHARE, [{"status": 429, "retry_after": "0.05", "times": 3}], "ok", 4),
    "broken-once": (SHARE, [{"status": 500, "times": 1}], "ok", 2),
    "broken-always": (SHARE, [{"status": 500}], "error", ATTEMPTS),
    "hangs-once": (SHARE, [{"hang_s": 60, "times": 1}], "ok", 2),
    "policy": (SHARE, [{"status": 400, "error": POLICY}], "refused", 1),
    "filtered": (SHARE, [{"content": None, "finish_reason": "content_filter"}], "filtered", 1),
    "cut": (SHARE, [{"answer": "Let us think about", "finish_reason": "length"}], "truncated", 1),
}
HANGING = MIX["hangs-once"][0]
OTHERS = [kind for kind, (count, *_) in MIX.items() for _ in range(count) if kind != "hangs-once"]
OTHERS += ["plain"] * (N - HANGING - len(OTHERS))


def kind_of(number: int) -> str:
    """Faults are spread over the run, so that they meet each other; those that hang come first, all at once.

    Time-outs one after the other would make the client ask ever more slowly, which is right and takes minutes.
    """
    return "hangs-once" if number < HANGING else OTHERS[(number - HANGING) * 7 % len(OTHERS)]


def script() -> dict[str, Any]:
    rules = [{"match": f"kind {kind}\\b", **rule} for kind, (_, mine, _, _) in MIX.items() for rule in mine]
    return {"latency_ms": 5, "rules": [*rules, GOOD]}


def asked(requests: list[Any]) -> Counter[int]:
    """Requests by the number of their item."""
    found = (re.search(r"Item p(\d+)", request.prompt) for request in requests)
    return Counter(int(match.group(1)) for match in found if match)


def test_of_500_items_with_every_fault_none_is_lost_none_blended(
    command: Command, release: Any, row: Rows, openai_server: Any, tmp_path: Path
) -> None:
    assert Counter(map(kind_of, range(N))) == {"plain": 275, **{kind: mix[0] for kind, mix in MIX.items()}}
    rows = [
        row(
            f"p{i:03}",
            question=f"Item p{i:03} of kind {kind_of(i)} has code {7001 + 3 * i}. Name it.",
        )
        for i in range(N)
    ]
    server = openai_server(script())
    ask = (
        *(release(rows).folder, "--model", "openai/m", "--base-url", server.base_url, "--timeout", 4),
        *("--concurrency", 32, "--attempts", ATTEMPTS, "--out", tmp_path / "run"),
    )
    scores = command.json(*ask, code=1)

    assert scores["statuses"] == {"error": 25, "filtered": 25, "ok": 400, "refused": 25, "truncated": 25}
    (cell,) = [cell for cell in scores["cells"] if cell["by"] == []]
    counts = {name: cell[name] for name in ("consistent", "inconsistent", "no_answer", "unjudged", "not_run")}
    assert counts == {"consistent": 400, "inconsistent": 0, "no_answer": 75, "unjudged": 0, "not_run": 25}
    assert (cell["n_total"], cell["n_scored"], cell["incomplete"]) == (N, 475, True)
    assert cell["share_of_all"] == 0.8
    lines = [json.loads(line) for line in (tmp_path / "run/responses.jsonl").read_text().splitlines()]
    assert len(lines) == len({line["row_id"] for line in lines}) == N
    for line in lines:
        number = int(line["row_id"][1:])
        status = MIX.get(kind_of(number), (0, [], "ok", 1))[2]
        assert line["status"] == status, line
        if status == "ok":
            assert line["text"] == f"The code is {7001 + 3 * number}.\nAnswer: B"
    wanted = {number: MIX.get(kind_of(number), (0, [], "ok", 1))[3] for number in range(N)}
    assert asked(server.requests) == wanted

    # What is final stays; what the server broke is asked again, and then the figure is whole.
    server.requests.clear()
    server.use({"rules": [GOOD]})
    mended = command.json(*ask, "--resume")
    assert asked(server.requests) == {n: 1 for n in range(N) if kind_of(n) == "broken-always"}
    assert mended["statuses"] == {"filtered": 25, "ok": 425, "refused": 25, "truncated": 25}
    assert (mended["complete"], mended["reused"]) == (True, 475)
    server.requests.clear()
    command.json(*ask, "--resume")
    assert server.requests == []

"""Dry runs and forecasts: counted against a real server that counts with a real vocabulary, and nothing ever sent."""

from __future__ import annotations

import gzip
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import BaseModel

from benchwright.examples.registry import all_problems
from benchwright.models.budget import Budget, BudgetReached
from benchwright.models.chat import ChatModel, ChatRequest, ImagePart, Message, Sampling, TextPart, Usage
from benchwright.models.dry_run import (
    DRY_RUN_COLUMNS,
    DryRun,
    choose_pilot,
    dry_run_notes,
    dry_run_rows,
    plan_calls,
    run_pilot,
    sample_of,
    structured_requests,
)
from benchwright.models.forecast import Observed, calibrate, forecast
from benchwright.models.image_tokens import image_size
from benchwright.models.prices import Money, Price, PriceTable
from benchwright.models.probes import probe
from benchwright.models.registry import open_model
from benchwright.models.scheduler import SchedulerSettings, run_calls
from benchwright.models.spending import Ledger
from benchwright.models.store import CallStore
from benchwright.models.structured import run_structured
from benchwright.models.tokens import TokenRange

Server = Callable[..., Any]
SHARED = Path(os.environ.get("BENCHWRIGHT_SHARED", Path(__file__).resolve().parents[2] / "../shared"))
POOL = SHARED / "data" / "text_pool.jsonl.gz"
MODEL = "openai/gpt-4o"
PRICE = Price.model_validate({"input": "2.5", "output": "10", "source": "test", "date": "2026-01-31"})
PRICES = PriceTable(entries={MODEL: PRICE})
LIMIT = 800
SEED = 20240901
"""The recipe's own default, for the scripted replies and for the pilots: nothing here was chosen to fit."""
FAST = SchedulerSettings(concurrency=8, attempts=3, backoff_base_s=0.01, backoff_max_s=0.05)
INSTRUCTION = {
    "en": "You are given one school problem. Explain briefly, then give the final answer on a line of its own.",
    "zh": "下面是一道理科题目。请先简要说明思路，然后在最后一行单独给出答案。",
}


def example_requests(images: bool) -> list[ChatRequest]:
    """The first sixty of our own problems, in both languages and with two instructions: 240 requests."""
    return [
        ChatRequest(
            f"{problem.id}.{language}.{number}",
            (
                Message.system(f"{INSTRUCTION[language]} ({number})"),
                Message.user(text.question, *([problem.drawing.png] if images else [])),
            ),
            Sampling(max_tokens=LIMIT),
        )
        for problem in all_problems()[:60]
        for language, text in problem.texts.items()
        for number in (1, 2)
    ]


def pool_requests(images: bool) -> list[ChatRequest]:
    """300 real questions out of the shared pool, Chinese and English."""
    if not POOL.is_file():
        pytest.skip("the shared text pool is not there")
    with gzip.open(POOL, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for number, line in enumerate(stream) if number % 188 == 7]
    return [
        ChatRequest(
            row["id"],
            (
                Message.system(INSTRUCTION[row["language"]]),
                Message.user("\n".join([row["question"] or "", *map(str, row["choices"] or [])])),
            ),
            Sampling(max_tokens=LIMIT),
        )
        for row in rows
    ]


# ---- a server that accounts like the real one ---------------------------------------------------------------------


@dataclass(frozen=True)
class Accountant:
    """Counts as OpenAI does: its vocabulary, its published frame of messages, its published tiles."""

    count: Callable[[str], int]

    @classmethod
    def of(cls) -> Accountant:
        package: Any = pytest.importorskip("bpe_openai", reason="bpe-openai is not installed")
        encoding = package.get_encoding("o200k_base")
        return cls(lambda text: len(encoding.encode_ordinary(text)))

    def prompt(self, request: ChatRequest) -> int:
        total = 3
        for message in request.messages:
            total += 3 + self.count(message.role)
            for part in message.parts:
                total += self.count(part.text) if isinstance(part, TextPart) else self.image(part)
        return total

    @staticmethod
    def image(part: ImagePart) -> int:
        size = image_size(part.data)
        assert size is not None
        width, height = float(size[0]), float(size[1])
        if max(width, height) > 2048:
            width, height = width * 2048 / max(width, height), height * 2048 / max(width, height)
        if min(width, height) > 768:
            width, height = width * 768 / min(width, height), height * 768 / min(width, height)
        return 85 + 170 * math.ceil(width / 512) * math.ceil(height / 512)


def scripted(requests: list[ChatRequest]) -> dict[str, Any]:
    """A script with a reply of its own length for each request; lengths vary by half of their mean."""
    accountant, random = Accountant.of(), Random(SEED)
    rules = []
    for request in requests:
        words = min(LIMIT - 10, max(5, round(random.gammavariate(4.0, 60.0))))
        answer = " ".join(random.choice(("so", "the", "force", "is", "then", "half")) for _ in range(words))
        usage = {"prompt_tokens": accountant.prompt(request), "completion_tokens": accountant.count(answer)}
        prompt = "\n".join(
            part.text for message in request.messages for part in message.parts if isinstance(part, TextPart)
        )
        rules.append({"match": f"^{re.escape(prompt)}$", "answer": answer, "usage": usage})
    return {"rules": [*rules, {"status": 404}]}


def model_at(server: Any) -> ChatModel:
    return open_model(MODEL, base_url=server.base_url)


def plan(
    model: ChatModel, requests: list[ChatRequest], store: CallStore | None = None, **more: Any
) -> DryRun:
    return plan_calls(model, requests, stage="tagging", store=store, prices=PRICES, **more)


# ---- acceptance ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "images"),
    [
        pytest.param(example_requests, False, id="our-examples-text"),
        pytest.param(example_requests, True, id="our-examples-with-pictures"),
        pytest.param(pool_requests, False, id="real-pool"),
    ],
)
def test_acceptance_g_dry_run_then_pilot_then_run(
    openai_server: Server, tmp_path: Path, make: Callable[[bool], list[ChatRequest]], images: bool
) -> None:
    requests = make(images)
    server = openai_server(scripted(requests))
    model = model_at(server)
    with CallStore(tmp_path / "calls.sqlite") as store:
        before = plan(model, requests, store)
        assert server.requests == []
        assert before.forecast is None and before.output_limit == LIMIT * len(requests)
        assert dry_run_rows([before])[0][7] == f"0 to {LIMIT * len(requests):,}"

        pilot_ledger = Ledger("tagging", PRICES)
        pilot = run_pilot(
            model, lambda: requests, 20, seed=SEED, store=store, settings=FAST, ledger=pilot_ledger
        )
        assert len(server.requests) == 20
        after = plan(model, requests, store, pilot=pilot.keys)
        assert len(server.requests) == 20
        assert (after.calls, after.in_store) == (len(requests) - 20, 20)

        ledger = Ledger("tagging", PRICES)
        run_calls(model, requests, store=store, settings=FAST, ledger=ledger)
    assert len(server.requests) == len(requests)
    spent, piloted = ledger.spending()[0], pilot_ledger.spending()[0]
    assert spent.reused == 20
    accounted = spent.input_tokens + piloted.input_tokens
    assert abs(before.input.likely / accounted - 1) < 0.10
    assert before.input.low <= accounted <= before.input.high
    assert before.money.high is not None
    assert before.money.low.usd < (spent + piloted).money.usd < before.money.high.usd

    assert after.forecast is not None and after.forecast.money is not None
    assert (after.forecast.calls, after.forecast.chosen) == (20, True)
    assert abs(after.input.likely / spent.input_tokens - 1) < 0.02
    foretold, cost = after.forecast.money, float(spent.money.usd)
    assert abs(foretold.likely / cost - 1) < 0.10
    assert foretold.low < cost < foretold.high
    assert after.forecast.output.low < spent.output_tokens < after.forecast.output.high
    assert after.forecast.output.high < after.output_limit  # type: ignore[operator]


def test_acceptance_g_the_budget_stop_resumes(openai_server: Server, tmp_path: Path) -> None:
    requests = example_requests(images=True)
    server = openai_server(scripted(requests))
    model = model_at(server)
    with CallStore(tmp_path / "calls.sqlite") as store:
        first = Ledger("tagging", PRICES, Budget(Decimal("0.3"), PRICES))
        with pytest.raises(BudgetReached):
            run_calls(model, requests, store=store, settings=FAST, ledger=first)
        done = len(server.requests)
        assert 0 < done < len(requests)
        spent = first.spending()[0].money.usd
        assert Decimal("0.28") < spent <= Decimal("0.3")
        rest = plan(model, requests, store)
        assert (rest.calls, rest.in_store) == (len(requests) - done, done)
        assert rest.forecast is not None and not rest.forecast.chosen
        assert rest.money.high is not None
        run_calls(
            model,
            requests,
            store=store,
            settings=FAST,
            ledger=Ledger("x", PRICES, Budget(rest.money.high.usd * 2, PRICES)),
        )
        assert plan(model, requests, store).calls == 0
    sent = [(request.prompt, len(request.images)) for request in server.requests]
    assert len(sent) == len(set(sent)) == len(requests)


def test_the_interval_holds_as_often_as_it_says() -> None:
    """500 synthetic stages: replies of varying length, pilots of 20; the truth lies inside in about 95 of 100."""
    random = Random(SEED)
    inside = close = 0
    rounds, size, asked = 500, 240, 20
    for _ in range(rounds):
        calls = []
        for _ in range(size):
            estimated = random.randint(80, 900)
            usage = Usage(
                prompt_tokens=round(estimated * random.gauss(1.1, 0.05)),
                completion_tokens=round(random.gammavariate(4.0, 60.0)) + 5,
            )
            calls.append(Observed(estimated, usage))
        seen, rest = calls[:asked], calls[asked:]
        found = forecast(
            seen,
            rest=len(rest),
            rest_estimated=sum(one.estimated for one in rest),
            rest_limit=LIMIT * len(rest),
            price=PRICE,
            chosen=True,
        )
        assert found is not None and found.money is not None
        truth = float(
            sum(PRICE.of(one.usage.prompt_tokens or 0, one.usage.completion_tokens or 0) for one in rest)
        )
        inside += found.money.low <= truth <= found.money.high
        close += abs(found.money.likely / truth - 1) < 0.10
    assert 0.93 < inside / rounds < 0.97
    assert close / rounds > 0.70


# ---- nothing leaves ------------------------------------------------------------------------------------------------

GUARDED = """
import sys
NETWORK = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind")
opened = []
def guard(event, args):
    if event in NETWORK:
        opened.append(event)
        raise OSError(f"the guard stopped {event}")
sys.addaudithook(guard)
from pathlib import Path
from benchwright.models.chat import ChatRequest, Message, Sampling
from benchwright.models.dry_run import dry_run_notes, dry_run_rows, plan_calls
from benchwright.models.policy import require_allowed
from benchwright.models.registry import open_model
from benchwright.models.scheduler import SchedulerSettings, run_calls
from benchwright.models.store import CallStore
from benchwright.schemas.errors import UsageError
model = open_model("openai/gpt-4o", base_url=sys.argv[1])
requests = [ChatRequest(f"q{n}", (Message.user(f"Question {n}"),), Sampling(max_tokens=9)) for n in range(3)]
"""
EXTERNAL = (
    "http://192.0.2.1:9/v1"  # an address of the range that is kept for documentation: nobody answers there
)


def guarded(code: str, address: str, folder: Path) -> list[str]:
    """Run code in a process in which every use of the network is recorded and stopped; gives its last line's words."""
    environment = {**os.environ, "OPENAI_API_KEY": "sk-not-a-real-key"}
    done = subprocess.run(
        [sys.executable, "-c", GUARDED + code + "\nprint('opened', *opened)", address],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env=environment,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize("address", [EXTERNAL, "https://models.example.org/v1", "http://127.0.0.1:9/v1"])
def test_a_dry_run_opens_no_connection(tmp_path: Path, address: str) -> None:
    code = """
with CallStore(Path("calls.sqlite")) as store:
    plan = plan_calls(model, requests, stage="tagging", store=store, show=1)
print(*dry_run_rows([plan])[0], sep="|")
print(*dry_run_notes(plan), sep="|")
"""
    lines = guarded(code, address, tmp_path)
    assert lines[-1] == "opened"
    assert "|3|3|0|" in lines[0]
    assert ("will refuse to send" in lines[1]) == (address != "http://127.0.0.1:9/v1")


def test_without_allow_external_no_socket_is_opened(tmp_path: Path) -> None:
    code = """
def stage(allow_external):
    require_allowed(model, allow_external=allow_external, stage="[models.tagging]", what="questions", n_items=3)
    run_calls(model, requests, settings=SchedulerSettings(attempts=1))
try:
    stage(False)
except UsageError as error:
    print(error)
"""
    lines = guarded(code, EXTERNAL, tmp_path)
    assert lines[-1] == "opened"
    assert "192.0.2.1" in lines[0] and "allow_external = true" in lines[0]
    # The same guard sees the attempt once the builder agrees: the test above can fail.
    agreed = guarded(code.replace("stage(False)", "stage(True)"), EXTERNAL, tmp_path)
    assert "socket.connect" in agreed[-1] or "socket.getaddrinfo" in agreed[-1]


# ---- what is counted -----------------------------------------------------------------------------------------------


def external_model(monkeypatch: pytest.MonkeyPatch) -> ChatModel:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key")
    return open_model(MODEL, base_url=EXTERNAL)


def test_rows_and_notes_say_what_goes_where(monkeypatch: pytest.MonkeyPatch, png_bytes: bytes) -> None:
    model = external_model(monkeypatch)
    asked = [
        ChatRequest(
            f"q{number // 2}", (Message.user("Name it.", png_bytes),), Sampling(max_tokens=100), number % 2
        )
        for number in range(6)
    ]
    found = plan_calls(model, asked, stage="tagging", prices=PRICES, answers=True, show=2)
    assert (found.items, found.calls, found.images, found.image_bytes) == (3, 6, 6, 6 * len(png_bytes))
    assert found.characters == 6 * len("Name it.")
    row = dict(zip(DRY_RUN_COLUMNS, dry_run_rows([found])[0], strict=True))
    assert row["goes to"] == "192.0.2.1" and row["output tokens"] == "0 to 600"
    low, high = PRICE.of(found.input.low, 0), PRICE.of(found.input.high, 600)
    assert (found.money.low.usd, found.money.high) == (low, Money(usd=high))
    notes = dry_run_notes(found)
    assert notes[0] == (
        "openai/gpt-4o: 3 items leave this machine for 192.0.2.1: texts (48 characters), 6 images (0.0 MB), answers"
    )
    assert any("allow_external = true" in note for note in notes)
    assert any("--pilot 20" in note for note in notes)
    allowed = plan_calls(model, asked, stage="tagging", allow_external=True)
    assert not any("allow_external" in note for note in dry_run_notes(allowed))
    assert str(allowed.money) == "unknown" and any("price unknown" in note for note in dry_run_notes(allowed))
    assert len(found.samples) == 2
    said = found.samples[0].messages[0]
    assert said.startswith("user: Name it.\n[image image/png, 2 x 2, ")
    assert DryRun.model_validate_json(found.model_dump_json()) == found


def test_equal_requests_are_one_call_with_a_store_and_several_without(tmp_path: Path) -> None:
    model = open_model(MODEL, base_url="http://127.0.0.1:9/v1")
    asked = [ChatRequest(name, (Message.user("The same."),), Sampling(max_tokens=10)) for name in "abc"]
    with CallStore(tmp_path / "calls.sqlite") as store:
        shared = plan(model, asked, store)
    assert (shared.items, shared.calls, shared.repeated) == (3, 1, 2)
    alone = plan(model, asked)
    assert (alone.items, alone.calls, alone.repeated) == (3, 3, 0)


def test_without_a_token_limit_the_cost_has_no_upper_end() -> None:
    model = open_model(MODEL, base_url="http://127.0.0.1:9/v1")
    asked = [ChatRequest("q", (Message.user("Anything."),), Sampling(max_tokens=None))]
    found = plan(model, asked)
    assert found.output_limit is None and found.money.high is None
    assert str(found.money).endswith("to no limit")
    assert dry_run_rows([found])[0][7] == "0 to no limit"


def test_an_embedded_stand_in_costs_nothing_and_stays_here() -> None:
    found = plan_calls(open_model("baseline/random"), example_requests(False)[:5], stage="tagging")
    assert str(found.money) == "0 USD to 0 USD"
    assert (found.host, found.external, found.allowed) == (None, False, True)
    assert dry_run_rows([found])[0][2] == "this process"


def test_what_is_not_written_yet_is_a_range_on_top() -> None:
    """A judge will read replies that do not exist yet."""
    model = open_model(MODEL, base_url="http://127.0.0.1:9/v1")
    asked = example_requests(False)[:10]
    plain = plan(model, asked)
    judged = plan(model, asked, unwritten=TokenRange(low=0, likely=200, high=800))
    assert (judged.input.low, judged.input.high) == (plain.input.low, plain.input.high + 8000)


def test_a_pilot_is_seeded_spread_and_asks_nothing_twice(openai_server: Server, tmp_path: Path) -> None:
    server = openai_server(
        {"rules": [{"answer": "A", "usage": {"prompt_tokens": 50, "completion_tokens": 5}}]}
    )
    model = model_at(server)
    asked = [
        ChatRequest(f"q{number}", (Message.user("word " * (10 * number + 10)),), Sampling(max_tokens=9))
        for number in range(100)
    ]

    def chosen(seed: int, store: CallStore | None = None) -> list[int]:
        return [
            int(one.item_id[1:]) for one in choose_pilot(model, lambda: asked, 10, seed=seed, store=store)
        ]

    assert chosen(1) == chosen(1) != chosen(2)
    # Every tenth of the prompts, ordered by length, gives one.
    assert sorted(number // 10 for number in chosen(1)) == list(range(10))
    with CallStore(tmp_path / "calls.sqlite") as store:
        first = run_pilot(model, lambda: asked, 10, seed=1, store=store, settings=FAST)
        assert not set(chosen(1, store)) & set(chosen(1))
        run_pilot(model, lambda: asked, 200, seed=1, store=store, settings=FAST)
        assert choose_pilot(model, lambda: asked, 10, seed=1, store=store) == []
    assert len(server.requests) == 100 and len(first.keys) == 10


def test_a_server_that_counts_nothing_teaches_nothing(openai_server: Server, tmp_path: Path) -> None:
    silent = {"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]}
    model = model_at(openai_server({"rules": [{"raw": silent}]}))
    asked = example_requests(False)[:40]
    with CallStore(tmp_path / "calls.sqlite") as store:
        pilot = run_pilot(model, lambda: asked, 20, seed=1, store=store, settings=FAST)
        found = plan(model, asked, store, pilot=pilot.keys)
    assert (found.in_store, found.forecast) == (20, None)


def test_a_forecast_rests_on_the_pilot_where_there_is_one(openai_server: Server, tmp_path: Path) -> None:
    """Ten stored calls that merely came first had long replies; the pilot's were short."""
    long = {"match": "word 0", "answer": "A", "usage": {"prompt_tokens": 20, "completion_tokens": 700}}
    short = {"answer": "A", "usage": {"prompt_tokens": 20, "completion_tokens": 50}}
    model = model_at(openai_server({"rules": [long, short]}))
    asked = [
        ChatRequest(f"q{n}", (Message.user(f"word {n:02d}"),), Sampling(max_tokens=LIMIT)) for n in range(40)
    ]
    with CallStore(tmp_path / "calls.sqlite") as store:
        run_calls(model, asked[:10], store=store, settings=FAST)
        pilot = run_pilot(model, lambda: asked, 10, seed=SEED, store=store, settings=FAST)
        of_all, of_pilot = plan(model, asked, store), plan(model, asked, store, pilot=pilot.keys)
    assert of_all.forecast is not None and of_pilot.forecast is not None
    assert (of_all.forecast.calls, of_all.forecast.chosen) == (20, False)
    assert (of_pilot.forecast.calls, of_pilot.forecast.chosen) == (10, True)
    assert (of_all.forecast.output.likely, of_pilot.forecast.output.likely) == (375 * 20, 50 * 20)
    assert any("not chosen at random" in note for note in dry_run_notes(of_all))


class Level(BaseModel):
    """A typed reply."""

    level: int


@pytest.mark.parametrize("enforced", [True, False])
def test_a_structured_stage_is_planned_as_it_is_sent(
    openai_server: Server, tmp_path: Path, enforced: bool
) -> None:
    """With the schema where a probe found it enforced: else the store would seem empty after the run."""
    schema_kept = {"has_schema": True, "match": "Write prose", "json": {"reason": "air", "mark": "kelp-4071"}}
    tagged = {"match": "Tag", "json": {"level": 2}}
    server = openai_server({"rules": [schema_kept, tagged] if enforced else [tagged, {"answer": "The air."}]})
    model = model_at(server)
    asked = [ChatRequest(f"q{n}", (Message.user(f"Tag {n}."),), Sampling(max_tokens=50)) for n in range(4)]
    with CallStore(tmp_path / "calls.sqlite") as store:
        found = probe(model, store, vision=False)
        assert found.schema_mode == ("json_schema" if enforced else "none")
        run_structured(model, asked, Level, store=store, capabilities=found)
        sent = len(server.requests)
        planned = plan(model, list(structured_requests(model, asked, Level, store)), store)
    assert (planned.calls, planned.in_store, len(server.requests)) == (0, 4, sent)


def test_few_answered_calls_teach_nothing_and_cached_input_is_cheaper() -> None:
    seen = [Observed(100, Usage(prompt_tokens=110, completion_tokens=10, cached_tokens=55)) for _ in range(5)]
    assert calibrate(seen[:4]) is None
    learnt = calibrate(seen)
    assert learnt is not None and learnt.factor == pytest.approx(1.1) and learnt.low == pytest.approx(1.1)
    cheap = PRICE.model_copy(update={"cached": Decimal("1.25")})
    costs = [
        found.money.likely
        for price in (PRICE, cheap)
        if (found := forecast(seen, rest=10, rest_estimated=1000, rest_limit=None, price=price, chosen=True))
        is not None
        and found.money is not None
    ]
    # 1,100 tokens in at 2.5 and 100 out at 10; with half of the input at half the price
    assert costs == [pytest.approx(0.00375), pytest.approx(0.0030625)]


def test_a_sample_names_an_image_that_cannot_be_read() -> None:
    torn = ImagePart.of(b"\x89PNG\r\n\x1a\nxxxx")
    said = sample_of(ChatRequest("q", (Message("user", (TextPart("See."), torn)),))).messages[0]
    assert "unreadable size, 12 bytes" in said

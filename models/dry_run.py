"""What a stage would send, to whom, and what it would cost: without a connection.

The same requests that the stage would make are counted, not sent: which of them the store already answers, how many
tokens go in, the most that can come back, hosts, images, whether answers go along. After a pilot (some real calls,
chosen at random) the output is no longer a range from nothing to the token limit but a forecast with its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Annotated, TypeVar

from pydantic import BaseModel, Field

from benchwright.models.budget import output_limit
from benchwright.models.chat import Call, ChatModel, ChatRequest, ImagePart, call_key
from benchwright.models.forecast import Forecast, Observed, forecast, usd_bounds
from benchwright.models.image_tokens import image_size
from benchwright.models.prices import Money, PriceTable
from benchwright.models.probes import known_capabilities, with_schema
from benchwright.models.reply_schema import reply_schema
from benchwright.models.scheduler import SchedulerSettings, run_calls
from benchwright.models.spending import Ledger
from benchwright.models.store import CallStore
from benchwright.models.tokens import TokenEstimator, TokenRange
from benchwright.schemas.records import Record

T = TypeVar("T")
Count = Annotated[int, Field(ge=0)]
MakeRequests = Callable[[], Iterable[ChatRequest]]
"""Makes the stage's requests anew, in the same order each time; images need not all fit into memory."""


class MoneyRange(Record):
    """What the calls to be made cost: at least, likely (known after a pilot), at most."""

    low: Money
    likely: Money | None = None
    high: Money | None
    """None: without limit, because a request sets no token limit."""

    def __str__(self) -> str:
        if not self.low.known:
            return "unknown"
        if self.likely is not None and self.high is not None:
            return f"{self.likely} ({self.low} to {self.high})"
        return f"{self.low} to {'no limit' if self.high is None else self.high}"


class PromptSample(Record):
    """One request as a person would read it; images are named, not shown."""

    item_id: str
    messages: tuple[str, ...]


class DryRun(Record):
    """A stage that was counted and not run."""

    stage: str
    model: str
    host: str | None
    """None: the model answers inside this process."""
    external: bool
    """True: what is sent leaves this machine and its private network."""
    allowed: bool
    """False: the stage refuses to run until `allow_external` is set."""
    answers: bool
    """Whether the ground answers go along."""
    items: Count
    calls: Count
    """Calls that would be made."""
    in_store: Count
    """Requests that the store already answers."""
    repeated: Count
    """Requests equal to an earlier one of this run: the store makes one call of them."""
    characters: Count
    """Text in the calls to be made."""
    images: Count
    image_bytes: Count
    input: TokenRange
    output_limit: Count | None
    """Sum of the token limits; None where a request has none."""
    money: MoneyRange
    basis: str
    """What the input estimate rests on."""
    forecast: Forecast | None
    """None until enough calls of this stage are answered."""
    samples: tuple[PromptSample, ...] = ()


@dataclass
class _Counted:
    """Running totals of one pass over the requests."""

    items: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    calls: int = 0
    in_store: int = 0
    repeated: int = 0
    characters: int = 0
    images: int = 0
    image_bytes: int = 0
    input: TokenRange = field(default_factory=TokenRange)
    limit: int | None = 0
    observed: list[Observed] = field(default_factory=list)
    samples: list[PromptSample] = field(default_factory=list)

    def add_open(self, request: ChatRequest, read: TokenRange, show: int) -> None:
        """Count a call that would be made."""
        self.calls += 1
        self.input += read
        limit = output_limit(request.sampling)
        self.limit = None if limit is None or self.limit is None else self.limit + limit
        for message in request.messages:
            for part in message.parts:
                if isinstance(part, ImagePart):
                    self.images += 1
                    self.image_bytes += len(part.data)
                else:
                    self.characters += len(part.text)
        if len(self.samples) < show:
            self.samples.append(sample_of(request))


def plan_calls(
    model: ChatModel,
    requests: Iterable[ChatRequest],
    *,
    stage: str,
    store: CallStore | None = None,
    prices: PriceTable | None = None,
    allow_external: bool = False,
    answers: bool = False,
    unwritten: TokenRange | None = None,
    pilot: frozenset[str] = frozenset(),
    show: int = 0,
) -> DryRun:
    """Count what a stage would send. Opens no connection and makes no call.

    Args:
        model: who would be asked.
        requests: exactly the requests that the stage would make (with the schema, if one is sent); read once, lazily.
        stage: what for.
        store: calls already answered; they are not made again, and their usage corrects the estimate.
        prices: what tokens cost.
        allow_external: the stage's setting, for the record.
        answers: whether ground answers stand in the requests.
        unwritten: input tokens of each call that are not known yet, such as the reply that a judge will read.
        pilot: keys of calls that were chosen at random; the forecast then rests on these alone.
        show: how many requests to keep as samples.
    """
    prices = prices or PriceTable()
    estimator = TokenEstimator(model.name)
    counted = _Counted()
    for request in requests:
        counted.items.add(request.item_id)
        key = call_key(model, request)
        if key in counted.keys:
            # Without a store every request is a call of its own.
            counted.repeated += store is not None
            if store is not None:
                continue
        counted.keys.add(key)
        stored = None if store is None else store.get(key)
        read = estimator.request(request)
        if stored is not None:
            counted.in_store += 1
            if not pilot or key in pilot:
                counted.observed.append(Observed(read.likely, stored.usage))
        else:
            counted.add_open(request, read + (unwritten or TokenRange()), show)
    return _plan(model, counted, prices, stage, estimator.basis, (allow_external, answers, bool(pilot)))


def _plan(
    model: ChatModel,
    counted: _Counted,
    prices: PriceTable,
    stage: str,
    basis: str,
    flags: tuple[bool, bool, bool],
) -> DryRun:
    allow_external, answers, chosen = flags
    price = prices.price_of(model.name)
    foretold = forecast(
        counted.observed,
        rest=counted.calls,
        rest_estimated=counted.input.likely,
        rest_limit=counted.limit,
        price=price,
        chosen=chosen,
    )
    if price is None:
        unknown = Money(unknown=counted.calls)
        money = MoneyRange(low=unknown, high=unknown)
    elif foretold is not None and foretold.money is not None:
        told = foretold.money
        money = MoneyRange(low=_usd(told.low), likely=_usd(told.likely), high=_usd(told.high))
    else:
        least, most = usd_bounds(price, counted.input, counted.limit)
        money = MoneyRange(low=Money(usd=least), high=None if most is None else Money(usd=most))
    return DryRun(
        stage=stage,
        model=model.name,
        host=model.endpoint.host,
        external=model.external,
        allowed=allow_external or not model.external,
        answers=answers,
        items=len(counted.items),
        calls=counted.calls,
        in_store=counted.in_store,
        repeated=counted.repeated,
        characters=counted.characters,
        images=counted.images,
        image_bytes=counted.image_bytes,
        input=counted.input if foretold is None else foretold.input,
        output_limit=counted.limit,
        money=money,
        basis=basis,
        forecast=foretold,
        samples=tuple(counted.samples),
    )


def structured_requests(
    model: ChatModel, requests: Iterable[ChatRequest], reply: type[BaseModel], store: CallStore
) -> Iterator[ChatRequest]:
    """Requests as `models.structured` sends them first: with the schema where an earlier probe found it enforced.

    A re-ask after an unusable reply is not foreseen; it would be one call more for that item.
    """
    found = known_capabilities(model, store)
    schema = reply_schema(reply)
    return (with_schema(request, schema, found) for request in requests)


@dataclass(frozen=True)
class Pilot:
    """Real calls made to learn what the rest will cost."""

    keys: frozenset[str]
    """For `plan_calls(pilot=...)`."""
    calls: tuple[Call, ...]


def choose_pilot(
    model: ChatModel, make_requests: MakeRequests, count: int, *, seed: int, store: CallStore | None = None
) -> list[ChatRequest]:
    """Choose calls at random among those not answered yet, spread evenly over short and long prompts.

    A systematic sample (random start, equal steps) of the calls ordered by estimated input, since long questions tend
    to have long answers. Same requests, same seed, same choice.
    """
    estimator = TokenEstimator(model.name)
    places: dict[str, tuple[int, int]] = {}
    for place, request in enumerate(make_requests()):
        key = call_key(model, request)
        if key not in places and (store is None or store.get(key) is None):
            places[key] = (estimator.request(request).likely, place)
    ordered = sorted(places, key=places.__getitem__)
    chosen = {places[key][1] for key in systematic_sample(ordered, count, seed)}
    return [request for place, request in enumerate(make_requests()) if place in chosen]


def systematic_sample(ordered: Sequence[T], count: int, seed: int) -> list[T]:
    """`count` of the ordered ones at equal steps from a random start; all of them where there are no more."""
    if not ordered or count < 1:
        return []
    step = len(ordered) / min(count, len(ordered))
    start = Random(seed).random() * step
    ranks = [int(start + step * number) for number in range(min(count, len(ordered)))]
    return [ordered[min(rank, len(ordered) - 1)] for rank in ranks]


def run_pilot(
    model: ChatModel,
    make_requests: MakeRequests,
    count: int,
    *,
    seed: int,
    store: CallStore,
    settings: SchedulerSettings | None = None,
    ledger: Ledger | None = None,
) -> Pilot:
    """Make `count` real calls; they go into the store, so the run itself will not pay for them again.

    The caller has made sure that the model may be asked (`models.policy.require_allowed`).

    Raises:
        BudgetReached, EndpointDenied: see `Scheduler.call`.
    """
    chosen = choose_pilot(model, make_requests, count, seed=seed, store=store)
    calls = run_calls(model, chosen, store=store, settings=settings, ledger=ledger)
    return Pilot(frozenset(call.key for call in calls), tuple(calls))


def sample_of(request: ChatRequest) -> PromptSample:
    """A request for people: its texts whole, its images by type, size and digest."""
    return PromptSample(
        item_id=request.item_id,
        messages=tuple(
            f"{message.role}: "
            + "\n".join(
                _image_words(part) if isinstance(part, ImagePart) else part.text for part in message.parts
            )
            for message in request.messages
        ),
    )


DRY_RUN_COLUMNS = (
    "stage",
    "model",
    "goes to",
    "items",
    "calls",
    "from store",
    "input tokens",
    "output tokens",
    "cost",
)


def dry_run_rows(plans: Sequence[DryRun]) -> list[tuple[object, ...]]:
    """Rows under `DRY_RUN_COLUMNS`, one a plan."""
    return [
        (
            plan.stage,
            plan.model,
            plan.host or "this process",
            plan.items,
            plan.calls,
            plan.in_store,
            range_text(plan.input),
            _output_text(plan),
            str(plan.money),
        )
        for plan in plans
    ]


def dry_run_notes(plan: DryRun) -> list[str]:
    """Sentences for what the table cannot say: what leaves, what the figures rest on, what is missing."""
    where = plan.host or "this process"
    what = [f"texts ({plan.characters:,} characters)"] if plan.characters else []
    if plan.images:
        what.append(f"{plan.images:,} images ({plan.image_bytes / 1e6:,.1f} MB)")
    what.append("answers" if plan.answers else "no answers")
    place = "leave this machine for" if plan.external else "stay local, at"
    notes = [f"{plan.model}: {plan.items:,} items {place} {where}: {', '.join(what)}"]
    if not plan.allowed:
        notes.append(f"{plan.stage} will refuse to send them until allow_external = true is set for it")
    notes.append(f"estimate: {plan.basis}{_forecast_words(plan.forecast)}")
    if plan.repeated:
        notes.append(f"{plan.repeated:,} requests repeat an earlier one and share its call")
    if not plan.money.low.known:
        notes.append(f'price unknown; add [prices."{plan.model}"] to benchwright.toml or give --prices FILE')
    if plan.forecast is None and plan.calls:
        notes.append("output is a range until some calls are answered: --pilot 20 makes 20 real ones")
    return notes


def range_text(tokens: TokenRange) -> str:
    """A token count for people: "12,300 (11,800 to 12,900)"."""
    if tokens.low == tokens.high:
        return f"{tokens.likely:,}"
    return f"{tokens.likely:,} ({tokens.low:,} to {tokens.high:,})"


def _output_text(plan: DryRun) -> str:
    if plan.forecast is not None:
        return range_text(plan.forecast.output)
    return "0 to no limit" if plan.output_limit is None else f"0 to {plan.output_limit:,}"


def _forecast_words(foretold: Forecast | None) -> str:
    if foretold is None:
        return ""
    how = "a pilot chosen at random" if foretold.chosen else "stored calls, not chosen at random"
    return f"; corrected by {foretold.calls} calls ({how}), factor {foretold.calibration.factor:.2f}"


def _image_words(part: ImagePart) -> str:
    size = image_size(part.data)
    pixels = "unreadable size" if size is None else f"{size[0]} x {size[1]}"
    return f"[image {part.media_type}, {pixels}, {len(part.data):,} bytes, {part.sha256[:12]}]"


def _usd(amount: float) -> Money:
    return Money(usd=Decimal(f"{amount:.9f}"))

"""What tokens cost, as far as it is known: price tables, and sums of money that remember what they lack.

A price that nobody gave is unknown, and an unknown plus a number stays unknown, with the known part shown. Free is a
fact only for the embedded stand-ins; a model on one's own machine costs what its owner says.
"""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, TypeAdapter, ValidationError

from benchwright.models.chat import Usage
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import Record

PRICES_FILE = "prices.toml"
_MILLION = Decimal(1_000_000)
_CENT_OF_CENT = Decimal("0.0001")
_FREE = ("baseline/", "replay/")
"""Ids of the stand-ins that answer inside this process without a model."""

Usd = Annotated[Decimal, PlainSerializer(float, return_type=float, when_used="json")]
"""Exact, so that a sum does not depend on the order in which calls end; a plain number in JSON."""


class Price(Record):
    """`[prices."MODEL"]`: USD per million tokens of one model, with where and when that was read."""

    input: Annotated[Decimal, Field(ge=0)]
    output: Annotated[Decimal, Field(ge=0)]
    """Thinking tokens cost as output."""
    cached: Annotated[Decimal, Field(ge=0)] | None = None
    """For input that the server had in its cache; None: the same as `input`."""
    source: Annotated[str, Field(min_length=1)]
    date: datetime.date

    def of(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Decimal:
        """USD for so many tokens; `cached_tokens` are part of `input_tokens`."""
        cached = self.input if self.cached is None else self.cached
        fresh = input_tokens - cached_tokens
        return (self.input * fresh + cached * cached_tokens + self.output * output_tokens) / _MILLION


class Money(Record):
    """A sum in USD. Where parts of it are unknown, `usd` is the known part and the sum as a whole is unknown."""

    usd: Usd = Decimal(0)
    unknown: Annotated[int, Field(ge=0)] = 0
    """How many parts of the sum have no known price."""

    @property
    def known(self) -> bool:
        """True when `usd` is the whole sum."""
        return self.unknown == 0

    def __add__(self, other: Money) -> Money:
        return Money(usd=self.usd + other.usd, unknown=self.unknown + other.unknown)

    def __str__(self) -> str:
        if self.known:
            return usd_text(self.usd)
        return f"unknown (known part {usd_text(self.usd)})" if self.usd else "unknown"


UNKNOWN = Money(unknown=1)
"""One part whose price nobody gave."""


class PriceTable(Record):
    """Prices by model id. Look up with `price_of`; a missing entry is None, never 0."""

    entries: dict[str, Price] = {}

    def price_of(self, model: str) -> Price | None:
        """The price of a model by its id: its entry, zero for an embedded stand-in, else None for unknown."""
        if model in self.entries:
            return self.entries[model]
        return FREE if model.startswith(_FREE) else None

    def merged(self, other: Mapping[str, Price]) -> PriceTable:
        """This table with further entries, which win over those of the same id."""
        return PriceTable(entries={**self.entries, **other})


FREE = Price(
    input=Decimal(0),
    output=Decimal(0),
    source="answered by Benchwright itself",
    date=datetime.date(2026, 1, 1),
)


def cost(price: Price | None, usage: Usage) -> Money:
    """What one reply costs; unknown without a price, or where the server reported no count."""
    if price is None:
        return UNKNOWN
    if price.input == 0 and price.output == 0:
        return Money()
    read, written = usage.prompt_tokens, usage.completion_tokens
    # A missing count leaves the other's cost as the known part.
    known = price.of(read or 0, written or 0, min(usage.cached_tokens or 0, read or 0))
    return Money(usd=known, unknown=int(read is None or written is None))


def load_prices(own: Mapping[str, Mapping[str, Any]] | None = None, file: Path | None = None) -> PriceTable:
    """The table in force: what the package ships (empty), then the recipe's `[prices]`, then `--prices FILE`.

    Raises:
        UsageError: the file is missing, no TOML, or an entry is wrong; names file, entry and field.
    """
    shipped = resources.files("benchwright.models").joinpath(PRICES_FILE).read_text(encoding="utf-8")
    table = PriceTable(entries=_parse(shipped, PRICES_FILE)).merged(_validated(own or {}, "[prices]"))
    if file is None:
        return table
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{file} cannot be read as a table of prices ({error}); give --prices a TOML file."
        ) from error
    return table.merged(_parse(text, str(file)))


def usd_text(amount: Decimal) -> str:
    """An amount for people: cents from a dollar on, four digits after the point below, never a false 0."""
    if amount >= 1:
        return f"{amount:,.2f} USD"
    if amount == 0:
        return "0 USD"
    return f"{amount:.4f} USD" if amount >= _CENT_OF_CENT else f"< {_CENT_OF_CENT} USD"


_TABLE = TypeAdapter(dict[str, Price])


def _parse(text: str, name: str) -> dict[str, Price]:
    try:
        return _validated(tomllib.loads(text, parse_float=Decimal), name)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name} is not valid TOML: {error}.") from error


def _validated(table: Mapping[str, Any], name: str) -> dict[str, Price]:
    try:
        return _TABLE.validate_python(dict(table))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in fault["loc"])
        what = "there is no such key" if fault["type"] == "extra_forbidden" else fault["msg"]
        raise UsageError(f"{name}: {where}: {what}; docs/costs.md has an example.") from error

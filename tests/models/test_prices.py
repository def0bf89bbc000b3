"""Price tables and sums of money: what is unknown stays unknown."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.models.chat import Usage
from benchwright.models.prices import FREE, Money, Price, PriceTable, cost, load_prices, usd_text
from benchwright.schemas.errors import UsageError

ENTRY = '["openai/m"]\ninput = 2.50\noutput = 10\nsource = "example.org/prices"\ndate = 2026-01-31\n'


def price(**changes: object) -> Price:
    fields: dict[str, object] = {"input": "2.5", "output": "10", "source": "test", "date": "2026-01-31"}
    return Price.model_validate({**fields, **changes})


def test_what_ships_knows_no_price() -> None:
    table = load_prices()
    assert table.entries == {}
    assert table.price_of("openai/gpt-4o") is None


def test_the_commented_example_becomes_an_entry_when_its_marks_are_taken_away(tmp_path: Path) -> None:
    shipped = resources.files("benchwright.models").joinpath("prices.toml").read_text(encoding="utf-8")
    example = shipped[shipped.index('# ["openai/NAME"]') :].replace("# [", "[").replace("\n# ", "\n")
    (tmp_path / "prices.toml").write_text(example, encoding="utf-8")
    found = load_prices(file=tmp_path / "prices.toml").entries
    assert found["openai/NAME"].cached == Decimal("1.25")


def test_a_file_wins_over_the_recipe_and_both_keep_their_numbers_exact(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(ENTRY, encoding="utf-8")
    entry = {"output": 10, "source": "test", "date": "2026-01-31"}
    own = {"openai/m": {"input": 9, **entry}, "openai/n": {"input": 0.1, **entry}}
    table = load_prices(own, tmp_path / "p.toml")
    assert table.entries["openai/m"].input == Decimal("2.50")
    assert table.entries["openai/n"].input == Decimal("0.1")


def test_a_wrong_entry_of_the_recipe_is_named() -> None:
    with pytest.raises(UsageError, match=r"\[prices\]: openai/m\.output"):
        load_prices({"openai/m": {"input": 9, "source": "test", "date": "2026-01-31"}})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "not valid TOML"),
        ('["openai/m"]\ninput = 1\noutput = 1\ndate = 2026-01-01\n', "openai/m.source"),
        (ENTRY.replace("2.50", "-1"), "openai/m.input"),
        (ENTRY.replace("2.50", "nan"), "openai/m.input"),
        (ENTRY + "image = 3\n", "openai/m.image: there is no such key"),
        (ENTRY.replace("date = 2026-01-31", 'date = "soon"'), "openai/m.date"),
    ],
)
def test_a_wrong_table_names_file_entry_and_field(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said) as error:
        load_prices(file=path)
    assert str(path) in str(error.value)


def test_a_missing_file_is_a_users_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.toml"):
        load_prices(file=tmp_path / "nowhere.toml")


def test_only_embedded_stand_ins_are_free_by_themselves() -> None:
    table = PriceTable()
    assert table.price_of("baseline/random") == FREE
    assert table.price_of("replay/answers.jsonl") == FREE
    assert table.price_of("local//models/checkpoint") is None
    assert table.price_of("openai/llama-on-my-own-server") is None
    given_zero = table.merged({"openai/llama-on-my-own-server": price(input="0", output="0")})
    own = given_zero.price_of("openai/llama-on-my-own-server")
    assert cost(own, Usage(prompt_tokens=5, completion_tokens=5)) == Money()


def test_cost_of_a_reply() -> None:
    usage = Usage(
        prompt_tokens=1_000_000, completion_tokens=500_000, reasoning_tokens=400_000, cached_tokens=200_000
    )
    assert cost(price(), usage).usd == Decimal("7.5")
    # 0.8 M at 2.5, 0.2 M at 1.25, 0.5 M at 10; thinking is part of the output and not charged a second time
    assert cost(price(cached="1.25"), usage).usd == Decimal("7.25")


def test_a_missing_price_or_count_is_unknown_and_never_nothing() -> None:
    assert cost(None, Usage(prompt_tokens=10, completion_tokens=10)) == Money(unknown=1)
    half_told = cost(price(), Usage(prompt_tokens=1_000_000))
    assert (half_told.usd, half_told.known) == (Decimal("2.5"), False)
    assert not cost(price(), Usage()).known


def test_unknown_plus_a_number_is_unknown_with_the_known_part_shown() -> None:
    total = Money(usd=Decimal("1.234")) + Money(unknown=2)
    assert not total.known
    assert str(total) == "unknown (known part 1.23 USD)"
    assert str(Money(unknown=1)) == "unknown"
    assert str(Money(usd=Decimal("1.234"))) == "1.23 USD"
    assert json.loads(total.model_dump_json()) == {"usd": 1.234, "unknown": 2}


@given(st.lists(st.integers(0, 10**6), max_size=30), st.randoms(use_true_random=False))
def test_a_sum_does_not_depend_on_the_order_in_which_calls_end(
    counts: list[int], order: random.Random
) -> None:
    def total(numbers: list[int]) -> Money:
        money = Money()
        for number in numbers:
            money += cost(price(input="0.15"), Usage(prompt_tokens=number, completion_tokens=number // 3))
        return money

    shuffled = list(counts)
    order.shuffle(shuffled)
    assert total(counts) == total(shuffled)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("0", "0 USD"),
        ("0.00001", "< 0.0001 USD"),
        ("0.0123", "0.0123 USD"),
        ("1", "1.00 USD"),
        ("1234.567", "1,234.57 USD"),
    ],
)
def test_amounts_for_people_never_round_to_a_false_nothing(amount: str, text: str) -> None:
    assert usd_text(Decimal(amount)) == text

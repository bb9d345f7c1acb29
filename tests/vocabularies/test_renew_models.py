"""The renewal of `models.toml`: what both lists say becomes the figures of a model."""

import tomllib
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from webapp.vocabularies.language_models import FIGURES, FILE, read
from webapp.vocabularies.renew_models import Lists, changes, renewed, written

TABLE = {"title": "M", "family": "F", "vocabulary": "gpt2", "listed": "m", "context": 5, "ends": date(2026, 1, 1)}
ENTRY = {
    "litellm_provider": "openai", "mode": "chat", "max_input_tokens": 272_000, "max_output_tokens": 128_000,
    "input_cost_per_token": 2.5e-06, "output_cost_per_token": 1.5e-05, "cache_read_input_token_cost": 2.5e-07,
    "input_cost_per_token_above_272k_tokens": 5e-06, "input_cost_per_token_batches": 1.25e-06,
}  # fmt: skip
FOUND = {
    "context": 400_000, "max_input": 272_000, "max_output": 128_000, "price_in": Decimal("2.5"),
    "price_out": Decimal(15), "price_up_to": 272_000, "cached_in": Decimal("0.25"), "above_in": Decimal(5),
    "batch_in": Decimal("1.25"), "source": "https://pypi.org/project/litellm/9.9/", "via": "litellm 9.9",
    "as_of": date(2026, 11, 20),
}  # fmt: skip


@dataclass
class Prices:
    input_mtok: Any = Decimal("2.5")
    output_mtok: Any = Decimal(15)
    cache_read_mtok: Any = None


@dataclass
class Dated:
    prices: Prices
    constraint: Any = None


@dataclass
class Constraint:
    start_date: date


@dataclass
class Tier:
    start: int
    price: Decimal


@dataclass
class Tiered:
    base: Decimal
    tiers: list[Tier]


@dataclass
class Second:
    """A provider of genai-prices with one model."""

    prices: Any = field(default_factory=Prices)
    context_window: int | None = 400_000

    def find_model(self, name: str) -> "Second":
        """The model, which has every name."""
        return self


TODAY = date.today()
CASES: list[tuple[dict[str, Any], Second | None, dict[str, Any], str]] = [
    ({}, Second(), {}, ""),
    ({}, None, {"context": 272_000}, ""),
    ({}, Second(context_window=500_000), {"context": 272_000}, ""),  # more than input and output together
    ({"litellm_provider": "deepinfra"}, Second(), {name: None for name in FOUND if name[:3] in ("max", "pri")}, ""),
    ({"deprecation_date": "2027-04-01"}, Second(), {"ends": date(2027, 4, 1)}, ""),
    ({"source": "https://a.example"}, Second(), {"source": "https://a.example"}, ""),
    ({}, Second(Prices(Decimal(3))), {"price_in": None, "price_out": None}, "price_in: 2.5 in litellm, 3 in genai"),
    ({}, Second(Prices(output_mtok=Decimal(16))), {"price_out": None}, "price_out: 15 in litellm, 16 in genai-prices"),
    ({}, Second(Prices(Tiered(Decimal("2.5"), [Tier(199_999, Decimal(5))]))), {"price_up_to": 199_999}, ""),
    ({}, Second(Prices(Tiered(Decimal("2.5"), [Tier(272_000, Decimal(6))]))), {"above_in": None}, "above_in: 5 in"),
    ({}, Second([Dated(Prices()), Dated(Prices(), Constraint(TODAY))]), {}, ""),
    ({}, Second([Dated(Prices()), Dated(Prices(), Constraint(TODAY + timedelta(9)))]), {"price_in": None}, "no price"),
    (
        {},
        Second([Dated(Prices()), Dated(Prices(), object())]),
        {"price_in": None},
        "no price: it changes with the hour",
    ),
]


@pytest.mark.parametrize(("entry", "second", "differs", "said"), CASES)
def test_the_figures_of_a_model_are_those_that_both_lists_state(
    entry: dict[str, Any], second: Second | None, differs: dict[str, Any], said: str
) -> None:
    providers = {"openai": second} if second else {}
    table, left_out = renewed("m", TABLE, Lists({"m": ENTRY | entry}, providers, "9.9", date(2026, 11, 20)))
    figures = {name: value for name, value in table.items() if name in FIGURES}
    for name, value in differs.items():
        assert figures.get(name) == value, name
    without_price = differs.keys() & {"price_in"}
    if not without_price:
        assert figures == {name: value for name, value in {**FOUND, **differs}.items() if value is not None}
    assert not without_price or not figures.keys() & {"price_in", "price_up_to", "above_in", "batch_in"}
    assert {name: table[name] for name in ("title", "family", "vocabulary", "listed")} == {
        name: TABLE[name] for name in ("title", "family", "vocabulary", "listed")
    }
    assert said in " ".join(left_out)
    assert bool(left_out) == bool(said)


def test_a_model_that_is_not_listed_keeps_its_figures() -> None:
    lists = Lists({}, {}, "9.9", date(2026, 11, 20))
    assert renewed("m", {"title": "M"}, lists) == ({"title": "M"}, [])
    table, left_out = renewed("m", TABLE, lists)
    assert (table, left_out) == (TABLE, ["m: litellm 9.9 has no 'm'; its figures stay as they are"])


def test_the_file_is_what_the_renewal_writes_and_changes_are_named() -> None:
    text = FILE.read_text(encoding="utf-8")
    tables = tomllib.loads(text, parse_float=Decimal)
    assert written(text[: text.index("\n\n") + 1], tables) == text
    assert len(read(text).models) == len(tables)
    after = {**tables, "gpt-5": {**tables["gpt-5"], "price_in": Decimal(9)}}
    assert list(changes(tables, after)) == ["gpt-5: price_in: 1.25 → 9"]

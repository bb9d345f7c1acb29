"""Renews the figures of `models.toml`: windows, limits, prices and dates, from the newest litellm and genai-prices.

    python -m webapp.vocabularies.renew_models            # shows what would change
    python -m webapp.vocabularies.renew_models --write    # and writes it

pip installs both packages (MIT) from PyPI into a temporary folder. litellm states the figures, under the name in
`listed`; models without one keep theirs. Prices are those of the publisher's own API. A price that genai-prices states
differently, or that changes with the hour or on a coming day, is left out, and the command says so.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

from webapp.vocabularies.language_models import FIGURES, FILE, LanguageModel, read

PUBLISHERS = {
    **{name: name for name in ("openai", "anthropic", "mistral", "deepseek", "zai", "minimax", "cohere", "meta")},
    "text-completion-openai": "openai",
    "gemini": "google",
    "xai": "x-ai",
    "moonshot": "moonshotai",
    "cohere_chat": "cohere",
    "meta_llama": "meta",
    **dict.fromkeys(("qwencloud", "ai21", "amazon_nova", "xiaomi_mimo", "tencent", "voyage"), ""),
}
"""The providers of litellm that publish models themselves, with their names in genai-prices; empty if it has none."""
PRICES = {
    "price_in": "input_cost_per_token",
    "price_out": "output_cost_per_token",
    "cached_in": "cache_read_input_token_cost",
}
SECOND = {"price_in": "input_mtok", "price_out": "output_mtok", "cached_in": "cache_read_mtok"}
ABOVE = {"price_in": "above_in", "price_out": "above_out", "cached_in": "above_cached"}
Table = dict[str, Any]


@dataclass(frozen=True)
class Lists:
    """Both lists: litellm's models by name, genai-prices' providers by id; and litellm's version and its date."""

    models: Mapping[str, Mapping[str, Any]]
    providers: Mapping[str, Any]
    version: str
    as_of: date

    @classmethod
    def of(cls, folder: Path, as_of: date | None) -> "Lists":
        """Read the packages installed in a folder; PyPI says when this litellm was released, unless `as_of` does."""
        models = json.loads((folder / "litellm/model_prices_and_context_window_backup.json").read_bytes())
        version = next(folder.glob("litellm-*.dist-info")).name.split("-")[1].removesuffix(".dist")
        sys.path.append(str(folder))  # at the end: pydantic is the one that runs
        providers = {each.id: each for each in import_module("genai_prices.data").providers}
        if as_of is None:
            with urlopen("https://pypi.org/pypi/litellm/json", timeout=60) as answer:
                as_of = date.fromisoformat(json.load(answer)["releases"][version][0]["upload_time"][:10])
        return cls(models, providers, version, as_of)


def renewed(name: str, table: Table, lists: Lists) -> tuple[Table, list[str]]:
    """A model's table with the figures of both lists, and what was left out and why."""
    key = table.get("listed")
    if not key:
        return table, []
    if key not in lists.models:
        return table, [f"{name}: litellm {lists.version} has no {key!r}; its figures stay as they are"]
    entry = lists.models[key]
    publisher = PUBLISHERS.get(entry["litellm_provider"])
    provider = lists.providers.get(publisher or "")
    second = provider.find_model(key.rpartition("/")[2]) if provider else None
    found: Table = {"context": entry.get("max_input_tokens")}
    left_out: list[str] = []
    if publisher is not None:  # a host's limits are its own
        most, output = entry.get("max_input_tokens"), entry.get("max_output_tokens")
        window = second.context_window if second else None
        if entry.get("mode") == "embedding":
            output = None
        elif window and most and output and most < window <= most + output:
            found["context"] = window
        found |= {"max_input": most, "max_output": output}
        ends = entry.get("deprecation_date")
        found |= {"ends": date.fromisoformat(ends) if ends else None}
        prices, left_out = _prices(entry, second)
        found |= prices
    source = entry.get("source") or f"https://pypi.org/project/litellm/{lists.version}/"
    found |= {"source": source, "via": f"litellm {lists.version}", "as_of": lists.as_of}
    kept = {each: value for each, value in table.items() if each not in FIGURES}
    return {**kept, **{each: value for each, value in found.items() if value}}, [f"{name}: {why}" for why in left_out]


def _prices(entry: Mapping[str, Any], second: Any) -> tuple[Table, list[str]]:
    others = _single(second.prices) if second else None
    if second and others is None:
        return {}, ["no price: it changes with the hour, or on a day to come"]
    tiers = (re.fullmatch(r"input_cost_per_token_above_(\d+)k_tokens", key) for key in entry)
    tier = next((each[1] for each in tiers if each), "")
    found: Table = {"price_up_to": int(tier) * 1000 if tier else None}
    left_out = []
    for name, key in PRICES.items():
        base, above = _per_million(entry.get(key)), _per_million(entry.get(f"{key}_above_{tier}k_tokens"))
        other = getattr(others, SECOND[name], None)
        wanted, higher = getattr(other, "base", other), getattr(other, "tiers", ())
        if base is not None and wanted is not None and base != wanted:
            left_out.append(f"{name}: {base:f} in litellm, {wanted:f} in genai-prices")
            continue
        if higher:
            found["price_up_to"] = min(found["price_up_to"] or higher[0].start, higher[0].start)
            if above is not None and above != higher[0].price:
                left_out.append(f"{ABOVE[name]}: {above:f} in litellm, {higher[0].price:f} in genai-prices")
                above = None
        found |= {name: base, ABOVE[name]: above}
    for name, key in (("batch_in", PRICES["price_in"]), ("batch_out", PRICES["price_out"])):
        found[name] = _per_million(entry.get(f"{key}_batches"))
    return (found if found.get("price_in") else {}), left_out


def _single(prices: Any) -> Any:
    """The prices that hold at any hour of today and of the days to come; None if there are none."""
    if not isinstance(prices, list):
        return prices
    days = [getattr(each.constraint, "start_date", None) if each.constraint else date.min for each in prices]
    return prices[-1].prices if all(day is not None and day <= date.today() for day in days) else None


def _per_million(price: float | None) -> Decimal | None:
    return (Decimal(repr(price)) * 1_000_000).normalize() if price else None


def written(head: str, tables: Mapping[str, Table]) -> str:
    """The file: the comment at its head, and the tables with a heading where the publisher changes."""
    parts, family = [head], ""
    for name, table in tables.items():
        if table["family"] != family:
            family = table["family"]
            parts.append(f"# --- {family} ---\n")
        key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)
        order = [each.name for each in fields(LanguageModel) if each.name in table]
        parts.append("\n".join([f"[{key}]", *(f"{each} = {_value(table[each])}" for each in order), ""]))
    return "\n".join(parts)


def _value(value: Any) -> str:
    if isinstance(value, Decimal):
        return f"{value:f}" if "." in f"{value:f}" else f"{value:f}.0"
    return str(value) if isinstance(value, date) else json.dumps(value, ensure_ascii=False)


def changes(before: Mapping[str, Table], after: Mapping[str, Table]) -> Iterator[str]:
    """A line for each figure that differs; not for versions and dates of the list."""
    for name, table in after.items():
        for figure in FIGURES:
            old, new = before[name].get(figure), table.get(figure)
            if old != new and figure not in ("via", "as_of"):
                yield f"{name}: {figure}: {old if old is not None else '–'} → {new if new is not None else '–'}"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m webapp.vocabularies.renew_models", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write models.toml")
    parser.add_argument("--folder", type=Path, help="where litellm and genai-prices are installed")
    parser.add_argument("--as-of", type=date.fromisoformat, help="the date of that litellm (as PyPI says)")
    options = parser.parse_args()
    text = FILE.read_text(encoding="utf-8")
    before = tomllib.loads(text, parse_float=Decimal)
    with TemporaryDirectory() as folder:
        if options.folder is None:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder]
            subprocess.run([*pip, "genai-prices"], check=True)
            subprocess.run([*pip, "--no-deps", "litellm"], check=True)
        lists = Lists.of(options.folder or Path(folder), options.as_of)
    results = {name: renewed(name, table, lists) for name, table in before.items()}
    after = {name: table for name, (table, _left_out) in results.items()}
    for line in (*changes(before, after), *(line for _table, left_out in results.values() for line in left_out)):
        sys.stdout.write(f"{line}\n")
    new = written(text[: text.index("\n\n") + 1], after)
    read(new)
    if options.write:
        FILE.write_text(new, encoding="utf-8")
    sys.stdout.write(f"litellm {lists.version} of {lists.as_of}: {'' if options.write else 'not '}written\n")


if __name__ == "__main__":
    main()

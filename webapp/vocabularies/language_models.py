"""Language models: the vocabulary, the context window and the price of each, from `models.toml`.

The list holds what a source states, with the address and the date of that source; nothing in it is estimated. Every
start validates the whole file. The setting `MODELS_FILE` names a file that replaces it. `renew_models.py` renews the
figures.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from difflib import get_close_matches
from math import ceil, floor
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from flask import Flask, current_app, has_app_context
from pydantic import Field, StringConstraints
from pydantic.dataclasses import dataclass

from webapp.core.text.unicode_tables import script_of
from webapp.vocabularies.wellknown import STRICT, WELL_KNOWN, Repository, Several, SomeText, read_tables, require

FILE = Path(__file__).with_name("models.toml")
OLD = timedelta(days=60)
"""The age beyond which pages say that a figure may be out of date, and a test that the list is to be renewed."""


_Id = Annotated[str, StringConstraints(pattern=r"^[^\s\x00-\x1f]{1,100}$")]
_Price = Annotated[Decimal, Field(strict=False, ge=0, le=1_000_000)]
_Tokens = Annotated[int, Field(gt=0, le=1_000_000_000)]
FIGURES = (
    *("context", "max_input", "max_output", "price_in", "price_out", "price_up_to", "cached_in"),
    *("above_in", "above_out", "above_cached", "batch_in", "batch_out", "source", "via", "as_of", "ends"),
)
"""What a renewal sets, and what a model has not that is known by the beginning of its name alone."""


_Factor = Annotated[Decimal, Field(strict=False, gt=0, le=10)]
_Address = Annotated[str, StringConstraints(pattern=r"^(https?://[^\s\"<>]{1,500})?$")]


@dataclass(frozen=True, config=STRICT)
class TokenRange:
    """How many times the tokens of `vocabulary` a text has: the least and the most of what was `measured`, by script.

    `as_of` is the date of the measurement. Tokens that an API adds around a message are not among them.
    """

    vocabulary: str
    scripts: Mapping[str, Annotated[tuple[_Factor, _Factor], Field(strict=False)]]
    measured: SomeText
    measured_zh: SomeText
    source: _Address
    as_of: date

    def factors(self, text: str) -> tuple[Decimal, Decimal] | None:
        """Return the factors of a text; None if it has letters of a script that was not measured.

        Scripts with less than a fiftieth of the letters do not count. A text without letters has the factors of code.
        """
        found: Counter[str] = Counter()
        for letter, count in Counter(filter(str.isalpha, text)).items():
            found[script_of(letter) or "Common"] += count
        del found["Common"], found["Inherited"]
        scripts = [name for name, count in found.items() if 50 * count >= found.total()] or ["Latin"]
        if not self.scripts.keys() >= set(scripts):
            return None
        return min(self.scripts[name][0] for name in scripts), max(self.scripts[name][1] for name in scripts)

    def of(self, tokens: int, text: str) -> tuple[int, int] | None:
        """Return the least and the most tokens of a text with so many tokens of the vocabulary, None as `factors`."""
        factors = self.factors(text)
        return factors and (floor(tokens * factors[0]), ceil(tokens * factors[1]))


RANGES: Mapping[str, TokenRange] = MappingProxyType(
    read_tables(FILE.with_name("token_ranges.toml").read_text(encoding="utf-8"), lambda _, table: TokenRange(**table))
)


@dataclass(frozen=True, config=STRICT)
class LanguageModel:
    """One model. Figures that no source states are None.

    `id` is the name that the publisher's API or repository uses; `also` are other names for the same model with the
    same figures, `prefixes` the beginnings of names whose tokenizer is the same. `vocabulary` is a name in
    `well_known.toml`. If the publisher gives no tokenizer for this model, `public` is False; it may then have the
    `vocabulary` that the publisher's own software counts with, as `note` says, or a `range` of `token_ranges.toml`. A
    model whose vocabulary the catalogue lacks has the `repository` of the Hugging Face hub with its tokenizer.

    `context` is the context window in tokens, `max_input` and `max_output` what a request and its answer may have at
    most. Prices are in US dollars per million tokens, for prompts of up to `price_up_to` tokens; those of longer ones
    begin with `above_`. `cached_in` is for input from a prompt cache, those with `batch_` are for batches. `listed` is
    the model's name in the list that the figures are from, `source` the address of the page that states them, `via`
    that list, `as_of` its date. `ends` is the day on which the publisher stops serving it. `template` is a built-in
    chat template.
    """

    id: _Id
    title: SomeText
    family: SomeText
    vocabulary: str | None = None
    public: bool = True
    range: str = ""
    repository: Repository = ""
    template: str = ""
    listed: str = ""
    context: _Tokens | None = None
    max_input: _Tokens | None = None
    max_output: _Tokens | None = None
    price_in: _Price | None = None
    price_out: _Price | None = None
    price_up_to: _Tokens | None = None
    cached_in: _Price | None = None
    above_in: _Price | None = None
    above_out: _Price | None = None
    above_cached: _Price | None = None
    batch_in: _Price | None = None
    batch_out: _Price | None = None
    source: _Address = ""
    via: str = ""
    as_of: date | None = None
    ends: date | None = None
    also: Several[_Id] = ()
    prefixes: Several[_Id] = ()
    note: str = ""
    note_zh: str = ""

    @property
    def token_range(self) -> TokenRange | None:
        """The range of tokens of a model whose tokenizer is not public, if a calibration is published."""
        return None if self.vocabulary else RANGES.get(self.range)

    @property
    def counts_with(self) -> str | None:
        """The vocabulary whose tokens tell those of this model, exactly or as a range."""
        return self.token_range.vocabulary if self.token_range else self.vocabulary

    @property
    def most_input(self) -> int | None:
        """The most tokens that a prompt may have: the maximum input if it is known, else the context window."""
        return min((each for each in (self.context, self.max_input) if each), default=None)

    def price(self, tokens: int, *, output: bool = False) -> Decimal | None:
        """Return the price per million tokens for a prompt of some tokens, or of as many of output; None if unknown."""
        if output and self.max_output and tokens > self.max_output:
            return None
        if self.price_up_to is not None and tokens > self.price_up_to:
            return self.above_out if output else self.above_in
        return self.price_out if output else self.price_in

    def cost(self, tokens: int, *, output: bool = False) -> Decimal | None:
        """Return the US dollars for a prompt of some tokens, or for as many of output; None if the price is unknown.

        >>> model = LanguageModel("m", "M", "F", price_in=Decimal(2), price_up_to=1_000, above_in=Decimal(4))
        >>> [str(model.cost(tokens)) for tokens in (1_000, 1_001)]
        ['0.002', '0.004004']
        """
        price = self.price(tokens, output=output)
        return None if price is None else tokens * price / 1_000_000

    def exact_cost(self, tokens: int, *, output: bool = False) -> str | None:
        """Return `cost` with all its digits, for programs.

        >>> LanguageModel("m", "M", "F", price_in=Decimal("2.5")).exact_cost(20)
        '0.00005'
        """
        cost = self.cost(tokens, output=output)
        return None if cost is None else f"{cost.normalize():f}"

    @property
    def names(self) -> tuple[str, ...]:
        """Its id and its other names."""
        return (self.id, *self.also)


class ModelList:
    """The models of a file, in its order."""

    def __init__(self, models: Mapping[str, LanguageModel]) -> None:
        """Index the models; raises ValueError if two have a name in common."""
        self.models = models
        self._named: dict[str, LanguageModel] = {}
        prefixes: dict[str, LanguageModel] = {}
        for model in models.values():
            for name in (model.id, *model.also):
                _once(self._named, name, model)
            for prefix in model.prefixes:
                _once(prefixes, prefix, model)
        self._prefixes = sorted(prefixes.items(), key=lambda pair: -len(pair[0]))
        self._searched = {model.id: _letters(" ".join(_names(model))) for model in models.values()}

    def model_of(self, id: str) -> LanguageModel | None:
        """Return the model of this name, in any case; None if there is none.

        A name that only begins like a known one, such as that of a later version, has the tokenizer of that one but
        none of its figures.
        """
        name = id.casefold().strip()
        model = self._named.get(name)
        if model is not None:
            return model
        for prefix, model in self._prefixes:
            if name.startswith(prefix.casefold()):
                unknown = {name: LanguageModel.__dataclass_fields__[name].default for name in (*FIGURES, "range")}
                return replace(model, id=id.strip(), title=id.strip(), also=(), prefixes=(), **unknown)
        return None

    def find(self, query: str) -> list[LanguageModel]:
        """Return the models whose names contain all words of the query, the one of that name first."""
        words = [_letters(word) for word in query.split()]
        found = [model for model in self.models.values() if all(word in self._searched[model.id] for word in words)]
        named = self.model_of(query) if query.strip() else None
        if named is None:
            return found
        return [named, *(model for model in found if model.id != named.id)]

    def using(self, vocabulary: str) -> list[LanguageModel]:
        """Return the models with this vocabulary."""
        return [model for model in self.models.values() if vocabulary and model.vocabulary == vocabulary]

    def near(self, id: str) -> list[str]:
        """Return at most 3 names that resemble one that is not in the list."""
        return get_close_matches(id.casefold()[:100], self._named, 3, 0.6)


def read(text: str) -> ModelList:
    """Return the models of a file, one table each.

    >>> models = read('''
    ... [gpt-4o]
    ... title = "GPT-4o"
    ... family = "OpenAI"
    ... vocabulary = "o200k_base"
    ... price_in = 2.5
    ... source = "https://openai.com/api/pricing"
    ... as_of = 2026-05-03
    ... prefixes = ["gpt-4o-"]
    ... ''')
    >>> models.model_of("GPT-4o").price_in, models.model_of("gpt-4o-2099-01-01").vocabulary
    (Decimal('2.5'), 'o200k_base')

    Raises ValueError if the text is not TOML, or an entry is incomplete, inconsistent or has unknown keys.
    """
    return ModelList(MappingProxyType(read_tables(text, _entry)))


def _entry(id: str, table: dict[str, Any]) -> LanguageModel:
    model = LanguageModel(id=id, **table)
    figures = any(
        getattr(model, name) is not None for name in FIGURES if name not in ("source", "via", "as_of", "ends")
    )
    priced, long = model.price_in is not None, model.above_in is not None
    require(
        model.vocabulary is None or model.vocabulary in WELL_KNOWN, f"has an unknown vocabulary {model.vocabulary!r}"
    )
    require(
        bool(model.vocabulary or model.repository) or not model.public,
        "should have a vocabulary or a repository, or public = false",
    )
    require(model.public or not model.vocabulary or bool(model.note), "should have a note that says who counts with it")
    require(not model.range or (model.range in RANGES and not model.public), f"has an unknown range {model.range!r}")
    require(priced or model.price_out is None, "has a price_out but no price_in")
    require(priced or model.price_up_to is None, "has a price_up_to but no price_in")
    require(not long or model.price_up_to is not None, "has an above_in but no price_up_to")
    require(not figures or bool(model.source and model.as_of), "has figures without a source and a date (as_of)")
    return model


def _once(index: dict[str, LanguageModel], name: str, model: LanguageModel) -> None:
    if index.setdefault(name.casefold(), model) is not model:
        raise ValueError(f"[{model.id}] has the name {name!r}, which [{index[name.casefold()].id}] has too")


def _names(model: LanguageModel) -> Iterable[str]:
    return (model.id, model.title, model.family, model.vocabulary or "", *model.also)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum() or character == " ")


SHIPPED = read(FILE.read_text(encoding="utf-8"))
"""The list that the site ships."""


def init_app(app: Flask) -> None:
    """Read the operator's list, if `MODELS_FILE` names one; raises ValueError, with a sentence, if it is not valid."""
    name = app.config["MODELS_FILE"]
    if not name:
        return
    try:
        app.extensions["models"] = read(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # UnicodeDecodeError and TOMLDecodeError are ValueErrors
        reason = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"TOKENSCOPE_MODELS_FILE: {name}: {reason}") from None


def model_list() -> ModelList:
    """Return the list of the current site; outside of one, the list that it ships."""
    listed: ModelList = current_app.extensions.get("models", SHIPPED) if has_app_context() else SHIPPED
    return listed


def model_of(id: str) -> LanguageModel | None:
    """Return the model of this name, or None; see `ModelList.model_of`."""
    return model_list().model_of(id)


def find_models(query: str) -> list[LanguageModel]:
    """Return the models whose names contain all words of the query; all of them for an empty one.

    >>> find_models("embedding 3 small")[0].id
    'text-embedding-3-small'
    """
    return model_list().find(query)


def models_using(vocabulary: str) -> list[LanguageModel]:
    """Return the models with a vocabulary of `well_known.toml`.

    >>> [model.id for model in models_using("phi-4")]
    ['phi-4']
    """
    return model_list().using(vocabulary)


def by_family(models: Iterable[LanguageModel]) -> dict[str, list[LanguageModel]]:
    """Models in the order given, by their families."""
    families: dict[str, list[LanguageModel]] = {}
    for model in models:
        families.setdefault(model.family, []).append(model)
    return families


def is_old(model: LanguageModel, today: date) -> bool:
    """Whether the figures of a model are more than 60 days old."""
    return model.as_of is not None and today - model.as_of > OLD

"""`/models`: language models with their vocabularies, context windows and prices, each with its source."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from types import ModuleType
from typing import Annotated, Any, ClassVar, Literal

from flask_babel import gettext as _
from pydantic import AfterValidator, Field

from webapp.tokenization import meter
from webapp.tokenization.forms import InputProblem
from webapp.tools.inputs import Answer, Input
from webapp.tools.kernel import Tool
from webapp.vocabularies.language_models import LanguageModel, find_models, model_list
from webapp.vocabularies.wellknown import WELL_KNOWN, WellKnown

LONGEST_QUERY = 100


def _query(text: str) -> str:
    if len(text) > LONGEST_QUERY:
        raise InputProblem(_("A search has at most %(most)s characters. Shorten it.", most=LONGEST_QUERY))
    return " ".join(text.split())


class ModelsInput(Input):
    """Words that the names of a model contain, none for all models; their order, and whether only counted ones."""

    q: Annotated[str, AfterValidator(_query)] = ""
    sort: Literal["publisher", "price", "window", "name"] = "publisher"
    counted: bool = False
    longest: ClassVar[int] = LONGEST_QUERY


class LanguageModelEntry(Answer):
    """A language model. Figures that no source states are null."""

    id: Annotated[str, Field(examples=["gpt-4o"])]
    title: str
    publisher: str
    vocabulary: Annotated[
        str | None, Field(description="The vocabulary that counts its tokens; null if the catalogue has none.")
    ]
    public: Annotated[
        bool,
        Field(
            description="Whether its tokenizer is public. If not, `note` says whose software counts with `vocabulary`."
        ),
    ]
    repository: Annotated[
        str | None,
        Field(description="The repository of the Hugging Face hub that has the tokenizer, if `vocabulary` is null."),
    ]
    context: Annotated[int | None, Field(description="The context window, in tokens.")]
    max_input: Annotated[
        int | None, Field(description="The most tokens of a prompt, which can be fewer than the window.")
    ]
    max_output: Annotated[int | None, Field(description="The most tokens of an answer.")]
    price_in: Annotated[str | None, Field(description="US dollars per million tokens of input.", examples=["2.5"])]
    price_out: Annotated[str | None, Field(description="US dollars per million tokens of output.")]
    price_up_to: Annotated[int | None, Field(description="The longest prompt that the prices hold for, in tokens.")]
    above_in: Annotated[str | None, Field(description="The price of input for longer prompts.")]
    above_out: Annotated[str | None, Field(description="The price of output after longer prompts.")]
    cached_in: Annotated[str | None, Field(description="The price of input from the prompt cache.")]
    above_cached: Annotated[str | None, Field(description="The same for longer prompts.")]
    batch_in: Annotated[str | None, Field(description="The price of input in batches.")]
    batch_out: Annotated[str | None, Field(description="The price of output in batches.")]
    source: Annotated[str | None, Field(description="The page that states the figures.")]
    via: Annotated[str | None, Field(description="The list in which the figures were read.")]
    as_of: Annotated[str | None, Field(description="The date of the figures.", examples=["2026-11-12"])]
    ends: Annotated[str | None, Field(description="The day on which the publisher stops serving it.")]
    also: Annotated[Sequence[str], Field(description="Other names of the model.")]
    note: str | None


class ModelsAnswer(Answer):
    """Language models."""

    models: Sequence[LanguageModelEntry]


def entry_of(model: LanguageModel) -> LanguageModelEntry:
    """A model for programs. Prices are texts, so that they stay exact."""
    values = {each.name: getattr(model, each.name, model.family) for each in fields(LanguageModelEntry)}
    return LanguageModelEntry(**{name: _plain(value) for name, value in values.items()})


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return format(value, "f")
    return value.isoformat() if isinstance(value, date) else None if value == "" else value


@dataclass(frozen=True)
class FoundModels:
    """The models that a search finds, with what the table says about each."""

    models: Sequence[LanguageModel]
    vocabularies: ClassVar[Mapping[str, WellKnown]] = WELL_KNOWN
    about: ClassVar[ModuleType] = meter

    @property
    def total(self) -> int:
        """The number of models in the list."""
        return len(model_list().models)


_ORDERS: Mapping[str, Callable[[LanguageModel], Any]] = {
    "price": lambda model: (model.price_in is None, model.price_in),
    "window": lambda model: -(model.context or 0),
    "name": lambda model: model.title.casefold(),
}


def find(given: ModelsInput) -> FoundModels:
    """Find language models by words of their names, in the order of the list or sorted."""
    found = [model for model in find_models(given.q) if model.vocabulary or not given.counted]
    return FoundModels(sorted(found, key=_ORDERS[given.sort]) if given.sort in _ORDERS else found)


TOOL = Tool(
    name="models",
    address="/models",
    input=ModelsInput,
    run=find,
    answer=lambda found: ModelsAnswer(list(map(entry_of, found.models))),
)

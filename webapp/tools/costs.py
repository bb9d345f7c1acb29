"""`/costs`: one text for several language models: its tokens, their share of the maximum input, and their price."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from flask_babel import gettext as _
from pydantic import AfterValidator, Field

from webapp.tokenization import meter
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import EXPLAINED_ERRORS, joined, problem_of
from webapp.tokenization.meter import Meter
from webapp.tokenization.result import ids_of
from webapp.tokenization.state import State
from webapp.tools.inputs import Answer, Input, Text
from webapp.tools.kernel import ApiEntry, Tool
from webapp.vocabularies import library
from webapp.vocabularies.language_models import LanguageModel, by_family, find_models, model_list, model_of

MOST = 12
DEFAULT = ("gpt-5.5", "gpt-5-mini", "gpt-4o", "gpt-oss-120b", "gpt-4-turbo", "claude-opus-5")
EXAMPLE = "One text has as many counts as there are tokenizers. 一段文字在不同的模型里，token 数各不相同。"


def _known(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > MOST:
        raise InputProblem(_("These are %(count)s models; choose at most %(most)s.", count=len(names), most=MOST))
    for name in names:
        if model_of(name[:200]) is None:
            raise InputProblem(meter.model_problem(name), 404)
    return names


class CostsInput(Input):
    """A text, and the models to count its tokens for."""

    text: Text = EXAMPLE
    model: Annotated[
        tuple[str, ...],
        Field(min_length=1),
        AfterValidator(_known),
        Field(
            description="The names of language models, from `GET /models`; at most 12.",
            examples=[["gpt-4o", "gpt-4"]],
            strict=False,
        ),
    ] = DEFAULT
    most: ClassVar[int] = MOST

    @property
    def offered(self) -> dict[str, list[LanguageModel]]:
        """The models of the list by publisher, and those that were chosen by another name."""
        chosen = [found for name in self.model if (found := model_of(name)) and found.id not in model_list().models]
        return by_family([*find_models(""), *chosen])

    @property
    def chosen(self) -> set[str]:
        """The ids of the chosen models."""
        return {found.id for name in self.model if (found := model_of(name))}


class CostRange(Answer):
    """The least and the most tokens of a text, by a published calibration, and their prices as input and as output."""

    low: int
    high: int
    price_in_low: str | None
    price_in_high: str | None
    price_out_low: str | None
    price_out_high: str | None
    measured: Annotated[str, Field(description="Tokens for one of `vocabulary`, by kind of text.")]
    vocabulary: str
    source: str
    as_of: str


class ModelCost(Answer):
    """What a text is for a model. Prices are US dollars with all their digits; figures that are unknown are null."""

    model: str
    title: str
    vocabulary: str | None
    tokens: Annotated[int | None, Field(description="Null if they cannot be counted; `problem` says why.")]
    max_input: Annotated[int | None, Field(description="The most tokens of a prompt.")]
    share: Annotated[float | None, Field(description="The share of it that the text fills; above 1, it does not fit.")]
    range: Annotated[CostRange | None, Field(description="In place of `tokens`, if the tokenizer is not public.")]
    price_in: Annotated[str | None, Field(description="The price of the text as input.", examples=["0.00104"])]
    price_out: Annotated[str | None, Field(description="Of as many tokens of output, if the model writes as many.")]
    source: Annotated[str | None, Field(description="The page that states the figures.")]
    as_of: Annotated[str | None, Field(description="The date of the figures.")]
    note: Annotated[str, Field(description="Whose software counts like this, if the publisher gives no tokenizer.")]
    problem: Annotated[str, Field(description="Why the tokens cannot be counted, and what to do; empty if they can.")]


class CostsAnswer(Answer):
    """A text for several models."""

    models: Sequence[ModelCost]


@dataclass(frozen=True)
class Costs:
    """A text for several models, as the page shows it."""

    rows: Sequence[tuple[ModelCost, Sequence[Meter]]]
    status: int

    @property
    def counts(self) -> list[int]:
        """All counts of the text, both ends of a range."""
        return [each.tokens for row, meters in self.rows if row.range or row.tokens is not None for each in meters]


def costs(given: CostsInput) -> Costs:
    """Count the tokens of a text for several language models, with their share of the input and their price.

    A model whose tokenizer is not public or not here has a `problem` in place of its tokens; where a calibration of it
    is published, a range. Status 202: a vocabulary is still being downloaded.
    """
    models = {found.id: found for name in given.model if (found := model_of(name))}
    wanted = list(dict.fromkeys(model.counts_with for model in models.values() if model.counts_with))
    late = library().gather(wanted)
    tokens: dict[str, int] = {}
    problems = dict.fromkeys(late, _("Its vocabulary is being downloaded. Reload the page in a moment."))
    for name in wanted:
        if name in late:
            continue
        try:
            tokens[name] = len(ids_of(library().tokenizer(name), given.text))
        except EXPLAINED_ERRORS as error:
            problem = problem_of(State(vocabulary=name), error)
            if problem.status != 503:  # the text's
                raise problem from error
            problems[name] = problem.message
    return Costs([_row(model, given.text, tokens, problems) for model in models.values()], 202 if late else 200)


def _row(
    model: LanguageModel, text: str, tokens: dict[str, int], problems: dict[str, str]
) -> tuple[ModelCost, Sequence[Meter]]:
    count = tokens.get(model.vocabulary or "")
    found, problem = model.token_range, "" if model.vocabulary else meter.uncounted(model)
    measured: CostRange | None = None
    meters = [Meter(count or 0, model)]
    limits = found.of(tokens[found.vocabulary], text) if found and found.vocabulary in tokens else None
    if found and found.vocabulary in tokens and limits is None:
        problem = joined([problem, _("Too few texts in a script of this text were measured.")])
    if found and limits:
        low, high = limits
        meters = [Meter(low, model), Meter(high, model)]
        measured = CostRange(
            low=low,
            high=high,
            price_in_low=model.exact_cost(low),
            price_in_high=model.exact_cost(high),
            price_out_low=model.exact_cost(low, output=True),
            price_out_high=model.exact_cost(high, output=True),
            measured=found.measured,
            vocabulary=found.vocabulary,
            source=found.source,
            as_of=found.as_of.isoformat(),
        )
    row = ModelCost(
        model=model.id,
        title=model.title,
        vocabulary=model.vocabulary,
        tokens=count,
        max_input=model.most_input,
        share=None if count is None else meters[0].used,
        range=measured,
        price_in=None if count is None else model.exact_cost(count),
        price_out=None if count is None else model.exact_cost(count, output=True),
        source=model.source or None,
        as_of=model.as_of.isoformat() if model.as_of else None,
        note=meter.note_of(model) if model.vocabulary else "",
        problem=problems.get(model.vocabulary, "") if model.vocabulary else problem,
    )
    return row, meters


def _table(found: Costs) -> Iterator[tuple[object, ...]]:
    columns = ("model", "vocabulary", "tokens", "max_input", "share", "price_in", "price_out", "as_of", "problem")
    prices = ("price_in_low", "price_in_high", "price_out_low", "price_out_high")
    yield *columns, "tokens_low", "tokens_high", *prices
    for row, _meters in found.rows:
        ends = (getattr(row.range, name, None) for name in ("low", "high", *prices))
        yield *(getattr(row, column) for column in columns), *ends


TOOL = Tool(
    name="costs",
    address="/costs",
    input=CostsInput,
    run=costs,
    answer=lambda found: CostsAnswer([row for row, _meters in found.rows]),
    table=_table,
    api=ApiEntry(
        "/costs",
        "CostsBody",
        CostsAnswer,
        {"text": "How many tokens?", "model": ["gpt-4o", "gpt-4", "claude-opus-5"]},
    ),
)

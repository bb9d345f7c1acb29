"""`/measures`: the definitions of measures of tokenizers, and their values for a text and up to six tokenizers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self, get_type_hints
from urllib.parse import urlencode

from flask import Request, current_app, request
from flask_babel import gettext as _
from flask_babel import ngettext
from pydantic import ConfigDict, Field, create_model

from webapp.core.analysis.measures import MeasureId, TextMeasures
from webapp.core.evaluation.gold import GoldError, GoldText, read_gold
from webapp.core.evaluation.score import BOM
from webapp.tokenization import forms
from webapp.tokenization.comparison import state
from webapp.tokenization.comparison.views import ComparisonView, TokenizerOption, grouped_options
from webapp.tokenization.forms import InputProblem, as_typed, within
from webapp.tokenization.links import vocabulary_choices
from webapp.tokenization.measures.definitions import DEFINITIONS, Definition
from webapp.tokenization.measures.measured import Measured, MeasureGroups, groups_of, measure, passages
from webapp.tokenization.messages import noted, still_fetching_problem, translated
from webapp.tokenization.state import State
from webapp.tools.inputs import Answer, Input, Text, at_most
from webapp.tools.kernel import ApiEntry, Tool
from webapp.tools.picker import LONGEST_NAME, AlgorithmId
from webapp.vocabularies import find
from webapp.web.localization import number

EXAMPLE_LANGUAGES = ("en", "zh_Hans")


class MeasuresInput(Input):
    """The tokenizers with the text, and the gold segmentation as typed; empty without one."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    comparison: state.Comparison
    gold: str = ""
    gold_text: GoldText | None = None
    for_file: bool = False
    definitions: ClassVar[Mapping[MeasureId, Definition]] = DEFINITIONS
    most: ClassVar[int] = state.MOST

    @classmethod
    def read(cls, request: Request) -> tuple[Self, list[InputProblem]]:
        """The tokenizers, the text and the gold segmentation of an address or a form, and what is wrong with them."""
        common, problems = forms.read(request)
        values = request.form if request.method == "POST" else request.args
        if request.method == "GET" and "text" not in values:
            common = replace(common, text=example())
        problems = [
            replace(one, field="text" if one.field == "file" else one.field)
            for one in problems
            if one.field not in ("token", "algorithm", "vocabulary")
        ]
        chosen = [state.TokenizerChoice.parse(value) for value in dict.fromkeys(filter(None, values.getlist("with")))]
        if not chosen and request.method == "POST":
            problems.append(InputProblem(_("Choose at least one tokenizer."), 422, "with"))
        if len(chosen) > state.MOST:
            message = _("These are %(count)s tokenizers; choose at most %(most)s.", count=len(chosen), most=state.MOST)
            problems.append(InputProblem(message, 422, "with"))
        comparison = state.Comparison(
            tuple(chosen[: state.MOST]) or state.SAME_CORPUS, replace(common, token=None, template=False)
        )
        gold = as_typed(values.get("gold"))
        gold_text = None
        with noted(problems):
            within(gold, current_app.config["MAX_TEXT_BYTES"], _("The gold segmentation"), "gold")
            gold_text = gold_of(gold)
        gold = gold if gold.strip() else ""
        return cls.model_construct(comparison=comparison, gold=gold, gold_text=gold_text), problems

    def query(self, **changes: Any) -> str:
        """The query string: tokenizers, options and text, then the gold segmentation."""
        query = self.comparison.query()
        return f"{query}&{urlencode({'gold': self.gold}, errors='replace')}" if self.gold else query

    @property
    def text(self) -> str:
        """The text to measure."""
        return self.comparison.text

    @property
    def is_example(self) -> bool:
        """Whether the text is the example."""
        return self.text == example()

    @property
    def offered(self) -> list[tuple[str, Sequence[TokenizerOption]]]:
        """The tokenizers to choose from, in groups; the last has those that are chosen and in no other."""
        chosen = self.comparison.choices
        return grouped_options(vocabulary_choices(request, *(choice.vocabulary for choice in chosen)), chosen)


def example() -> str:
    """The initial text: the parallel article in English and in Chinese."""
    texts = {passage.key: passage.text for passage in passages()}
    return "\n".join(texts[key] for key in EXAMPLE_LANGUAGES)


def gold_of(text: str) -> GoldText | None:
    """The gold segmentation in a text, None for an empty one; raises InputProblem."""
    try:
        return read_gold(text.removeprefix(BOM)) if text.strip() else None
    except GoldError as error:
        raise InputProblem(translated(error.message), 422, "gold") from None


@dataclass(frozen=True)
class MeasuredText:
    """The tokenizers on a text; `measured` has those with tokens, and is None if there are none, or no text."""

    given: MeasuresInput
    compared: state.ComparisonResult
    measured: Measured | None

    @property
    def file(self) -> Measured:
        """What files have: `measure_text` raises InputProblem where there is nothing."""
        assert self.measured is not None
        return self.measured

    @property
    def status(self) -> int:
        """The status of the page."""
        return self.compared.status

    @property
    def view(self) -> ComparisonView:
        """The tokenizers as a comparison shows them."""
        return ComparisonView(self.given.comparison, self.compared)

    @property
    def groups(self) -> MeasureGroups:
        """The rows of the table of measures."""
        return groups_of(self.measured, gold=self.given.gold_text is not None) if self.measured else []

    @property
    def gold_note(self) -> str:
        """How much gold text there is, and how many lines of it look wrong."""
        gold = self.given.gold_text
        if gold is None:
            return ""
        words = ngettext(
            "One word in the gold text.", "%(count)s words in the gold text.", gold.words, count=number(gold.words)
        )
        if not gold.problem_count:
            return words
        return f"{words} {ngettext('One line looks wrong.', '%(num)s lines look wrong.', gold.problem_count)}"


def measure_text(given: MeasuresInput) -> MeasuredText:
    """Measure the text with each tokenizer; for a file, raise InputProblem if nothing can be measured."""
    text = given.text
    everything = measure(state.rows_of(given.comparison), text, given.gold_text, free=True)
    compared = state.ComparisonResult(text, [each.row for each in everything.tokenizers])
    if compared.shown and text:
        usable = [each for each in everything.tokenizers if each.row.encoding is not None]
        return MeasuredText(given, compared, replace(everything, tokenizers=usable))
    if given.for_file:
        if compared.pending:
            raise still_fetching_problem()
        found = [row.problem.message for row in compared.rows if row.problem]
        raise InputProblem(" ".join(found) or _("Enter a text to measure."), compared.status if found else 422)
    return MeasuredText(given, compared, None)


class MeasuredTokenizerChoice(Input):
    """A tokenizer to measure."""

    vocabulary: Annotated[
        str,
        Field(
            max_length=LONGEST_NAME,
            description="The name of a vocabulary, from `GET /vocabularies` or `POST /vocabularies`.",
            examples=["bpe-bytes"],
        ),
    ]
    algorithm: Annotated[AlgorithmId | None, Field(description="Default: the first algorithm of the vocabulary.")] = (
        None
    )


class MeasuresBody(Input):
    """A text, and the tokenizers to measure on it."""

    text: Annotated[Text, Field(examples=["Unbelievably, 研究生命"])]
    tokenizers: list[MeasuredTokenizerChoice] = Field(
        min_length=1, max_length=state.MOST, description="The tokenizers to measure, at most 6."
    )
    gold: Annotated[
        str,
        at_most("MAX_TEXT_BYTES", lambda: _("The gold segmentation")),
        Field(
            description="A gold segmentation to compare the boundaries of tokens with: words or morphemes separated by "
            "spaces, a sentence or a word a line; or CoNLL-U."
        ),
    ] = ""


class LanguageMeasures(Answer):
    """The first article of the Universal Declaration of Human Rights in 39 languages."""

    premiums: Annotated[
        Mapping[str, float],
        Field(description="Tokens of the article in a language divided by those in English, by CLDR code, ascending."),
    ]
    gini: Annotated[float | None, Field(description="The Gini coefficient of the tokens of these languages.")]
    left_out: Annotated[Sequence[str], Field(description="Languages with more than a tenth of unknown tokens.")]


class BoundaryMeasures(Answer):
    """The boundaries of tokens and of the gold segmentation, inside of its lines."""

    gold_boundaries: int
    boundaries: int
    both: int
    precision: float | None
    recall: float | None
    f1: float | None


def _if_measured(name: str) -> Any:
    """A field that is absent where there is a problem; its description is the formula of the measure of that name."""
    formula = {id.replace("-", "_"): str(each.formula) for id, each in DEFINITIONS.items()}.get(name)
    return Field(None, validate_default=False, description=formula)


_FIELDS: dict[str, Any] = {
    "algorithm": (str, ...),
    "vocabulary": (str, ...),
    "problem": (str | None, ...),
    **{name: (kind, _if_measured(name)) for name, kind in get_type_hints(TextMeasures).items()},
    "languages": (LanguageMeasures, _if_measured("")),
    "gold": (BoundaryMeasures, _if_measured("")),
}
TokenizerMeasures: Any = create_model(
    "TokenizerMeasures",
    __doc__="A tokenizer with its measures, or the `problem` that prevented them; null for nothing to divide by.",
    __config__=ConfigDict(extra="forbid"),
    **_FIELDS,
)


class MeasuresAnswer(Answer):
    """The text in figures, and the tokenizers in the order of the request."""

    characters: int
    bytes: int
    words: int
    han_words: Annotated[int, Field(description="Words in runs of Han characters.")]
    words_by: Annotated[str, Field(description="What decides where words are.")]
    tokenizers: Sequence[TokenizerMeasures]


def measures(body: MeasuresBody) -> Mapping[str, Any]:
    """Measure up to six tokenizers on a text.

    The page `/measures` defines each measure, with its source and what it does not tell. `languages` is measured on an
    article in 39 languages, not on the text; tokenizers of dictionaries do not have it.
    """
    try:
        gold = gold_of(body.gold)
    except InputProblem as problem:
        raise replace(problem, status=409) from None
    choices = []
    for choice in body.tokenizers:
        entry = find(choice.vocabulary)
        first = entry.algorithms[0] if entry else ""
        choices.append(state.TokenizerChoice(choice.algorithm or first, choice.vocabulary))
    rows = state.rows_of(state.Comparison(tuple(choices), State(text=body.text)))
    return measure(rows, body.text, gold, free=True).as_json()


TOOL = Tool(
    name="measures",
    address="/measures",
    input=MeasuresInput,
    run=measure_text,
    answer=lambda result: result.file.as_json(),
    table=lambda result: result.file.table(),
    exported={"for_file": True},
    api=ApiEntry(
        "/measures",
        MeasuresBody,
        MeasuresAnswer,
        {
            "text": "Unbelievably, 研究生命",
            "tokenizers": [{"vocabulary": "bpe-bytes"}, {"vocabulary": "wordpiece"}],
            "gold": "un believ ably",
        },
        run=measures,
    ),
)

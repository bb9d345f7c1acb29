"""`/frequencies`: how often each token of a text occurs, as a chart of rank against frequency."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, ClassVar, Self

from flask import Request, request
from flask_babel import gettext as _
from pydantic import ConfigDict

from webapp.core.analysis.frequencies import RankedToken, ranked
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure_files import figure_png, figure_svg
from webapp.rendering.pictures.palette import Theme
from webapp.serializers.json import json_piece
from webapp.tokenization import forms
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.attempts import tokenize_or_explain
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import Groups, is_independent, vocabulary_choices
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.tools.frequencies.examples import EXAMPLES
from webapp.tools.frequencies.figure import frequency_figure
from webapp.tools.frequencies.plot import Plot, plot_of
from webapp.tools.inputs import Input
from webapp.tools.kernel import Tool
from webapp.vocabularies import find, title_of

STATE_FIELDS = {field.name for field in fields(State)}


class FrequenciesInput(Input):
    """The fields of the playground's form."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    state: State
    hidden: Sequence[tuple[str, str]] = ()
    """The choices of the request other than the text and the vocabulary."""
    theme: Theme = "light"
    examples: ClassVar[Any] = EXAMPLES

    @classmethod
    def read(cls, request: Request) -> tuple[Self, list[InputProblem]]:
        """The state, with the text of an example if the address names one; problems are shown above the chart."""
        state, problems = forms.read(request)
        example = EXAMPLES.get(request.args.get("example", ""))
        if example and request.method == "GET" and not state.text:
            state = replace(state, text=example.text)
        values = request.form if request.method == "POST" else request.args
        others = STATE_FIELDS - {"text", "vocabulary", "algorithm"}
        hidden = [*(pair for pair in values.items(multi=True) if pair[0] in others), ("algorithm", state.algorithm)]
        theme: Theme = "dark" if request.args.get("colours") == "dark" else "light"
        shown = [replace(problem, field="") for problem in problems if problem.field != "token"]
        return cls.model_construct(state=state, hidden=hidden, theme=theme), shown

    def query(self, **changes: Any) -> str:
        """The query string of the state."""
        return self.state.query(token=None, **changes)

    @property
    def text(self) -> str:
        """The text of the state."""
        return self.state.text

    @property
    def vocabulary(self) -> str:
        """The name of the vocabulary."""
        return self.state.vocabulary

    @property
    def title(self) -> str:
        """The algorithm and the vocabulary."""
        entry = find(self.vocabulary)
        return f"{algorithm_names()[self.state.algorithm]} · {title_of(entry) if entry else self.vocabulary}"

    @property
    def vocabularies(self) -> Groups:
        """The vocabularies to choose from, in groups with a heading: the chosen one is always there."""
        return vocabulary_choices(
            request, self.vocabulary, keep=lambda entry: is_independent(entry) or entry.name == self.vocabulary
        )


@dataclass(frozen=True)
class Frequencies:
    """The tokens of a text by their rank."""

    given: FrequenciesInput
    result: Result
    tokens: Sequence[RankedToken]

    @property
    def total(self) -> int:
        """The number of tokens in the text."""
        return len(self.result.encoding)

    @property
    def plot(self) -> Plot:
        """The chart; raises InputProblem without tokens."""
        if not self.tokens:
            raise InputProblem(_("There is no text yet. Paste one, or choose an example."), 404)
        return plot_of(self.tokens)

    def piece(self, token: RankedToken) -> str | bytes:
        """The piece of a token of the vocabulary, or of one that the visitor added."""
        pieces = self.result.tokenizer.model.pieces
        if token.id < len(pieces):
            return pieces[token.id]
        return self.result.encoding.piece(self.result.encoding.ids.index(token.id))

    def shown(self, token: RankedToken) -> str:
        """The piece with all its characters visible."""
        return shown_piece(self.piece(token))


def frequencies(given: FrequenciesInput) -> Frequencies:
    """Count how often each token of a text occurs."""
    result, problems = tokenize_or_explain(given.state, [])
    if result is None:
        raise replace(problems[0], field="")
    return Frequencies(given, result, ranked(result.encoding.ids))


def answer(found: Frequencies) -> dict[str, Any]:
    """Every different token, by rank."""
    ranks = ({"id": one.id, "piece": json_piece(found.piece(one)), "count": one.count} for one in found.tokens)
    return {"tokens": found.total, "different": len(found.tokens), "ranked": ranks}


def table(found: Frequencies) -> Iterator[tuple[object, ...]]:
    """A row for each different token."""
    yield ("rank", "token", "id", "count", "share")
    for one in found.tokens:
        yield one.rank, found.shown(one), one.id, one.count, one.count / found.total


def picture(kind: str, found: Frequencies) -> Iterator[str | bytes]:
    """The chart as a file."""
    draw = figure_png if kind == "png" else figure_svg
    yield draw(frequency_figure(found.plot, found.given.title), theme=found.given.theme)


TOOL = Tool(
    name="frequencies",
    address="/frequencies",
    input=FrequenciesInput,
    run=frequencies,
    template="tools/frequencies.html",
    answer=answer,
    table=table,
    files={"svg": ("image/svg+xml", partial(picture, "svg")), "png": ("image/png", partial(picture, "png"))},
    file_name="frequencies",
)

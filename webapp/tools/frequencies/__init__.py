"""`/frequencies`: how often each token of a text occurs, as a chart of rank against frequency."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib.resources import files
from math import log10
from typing import Any, ClassVar, Self

from flask import Request, request
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from pydantic import ConfigDict

from webapp.core.analysis.frequencies import RankedToken, ranked, thinned
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureDot, FigureLabel, FigurePath, Shape
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
from webapp.tools.inputs import Input
from webapp.tools.kernel import Tool
from webapp.vocabularies import find, title_of
from webapp.web.localization import number

LEFT, RIGHT, TOP, BOTTOM = 9.0, 1.5, 3.0, 9.0  # margins in percent, for the numbers of the axes
WIDTH, HEIGHT = 800.0, 480.0  # of the picture to export
EXAMPLES = {"alice": _l("English: “Alice in Wonderland”"), "home": _l("Chinese: “My Old Home” by Lu Xun")}
STATE_FIELDS = {field.name for field in fields(State)}

Point = tuple[float, float]


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
        example = request.args.get("example", "")
        if example in EXAMPLES and request.method == "GET" and not state.text:
            texts = tomllib.loads(files(__package__).joinpath("examples.toml").read_text(encoding="utf-8"))
            state = replace(state, text=texts[example])
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
class Plot:
    """The chart on logarithmic axes; positions are in percent of its width and height.

    `ranks` and `counts` are the marked values of the axes with their positions. `zipf` has the ends of the line on
    which rank times frequency is that of the first token.
    """

    points: Sequence[Point]
    ranks: Sequence[tuple[int, float]]
    counts: Sequence[tuple[int, float]]
    zipf: tuple[Point, Point]


def plot_of(tokens: Sequence[RankedToken]) -> Plot:
    """The chart of `tokens`, of which there must be at least one.

    >>> plot = plot_of([RankedToken(1, 7, 10), RankedToken(2, 3, 5), RankedToken(3, 5, 1)])
    >>> [value for value, _place in plot.ranks], [value for value, _place in plot.counts]
    ([1, 2, 5], [1, 2, 5, 10])
    """
    most = tokens[0].count
    ranks, counts = axis_values(len(tokens)), axis_values(most)
    widest, highest = log10(ranks[-1]), log10(counts[-1])

    def x(rank: float) -> float:
        return round(LEFT + log10(rank) / widest * (100 - LEFT - RIGHT), 2)

    def y(count: float) -> float:
        return round(100 - BOTTOM - log10(count) / highest * (100 - TOP - BOTTOM), 2)

    # On Zipf's line rank times frequency is constant; it ends where it meets an edge of the chart.
    last = min(most, ranks[-1])
    return Plot(
        [(x(token.rank), y(token.count)) for token in thinned(tokens)],
        [(value, x(value)) for value in ranks],
        [(value, y(value)) for value in counts],
        ((x(1), y(most)), (x(last), y(most / last))),
    )


def axis_values(most: int) -> list[int]:
    """The values that an axis marks, from 1 to at least `most` and to at least 2: 1, 2, 5, 10 …, or powers of ten.

    >>> axis_values(1), axis_values(17), axis_values(3_000)
    ([1, 2], [1, 2, 5, 10, 20], [1, 10, 100, 1000, 5000])
    """
    steps = [digit * 10**power for power in range(len(str(most)) + 1) for digit in (1, 2, 5)]
    end = next(step for step in steps if step >= max(most, 2))
    shown = [step for step in steps if step < end and (end <= 1_000 or str(step)[0] == "1")]
    return [*shown, end]


def frequency_figure(plot: Plot, caption: str) -> Figure:
    """The chart with the names of its axes, and a caption below."""

    def x(percent: float) -> float:
        return round(percent * WIDTH / 100, 1)

    def y(percent: float) -> float:
        return round(20 + percent * (HEIGHT - 60) / 100, 1)

    bottom, left = y(91), x(9)
    shapes: list[Shape] = [FigureLabel(0, 8, _("frequency"), "quiet", 12, "start")]
    for value, position in plot.counts:
        shapes.append(FigurePath(f"M{left} {y(position)}H{x(98.5)}", "grid"))
        shapes.append(FigureLabel(left - 8, y(position) + 4, number(value), "quiet", 12, "end"))
    for value, position in plot.ranks:
        shapes.append(FigurePath(f"M{x(position)} {y(3)}V{bottom}", "grid"))
        shapes.append(FigureLabel(x(position), bottom + 18, number(value), "quiet", 12))
    first, last = plot.zipf
    shapes.append(FigurePath(f"M{x(first[0])} {y(first[1])}L{x(last[0])} {y(last[1])}", "soon"))
    shapes += [FigureDot(x(across), y(down), 3, "now") for across, down in plot.points]
    shapes.append(FigureLabel(x(54), bottom + 36, _("rank"), "quiet", 12))
    shapes.append(FigureLabel(0, HEIGHT - 4, caption, "quiet", 12, "start"))
    return Figure("frequencies", WIDTH, HEIGHT, tuple(shapes), title=caption)


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

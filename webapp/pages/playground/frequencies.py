"""How often each token of a result occurs: a panel with a chart of rank against frequency, and its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Response
from flask_babel import gettext as _

from webapp.core.analysis.frequencies import RankedToken, ranked, thinned
from webapp.rendering.charts import LineChart, Series, chart_figure, logarithmic
from webapp.rendering.delimited import csv_parts
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, figure_png, figure_svg
from webapp.tokenization.exports import picture_theme, picture_title
from webapp.tokenization.result import Result
from webapp.web.htmx import private
from webapp.web.json_responses import json_piece, json_response
from webapp.web.localization import number
from webapp.web.long_responses import long_response


@dataclass(frozen=True)
class Frequencies:
    """The tokens of a result by their rank; there is at least one."""

    result: Result
    tokens: Sequence[RankedToken]

    @property
    def total(self) -> int:
        """The number of tokens in the text."""
        return len(self.result.encoding)

    @property
    def chart(self) -> LineChart:
        """Rank against frequency on logarithmic axes, and the line on which their product is that of the first token.

        That line ends where it meets an edge of the chart.
        """
        most = self.tokens[0].count
        ranks, counts = axis_values(len(self.tokens)), axis_values(most)
        last = min(most, ranks[-1])
        points = tuple((float(token.rank), float(token.count)) for token in thinned(self.tokens))
        return LineChart(
            "frequencies-chart",
            picture_title(self.result.state),
            _("Rank against frequency of the tokens, both axes logarithmic"),
            logarithmic(_("rank"), 1, ranks[-1], ranks, number),
            logarithmic(_("frequency"), 1, counts[-1], counts, number),
            (Series(_("Tokens"), points, strong=True), Series("Zipf", ((last, most / last), (1, most)))),
        )

    @property
    def figure(self) -> Figure:
        """The chart as a picture."""
        return chart_figure(self.chart)

    def piece(self, token: RankedToken) -> str | bytes:
        """The piece of a token of the vocabulary, or of one that the visitor added."""
        pieces = self.result.tokenizer.model.pieces
        if token.id < len(pieces):
            return pieces[token.id]
        return self.result.encoding.piece(self.result.encoding.ids.index(token.id))

    def shown(self, token: RankedToken) -> str:
        """The piece with all its characters visible."""
        return shown_piece(self.piece(token))

    def table(self) -> Iterator[tuple[object, ...]]:
        """A row for each different token, the header first."""
        yield ("rank", "token", "id", "count", "share")
        for one in self.tokens:
            yield one.rank, self.shown(one), one.id, one.count, one.count / self.total

    def as_json(self) -> dict[str, Any]:
        """How many tokens there are, and the different ones by rank."""
        ranks = ({"id": one.id, "piece": json_piece(self.piece(one)), "count": one.count} for one in self.tokens)
        return {"tokens": self.total, "different": len(self.tokens), "ranked": ranks}


def axis_values(most: int) -> list[int]:
    """The values that an axis marks, from 1 to at least `most` and to at least 2: 1, 2, 5, 10 …, or powers of ten.

    >>> axis_values(1), axis_values(17), axis_values(3_000)
    ([1, 2], [1, 2, 5, 10, 20], [1, 10, 100, 1000, 5000])
    """
    steps = [digit * 10**power for power in range(len(str(most)) + 1) for digit in (1, 2, 5)]
    end = next(step for step in steps if step >= max(most, 2))
    shown = [step for step in steps if step < end and (end <= 1_000 or str(step)[0] == "1")]
    return [*shown, end]


def frequencies_of(result: Result) -> Frequencies:
    """Count how often each token of a text occurs."""
    return Frequencies(result, ranked(result.encoding.ids))


FILES: dict[str, Callable[[Frequencies], Response]] = {
    "json": lambda found: json_response(found.as_json()),
    "csv": lambda found: long_response(csv_parts(found.table()), mimetype="text/csv"),
    "svg": lambda found: Response(figure_svg(found.figure, theme=picture_theme()), mimetype="image/svg+xml"),
    "png": lambda found: Response(figure_png(found.figure, theme=picture_theme()), mimetype="image/png"),
}


def as_file(result: Result, kind: str) -> Response:
    """Return the frequencies as a file; `kind` is one of `FILES`."""
    response = FILES[kind](frequencies_of(result))
    response.headers["Content-Disposition"] = f"attachment; filename=frequencies.{kind}"
    return private(response)

"""Export a result as a file: a picture with its captions, a page or data; and how often each of its tokens occurs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Response, current_app, request
from flask_babel import get_locale, ngettext
from flask_babel import gettext as _
from markupsafe import Markup

from webapp.core.analysis.frequencies import RankedToken, ranked, thinned
from webapp.core.inference import OWN
from webapp.rendering.charts import LineChart, Series, chart_figure, logarithmic
from webapp.rendering.delimited import csv_parts
from webapp.rendering.markup import COLOURS, Painter, ids_html, shown_piece
from webapp.rendering.pictures import drawing, tables
from webapp.rendering.pictures.drawing import PictureKind, PictureTexts
from webapp.rendering.pictures.figure import figure_png, figure_svg
from webapp.rendering.pictures.svg import Theme, palette_of
from webapp.tokenization.algorithms import algorithm_names, inference_title
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.vocabularies import find, title_of
from webapp.web.htmx import attachment
from webapp.web.json_responses import json_parts, json_piece
from webapp.web.localization import LANGUAGES, current_key, join_list, number
from webapp.web.long_responses import long_response
from webapp.web.templates import Context

_NO_SCRIPT = ("Zyyy", "Zinh", "Zzzz")


def counted_tokens(state: State | None, count: int) -> str:
    """How many tokens there are, or words if the algorithm finds words: `39 tokens`."""
    if state and state.finds_words:
        return ngettext("one word", "%(count)s words", count, count=number(count))
    return ngettext("One token", "%(size)s tokens", count, size=number(count))


def picture_words(state: State | None = None) -> PictureTexts:
    """The texts of a picture, of the result of a state or of several."""
    return PictureTexts(
        tokens=partial(counted_tokens, state),
        more=lambda count: ngettext("and one more token", "and %(count)s more tokens", count, count=number(count)),
        missing=_missing,
        empty=_("No text, no tokens."),
        beginning=_("Only the beginning of the text is shown."),
    )


def picture_title(state: State) -> str:
    """The title of a picture, with algorithm and vocabulary: `BPE · Demo: byte-level BPE, 32k`."""
    entry = find(state.vocabulary)
    inference = state.relevant().inference
    other = [inference_title(inference)] if inference != OWN else []
    return " · ".join([algorithm_names()[state.algorithm], *([title_of(entry)] if entry else []), *other])


def _missing(scripts: Sequence[str]) -> str:
    locale = get_locale()
    names = [locale.scripts.get(script, script) if locale else script for script in scripts if script not in _NO_SCRIPT]
    if len(names) < len(scripts):
        names.append(_("some symbols"))
    return _("No font of this server has: %(scripts)s.", scripts=join_list(names))


SEPARATORS = {"space": " ", "line": "\n", "tab": "\t", "slash": "/", "bar": " | "}
"""The separators between tokens in a plain text, by their names in the form."""


Writer = tuple[str, Callable[[Any], Iterable[str | bytes]]]
"""The media type of a kind of file, and what makes the content of a value."""


def download(writer: Writer, value: object, name: str) -> Response:
    """A value as a download; no input of the visitor may be in the name."""
    mimetype, write = writer
    return attachment(long_response(write(value), mimetype=mimetype), name)


def _json(result: Result) -> Iterator[str]:
    state = result.state
    return tables.json_parts(result.encoding, algorithm=state.algorithm, vocabulary=state.vocabulary)


def _plain(result: Result) -> Iterator[str]:
    name = request.values.get("separator", "space")
    return tables.plain_parts(result.encoding, SEPARATORS.get(name, name[:16]))


class ExportedPage(Context):
    """A self-contained HTML file: own style, no scripts, no external resources; light or dark as the browser is set.

    The fonts are those of the site.
    """

    template = "tokenization/exported.html"

    language: str
    heading: str
    light: Sequence[tuple[str, str]]  # the colours by their names
    dark: Sequence[tuple[str, str]]
    colours: int = COLOURS
    sans: Markup
    mono: Markup
    tokens: Iterable[Markup]
    ids_heading: str
    ids: Iterable[Markup]


def _html(result: Result) -> Iterator[str]:
    """The file in parts: the coloured segmentation and the ids."""
    painter = Painter(result.encoding, show=result.state.show)
    light, dark = palette_of("light"), palette_of("dark")
    names = ("stage", "ink", "quiet", "bad", *(f"t{number}" for number in range(1, COLOURS + 1)))
    page = ExportedPage(
        language=LANGUAGES[current_key()].tag,
        heading=" · ".join([picture_title(result.state), counted_tokens(result.state, len(result.encoding))]),
        light=[(name, light[name]) for name in names],
        dark=[(name, dark[name]) for name in names],
        sans=Markup(light["sans"]),
        mono=Markup(light["mono"]),
        tokens=map(painter.paint, painter.chunks) if painter.chunks else [painter.html()],
        ids_heading=_("Ids"),
        ids=(ids_html(result.encoding, [chunk]) for chunk in painter.chunks),
    )
    return current_app.jinja_env.get_template(page.template).generate(**page.variables())


def _picture(result: Result, kind: PictureKind) -> list[str | bytes]:
    return [drawing.picture(result.encoding, kind, theme=picture_theme(), **_captions(result))]


def picture_theme() -> Theme:
    """The colours that the request asks for."""
    return "dark" if request.values.get("colours") == "dark" else "light"


def _captions(result: Result) -> dict[str, Any]:
    return {"title": picture_title(result.state), "show": result.state.show, "words": picture_words(result.state)}


WRITERS: dict[str, Writer] = {
    "svg": ("image/svg+xml", lambda result: _picture(result, "svg")),
    "png": ("image/png", lambda result: _picture(result, "png")),
    "html": ("text/html", _html),
    "json": ("application/json", _json),
    "csv": ("text/csv", lambda result: tables.csv_parts(result.encoding)),
    "txt": ("text/plain", _plain),
}
"""The media type and the writer of each kind of file."""


@dataclass(frozen=True)
class Frequencies:
    """Tokens by their rank, at least one: all of them, or `thinned` for a chart.

    `total` is the number of tokens in the text, `piece_of` maps an id to its piece. `words`: the tokens are words.
    """

    title: str
    tokens: Sequence[RankedToken]
    total: int
    piece_of: Callable[[int], str | bytes]
    words: bool

    @property
    def chart(self) -> LineChart:
        """Rank against frequency on logarithmic axes, and the line on which their product is that of the first token.

        That line ends where it meets an edge of the chart.
        """
        most = self.tokens[0].count
        ranks, counts = axis_values(self.tokens[-1].rank), axis_values(most)
        last = min(most, ranks[-1])
        points = tuple((float(token.rank), float(token.count)) for token in thinned(self.tokens))
        return LineChart(
            "frequencies-chart",
            self.title,
            _("Rank against frequency, both axes logarithmic"),
            logarithmic(_("rank"), 1, ranks[-1], ranks, number),
            logarithmic(_("frequency"), 1, counts[-1], counts, number),
            (
                Series(_("Words") if self.words else _("Tokens"), points, strong=True),
                Series("Zipf", ((last, most / last), (1, most))),
            ),
        )

    def shown(self, token: RankedToken) -> str:
        """The piece with all its characters visible."""
        return shown_piece(self.piece_of(token.id))

    def table(self) -> Iterator[tuple[object, ...]]:
        """A row for each different token, the header first."""
        yield ("rank", "token", "id", "count", "share")
        for one in self.tokens:
            yield one.rank, self.shown(one), one.id, one.count, one.count / self.total

    def as_json(self) -> dict[str, Any]:
        """How many tokens there are, and the different ones by rank."""
        ranks = ({"id": one.id, "piece": json_piece(self.piece_of(one.id)), "count": one.count} for one in self.tokens)
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
    pieces, encoding = result.tokenizer.model.pieces, result.encoding

    def piece_of(id: int) -> str | bytes:
        return pieces[id] if id < len(pieces) else encoding.piece(encoding.ids.index(id))  # one that a visitor added

    return Frequencies(
        picture_title(result.state), ranked(encoding.ids), len(encoding), piece_of, result.state.finds_words
    )


FREQUENCY_WRITERS: dict[str, Writer] = {
    "json": ("application/json", lambda found: json_parts(found.as_json())),
    "csv": ("text/csv", lambda found: csv_parts(found.table())),
    "svg": ("image/svg+xml", lambda found: [figure_svg(chart_figure(found.chart), theme=picture_theme())]),
    "png": ("image/png", lambda found: [figure_png(chart_figure(found.chart), theme=picture_theme())]),
}

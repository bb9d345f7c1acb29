"""Routes of `/languages`: by URL, as a form, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from flask import Blueprint, Response, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.pages.languages import forms
from webapp.pages.languages.contexts import LanguageFacts, LanguagesPage, RowsContext
from webapp.pages.languages.figure import strips_figure
from webapp.pages.languages.forms import MAX_TOKENIZERS, MEASURES, LanguagesRequest, is_comparable
from webapp.pages.languages.measurements import LanguageMeasurements, PassageRow, equality_of, measure
from webapp.pages.languages.strip_chart import SHAPES, marks_of, scale_of
from webapp.rendering.delimited import as_csv
from webapp.rendering.markup import visible
from webapp.rendering.pictures.figure_files import figure_png, figure_svg
from webapp.rendering.pictures.palette import Theme
from webapp.serializers.json import json_response
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.measures.table import shown
from webapp.tokenization.messages import unavailable_problem
from webapp.tokenization.vocabulary_choices import vocabulary_choices
from webapp.vocabularies import UnavailableVocabularyError, find, title_of
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.problems import problem
from webapp.web.templates import render

blueprint = Blueprint("languages", __name__)

MEDIA_TYPES = {"csv": "text/csv", "svg": "image/svg+xml", "png": "image/png"}


@blueprint.get("/languages")
def page() -> BaseResponse:
    """Show how many tokens the chosen tokenizers need in every language."""
    asked, problems = forms.read(request)
    file = request.args.get("format", "")
    if file == "json":
        return _json(asked, problems)
    if file in MEDIA_TYPES:
        return _file(file, asked)
    return _respond(asked, problems)


@blueprint.post("/languages")
def submit() -> BaseResponse:
    """Redirect the form to its URL if it fits into one, else show the result here."""
    asked, problems = forms.read(request)
    file = request.args.get("format", "")
    return _file(file, asked) if file in MEDIA_TYPES else _respond(asked, problems)


def _respond(asked: LanguagesRequest, problems: list[InputProblem]) -> BaseResponse:
    partial = wants_partial()
    query = asked.query()
    link = url_for("languages.page") + (f"?{query}" if query else "")
    short = len(link) <= current_app.config["MAX_LINK_CHARACTERS"]
    if request.method == "POST" and not partial and not problems and short:
        return redirect(link, 303)
    measured = measure(asked)
    scale = scale_of(measured.rows, asked.measure)
    available = [name for name in asked.vocabularies if name not in measured.missing]
    rows = RowsContext(
        asked=asked,
        problems=problems,
        rows=[(row, marks_of(row, asked.vocabularies, scale)) for row in measured.rows],
        ticks=scale.ticks(),
        origin=scale.place(1) if asked.measure == "relative" else scale.place(0),
        place=scale.place,
        focus=(focus := _focus(asked, available)),
        facts=_facts(measured.rows, focus),
        equality=[equality_of(measured.rows, name) for name in available],
        definitions=url_for("measures.page"),
        shown=shown,
        files=_files(link if short else url_for("languages.page")),
        shapes=SHAPES,
        measured=available,
        lossy=any(row.lossy(name) for row in measured.rows for name in available),
        missing=_missing(measured),
        titles={name: _title(name) for name in asked.vocabularies},
        measures=measure_names(),
        link=link if short else None,
        visible=visible,
        address=lambda **changes: f"{url_for('languages.page')}?{asked.query(**changes)}",
    )
    body = render(rows if partial else _page_context(asked, rows))
    response = make_response(body, max((one.status for one in problems), default=200))
    swappable(response)
    if partial:
        response.headers["HX-Replace-Url"] = link if short else url_for("languages.page")
    return response


def _focus(asked: LanguagesRequest, available: Sequence[str]) -> str:
    """The vocabulary whose figures the rows show: that of the order, or else the first."""
    return asked.sort if asked.sort in available else next(iter(available), "")


def _facts(rows: Sequence[PassageRow], focus: str) -> LanguageFacts | None:
    """The extremes of the languages; code and the visitor's own passage are none."""
    known = [row for row in rows if row.passage.comparable and row.passage.key != "own"]
    known = [row for row in known if row.values.get(focus) is not None and not row.lossy(focus)]
    if not known:
        return None
    known.sort(key=lambda row: row.values[focus] or 0)
    return LanguageFacts(known[-1], known[0], median(row.values[focus] or 0 for row in known))


def _files(address: str) -> list[tuple[str, str]]:
    """The title and address of each export."""
    separator = "&" if "?" in address else "?"
    titles = {"svg": _("Chart as SVG"), "png": _("Chart as PNG"), "csv": _("Table as CSV"), "json": _("Data as JSON")}
    return [(title, f"{address}{separator}format={kind}") for kind, title in titles.items()]


def _file(kind: str, asked: LanguagesRequest) -> Response:
    """The chart or the table as a download; its name is fixed: no input of the visitor goes into a header."""
    measured = measure(asked)
    available = [name for name in asked.vocabularies if name not in measured.missing]
    titles = {name: _title(name) for name in available}
    content: str | bytes
    if kind == "csv":
        header = ["language", "script", *titles.values(), "text"]
        rows = ((row.language, row.script, *row.values.values(), row.passage.text) for row in measured.rows)
        content = as_csv([header, *rows])
    else:
        theme: Theme = "dark" if request.args.get("colours") == "dark" else "light"
        figure = strips_figure(measured.rows, titles, asked.measure, measure_names()[asked.measure])
        content = figure_svg(figure, theme=theme) if kind == "svg" else figure_png(figure, theme=theme)
    body = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    response = Response(body, mimetype=MEDIA_TYPES[kind])
    response.headers["Content-Disposition"] = f"attachment; filename=languages.{kind}"
    return private(response)


def _page_context(asked: LanguagesRequest, rows: RowsContext) -> LanguagesPage:
    groups = vocabulary_choices(request, *asked.vocabularies, keep=is_comparable)
    return LanguagesPage(
        form_id="languages",
        rows_shown=rows,
        groups=groups,
        max_tokenizers=MAX_TOKENIZERS,
    )


def _json(asked: LanguagesRequest, problems: list[InputProblem]) -> Response:
    """Every figure as JSON."""
    if problems:
        return problem(max(one.status for one in problems), " ".join(one.message for one in problems))
    measured = measure(asked)
    available = [name for name in asked.vocabularies if name not in measured.missing]
    response = json_response(
        {
            "measure": asked.measure,
            "vocabularies": available,
            "gini": {name: equality_of(measured.rows, name).gini for name in available},
            "missing": list(measured.missing),
            "passages": [
                {
                    "language": row.passage.language or row.passage.key,
                    "script": row.passage.script,
                    "text": row.passage.text,
                    "characters": len(row.passage.text),
                    "bytes": len(row.passage.text.encode("utf-8", "replace")),
                    "tokens": row.tokens,
                    "unknown": row.unknown,
                    "values": row.values,
                }
                for row in measured.rows
            ],
        }
    )
    return private(response)


def measure_names() -> dict[str, str]:
    """The name of each measure, in the reader's language."""
    names = {
        "relative": _("Compared with English"),
        "tokens": _("Tokens"),
        "characters": _("Characters per token"),
        "bytes": _("Bytes per token"),
    }
    return {name: names[name] for name in MEASURES}


def _title(name: str) -> str:
    entry = find(name)
    return title_of(entry) if entry else name


def _missing(measured: LanguageMeasurements) -> list[str]:
    """A sentence for each vocabulary that is unavailable."""
    sentences = []
    for name, error in measured.missing.items():
        if isinstance(error, UnavailableVocabularyError):
            sentences.append(unavailable_problem(error).message)
        else:
            sentences.append(_("%(title)s is being downloaded. Load the page again in a moment.", title=_title(name)))
    return sentences

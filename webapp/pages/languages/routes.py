"""Routes of `/languages`: by URL, as a form, and as JSON."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.pages.languages import forms
from webapp.pages.languages.contexts import LanguagesPage, RowsContext
from webapp.pages.languages.forms import MAX_TOKENIZERS, MEASURES, LanguagesRequest, is_dictionary
from webapp.pages.languages.measurements import LanguageMeasurements, measure
from webapp.pages.languages.strip_chart import SHAPES, marks_of, scale_of
from webapp.rendering.markup import visible
from webapp.serializers.json import json_response
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import unavailable_problem
from webapp.vocabularies import CATALOGUE, CatalogueEntry, UnavailableVocabularyError, find, title_of, well_known
from webapp.vocabularies.titles import by_family
from webapp.vocabularies.upload_cookie import uploads_of, with_chosen
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.problems import problem
from webapp.web.templates import render

blueprint = Blueprint("languages", __name__)


@blueprint.get("/languages")
def page() -> BaseResponse:
    """Show how many tokens the chosen tokenizers need in every language."""
    asked, problems = forms.read(request)
    if request.args.get("format") == "json":
        return _json(asked, problems)
    return _respond(asked, problems)


@blueprint.post("/languages")
def submit() -> BaseResponse:
    """Redirect the form to its URL if it fits into one, else show the result here."""
    return _respond(*forms.read(request))


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


def _page_context(asked: LanguagesRequest, rows: RowsContext) -> LanguagesPage:
    groups = _groups(asked)
    return LanguagesPage(
        rows_shown=rows,
        groups=groups,
        more_open=any(entry.name in asked.vocabularies for _family, entries in groups[1:] for entry in entries),
        max_tokenizers=MAX_TOKENIZERS,
        title_of=title_of,
    )


def _json(asked: LanguagesRequest, problems: list[InputProblem]) -> Response:
    """Every figure as JSON."""
    if problems:
        return problem(max(one.status for one in problems), " ".join(one.message for one in problems))
    measured = measure(asked)
    response = json_response(
        {
            "measure": asked.measure,
            "vocabularies": [name for name in asked.vocabularies if name not in measured.missing],
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
        "relative": _("Tokens, English = 1"),
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
            sentences.append(_("%(title)s is being fetched. Load the page again in a moment.", title=_title(name)))
    return sentences


def _groups(asked: LanguagesRequest) -> list[tuple[str, list[CatalogueEntry]]]:
    """The vocabularies to choose from: shipped, uploaded by the visitor, then families; no dictionaries."""
    own = [entry for entry in CATALOGUE.values() if entry.origin == "shipped" and not is_dictionary(entry)]
    uploads = [entry for entry in uploads_of(request) if not is_dictionary(entry)]
    return [(_("Shipped"), own), *by_family([*with_chosen(uploads, asked.vocabularies), *well_known()])]

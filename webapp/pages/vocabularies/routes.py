"""`/vocabularies`: the list and the training record; `/vocabularies/NAME`: the contents of a vocabulary, and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, abort, current_app, jsonify, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.algorithms import UNREADABLE
from webapp.core.formats.fields import FormatError
from webapp.pages.vocabularies import downloads, listing
from webapp.pages.vocabularies.composition import ChartPanel, size_chart
from webapp.pages.vocabularies.found import entry_of, error_page, vocabulary_of
from webapp.pages.vocabularies.listing import ListContext, RowContext
from webapp.pages.vocabularies.page import following_context, tokens_context, too_long, vocabulary_page
from webapp.pages.walkthrough.engine import PictureKind, picture_file
from webapp.rendering.charts import chart_figure
from webapp.serializers.json import cached_for, json_response
from webapp.serializers.vocabulary import vocabulary_json
from webapp.tokenization.attempts import FIELD as UPLOAD_FIELD
from webapp.tokenization.attempts import store_upload, upload_limit
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import wrong_file
from webapp.vocabularies import CATALOGUE, CatalogueEntry, library, record, sizes_record, title_of
from webapp.vocabularies.library import is_here
from webapp.vocabularies.upload_cookie import remember_upload, uploads_of
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.rates import stores_by_hash
from webapp.web.same_origin import is_foreign
from webapp.web.templates import Page, render

blueprint = Blueprint("vocabularies", __name__)


@dataclass(frozen=True, kw_only=True)
class ListPage(Page):
    """The list of all vocabularies, and the training record of the shipped ones."""

    template = "vocabularies/index.html"

    listed: ListContext
    ready: int  # number of vocabularies that need no fetching
    filters: Mapping[str, str]  # the kinds of vocabularies to show: value in the address, title
    sample: str  # the text that each row splits
    upload_problem: InputProblem | None
    upload_limit: int  # bytes of a file
    record: Mapping[str, Any]  # the content of `RECORD.json`
    rows: Sequence[tuple[CatalogueEntry, Mapping[str, Any]]]  # the shipped vocabularies, and how each was trained
    shares: Sequence[tuple[str, Mapping[str, int]]]  # of the corpus: kind of text, its bytes and characters
    dictionary_size: int  # words
    growth: Sequence[ChartPanel]  # characters per token by vocabulary size


@blueprint.get("/vocabularies")
def index() -> Response:
    """The list of all vocabularies, searched by `find` and filtered by `show`, and the record of the training."""
    listed = _listed()
    status = 422 if listed.problem else 200
    if wants_partial():
        return _answer(render(listed), status, find=listed.find, show=listed.show)
    return _answer(render(_list_page(listed)), status)


@blueprint.post("/vocabularies")
@stores_by_hash
def upload() -> BaseResponse:
    """Check and store an uploaded vocabulary, and show its page."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    request.max_content_length = upload_limit()
    files = request.files.getlist(UPLOAD_FIELD)
    uploaded = store_upload(files)
    if isinstance(uploaded, InputProblem):
        return _answer(render(_list_page(_listed(), uploaded)), uploaded.status)
    response = make_response(redirect(url_for("vocabularies.vocabulary", name=uploaded.name), 303))
    remember_upload(response, uploaded.name, files[0].filename or "", uploads_of(request))
    return response


@blueprint.post("/vocabularies/<name>/fetch")
def fetch(name: str) -> BaseResponse:
    """Start to fetch a well-known vocabulary, and show the list with its progress."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    entry_of(name, exists=name in WELL_KNOWN)
    library().retry(name)
    return row(name)


@blueprint.get("/vocabularies/<name>/row")
def row(name: str) -> BaseResponse:
    """The row of a vocabulary in the list, which asks for itself while the vocabulary is being downloaded."""
    entry = entry_of(name)
    find, show = (request.values.get(key, "")[: listing.LONGEST_FIND] for key in ("find", "show"))
    if not wants_partial():
        address = url_for("vocabularies.index", find=find or None, show=show or None)
        return redirect(f"{address}#v-{name}", 303)
    (found,) = listing.shelf_rows([listing.line_of(entry)])
    return swappable(make_response(render(RowContext(row=found, find=find, show=show))))


@blueprint.get("/vocabularies/RECORD.json")
def written_record() -> Response:
    """The record of how the shipped vocabularies were trained."""
    return jsonify(record())


@blueprint.get("/vocabularies/SIZES.json")
def written_sizes() -> Response:
    """The figures of the chart."""
    return jsonify(sizes_record())


@blueprint.get("/vocabularies/<name>.json")
def as_json(name: str) -> Response:
    """A vocabulary as JSON, whose title is in the visitor's language."""
    return private(cached_for(json_response(vocabulary_json(*vocabulary_of(name))), 0))


@blueprint.get("/vocabularies/<name>/<file>")
def download(name: str, file: str) -> Response:
    """A vocabulary as a file for other libraries; `file` is one of `downloads.FORMAT_OF`."""
    if file not in downloads.FORMAT_OF:
        abort(404)
    entry = entry_of(name)
    try:
        if UNREADABLE in entry.algorithms and file == "tokenizer.json":
            content, _companion = library().uploads.content(name)
        else:
            content = downloads.content_of(vocabulary_of(name)[1], file)
    except FormatError as error:
        title = title_of(entry)
        return error_page(
            404, _("There is no %(file)s of “%(title)s”: %(why)s.", file=file, title=title, why=wrong_file(error))
        )
    response = Response(content, mimetype=downloads.FORMAT_OF[file].files[file])
    response.headers["Content-Disposition"] = f"attachment; filename={downloads.download_name(file, name)}"
    return private(cached_for(response, 0))  # an upload belongs to one visitor


@blueprint.get("/vocabularies/<name>")
def vocabulary(name: str) -> Response:
    """The contents of a vocabulary; `query` and `page` select its tokens."""
    entry, tokenizer = vocabulary_of(name)
    entry = next((mine for mine in uploads_of(request) if mine.name == name), entry)  # with file name and training
    if wants_partial() and "after" in request.args:
        following = following_context(entry, tokenizer.model)
        return _answer(render(following), 422 if following.after_problem else 200, name=name, after=following.after)
    tokens, status = tokens_context(entry, tokenizer)
    if wants_partial():
        number = tokens.page.number if tokens.page and tokens.page.number > 1 else None
        return _answer(render(tokens), status, name=name, query=tokens.query, page=number)
    response = _answer(render(vocabulary_page(entry, tokenizer, tokens)), status)
    return private(response) if entry.training else response


@blueprint.get("/vocabularies/growth/<any(english, chinese):language>.<any(svg, png):kind>")
def growth_file(language: str, kind: PictureKind) -> Response:
    """The chart of characters per token by vocabulary size in one language; `colours=dark` for the dark theme."""
    chart = next(panel.chart for panel in size_chart() if panel.chart.key == f"growth-{language}")
    return picture_file(chart_figure(chart), kind, f"growth-{language}")


def _answer(body: str, status: int, **address: str | int | None) -> Response:
    """The response, for htmx with the new address of the page."""
    response = make_response(body, status)
    swappable(response)
    if wants_partial():
        values: dict[str, Any] = {key: value for key, value in address.items() if value}
        # Changing the page adds to the history, typing does not.
        header = "HX-Push-Url" if "page" in request.args else "HX-Replace-Url"
        response.headers[header] = url_for(request.endpoint or "vocabularies.index", **values)
    return response


def _listed() -> ListContext:
    """The list that the address asks for."""
    find, show = request.args.get("find", ""), request.args.get("show", "")
    problem = too_long(find, listing.LONGEST_FIND)
    show = show if show in listing.filters() else ""
    groups = [] if problem else listing.shelf_groups(find, show)
    return ListContext(
        find=find,
        show=show,
        problem=problem,
        groups=groups,
        total=len(listing.entries()),
        fetching=any(row.state == "fetching" for group in groups for row in group.rows),
    )


def _list_page(listed: ListContext, upload_problem: InputProblem | None = None) -> ListPage:
    """The page with the list and the training record."""
    written = record()
    outputs = written["outputs"]
    kinds = {
        "English": _("English"),
        "Chinese, modern": _("Chinese, modern"),
        "Chinese, classical": _("Chinese, classical"),
        "Chinese, modern, traditional": _("Chinese, modern, in traditional characters"),
        "Chinese, classical, traditional": _("Chinese, classical, in traditional characters"),
        "code": _("Code"),
    }
    return ListPage(
        listed=listed,
        ready=sum(map(is_here, listing.entries())),
        filters=listing.filters(),
        sample=listing.SAMPLE,
        upload_problem=upload_problem,
        upload_limit=current_app.config["MAX_UPLOAD_BYTES"],
        record=written,
        rows=[(entry, outputs[f"{name}.json.gz"]) for name, entry in CATALOGUE.items() if f"{name}.json.gz" in outputs],
        shares=[(kinds.get(kind, kind), share) for kind, share in written["shares"].items()],
        dictionary_size=CATALOGUE["jieba"].size or 0,
        growth=size_chart(),
    )

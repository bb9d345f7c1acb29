"""`/vocabularies`: the list and the training record; `/vocabularies/NAME`: the contents of a vocabulary, and files."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response, abort, current_app, jsonify, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.algorithms import UNREADABLE
from webapp.core.analysis.pipeline_summary import pipeline_summary
from webapp.core.expansion import base_kind
from webapp.core.formats.fields import FormatError
from webapp.core.models import Model
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.ngram import NGram
from webapp.core.models.skipped_lines import NONE_SKIPPED
from webapp.core.models.word_models import WordModel
from webapp.jobs.surveying import stored_survey
from webapp.pages.vocabularies import downloads, listing, portrait_bars, samples, token_table
from webapp.pages.vocabularies.contexts import (
    FollowingContext,
    ListContext,
    ListPage,
    NGramsContext,
    RowContext,
    ShippedRow,
    TokensContext,
    VocabularyPage,
)
from webapp.pages.vocabularies.ngrams import LONGEST_WORD, neighbours_of, ngram_page
from webapp.pages.vocabularies.pipeline_settings import settings_of
from webapp.pages.vocabularies.responses import (
    error_page,
    short,
    unavailable_vocabulary,
    unknown_vocabulary,
    vocabulary_on_its_way,
)
from webapp.pages.vocabularies.size_chart import size_chart
from webapp.pages.vocabularies.special_tokens import special_lines
from webapp.rendering.markup import visible
from webapp.serializers.json import cached_for, json_response
from webapp.serializers.vocabulary import vocabulary_json
from webapp.tokenization.attempts import FIELD as UPLOAD_FIELD
from webapp.tokenization.attempts import store_upload, upload_limit
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.measures.article import article_measures
from webapp.tokenization.measures.table import language_lines, text_lines
from webapp.tokenization.messages import unavailable_problem, wrong_file
from webapp.tokenization.token_details import reason_title
from webapp.vocabularies import (
    CATALOGUE,
    CatalogueEntry,
    StillFetchingError,
    UnavailableVocabularyError,
    find,
    library,
    record,
    sizes_record,
    title_of,
    tokenizer_of,
)
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.library import is_here
from webapp.vocabularies.upload_cookie import remember_upload, uploads_of
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.localization import number
from webapp.web.problems import problem
from webapp.web.rates import stores_by_hash
from webapp.web.same_origin import is_foreign
from webapp.web.templates import render

SPECIAL_SHOWN = 300

blueprint = Blueprint("vocabularies", __name__)


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
    if name not in WELL_KNOWN:
        return unknown_vocabulary(name)
    library().retry(name)
    return row(name)


@blueprint.get("/vocabularies/<name>/row")
def row(name: str) -> BaseResponse:
    """The row of a vocabulary in the list, which asks for itself while the vocabulary is being downloaded."""
    entry = find(name)
    if entry is None or not listing.has_page(entry):
        return unknown_vocabulary(name)
    asked, show = (request.values.get(key, "")[: listing.LONGEST_FIND] for key in ("find", "show"))
    if not wants_partial():
        address = url_for("vocabularies.index", find=asked or None, show=show or None)
        return redirect(f"{address}#v-{name}", 303)
    (found,) = listing.shelf_rows([listing.line_of(entry)])
    return swappable(make_response(render(RowContext(row=found, find=asked, show=show))))


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
    """A vocabulary as JSON."""
    entry = find(name)
    if entry is None or not listing.has_page(entry):
        return problem(404, _("There is no vocabulary “%(name)s”.", name=short(name)))
    try:
        response = cached_for(json_response(vocabulary_json(entry, tokenizer_of(name))), 0)
        private(response)  # the title is in the visitor's language
        return response
    except UnavailableVocabularyError as error:
        told = unavailable_problem(error)
        return problem(told.status, told.message, headers={"Retry-After": "60"})
    except StillFetchingError:
        return problem(503, _("The vocabulary is still being downloaded."), headers={"Retry-After": "2"})


@blueprint.get("/vocabularies/<name>/<file>")
def download(name: str, file: str) -> Response:
    """A vocabulary as a file for other libraries; `file` is one of `downloads.FORMAT_OF`."""
    if file not in downloads.FORMAT_OF:
        abort(404)
    entry = find(name)
    if entry is None or not listing.has_page(entry):
        return unknown_vocabulary(name)
    try:
        if UNREADABLE in entry.algorithms and file == "tokenizer.json":
            content, _companion = library().uploads.content(name)
        else:
            content = downloads.content_of(tokenizer_of(name), file)
    except FormatError as error:
        why = _(
            "There is no %(file)s of “%(title)s”: %(why)s.", file=file, title=title_of(entry), why=wrong_file(error)
        )
        return error_page(404, why)
    except UnavailableVocabularyError as error:
        return unavailable_vocabulary(entry, error)
    except StillFetchingError:
        response = error_page(503, _("The vocabulary is still being downloaded. Try again in a moment."))
        response.headers["Retry-After"] = "5"
        return response
    response = Response(content, mimetype=downloads.FORMAT_OF[file].files[file])
    response.headers["Content-Disposition"] = f"attachment; filename={downloads.download_name(file, name)}"
    return private(cached_for(response, 0))  # an upload belongs to one visitor


@blueprint.get("/vocabularies/<name>")
def vocabulary(name: str) -> Response:
    """The contents of a vocabulary; `query` and `page` select its tokens."""
    entry = find(name)
    if entry is None or not listing.has_page(entry):
        return unknown_vocabulary(name)
    try:
        tokenizer = tokenizer_of(name)
    except UnavailableVocabularyError as error:
        return unavailable_vocabulary(entry, error)
    except StillFetchingError as waiting:
        return vocabulary_on_its_way(entry, waiting)
    entry = next((mine for mine in uploads_of(request) if mine.name == name), entry)  # with file name and training
    of_ngrams = _following(entry, tokenizer.model)
    if wants_partial() and "after" in request.args:
        status = 422 if of_ngrams.after_problem else 200
        return _answer(render(of_ngrams), status, name=name, after=of_ngrams.after)
    found = description_of(tokenizer)
    query = request.args.get("query", "")
    wrong, status, page, last = _too_long(query, token_table.LONGEST_QUERY), 422, None, None
    if wrong is None:
        try:
            page, status = token_table.page_of(tokenizer.model, found.tokens, query, request.args.get("page", "1")), 200
        except token_table.NoTokenPageError as error:
            wrong, status, last = _no_page(error.last), 404, error.last
    tokens = TokensContext(entry=entry, query=query, problem=wrong, page=page, last=last, visible=visible)
    if wants_partial():
        return _answer(render(tokens), status, name=name, **_kept(query, page))
    portrait = found.portrait
    dictionary = getattr(tokenizer.model, "dictionary", None)
    article = None if isinstance(tokenizer.model, WordModel) else article_measures(tokenizer)
    survey = stored_survey(name)
    context = VocabularyPage(
        tokens=tokens,
        of_ngrams=NGramsContext(ngrams=ngram_page(tokenizer.model), following=of_ngrams),
        title=title_of(entry),
        skipped=dictionary.skipped if isinstance(dictionary, Dictionary) else NONE_SKIPPED,
        line=listing.line_of(entry),
        portrait=portrait,
        highest_id=found.tokens.ids[-1] if found.tokens.ids else 0,
        pipeline=pipeline_summary(tokenizer),
        settings_of=settings_of,
        lengths=portrait_bars.length_bars(portrait),
        kinds=portrait_bars.kind_bars(portrait),
        longest=[token_table.longest_of(found.tokens, id) for id in portrait.longest],
        longest_words=[token_table.longest_of(found.tokens, id) for id in portrait.longest_words],
        special=special_lines(tokenizer),
        special_shown=SPECIAL_SHOWN,
        growth=size_chart(entry.name),
        sample=samples.TEXT,
        sample_tokens=samples.samples([entry]).get(entry.name),
        downloads=downloads.downloads_of(entry.name, tokenizer),
        survey=survey,
        reason_titles={reason_title(reason): count for reason, count in survey.reasons.items()} if survey else {},
        expandable=base_kind(tokenizer) is not None,
        article_lines=text_lines([article.english, article.chinese]) if article else [],
        language_lines=language_lines(article) if article else [],
        measures=url_for("measures.page", **{"with": f"{entry.algorithms[0]}:{entry.name}"}),  # type: ignore[arg-type]
    )
    response = _answer(render(context), status)
    return private(response) if entry.training else response


def _following(entry: CatalogueEntry, model: Model) -> FollowingContext:
    """The neighbours of the word `after` of the address, in an n-gram vocabulary."""
    word = request.args.get("after", "").strip()
    wrong = _too_long(word, LONGEST_WORD)
    found = neighbours_of(model, word) if word and not wrong and isinstance(model, NGram) else None
    return FollowingContext(entry=entry, after=word[:LONGEST_WORD], after_problem=wrong, neighbours=found)


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


def _kept(query: str, page: token_table.TokenPage | None) -> dict[str, str | int | None]:
    """The parameters of the address, without an empty query or the first page."""
    return {"query": query, "page": page.number if page and page.number > 1 else None}


def _too_long(query: str, limit: int) -> str | None:
    """The message for a search of more than `limit` characters, else None."""
    if len(query) <= limit:
        return None
    return _(
        "Search for at most %(limit)s characters; these are %(count)s.",
        limit=number(limit),
        count=number(len(query)),
    )


def _no_page(last: int) -> str:
    return _("There is no page %(page)s; the last is %(last)s.", page=short(request.args["page"]), last=number(last))


def _listed() -> ListContext:
    """The list that the address asks for."""
    find, show = request.args.get("find", ""), request.args.get("show", "")
    too_long = _too_long(find, listing.LONGEST_FIND)
    show = show if show in listing.filters() else ""
    groups = [] if too_long else listing.shelf_groups(find, show)
    return ListContext(
        find=find,
        show=show,
        problem=too_long,
        groups=groups,
        total=len(listing.entries()),
        fetching=any(row.state == "fetching" for group in groups for row in group.rows),
    )


def _list_page(listed: ListContext, upload_problem: InputProblem | None = None) -> ListPage:
    """The page with the list and the training record."""
    written = record()
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
        sample=samples.TEXT,
        upload_problem=upload_problem,
        upload_limit=current_app.config["MAX_UPLOAD_BYTES"],
        record=written,
        rows=[_row(name) for name in CATALOGUE if f"{name}.json.gz" in written["outputs"]],
        shares=[(kinds.get(kind, kind), share) for kind, share in written["shares"].items()],
        dictionary_size=CATALOGUE["jieba"].size or 0,
        growth=size_chart(),
    )


def _row(name: str) -> ShippedRow:
    output = record()["outputs"][f"{name}.json.gz"]
    return ShippedRow(
        title=title_of(CATALOGUE[name]),
        url=url_for("vocabularies.vocabulary", name=name),
        pieces=output["pieces"],
        seconds=sum(seconds for name, seconds in output.items() if name.startswith("seconds")),
        kilobytes=round(output["bytes"] / 1024),
    )

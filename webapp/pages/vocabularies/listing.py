"""`/vocabularies`: the list of all vocabularies, filtered, searched, each with a sample; uploads and the record."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal

from flask import Response, abort, jsonify, make_response, redirect, request, url_for
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.algorithms import family_of
from webapp.core.text.split_patterns import TextError
from webapp.pages.vocabularies.found import answer, blueprint, entry_of, origin_of, require_short
from webapp.pages.vocabularies.growth import GrowthPanel, size_chart
from webapp.rendering.markup import Painter
from webapp.storage import UnavailableStorageError
from webapp.tokenization.algorithms import algorithm_names, leading_algorithms
from webapp.tokenization.attempts import FIELD as UPLOAD_FIELD
from webapp.tokenization.attempts import store_upload, upload_limit
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import is_independent
from webapp.vocabularies import (
    CATALOGUE,
    CatalogueEntry,
    StillFetchingError,
    UnavailableVocabularyError,
    library,
    offered_algorithms,
    record,
    tokenizer_of,
    well_known,
)
from webapp.vocabularies.fetching import FetchError
from webapp.vocabularies.library import is_here
from webapp.vocabularies.shipped_vocabularies import NAMES
from webapp.vocabularies.titles import matches
from webapp.vocabularies.upload_cookie import remember_upload, uploads_of
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.htmx import swappable, wants_partial
from webapp.web.rates import stores_by_hash
from webapp.web.security import is_foreign
from webapp.web.templates import Context, Page, render

LONGEST_FIND = 100  # characters
SAMPLE = "tokenization 分词"
SAMPLE_SECONDS = 0.3
"""How long one page may load vocabularies for their samples; the others have theirs the next time."""
_CACHED = 1_000  # samples of a process, which are short

_samples: dict[str, Markup] = {}


@dataclass(frozen=True)
class ShelfRow:
    """A row of the list: a vocabulary, how it splits the sample, and its state.

    A vocabulary is `ready`, `fetching`, or to be fetched: `missing`, or `failed` if that did not work a moment ago.
    """

    entry: CatalogueEntry
    state: Literal["ready", "fetching", "missing", "failed"]
    sample: Markup | None = None  # None if it is not known yet
    is_late: bool = False  # whether the row asks for the sample again
    percent: int | None = None  # of a file that is being downloaded, None while its size is unknown
    problem: str = ""  # why fetching failed
    bytes: int = 0  # to fetch, 0 if that is not known

    @property
    def shelf(self) -> str:
        """The part of the list that has the row; one that is being downloaded stays where it was."""
        if self.entry.origin == "uploaded":
            return "yours"
        if self.entry.name in NAMES:
            return "teaching"
        return "ready" if self.state == "ready" else "missing"


@dataclass(frozen=True, kw_only=True)
class ListContext(Context):
    """The vocabularies that a search and a filter find, for htmx."""

    template = "vocabularies/_list.html"

    find: str  # the search
    show: str  # the chosen one of `filters`
    problem: InputProblem | None = None
    rows: Sequence[ShelfRow] = ()
    total: int  # number of all vocabularies


@dataclass(frozen=True, kw_only=True)
class RowContext(Context):
    """A row of the list, for htmx."""

    template = "vocabularies/_row.html"

    row: ShelfRow
    find: str  # the search and the filter of the list, for a form in the row
    show: str


@dataclass(frozen=True, kw_only=True)
class ListPage(Page):
    """The list of all vocabularies, and the training record of the shipped ones."""

    template = "vocabularies/index.html"

    listed: ListContext
    ready: int  # number of vocabularies that need no fetching
    filters: Mapping[str, str]  # the kinds of vocabularies to show: value in the address, title
    upload_problem: InputProblem | None
    record: Mapping[str, Any]  # the content of `RECORD.json`
    growth: Sequence[GrowthPanel]  # characters per token by vocabulary size
    catalogue: Mapping[str, CatalogueEntry]  # the shipped vocabularies
    sample: str = SAMPLE  # the text that each row splits


@blueprint.get("/vocabularies")
def index() -> Response:
    """The list of all vocabularies, searched by `find` and filtered by `show`, and the record of the training."""
    listed = _listed()
    if wants_partial():
        return answer(render(listed), listed.problem, find=listed.find, show=listed.show)
    return answer(render(_list_page(listed)), listed.problem)


@blueprint.post("/vocabularies")
@stores_by_hash
def upload() -> BaseResponse:
    """Check and store an uploaded vocabulary, and show its page."""
    if is_foreign(request):
        abort(HTTPStatus.FORBIDDEN)
    request.max_content_length = upload_limit()
    files = request.files.getlist(UPLOAD_FIELD)
    try:
        uploaded = store_upload(files)
    except InputProblem as problem:
        return answer(render(_list_page(_listed(), problem)), problem)
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
    find, show = (request.values.get(key, "")[:LONGEST_FIND] for key in ("find", "show"))
    if not wants_partial():
        address = url_for("vocabularies.index", find=find or None, show=show or None)
        return redirect(f"{address}#v-{name}", 303)
    (found,) = _rows([entry])
    return swappable(make_response(render(RowContext(row=found, find=find, show=show))))


@blueprint.get("/vocabularies/RECORD.json")
def written_record() -> Response:
    """The record of how the shipped vocabularies were trained."""
    return jsonify(record())


def _listed() -> ListContext:
    """The list that the address asks for: vocabularies whose names or origin contain every word of the search."""
    find, show = request.args.get("find", ""), request.args.get("show", "")
    context = ListContext(find=find, show=show if show in _filters() else "", total=len(entries()))
    try:
        require_short(find, LONGEST_FIND)
    except InputProblem as problem:
        return ListContext(**vars(context) | {"problem": problem})
    found = []
    for entry in entries():
        origin = origin_of(entry).casefold()
        words = " ".join(word for word in find.split() if word.casefold() not in origin)
        if matches(entry, words) and _belongs(entry, context.show):
            found.append(entry)
    return ListContext(**vars(context) | {"rows": _rows(found)})


def _list_page(listed: ListContext, upload_problem: InputProblem | None = None) -> ListPage:
    """The page with the list and the training record."""
    return ListPage(
        listed=listed,
        ready=sum(map(is_here, entries())),
        filters=_filters(),
        upload_problem=upload_problem,
        record=record(),
        growth=size_chart(),
        catalogue=CATALOGUE,
    )


def _filters() -> dict[str, str]:
    """The choices of the list by their values in the address: all, what is ready, and each kind of vocabulary."""
    kinds = [id for id in leading_algorithms(offered_algorithms()) if family_of(id) != "dictionary"]
    names = algorithm_names()
    return {"": _("All"), "ready": _("Ready"), **{id: names[id] for id in kinds}, "dictionary": _("Dictionaries")}


def _belongs(entry: CatalogueEntry, show: str) -> bool:
    """Whether a vocabulary is of a kind of `_filters`."""
    if show == "ready":
        return is_here(entry)
    return not show or show in (*entry.algorithms, family_of(entry.algorithms[0]))


def entries() -> list[CatalogueEntry]:
    """Every vocabulary that has a page: the visitor's uploads, well-known ones, then shipped ones."""
    return [*uploads_of(request), *well_known(), *filter(is_independent, CATALOGUE.values())]


def _rows(found: Sequence[CatalogueEntry]) -> list[ShelfRow]:
    """The rows of some vocabularies; of several, those ask again whose sample takes too long for one page."""
    here = samples(filter(is_here, found))
    return [_row(entry, here.get(entry.name), several=len(found) > 1) for entry in found]


def _row(entry: CatalogueEntry, sample: Markup | None, *, several: bool) -> ShelfRow:
    if is_here(entry):
        return ShelfRow(entry, "ready", sample, is_late=sample is None and several)
    fetcher, known = library().fetcher, WELL_KNOWN[entry.name]
    progress = fetcher.progress(known.name)
    if progress is not None:
        percent = min(99, 100 * progress.read // progress.total) if progress.total else None
        return ShelfRow(entry, "fetching", percent=percent)
    try:
        fetcher.result(known)
    except FetchError as error:
        return ShelfRow(entry, "failed", problem=error.sentence(), bytes=known.download_size)
    return ShelfRow(entry, "missing", bytes=known.download_size)


def samples(found: Iterable[CatalogueEntry]) -> dict[str, Markup]:
    """The tokens of the sample with vocabularies that need no fetching, by name.

    Vocabularies in memory come first; others are loaded as long as `SAMPLE_SECONDS` have not passed.
    """
    until = time.monotonic() + SAMPLE_SECONDS
    in_memory = library().loaded.has
    names = [each.name for each in sorted(found, key=lambda each: each.load is None and not in_memory(each.name))]
    for name in names:
        if name not in _samples and time.monotonic() < until:
            if len(_samples) >= _CACHED:
                _samples.clear()
            try:
                _samples[name] = Painter(tokenizer_of(name).encode(SAMPLE)).html()
            except (StillFetchingError, UnavailableVocabularyError, UnavailableStorageError, TextError, KeyError):
                continue  # a vocabulary that cannot be used
    return {name: sample for name in names if (sample := _samples.get(name)) is not None}

"""`/vocabularies`: the list of all vocabularies, each with a sample; uploads, and how those of the site were made."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from flask import Response, jsonify, make_response, redirect, request, url_for
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.algorithms import family_of, finds_words
from webapp.core.formats.tiktoken import ENCODINGS
from webapp.core.text.split_patterns import TextError
from webapp.pages.vocabularies.found import answer, blueprint, entry_of, origin_of, too_long
from webapp.pages.walkthrough.engine import PictureKind, picture_file
from webapp.rendering.charts import LineChart, Series, chart_figure, linear, logarithmic
from webapp.rendering.markup import Painter
from webapp.storage import UnavailableStorageError
from webapp.tokenization.algorithms import algorithm_names, leading_algorithms
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import is_independent
from webapp.tokenization.messages import FIELD as UPLOAD_FIELD
from webapp.tokenization.messages import PATTERN_FIELD, store_repository, store_upload, upload_limit
from webapp.vocabularies import (
    CATALOGUE,
    CatalogueEntry,
    StillFetchingError,
    UnavailableVocabularyError,
    library,
    offered_algorithms,
    record,
    sizes_record,
    tokenizer_of,
    well_known,
)
from webapp.vocabularies.fetching import FetchError
from webapp.vocabularies.library import is_here
from webapp.vocabularies.shipped_vocabularies import NAMES
from webapp.vocabularies.titles import matches
from webapp.vocabularies.upload_cookie import remember_upload, uploads_of
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.errors import forbid_foreign
from webapp.web.htmx import swappable, wants_partial
from webapp.web.localization import number
from webapp.web.rates import stores_by_hash
from webapp.web.templates import Context, Page, render

MARKED = (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
NAMED = (500, 2_000, 8_000, 32_000)


@dataclass(frozen=True)
class GrowthPanel:
    """The chart of one language and its table: a row per size, a column per vocabulary, None without a figure."""

    chart: LineChart
    rows: Sequence[tuple[int, Sequence[float | None]]]


def size_chart(vocabulary: str | None = None) -> list[GrowthPanel]:
    """A panel for each held-out text, with the line of `vocabulary` emphasized; empty if it has no line."""
    record = sizes_record()
    if vocabulary is not None and vocabulary not in record["vocabularies"]:
        return []
    titles = {"English": _("English: “Pride and Prejudice”"), "Chinese": _("Chinese: essays by Lu Xun")}
    labels = {"bpe-bytes": _("BPE, bytes"), "bpe-characters": _("BPE, %(suffix)s", suffix="</w>")}
    labels = {name: algorithm_names()[CATALOGUE[name].algorithms[0]] for name in record["vocabularies"]} | labels
    panels = []
    for language, text in record["texts"].items():
        found: dict[str, dict[int, float]] = {
            name: {one["pieces"]: text["characters"] / one["tokens"][language] for one in line}
            for name, line in record["vocabularies"].items()
        }
        address = {"endpoint": "vocabularies.growth_file", "language": language.lower()}
        chart = LineChart(
            key=f"growth-{language.lower()}",
            title=titles[language],
            description=_("Characters per token, by size of the vocabulary"),
            x=logarithmic(_("pieces in the vocabulary"), MARKED[0], MARKED[-1], MARKED, number, NAMED),
            y=linear(_("characters per token"), [value for line in found.values() for value in line.values()], number),
            files=tuple((kind.upper(), url_for(**address, kind=kind)) for kind in ("svg", "png")),
            series=tuple(Series(labels[name], tuple(line.items()), name == vocabulary) for name, line in found.items()),
        )
        sizes = sorted({pieces for line in found.values() for pieces in line})
        panels.append(GrowthPanel(chart, [(size, [line.get(size) for line in found.values()]) for size in sizes]))
    return panels


for function in (record, size_chart, finds_words):
    blueprint.add_app_template_global(function)


@blueprint.get("/vocabularies/growth/<any(english, chinese):language>.<any(svg, png):kind>")
def growth_file(language: str, kind: PictureKind) -> Response:
    """The chart of characters per token by vocabulary size in one language; `colours=dark` for the dark theme."""
    chart = next(panel.chart for panel in size_chart() if panel.chart.key == f"growth-{language}")
    return picture_file(chart_figure(chart), kind, f"growth-{language}")


@blueprint.get("/vocabularies/SIZES.json")
def written_sizes() -> Response:
    """The figures of the chart."""
    return jsonify(sizes_record())


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


class ListContext(Context):
    """The vocabularies that a search and a filter find, for htmx."""

    template = "vocabularies/_list.html"

    find: str  # the search
    show: str  # the chosen one of `filters`
    problem: InputProblem | None
    rows: Sequence[ShelfRow]
    total: int  # number of all vocabularies


class RowContext(Context):
    """A row of the list, for htmx."""

    template = "vocabularies/_row.html"

    row: ShelfRow
    find: str  # the search and the filter of the list, for a form in the row
    show: str


class ListPage(Page):
    """The list of all vocabularies, and the training record of the shipped ones."""

    template = "vocabularies/index.html"

    listed: ListContext
    ready: int  # number of vocabularies that need no fetching
    filters: Mapping[str, str]  # the kinds of vocabularies to show: value in the address, title
    upload_problem: InputProblem | None
    encodings: Sequence[str]  # the names that an upload may give for its split pattern
    any_repository: bool
    given: Mapping[str, str]  # what the visitor sent
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
    forbid_foreign()
    request.max_content_length = upload_limit()
    files = request.files.getlist(UPLOAD_FIELD)
    try:
        uploaded = store_upload(files, request.form.get(PATTERN_FIELD, ""))
    except InputProblem as problem:
        return answer(render(_list_page(_listed(), problem)), problem)
    response = make_response(redirect(url_for("vocabularies.vocabulary", name=uploaded.name), 303))
    remember_upload(response, uploaded.name, files[0].filename or "", uploads_of(request))
    return response


@blueprint.post("/vocabularies/repository")
@stores_by_hash
def fetch_repository() -> BaseResponse:
    """Fetch the vocabulary file of a repository on the hub, store it like an upload, and show its page."""
    forbid_foreign()
    try:
        stored, label = store_repository(*(request.form.get(name, "") for name in ("repository", "revision", "path")))
    except InputProblem as problem:
        return answer(render(_list_page(_listed(), problem)), problem)
    response = make_response(redirect(url_for("vocabularies.vocabulary", name=stored.name), 303))
    remember_upload(response, stored.name, label, uploads_of(request))
    return response


@blueprint.post("/vocabularies/<name>/fetch")
def fetch(name: str) -> BaseResponse:
    """Start to fetch a well-known vocabulary, and show the list with its progress."""
    forbid_foreign()
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
    show, every = show if show in _filters() else "", entries()
    problem = too_long(find, LONGEST_FIND)
    found = [] if problem else [entry for entry in every if _is_found(entry, find) and _belongs(entry, show)]
    return ListContext(find=find, show=show, problem=problem, rows=_rows(found), total=len(every))


def _is_found(entry: CatalogueEntry, find: str) -> bool:
    origin = origin_of(entry).casefold()
    return matches(entry, " ".join(word for word in find.split() if word.casefold() not in origin))


def _list_page(listed: ListContext, upload_problem: InputProblem | None = None) -> ListPage:
    ready = sum(map(is_here, entries()))
    return ListPage(
        listed=listed,
        ready=ready,
        filters=_filters(),
        upload_problem=upload_problem,
        encodings=list(ENCODINGS),
        any_repository=library().fetcher.any_repository,
        given=request.form,
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

"""The list of all vocabularies: grouped by where they come from, filtered by kind, searched, each with a sample."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from flask import request, url_for
from flask_babel import gettext as _
from markupsafe import Markup

from webapp.core.algorithms import family_of
from webapp.core.text.split_patterns import TextError
from webapp.rendering.markup import Painter
from webapp.storage import UnavailableStorageError
from webapp.tokenization.algorithms import algorithm_names, leading_algorithms
from webapp.vocabularies import (
    CATALOGUE,
    CatalogueEntry,
    StillFetchingError,
    UnavailableVocabularyError,
    library,
    offered_algorithms,
    title_of,
    tokenizer_of,
    well_known,
)
from webapp.vocabularies.fetching import FetchError
from webapp.vocabularies.library import is_here
from webapp.vocabularies.messages import sentence
from webapp.vocabularies.search import matches
from webapp.vocabularies.shipped_vocabularies import NAMES
from webapp.vocabularies.titles import SAME_CORPUS
from webapp.vocabularies.upload_cookie import uploads_of
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.localization import join_list
from webapp.web.templates import Context, Page

LONGEST_FIND = 100  # characters
SAMPLE = "tokenization 分词"
SAMPLE_SECONDS = 0.3
"""How long one page may load vocabularies for their samples; the others have theirs the next time."""
_CACHED = 1_000  # samples of a process, which are short

_samples: dict[str, Markup] = {}

RowState = Literal["ready", "fetching", "missing", "failed"]


@dataclass(frozen=True)
class VocabularyLine:
    """A vocabulary in the list."""

    entry: CatalogueEntry
    title: str
    origin: str
    page: str
    playground: str

    @property
    def algorithms(self) -> str:
        """The names of the algorithms that use it."""
        names = algorithm_names()
        return join_list(names[algorithm] for algorithm in self.entry.algorithms)

    def holds(self, words: Iterable[str]) -> bool:
        """Whether the line contains all `words`, which are case-folded."""
        entry = self.entry
        said = " ".join((entry.name, self.title, entry.family, entry.licence, self.origin, *entry.algorithms))
        said = said.casefold()
        return all(word in said for word in words)


@dataclass(frozen=True)
class ShelfRow:
    """A row of the list: a vocabulary, how it splits the sample, and its state.

    A vocabulary is `ready`, `fetching`, or to be fetched: `missing`, or `failed` if that did not work a moment ago.
    """

    line: VocabularyLine
    state: RowState
    sample: Markup | None = None  # None if it is not known yet
    is_late: bool = False  # whether the row asks for the sample again
    percent: int | None = None  # of a file that is being downloaded, None while its size is unknown
    problem: str = ""  # why fetching failed
    bytes: int = 0  # to fetch, 0 if that is not known

    @property
    def name(self) -> str:
        """The title without the machine name, which stands below it: `GPT-4o: o200k_base → GPT-4o`."""
        return self.line.title.removesuffix(f": {self.line.entry.name}")


@dataclass(frozen=True)
class ShelfGroup:
    """Rows with a heading."""

    title: str
    hint: str
    rows: Sequence[ShelfRow]
    is_compact: bool  # whether rows stand side by side, because they have no sample


@dataclass(frozen=True, kw_only=True)
class ListContext(Context):
    """The vocabularies that match a search, for htmx."""

    template = "vocabularies/_list.html"

    find: str  # the search
    show: str  # the chosen one of `filters`
    problem: str | None
    groups: Sequence[ShelfGroup]
    total: int  # number of all vocabularies
    fetching: bool  # whether one of them is being downloaded


@dataclass(frozen=True, kw_only=True)
class RowContext(Context):
    """A row of the list, for htmx."""

    template = "vocabularies/_row.html"

    row: ShelfRow
    find: str  # the search and the filter of the list, for a form in the row
    show: str


@dataclass(frozen=True, kw_only=True)
class HeadedPage(Page):
    """The variables of `vocabularies/_head.html`."""

    line: VocabularyLine


def filters() -> dict[str, str]:
    """The choices of the list by their values in the address: all, what is ready, and each kind of vocabulary."""
    choices = {"": _("All"), "ready": _("Ready")}
    dictionaries = {}
    for algorithm in leading_algorithms(offered_algorithms()):
        if family_of(algorithm) == "dictionary":
            dictionaries["dictionary"] = _("Dictionaries")
        else:
            choices[algorithm] = algorithm_names()[algorithm]
    return choices | dictionaries


def shelf_groups(find: str = "", show: str = "") -> list[ShelfGroup]:
    """The vocabularies whose line contains every word of `find`, of the kind `show`, in groups that are not empty."""
    words = find.casefold().split()
    lines = [line for line in map(line_of, entries()) if line.holds(words) or matches(line.entry, find)]
    rows = shelf_rows([line for line in lines if _belongs(line.entry, show)])
    shelves: dict[str, tuple[str, str]] = {
        "yours": (_("Your uploads"), ""),
        "ready": (_("Ready"), ""),
        "teaching": (str(SAME_CORPUS), _("Where two of them split a text differently, only the algorithm differs.")),
        "missing": (_("Downloaded on first use"), _("Once downloaded, it shows how it splits the sample.")),
    }
    groups = {
        shelf: ShelfGroup(title, hint, [row for row in rows if _shelf(row) == shelf], is_compact=shelf == "missing")
        for shelf, (title, hint) in shelves.items()
    }
    return [group for group in groups.values() if group.rows]


def _shelf(row: ShelfRow) -> str:
    """The shelf of a row; one that is being downloaded stays where it was."""
    entry = row.line.entry
    if entry.origin == "uploaded":
        return "yours"
    if entry.name in NAMES:
        return "teaching"
    return "ready" if row.state == "ready" else "missing"


def shelf_rows(lines: Sequence[VocabularyLine]) -> list[ShelfRow]:
    """The rows of some vocabularies; of several, those ask again whose sample takes too long for one page."""
    here = samples(line.entry for line in lines if is_here(line.entry))
    return [_row(line, here.get(line.entry.name), several=len(lines) > 1) for line in lines]


def _row(line: VocabularyLine, sample: Markup | None, *, several: bool) -> ShelfRow:
    known = WELL_KNOWN.get(line.entry.name)
    if known is None or is_here(line.entry):
        return ShelfRow(line, "ready", sample, is_late=sample is None and several)
    fetcher = library().fetcher
    progress = fetcher.progress(known.name)
    if progress is not None:
        percent = min(99, 100 * progress.read // progress.total) if progress.total else None
        return ShelfRow(line, "fetching", percent=percent)
    try:
        fetcher.result(known)
    except FetchError as error:
        return ShelfRow(line, "failed", problem=sentence(error), bytes=known.download_size)
    return ShelfRow(line, "missing", bytes=known.download_size)


def _belongs(entry: CatalogueEntry, show: str) -> bool:
    """Whether a vocabulary is of a kind of `filters`."""
    if show == "ready":
        return is_here(entry)
    return not show or show in (*entry.algorithms, family_of(entry.algorithms[0]))


def entries() -> list[CatalogueEntry]:
    """Every vocabulary that has a page: the visitor's uploads, well-known ones, then shipped ones."""
    return [*uploads_of(request), *well_known(), *(entry for entry in CATALOGUE.values() if has_page(entry))]


def has_page(entry: CatalogueEntry) -> bool:
    """Whether a vocabulary has a page: not if it is trained on or pasted in the visitor's text."""
    return entry.origin not in ("learned", "pasted")


def line_of(entry: CatalogueEntry) -> VocabularyLine:
    """The line of an entry."""
    return VocabularyLine(
        entry,
        title_of(entry),
        _origin_of(entry),
        page=url_for("vocabularies.vocabulary", name=entry.name),
        playground=url_for("playground.page", algorithm=entry.algorithms[0], vocabulary=entry.name),
    )


def similar_vocabularies(name: str) -> list[VocabularyLine]:
    """The vocabularies whose name or title is most like `name`, at most five."""
    lines = list(map(line_of, entries()))
    called: dict[str, VocabularyLine] = {}
    for line in lines:
        called.setdefault(line.entry.name.casefold(), line)
        called.setdefault(line.title.casefold(), line)
    wanted = name.casefold()[:LONGEST_FIND]
    letters = _letters(wanted)
    alike = [called[key] for key in get_close_matches(wanted, called, n=5, cutoff=0.5)]
    alike += [line for line in lines if len(letters) > 2 and letters in _letters(f"{line.entry.name} {line.title}")]
    return list({line.entry.name: line for line in alike}.values())[:5]


def _letters(name: str) -> str:
    """A name's letters and digits: `GPT-3: r50k → gpt3r50k`."""
    return "".join(filter(str.isalnum, name.casefold()))


def _origin_of(entry: CatalogueEntry) -> str:
    """Where a vocabulary comes from, in a few words."""
    known = WELL_KNOWN.get(entry.name)
    is_here = known is not None and library().fetcher.has(known)
    return {
        "shipped": _("ships with this site"),
        "fetched": _("downloaded from its publisher") if is_here else _("downloaded from its publisher on first use"),
        "uploaded": _("uploaded"),
    }.get(entry.origin, "")


def samples(entries: Iterable[CatalogueEntry]) -> dict[str, Markup]:
    """The tokens of the sample with vocabularies that need no fetching, by name.

    Vocabularies in memory come first; others are loaded as long as `SAMPLE_SECONDS` have not passed.
    """
    found = {}
    until = time.monotonic() + SAMPLE_SECONDS
    in_memory = library().loaded.has
    for entry in sorted(entries, key=lambda entry: entry.load is None and not in_memory(entry.name)):
        sample = _samples.get(entry.name)
        if sample is None and time.monotonic() < until:
            sample = _sample(entry.name)
        if sample is not None:
            found[entry.name] = sample
    return found


def _sample(name: str) -> Markup | None:
    """The tokens of the sample as HTML, kept for the next time; None if the vocabulary cannot be used."""
    try:
        encoding = tokenizer_of(name).encode(SAMPLE)
        sample = Painter(encoding).html()
    except (StillFetchingError, UnavailableVocabularyError, UnavailableStorageError, TextError, KeyError):
        return None
    if len(_samples) >= _CACHED:
        _samples.clear()
    _samples[name] = sample
    return sample

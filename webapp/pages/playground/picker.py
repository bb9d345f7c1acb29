"""The vocabulary picker: a list for each algorithm, and a search by name over all vocabularies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from flask_babel import gettext as _
from markupsafe import Markup

from webapp.core.algorithms import ALGORITHMS
from webapp.tokenization.algorithms import joined_names, leading_algorithms
from webapp.tokenization.state import State
from webapp.vocabularies import (
    CATALOGUE,
    LIMITS,
    CatalogueEntry,
    default_for,
    entries_for,
    library,
    title_of,
    well_known,
)
from webapp.vocabularies.library import is_here
from webapp.vocabularies.search import matches
from webapp.vocabularies.titles import grouped
from webapp.vocabularies.upload_cookie import with_chosen

LONGEST_QUERY = 100


@dataclass(frozen=True)
class VocabularyPicker:
    """The picker's content: `uploads` are the visitor's vocabularies, newest first, `query` is the search text."""

    state: State
    uploads: Sequence[CatalogueEntry] = ()
    query: str = ""

    @cached_property
    def algorithms(self) -> list[str]:
        """The algorithms with at least one vocabulary, shipped, uploaded or well-known."""
        return [algorithm for algorithm in ALGORITHMS if self._entries[algorithm]]

    @property
    def rows(self) -> list[list[str]]:
        """The algorithms in rows of at most three: maximum matching, those with probabilities of words, the others."""
        groups: dict[int, list[str]] = {}
        for name in self.algorithms:
            algorithm = ALGORITHMS[name]
            words = algorithm.family in ("dictionary", "word model")
            groups.setdefault(0 if algorithm.direction else 1 if words else 2, []).append(name)
        return [names[at : at + 3] for _group, names in sorted(groups.items()) for at in range(0, len(names), 3)]

    @cached_property
    def lists(self) -> dict[str, int]:
        """The leading algorithm of each list → the number of the list; the methods with a dictionary share one."""
        return {algorithm: number for number, algorithm in enumerate(leading_algorithms(self.algorithms), 1)}

    def list_of(self, algorithm: str) -> int:
        """The number of the list that an algorithm uses; the stylesheet shows that list."""
        kind = ALGORITHMS[algorithm].vocabulary_kind
        return next(n for leading, n in self.lists.items() if ALGORITHMS[leading].vocabulary_kind == kind)

    def selected(self, algorithm: str) -> str:
        """The vocabulary that the list of an algorithm starts with: well-known ones come first, but must be fetched."""
        kind = ALGORITHMS[algorithm].vocabulary_kind
        current = ALGORITHMS[self.state.algorithm].vocabulary_kind == kind
        return self.state.vocabulary if current else default_for(algorithm)

    def option(self, algorithm: str, entry: CatalogueEntry, selected: str) -> Markup:
        """A vocabulary in the list of an algorithm; an arrow says that choosing it downloads it first."""
        downloads = entry.origin == "fetched" and entry.name not in self._on_disk
        return _option(algorithm, entry, title_of(entry), entry.name == selected, downloads)

    @cached_property
    def _on_disk(self) -> frozenset[str]:
        return library().fetcher.disk_cache.names()

    def groups(self, algorithm: str) -> list[tuple[str, list[CatalogueEntry]]]:
        """The vocabularies for one algorithm."""
        return grouped(self._entries[algorithm])

    def found(self) -> list[tuple[str, list[CatalogueEntry]]]:
        """The vocabularies whose name contains every word of the query, by the names of their algorithms."""
        groups = []
        for algorithm in leading_algorithms(self.algorithms):
            entries = [entry for entry in self._entries[algorithm] if matches(entry, self.query)]
            if entries:
                groups.append((joined_names(algorithm), entries))
        return groups

    @cached_property
    def _entries(self) -> dict[str, list[CatalogueEntry]]:
        common = (*with_chosen(self.uploads, [self.state.vocabulary]), *well_known())
        return {
            algorithm: [entry for entry in (*common, *entries_for(algorithm)) if algorithm in entry.algorithms]
            for algorithm in ALGORITHMS
        }


@lru_cache(maxsize=1024)  # a page has 100, which took a fifth of its time
def _option(algorithm: str, entry: CatalogueEntry, title: str, is_selected: bool, downloads: bool) -> Markup:
    classes, size = fields_of(algorithm, entry), _size_beside(title, entry)
    return Markup('<option value="{}"{}{}>{}{}{}</option>').format(
        entry.name,
        Markup(" selected") if is_selected else "",
        Markup(' class="{}"').format(classes) if classes else "",
        title,
        f" · {size}" if size else "",
        " ↓" if downloads else "",
    )


def takes(algorithm: str) -> str:
    """The CSS classes for the form fields that apply to every vocabulary of an algorithm: `has-hmm has-mode`."""
    record = ALGORITHMS[algorithm]
    names = [option.name for option in record.common_options] + [choice.name for choice in record.choices]
    if len(record.inferences) > 1:
        names += ["inference", *record.inferences[1:]]
    return " ".join(f"has-{name}" for name in names)


def fields_of(algorithm: str, entry: CatalogueEntry) -> str:
    """The CSS classes for the form fields that apply to a vocabulary: `takes-size takes-merges takes-special`."""
    record = ALGORITHMS[algorithm]
    options = record.options if entry.name in CATALOGUE else record.external_options
    fields = [option.name for option in options]
    if entry.origin == "pasted":
        fields.append("dictionary")
    if entry.name in LIMITS:
        fields += ["size", LIMITS[entry.name].unit]
    elif entry.origin == "learned":
        fields.append("size")  # without a number: the training text
    return " ".join(f"takes-{field}" for field in fields)


def origin_of(entry: CatalogueEntry) -> str:
    """Where a vocabulary comes from, in the reader's language."""
    return {
        "shipped": _("ships with this site"),
        "learned": _("trained on your text"),
        "pasted": _("your own words"),
        "fetched": _("ready") if is_here(entry) else _("downloaded on first use"),
        "uploaded": _("uploaded"),
    }[entry.origin]


def _size_beside(title: str, entry: CatalogueEntry) -> str:
    """The number of ids, abbreviated (`100,277 → 100k`); empty where the visitor chooses it or the title has it."""
    if entry.size is None:
        return ""
    size = f"{round(entry.size / 1000)}k" if entry.size >= 1000 else str(entry.size)
    return "" if size in title.replace("，", " ").split() else size

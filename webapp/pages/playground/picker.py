"""The picker of vocabularies: a list for each algorithm, and one of all that can be searched by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.algorithms import ALGORITHMS
from webapp.tokenization.algorithms import joined_names, leading_algorithms
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, LIMITS, CatalogueEntry, entries_for, well_known
from webapp.vocabularies.library import is_here
from webapp.vocabularies.search import matches
from webapp.vocabularies.titles import by_family
from webapp.vocabularies.upload_cookie import with_chosen

LONGEST_QUERY = 100


@dataclass(frozen=True)
class VocabularyPicker:
    """What the picker offers: `uploads` are the visitor's own, newest first, `query` what is searched for."""

    state: State
    uploads: Sequence[CatalogueEntry] = ()
    query: str = ""

    @property
    def algorithms(self) -> list[str]:
        """Those that there is a vocabulary for, the site's own or one that the visitor brought."""
        return [algorithm for algorithm in ALGORITHMS if self._entries(algorithm)]

    @property
    def lists(self) -> dict[str, int]:
        """One algorithm for each list of vocabularies, with the number of the list; FMM and BMM share the first."""
        return {algorithm: number for number, algorithm in enumerate(leading_algorithms(self.algorithms), 1)}

    def list_of(self, algorithm: str) -> int:
        """The number of the list that an algorithm uses, by which the stylesheet shows it."""
        kind = ALGORITHMS[algorithm].vocabulary_kind
        return next(n for leading, n in self.lists.items() if ALGORITHMS[leading].vocabulary_kind == kind)

    def groups(self, algorithm: str) -> list[tuple[str, list[CatalogueEntry]]]:
        """The vocabularies for one algorithm: the site's own without a heading, the others under their family."""
        own = entries_for(algorithm)
        others = [entry for entry in self._entries(algorithm) if entry.name not in CATALOGUE]
        grouped = by_family(others)
        return [("", own), *grouped] if own else grouped

    def found(self) -> list[tuple[str, list[CatalogueEntry]]]:
        """All vocabularies whose name holds every word of the query, under the names of their algorithms."""
        groups = []
        for algorithm in leading_algorithms(self.algorithms):
            entries = [entry for entry in self._entries(algorithm) if matches(entry, self.query)]
            if entries:
                groups.append((joined_names(algorithm), entries))
        return groups

    def _entries(self, algorithm: str) -> list[CatalogueEntry]:
        uploads = with_chosen(self.uploads, [self.state.vocabulary])
        return [entry for entry in (*entries_for(algorithm), *uploads, *well_known()) if algorithm in entry.algorithms]


def fields_of(algorithm: str, entry: CatalogueEntry) -> str:
    """CSS classes that say which fields of the form apply to a vocabulary: `takes-size takes-merges takes-special`."""
    record = ALGORITHMS[algorithm]
    options = record.options if entry.name in CATALOGUE else record.external_options
    fields = [option.name for option in options]
    if entry.origin == "pasted":
        fields.append("dictionary")
    if entry.name in LIMITS:
        fields += ["size", LIMITS[entry.name].unit]
    return " ".join(f"takes-{field}" for field in fields)


def origin(entry: CatalogueEntry) -> str:
    """Where a vocabulary comes from, in the reader's language."""
    return {
        "shipped": _("ships with this site"),
        "learned": _("learned here from your text"),
        "pasted": _("your own words"),
        "fetched": _("fetched") if is_here(entry) else _("fetched on first use"),
        "uploaded": _("uploaded"),
    }[entry.origin]


def size(entry: CatalogueEntry) -> str:
    """The number of ids, short: `100,277 → 100k`; empty where the visitor decides it."""
    if entry.size is None:
        return ""
    return f"{round(entry.size / 1000)}k" if entry.size >= 1000 else str(entry.size)

"""The playground's form: example texts, the picker of vocabularies, and the contexts of the templates."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.algorithms import ALGORITHMS, Algorithm
from webapp.tokenization.algorithms import joined_names, leading_algorithms
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.sharing.snapshots import SharingPage
from webapp.tokenization.state import State
from webapp.tokenization.views import ResultView
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
from webapp.vocabularies.titles import grouped, matches
from webapp.vocabularies.upload_cookie import with_chosen
from webapp.web.templates import Context


@dataclass(frozen=True)
class ExampleText:
    """A text and the label of its button."""

    title: LazyString
    text: str


_TEXTS = tomllib.loads(files(__package__).joinpath("texts.toml").read_text(encoding="utf-8"))
_TITLES = (_l("English"), _l("Chinese"), _l("Code"), _l("Emoji and scripts"), _l("Whitespace"))
EXAMPLES = tuple(map(ExampleText, _TITLES, _TEXTS["examples"]))
WELCOME: str = _TEXTS["welcome"]
"""The text of a first visit."""


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
        """The kind of vocabulary of each list → the number of the list, by which the style sheet shows it."""
        kinds = (ALGORITHMS[algorithm].vocabulary_kind for algorithm in leading_algorithms(self.algorithms))
        return {kind: number for number, kind in enumerate(kinds, 1)}

    def groups(self, kind: str) -> list[tuple[str, list[CatalogueEntry]]]:
        """The vocabularies of a kind, in groups with a heading."""
        return grouped(self._entries[self._leading(kind)])

    def selected(self, kind: str) -> str:
        """The vocabulary that a list starts with: well-known ones come first, but must be fetched."""
        is_current = ALGORITHMS[self.state.algorithm].vocabulary_kind == kind
        return self.state.vocabulary if is_current else default_for(self._leading(kind))

    def _leading(self, kind: str) -> str:
        return next(name for name in self.algorithms if ALGORITHMS[name].vocabulary_kind == kind)

    def downloads(self, entry: CatalogueEntry) -> bool:
        """Whether choosing a vocabulary downloads it first."""
        return entry.origin == "fetched" and entry.name not in self._on_disk

    @cached_property
    def _on_disk(self) -> frozenset[str]:
        return library().fetcher.disk_cache.names()

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

    @staticmethod
    def record_of(algorithm: str) -> Algorithm:
        """The record of an algorithm."""
        return ALGORITHMS[algorithm]

    @staticmethod
    def takes(algorithm: str) -> str:
        """The CSS classes for the form fields that apply to every vocabulary of an algorithm: `has-hmm has-mode`."""
        record = ALGORITHMS[algorithm]
        names = [option.name for option in record.common_options] + [choice.name for choice in record.choices]
        if len(record.inferences) > 1:
            names += ["inference", *record.inferences[1:]]
        return " ".join(f"has-{name}" for name in names)

    def fields_of(self, kind: str, entry: CatalogueEntry) -> str:
        """The CSS classes for the form fields that apply to a vocabulary: `takes-size takes-merges takes-special`."""
        record = ALGORITHMS[self._leading(kind)]
        options = record.options if entry.name in CATALOGUE else record.external_options
        fields = [option.name for option in options]
        if entry.origin == "pasted":
            fields.append("dictionary")
        if entry.name in LIMITS:
            fields += ["size", LIMITS[entry.name].unit]
        elif entry.origin == "learned":
            fields.append("size")  # without a number: the training text
        return " ".join(f"takes-{field}" for field in fields)

    @staticmethod
    def size_beside(entry: CatalogueEntry) -> str:
        """The number of ids, abbreviated (`100,277 → 100k`); empty where the visitor chooses it or the title has it."""
        if entry.size is None:
            return ""
        size = f"{round(entry.size / 1000)}k" if entry.size >= 1000 else str(entry.size)
        return "" if size in title_of(entry).replace("，", " ").split() else size


@dataclass(frozen=True, kw_only=True)
class ChoicesContext(Context):
    """The vocabularies that a search finds."""

    template = "playground/_choices.html"

    picker: VocabularyPicker


@dataclass(frozen=True, kw_only=True)
class PlaygroundPage(SharingPage):
    """The form, the result, and the form that shares it."""

    template = "playground/page.html"
    chosen_templates = ("share/_share_button.html",)

    result_shown: ResultView
    picker: VocabularyPicker
    upload_problem: InputProblem | None  # the problem of an uploaded file
    examples: Sequence[ExampleText] = EXAMPLES

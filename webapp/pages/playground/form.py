"""The playground's form: example texts, the picker of vocabularies, and the contexts of the templates."""

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import ClassVar

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.algorithms import ALGORITHMS, TIES
from webapp.core.models.dictionary import LONGEST_WORD
from webapp.core.models.dictionary_edits import Edit, EditError, parse_edits, with_edit, without_edit
from webapp.tokenization.algorithms import in_groups, joined_names, leading_algorithms
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import edit_problem
from webapp.tokenization.result import Result, tokenize_or_explain
from webapp.tokenization.snapshots import SharingPage
from webapp.tokenization.state import State
from webapp.tokenization.views import ResultView
from webapp.vocabularies import (
    CATALOGUE,
    GPT_4O,
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

_TEXTS = tomllib.loads(files(__package__).joinpath("texts.toml").read_text(encoding="utf-8"))
_TITLES = (_l("English"), _l("Chinese"), _l("Code"), _l("Emoji and scripts"), _l("Whitespace"))
EXAMPLES = tuple(zip(_TITLES, _TEXTS["examples"], strict=True))
"""The labels and texts of the buttons below the box."""
WELCOME: Mapping[str, str] = _TEXTS["welcome"]
"""The text of a first visit, in each language."""


@cache
def surprises(language: str) -> list[tuple[str, State, list[str]]]:
    """Short texts that GPT-4o splits in a surprising way: title, state, and what each token covers of the text."""
    found = []
    for title, text in _TEXTS["surprises"][language]:
        state = State("bpe", GPT_4O, text)
        encoding = tokenize_or_explain(state).encoding
        found.append((title, state, [text[at:end] for at, end in zip(encoding.starts, encoding.ends, strict=True)]))
    return found


@dataclass(frozen=True)
class VocabularyPicker:
    """The picker's content: `uploads` are the visitor's vocabularies, newest first, `query` is the search text."""

    records: ClassVar = ALGORITHMS

    state: State
    uploads: Sequence[CatalogueEntry] = ()
    query: str = ""

    @cached_property
    def algorithms(self) -> list[str]:
        """The algorithms with at least one vocabulary, shipped, uploaded or well-known."""
        return [algorithm for algorithm in ALGORITHMS if self._entries[algorithm]]

    @property
    def switch(self) -> tuple[list[str], list[str]]:
        """The algorithms in their two groups."""
        return in_groups(self.algorithms)

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
    def takes(algorithm: str) -> str:
        """The CSS classes for the form fields that apply to every vocabulary of an algorithm: `has-hmm has-mode`."""
        record = ALGORITHMS[algorithm]
        names = [option.name for option in record.options if option in record.external_options]
        names += [choice.name for choice in record.choices]
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
        if entry.origin == "learned" and TIES in record.choices:
            fields.append("ties")
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


class ChoicesContext(Context):
    """The vocabularies that a search finds."""

    template = "playground/_choices.html"

    picker: VocabularyPicker


class OtherTokenizers(Context):
    """The row of other tokenizers, for a result that is on the page already."""

    template = "tokenization/_others.html"

    state: State
    result: Result
    shareable: bool = True


class PlaygroundPage(SharingPage):
    """The form, the result, and the form that shares it."""

    template = "playground/page.html"

    result_shown: ResultView
    picker: VocabularyPicker
    upload_problem: InputProblem | None  # the problem of an uploaded file
    examples: Sequence[tuple[LazyString, str]] = EXAMPLES


def with_change(state: State, values: Mapping[str, str]) -> State:
    """The state with the change that a button of the form makes; raises InputProblem."""
    try:
        if values.get("edit") == "clear":
            edits = ""
        elif values.get("undo"):
            edits = without_edit(state.edits, values["undo"])
        else:
            edits = with_edit(state.edits, _edit(values))
            parse_edits(edits)
    except EditError as error:
        raise edit_problem(error) from error
    return replace(state, edits=edits, token=None)


def _edit(values: Mapping[str, str]) -> Edit:
    """The change that was typed, or that a button of a token's details names; raises InputProblem."""
    for name, removed in (("add_word", False), ("remove_word", True)):
        if values.get(name):
            return _checked(Edit(values[name], removed))
    word, frequency = values.get("edit_word", "").strip(), values.get("edit_frequency", "").strip()
    if not word:
        raise InputProblem(_("Type the word to add or remove."), 422, "edit_word")
    if values.get("edit") == "remove":
        return _checked(Edit(word, removed=True))
    if frequency and not (frequency.isascii() and frequency.isdigit() and len(frequency) <= 18):
        message = _("The frequency “%(value)s” is not a whole number of at most 18 digits.", value=frequency[:40])
        raise InputProblem(message, 422, "edit_frequency")
    return _checked(Edit(word, frequency=int(frequency) if frequency else None))


def _checked(edit: Edit) -> Edit:
    """The change; raises InputProblem for a word that cannot be written in the list of changes."""
    if len(edit.word) > LONGEST_WORD:
        message = _(
            "The word has %(count)s characters; the limit is %(most)s.", count=len(edit.word), most=LONGEST_WORD
        )
        raise InputProblem(message, 422, "edit_word")
    with suppress(EditError):
        if parse_edits(str(edit)) == [edit]:
            return edit
    message = _("A word cannot begin with a hyphen or contain a line break or control character.")
    raise InputProblem(message, 422, "edit_word")


def changes_of(edits: str) -> list[Edit]:
    """The changes in the order of the list; none if a line is no change."""
    try:
        return parse_edits(edits)
    except EditError:
        return []


def word_buttons(result: Result, index: int) -> list[tuple[str, str]]:
    """The buttons that change the dictionary at token `index`, each with its word: itself, or with a neighbour."""
    dictionary, encoding = result.dictionary, result.encoding
    assert dictionary is not None
    text, starts, ends = encoding.text, encoding.starts, encoding.ends
    word = text[starts[index] : ends[index]]
    last = min(index + 1, len(encoding) - 1)
    words = [word, text[starts[max(index - 1, 0)] : ends[index]], text[starts[index] : ends[last]]]
    buttons = [("add_word", each) for each in dict.fromkeys(words) if each not in dictionary and _is_addable(each)]
    return [*buttons, ("remove_word", word)] if word in dictionary else buttons


def _is_addable(word: str) -> bool:
    return word == "".join(word.split()) and word.isprintable() and not word.startswith("-") and len(word) <= 16

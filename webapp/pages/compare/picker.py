"""The tokenizers to choose from: in groups for the list of a row, and by name for the search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flask_babel import gettext as _
from markupsafe import Markup, escape

from webapp.core.algorithms import ALGORITHMS
from webapp.core.inference.records import OWN
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.inferences import inference_title
from webapp.vocabularies import CATALOGUE, CatalogueEntry, find, title_of, well_known
from webapp.vocabularies.library import is_here
from webapp.vocabularies.search import matches
from webapp.vocabularies.titles import grouped
from webapp.vocabularies.upload_cookie import with_chosen

LONGEST_QUERY = 100


@dataclass(frozen=True)
class PickerOption:
    """One entry of a list."""

    choice: TokenizerChoice
    title: str
    note: str = ""


@dataclass(frozen=True)
class ComparisonPicker:
    """The tokenizers to choose from, given the visitor's `uploads`, the `chosen` rows and the search `query`."""

    uploads: Sequence[CatalogueEntry]
    chosen: Sequence[TokenizerChoice]
    query: str = ""

    @cached_property
    def groups(self) -> list[tuple[str, list[PickerOption]]]:
        """All tokenizers."""
        groups = grouped([*self._uploads, *well_known(), *CATALOGUE.values()])
        return [(title, _options(entries)) for title, entries in groups]

    def select(self, chosen: TokenizerChoice) -> Markup:
        """The options of a row's list; a chosen tokenizer that is not in the list is added at its end."""
        value = escape(chosen.by(OWN))
        marked = f'<option value="{value}">'
        if marked in self._list:
            return Markup(self._list.replace(marked, f'<option value="{value}" selected>', 1))
        return Markup(f'{self._list}<option value="{value}" selected>{value}</option>')

    def card(self, choice: TokenizerChoice) -> PickerOption:
        """The title of a tokenizer's vocabulary, with the algorithm as a note; for an unknown one, what was written."""
        names = algorithm_names()
        name = choice.vocabulary
        uploaded = next((each for each in self._uploads if each.name == name), None)
        entry = uploaded if name.startswith("upload-") else find(name)
        if entry is None or choice.algorithm not in entry.algorithms:
            return PickerOption(choice, str(choice)[:60])
        note = names[choice.algorithm]
        if choice.inference != OWN:
            note = f"{note} · {inference_title(choice.inference)}"
        return PickerOption(choice, title_of(entry), note)

    @cached_property
    def _list(self) -> str:
        """The options without a selection, rendered once for all rows because there are many."""
        return "".join(
            Markup('<optgroup label="{}">{}</optgroup>').format(
                family,
                Markup("").join(
                    Markup('<option value="{}">{}</option>\n').format(option.choice, option.title) for option in options
                ),
            )
            for family, options in self.groups
        )

    def found(self) -> list[PickerOption]:
        """The tokenizers whose name contains every word of the query."""
        entries = [*CATALOGUE.values(), *self._uploads, *well_known()]
        return _options(entry for entry in entries if matches(entry, self.query))

    @cached_property
    def _uploads(self) -> list[CatalogueEntry]:
        """The visitor's uploads, and those of others that a row names."""
        return with_chosen(self.uploads, [choice.vocabulary for choice in self.chosen])


def _options(entries: Iterable[CatalogueEntry]) -> list[PickerOption]:
    """An option for each algorithm of each vocabulary, in the order of the algorithms."""
    order: dict[str, int] = {name: place for place, name in enumerate(ALGORITHMS)}
    names = algorithm_names()
    options = [
        PickerOption(TokenizerChoice(algorithm, entry.name), f"{names[algorithm]} · {title_of(entry)}", _note(entry))
        for entry in entries
        for algorithm in entry.algorithms
    ]
    return sorted(options, key=lambda option: order[option.choice.algorithm])


def _note(entry: CatalogueEntry) -> str:
    if entry.origin == "fetched":
        return _("ready") if is_here(entry) else _("downloaded on first use")
    return _("uploaded") if entry.origin == "uploaded" else ""

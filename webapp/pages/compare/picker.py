"""The tokenizers that a row may be: in groups for its list, and by name for the search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flask_babel import gettext as _
from markupsafe import Markup, escape

from webapp.core.algorithms import ALGORITHMS
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.vocabularies import CATALOGUE, CatalogueEntry, title_of, well_known
from webapp.vocabularies.library import is_here
from webapp.vocabularies.search import matches
from webapp.vocabularies.titles import by_family
from webapp.vocabularies.upload_cookie import with_chosen

LONGEST_QUERY = 100


@dataclass(frozen=True)
class PickerOption:
    """One line of a list."""

    choice: TokenizerChoice
    title: str
    note: str = ""


@dataclass(frozen=True)
class ComparisonPicker:
    """What can be chosen; `uploads` are the visitor's own, `chosen` what the rows are, `query` what is searched for."""

    uploads: Sequence[CatalogueEntry]
    chosen: Sequence[TokenizerChoice]
    query: str = ""

    @cached_property
    def groups(self) -> list[tuple[str, list[PickerOption]]]:
        """All of them: the site's own, uploads, then families."""
        own = [entry for entry in CATALOGUE.values() if entry.origin == "shipped"]
        here = [entry for entry in CATALOGUE.values() if entry.origin != "shipped"]
        groups = [(_("Shipped"), own), (_("Yours"), [*here, *self._uploads]), *by_family(well_known())]
        return [(title, _options(entries)) for title, entries in groups]

    def select(self, chosen: TokenizerChoice) -> Markup:
        """The content of a row's list; what is chosen and not to be had stands at its end."""
        value = escape(chosen)
        marked = f'<option value="{value}">'
        if marked in self._list:
            return Markup(self._list.replace(marked, f'<option value="{value}" selected>', 1))
        return Markup(f'{self._list}<option value="{value}" selected>{value}</option>')

    @cached_property
    def _list(self) -> str:
        """What the lists of all rows have in common: written once, for it is long."""
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
        """Those whose name holds every word of the query."""
        entries = [*CATALOGUE.values(), *self._uploads, *well_known()]
        return _options(entry for entry in entries if matches(entry, self.query))

    @property
    def _uploads(self) -> list[CatalogueEntry]:
        """The visitor's own, and those of others that a row names."""
        return with_chosen(self.uploads, [choice.vocabulary for choice in self.chosen])


def _options(entries: Iterable[CatalogueEntry]) -> list[PickerOption]:
    """A line for each algorithm of each vocabulary, in the order of the algorithms."""
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
        return _("fetched") if is_here(entry) else _("fetched on first use")
    return _("uploaded") if entry.origin == "uploaded" else ""

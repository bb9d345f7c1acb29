"""The tokenizers that a page offers: each algorithm of each vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
class TokenizerOption:
    """A tokenizer of a list: its title, and whether it is ready."""

    choice: TokenizerChoice
    title: str
    note: str = ""


def tokenizer_options(
    entries: Iterable[CatalogueEntry],
    keep: Callable[[str], bool] = lambda algorithm: True,
    title: Callable[[CatalogueEntry], str] = title_of,
) -> list[TokenizerOption]:
    """An option for each algorithm that is kept of each vocabulary, in the order of the algorithms."""
    order = {name: place for place, name in enumerate(ALGORITHMS)}
    names = algorithm_names()
    options = [
        TokenizerOption(TokenizerChoice(id, entry.name), f"{names[id]} · {title(entry)}", _note(entry))
        for entry in entries
        for id in entry.algorithms
        if keep(id)
    ]
    return sorted(options, key=lambda option: order[option.choice.algorithm])


def _note(entry: CatalogueEntry) -> str:
    if entry.origin == "fetched":
        return _("ready") if is_here(entry) else _("downloaded on first use")
    return _("uploaded") if entry.origin == "uploaded" else ""


@dataclass(frozen=True)
class ComparisonPicker:
    """The tokenizers to choose from, given the visitor's `uploads`, the `chosen` rows and the search `query`."""

    uploads: Sequence[CatalogueEntry]
    chosen: Sequence[TokenizerChoice]
    query: str = ""

    @cached_property
    def groups(self) -> list[tuple[str, list[TokenizerOption]]]:
        """All tokenizers."""
        groups = grouped([*self._uploads, *well_known(), *CATALOGUE.values()])
        return [(title, tokenizer_options(entries)) for title, entries in groups]

    def select(self, chosen: TokenizerChoice) -> Markup:
        """The options of a row's list; a chosen tokenizer that is not in the list is added at its end."""
        value = escape(chosen.by(OWN))
        marked = f'<option value="{value}">'
        if marked in self._list:
            return Markup(self._list.replace(marked, f'<option value="{value}" selected>', 1))
        return Markup(f'{self._list}<option value="{value}" selected>{value}</option>')

    def card(self, choice: TokenizerChoice) -> TokenizerOption:
        """The title of a tokenizer's vocabulary, with the algorithm as a note; for an unknown one, what was written."""
        names = algorithm_names()
        name = choice.vocabulary
        uploaded = next((each for each in self._uploads if each.name == name), None)
        entry = uploaded if name.startswith("upload-") else find(name)
        if entry is None or choice.algorithm not in entry.algorithms:
            return TokenizerOption(choice, str(choice)[:60])
        note = names[choice.algorithm]
        if choice.inference != OWN:
            note = f"{note} · {inference_title(choice.inference)}"
        return TokenizerOption(choice, title_of(entry), note)

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

    def found(self) -> list[TokenizerOption]:
        """The tokenizers whose name contains every word of the query."""
        entries = [*CATALOGUE.values(), *self._uploads, *well_known()]
        return tokenizer_options(entry for entry in entries if matches(entry, self.query))

    @cached_property
    def _uploads(self) -> list[CatalogueEntry]:
        """The visitor's uploads, and those of others that a row names."""
        return with_chosen(self.uploads, [choice.vocabulary for choice in self.chosen])

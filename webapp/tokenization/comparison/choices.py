"""The tokenizers that a page offers: each algorithm of each vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flask_babel import gettext as _

from webapp.core.algorithms import ALGORITHMS, inferences_of
from webapp.core.inference.records import OWN, PARAMETERS
from webapp.tokenization.algorithms import algorithm_names, inference_title
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, CatalogueEntry, title_of, well_known
from webapp.vocabularies.library import is_here
from webapp.vocabularies.titles import grouped, matches
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


def grouped_options(
    groups: Iterable[tuple[str, Sequence[CatalogueEntry]]], chosen: Sequence[TokenizerChoice]
) -> list[tuple[str, Sequence[TokenizerOption]]]:
    """The tokenizers of groups of vocabularies; a last group has those that are chosen and in no other."""
    found: list[tuple[str, Sequence[TokenizerOption]]] = [(title, tokenizer_options(each)) for title, each in groups]
    listed = {option.choice for _title, options in found for option in options}
    others = [TokenizerOption(choice, str(choice)[:60]) for choice in chosen if choice not in listed]
    return [*found, (_("Chosen"), others)] if others else found


@dataclass(frozen=True)
class ComparisonPicker:
    """The tokenizers to choose from, given the visitor's `uploads`, the `chosen` rows and the search `query`."""

    uploads: Sequence[CatalogueEntry]
    chosen: Sequence[TokenizerChoice]
    query: str = ""

    @cached_property
    def entries(self) -> list[CatalogueEntry]:
        """All vocabularies, with the visitor's uploads, and those of others that a row names."""
        uploads = with_chosen(self.uploads, [choice.vocabulary for choice in self.chosen])
        return [*CATALOGUE.values(), *uploads, *well_known()]

    @cached_property
    def groups(self) -> list[tuple[str, Sequence[TokenizerOption]]]:
        """All tokenizers."""
        return grouped_options(grouped(self.entries), [choice.by(OWN) for choice in self.chosen])

    def card(self, choice: TokenizerChoice) -> TokenizerOption:
        """The title of a tokenizer's vocabulary, with the algorithm as a note; for an unknown one, what was written."""
        entry = next((each for each in self.entries if each.name == choice.vocabulary), None)
        if entry is None or choice.algorithm not in entry.algorithms:
            return TokenizerOption(choice, str(choice)[:60])
        way = [inference_title(choice.inference)] if choice.inference != OWN else []
        return TokenizerOption(choice, title_of(entry), " · ".join([algorithm_names()[choice.algorithm], *way]))

    def found(self) -> list[TokenizerOption]:
        """The tokenizers whose name contains every word of the query."""
        return tokenizer_options(entry for entry in self.entries if matches(entry, self.query))


def ways_of(choice: TokenizerChoice) -> list[tuple[str, str]]:
    """The ids and titles of the ways to apply the vocabulary of a tokenizer, its own rule first."""
    return [(each, inference_title(each)) for each in inferences_of(choice.algorithm)]


def parameter_fields(state: State) -> list[tuple[str, str, str, str, str]]:
    """The parameters of inferences as fields: name, label, least and greatest value, value."""
    titles = {"dropout": _("Dropout, from 0 to 1"), "alpha": _("Alpha, from 0.01 to 10"), "seed": _("Seed")}
    return [
        (each.name, titles[each.name], f"{each.least:g}", f"{each.most:.12g}", f"{getattr(state, each.name):.12g}")
        for each in PARAMETERS
    ]

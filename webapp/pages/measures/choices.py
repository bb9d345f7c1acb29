"""The tokenizers to choose from, by where their vocabularies come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.vocabularies import CATALOGUE, CatalogueEntry, offered_algorithms, title_of, well_known
from webapp.vocabularies.titles import grouped
from webapp.vocabularies.upload_cookie import with_chosen


@dataclass(frozen=True)
class OfferedTokenizer:
    """A tokenizer of the list: its value in the form, and its title."""

    value: str
    title: str


@dataclass(frozen=True)
class OfferedGroup:
    """Tokenizers under a heading."""

    title: str
    tokenizers: Sequence[OfferedTokenizer]


def groups_of(uploads: Sequence[CatalogueEntry], chosen: Sequence[TokenizerChoice]) -> list[OfferedGroup]:
    """The tokenizers to choose from, given the visitor's uploads and the chosen ones."""
    yours = with_chosen(uploads, [choice.vocabulary for choice in chosen])
    shipped = [entry for entry in CATALOGUE.values() if entry.origin == "shipped"]
    groups = grouped([*yours, *well_known(), *shipped])
    offered = [OfferedGroup(title, _tokenizers(entries)) for title, entries in groups]
    values = {each.value for group in offered for each in group.tokenizers}
    others = [OfferedTokenizer(str(choice), str(choice)[:60]) for choice in chosen if str(choice) not in values]
    return [group for group in (*offered, OfferedGroup(_("Chosen"), others)) if group.tokenizers]


def _tokenizers(entries: Iterable[CatalogueEntry]) -> list[OfferedTokenizer]:
    names = algorithm_names()
    order = {id: place for place, id in enumerate(offered_algorithms())}
    found = [
        (order.get(id, len(order)), OfferedTokenizer(f"{id}:{entry.name}", f"{names[id]} · {title_of(entry)}"))
        for entry in entries
        for id in entry.algorithms
    ]
    return [tokenizer for _place, tokenizer in sorted(found, key=lambda pair: pair[0])]

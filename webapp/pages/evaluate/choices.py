"""The methods to choose from: those that segment into words, then those that segment into pieces of words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.evaluation.state import PASTED, is_word_method
from webapp.vocabularies import CATALOGUE, CatalogueEntry, offered_algorithms, title_of, well_known
from webapp.vocabularies.upload_cookie import with_chosen


@dataclass(frozen=True)
class MethodChoice:
    """A method of the list: its value in the form, and its title."""

    value: str
    title: str


@dataclass(frozen=True)
class ChoiceGroup:
    """Methods under a heading."""

    title: str
    choices: Sequence[MethodChoice]


def groups_of(uploads: Sequence[CatalogueEntry], chosen: Sequence[TokenizerChoice]) -> list[ChoiceGroup]:
    """The methods to choose from, given the visitor's uploads and the chosen methods."""
    yours = with_chosen(uploads, [choice.vocabulary for choice in chosen])
    own = [entry for entry in CATALOGUE.values() if entry.origin not in ("learned", "pasted")]
    pasted = [CATALOGUE[PASTED]] if PASTED in CATALOGUE else []
    groups = [
        ChoiceGroup(_("Methods that find words"), _choices([*own, *yours], words=True)),
        ChoiceGroup(_("The same, with your training words as the dictionary"), _choices(pasted, words=True)),
        ChoiceGroup(_("Methods that find pieces of words"), _choices([*own, *yours], words=False)),
        ChoiceGroup(_("The same, with well-known vocabularies"), _choices(well_known(), words=False)),
    ]
    return [group for group in groups if group.choices]


def _choices(entries: Iterable[CatalogueEntry], *, words: bool) -> list[MethodChoice]:
    names = algorithm_names()
    order = {id: place for place, id in enumerate(offered_algorithms())}
    found = [
        (order.get(id, len(order)), MethodChoice(f"{id}:{entry.name}", f"{names[id]} · {_title(entry)}"))
        for entry in entries
        for id in entry.algorithms
        if is_word_method(id) == words
    ]
    return [choice for _place, choice in sorted(found, key=lambda pair: pair[0])]


def _title(entry: CatalogueEntry) -> str:
    return _("your training words") if entry.name == PASTED else title_of(entry)

"""The tokenizers that a page offers: each algorithm of each vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.algorithms import ALGORITHMS
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.vocabularies import CatalogueEntry, title_of
from webapp.vocabularies.library import is_here


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

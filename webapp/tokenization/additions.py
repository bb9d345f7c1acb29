"""The panel under a result: the language model to measure it for, tokens around the text, and added tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.affixes import NEWLINE, offered_affixes
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.meter import Meter
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.vocabularies.language_models import LanguageModel, model_of
from webapp.vocabularies.models_of import models_of
from webapp.web.localization import join_list

_FIELDS = ("model", "prefix", "suffix", "added")


@dataclass(frozen=True)
class Switch:
    """A token that can stand before or after the text: its name, what the page calls it, and whether it does."""

    name: str
    title: str
    is_on: bool


@dataclass(frozen=True)
class AdditionsPanel:
    """The fields of the panel."""

    models: Sequence[LanguageModel]  # those that use the vocabulary
    model: str  # the chosen one
    before: Sequence[Switch]
    after: Sequence[Switch]
    takes_tokens: bool  # whether tokens can be added
    added: str
    is_open: bool
    missing: str  # the names that no token of the vocabulary has, joined
    invalid: Mapping[str, str]  # field → what is wrong with it


def additions_of(state: State, result: Result | None, problems: Sequence[InputProblem]) -> AdditionsPanel | None:
    """Return the panel of a result; None where it would be empty."""
    invalid = dict.fromkeys(_FIELDS, "") | {one.field: one.message for one in problems if one.field in _FIELDS}
    takes_tokens = state.family not in ("dictionary", "word model", None)
    models = models_of(state.vocabulary)
    if not takes_tokens and not models and not any(invalid.values()):
        return None
    affixes = state.affixes
    before, after = list(affixes.prefix), list(affixes.suffix)
    if result is not None and takes_tokens:
        before, after = offered_affixes(result.base or result.tokenizer, affixes)
    missing = result.affixed.missing if result and result.affixed else ()
    shown = state.model if state.relevant().model else ""
    return AdditionsPanel(
        models=_with_chosen(models, shown),
        model=shown,
        before=_switches(before, affixes.prefix),
        after=_switches(after, affixes.suffix),
        takes_tokens=takes_tokens,
        added=state.added,
        is_open=bool(shown or affixes or any(invalid.values())),
        missing=join_list(missing),
        invalid=invalid,
    )


def meter_of(state: State, result: Result) -> Meter | None:
    """Return the meter of a result; None if no model is chosen that uses its vocabulary."""
    name = state.relevant().model
    model = model_of(name) if name else None
    return Meter(len(result.encoding), model) if model else None


def _with_chosen(models: Sequence[LanguageModel], name: str) -> list[LanguageModel]:
    """The models, and the chosen one if the list has it only by the beginning of its name."""
    chosen = model_of(name) if name else None
    if chosen is None or any(model.id == chosen.id for model in models):
        return list(models)
    return [chosen, *models]


def _switches(offered: Sequence[str], chosen: Sequence[str]) -> list[Switch]:
    return [Switch(name, _("line end") if name == NEWLINE else name, name in chosen) for name in offered]

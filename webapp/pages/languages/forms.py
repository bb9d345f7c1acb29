"""The form of `/languages`: tokenizers, a measure, an order and the visitor's own passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args
from urllib.parse import urlencode

from flask import Request
from flask_babel import gettext as _
from werkzeug.datastructures import MultiDict

from webapp.core.algorithms import ALGORITHMS, family_of
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tokenization.vocabulary_choices import is_independent
from webapp.vocabularies import CatalogueEntry, default_for, find, well_known
from webapp.vocabularies.library import is_here
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.localization import number

Measure = Literal["relative", "tokens", "characters", "bytes"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
SHIPPED_VOCABULARIES = tuple(
    default_for(name)
    for name, algorithm in ALGORITHMS.items()
    if algorithm.family not in ("dictionary", "word model") and default_for(name)
)
KNOWN_VOCABULARIES = ("o200k_base", "cl100k_base", "llama-3", "qwen3", "deepseek-v3", "gemma-3", "xlm-roberta", "gpt2")
"""Well-known vocabularies that the page shows first if they have been downloaded, in order of preference."""
MAX_TOKENIZERS = 6
MAX_DEFAULTS = 4
MAX_CHARACTERS = 2_000  # of the visitor's own passage


@dataclass(frozen=True)
class LanguagesRequest:
    """Everything that decides what the page shows. `sort` is `name`, `script`, or the name of a vocabulary."""

    vocabularies: Sequence[str] = SHIPPED_VOCABULARIES
    chosen: bool = False  # whether the visitor chose them; else the address does not name them
    measure: Measure = "relative"
    sort: str = ""
    descending: bool = False
    own: str = ""
    own_english: str = ""

    def query(self, **changes: Any) -> str:
        """The query string of the same request with `changes`; defaults are left out."""
        asked = replace(self, **changes)
        pairs = [("with", name) for name in asked.vocabularies] if asked.chosen else []
        pairs += [("measure", asked.measure)] if asked.measure != "relative" else []
        pairs += [("sort", asked.sort)] if asked.sort else []
        pairs += [("order", "down")] if asked.descending and asked.sort else []
        pairs += [("own", asked.own)] if asked.own else []
        pairs += [("own_english", asked.own_english)] if asked.own_english else []
        return urlencode(pairs)


def read(request: Request) -> tuple[LanguagesRequest, list[InputProblem]]:
    """The request, with defaults in place of invalid values, and its problems."""
    values = request.form if request.method == "POST" else request.args
    problems: list[InputProblem] = []
    chosen = []
    names = [*dict.fromkeys(values.getlist("with"))]
    for name in names[:MAX_TOKENIZERS]:
        entry = find(name)
        if entry is None or not is_comparable(entry):
            message = _("There is no vocabulary “%(name)s” for comparing languages.", name=name[:40])
            problems.append(InputProblem(message, 404, "with"))
        else:
            chosen.append(name)
    if len(names) > MAX_TOKENIZERS:
        message = _("Only the first %(most)s of the chosen tokenizers are shown.", most=MAX_TOKENIZERS)
        problems.append(InputProblem(message, 422, "with"))
    texts = {name: as_typed(values.get(name)) for name in ("own", "own_english")}
    for text in texts.values():
        if len(text) > MAX_CHARACTERS:
            message = _(
                "Your passage has %(size)s characters; the limit is %(most)s. Shorten it and try again.",
                size=number(len(text)),
                most=number(MAX_CHARACTERS),
            )
            problems.append(InputProblem(message, 413, "own"))
    sort, descending = _order(values)
    # Links from before OpenAI's encodings shipped may name a demo vocabulary by the order alone.
    defaults = SHIPPED_VOCABULARIES if sort in SHIPPED_VOCABULARIES else default_vocabularies()
    vocabularies = tuple(chosen) or defaults
    return LanguagesRequest(
        vocabularies=vocabularies,
        chosen=vocabularies != default_vocabularies(),
        measure=next((name for name in MEASURES if name == values.get("measure")), "relative"),
        sort=sort if sort in ("name", "script", *vocabularies) else "",
        descending=descending,
        **texts,
    ), problems


def default_vocabularies() -> tuple[str, ...]:
    """The well-known vocabularies that are ready to use, or else the site's own."""
    here = [entry.name for entry in well_known() if is_here(entry) and is_comparable(entry)]
    ready = [*(name for name in KNOWN_VOCABULARIES if name in here), *(n for n in here if n not in KNOWN_VOCABULARIES)]
    ready = [name for name in ready if name in KNOWN_VOCABULARIES or not WELL_KNOWN[name].ships]
    return tuple(ready[:MAX_DEFAULTS]) if len(ready) > 1 else (*ready, *SHIPPED_VOCABULARIES)


def is_comparable(entry: CatalogueEntry) -> bool:
    """Whether a vocabulary can be compared: not what depends on a text, nor a word list, which is of one language."""
    return is_independent(entry) and family_of(entry.algorithms[0]) != "dictionary"


def _order(values: MultiDict[str, str]) -> tuple[str, bool]:
    """The sort key, and whether the order is descending; a column's button, `name` or `name down`, takes precedence."""
    if "by" in values:
        sort, _space, order = values["by"].partition(" ")
        return sort, order == "down"
    return values.get("sort", ""), values.get("order") == "down"

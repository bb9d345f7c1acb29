"""The vocabularies and options to choose from on the page of an algorithm."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Request, url_for

from webapp.core.algorithms import ALGORITHMS
from webapp.tokenization.links import Groups, vocabulary_choices
from webapp.tokenization.messages import ChoiceField, choice_fields, options
from webapp.tokenization.state import State
from webapp.vocabularies import CatalogueEntry
from webapp.vocabularies.trained import EXAMPLE_SENTENCES

MOST_COUNTED = 500  # characters of sentences in an address


def choices(request: Request, state: State) -> Groups:
    """The vocabularies of the algorithm."""

    def keep(entry: CatalogueEntry) -> bool:
        return state.algorithm in entry.algorithms and (entry.origin != "pasted" or bool(state.dictionary))

    return vocabulary_choices(request, state.vocabulary, keep=keep)


def checkboxes(state: State) -> list[tuple[str, bool, str]]:
    """The checkboxes that apply to an algorithm: field, whether it is ticked, label."""
    algorithm = ALGORITHMS[state.algorithm]
    wanted = {option.name for option in (algorithm.external_options if state.external else algorithm.options)}
    return [(name, checked, title) for name, checked, title, _groups in options(state) if name in wanted]


def fields_with_values(state: State) -> list[ChoiceField]:
    """The options with several values that apply to an algorithm."""
    wanted = {choice.name for choice in ALGORITHMS[state.algorithm].choices}
    return [field for field in choice_fields(state) if field.name in wanted]


def hidden_fields(state: State) -> list[tuple[str, str]]:
    """The hidden fields of the form."""
    size = [("size", str(state.size))] if state.trained and state.size is not None else []
    return [*size, *((name, str(value)) for name, value in state.inference_options.items())]


def own_sentences(state: State) -> str | None:
    """The sentences whose words an n-gram model counts; None for other vocabularies."""
    if not state.trained or state.family != "word model":
        return None
    return state.corpus if state.corpus.strip() else EXAMPLE_SENTENCES


def counting_address(state: State) -> str:
    """The address of the page that counts the sentences of a state step by step; empty if it does not take them."""
    sentences = own_sentences(state)
    if sentences is None or len(sentences) > MOST_COUNTED:
        return ""
    values = {"corpus": sentences, "text": state.text, "order": state.order, "smoothing": state.smoothing}
    return f"{url_for('training.page', algorithm='ngram')}?{urlencode(values, errors='replace')}"

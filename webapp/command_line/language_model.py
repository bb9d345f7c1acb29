"""`tokenscope count --model`: the vocabulary of a language model, its context window and its price."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.command_line.vocabulary_argument import UnknownVocabularyError, UnusableVocabularyError

if TYPE_CHECKING:
    from webapp.vocabularies.language_models import LanguageModel


def model_named(name: str) -> LanguageModel:
    """Return the model of this name.

    Raises UnknownVocabularyError if the list has none, UnusableVocabularyError if its tokenizer is not public, and
    ValueError for an invalid file of the setting `MODELS_FILE`.
    """
    # Without `webapp.vocabularies` itself, which imports the database.
    from flask import Flask

    from webapp import settings
    from webapp.vocabularies import language_models

    try:
        app = Flask("webapp")
        settings.configure(app, {})
        language_models.init_app(app)
    except ValueError as error:
        raise UnusableVocabularyError(str(error)) from None
    with app.app_context():
        model, near = language_models.model_of(name), language_models.model_list().near(name)
    if model is None:
        similar = f"; similar: {', '.join(near)}" if near else ""
        raise UnknownVocabularyError(f"there is no model called {name} in the list{similar}")
    if model.vocabulary is None:
        note = f"; {model.note}" if model.note else ""
        raise UnusableVocabularyError(f"the tokenizer of {model.title} is not public, so it cannot count{note}")
    return model


def priced(model: LanguageModel, tokens: int) -> str:
    """Return the price of some tokens and their share of the context window, on one line.

    >>> from webapp.vocabularies.language_models import LanguageModel
    >>> from decimal import Decimal
    >>> priced(LanguageModel("m", "M", "F", "gpt2", context=1_000, price_in=Decimal("2.5"), source="https://a.b"), 20)
    '$0.00005 as input, 2.0% of 1,000 (https://a.b)'
    """
    if model.price_in is None:
        price = "no price in the list"
    elif model.price_up_to is not None and tokens > model.price_up_to:
        price = f"no price in the list for more than {model.price_up_to:,} tokens"
    else:
        price = f"${exact(tokens, model)} as input"
    window = f"{tokens / model.context:.1%} of {model.context:,}" if model.context else "no context window in the list"
    date = f" as of {model.as_of}" if model.as_of else ""
    source = f" ({model.source}{date})" if model.source else ""
    return f"{price}, {window}{source}"


def exact(tokens: int, model: LanguageModel) -> str | None:
    """Return the price of some tokens as input in US dollars, with all digits; None if the list has none."""
    if model.price_in is None or (model.price_up_to is not None and tokens > model.price_up_to):
        return None
    return f"{(tokens * model.price_in / 1_000_000).normalize():f}" if tokens else "0"

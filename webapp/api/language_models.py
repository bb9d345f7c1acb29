"""The operation that lists language models, and the choice of a vocabulary by a model."""

from __future__ import annotations

from typing import Any

from flask import Response

from webapp.api.registry import operations
from webapp.api.schemas.language_models import ModelsAnswer, ModelsQuery
from webapp.serializers.json import cached_for, json_response
from webapp.serializers.language_models import models_json
from webapp.tokenization.model_messages import model_problem
from webapp.vocabularies.language_models import LanguageModel, find_models, model_of
from webapp.vocabularies.models_of import uses
from webapp.web.problems import refuse

MINUTES_5 = 300


@operations.add("get", "/models", query=ModelsQuery, answer=ModelsAnswer, example={"query": "gpt-4o"})
def models(query: ModelsQuery) -> Response:
    """List language models: the vocabulary, the context window and the price of each, with source and date.

    The model of that name comes first. A name that only begins like a known one has the tokenizer of that model, but
    none of its figures.
    """
    return cached_for(json_response({"models": models_json(find_models(query.query))}), MINUTES_5)


def model_named(name: str, vocabulary: str | None) -> LanguageModel:
    """The model of a request, which `vocabulary` must fit if it is given.

    Answers 404 for a name that is not in the list, 409 for a model whose tokenizer is not public or that uses another
    vocabulary.
    """
    found = model_of(name)
    sentence = model_problem(name)
    if sentence:
        refuse(404 if found is None else 409, sentence, errors=[("#/model", sentence)])
    assert found is not None
    if vocabulary is not None and not uses(name, vocabulary):
        sentence = f"The model {found.id!r} uses {found.vocabulary}, not {vocabulary[:40]}."
        refuse(409, sentence, errors=[("#/model", sentence)])
    return found


def meter_json(model: LanguageModel, tokens: int) -> dict[str, Any]:
    """The context window and the exact price of some tokens."""
    priced = model.price_up_to is None or tokens <= model.price_up_to
    return {
        "model": model.id,
        "tokens": tokens,
        "context": model.context,
        "price_in": _exact(tokens, model.price_in) if priced else None,
        "price_out": _exact(tokens, model.price_out) if priced else None,
        "source": model.source or None,
        "as_of": model.as_of.isoformat() if model.as_of else None,
    }


def _exact(tokens: int, per_million: Any) -> str | None:
    return None if per_million is None else f"{(tokens * per_million / 1_000_000).normalize():f}"

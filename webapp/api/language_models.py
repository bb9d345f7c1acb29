"""The operation that lists language models, and what a model makes of a number of tokens."""

from __future__ import annotations

from typing import Any

from flask import Response
from pydantic import Field

from webapp.api.operations import operations
from webapp.api.schemas.requests import Body
from webapp.serializers.json import cached_for, json_response
from webapp.tools.models import LONGEST_QUERY, ModelsAnswer, entry_of
from webapp.vocabularies.language_models import LanguageModel, find_models

MINUTES_5 = 300


class ModelsQuery(Body):
    """The language models to list."""

    query: str = Field(
        "", max_length=LONGEST_QUERY, description="Words that the names of a model contain. Default: all models."
    )


@operations.add("get", "/models", query=ModelsQuery, answer=ModelsAnswer, example={"query": "gpt-4o"})
def models(query: ModelsQuery) -> Response:
    """List language models: the vocabulary, the context window and the price of each, with source and date.

    The model of that name comes first. A name that only begins like a known one has the tokenizer of that model, but
    none of its figures.
    """
    return cached_for(json_response({"models": list(map(entry_of, find_models(query.query)))}), MINUTES_5)


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

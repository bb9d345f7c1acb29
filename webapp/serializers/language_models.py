"""Language models as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from webapp.vocabularies.language_models import LanguageModel


def model_json(model: LanguageModel) -> dict[str, Any]:
    """One model; null for what the list does not have. Prices are texts, so that they stay exact."""
    return {
        "id": model.id,
        "title": model.title,
        "publisher": model.family,
        "vocabulary": model.vocabulary,
        "public": model.public,
        "context": model.context,
        "price_in": _written(model.price_in),
        "price_out": _written(model.price_out),
        "price_up_to": model.price_up_to,
        "source": model.source or None,
        "via": model.via or None,
        "as_of": model.as_of.isoformat() if model.as_of else None,
        "ends": model.ends.isoformat() if model.ends else None,
        "also": list(model.also),
        "note": model.note or None,
    }


def models_json(models: Iterable[LanguageModel]) -> list[dict[str, Any]]:
    """Several models."""
    return [model_json(model) for model in models]


def _written(price: Decimal | None) -> str | None:
    return None if price is None else format(price, "f")

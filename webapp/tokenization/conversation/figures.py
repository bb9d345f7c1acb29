"""The context window and the price for a prompt: the visitor's own figures, or those of a model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from webapp.tokenization.conversation.state import ConversationState
from webapp.vocabularies.language_models import OLD, LanguageModel, model_of
from webapp.vocabularies.models_of import uses


@dataclass(frozen=True)
class PromptFigures:
    """A context window in tokens, and a price in US dollars per million tokens; None where there is none.

    `own` says that the visitor entered the price; `as_of` is the day of the price, `source` its address.
    """

    window: int | None = None
    price: Decimal | None = None
    own: bool = False
    as_of: date | None = None
    source: str = ""

    @property
    def is_old(self) -> bool:
        """Whether the price is of a list and more than 90 days old."""
        return not self.own and self.as_of is not None and datetime.now(UTC).date() - self.as_of > OLD

    def as_json(self) -> dict[str, Any]:
        """The figures as plain values, without those that there are not.

        >>> PromptFigures(8192, Decimal("2.5"), as_of=date(2026, 5, 3)).as_json()
        {'window': 8192, 'price': '2.5', 'as_of': '2026-05-03'}
        """
        found = {
            "window": self.window,
            "price": None if self.price is None else str(self.price),
            "own": self.own or None,
            "as_of": None if self.as_of is None else self.as_of.isoformat(),
            "source": self.source or None,
        }
        return {name: value for name, value in found.items() if value is not None}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> PromptFigures:
        """The figures of `as_json`."""
        return cls(
            found.get("window"),
            Decimal(found["price"]) if "price" in found else None,
            found.get("own", False),
            date.fromisoformat(found["as_of"]) if "as_of" in found else None,
            found.get("source", ""),
        )


def figures_of(state: ConversationState, tokens: int) -> PromptFigures:
    """The figures for a prompt of some tokens: the visitor's own first, then those of the chosen model.

    A model with another vocabulary has none here, and a price that is for shorter prompts does not count.
    """
    model = model_chosen(state)
    if model is not None and model.vocabulary is not None and not uses(model.id, state.vocabulary):
        model = None
    window = state.context or (model.context if model else None)
    if state.price is not None:
        return PromptFigures(window, state.price, True, state.entered)
    if model is None or model.price_in is None or (model.price_up_to is not None and tokens > model.price_up_to):
        return PromptFigures(window)
    return PromptFigures(window, model.price_in, False, model.as_of, model.source)


def model_chosen(state: ConversationState) -> LanguageModel | None:
    """The model of a state, None if none is chosen."""
    return model_of(state.model) if state.model else None

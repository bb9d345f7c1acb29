"""The figures of a prompt: context window, price, and its tokens by the rule that OpenAI publishes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from webapp.chat.messages import Conversation
from webapp.chat.openai_rule import SOURCE, TITLE, count_by_rule, rule_for
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.conversation.state import ConversationState
from webapp.tokenization.encoding import ids_of
from webapp.vocabularies.language_models import OLD, LanguageModel, model_of
from webapp.vocabularies.models_of import uses

# The model that the rule is for with a vocabulary, where none is chosen.
USUAL = {"cl100k_base": "gpt-4-0613", "o200k_base": "gpt-4o-2024-08-06"}


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


@dataclass(frozen=True)
class PublishedCount:
    """The tokens of a conversation by a published rule, for a model that it names or, with `like`, resembles.

    `left_out` are fields of messages that the rule does not count.
    """

    tokens: int
    model: str
    like: str = ""
    left_out: tuple[str, ...] = ()
    name: str = TITLE
    source: str = SOURCE


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


def published_count(
    conversation: Conversation, tokenizer: Tokenizer, vocabulary: str, model: str = ""
) -> PublishedCount | None:
    """The count by OpenAI's rule with one of its vocabularies; None for others, and for models the rule is not for."""
    if vocabulary not in USUAL:
        return None
    rule = rule_for(model or USUAL[vocabulary])
    if rule is None:
        return None
    counts = count_by_rule(rule, conversation, lambda text: len(ids_of(tokenizer, text)))
    return PublishedCount(counts.total, rule.model, rule.like, counts.left_out)

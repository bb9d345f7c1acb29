"""A second count of a conversation: by the rule that OpenAI publishes for its own models."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from webapp.chat.messages import Conversation
from webapp.chat.openai_rule import SOURCE, TITLE, count_by_rule, rule_for
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.encoding import ids_of

# The model that the rule is asked about for a vocabulary, where none is chosen.
USUAL = {"cl100k_base": "gpt-4-0613", "o200k_base": "gpt-4o-2024-08-06"}


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

    def as_json(self) -> dict[str, Any]:
        """The count as plain values."""
        return {**asdict(self), "left_out": list(self.left_out)}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> PublishedCount:
        """The count of `as_json`."""
        return cls(**{**found, "left_out": tuple(found["left_out"])})


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

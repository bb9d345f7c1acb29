"""A visitor's choices on `/messages` as one value, which comes from an address or a form and becomes an address."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, Literal, get_args
from urllib.parse import urlencode

from webapp.chat.messages import Conversation, Message
from webapp.core.algorithms import DEFAULT
from webapp.vocabularies import default_for

View = Literal["tokens", "template", "ids"]
VIEWS: tuple[View, ...] = get_args(View)
FROM_VOCABULARY, OWN = "vocabulary", "own"
"""Values of the chat template that are no names: the one of the vocabulary's file, and the visitor's own."""
DEFAULT_TEMPLATE = "chatml"
DEFAULT_VOCABULARY = default_for(DEFAULT)


@dataclass(frozen=True)
class ConversationState:
    """All choices that determine what the page shows. Addresses omit the defaults."""

    messages: tuple[Message, ...] = ()
    tools: str = ""  # JSON, as typed
    template: str = DEFAULT_TEMPLATE
    source: str = ""  # of the visitor's own template
    vocabulary: str = DEFAULT_VOCABULARY
    reply: bool = True  # whether the prompt ends with the beginning of a reply
    single: bool = True  # whether markers that the vocabulary lacks are one token each
    model: str = ""  # the id of a language model, for its context window and price
    context: int | None = None  # tokens; the visitor's own figure
    price: Decimal | None = None  # US dollars per million tokens; the visitor's own figure
    entered: date | None = None  # the day on which the price was entered
    view: View = "tokens"

    def pairs(self) -> list[tuple[str, str]]:
        """The parameters of an address, without those at their defaults."""
        chosen = [
            ("template", self.template if self.template != DEFAULT_TEMPLATE else ""),
            ("source", self.source if self.template == OWN else ""),
            ("vocabulary", self.vocabulary if self.vocabulary != DEFAULT_VOCABULARY else ""),
            ("reply", "" if self.reply else "0"),
            ("markers", "" if self.single else "text"),
            ("model", self.model),
            ("context", "" if self.context is None else str(self.context)),
            ("price", "" if self.price is None else f"{self.price:f}"),
            ("entered", "" if self.price is None or self.entered is None else self.entered.isoformat()),
            ("view", self.view if self.view != "tokens" else ""),
            ("tools", self.tools.strip()),
        ]
        return [*((name, value) for name, value in chosen if value), ("messages", written(self.messages))]

    def query(self, **changes: Any) -> str:
        """The query string of this state, with `changes`."""
        return urlencode(replace(self, **changes).pairs())

    def link(self, most: int, **changes: Any) -> str | None:
        """The query string, or None if it would have more than `most` characters."""
        if sum(len(one.content) for one in self.messages) + len(self.source) + len(self.tools) > most:
            return None  # without building the query string
        query = self.query(**changes)
        return query if len(query) <= most else None


def written(messages: Sequence[Message]) -> str:
    """Messages as compact JSON."""
    return json.dumps([message.as_json() for message in messages], ensure_ascii=False, separators=(",", ":"))


def extra_json(extra: Mapping[str, Any]) -> str:
    """What a message has besides role and content, as JSON; "" for nothing."""
    return json.dumps(dict(extra), ensure_ascii=False) if extra else ""


def written_tools(conversation: Conversation) -> str:
    """The tools of a conversation as JSON; "" for none."""
    return json.dumps(list(conversation.tools), ensure_ascii=False) if conversation.tools else ""

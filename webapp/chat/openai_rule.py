"""OpenAI's published rule for counting the tokens of messages: "How to count tokens with tiktoken", section 6.

The template of OpenAI's chat models is not public; the rule says what it adds, for the models that it names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from webapp.chat.messages import Conversation

TITLE = "How to count tokens with tiktoken (OpenAI cookbook)"
SOURCE = "https://github.com/openai/openai-cookbook/blob/main/examples/How_to_count_tokens_with_tiktoken.ipynb"
NAMED = (
    "gpt-3.5-turbo-0125",
    "gpt-4-0314",
    "gpt-4-32k-0314",
    "gpt-4-0613",
    "gpt-4-32k-0613",
    "gpt-4o-mini-2024-07-18",
    "gpt-4o-2024-08-06",
)
# For models with one of these in their name, the rule assumes that they count like the named one; in this order.
FAMILIES = (
    ("gpt-3.5-turbo", "gpt-3.5-turbo-0125"),
    ("gpt-4o-mini", "gpt-4o-mini-2024-07-18"),
    ("gpt-4o", "gpt-4o-2024-08-06"),
    ("gpt-4", "gpt-4-0613"),
)


@dataclass(frozen=True)
class CountingRule:
    """The rule for a model: tokens for each message, each name and the reply, besides those of roles and texts.

    `like` is the model that the rule names, where it only assumes that this one counts alike.
    """

    model: str
    per_message: int = 3
    per_name: int = 1
    per_reply: int = 3
    like: str = ""


@dataclass(frozen=True)
class RuleCounts:
    """Tokens by the rule: of each message, and of what begins the reply; `left_out` are fields that it ignores."""

    messages: tuple[int, ...]
    reply: int
    left_out: tuple[str, ...]

    @property
    def total(self) -> int:
        """All tokens of the prompt."""
        return sum(self.messages) + self.reply


def rule_for(model: str) -> CountingRule | None:
    """The rule for a model by name; None if the rule does not say how this model counts.

    >>> rule_for("gpt-4-0613")
    CountingRule(model='gpt-4-0613', per_message=3, per_name=1, per_reply=3, like='')
    >>> rule_for("gpt-4o").like, rule_for("llama-3")
    ('gpt-4o-2024-08-06', None)
    """
    if model in NAMED:
        return CountingRule(model)
    like = next((like for family, like in FAMILIES if family in model), None)
    return None if like is None else CountingRule(model, like=like)


def count_by_rule(rule: CountingRule, conversation: Conversation, count: Callable[[str], int]) -> RuleCounts:
    """Count the tokens of a conversation; `count` tells those of a text in the model's tokenizer, as plain text.

    >>> from webapp.chat.messages import Message
    >>> hello = Conversation((Message("user", "Hi you"), Message("user", "Hi", {"name": "Ann"})))
    >>> count_by_rule(rule_for("gpt-4o"), hello, lambda text: len(text.split()))
    RuleCounts(messages=(6, 7), reply=3, left_out=())

    The rule counts the values of role, content and name. Tools and their calls it does not know: they are `left_out`.
    """
    counts = []
    for message in conversation.messages:
        tokens = rule.per_message + count(message.role) + count(message.content)
        name = message.extra.get("name")
        if isinstance(name, str):
            tokens += count(name) + rule.per_name
        counts.append(tokens)
    left_out = {field for message in conversation.messages for field in message.extra if field != "name"}
    if conversation.tools:
        left_out.add("tools")
    return RuleCounts(tuple(counts), rule.per_reply, tuple(sorted(left_out)))

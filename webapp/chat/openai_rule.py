"""OpenAI's published rule for counting the tokens of messages: "How to count tokens with tiktoken", section 6.

The template of OpenAI's chat models is not public; the rule says what it adds, for the models that it names.
"""

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


PER_MESSAGE, PER_NAME, PER_REPLY = 3, 1, 3  # tokens


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


def named_like(model: str) -> str | None:
    """The model that the rule names and that one counts like, itself perhaps; None if the rule does not say.

    >>> named_like("gpt-4-0613"), named_like("gpt-4o"), named_like("llama-3")
    ('gpt-4-0613', 'gpt-4o-2024-08-06', None)
    """
    return model if model in NAMED else next((like for family, like in FAMILIES if family in model), None)


def count_by_rule(model: str, conversation: Conversation, count: Callable[[str], int]) -> PublishedCount | None:
    """The tokens of a conversation, None for a model that the rule says nothing about.

    `count` counts those of a text in the model's tokenizer, as plain text.

    >>> from webapp.chat.messages import Message
    >>> hello = Conversation((Message("user", "Hi you"), Message("user", "Hi", {"name": "Ann"})))
    >>> count_by_rule("gpt-4-0613", hello, lambda text: len(text.split())).tokens
    16

    The rule counts the values of role, content and name. Tools and their calls it does not know: they are `left_out`.
    """
    like = named_like(model)
    if like is None:
        return None
    tokens = PER_REPLY
    for message in conversation.messages:
        tokens += PER_MESSAGE + count(message.role) + count(message.content)
        name = message.extra.get("name")
        if isinstance(name, str):
            tokens += PER_NAME + count(name)
    left_out = {field for message in conversation.messages for field in message.extra if field != "name"}
    if conversation.tools:
        left_out.add("tools")
    return PublishedCount(tokens, model, "" if like == model else like, tuple(sorted(left_out)))

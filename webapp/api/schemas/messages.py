"""Models of the operation that counts a conversation: its request and its response."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from webapp.api.schemas.requests import Body
from webapp.api.schemas.responses import Answer
from webapp.chat.messages import MOST_MESSAGES, MOST_TOOLS
from webapp.chat.templates import BUILT_IN
from webapp.serializers.conversation import CONVERSATION_WANTS, ConversationWant
from webapp.tools.picker import LONGEST_NAME
from webapp.vocabularies import GPT_4O


class MessagesBody(Body):
    """A conversation, the chat template that renders it, and the vocabulary that tokenizes the prompt."""

    messages: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=MOST_MESSAGES,
        description="The messages as chat APIs take them: each with `role` and `content`, a text or a list of parts "
        "of the type `text`, and with `tool_calls`, `tool_call_id` or `name` where they are needed.",
    )
    tools: list[dict[str, Any]] = Field(
        [], max_length=MOST_TOOLS, description="The functions that the model may call, as chat APIs take them."
    )
    template: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description=f"A built-in chat template, one of {', '.join(f'`{name}`' for name in BUILT_IN)}; or `vocabulary` "
        "for the one that is published with the vocabulary. Default: the first.",
        examples=["chatml"],
    )
    template_source: str | None = Field(
        None,
        description="A template of your own in place of `template`: Jinja, as in `tokenizer_config.json`, or the "
        "whole of such a file.",
    )
    vocabulary: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description=f"The name of a vocabulary, from `GET /vocabularies` or `POST /vocabularies`. Default: `{GPT_4O}`.",
        examples=[GPT_4O],
    )
    model: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description="The name of a language model, from `GET /models`, whose vocabulary counts if you send none.",
    )
    reply: bool = Field(True, description="End the prompt with the beginning of a reply, if the template has one.")
    markers: Literal["single", "text"] = Field(
        "single",
        description="How to count markers of the template that the vocabulary has no token for: as a single token "
        "each, or as text.",
    )
    want: list[ConversationWant] = Field(
        list(CONVERSATION_WANTS),
        description="What the response has besides the counts: the prompt, its spans and its ids. Default: all.",
    )


class MessageTokens(Answer):
    """The tokens of one message."""

    role: str
    tokens: int
    content: int = Field(description="Tokens of the content.")
    added: int = Field(description="Tokens that the template adds.")


class InjectedMarker(Answer):
    """A marker in the content of a message."""

    message: int
    offset: int
    text: str
    special: bool


class PromptSpan(Answer):
    """A span of the prompt."""

    start: int
    end: int
    message: int | None
    kind: Literal["content", "template", "reply"]


class PublishedRuleCount(Answer):
    """The count by a published rule, for a model that the rule names or, with `like`, one that resembles it."""

    tokens: int
    model: str
    like: str
    left_out: list[str]
    name: str
    source: str


class MessagesAnswer(Answer):
    """The tokens of a conversation, by message."""

    tokens: int = Field(description="All tokens of the prompt.")
    content: int = Field(description="Tokens of the contents of messages.")
    added: int = Field(description="Tokens that the template adds, the reply prompt included.")
    reply: int = Field(description="Tokens of the reply prompt.")
    other: int = Field(description="Tokens that belong to no message: at the beginning, and of the tools.")
    messages: list[MessageTokens] = Field(description="The tokens of each message, in order.")
    missing: list[str] = Field(description="Markers of the template that the vocabulary has no token for.")
    crossing: int = Field(
        description="Tokens across a boundary between content and template; each counts where its first character is."
    )
    injected: list[InjectedMarker] = Field(
        description="Special tokens and markers of the template that messages contain: the number of the message from "
        "0, the offset in the prompt, and whether the tokenizer reads it as a special token. At most 20."
    )
    vocabulary: str = Field(description="The vocabulary that tokenized the prompt.")
    template: str = Field(description="The template that rendered it; `own` for one of your own.")
    published: PublishedRuleCount | None = Field(
        description="The count by the rule that OpenAI publishes, with one of its vocabularies; null for others."
    )
    prompt: str | None = Field(None, description="The prompt as rendered.")
    spans: list[PromptSpan] | None = Field(
        None, description="What of the prompt belongs to which message, counted from 0; null for none."
    )
    ids: list[int] | None = Field(
        None, description="The ids of the prompt; a marker that the vocabulary lacks has one beyond the vocabulary."
    )

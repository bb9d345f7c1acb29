"""`/messages`: the prompt that a chat template makes of a conversation, and its tokens by message."""

import json
from dataclasses import replace
from typing import Any, Literal

from flask import current_app
from flask_babel import gettext as _
from pydantic import Field

from webapp.chat.messages import MOST_MESSAGES, MOST_TOOLS, Conversation, ConversationError, read_messages
from webapp.chat.openai_rule import PublishedCount
from webapp.chat.spans import Span
from webapp.chat.templates import BUILT_IN
from webapp.tokenization.forms import InputProblem
from webapp.tools.inputs import AnswerModel, Input
from webapp.tools.kernel import ApiEntry, Tool
from webapp.tools.messages import inputs
from webapp.tools.messages.checks import Finding
from webapp.tools.messages.counts import Injected
from webapp.tools.messages.result import (
    CONVERSATION_WANTS,
    ConversationResult,
    ConversationWant,
    conversation_json,
    conversation_rows,
    count,
)
from webapp.tools.messages.variables import checked
from webapp.tools.picker import LONGEST_NAME, vocabulary_named
from webapp.vocabularies import GPT_4O
from webapp.vocabularies.language_models import model_of

EXAMPLE = {
    "messages": [
        {"role": "system", "content": "Answer in one sentence."},
        {"role": "user", "content": "What is a token? 什么是词元？"},
    ],
    "want": ["prompt"],
}


class MessagesBody(Input):
    """A conversation, the chat template that renders it, and the vocabulary that tokenizes the prompt."""

    messages: list[dict[str, Any]] = Field(
        min_length=1,
        max_length=MOST_MESSAGES,
        description="The messages as chat APIs take them: each with `role` and `content`, a text, null or a list of "
        "parts of the type `text`, and with `tool_calls`, `tool_call_id` or `name` where they are needed. Parts reach "
        "a template as parts if it goes through them, else as one text.",
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
    chat_template_kwargs: dict[str, Any] = Field(
        {},
        description="Variables of the template, such as `enable_thinking`, `reasoning_effort`, `date_string` or "
        "`documents`, as `apply_chat_template` of transformers and vLLM take them.",
        examples=[{"enable_thinking": False}],
    )
    reply: bool = Field(True, description="End the prompt with the beginning of a reply, if the template has one.")
    markers: Literal["single", "text"] = Field(
        "single",
        description="How to count markers of the template that the vocabulary has no token for: as a single token "
        "each, or as text.",
    )
    want: list[ConversationWant] = Field(
        list(CONVERSATION_WANTS),
        description="What the response has besides the counts: the prompt, its spans and its ids, which are the "
        "default, and `checks`, an audit of the template with this conversation.",
    )


class MessageTokens(AnswerModel):
    """The tokens of one message."""

    role: str
    tokens: int
    content: int = Field(description="Tokens of the content.")
    added: int = Field(description="Tokens that the template adds.")


class MessagesAnswer(AnswerModel):
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
    injected: list[Injected] = Field(
        description="Special tokens and markers of the template that messages contain: the number of the message from "
        "0, the offset in the prompt, and whether the tokenizer reads it as a special token. At most 20."
    )
    vocabulary: str = Field(description="The vocabulary that tokenized the prompt.")
    template: str = Field(description="The template that rendered it; `own` for one of your own.")
    published: PublishedCount | None = Field(
        description="The count by the rule that OpenAI publishes, with one of its vocabularies; null for others."
    )
    prompt: str | None = Field(None, description="The prompt as rendered.")
    spans: list[Span] | None = Field(
        None, description="What of the prompt belongs to which message, counted from 0; null for none."
    )
    ids: list[int] | None = Field(
        None, description="The ids of the prompt; a marker that the vocabulary lacks has one beyond the vocabulary."
    )
    checks: list[Finding] | None = Field(
        None, description="Twelve checks of the template with this conversation, each with what to do about it."
    )


def count_messages(body: MessagesBody) -> dict[str, Any]:
    """Count the tokens of a conversation, by message.

    A chat template renders the messages to a prompt, which is tokenized with special tokens recognized. The counts are
    those of the prompt as rendered; a provider may add tokens that it does not document.
    """
    conversation = _conversation(body)
    state = inputs.MessagesInput(
        messages=conversation.messages,
        tools=inputs.as_json(conversation.tools),
        template=_template(body),
        source=body.template_source or "",
        vocabulary=_vocabulary(body),
        reply=body.reply,
        single=body.markers == "single",
        model=body.model or "",
        variables=_variables(body),
    )
    try:
        result = count(state)
    except InputProblem as problem:
        field = "template_source" if problem.field == "source" else problem.field
        raise replace(problem, status=409 if problem.status == 422 else problem.status, field=field) from None
    answer = conversation_json(result.counted, result.roles, body.want)
    named: dict[str, Any] = {"vocabulary": state.vocabulary, "template": result.template.name}
    if "checks" in body.want:
        named["checks"] = result.checks
    return {**answer, **named, "published": result.published}


def _conversation(body: MessagesBody) -> Conversation:
    text = json.dumps({"messages": body.messages, "tools": body.tools or None}, ensure_ascii=False)
    size, limit = len(text.encode("utf-8", "replace")), current_app.config["MAX_TEXT_BYTES"]
    if size > limit:
        raise InputProblem(f"It has {size:,} bytes of UTF-8; the limit is {limit:,}.", 413, "messages")
    try:
        return read_messages(text, most_bytes=2 * limit)
    except ConversationError as error:
        pointer = "messages" if error.place is None else f"messages/{error.place - 1}"
        status = inputs.status_of(error)
        raise InputProblem(inputs.whole(error.message), 409 if status == 422 else status, pointer) from None


def _variables(body: MessagesBody) -> dict[str, Any]:
    try:
        return checked(body.chat_template_kwargs)
    except ConversationError as error:
        raise InputProblem(inputs.whole(error.message), 409, "chat_template_kwargs") from None


def _vocabulary(body: MessagesBody) -> str:
    """The name of the vocabulary: that of the body, or of its model, or the default."""
    if body.model is None or body.vocabulary is not None:
        return vocabulary_named(body.vocabulary or GPT_4O).name
    model = model_of(body.model)
    if model is None:
        sentence = f"There is no model {body.model[:40]!r} in the list. GET /api/v1/models lists them."
        raise InputProblem(sentence, 404, "model")
    if model.vocabulary is None:
        sentence = f"The tokenizer of {model.title} is not here. Choose a vocabulary."
        raise InputProblem(sentence, 409, "model")
    return model.vocabulary


def _template(body: MessagesBody) -> str:
    """The template of a state for that of the body."""
    if body.template_source is None:
        name = body.template or inputs.DEFAULT_TEMPLATE
        if name not in (inputs.FROM_VOCABULARY, *BUILT_IN):
            sentence = f"There is no chat template {name[:40]!r}. Use one of these: {', '.join(BUILT_IN)}."
            raise InputProblem(sentence, 404, "template")
        return name
    if body.template is not None:
        raise InputProblem("Send either `template` or `template_source`, not both.", 409, "template_source")
    size = len(body.template_source.encode("utf-8", "replace"))
    if size > inputs.MOST_SOURCE_BYTES:
        raise InputProblem(f"It has {size:,} bytes; the limit is {inputs.MOST_SOURCE_BYTES:,}.", 413, "template_source")
    return inputs.OWN


def prompt(given: inputs.MessagesInput) -> ConversationResult | None:
    """Render a conversation and count its tokens by message; None without messages."""
    return count(given) if given.messages else None


def _counted(result: ConversationResult | None) -> ConversationResult:
    if result is None:
        raise InputProblem(_("There are no messages yet. Add one, or paste a conversation."), 422, "messages")
    return result


def answer(result: ConversationResult | None) -> dict[str, Any]:
    """The counts by message, the prompt with its spans and ids, and the checks."""
    found = _counted(result)
    return {**conversation_json(found.counted, found.roles), "checks": found.checks}


TOOL = Tool(
    name="messages",
    address="/messages",
    input=inputs.MessagesInput,
    run=prompt,
    answer=answer,
    table=lambda result: conversation_rows(_counted(result).counted, _counted(result).roles),
    files={"txt": ("text/plain", lambda result: [_counted(result).counted.prompt.text])},
    form_id="messages",
    view_at="stage",
    api=ApiEntry("/messages", MessagesBody, MessagesAnswer, EXAMPLE, run=count_messages),
)

"""Declares the operation that counts a conversation."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from flask import Response, current_app

from webapp.api.operations import operations, tokenizer_by_name, within
from webapp.api.schemas.messages import MessagesAnswer, MessagesBody
from webapp.chat.messages import Conversation, ConversationError, read_messages
from webapp.chat.render import TemplateError, render
from webapp.chat.templates import (
    BUILT_IN,
    ChatTemplate,
    NoTemplateError,
    TemplateSourceError,
    own_template,
    template_of,
)
from webapp.serializers.conversation import conversation_json
from webapp.serializers.json import json_response
from webapp.tokenization.conversation.count import LONGEST_PROMPT
from webapp.tokenization.conversation.counts import count_prompt
from webapp.tokenization.conversation.figures import published_count
from webapp.tokenization.conversation.forms import MOST_SOURCE_BYTES, status_of
from webapp.tokenization.conversation.messages import template_problem, whole
from webapp.tokenization.conversation.state import DEFAULT_TEMPLATE, FROM_VOCABULARY
from webapp.vocabularies import GPT_4O
from webapp.vocabularies.language_models import model_of
from webapp.web.problems import refuse


@operations.add(
    "post",
    "/messages",
    body=MessagesBody,
    answer=MessagesAnswer,
    errors=(404, 409, 413, 503),
    example={
        "messages": [
            {"role": "system", "content": "Answer in one sentence."},
            {"role": "user", "content": "What is a token? 什么是词元？"},
        ],
        "want": ["prompt"],
    },
)
def count_messages(body: MessagesBody) -> Response:
    """Count the tokens of a conversation, by message.

    A chat template renders the messages to a prompt, which is tokenized with special tokens recognized. The counts are
    those of the prompt as rendered; a provider may add tokens that it does not document.
    """
    conversation = _conversation(body)
    vocabulary = _vocabulary(body)
    _entry, tokenizer = tokenizer_by_name(vocabulary)
    template = _template(body, vocabulary)
    field = "template" if body.template_source is None else "template_source"
    try:
        prompt = render(template, conversation, reply=body.reply)
    except TemplateError as error:
        _refuse(409, template_problem(error), field)
    size, limit = len(prompt.text.encode()), LONGEST_PROMPT * current_app.config["MAX_TEXT_BYTES"]
    if size > limit:
        _refuse(413, f"The prompt has {size:,} bytes of UTF-8; the limit is {limit:,}.", field)
    counted = count_prompt(prompt, conversation, template, tokenizer, single=body.markers == "single")
    roles = [message.role for message in conversation.messages]
    answer: dict[str, Any] = conversation_json(counted, roles, body.want)
    published = published_count(conversation, tokenizer, vocabulary, body.model or "")
    return json_response(
        {
            **answer,
            "vocabulary": vocabulary,
            "template": template.name,
            "published": published,
        }
    )


def _conversation(body: MessagesBody) -> Conversation:
    text = json.dumps({"messages": body.messages, "tools": body.tools or None}, ensure_ascii=False)
    within([text.encode("utf-8", "replace").decode()], "MAX_TEXT_BYTES", "#/messages")
    try:
        return read_messages(text, most_bytes=2 * current_app.config["MAX_TEXT_BYTES"])
    except ConversationError as error:
        pointer = "messages" if error.place is None else f"messages/{error.place - 1}"
        status = status_of(error)
        _refuse(409 if status == 422 else status, whole(error.message), pointer)


def _vocabulary(body: MessagesBody) -> str:
    """The name of the vocabulary: that of the body, or of its model, or the default."""
    if body.model is None or body.vocabulary is not None:
        return body.vocabulary or GPT_4O
    model = model_of(body.model)
    if model is None:
        _refuse(404, f"There is no model {body.model[:40]!r} in the list. GET /api/v1/models lists them.", "model")
    if model.vocabulary is None:
        _refuse(409, f"The publisher of {model.title} gives no tokenizer for it. Choose a vocabulary.", "model")
    return model.vocabulary


def _template(body: MessagesBody, vocabulary: str) -> ChatTemplate:
    if body.template is not None and body.template_source is not None:
        _refuse(409, "Send either `template` or `template_source`, not both.", "template_source")
    try:
        if body.template_source is not None:
            size = len(body.template_source.encode("utf-8", "replace"))
            if size > MOST_SOURCE_BYTES:
                _refuse(413, f"It has {size:,} bytes; the limit is {MOST_SOURCE_BYTES:,}.", "template_source")
            return own_template(body.template_source)
        name = body.template or DEFAULT_TEMPLATE
        if name == FROM_VOCABULARY:
            return template_of(vocabulary)
        if name not in BUILT_IN:
            _refuse(
                404, f"There is no chat template {name[:40]!r}. Use one of these: {', '.join(BUILT_IN)}.", "template"
            )
        return BUILT_IN[name]
    except (NoTemplateError, TemplateSourceError) as error:
        _refuse(409, whole(error.message), "template" if body.template_source is None else "template_source")


def _refuse(status: int, sentence: str, pointer: str) -> NoReturn:
    sentence = sentence.encode("utf-8", "replace").decode()
    refuse(status, sentence, errors=[(f"#/{pointer}", sentence)])

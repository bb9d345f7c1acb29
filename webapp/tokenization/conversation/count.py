"""Renders the prompt of a state and counts its tokens, or says what prevents it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from flask import current_app
from flask_babel import gettext as _

from webapp.chat.messages import Conversation
from webapp.chat.published import template_of
from webapp.chat.render import TemplateError, render
from webapp.chat.templates import (
    BUILT_IN,
    ChatTemplate,
    NoTemplateError,
    TemplateSourceError,
    own_template,
)
from webapp.core.text.split_patterns import TextError
from webapp.tokenization.conversation.counts import CountedPrompt, count_prompt
from webapp.tokenization.conversation.figures import PublishedCount, published_count
from webapp.tokenization.conversation.forms import tools_of
from webapp.tokenization.conversation.messages import template_problem, whole
from webapp.tokenization.conversation.state import FROM_VOCABULARY, OWN, ConversationState
from webapp.tokenization.forms import InputProblem, TooLongError, within
from webapp.tokenization.messages import joined, text_problem
from webapp.tokenization.state import State
from webapp.vocabularies import find, tokenizer_of

LONGEST_PROMPT = 2
"""A prompt may have this many times the bytes of the longest text."""


@dataclass(frozen=True)
class ConversationResult:
    """A counted prompt, with the conversation and the template that it was made of."""

    state: ConversationState
    conversation: Conversation
    template: ChatTemplate
    counted: CountedPrompt
    published: PublishedCount | None = None  # by a rule that the publisher of the vocabulary gives

    @property
    def roles(self) -> list[str]:
        """The role of each message."""
        return [message.role for message in self.conversation.messages]


def count(state: ConversationState) -> ConversationResult:
    """Render the messages of a state, of which there must be one, and count the tokens of the prompt.

    Raises InputProblem, StillFetchingError while the vocabulary or its template is being downloaded, and
    UnavailableVocabularyError.
    """
    field = "source" if state.template == OWN else "template"
    try:
        template = template_chosen(state)
        conversation = Conversation(state.messages, tools_of(state.tools))
        tokenizer = tokenizer_of(state.vocabulary)
        prompt = render(template, conversation, reply=state.reply)
        within(prompt.text, LONGEST_PROMPT * current_app.config["MAX_TEXT_BYTES"], _("The rendered prompt"))
        counted = count_prompt(prompt, conversation, template, tokenizer, single=state.single)
    except NoTemplateError as error:
        advice = _("Choose another template, or paste one.")
        raise InputProblem(joined([whole(error.message), advice]), 422, "template") from None
    except TemplateSourceError as error:
        raise InputProblem(whole(error.message), 413 if "most" in error.message.values else 422, field) from None
    except TemplateError as error:
        raise InputProblem(template_problem(error), 422, field) from None
    except TooLongError as error:
        raise InputProblem(str(error), 413, field) from None
    except TextError as error:
        entry = find(state.vocabulary)
        assert entry is not None
        problem = text_problem(State(algorithm=entry.algorithms[0], vocabulary=entry.name), error)
        raise replace(problem, field="messages") from None
    published = published_count(conversation, tokenizer, state.vocabulary, state.model)
    return ConversationResult(state, conversation, template, counted, published)


def template_chosen(state: ConversationState) -> ChatTemplate:
    """The template of a state; raises the exceptions of `template_of`."""
    if state.template == FROM_VOCABULARY:
        return template_of(state.vocabulary)
    return own_template(state.source) if state.template == OWN else BUILT_IN[state.template]


def with_own_template(state: ConversationState) -> ConversationState:
    """The state with its template as the visitor's own; special tokens that it names are set at its beginning.

    Raises the exceptions of `template_of`.
    """
    template = template_chosen(state)
    source = template.source_for(tools=bool(state.tools.strip()))
    tokens = [f"{{%- set {name} = {json.dumps(value)} %}}\n" for name, value in template.variables.items()]
    return replace(state, template=OWN, source="".join(tokens) + source)

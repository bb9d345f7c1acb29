"""Contexts of the templates of `/messages`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.sharing.contexts import SharingPage
from webapp.tokenization.conversation.stage import ConversationStage, MessageShare
from webapp.tokenization.conversation.state import ConversationState
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import CatalogueEntry, StillFetchingError
from webapp.vocabularies.language_models import LanguageModel
from webapp.web.templates import Context


@dataclass(frozen=True)
class MessageRow:
    """A message in its box; `share` has its tokens, None if they are not counted."""

    number: int
    role: str
    content: str
    extra: str  # further fields as JSON
    has_extra: bool  # whether the box shows them
    roles: Sequence[str]  # to choose from
    share: MessageShare | None


@dataclass(frozen=True, kw_only=True)
class ConversationContext(Context):
    """The form with the messages, and the stage with their prompt; for htmx."""

    template = "messages/_conversation.html"

    state: ConversationState
    rows: Sequence[MessageRow]
    stage: ConversationStage | None  # None if there is none
    pending: StillFetchingError | None  # while the vocabulary is being downloaded
    problems: Sequence[InputProblem]
    invalid: Mapping[str, str]  # field → what is wrong with it
    typed: Mapping[str, str]  # field → what was typed, where the state cannot hold it
    pasted: str  # JSON that could not be read
    groups: Sequence[tuple[str, Sequence[CatalogueEntry]]]  # the vocabularies to choose from: heading, entries
    templates: Sequence[tuple[str, str]]  # the chat templates to choose from: value, title
    models: Sequence[tuple[str, Sequence[LanguageModel]]]  # heading, models
    model: LanguageModel | None
    model_note: str  # that the chosen model uses another vocabulary
    examples: Sequence[tuple[str, str]]  # title, address
    most_messages: int
    link: str | None  # the address of this conversation, None if it would be too long


@dataclass(frozen=True, kw_only=True)
class MessagesPage(SharingPage):
    """The whole page."""

    template = "messages/page.html"

    conversation: ConversationContext
    form_id: str = "messages"

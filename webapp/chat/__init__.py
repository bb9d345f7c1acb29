"""Chat: conversations, the templates that make prompts of them, and the sandbox in which templates run."""

from __future__ import annotations

from webapp.chat.messages import Conversation, ConversationError, Message, conversation_of, read_messages
from webapp.chat.render import Prompt, TemplateError, render
from webapp.chat.spans import Span
from webapp.chat.templates import (
    BUILT_IN,
    ChatTemplate,
    NoTemplateError,
    TemplateSourceError,
    own_template,
)

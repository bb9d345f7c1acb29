"""`/messages`: a conversation, the prompt that a chat template makes of it, and its tokens counted by message."""

from webapp.pages.messages.routes import blueprint

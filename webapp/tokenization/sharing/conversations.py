"""Shared conversations: messages, template, the rendered prompt, its tokens, and what they belong to.

A snapshot has all that its page shows, so it depends on no template, vocabulary or list of models.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import Any

from flask import Response, request, url_for
from flask_babel import lazy_gettext as _l
from pydantic import TypeAdapter

from webapp.chat.messages import conversation_of
from webapp.chat.openai_rule import PublishedCount
from webapp.chat.render import Prompt
from webapp.chat.spans import Span
from webapp.chat.templates import ChatTemplate
from webapp.rendering import pictures
from webapp.storage import ShareReceipt
from webapp.tokenization.conversation.count import (
    ConversationResult,
    PromptFigures,
    conversation_file,
    conversation_json,
    count,
)
from webapp.tokenization.conversation.counts import counted_prompt
from webapp.tokenization.conversation.state import OWN, VIEWS, ConversationState, as_json
from webapp.tokenization.exports import picture_words
from webapp.tokenization.sharing.results import snapshot_of
from webapp.tokenization.sharing.snapshots import ShareTerms, Shown, encoding_of, store
from webapp.vocabularies import tokenizer_of
from webapp.web.json_responses import json_piece

_FIGURES = TypeAdapter(PromptFigures)
_PUBLISHED: TypeAdapter[PublishedCount | None] = TypeAdapter(PublishedCount | None)


def share_conversation(state: ConversationState, terms: ShareTerms) -> ShareReceipt:
    """Count and store a conversation; raises InputProblem."""
    result = count(state)
    counted, template = result.counted, result.template
    encoding = counted.encoding
    kept: dict[str, Any] = {
        "kind": "conversation",
        **result.conversation.as_json(),
        "template": {
            "name": state.template,
            "title": template.title,
            "source": result.source,
            "provenance": template.provenance,
        },
        "vocabulary": state.vocabulary,
        "vocabulary_title": result.vocabulary_title,
        "reply": state.reply,
        "single": state.single,
        "missing": list(counted.missing),
        "exact": counted.prompt.exact,
        "dated": counted.prompt.dated,
        "date": counted.prompt.date.isoformat() if counted.prompt.dated else "",
        "spans": [[span.start, span.end, span.message, span.kind] for span in counted.prompt.spans],
        "published": _PUBLISHED.dump_python(result.published, mode="json"),
        "figures": _FIGURES.dump_python(result.figures, mode="json", exclude_defaults=True),
        "model": state.model,
        **terms.texts,
    }
    return store(snapshot_of(encoding, tokenizer_of(state.vocabulary), kept, encoding.text), terms)


class ShownConversation(Shown):
    """A shared conversation; `view` of the address chooses how its prompt is shown."""

    kind = "conversation"
    heading = _l("A conversation in tokens")

    @cached_property
    def restored(self) -> ConversationResult:
        """The conversation at the time of sharing."""
        view = request.args.get("view", "") if request.endpoint == "share.page" else ""
        stored, kept = self.snapshot, self.snapshot.state
        conversation = conversation_of({name: kept.get(name) for name in ("messages", "tools")})
        chosen = kept["template"]
        state = ConversationState(
            messages=conversation.messages,
            tools=as_json(conversation.tools),
            template=chosen["name"],
            source=chosen["source"] if chosen["name"] == OWN else "",
            vocabulary=kept["vocabulary"],
            reply=kept["reply"],
            single=kept["single"],
            model=kept["model"],
            view=next((each for each in VIEWS if each == view), "tokens"),
        )
        day = date.fromisoformat(kept["date"]) if kept["date"] else self.stored.created.date()
        spans = tuple(Span(*parts) for parts in kept["spans"])
        prompt = Prompt(stored.text, spans, exact=kept["exact"], dated=kept["dated"], date=day)
        encoding = encoding_of(stored)
        return ConversationResult(
            state,
            conversation,
            ChatTemplate(**chosen),
            counted_prompt(prompt, encoding, len(conversation.messages), kept["missing"], kept["single"]),
            _PUBLISHED.validate_python(kept["published"]),
            _FIGURES.validate_python(kept["figures"]),
            kept["vocabulary_title"],
        )

    def content(self, *, embedded: bool = False) -> dict[str, Any]:
        """The conversation, of which an embedded page shows the stage alone."""
        return {"conversation": self.restored}

    def content_json(self) -> dict[str, Any]:
        """The messages with their counts, and the prompt as its text."""
        shared, restored = self.snapshot, self.restored
        pieces = {id: json_piece(piece) for id, piece in shared.pieces.items()}
        return {
            "conversation": restored.conversation.as_json(),
            "reply_prompt": shared.state["reply"],
            **{name: shared.state[name] for name in ("template", "vocabulary", "figures", "published")},
            **conversation_json(restored.counted, restored.roles),
            "pieces": map(pieces.__getitem__, shared.ids),
            "offsets": zip(shared.starts, shared.ends, strict=True),
            "special": shared.special,
        }

    def file(self, kind: str) -> Response:
        """The counts or the prompt as a file."""
        return conversation_file(self.restored.counted, self.restored.roles, kind)

    def card(self) -> bytes:
        """The tokens of the prompt."""
        return pictures.card(self.restored.counted.encoding, picture_words(), title=self.title)

    @property
    def origin(self) -> tuple[str, str]:
        """The page that counts conversations."""
        return url_for("messages.page"), replace(self.restored.state, view="tokens").query()

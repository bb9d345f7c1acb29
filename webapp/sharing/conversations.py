"""Shares and restores conversations: messages, template, the rendered prompt, its tokens, and what they belong to.

A snapshot has all that its page shows, so it depends on no template, vocabulary or list of models.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from webapp.chat.messages import Conversation, conversation_of
from webapp.chat.render import Prompt
from webapp.chat.spans import Span
from webapp.core import __version__
from webapp.sharing.results import ShareTerms, encoding_of, pieces_of
from webapp.storage import ShareReceipt, Snapshot, storage
from webapp.tokenization.conversation.count import ConversationResult
from webapp.tokenization.conversation.counts import CountedPrompt, counts_of
from webapp.tokenization.conversation.figures import PromptFigures, PublishedCount, figures_of
from webapp.tokenization.conversation.state import OWN, ConversationState, written_tools
from webapp.vocabularies import find, title_of, tokenizer_of

_FIGURES = TypeAdapter(PromptFigures)
_PUBLISHED: TypeAdapter[PublishedCount | None] = TypeAdapter(PublishedCount | None)


def is_conversation(snapshot: Snapshot) -> bool:
    """Whether a snapshot is of a conversation."""
    return bool(snapshot.state.get("kind") == "conversation")


def share_conversation(result: ConversationResult, terms: ShareTerms) -> ShareReceipt:
    """Store a counted conversation; raises like `SnapshotStore.share`."""
    return storage().snapshots.share(capture_conversation(result, terms), expires=terms.expires)


def capture_conversation(result: ConversationResult, terms: ShareTerms) -> Snapshot:
    """The snapshot of a counted conversation."""
    state, counted, template = result.state, result.counted, result.template
    encoding = counted.encoding
    entry = find(state.vocabulary)
    kept: dict[str, Any] = {
        "kind": "conversation",
        **result.conversation.as_json(),
        "template": {
            "name": state.template,
            "title": template.title,
            "source": template.source_for(tools=bool(result.conversation.tools)),
            "provenance": template.provenance,
        },
        "vocabulary": state.vocabulary,
        "vocabulary_title": title_of(entry) if entry else state.vocabulary,
        "reply": state.reply,
        "single": state.single,
        "missing": list(counted.missing),
        "exact": counted.prompt.exact,
        "dated": counted.prompt.dated,
        "date": counted.prompt.date.isoformat() if counted.prompt.dated else "",
        "spans": [[span.start, span.end, span.message, span.kind] for span in counted.prompt.spans],
        "published": _PUBLISHED.dump_python(result.published, mode="json"),
        "figures": _FIGURES.dump_python(figures_of(state, counted.counts.total), mode="json", exclude_defaults=True),
        "model": state.model,
        **{name: value for name, value in (("title", terms.title), ("note", terms.note)) if value},
    }
    return Snapshot(
        text=encoding.text,
        state=kept,
        ids=list(encoding.ids),
        starts=list(encoding.starts),
        ends=list(encoding.ends),
        pieces=pieces_of(encoding, tokenizer_of(state.vocabulary)),
        unknown=sorted(encoding.unknown),
        special=sorted(encoding.special),
        decoded=encoding.text,
        core_version=__version__,
    )


@dataclass(frozen=True)
class RestoredConversation:
    """A conversation that is restored from its snapshot."""

    snapshot: Snapshot
    created: date

    @property
    def title(self) -> str:
        """The title that the template had."""
        return str(self.snapshot.state["template"]["title"])

    @property
    def name(self) -> str:
        """The name of the template, `vocabulary` or `own`."""
        return str(self.snapshot.state["template"]["name"])

    @property
    def provenance(self) -> str:
        """Where the template came from."""
        return str(self.snapshot.state["template"]["provenance"])

    @property
    def vocabulary_title(self) -> str:
        """The title that the vocabulary had."""
        return str(self.snapshot.state["vocabulary_title"])

    @cached_property
    def conversation(self) -> Conversation:
        """The messages and the tools."""
        return conversation_of({name: self.snapshot.state.get(name) for name in ("messages", "tools")})

    @cached_property
    def figures(self) -> PromptFigures:
        """The context window and the price at the time of sharing."""
        return _FIGURES.validate_python(self.snapshot.state["figures"])

    @property
    def published(self) -> PublishedCount | None:
        """The count by a published rule."""
        return _PUBLISHED.validate_python(self.snapshot.state["published"])

    @cached_property
    def state(self) -> ConversationState:
        """The state of the page at the time of sharing, for a copy."""
        kept, figures = self.snapshot.state, self.figures
        model = kept["model"]
        state = ConversationState(
            messages=self.conversation.messages,
            tools=written_tools(self.conversation),
            template=self.name,
            source=kept["template"]["source"] if self.name == OWN else "",
            vocabulary=kept["vocabulary"],
            reply=kept["reply"],
            single=kept["single"],
            model=model,
            context=None if model else figures.window,
        )
        return replace(state, price=figures.price, entered=figures.as_of) if figures.own else state

    @cached_property
    def counted(self) -> CountedPrompt:
        """The stored prompt with its tokens."""
        stored, kept = self.snapshot, self.snapshot.state
        spans = tuple(Span(*parts) for parts in kept["spans"])
        day = date.fromisoformat(kept["date"]) if kept["date"] else self.created
        prompt = Prompt(stored.text, spans, exact=kept["exact"], dated=kept["dated"], date=day)
        encoding = encoding_of(stored)
        counts = counts_of(prompt, encoding, len(self.conversation.messages))
        return CountedPrompt(prompt, encoding, counts, kept["missing"], kept["single"])

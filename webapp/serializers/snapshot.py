"""Snapshots as JSON."""

from __future__ import annotations

from typing import Any

from flask import url_for

from webapp.serializers.conversation import conversation_json
from webapp.serializers.json import json_piece, well_formed
from webapp.sharing.conversations import RestoredConversation, is_conversation
from webapp.storage import Snapshot, StoredSnapshot


def snapshot_json(stored: StoredSnapshot) -> dict[str, Any]:
    """A snapshot for `json_response`; `pieces` has an entry for each token.

    A comparison has `rows`, each with its own tokens;
    a conversation has `messages` with their counts, and the prompt as its text.
    """
    shared = stored.snapshot
    about = {
        "id": stored.id,
        "url": url_for("share.page", id=stored.id, _external=True),
        "created": stored.created.isoformat(),
        "expires": None if stored.expires is None else stored.expires.isoformat(),
        "title": shared.state.get("title", ""),
        "note": shared.state.get("note", ""),
        "text": well_formed(shared.text),
    }
    if is_conversation(shared):
        return {**about, **_conversation(stored), "core_version": shared.core_version}
    if shared.rows:
        return {**about, "rows": list(map(_tokens, shared.rows)), "core_version": shared.core_version}
    return {**about, **_tokens(shared), "core_version": shared.core_version}


def _conversation(stored: StoredSnapshot) -> dict[str, Any]:
    shared = stored.snapshot
    restored = RestoredConversation(shared, stored.created.date())
    pieces = {id: json_piece(piece) for id, piece in shared.pieces.items()}
    roles = [message.role for message in restored.conversation.messages]
    return {
        "conversation": restored.conversation.as_json(),
        "template": shared.state["template"],
        "vocabulary": shared.state["vocabulary"],
        "reply_prompt": shared.state["reply"],
        "figures": shared.state["figures"],
        "published": shared.state["published"],
        **conversation_json(restored.counted, roles),
        "pieces": map(pieces.__getitem__, shared.ids),
        "offsets": zip(shared.starts, shared.ends, strict=True),
        "special": shared.special,
    }


def _tokens(shared: Snapshot) -> dict[str, Any]:
    pieces = {id: json_piece(piece) for id, piece in shared.pieces.items()}
    unknown = frozenset(shared.unknown)
    state = shared.state
    return {
        **{name: state[name] for name in ("algorithm", "vocabulary", "vocabulary_hash", "options")},
        "ids": shared.ids,
        "pieces": (
            json_piece(shared.text[start:end]) if index in unknown else pieces[id]
            for index, (id, start, end) in enumerate(zip(shared.ids, shared.starts, shared.ends, strict=True))
        ),
        "offsets": zip(shared.starts, shared.ends, strict=True),
        "unknown": shared.unknown,
        "special": shared.special,
        "decoded": well_formed(shared.decoded),
    }

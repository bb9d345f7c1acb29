"""Snapshots as JSON."""

from __future__ import annotations

from typing import Any

from flask import url_for

from webapp.serializers.json import json_piece, well_formed
from webapp.storage import Snapshot, StoredSnapshot


def snapshot_json(stored: StoredSnapshot) -> dict[str, Any]:
    """A snapshot; `pieces` has an entry for each token. A comparison has `rows`, each with its own tokens."""
    kept = stored.snapshot
    about = {
        "id": stored.id,
        "url": url_for("share.page", id=stored.id, _external=True),
        "created": stored.created.isoformat(),
        "expires": None if stored.expires is None else stored.expires.isoformat(),
        "title": kept.state.get("title", ""),
        "note": kept.state.get("note", ""),
        "text": well_formed(kept.text),
    }
    if kept.rows:
        return {**about, "rows": list(map(_tokens, kept.rows)), "core_version": kept.core_version}
    return {**about, **_tokens(kept), "core_version": kept.core_version}


def _tokens(kept: Snapshot) -> dict[str, Any]:
    pieces = {id: json_piece(piece) for id, piece in kept.pieces.items()}
    unknown = frozenset(kept.unknown)
    state = kept.state
    return {
        "algorithm": state["algorithm"],
        "vocabulary": state["vocabulary"],
        "vocabulary_hash": state["vocabulary_hash"],
        "options": state["options"],
        "ids": kept.ids,
        "pieces": [
            json_piece(kept.text[start:end]) if index in unknown else pieces[id]
            for index, (id, start, end) in enumerate(zip(kept.ids, kept.starts, kept.ends, strict=True))
        ],
        "offsets": list(zip(kept.starts, kept.ends, strict=True)),
        "unknown": kept.unknown,
        "special": kept.special,
        "decoded": well_formed(kept.decoded),
    }

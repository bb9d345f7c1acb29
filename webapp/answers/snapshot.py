"""A kept result as JSON."""

from __future__ import annotations

from typing import Any

from flask import url_for

from webapp.answers.json import json_piece, well_formed
from webapp.storage import Stored


def snapshot_json(stored: Stored) -> dict[str, Any]:
    """What a snapshot keeps; `pieces` has an entry for each token."""
    kept = stored.snapshot
    pieces = {id: json_piece(piece) for id, piece in kept.pieces.items()}
    unknown = frozenset(kept.unknown)
    state = kept.state
    return {
        "id": stored.id,
        "url": url_for("snapshots.page", id=stored.id, _external=True),
        "created": stored.created.isoformat(),
        "expires": None if stored.expires is None else stored.expires.isoformat(),
        "title": state.get("title", ""),
        "note": state.get("note", ""),
        "algorithm": state["algorithm"],
        "vocabulary": state["vocabulary"],
        "vocabulary_hash": state["vocabulary_hash"],
        "options": state["options"],
        "text": well_formed(kept.text),
        "ids": kept.ids,
        "pieces": [
            json_piece(kept.text[start:end]) if index in unknown else pieces[id]
            for index, (id, start, end) in enumerate(zip(kept.ids, kept.starts, kept.ends, strict=True))
        ],
        "offsets": list(zip(kept.starts, kept.ends, strict=True)),
        "unknown": kept.unknown,
        "special": kept.special,
        "decoded": well_formed(kept.decoded),
        "core_version": kept.core_version,
    }

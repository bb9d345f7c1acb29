"""The address of `/decode` with the ids of a result."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from flask import current_app, url_for

from webapp.tokenization.state import State
from webapp.tokenization.vocabulary_choices import is_choice


def can_decode(state: State) -> bool:
    """Whether `/decode` has the vocabulary of a state: not one of the visitor's text or words, nor with changes."""
    changed = state.edits.strip() or state.added.strip()
    return is_choice(state.vocabulary) and not state.trained and not changed


def decode_link(state: State, ids: Sequence[int]) -> str | None:
    """The address of `/decode` with ids; None if it would be too long or the vocabulary is that of one text."""
    most = current_app.config["MAX_LINK_CHARACTERS"]
    if not can_decode(state) or len(ids) > most // 2:
        return None
    query = urlencode({"vocabulary": state.vocabulary, "ids": " ".join(map(str, ids))})
    return f"{url_for('decode.page')}?{query}" if len(query) <= most else None

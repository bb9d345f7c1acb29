"""The preview card of a snapshot, whatever it is of."""

from __future__ import annotations

from webapp.pages.share import comparisons, conversations, views
from webapp.sharing.comparisons import is_comparison
from webapp.sharing.conversations import is_conversation
from webapp.storage import StoredSnapshot


def card_of(stored: StoredSnapshot) -> bytes:
    """The card of a result, a comparison or a conversation, as PNG."""
    if is_comparison(stored.snapshot):
        return comparisons.card(stored)
    return conversations.card(stored) if is_conversation(stored.snapshot) else views.card(stored)

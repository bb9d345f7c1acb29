"""Everything that can be shared: a result, a comparison, a conversation or an evaluation, stored exactly as it was."""

from __future__ import annotations

from webapp.storage import StoredSnapshot
from webapp.tokenization.sharing.comparisons import ShownComparison
from webapp.tokenization.sharing.conversations import ShownConversation
from webapp.tokenization.sharing.results import ShownResult
from webapp.tokenization.sharing.snapshots import Shown, kind_of

KINDS: dict[str, type[Shown]] = {kind.kind: kind for kind in (ShownResult, ShownComparison, ShownConversation)}


def shown_of(stored: StoredSnapshot) -> Shown:
    """A snapshot by its kind; evaluations have pages of their own."""
    return KINDS[kind_of(stored.snapshot)](stored)

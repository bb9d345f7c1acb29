"""The address of a token's own page."""

from __future__ import annotations

from flask import url_for

from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.result import Result
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, library, tokenizer_of
from webapp.vocabularies.upload_cookie import find_or_none


def token_address(result: Result, id: int) -> str | None:
    """The address of the page of token `id`; None if its vocabulary has no page, or has another token with this id.

    The vocabulary of a result may have words that a visitor added, and that of a shared result may be gone: a file that
    is not here is never fetched for a link.
    """
    name = result.state.vocabulary
    entry = find_or_none(name)
    if entry is None or entry.origin in ("learned", "pasted") or library().must_be_fetched(name):
        return None
    try:
        tokenizer = tokenizer_of(name)
    except (UnavailableVocabularyError, StillFetchingError, KeyError):
        return None
    if _piece(tokenizer, id) is None or _piece(tokenizer, id) != _piece(result.tokenizer, id):
        return None
    return url_for("vocabularies.token", name=name, id=id)


def _piece(tokenizer: Tokenizer, id: int) -> str | bytes | None:
    added = next((token.content for token in tokenizer.added_tokens if token.id == id), None)
    if added is not None:
        return added
    return tokenizer.model.pieces[id] if id < len(tokenizer.model.pieces) else None

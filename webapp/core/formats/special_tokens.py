"""Comparing a tokenizer's special tokens with those that a file without flags would give it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from webapp.core.added_tokens import AddedToken
from webapp.core.formats.fields import FormatError
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown


def check_special_tokens(tokenizer: Tokenizer, read_back: Mapping[str, int]) -> None:
    """Raise FormatError unless the added tokens of a tokenizer are the special tokens `read_back`, without flags.

    `read_back` maps the special tokens that a reader of the written file finds to their ids.
    """
    for token in tokenizer.added_tokens:
        if read_back.get(token.content) != token.id:
            raise FormatError("the file cannot hold the added token %(token)s", token=shown(token.content))
        # Without a normalizer it makes no difference whether a token is matched before or after it.
        normalized = token.normalized and tokenizer.normalizer is None
        if replace(token, declared_id=None) != AddedToken(token.content, token.id, normalized=normalized):
            raise FormatError("the file cannot hold the flags of the added token %(token)s", token=shown(token.content))
    known = {token.content for token in tokenizer.added_tokens}
    for content in read_back:
        if content not in known:
            raise FormatError("the piece %(piece)s would be read as a special token", piece=shown(content))

"""The algorithms that can use a given vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.algorithms import algorithms_for, sharing_vocabularies
from webapp.core.tokenizer import Tokenizer


def algorithms_of(tokenizer: Tokenizer) -> tuple[str, ...]:
    """The algorithms that can use the vocabulary of a tokenizer: several for a dictionary, else one."""
    return algorithms_for(tokenizer.model)


def with_newer(stored: Sequence[str]) -> tuple[str, ...]:
    """The algorithms that were stored with a vocabulary, and those added since that use vocabularies of its kind.

    >>> with_newer(("fmm", "bmm"))[:3], with_newer(("bpe",))
    (('fmm', 'bmm', 'bidirectional'), ('bpe',))
    """
    return tuple(dict.fromkeys([*stored, *(other for id in stored for other in sharing_vocabularies(id))]))

"""Which algorithms a vocabulary is for, and which the site offers."""

from __future__ import annotations

from webapp.core.algorithms import algorithms_for
from webapp.core.tokenizer import Tokenizer


def algorithms_of(tokenizer: Tokenizer) -> tuple[str, ...]:
    """The algorithms that can use the vocabulary of a tokenizer: two for a dictionary, else one."""
    return algorithms_for(tokenizer.model)

"""The algorithms that can use a given vocabulary."""

from __future__ import annotations

from webapp.core.algorithms import algorithms_for
from webapp.core.tokenizer import Tokenizer


def algorithms_of(tokenizer: Tokenizer) -> tuple[str, ...]:
    """The algorithms that can use the vocabulary of a tokenizer: two for a dictionary, else one."""
    return algorithms_for(tokenizer.model)

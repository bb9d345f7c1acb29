"""Encode texts with a tokenizer of the core, and report the time and the number of tokens (`webapp.observing`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypedDict

from webapp.core.algorithms import ALGORITHMS, algorithms_for
from webapp.core.encoding import Encoding
from webapp.core.tokenizer import Tokenizer
from webapp.observing import report

OTHER = "other"  # the label of tokens whose algorithm is not registered


class EncodingOptions(TypedDict):
    """The options of `encode` and `ids_of`."""

    algorithm: str
    special: bool
    template: bool


def encode(
    tokenizer: Tokenizer, text: str, *, algorithm: str = "", special: bool = False, template: bool = False
) -> Encoding:
    """Return `tokenizer.encode`; the tokens count for `algorithm`, or for the first that has such a model."""
    with _reported(tokenizer, algorithm) as found:
        encoding = tokenizer.encode(text, special=special, template=template)
        found.append(len(encoding))
    return encoding


def ids_of(
    tokenizer: Tokenizer, text: str, *, algorithm: str = "", special: bool = False, template: bool = False
) -> list[int]:
    """Return `tokenizer.ids`; the tokens count as those of `encode`."""
    with _reported(tokenizer, algorithm) as found:
        ids = tokenizer.ids(text, special=special, template=template)
        found.append(len(ids))
    return ids


@contextmanager
def _reported(tokenizer: Tokenizer, algorithm: str) -> Iterator[list[int]]:
    """Report the block as the phase "tokenize", the number of tokens that it adds to the list, and the cached words."""
    current = report.current()
    found: list[int] = []
    before = tokenizer.cached_words
    with current.phase("tokenize"):
        yield found
    if not current.is_recording:
        return
    current.add("tokens_total", sum(found), algorithm=_known(algorithm, tokenizer))
    after = tokenizer.cached_words
    if before is not None and after is not None:
        lookups, misses = after[0] - before[0], after[1] - before[1]
        if misses < 0:  # the cache was emptied meanwhile; what it has again is a lower bound
            misses = min(after[1], lookups)
        current.add("cache_misses_total", misses, cache="words")
        current.add("cache_hits_total", max(lookups - misses, 0), cache="words")


def _known(algorithm: str, tokenizer: Tokenizer) -> str:
    if algorithm in ALGORITHMS:
        return algorithm
    return next(iter(algorithms_for(tokenizer.model)), OTHER)

"""Caches tokenizers in memory: a process reads each one once, and drops the least recently used above a limit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from webapp.core.models.fast.cache import ALL_ROOM
from webapp.core.models.fast.single_precision import MOST_BYTES
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.tokenizer import Tokenizer

# The memory that a loaded vocabulary uses for each piece in all its tables: 100 to 450 bytes, measured by benchmarks
# as the growth of a process.
BYTES_A_PIECE = 450


class MemoryCache:
    """Tokenizers by name; the least recently used one is dropped first.

    >>> from webapp.core.formats.recognize import recognize
    >>> loaded = MemoryCache(most_bytes=1)
    >>> tokenizer = loaded.get("dictionary", lambda: recognize("研究 5\\n".encode()).tokenizer)
    >>> loaded.get("dictionary", lambda: None) is tokenizer  # the last one stays, whatever its size
    True
    """

    def __init__(self, *, most_bytes: int) -> None:
        """Limit the total size to `most_bytes`: `weight` for each tokenizer, and the room that all caches share."""
        self._most_bytes = most_bytes - ALL_ROOM
        self._tokenizers: OrderedDict[str, Tokenizer] = OrderedDict()
        self._reading: dict[str, Lock] = {}
        self._lock = Lock()

    def get(self, name: str, read: Callable[[], Tokenizer]) -> Tokenizer:
        """The tokenizer `name`, from memory or else from `read`, whose exceptions it passes on."""
        with self._lock:
            cached = self._cached(name)
            reading = self._reading.setdefault(name, Lock())
        if cached is not None:
            return cached
        with reading:  # of two concurrent requests, the second waits until the first has read the tokenizer
            with self._lock:
                cached = self._cached(name)
            try:
                return cached or self._add(name, read())
            except BaseException:
                # Remove the lock, so that requests for invalid names do not use memory.
                with self._lock:
                    self._reading.pop(name, None)
                raise

    def has(self, name: str) -> bool:
        """Whether the tokenizer `name` is in memory."""
        return name in self._tokenizers

    def names(self) -> list[str]:
        """The names of the tokenizers in memory, least recently used first."""
        with self._lock:
            return list(self._tokenizers)

    def _cached(self, name: str) -> Tokenizer | None:
        if name in self._tokenizers:
            self._tokenizers.move_to_end(name)
        return self._tokenizers.get(name)

    def _add(self, name: str, tokenizer: Tokenizer) -> Tokenizer:
        with self._lock:
            self._tokenizers[name] = tokenizer
            while len(self._tokenizers) > 1 and sum(map(weight, self._tokenizers.values())) > self._most_bytes:
                dropped, _ = self._tokenizers.popitem(last=False)
                self._reading.pop(dropped, None)
        return tokenizer


def weight(tokenizer: Tokenizer) -> int:
    """The estimated size of a loaded tokenizer in bytes, without the contents of its caches, which share one room."""
    numbered_words = MOST_BYTES if isinstance(tokenizer.model, SentencePieceUnigram) else 0
    return BYTES_A_PIECE * len(tokenizer.model.pieces) + numbered_words

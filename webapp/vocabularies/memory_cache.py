"""Caches tokenizers in memory: a process reads each one once, and drops the least recently used above a limit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from webapp.core.cache import ALL_ROOM
from webapp.core.tokenizer import Tokenizer
from webapp.observing import report
from webapp.vocabularies.held_bytes import held_bytes

# What a process needs with each vocabulary besides its tables: compiled patterns, and pages that it no longer shares.
BESIDE_TABLES = 3_000_000


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
        self._weights: dict[str, int] = {}
        self._uses: dict[str, int] = {}
        self._reading: dict[str, Lock] = {}
        self._lock = Lock()

    def get(self, name: str, read: Callable[[], Tokenizer]) -> Tokenizer:
        """The tokenizer `name`, from memory or else from `read`, whose exceptions it passes on."""
        with self._lock:
            cached = self._cached(name)
            reading = self._reading.setdefault(name, Lock())
        report.current().add(f"cache_{'misses' if cached is None else 'hits'}_total", cache="vocabularies")
        if cached is not None:
            self._measure_again(name, cached)
            return cached
        with (
            report.current().phase("load vocabulary"),
            reading,
        ):  # of two concurrent requests, the second waits until the first has read the tokenizer
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

    def held(self) -> int:
        """The estimated size of all tokenizers in memory, in bytes."""
        with self._lock:
            return sum(self._weights.values())

    def names(self) -> list[str]:
        """The names of the tokenizers in memory, least recently used first."""
        with self._lock:
            return list(self._tokenizers)

    def _cached(self, name: str) -> Tokenizer | None:
        if name in self._tokenizers:
            self._tokenizers.move_to_end(name)
        return self._tokenizers.get(name)

    def _add(self, name: str, tokenizer: Tokenizer) -> Tokenizer:
        measured = weight(tokenizer)
        with self._lock:
            self._tokenizers[name] = tokenizer
            self._weights[name], self._uses[name] = measured, 0
            self._drop()
        return tokenizer

    def _measure_again(self, name: str, tokenizer: Tokenizer) -> None:
        """Measure at the first, second, fourth … use: tokenizers build some tables when they need them first."""
        with self._lock:
            uses = self._uses[name] = self._uses.get(name, 0) + 1
        if uses & (uses - 1) == 0:
            measured = weight(tokenizer)
            with self._lock:
                if name in self._weights:
                    self._weights[name] = measured
                    self._drop()

    def _drop(self) -> None:
        while len(self._tokenizers) > 1 and sum(self._weights.values()) > self._most_bytes:
            dropped, _ = self._tokenizers.popitem(last=False)
            for facts in (self._weights, self._uses, self._reading):
                facts.pop(dropped, None)


def weight(tokenizer: Tokenizer) -> int:
    """The size of a loaded tokenizer in bytes, without the contents of its word caches, which share one room."""
    return BESIDE_TABLES + held_bytes(tokenizer)

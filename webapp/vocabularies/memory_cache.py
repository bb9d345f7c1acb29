"""Tokenizers in memory: each read once by a process, the one not used for longest dropped when memory gets short."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from webapp.core.models.fast.cache import ALL_ROOM
from webapp.core.models.fast.single_precision import MOST_BYTES
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.tokenizer import Tokenizer

# A piece with its places in the tables of a loaded vocabulary: 100 to 450 bytes, measured by the benchmarks as the
# growth of a process.
BYTES_A_PIECE = 450


class MemoryCache:
    """Tokenizers by name, of which the least recently used goes first.

    >>> from webapp.core.formats.recognize import recognize
    >>> loaded = MemoryCache(most_bytes=1)
    >>> tokenizer = loaded.get("dictionary", lambda: recognize("研究 5\\n".encode()).tokenizer)
    >>> loaded.get("dictionary", lambda: None) is tokenizer  # the last one stays, however large it is
    True
    """

    def __init__(self, *, most_bytes: int) -> None:
        """All together take about `most_bytes`: `weight` for each, and the room that the caches of all share."""
        self._most_bytes = most_bytes - ALL_ROOM
        self._tokenizers: OrderedDict[str, Tokenizer] = OrderedDict()
        self._reading: dict[str, Lock] = {}
        self._lock = Lock()

    def get(self, name: str, read: Callable[[], Tokenizer]) -> Tokenizer:
        """The tokenizer of that name; where it is not in memory, what `read` gives, and its exceptions."""
        with self._lock:
            found = self._found(name)
            reading = self._reading.setdefault(name, Lock())
        if found is not None:
            return found
        with reading:  # two visitors at once: the second one waits for what the first one reads
            with self._lock:
                found = self._found(name)
            try:
                return found or self._add(name, read())
            except BaseException:
                # A name that a request made up leaves nothing here.
                with self._lock:
                    self._reading.pop(name, None)
                raise

    def has(self, name: str) -> bool:
        """Whether it is in memory."""
        return name in self._tokenizers

    def names(self) -> list[str]:
        """What is in memory, the least recently used first."""
        with self._lock:
            return list(self._tokenizers)

    def _found(self, name: str) -> Tokenizer | None:
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
    """About how many bytes a loaded tokenizer takes, without what its caches hold in the room that all share."""
    numbered_words = MOST_BYTES if isinstance(tokenizer.model, SentencePieceUnigram) else 0
    return BYTES_A_PIECE * len(tokenizer.model.pieces) + numbered_words

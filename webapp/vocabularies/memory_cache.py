"""Caches tokenizers in memory: a process reads each one once, and drops the least recently used above a limit."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from gc import get_referents
from itertools import chain
from sys import getsizeof
from threading import Lock
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

from webapp.core.cache import ALL_ROOM, Cache
from webapp.core.models.mapped_bpe import MappedBPE
from webapp.core.tokenizer import Tokenizer
from webapp.observing import report

# What a process needs with each vocabulary besides its tables: compiled patterns, and pages that it no longer shares.
BESIDE_TABLES = 3_000_000


@dataclass
class _Loaded:
    tokenizer: Tokenizer
    weight: int  # bytes
    uses: int = 0


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
        self._loaded: OrderedDict[str, _Loaded] = OrderedDict()
        self._reading: dict[str, Lock] = {}
        self._lock = Lock()

    def get(self, name: str, read: Callable[[], Tokenizer]) -> Tokenizer:
        """The tokenizer `name`, from memory or else from `read`, whose exceptions it passes on."""
        with self._lock:
            cached = self._cached(name)
            reading = self._reading.setdefault(name, Lock())
        report.current().add(f"cache_{'misses' if cached is None else 'hits'}_total", cache="vocabularies")
        if cached is not None:
            self._measure_again(cached)
            return cached.tokenizer
        # Of two concurrent requests, the second waits until the first has read the tokenizer.
        with report.current().phase("load vocabulary"), reading:
            with self._lock:
                cached = self._cached(name)
            try:
                return cached.tokenizer if cached else self._add(name, read())
            except BaseException:
                # Remove the lock, so that requests for invalid names do not use memory.
                with self._lock:
                    self._reading.pop(name, None)
                raise

    def has(self, name: str) -> bool:
        """Whether the tokenizer `name` is in memory."""
        return name in self._loaded

    def held(self) -> int:
        """The estimated size of all tokenizers in memory, in bytes."""
        with self._lock:
            return sum(each.weight for each in self._loaded.values())

    def names(self) -> list[str]:
        """The names of the tokenizers in memory, least recently used first."""
        with self._lock:
            return list(self._loaded)

    def _cached(self, name: str) -> _Loaded | None:
        if name in self._loaded:
            self._loaded.move_to_end(name)
            if not is_current(self._loaded[name].tokenizer):
                del self._loaded[name]
        return self._loaded.get(name)

    def _add(self, name: str, tokenizer: Tokenizer) -> Tokenizer:
        loaded = _Loaded(tokenizer, weight(tokenizer))
        with self._lock:
            self._loaded[name] = loaded
            self._drop()
        return tokenizer

    def _measure_again(self, loaded: _Loaded) -> None:
        """Measure at the first, second, fourth … use: tokenizers build some tables when they need them first."""
        with self._lock:
            loaded.uses += 1
        if loaded.uses & (loaded.uses - 1) == 0:
            loaded.weight = weight(loaded.tokenizer)
            with self._lock:
                self._drop()

    def _drop(self) -> None:
        while len(self._loaded) > 1 and sum(each.weight for each in self._loaded.values()) > self._most_bytes:
            dropped, _ = self._loaded.popitem(last=False)
            self._reading.pop(dropped, None)


def is_current(tokenizer: Tokenizer) -> bool:
    """Whether the file that a tokenizer maps, if any, is still the one that was read: one system call."""
    return not isinstance(tokenizer.model, MappedBPE) or tokenizer.model.is_current()


def weight(tokenizer: Tokenizer) -> int:
    """The size of a loaded tokenizer in bytes, without the contents of its word caches, which share one room."""
    return BESIDE_TABLES + held_bytes(tokenizer)


SAMPLE = 300  # elements of a container that stand for all of them
# The allocator rounds the size of each object up; objects have 16 to 32 bytes before them for the garbage collector,
# which `getsizeof` counts only in part.
ROUNDED = 1.1
_SPREAD = 0x9E3779B1  # spreads addresses, which are multiples of 16, over all numbers
_SHARED = (type, ModuleType, BuiltinFunctionType, Cache)


def held_bytes(root: object) -> int:
    """The bytes of an object and of everything that it refers to, within about a fifth, from a sample of its objects.

    An estimate for each piece would not do: in the tables of the well-known vocabularies, a piece takes from 200 bytes
    (merge ranks of tiktoken) to 640 (a SentencePiece model with its merges).

    It takes 30 to 100 ms for 32,000 pieces, a tenth of the time that reading them takes.

    Not counted: classes, modules, global variables of functions, and the contents of word caches, which have a count
    of their own. Of a container with many elements, `SAMPLE` stand for all.
    """
    seen: set[int] = set()
    total = 0.0
    waiting: list[tuple[object, float]] = [(root, 1.0)]
    while waiting:
        found, times = waiting.pop()
        if id(found) in seen or isinstance(found, _SHARED):
            continue
        seen.add(id(found))
        total += times * _own_bytes(found)
        inside, number = _inside(found)
        if number > SAMPLE:
            # Chosen by address, so that several tables of the same objects have the same ones in their samples.
            step = 1 << (number // SAMPLE).bit_length()
            waiting += [(each, times * step) for each in inside if (id(each) * _SPREAD >> 40) % step == 0]
        else:
            waiting += [(each, times) for each in inside]
    return int(ROUNDED * total)


def _own_bytes(found: object) -> int:
    """The bytes of an object without those that it refers to; small numbers exist once in each process."""
    if found.__class__ is int and -6 < found < 257:
        return 0
    return getsizeof(found)


def _inside(found: object) -> tuple[Iterable[Any], int]:
    """The objects that one refers to, in the same order for equal containers, and their number."""
    if isinstance(found, str | bytes | int | float | None):
        return (), 0
    if isinstance(found, FunctionType):
        return (*(found.__closure__ or ()), *(found.__defaults__ or ())), 0
    if isinstance(found, MethodType | CellType):
        return get_referents(found), 0
    if isinstance(found, dict):
        return chain(found, found.values()), 2 * len(found)
    if isinstance(found, list | tuple | set | frozenset):
        return found, len(found)
    referents = get_referents(found)
    return referents, len(referents)

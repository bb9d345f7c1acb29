"""Tokenizers in memory: read once, evicted when there are too many."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress
from threading import Barrier, Thread

import pytest

from webapp.core.formats.recognize import recognize
from webapp.core.models.fast.cache import ALL_ROOM
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.memory_cache import MemoryCache, weight


def tokenizer() -> Tokenizer:
    return recognize(b"low\nlower\n").tokenizer


def test_the_least_recently_used_is_dropped_first() -> None:
    loaded = MemoryCache(most_bytes=ALL_ROOM + 2 * weight(tokenizer()))
    for name in ("a", "b"):
        loaded.get(name, tokenizer)
    loaded.get("a", pytest.fail)
    loaded.get("c", tokenizer)
    assert loaded.names() == ["a", "c"]
    loaded.get("b", tokenizer)
    assert loaded.names() == ["c", "b"]


def test_several_threads_read_a_tokenizer_once() -> None:
    loaded = MemoryCache(most_bytes=1 << 30)
    reads: list[Tokenizer] = []
    got: list[Tokenizer] = []
    together = Barrier(8)

    def read() -> Tokenizer:
        reads.append(tokenizer())
        return reads[-1]

    def ask() -> None:
        together.wait()
        got.append(loaded.get("a", read))

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reads) == 1
    assert {id(each) for each in got} == {id(reads[0])}


def test_failed_reads_are_not_cached() -> None:
    loaded = MemoryCache(most_bytes=1 << 30)

    def fails() -> Tokenizer:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        loaded.get("a", fails)
    assert loaded.get("a", tokenizer).ids("low") == [0]


def test_unknown_names_leave_no_locks() -> None:
    loaded = MemoryCache(most_bytes=1 << 30)

    def unknown() -> Tokenizer:
        raise KeyError

    tracemalloc.start()
    try:
        for number in range(20_000):
            with suppress(KeyError):
                loaded.get(f"upload-{number:016x}", unknown)
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < 500_000

"""Tokenizers in memory: read once, evicted when there are too many."""

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from webapp.core.cache import ALL_ROOM
from webapp.core.formats.recognize import recognize
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.memory_cache import BESIDE_TABLES, MemoryCache, weight


def tokenizer() -> Tokenizer:
    return recognize(b"low\nlower\n").tokenizer


def test_the_least_recently_used_is_dropped_first() -> None:
    loaded = MemoryCache(most_bytes=ALL_ROOM + 5 * weight(tokenizer()) // 2)
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

    def read() -> Tokenizer:
        reads.append(tokenizer())
        return reads[-1]

    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda _: loaded.get("a", read), range(8)))
    assert len(reads) == 1
    assert {id(each) for each in got} == {id(reads[0])}


def test_failed_reads_are_not_cached_and_leave_no_locks() -> None:
    loaded = MemoryCache(most_bytes=1 << 30)

    def unknown() -> Tokenizer:
        raise KeyError

    tracemalloc.start()
    try:
        for number in range(5_000):
            with suppress(KeyError):
                loaded.get(f"upload-{number:016x}", unknown)
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert left < 125_000
    assert loaded.get(f"upload-{0:016x}", tokenizer).ids("low") == [0]


@pytest.mark.parametrize("path", ["tokenizers/bert_base_cased.json", "sentencepiece/llama2.model"])
def test_the_weight_of_a_vocabulary_is_its_memory(path: str, shared: Path) -> None:
    content = (shared / "vocabularies" / path).read_bytes()
    recognize(content).tokenizer.ids("low")  # patterns and tables that all vocabularies share
    gc.collect()
    tracemalloc.start()
    try:
        loaded = recognize(content).tokenizer
        loaded.encode("Newer, lower 研究").starts  # noqa: B018
        gc.collect()
        used, _peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used == pytest.approx(weight(loaded) - BESIDE_TABLES, rel=0.4)  # from samples


def test_a_vocabulary_that_grows_is_measured_again() -> None:
    loaded = MemoryCache(most_bytes=1 << 30)
    growing = loaded.get("a", tokenizer)
    before = loaded.held()
    growing.later = list(range(100_000, 200_000))  # type: ignore[attr-defined]
    loaded.get("a", pytest.fail)
    assert loaded.held() - before == pytest.approx(3_600_000, rel=0.5)  # from a sample of a hundredth

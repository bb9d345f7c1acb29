"""Caches: what they store, and that together they stay within what the memory budget counts."""

import gc
import tracemalloc
from random import Random
from sys import getsizeof

import pytest

from webapp.core import cache as caches
from webapp.core.cache import BLOCK, LONGEST, Cache, SharedRoom, held_by_all
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.tokenizer import Tokenizer


def test_a_cache_computes_each_result_once() -> None:
    computed: list[str] = []
    cache = Cache(lambda pretoken: computed.append(pretoken) or len(pretoken))
    assert [cache[word] for word in ("low", "lower", "low")] == [3, 5, 3]
    assert computed == ["low", "lower"]


def test_a_full_cache_starts_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "ROOM", 4 * BLOCK)
    cache = Cache(lambda pretoken: (len(pretoken),))
    for at in range(40_000):
        assert cache[str(at)] == (len(str(at)),)
        assert cache.held <= 4 * BLOCK
    assert 0 < sum(getsizeof(key) + getsizeof(answer) for key, answer in cache.items()) <= cache.held


def test_only_the_latest_long_pretoken_is_cached() -> None:
    computed: list[str] = []
    cache = Cache(lambda pretoken: computed.append(pretoken) or tuple(pretoken))
    first, second = "x" * (LONGEST + 1), "y" * (LONGEST + 1)
    for pretoken in (first, first, second, first):
        assert cache[pretoken] == tuple(pretoken)
    assert computed == [first, second, first]
    assert not cache


def test_a_result_larger_than_the_limit_is_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "ROOM", BLOCK)
    computed: list[str] = []
    cache = Cache(lambda pretoken: computed.append(pretoken) or tuple(pretoken))
    text = "x" * BLOCK
    assert cache[text] == cache[text] == tuple(text)
    assert computed == [text, text]
    assert cache.held == 0


def test_the_largest_cache_is_emptied_when_all_are_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "_shared", SharedRoom(6 * BLOCK))
    large, small = Cache(len), Cache(len)
    while large.held < 5 * BLOCK:
        large[str(len(large))]
    while small.held < 2 * BLOCK:
        small[str(len(small))]
        assert held_by_all() <= 6 * BLOCK
    assert not large
    assert small


def test_a_deleted_cache_frees_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "_shared", SharedRoom(6 * BLOCK))
    cache = Cache(len)
    cache["low"]
    assert held_by_all() == BLOCK
    del cache
    gc.collect()
    assert held_by_all() == 0


def hostile_words(longest: int) -> str:
    """Return words that never repeat, of characters that take four bytes each."""
    random = Random(7)
    emoji = [chr(code) for code in range(0x1F300, 0x1F900)]
    return " ".join("".join(random.choices(emoji, k=random.randint(1, longest))) for _ in range(8_000 // longest))


def bounded_models() -> list[Tokenizer]:
    pieces = ["<unk>", "\u2581", "a", *map(chr, range(0x1F300, 0x1F600))]
    scores = [0.0, *(-1.0 - id / 7 for id in range(1, len(pieces)))]
    kinds = [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * (len(pieces) - 1)]
    return [
        Tokenizer(Unigram(pieces, scores, unknown_id=0)),
        Tokenizer(SentencePieceUnigram(ScoredPieces(pieces, scores, kinds))),
        Tokenizer(Matching(Dictionary(["研究", "研究生"]), "both")),
    ]


@pytest.mark.parametrize("longest", [2, 40, 250])
def test_caches_hold_no_more_than_they_count(longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for tokenizer in bounded_models():
        content = hostile_words(longest).replace(" ", "\u2581")
        monkeypatch.setattr(caches, "_shared", SharedRoom(caches.ALL_ROOM))
        tokenizer.ids("a")
        assert list(tokenizer.encode("a").starts) == [0]
        tracemalloc.start()
        try:
            for at in range(0, len(content), 2_000):
                tokenizer.ids(content[at : at + 2_000])
                assert len(tokenizer.encode(content[at : at + 2_000]).starts)
            gc.collect()
            traced, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert traced <= held_by_all() + 1_000_000

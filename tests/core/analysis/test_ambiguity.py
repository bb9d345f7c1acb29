"""Ambiguities of dictionary words, how segmentations agree, and frequencies that change one."""

import time
from itertools import product

import jieba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.analysis.ambiguity import Chain, find_ambiguities, words_of_chain
from webapp.core.analysis.measures import agreement_of, token_boundaries
from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.dictionary_edits import edited
from webapp.core.models.matching import disagreements, runs_of
from webapp.core.models.maximum_probability import WordGraph, joined_frequency
from webapp.vocabularies.shipped_vocabularies import NAMES, shipped_tokenizer

# Few characters and short words, so that words overlap and contain each other.
SOME = st.text("研究生a", min_size=1, max_size=5)
WORDS = st.lists(SOME, unique=True, max_size=15)
TEXTS = st.text("研究生a", max_size=14)


Span = tuple[int, int]


def occurrences(words: list[str], text: str, keep_runs: bool) -> list[Span]:
    inside = {at for start, end in runs_of(text) for at in range(start + 1, end)} if keep_runs else set()
    spans = ((start, end) for start in range(len(text)) for end in range(start + 2, len(text) + 1))
    return [span for span in spans if text[slice(*span)] in words and inside.isdisjoint(span)]


def cross(one: Span, other: Span) -> bool:
    return one[0] < other[0] < one[1] < other[1] or other[0] < one[0] < other[1] < one[1]


def plain_chains(spans: list[Span]) -> dict[tuple[Span, ...], Chain]:
    """Each chain by its words: start from one word and add those that cross a word of it, until none is left."""
    left = [span for span in spans if any(cross(span, other) for other in spans)]
    found = {}
    while left:
        chain = {left.pop()}
        while more := [span for span in left if any(cross(span, word) for word in chain)]:
            chain.update(more)
            left = [span for span in left if span not in chain]
        shared = {
            (max(one[0], other[0]), min(one[1], other[1])) for one, other in product(chain, chain) if cross(one, other)
        }
        place = Chain(min(start for start, _ in chain), max(end for _, end in chain), len(shared))
        found[tuple(sorted(chain))] = place
    return found


def divisions(word: str, words: list[str]) -> list[tuple[str, ...]]:
    """All ways to split a text into words, itself included."""
    if not word:
        return [()]
    return [
        (word[:cut], *rest)
        for cut in range(1, len(word) + 1)
        if word[:cut] in words
        for rest in divisions(word[cut:], words)
    ]


@given(words=WORDS, more=WORDS, text=TEXTS, keep_runs=st.booleans())
def test_the_chains_are_all_chains_of_crossing_words(
    words: list[str], more: list[str], text: str, keep_runs: bool
) -> None:
    dictionary = edited(Dictionary(words), "\n".join([*(f"-{word}" for word in words[::2]), *more]))
    words = list(dictionary.ids)
    found = find_ambiguities(dictionary, text, keep_runs)
    plain = find_ambiguities(Dictionary(words), text, keep_runs)
    assert (found.chains, list(found.combinations())) == (plain.chains, list(plain.combinations()))
    wanted = plain_chains(occurrences(words, text, keep_runs))
    key = lambda chain: (chain.start, chain.end, chain.length)  # noqa: E731
    assert sorted(found.chains, key=key) == sorted(wanted.values(), key=key)
    for place in disagreements(dictionary, text, keep_runs):
        assert 1 not in (len(place.forward), len(place.backward)), "it is overlapping"
        assert any(
            chain.start <= place.start < chain.end or place.start <= chain.start < place.end for chain in found.chains
        )
    for chain in found.chains:
        spans = set(words_of_chain(dictionary, text, chain, keep_runs))
        assert spans >= {span for its, place in wanted.items() if place == chain for span in its}


@given(words=WORDS, text=TEXTS, keep_runs=st.booleans(), shortest=st.integers(1, 2))
def test_the_combinations_are_all_words_that_consist_of_words(
    words: list[str], text: str, keep_runs: bool, shortest: int
) -> None:
    found = find_ambiguities(Dictionary(words), text, keep_runs, shortest)
    wanted = {
        span: ways
        for span in occurrences(words, text, keep_runs)
        if (
            ways := [ps for ps in divisions(text[slice(*span)], words) if len(ps) > 1 and min(map(len, ps)) >= shortest]
        )
    }
    combinations = list(found.combinations())
    assert {(each.start, each.end) for each in combinations} == set(wanted)
    assert found.combinational == found.listed == len(wanted)
    assert found.different == len({text[slice(*span)] for span in wanted})
    for each in combinations:
        ways = wanted[each.start, each.end]
        fewest = min(map(len, ways))
        assert each.parts == min(
            (parts for parts in ways if len(parts) == fewest), key=lambda parts: list(map(len, parts))
        )


def test_the_time_is_linear_even_where_every_word_crosses_every_other() -> None:
    words = Dictionary(["一" * length for length in range(1, 65)])
    times = []
    for size in (500, 2_000):
        began = time.perf_counter()
        found = find_ambiguities(words, "一" * size)
        times.append(time.perf_counter() - began)
        assert len(found.chains) == 1
    assert times[1] < 12 * times[0]


@given(st.lists(st.sets(st.integers(1, 40)), min_size=1, max_size=6))
def test_shared_boundaries_equal_the_intersections_of_sets(sets: list[set[int]]) -> None:
    found = agreement_of([sorted(each) for each in sets])
    assert list(found.agreed) == sorted(set.intersection(*sets))
    assert list(found.disputed) == sorted(set.union(*sets) - set.intersection(*sets))
    for (i, one), (j, other) in product(enumerate(sets), repeat=2):
        assert found.shared[i][j] == len(one & other)
        assert found.similarity(i, j) == (len(one & other) / len(one | other) if one | other else 1.0)


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text(st.sampled_from("ab lowest研究生命。é\u0301👍🏽\n\t <|endoftext|>ﬁ①"), max_size=40))
def test_no_token_crosses_a_boundary(name: str, text: str) -> None:
    encoding = shipped_tokenizer(name).encode(text)
    tokens = [(start, end) for start, end in zip(encoding.starts, encoding.ends, strict=True) if start < end]
    cuts = token_boundaries(encoding.starts, encoding.ends, len(text))
    assert cuts == sorted(set(cuts))
    # Where a token ends, none crosses and another follows.
    ends = {end for _start, end in tokens if any(start >= end for start, _ in tokens)}
    assert {end for end in ends if not any(start < end < stop for start, stop in tokens)} == set(cuts)


def test_joined_words_need_what_jieba_suggests() -> None:
    jieba.setLogLevel(60)
    graph = WordGraph(jieba_dictionary())
    words = "江大桥 台中 杭研 研究生命 的人 中出 乘客 李小福 八一双鹿 创新办 C++ 今天天气"
    for word in words.split():
        assert joined_frequency(graph, word) == jieba.dt.suggest_freq(word)

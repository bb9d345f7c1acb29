"""All ambiguities of a text, against a search through every pair of words."""

from __future__ import annotations

import time
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.analysis.ambiguity import Chain, find_ambiguities, words_of_chain
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.dictionary_edits import edited
from webapp.core.models.matching import disagreements, runs_of

LETTERS = "研究生a"
WORDS = st.lists(st.text(LETTERS, min_size=1, max_size=5), unique=True, max_size=15)
TEXTS = st.text(LETTERS, max_size=14)


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


@given(words=WORDS, text=TEXTS, keep_runs=st.booleans())
def test_the_chains_are_all_chains_of_crossing_words(words: list[str], text: str, keep_runs: bool) -> None:
    dictionary = Dictionary(words)
    found = find_ambiguities(dictionary, text, keep_runs)
    wanted = plain_chains(occurrences(words, text, keep_runs))
    key = lambda chain: (chain.start, chain.end, chain.length)  # noqa: E731
    assert sorted(found.chains, key=key) == sorted(wanted.values(), key=key)
    for place in disagreements(dictionary, text, keep_runs):
        assert any(
            chain.start <= place.start < chain.end or place.start <= chain.start < place.end for chain in found.chains
        )
    for chain in found.chains:
        spans = set(words_of_chain(dictionary, text, chain, keep_runs))
        assert spans >= {span for its, place in wanted.items() if place == chain for span in its}


@given(words=WORDS, text=TEXTS, keep_runs=st.booleans())
def test_the_combinations_are_all_words_that_consist_of_words(words: list[str], text: str, keep_runs: bool) -> None:
    found = find_ambiguities(Dictionary(words), text, keep_runs)
    wanted = {
        span: ways
        for span in occurrences(words, text, keep_runs)
        if (ways := [parts for parts in divisions(text[slice(*span)], words) if len(parts) > 1])
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


@given(words=WORDS, more=WORDS, text=TEXTS)
def test_a_dictionary_with_changes_has_the_ambiguities_of_its_words(
    words: list[str], more: list[str], text: str
) -> None:
    removed = words[::2]
    changes = "\n".join([*(f"-{word}" for word in removed), *more])
    changed = edited(Dictionary(words), changes)
    plain = Dictionary(list(changed.ids))
    found, wanted = find_ambiguities(changed, text), find_ambiguities(plain, text)
    assert (found.chains, list(found.combinations())) == (wanted.chains, list(wanted.combinations()))


def test_the_time_is_linear_even_where_every_word_crosses_every_other() -> None:
    words = Dictionary(["一" * length for length in range(1, 65)])
    times = []
    for size in (500, 2_000):
        began = time.perf_counter()
        found = find_ambiguities(words, "一" * size)
        times.append(time.perf_counter() - began)
        assert len(found.chains) == 1
    assert times[1] < 12 * times[0]

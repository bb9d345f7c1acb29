"""Merging by a heap gives what merging pair after pair gives, also where ranks do not rise."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.merge_loop import merge, merge_with_places, pack, pair_ranks


@st.composite
def merge_tables(draw: st.DrawFn) -> tuple[dict[int, int], list[int]]:
    """Draw the ranks of pairs and the id that each rank makes: trained ones use a piece after the merge that makes it,
    those of a file may use it before."""
    spelled = [(0,), (1,), (2,)]
    pairs: dict[tuple[int, int], int] = {}
    for _ in range(draw(st.integers(1, 25))):
        pair = draw(st.tuples(*[st.integers(0, len(spelled) - 1)] * 2))
        made = spelled[pair[0]] + spelled[pair[1]]
        if len(made) > 9 or pair in pairs:
            continue
        if made not in spelled:
            spelled.append(made)
        pairs[pair] = spelled.index(made)
    in_order = list(pairs)
    if draw(st.booleans()):
        in_order = draw(st.permutations(in_order))
    return {pack(*pair): rank for rank, pair in enumerate(in_order)}, [pairs[pair] for pair in in_order]


def one_by_one(symbols: list[int], ranks: dict[int, int], merged: list[int]) -> list[int]:
    """Merge the lowest rank's leftmost pair again and again, as the algorithm is taught."""
    symbols = symbols.copy()
    while True:
        found = pair_ranks(symbols, ranks)
        best = min(found, default=1 << 62)
        if best == 1 << 62:
            return symbols
        at = found.index(best)
        symbols[at : at + 2] = [merged[best]]


@given(merge_tables(), st.lists(st.integers(0, 2), min_size=1, max_size=12), st.integers(1, 12))
def test_merging_by_a_heap_equals_merging_one_by_one(
    table: tuple[dict[int, int], list[int]], part: list[int], times: int
) -> None:
    symbols = part * times
    expected = one_by_one(symbols, *table)
    placed = merge_with_places(symbols, *table)
    assert [id for id, _ in placed] == expected == merge(symbols, *table)
    assert [at for _, at in placed] == sorted({at for _, at in placed})


def test_a_merge_may_make_a_pair_of_a_lower_rank() -> None:
    ranks, merged = {pack(0, 1): 1, pack(2, 0): 0}, [3, 2]  # "ab" has rank 1, "ab" "a" rank 0
    assert [id for id, _ in merge_with_places([0, 1, 0, 1, 0], ranks, merged)] == [3, 1, 0]


def test_a_megabyte_of_one_letter_takes_a_moment() -> None:
    ranks = {pack(at, at): at for at in range(20)}
    began = time.process_time()
    assert len(merge([0] * 1_000_000, ranks, list(range(1, 21)))) == 7
    assert time.process_time() - began < 20  # about 1.5 s

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.trainers.word_trie import grouped

small = st.integers(0, 6)
large = st.integers(1 << 62, (1 << 62) + 6)  # too large to be sorted together with their places


@given(st.lists(small) | st.lists(st.one_of(small, st.integers(0, 1 << 40))) | st.lists(large))
def test_groups_are_in_order_and_so_are_their_places(keys: list[int]) -> None:
    order, ranked, begins = grouped(np.array(keys, np.int64))
    assert order.tolist() == sorted(range(len(keys)), key=keys.__getitem__)
    assert ranked.tolist() == sorted(keys)
    assert begins.tolist() == [sorted(keys).index(key) for key in sorted(set(keys))]

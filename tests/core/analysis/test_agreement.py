"""Boundaries and which of them are shared: by hand, by definition, and on the output of tokenizers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.analysis.measures import agreement_of, token_boundaries
from webapp.vocabularies.shipped_vocabularies import NAMES, shipped_tokenizer

OFFSETS = st.sets(st.integers(1, 40)).map(sorted)


@given(st.lists(OFFSETS, min_size=1, max_size=6))
def test_shared_boundaries_equal_the_intersections_of_sets(each: list[list[int]]) -> None:
    found = agreement_of(each)
    sets = list(map(set, each))
    assert set(found.agreed) == set.intersection(*sets)
    assert set(found.disputed) == set.union(*sets) - set.intersection(*sets)
    assert list(found.agreed) == sorted(found.agreed)
    assert list(found.disputed) == sorted(found.disputed)
    for i, one in enumerate(sets):
        for j, other in enumerate(sets):
            assert found.shared[i][j] == len(one & other)
            either = len(one | other)
            assert found.similarity(i, j) == (len(one & other) / either if either else 1.0)


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text(st.sampled_from("ab lowest研究生命。é\u0301👍🏽\n\t <|endoftext|>ﬁ①"), max_size=40))
def test_no_token_crosses_a_boundary(name: str, text: str) -> None:
    encoding = shipped_tokenizer(name).encode(text)
    tokens = [(start, end) for start, end in zip(encoding.starts, encoding.ends, strict=True) if start < end]
    cuts = token_boundaries(encoding.starts, encoding.ends, len(text))
    assert cuts == sorted(set(cuts))
    for cut in cuts:
        assert 0 < cut < len(text)
        assert not any(start < cut < end for start, end in tokens)
        assert any(end == cut for _start, end in tokens)
        assert any(start >= cut for start, _end in tokens)
    # And none is missed: every place where a token ends, none crosses and another follows is a boundary.
    ends = {end for _start, end in tokens if any(start >= end for start, _ in tokens)}
    assert {end for end in ends if not any(start < end < stop for start, stop in tokens)} == set(cuts)

"""The whole trip in thirty lines gives the ids of tiktoken."""

from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tiktoken.load import load_tiktoken_bpe

from webapp.core.reference import whole_trip


@pytest.fixture(scope="module")
def rank_file(shared: Path) -> Path:
    return shared / "vocabularies" / "tiktoken" / "r50k_base.tiktoken"


def test_the_ids_are_those_of_tiktoken(rank_file: Path) -> None:
    ranks = load_tiktoken_bpe(str(rank_file))
    theirs = tiktoken.Encoding("r50k", pat_str=whole_trip.PATTERN.pattern, mergeable_ranks=ranks, special_tokens={})

    @given(st.text() | st.text("ab '\u2019s\n1é词"))
    def equal(text: str) -> None:
        assert whole_trip.encode(text, ranks) == theirs.encode_ordinary(text)
        assert whole_trip.decode(whole_trip.encode(text, ranks), ranks) == text

    equal()

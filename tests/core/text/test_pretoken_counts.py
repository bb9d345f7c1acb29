from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.recipes import BYTE_BPE, CHARACTER_BPE, UNIGRAM, WORDPIECE
from webapp.core.text import pretoken_counts
from webapp.core.text.pretokenizers import ByteLevel, PreTokenizer, PreTokenizerSequence, Punctuation, WhitespaceSplit

PRETOKENIZERS = [
    *(recipe.pretokenizer for recipe in (BYTE_BPE, CHARACTER_BPE, WORDPIECE, UNIGRAM)),
    ByteLevel(add_prefix_space=True),
    PreTokenizerSequence((WhitespaceSplit(), Punctuation())),
    PreTokenizerSequence(()),
]


@pytest.mark.parametrize("pretokenizer", PRETOKENIZERS)
@given(text=st.text("ab1's,.▁ \n\t\r\x1c\u3000\u0301é研🙂𝒜", max_size=40), chunk=st.integers(1, 9))
def test_counts_are_those_of_all_pretokens_in_order(pretokenizer: PreTokenizer, text: str, chunk: int) -> None:
    with patch.object(pretoken_counts, "CHUNK", chunk):
        counts = pretoken_counts.count(text, pretokenizer)
    assert list(counts.items()) == list(Counter(pretokenizer.split(text)).items())

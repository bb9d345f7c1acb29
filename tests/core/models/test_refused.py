"""Contradictory vocabularies are refused."""

from typing import Any

import pytest

from webapp.core.models.bpe import BPE
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.unigram import Unigram

BYTES = [bytes([byte]) for byte in range(256)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BPE(["a", "a"], [], byte_level=False), "twice"),
        (lambda: BPE(["a"], [(0, 3)], byte_level=False), "outside the vocabulary"),
        (lambda: BPE(["a", "b"], [(0, 1)], byte_level=False), "'ab'"),
        (lambda: BPE(["a"], [], byte_level=False, unknown="<unk>"), "<unk>"),
        (lambda: BPE([b"a"], [], byte_level=True), "byte"),
        (lambda: Unigram(["a"], [0.0, 1.0], unknown_id=0), "2 scores"),
        (lambda: Unigram(["a"], [0.0], unknown_id=1), "outside"),
        (lambda: Unigram(["a", "a"], [0.0, 0.0], unknown_id=0), "twice"),
        (lambda: Unigram(["a", ""], [0.0, 0.0], unknown_id=0), "empty"),
        (lambda: RankBPE(BYTES[1:]), r"byte '\\x00' is not in"),
        (lambda: RankBPE([*BYTES, b"ab", b"ab"]), "'ab' occurs twice"),
        (lambda: RankBPE([*BYTES, b""]), "empty"),
        (lambda: Matching(Dictionary(["a"]), "sideways"), "sideways"),  # type: ignore[arg-type]
        (lambda: RankBPE(BYTES, reserved=[7]), r"byte '\\x07' is not in"),
    ],
)
def test_refused_with_the_reason(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()

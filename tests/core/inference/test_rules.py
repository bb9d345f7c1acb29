"""Longest match and fewest pieces: equal to the reference, fewest by brute force, and whole tokenizers."""

import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.texts import texts
from tests.properties import SAME_FIXTURE
from webapp.core.inference import InferenceError, infer, inferences_for
from webapp.core.inference.piece_table import LONGEST, PieceTable, fewest_parts, longest_parts
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.wordpiece import WordLevel, WordPiece
from webapp.core.recipes import WORDPIECE
from webapp.core.reference import inference as reference
from webapp.core.tokenizer import Tokenizer

some_pieces = st.lists(st.text("abc", min_size=1, max_size=5), max_size=14, unique=True).map(
    lambda pieces: {piece: id for id, piece in enumerate(pieces)}
)


def cut(text: str, parts: list[tuple[int | None, int]]) -> list[str]:
    ends = [0, *(end for _, end in parts)]
    return [text[start:end] for start, end in pairwise(ends)]


def ways(word: str, pieces: dict[str, int]) -> Iterator[list[str]]:
    """All ways to cover a word, where a character may also stay without a piece."""
    if not word:
        yield []
    for end in range(1, len(word) + 1):
        if end == 1 or word[:end] in pieces:
            for rest in ways(word[end:], pieces):
                yield [word[:end], *rest]


@given(pieces=some_pieces, word=st.text("abcd", max_size=9))
def test_the_rules_equal_the_reference_and_no_way_has_fewer_pieces(pieces: dict[str, int], word: str) -> None:
    table = PieceTable(pieces)
    assert cut(word, longest_parts(word, table, table)) == reference.longest(word, pieces)
    parts = fewest_parts(word, table, table)
    found = cut(word, parts)
    assert found == reference.fewest(word, pieces)
    assert [id for id, _ in parts] == [pieces.get(piece) for piece in found]

    def cost(way: list[str]) -> tuple[int, int, list[int]]:
        """Ties go to the longest piece first."""
        return sum(part not in pieces for part in way), len(way), [-len(part) for part in way]

    assert cost(found) == min(map(cost, ways(word, pieces)))


@SAME_FIXTURE
@given(text=texts)
def test_offsets_decoding_and_counts_of_every_kind_of_vocabulary(pair: Pair, text: str) -> None:
    own = pair.ours.encode(text)
    fewest, longest = infer(pair.ours, "fewest"), infer(pair.ours, "longest")
    for tokenizer in fewest, longest:
        encoding = tokenizer.encode(text)
        assert list(encoding.ids) == tokenizer.ids(text)
        assert len(encoding.starts) == len(encoding.ids)
        assert all(0 <= start < end <= len(text) for start, end in zip(encoding.starts, encoding.ends, strict=True))
        assert set(encoding.starts[:1]) == set(own.starts[:1])
        assert set(encoding.ends[-1:]) == set(own.ends[-1:])
        assert not (set(pair.ours.special_tokens.values()) - {pair.ours.model.unknown_id}) & set(encoding.ids)
    if not own.unknown:
        assert not fewest.encode(text).unknown
        assert len(fewest.ids(text)) <= len(own)
        assert fewest.decode(fewest.ids(text)) == pair.ours.decode(own.ids)
    if not longest.encode(text).unknown:
        assert len(fewest.ids(text)) <= len(longest.ids(text))


def test_special_tokens_in_a_text_stay_what_they_are(byte_pair: Pair) -> None:
    special = byte_pair.ours.special_tokens["<|endoftext|>"]
    for name in inferences_for(byte_pair.ours.model):
        tokenizer = infer(byte_pair.ours, name)
        assert special not in tokenizer.ids("a<|endoftext|>b")
        assert tokenizer.ids("a<|endoftext|>b", special=True).count(special) == 1


def test_a_word_that_wordpiece_cannot_cover_from_the_left_is_covered_with_the_fewest_pieces() -> None:
    own = WORDPIECE.tokenizer(WordPiece(["[UNK]", "ab", "a", "##bc"]))
    assert (own.ids("abc"), infer(own, "fewest").ids("abc")) == ([0], [2, 3])
    assert infer(own, "fewest").ids("abd") == [0]
    assert infer(own, "fewest").ids("a" * 101) == [0]


def test_what_a_model_does_not_have_is_refused() -> None:
    words = Tokenizer(WordLevel(["[UNK]", "a"], unknown="[UNK]"))
    assert inferences_for(words.model) == ("own",)
    assert infer(words, "own") is words
    with pytest.raises(InferenceError):
        infer(words, "fewest")
    with pytest.raises(InferenceError):
        infer(WORDPIECE.tokenizer(WordPiece(["[UNK]", "a"])), "dropout")


@pytest.mark.parametrize("name", ["longest", "fewest"])
@pytest.mark.parametrize("text", ["a" * 200_000, "ab" * 100_000])
@pytest.mark.exhaustive
def test_text_that_almost_fits_long_pieces_everywhere_takes_seconds(name: str, text: str) -> None:
    # Pieces of every length, none of which fits to its end, and all lengths that do.
    bad = [text[:length].encode() + b"!" for length in range(1, LONGEST)]
    good = [text[:length].encode() for length in range(2, LONGEST)]
    tokenizer = infer(Tokenizer(RankBPE([*(bytes([byte]) for byte in range(256)), *bad, *good])), name)
    began = time.process_time()
    assert tokenizer.pieces_length(tokenizer.ids(text)) == len(text)
    assert time.process_time() - began < 30

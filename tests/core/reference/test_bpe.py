"""The fast trainers and models of BPE produce the same merges and pieces as the reference."""

from collections.abc import Iterator
from random import Random
from typing import AnyStr

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webapp.core.models import merge_loop
from webapp.core.models.bpe import BPE, SubwordBPE, merge_together
from webapp.core.reference import bpe as reference
from webapp.core.trainers import bpe, pair_counts

# Few letters make many ties, overlaps and pieces that two merges produce.
words = st.dictionaries(st.text("abc", max_size=14), st.integers(1, 4), max_size=12)
any_words = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.integers(1, 50), max_size=6
)

Pair = tuple[AnyStr, AnyStr]


def counted(corpus: dict[tuple[AnyStr, ...], int]) -> Iterator[tuple[AnyStr, AnyStr, int]]:
    """Yield all merges of the reference, each with the count of its pair."""
    for pair in reference.train(corpus, 10_000):
        yield (*pair, reference.count_pairs(corpus)[pair])
        corpus = {reference.merge(symbols, pair): count for symbols, count in corpus.items()}


def spelled(counts: dict[str, int], glued: bool) -> dict[tuple[str, ...], int]:
    return {reference.characters(word, glued=glued): count for word, count in counts.items()}


# --- training


@given(st.one_of(words, any_words))
@example({"aaa": 1})
@example({"aaaaa": 2, "aaaa": 1, "baaab": 3})
def test_training_over_bytes_equals_the_reference(counts: dict[str, int]) -> None:
    corpus = {reference.utf8(word): count for word, count in counts.items()}
    assert list(bpe.byte_merges(counts)) == list(counted(corpus))
    trained = bpe.train_bytes(counts)
    vocabulary = reference.vocabulary(reference.BYTES, reference.train(corpus, 10_000))
    assert {piece: id for id, piece in enumerate(trained.model.pieces)} == vocabulary


@given(words, st.booleans(), st.integers(0, 30))
def test_training_over_characters_equals_the_reference(counts: dict[str, int], glued: bool, number: int) -> None:
    corpus = spelled(counts, glued)
    assert list(bpe.character_merges(counts, suffix_apart=not glued)) == list(counted(corpus))
    counts.pop("", None)
    corpus = spelled(counts, glued)
    trained = bpe.train_characters(counts, merges_at_most=number, suffix_apart=not glued, unknown=None)
    vocabulary = reference.vocabulary(reference.alphabet(corpus), reference.train(corpus, number))
    assert {piece: id for id, piece in enumerate(trained.model.pieces)} == vocabulary


@pytest.mark.parametrize("seed", range(3))
def test_training_on_long_words_equals_the_reference(seed: int) -> None:
    random = Random(seed)
    counts = {"".join(random.choices("abcdefgh", k=random.randrange(1, 40))): random.randrange(1, 6) for _ in range(80)}
    slow = list(counted({reference.utf8(word): count for word, count in counts.items()}))
    assert list(bpe.byte_merges(counts)) == slow
    assert len(slow) > 300


@given(st.dictionaries(st.text("abcd", max_size=14), st.integers(1, 40), max_size=25))
@example({"ab" * 6: 30, "abc": 20, "cab": 10})
def test_leaving_out_rare_pairs_equals_the_reference(counts: dict[str, int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_counts, "SPREAD", 3)
        found = list(bpe.byte_merges(counts))
    assert found == list(counted({reference.utf8(word): count for word, count in counts.items()}))


# --- encoding


@given(words, st.booleans(), st.text("abcd", min_size=1, max_size=12))
def test_a_trained_model_encodes_as_the_reference(counts: dict[str, int], glued: bool, text: str) -> None:
    corpus = spelled(counts, glued)
    merges = reference.train(corpus, 12)
    model = bpe.train_characters(counts, merges_at_most=12, suffix_apart=not glued).model
    for word in (text, *filter(None, counts)):
        pieces = reference.encode(reference.characters(word, glued=glued), merges)
        if model.id_of("</w>") is not None or glued:
            assert [model.pieces[id] for id in model.ids(word)] == known(pieces, model)


def known(pieces: list[str], model: BPE) -> list[str | bytes | None]:
    return [piece if model.id_of(piece) is not None else model.unknown for piece in pieces]


@st.composite
def merge_lists(draw: st.DrawFn, letters: list[AnyStr]) -> tuple[list[AnyStr], list[tuple[AnyStr, AnyStr]]]:
    """Draw a vocabulary and merges in any order, each of pieces that already exist."""
    pieces = list(letters)
    merges: list[tuple[AnyStr, AnyStr]] = []
    for _ in range(draw(st.integers(0, 12))):
        left, right = draw(st.tuples(*[st.sampled_from(pieces)] * 2))
        if left + right not in pieces and len(left + right) < 9:
            pieces.append(left + right)
            merges.append((left, right))
    return pieces, draw(st.permutations(merges))


def numbered(pieces: list[AnyStr], merges: list[tuple[AnyStr, AnyStr]]) -> list[tuple[int, int]]:
    ids = {piece: id for id, piece in enumerate(pieces)}
    return [(ids[left], ids[right]) for left, right in merges]


@given(made=merge_lists(list("abcé")), symbols=st.lists(st.sampled_from("abcé"), max_size=40))
def test_every_implementation_of_merging_by_rank_equals_the_reference(
    made: tuple[list[str], list[tuple[str, str]]], symbols: list[str]
) -> None:
    pieces, merges = made
    ids = {piece: id for id, piece in enumerate(pieces)}
    merged = [ids[left + right] for left, right in merges]
    ranks = {merge_loop.pack(*pair): rank for rank, pair in enumerate(numbered(pieces, merges))}
    expected = [ids[piece] for piece in reference.encode(symbols, merges)]
    beginning = [ids[symbol] for symbol in symbols]
    joined = {pair: merged[rank] for pair, rank in ranks.items()}
    assert merge_loop.merge(beginning, ranks, joined) == expected
    assert [id for id, _ in merge_loop.merge_with_places(beginning, ranks.get, joined)] == expected
    everywhere = [ids[piece] for piece in reference.encode_everywhere(symbols, merges)]
    assert [id for id, _ in merge_together(beginning, ranks, merged)] == everywhere


@given(made=merge_lists(list("abcé▁")), text=st.text("abcé▁研", max_size=40))
def test_models_over_characters_encode_as_the_reference(
    made: tuple[list[str], list[tuple[str, str]]], text: str
) -> None:
    pieces, merges = made
    every = [*pieces, "<unk>"]
    for kind, encode in ((BPE, reference.encode), (SubwordBPE, reference.encode_everywhere)):
        model = kind(every, numbered(pieces, merges), byte_level=False, unknown="<unk>")
        expected = known(encode(text, merges), model)
        assert [model.pieces[id] for id in model.ids(text)] == expected
        assert [model.pieces[id] for id, _, _ in model.segment(text)] == expected


@given(made=merge_lists([bytes([byte]) for byte in "abé研".encode()]), text=st.text("abé研éÉ\u0301😀", max_size=60))
def test_models_over_bytes_encode_as_the_reference(
    made: tuple[list[bytes], list[tuple[bytes, bytes]]], text: str
) -> None:
    pieces, merges = made
    every = list(dict.fromkeys([*reference.BYTES, *pieces]))
    model = BPE(every, numbered(every, merges), byte_level=True)
    expected = reference.encode(reference.utf8(text), merges)
    assert [model.pieces[id] for id in model.ids(text)] == expected
    assert [model.pieces[id] for id, _, _ in model.segment(text)] == expected
    assert reference.decode_bytes(expected) == text


# --- the reference itself


@given(st.lists(st.text("abc", min_size=1, max_size=6), max_size=5))
def test_decoding_restores_the_words(some: list[str]) -> None:
    merges = reference.train(spelled(dict.fromkeys(some, 1), False), 9)
    pieces = [piece for word in some for piece in reference.encode(reference.characters(word), merges)]
    assert reference.decode(pieces) == " ".join(some)

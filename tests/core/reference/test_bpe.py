"""BPE: trainers, models and SuperBPE against the textbook functions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import AnyStr

import pytest
import tiktoken
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

from tests.properties import THOROUGH
from webapp.core import recipes
from webapp.core.formats import huggingface
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.merge_loop import LONG
from webapp.core.models.rank_bpe import RankBPE, merge_bytes
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.recipes import Recipe
from webapp.core.reference import bpe as reference
from webapp.core.text.pretokenizers import Split
from webapp.core.text.split_patterns import GPT2, SUPERWORDS, SplitPattern
from webapp.core.text.utf8 import bytes_to_characters
from webapp.core.trainers import bpe, bpe_variants, pair_counts
from webapp.core.trainers.ties import FIRST_SEEN, TIE_RULES, TieRule

# Few letters make many ties, overlaps and pieces that two merges produce.
words = st.dictionaries(st.text("abc", max_size=14), st.integers(1, 4), max_size=12)
any_words = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.integers(1, 50), max_size=6
)

rules = st.sampled_from([rule for rule in TIE_RULES if rule != FIRST_SEEN])

Pair = tuple[AnyStr, AnyStr]


def counted(
    corpus: dict[tuple[AnyStr, ...], int], choose: reference.Choose[AnyStr] = reference.first_seen
) -> Iterator[tuple[AnyStr, AnyStr, int]]:
    """Yield all merges of the reference, each with the count of its pair."""
    merges: list[tuple[AnyStr, AnyStr]] = reference.train(corpus, 10_000, choose)
    for pair in merges:
        yield (*pair, reference.count_pairs(corpus)[pair])
        corpus = {reference.merge(symbols, pair): count for symbols, count in corpus.items()}


def spelled(counts: dict[str, int], glued: bool) -> dict[tuple[str, ...], int]:
    return {reference.characters(word, glued=glued): count for word, count in counts.items()}


# --- training


# As many merges as a corpus has, and rare pairs that are left out until they matter.
long_words = st.integers(0, 9).map(
    lambda seed: {"".join(Random(seed * 80 + n).choices("abcdefgh", k=n % 39 + 1)): n % 5 + 1 for n in range(80)}
)
rare_pairs = st.dictionaries(st.text("abcd", max_size=14), st.integers(1, 40), max_size=25)


@THOROUGH
@given(st.one_of(words, any_words, rare_pairs, long_words), st.sampled_from([3, pair_counts.SPREAD]))
@example({"aaa": 1}, 3)
@example({"aaaaa": 2, "aaaa": 1, "baaab": 3}, 3)
@example({"ab" * 6: 30, "abc": 20, "cab": 10}, 3)
def test_training_over_bytes_equals_the_reference(counts: dict[str, int], spread: int) -> None:
    corpus = {reference.utf8(word): count for word, count in counts.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_counts, "SPREAD", spread)
        found = list(bpe.byte_merges(counts))
    assert found == list(counted(corpus))
    vocabulary = reference.vocabulary(reference.BYTES, [(merge.left, merge.right) for merge in found])
    assert {piece: id for id, piece in enumerate(bpe.train_bytes(counts).model.pieces)} == vocabulary


def of_letters(symbols: Sequence[AnyStr]) -> dict[TieRule, reference.Choose[AnyStr]]:
    """The tie rules over an alphabet, as a course would write them."""
    return {
        "greater": reference.greater,
        "smaller": lambda counts, merges: min(counts, key=lambda pair: (-counts[pair], pair)),
        "lower-ids": reference.lower_ids(symbols),
        "longest": lambda counts, merges: max(
            counts, key=lambda pair: (counts[pair], sum(len(bare(piece)) for piece in pair))
        ),
    }


def bare(piece: AnyStr) -> AnyStr:
    return piece.removesuffix(reference.END) if isinstance(piece, str) else piece


@THOROUGH
@given(st.one_of(words, any_words, rare_pairs, long_words), st.sampled_from([3, pair_counts.SPREAD]), rules)
@example({"ab" * 6: 30, "abc": 20, "cab": 10}, 3, "lower-ids")
@pytest.mark.exhaustive
def test_ties_over_bytes_are_broken_as_in_the_reference(counts: dict[str, int], spread: int, ties: TieRule) -> None:
    corpus = {reference.utf8(word): count for word, count in counts.items()}
    by_tokenizers = sorted(reference.BYTES, key=bytes_to_characters)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_counts, "SPREAD", spread)
        found = list(bpe.byte_merges(counts, ties=ties))
    assert found == list(counted(corpus, of_letters(by_tokenizers)[ties]))
    alphabet = by_tokenizers if ties == "lower-ids" else reference.BYTES
    assert bpe.train_bytes(counts, ties=ties).model.pieces[:256] == tuple(alphabet)


@given(words, st.booleans(), rules)
def test_ties_over_characters_are_broken_as_in_the_reference(
    counts: dict[str, int], glued: bool, ties: TieRule
) -> None:
    corpus = spelled(counts, glued)
    letters = sorted(reference.alphabet(corpus), key=lambda letter: (len(letter) > 1, letter))
    assert list(bpe.character_merges(counts, suffix_apart=not glued, ties=ties)) == list(
        counted(corpus, of_letters(letters)[ties])
    )
    counts.pop("", None)
    trained = bpe.train_characters(counts, suffix_apart=not glued, unknown=None, ties=ties)
    ids = {piece: id for id, piece in enumerate(trained.model.pieces)}
    assert ids.keys() == {*reference.alphabet(spelled(counts, glued)), *(merge.piece for merge in trained.merges)}
    assert ties != "lower-ids" or list(ids)[: len(trained.alphabet)] == [each for each in letters if each in ids]


@given(words, st.booleans(), st.integers(0, 30))
def test_training_over_characters_equals_the_reference(counts: dict[str, int], glued: bool, number: int) -> None:
    corpus = spelled(counts, glued)
    assert list(bpe.character_merges(counts, suffix_apart=not glued)) == list(counted(corpus))
    counts.pop("", None)
    corpus = spelled(counts, glued)
    trained = bpe.train_characters(counts, merges_at_most=number, suffix_apart=not glued, unknown=None)
    vocabulary = reference.vocabulary(reference.alphabet(corpus), reference.train(corpus, number))
    assert {piece: id for id, piece in enumerate(trained.model.pieces)} == vocabulary


# --- encoding


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


LENGTHS = st.sampled_from([1, 1, 1, LONG // 20])


@THOROUGH
@given(made=merge_lists(list("abcé▁")), text=st.text("abcé▁研", max_size=40), times=LENGTHS)
def test_models_over_characters_encode_as_the_reference(
    made: tuple[list[str], list[tuple[str, str]]], text: str, times: int
) -> None:
    (pieces, merges), text = made, text * times
    every = [*pieces, "<unk>"]
    for kind, encode in ((BPE, reference.encode), (SubwordBPE, reference.encode_everywhere)):
        model = kind(every, numbered(pieces, merges), byte_level=False, unknown="<unk>")
        expected = known(encode(text, merges), model)
        assert [model.pieces[id] for id in model.ids(text)] == expected
        assert [model.pieces[id] for id, _, _ in model.segment(text)] == expected


@given(made=merge_lists(list("abcé")), text=st.text("abcé研", max_size=40))
def test_models_over_characters_equal_tokenizers(made: tuple[list[str], list[tuple[str, str]]], text: str) -> None:
    pieces, merges = made
    every = [*pieces, "<unk>"]
    rival = tokenizers.models.BPE(vocab={piece: id for id, piece in enumerate(every)}, merges=merges, unk_token="<unk>")
    at = {len(text[:end].encode()): end for end in range(len(text) + 1)}  # theirs are in bytes
    theirs = [(token.id, *(at[each] for each in token.offsets)) for token in (rival.tokenize(text) if text else [])]
    assert list(BPE(every, numbered(every, merges), byte_level=False, unknown="<unk>").segment(text)) == theirs


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


BYTES = [bytes([byte]) for byte in range(256)]
ALPHABET = "ab研éÉ\u0301😀"


@st.composite
def some_bytes(draw: st.DrawFn) -> bytes:
    """Draw any slice of a text's bytes; it may begin and end inside a character."""
    whole = draw(st.text(ALPHABET, min_size=1, max_size=4)).encode()
    start = draw(st.integers(0, len(whole) - 1))
    return whole[start : draw(st.integers(start + 1, len(whole)))]


# Some of these are reached by no merge, others by several.
pieces = st.lists(some_bytes().filter(lambda piece: len(piece) > 1), max_size=25, unique=True)


@given(extra=pieces, text=st.text(ALPHABET, max_size=30), times=st.sampled_from([1, 1, 10]))
def test_models_by_rank_encode_as_the_reference(extra: list[bytes], text: str, times: int) -> None:
    ranks = {piece: rank for rank, piece in enumerate(BYTES + extra)}
    model, text = RankBPE(BYTES + extra), text * times
    assert list(model.ids(text)) == reference.encode_by_rank(text, ranks) or not text
    assert [id for id, _, _ in model.segment(text)] == list(model.ids(text))
    merged = reference.merge_best(
        [BYTES[byte] for byte in text.encode()], {piece: -rank for piece, rank in ranks.items()}
    )
    assert merge_bytes(text.encode(), ranks.get) == [ranks[part] for part in merged]


BYTE_PIECES = [f"<0x{byte:02X}>" for byte in range(256)]


@given(
    found=st.lists(
        st.one_of(st.text("ab", min_size=1, max_size=3), st.text("abcé▁", min_size=1, max_size=5)),
        max_size=16,
        unique=True,
    ),
    data=st.data(),
    text=st.one_of(st.text("ab", max_size=30), st.text("abcé▁ñ☃", max_size=30)),
    times=LENGTHS,
)
def test_models_by_score_encode_as_the_reference(found: list[str], data: st.DataObject, text: str, times: int) -> None:
    scores = [data.draw(st.sampled_from([-1.0, -2.0, -3.0, 0.0])) for _ in found]  # many of them equal
    kinds = [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * len(found), *[PieceKind.BYTE] * 256]
    vocabulary = ScoredPieces(
        ["<unk>", *found, *BYTE_PIECES],
        [0.0, *scores, *[0.0] * 256],
        kinds,
        byte_ids=range(1 + len(found), 1 + len(found) + 256),
    )
    model = ScoredBPE(vocabulary)
    expected = reference.encode_by_score(text * times, dict(zip(found, scores, strict=True)))
    assert [model.pieces[id] for id in model.ids(text * times)] == expected


spans = st.dictionaries(st.text("ab  '", max_size=14), st.integers(1, 5), max_size=8)
split = SplitPattern(GPT2).findall
Corpus = dict[tuple[bytes, ...], int]
Merges = list[tuple[bytes, bytes]]


def more_merges(corpus: Corpus, number: int) -> Merges:
    """The next merges: always the most frequent pair whose piece has few enough words."""
    found: Merges = []
    while len(found) < number:
        counts = reference.count_pairs(corpus).items()
        allowed = {pair: count for pair, count in counts if len(b"".join(pair).split()) <= bpe_variants.LONGEST}
        if not allowed:
            break
        found.append(max(allowed, key=allowed.__getitem__))
        corpus = {reference.merge(symbols, found[-1]): count for symbols, count in corpus.items()}
    return found


def trained_plainly(counts: dict[str, int], transition: int, number: int) -> Merges:
    """The first `transition` merges inside words, then those of spans."""
    words = bpe_variants.count_words(counts, split)
    merges = more_merges({reference.utf8(word): count for word, count in words.items()}, transition)
    corpus: Corpus = {}
    for span, count in counts.items():
        symbols = reference.utf8(span)
        for pair in merges:
            symbols = reference.merge(symbols, pair)
        corpus[symbols] = count
    return merges + more_merges(corpus, number - len(merges))


@given(spans, st.integers(256, 275), st.sampled_from([0.96, 0.98, 1.0]))
def test_training_equals_the_reference(counts: dict[str, int], size: int, share: float) -> None:
    trained = bpe_variants.train_bytes(counts, size, share=share)
    found = [(merge.left, merge.right) for merge in trained.merges]
    first = bpe.train_bytes(bpe_variants.count_words(counts, split), max(int(size * share), 256))
    assert found == trained_plainly(counts, len(first.merges), len(found))
    assert [merge.count for merge in trained.merges[: len(first.merges)]] == [merge.count for merge in first.merges]
    if len(trained.model.pieces) < size:  # no pair is left
        assert len(trained_plainly(counts, len(first.merges), len(found) + 1)) == len(found)


TEXT = (
    """It was one of the best, and at the same time one of the worst: in 1859 he said, "It is, I think, one of the
things that I don't know at all." At the end of the day (one of the last!) it was the same, as it was in the beginning.
"""
    * 3
)


COUNTS = Counter(Split(SUPERWORDS).split(TEXT))
RECIPE = Recipe("superbpe", None, Split(SUPERWORDS), recipes.BYTE_BPE.decoder)
TOKENIZER = RECIPE.tokenizer(bpe_variants.train_bytes(COUNTS, 340, share=0.85).model)
ELSEWHERE = tokenizers.Tokenizer.from_str(huggingface.write(TOKENIZER))
RANKS = {bytes(piece): id for id, piece in enumerate(TOKENIZER.model.pieces)}  # type: ignore[arg-type]
TIKTOKEN = tiktoken.Encoding("superbpe", pat_str=SUPERWORDS, mergeable_ranks=RANKS, special_tokens={})


@given(
    st.lists(st.sampled_from(TEXT.split(" "))).map(" ".join)
    # The libraries have different versions of Unicode, so no letter that is new.
    | st.text(st.characters(max_codepoint=0x17F) | st.sampled_from("  \n:.,1athe研究，。"))
)
@example(TEXT)
def test_files_give_the_same_ids_in_the_original_libraries(text: str) -> None:
    ids = TOKENIZER.ids(text)
    assert ELSEWHERE.encode(text).ids == ids == TIKTOKEN.encode_ordinary(text)
    assert huggingface.read(huggingface.write(TOKENIZER)).ids(text) == ids
    assert TOKENIZER.decode(ids) == text

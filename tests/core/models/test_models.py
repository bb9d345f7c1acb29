"""The subword models on random vocabularies, against `tokenizers`' models."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models

from webapp.core.models.bpe import BPE, Merge
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece
from webapp.core.recipes import CHARACTER_BPE
from webapp.core.trainers.bpe import train_bytes, train_characters

words = st.text("abcé研", max_size=12)
pieces = st.lists(st.text("abcé研", min_size=1, max_size=4), unique=True, max_size=12)
BYTES = [bytes([byte]) for byte in range(256)]


def theirs(model: Any, text: str) -> list[tuple[int, int, int]]:
    return [(token.id, *token.offsets) for token in model.tokenize(text)] if text else []


def in_characters(text: str, segments: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Convert the byte offsets of the bare models of `tokenizers` to characters."""
    at = {len(text[:end].encode()): end for end in range(len(text) + 1)}
    return [(id, at[start], at[end]) for id, start, end in segments]


# --- merging by rank


@st.composite
def merge_lists(draw: st.DrawFn) -> tuple[list[str], list[tuple[int, int]]]:
    """Draw a vocabulary over a few letters and merges in any order, each of pieces that already exist."""
    vocabulary = list("abcé")
    merges: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(0, 12))):
        pair = draw(st.tuples(*[st.integers(0, len(vocabulary) - 1)] * 2))
        joined = vocabulary[pair[0]] + vocabulary[pair[1]]
        if joined not in vocabulary and len(joined) < 9:
            vocabulary.append(joined)
            merges.append(pair)
    return vocabulary, draw(st.permutations(merges))


@given(made=merge_lists(), text=words)
def test_bpe_equals_tokenizers(made: tuple[list[str], list[tuple[int, int]]], text: str) -> None:
    vocabulary, merges = made
    vocabulary = [*vocabulary, "<unk>"]
    model = BPE(vocabulary, merges, byte_level=False, unknown="<unk>")
    rival = models.BPE(
        vocab={piece: id for id, piece in enumerate(vocabulary)},
        merges=[(vocabulary[left], vocabulary[right]) for left, right in merges],
        unk_token="<unk>",
    )
    assert list(model.segment(text)) == in_characters(text, theirs(rival, text))


@given(made=merge_lists(), text=words)
def test_bpe_without_unknown_token_drops_characters(made: tuple[list[str], list[tuple[int, int]]], text: str) -> None:
    vocabulary, merges = made
    segments = BPE(vocabulary, merges, byte_level=False).segment(text)
    assert "".join(vocabulary[id] for id, _, _ in segments) == text.replace("研", "")
    # Their offsets are those of `tokenizers`, which counts as if nothing had been dropped; the differential tests
    # of tokenizer.json verify them.
    assert all(0 <= start <= end <= len(text) for _, start, end in segments)


def test_bpe_worked_examples(worked_examples: dict[str, Any]) -> None:
    example = worked_examples["bpe_end_of_word"][0]
    pieces = ["</w>", *dict.fromkeys("".join(example["corpus"]))]
    pieces += [left + right for left, right in example["pairs"]]
    merges = [(pieces.index(left), pieces.index(right)) for left, right in example["pairs"]]
    model = BPE(pieces, merges, byte_level=False, end_of_word_suffix="</w>")
    for word, expected in example["encode"].items():
        assert [pieces[id] for id in model.ids(word)] == expected
        segments = model.segment(word)
        assert [word[start:end] for _, start, end in segments] == [piece.removesuffix("</w>") for piece in expected]
    example = worked_examples["bpe_bytes"]
    model = train_bytes({example["text"]: 1}, 256 + example["merges"]).model
    assert list(model.ids(example["text"])) == example["ids"]


@given(text=st.text(st.characters(exclude_categories=("Cs",)), max_size=8))
def test_offsets_of_byte_tokens_are_whole_characters(text: str) -> None:
    segments = BPE(BYTES, [], byte_level=True).segment(text)
    expected = [(byte, at, at + 1) for at, character in enumerate(text) for byte in character.encode()]
    assert list(segments) == expected


def test_an_empty_piece_is_no_end_of_word_suffix() -> None:
    model = BPE(["a", "b", "ab", ""], [(0, 1)], byte_level=False)
    assert model.segment("aba") == ((2, 0, 2), (0, 2, 3))


def test_end_of_word_as_a_separate_symbol_and_attached() -> None:
    apart = BPE(["a", "b", "</w>"], [], byte_level=False, end_of_word_suffix="</w>")
    assert list(apart.segment("ab")) == [(0, 0, 1), (1, 1, 2), (2, 1, 2)]
    glued = BPE(["a", "b</w>", "ab</w>"], [(0, 1)], byte_level=False, end_of_word_suffix="</w>")
    assert list(glued.segment("ab")) == [(2, 0, 2)]
    assert glued.merge_of(2) == Merge(rank=0, left=0, right=1)
    assert glued.merge_of(0) is None


@pytest.mark.parametrize(
    ("vocabulary", "merges", "options", "message"),
    [
        (["a", "a"], [], {}, "twice"),
        (["a"], [(0, 3)], {}, "outside the vocabulary"),
        (["a", "b"], [(0, 1)], {}, "'ab'"),
        (["a"], [], {"unknown": "<unk>"}, "<unk>"),
        ([b"a"], [], {"byte_level": True}, "byte"),
    ],
)
def test_bpe_refuses(vocabulary: Any, merges: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BPE(vocabulary, merges, **{"byte_level": False, **options})


def test_a_trained_model_decodes_what_it_encodes() -> None:
    counts = CHARACTER_BPE.count("low lower lowest newer new, low")
    trained = train_characters(counts, 40)
    tokenizer = CHARACTER_BPE.tokenizer(trained.model)
    assert tokenizer.decode(tokenizer.ids("newest low lower")) == "newest low lower"


# --- WordPiece


@given(vocabulary=pieces, inner=pieces, text=words, longest=st.integers(1, 14))
def test_wordpiece_equals_tokenizers(vocabulary: list[str], inner: list[str], text: str, longest: int) -> None:
    every = ["[UNK]", *vocabulary, *("##" + piece for piece in inner)]
    rival = models.WordPiece(
        vocab={piece: id for id, piece in enumerate(every)}, unk_token="[UNK]", max_input_chars_per_word=longest
    )
    model = WordPiece(every, max_word_length=longest)
    assert list(model.segment(text)) == in_characters(text, theirs(rival, text))
    assert list(model.ids(text)) == [id for id, _, _ in model.segment(text)]


def test_wordpiece_worked_examples(worked_examples: dict[str, Any]) -> None:
    splits = worked_examples["wordpiece_scores"]["final_splits_when_the_pieces_in_use_reach_7"]
    model = WordPiece(["[UNK]", *dict.fromkeys(piece for split in splits.values() for piece in split)])
    for word, split in splits.items():
        assert [model.pieces[id] for id in model.ids(word)] == split


# --- Unigram


@given(
    vocabulary=pieces,
    # Few different scores make ties frequent; some of them beat the score of single characters.
    scores=st.lists(st.sampled_from([-0.5, -1.0, -1.5, -2.0, -3.1, -4.25, -7.3, -11.0]), min_size=13, max_size=13),
    text=words,
    times=st.sampled_from([1, 1, 1, 7, 50]),
)
def test_unigram_equals_tokenizers(vocabulary: list[str], scores: list[float], text: str, times: int) -> None:
    text *= times
    every = ["<unk>", *vocabulary]
    scores = [0.0, *scores[: len(vocabulary)]]
    model = Unigram(every, scores, unknown_id=0)
    rival = models.Unigram(list(zip(every, scores, strict=True)), unk_id=0)
    assert list(model.segment(text)) == in_characters(text, theirs(rival, text))
    assert list(model.ids(text)) == [id for id, _, _ in model.segment(text)]


@pytest.mark.parametrize(
    ("vocabulary", "scores", "unknown_id", "message"),
    [
        (["a"], [0.0, 1.0], 0, "2 scores"),
        (["a"], [0.0], 1, "outside"),
        (["a", "a"], [0.0, 0.0], 0, "twice"),
        (["a", ""], [0.0, 0.0], 0, "empty"),
    ],
)
def test_unigram_refuses(vocabulary: list[str], scores: list[float], unknown_id: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Unigram(vocabulary, scores, unknown_id=unknown_id)

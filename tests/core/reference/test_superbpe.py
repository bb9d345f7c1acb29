"""The trainer of SuperBPE makes the merges of the paper's two phases, and its files give the same ids elsewhere."""

from __future__ import annotations

import pytest
import tiktoken
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

from webapp.core import recipes
from webapp.core.formats import huggingface
from webapp.core.recipes import Recipe
from webapp.core.reference import bpe as reference
from webapp.core.text.pretokenizers import Split
from webapp.core.text.split_patterns import GPT2, SUPERWORDS, SplitPattern
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, superbpe

spans = st.dictionaries(st.text("ab  '", max_size=14), st.integers(1, 5), max_size=8)
any_spans = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]) | st.just(" "), max_size=10), st.integers(1, 50), max_size=6
)
split = SplitPattern(GPT2).findall
Corpus = dict[tuple[bytes, ...], int]
Merges = list[tuple[bytes, bytes]]


def more_merges(corpus: Corpus, number: int) -> Merges:
    """The next merges: always the most frequent pair whose piece has few enough words."""
    found: Merges = []
    while len(found) < number:
        counts = reference.count_pairs(corpus).items()
        allowed = {pair: count for pair, count in counts if len(b"".join(pair).split()) <= superbpe.LONGEST}
        if not allowed:
            break
        found.append(max(allowed, key=allowed.__getitem__))
        corpus = {reference.merge(symbols, found[-1]): count for symbols, count in corpus.items()}
    return found


def trained_plainly(counts: dict[str, int], transition: int, number: int) -> Merges:
    """The first `transition` merges inside words, then those of spans."""
    words = superbpe.count_words(counts, split)
    merges = more_merges({reference.utf8(word): count for word, count in words.items()}, transition)
    corpus: Corpus = {}
    for span, count in counts.items():
        symbols = reference.utf8(span)
        for pair in merges:
            symbols = reference.merge(symbols, pair)
        corpus[symbols] = count
    return merges + more_merges(corpus, number - len(merges))


@given(st.one_of(spans, any_spans), st.integers(256, 275), st.sampled_from([0.96, 0.98, 1.0]))
def test_training_equals_the_reference(counts: dict[str, int], size: int, share: float) -> None:
    trained = superbpe.train_bytes(counts, size, share=share)
    found = [(merge.left, merge.right) for merge in trained.merges]
    first = bpe.train_bytes(superbpe.count_words(counts, split), max(int(size * share), 256))
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


def superwords(text: str) -> Tokenizer:
    counts = Split(SUPERWORDS).split(text)
    trained = superbpe.train_bytes({span: counts.count(span) for span in counts}, 340, share=0.85)
    recipe = Recipe("superbpe", None, Split(SUPERWORDS), recipes.BYTE_BPE.decoder)
    return recipe.tokenizer(trained.model)


def test_pieces_cross_spaces_but_no_line_end_number_or_colon() -> None:
    pieces = [bytes(piece) for piece in superwords(TEXT).model.pieces]  # type: ignore[arg-type]
    assert any(b" of the" in piece for piece in pieces)
    assert not any(b": " in piece or b"\n" in piece.strip(b"\n") for piece in pieces)
    assert not any(piece[-1:].isdigit() and piece[:1].isalpha() for piece in pieces)


TOKENIZER = superwords(TEXT)
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


def test_a_sample_of_spans_is_fixed() -> None:
    counts = {f"span {number}": 1 for number in range(1_000)}
    some = superbpe.sampled(counts, 4_000)
    assert 300 < len(some) < 600
    assert some == superbpe.sampled(counts, 4_000)


def test_impossible_choices_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        superbpe.train_bytes({"ab": 1}, 256, ["<s>"])
    with pytest.raises(ValueError, match="between 0 and 1"):
        superbpe.train_bytes({"ab": 1}, 300, share=2)

"""The textbook functions: worked examples of papers and courses, and the fast models against them."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken.load import load_tiktoken_bpe

from tests.properties import THOROUGH
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching, backward, forward, verdict
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import START
from webapp.core.models.wordpiece import WordPiece
from webapp.core.recipes import MATCHING
from webapp.core.reference import bpe, matching, ngram, unigram, whole_trip, wordpiece
from webapp.core.traces.ngram import columns, segmentation
from webapp.core.trainers import wordpiece as trainer
from webapp.core.trainers.ngram import train


def test_the_answers_of_the_worked_examples(worked_examples: dict[str, Any]) -> None:
    for case in worked_examples["maximum_matching"]:
        assert matching.forward(case["dictionary"], case["text"]) == case["fmm"]
        assert matching.backward(case["dictionary"], case["text"]) == case["bmm"]
        assert matching.bidirectional(case["dictionary"], case["text"]) == case["bmm"]
    case = worked_examples["ngram_viterbi"]
    assert ngram.segment(case["text"], ngram.train(case["sentences"])) == case["segmentation"]

    first, second = worked_examples["bpe_end_of_word"]
    words = {bpe.characters(word): count for word, count in Counter(first["corpus"]).items()}
    merges = bpe.train(words, first["vocabulary_size"])
    assert merges == [(left, right) for left, right in first["pairs"]]
    for text, pieces in first["encode"].items():
        assert bpe.encode(bpe.characters(text), merges) == bpe.encode_everywhere(bpe.characters(text), merges) == pieces
    words = {bpe.characters(word): count for word, count in second["word_counts"].items()}
    assert bpe.train(words, second["merges"]) == list(map(tuple, second["pairs"]))
    for pieces, text in worked_examples["bpe_longest_piece_first"]["decode"]:
        assert bpe.decode(pieces) == text
    case = worked_examples["bpe_bytes"]
    symbols = bpe.utf8(case["text"])
    merges_of_bytes = bpe.train({symbols: 1}, case["merges"])
    ids = bpe.vocabulary(bpe.BYTES, merges_of_bytes)
    assert [ids[piece] for piece in bpe.encode(symbols, merges_of_bytes)] == case["ids"]

    case = worked_examples["wordpiece_scores"]
    counts = Counter(case["corpus"])
    splits = {word: wordpiece.split(word) for word in counts}
    while len({symbol for symbols in splits.values() for symbol in symbols}) > 7:
        (pair,) = wordpiece.train({splits[word]: count for word, count in counts.items()}, 1)
        splits = {word: wordpiece.merge(symbols, pair) for word, symbols in splits.items()}
    wanted = case["final_splits_when_the_pieces_in_use_reach_7"]
    assert {word: list(symbols) for word, symbols in splits.items()} == wanted
    used = {piece for pieces in splits.values() for piece in pieces}
    assert {word: wordpiece.encode(word, used) for word in counts} == wanted

    counts = Counter(worked_examples["unigram"]["corpus"])
    scores = unigram.train(counts, unigram.seed(counts, 50 - 14), 15)
    assert [len(piece) > 1 for piece in sorted(scores, key=len)] == [False] * 14 + [True]


# With few characters, most words of the dictionary occur in the text, and the directions disagree.
texts = st.one_of(st.text("研究", max_size=9), st.text("研究生命ab1的\0😀 \n\u3000", max_size=12))
words_of = st.one_of(st.text("研究", min_size=1, max_size=3), st.text("研究生命ab1的\0 ", min_size=1, max_size=4))
# A dictionary has no words of white space: its readers strip them.
dictionaries = st.lists(words_of.filter(lambda word: not word.isspace()), unique=True, max_size=12)


@given(words=dictionaries, text=texts, keep_runs=st.booleans())
@example(words=["研究", "研究生", "生命", "科学"], text="研究生命科学", keep_runs=False)
@example(words=["和尚", "尚未"], text="和尚未", keep_runs=False)
def test_matching_equals_the_reference(words: list[str], text: str, keep_runs: bool) -> None:
    dictionary = Dictionary(words)
    units = matching.keep_runs(text) if keep_runs else text
    left, right = matching.forward(words, units), matching.backward(words, units)
    for function, plain in ((forward, left), (backward, right)):
        ids, ends = function(dictionary, text, keep_runs)
        assert [text[start:end] for start, end in zip([0, *ends], ends, strict=False)] == plain
        spaces = dictionary.other_ids
        assert ids == [words.index(word) if word in words else spaces.get(word, len(words)) for word in plain]
    expected = matching.bidirectional(words, units)
    encoding = MATCHING.tokenizer(Matching(dictionary, "both", keep_runs)).encode(text)
    assert [text[token.start : token.end] for token in encoding] == expected
    found = verdict(dictionary, text, keep_runs)
    assert (left if found.direction == "forward" else right) == expected
    assert (found.forward_words, found.forward_single_characters) == matching.cost(left)
    assert (found.backward_words, found.backward_single_characters) == matching.cost(right)
    assert found.differ == (left != right)


# The textbooks' marks for the edges of a sentence may be words like any other.
words = st.one_of(st.text("ab", min_size=1, max_size=3), st.sampled_from(["<s>", "</s>", "a<s>"]))
sentences = st.lists(st.lists(words, min_size=1, max_size=5), min_size=1, max_size=5)
few_sentences = st.lists(
    st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=3), min_size=1, max_size=4
)
texts_ngram = st.lists(st.one_of(st.text("abc", max_size=4), st.sampled_from(["<s>", "</s>"])), max_size=3).map("".join)


@given(st.one_of(st.tuples(sentences, texts_ngram), st.tuples(few_sentences, st.text("ab", max_size=8))))
def test_the_table_and_the_words_equal_the_reference(drawn: tuple[list[list[str]], str]) -> None:
    given_sentences, text = drawn
    counts = ngram.train(given_sentences)
    model = NGram(train(given_sentences, 2), "add-one", keep_runs=False)
    found = columns(model, text)
    for column, row in zip(found[:-1], ngram.table(text, counts)[1:], strict=True):
        best = [column.candidates[at] for at in column.best]
        told = {(one.word,): (one.total, ("" if one.previous is START else one.previous,)) for one in best}
        assert list(told.items()) == list(row.items())
    assert segmentation(found) == model.words(text) == ngram.segment(text, counts)
    assert "".join(model.words(text)) == text


words_wordpiece = st.dictionaries(st.text("abc", max_size=12), st.integers(1, 4), max_size=12)
pieces = st.lists(st.text("abcé研", min_size=1, max_size=4), unique=True, max_size=12)


def scored(counts: dict[str, int], minimum: int) -> Iterator[tuple[str, str, str, int, float]]:
    """Yield all merges of the wordpiece, each with its piece, the count of its pair and its score."""
    corpus = {wordpiece.split(word): count for word, count in counts.items()}
    for pair in wordpiece.train(corpus, 10_000, minimum):
        count, score = wordpiece.count_pairs(corpus)[pair], wordpiece.scores(corpus)[pair]
        yield (*pair, wordpiece.join(*pair), count, score)
        corpus = {wordpiece.merge(symbols, pair): count for symbols, count in corpus.items()}


long_words = st.integers(0, 9).map(
    lambda seed: {"".join(Random(seed * 60 + n).choices("abcdefgh", k=n % 24 + 1)): n % 5 + 1 for n in range(60)}
)
# Frequent symbols lose a small share of their count in a merge, which must not leave scores out of date.
frequent = st.dictionaries(st.text("abcd", max_size=8), st.integers(1, 300), max_size=25)


@THOROUGH
@given(words_wordpiece | frequent | long_words, st.integers(1, 4))
def test_training_equals_the_reference(counts: dict[str, int], minimum: int) -> None:
    assert list(trainer.merges(counts, minimum_pair_frequency=minimum)) == list(scored(counts, minimum))


@given(vocabulary=pieces, inner=pieces, text=st.text("abcé研", max_size=12), longest=st.integers(1, 14))
def test_the_model_encodes_as_the_reference(vocabulary: list[str], inner: list[str], text: str, longest: int) -> None:
    every = ["[UNK]", *vocabulary, *("##" + piece for piece in inner)]
    model = WordPiece(every, max_word_length=longest)
    expected = wordpiece.encode(text, every, longest_word=longest)
    assert [model.pieces[id] for id in model.ids(text)] == expected
    assert [model.pieces[id] for id, _, _ in model.segment(text)] == expected


def test_the_ids_of_the_whole_trip_are_those_of_tiktoken(shared: Path) -> None:
    ranks = load_tiktoken_bpe(str(shared / "vocabularies" / "tiktoken" / "r50k_base.tiktoken"))
    theirs = tiktoken.Encoding("r50k", pat_str=whole_trip.PATTERN.pattern, mergeable_ranks=ranks, special_tokens={})

    @given(st.text() | st.text("ab '\u2019s\n1é词"))
    def equal(text: str) -> None:
        assert whole_trip.encode(text, ranks) == theirs.encode_ordinary(text)
        assert whole_trip.decode(whole_trip.encode(text, ranks), ranks) == text

    equal()

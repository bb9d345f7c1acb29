"""The reference algorithms reproduce the worked examples."""

import json
from collections import Counter
from collections.abc import Mapping
from math import exp, log
from pathlib import Path
from typing import Any

import pytest

from webapp.core.reference import bpe, matching, ngram, scored_bpe, unigram, wordpiece


def test_maximum_matching(worked_examples: dict[str, Any]) -> None:
    for example in worked_examples["maximum_matching"]:
        assert matching.forward(example["dictionary"], example["text"]) == example["fmm"]
        assert matching.backward(example["dictionary"], example["text"]) == example["bmm"]
        assert matching.bidirectional(example["dictionary"], example["text"]) == example["bmm"]


def test_word_bigrams(worked_examples: dict[str, Any]) -> None:
    example = worked_examples["ngram_viterbi"]
    assert example["order"] == 2
    assert ngram.segment(example["text"], ngram.train(example["sentences"])) == example["segmentation"]


def test_bpe_over_characters(worked_examples: dict[str, Any]) -> None:
    first, second = worked_examples["bpe_end_of_word"]
    words = {bpe.characters(word): count for word, count in Counter(first["corpus"]).items()}
    merges = bpe.train(words, first["vocabulary_size"])
    assert merges == [(left, right) for left, right in first["pairs"]]
    assert len(bpe.vocabulary(bpe.alphabet(words), merges)) < first["vocabulary_size"]
    for text, pieces in first["encode"].items():
        assert bpe.encode(bpe.characters(text), merges) == bpe.encode_everywhere(bpe.characters(text), merges) == pieces

    words = {bpe.characters(word): count for word, count in second["word_counts"].items()}
    for pair, count in zip(second["pairs"], second["pair_counts"], strict=True):
        assert bpe.train(words, 1) == [tuple(pair)]
        assert bpe.count_pairs(words)[tuple(pair)] == count
        words = {bpe.merge(symbols, tuple(pair)): count for symbols, count in words.items()}


def test_bpe_over_bytes(worked_examples: dict[str, Any]) -> None:
    example = worked_examples["bpe_bytes"]
    symbols = bpe.utf8(example["text"])
    merges = bpe.train({symbols: 1}, example["merges"])
    ids = bpe.vocabulary(bpe.BYTES, merges)
    assert [ids[piece] for piece in bpe.encode(symbols, merges)] == example["ids"]


def test_decoding_bpe(worked_examples: dict[str, Any]) -> None:
    for pieces, text in worked_examples["bpe_longest_piece_first"]["decode"]:
        assert bpe.decode(pieces) == text


def test_wordpiece(worked_examples: dict[str, Any]) -> None:
    example = worked_examples["wordpiece_scores"]
    counts = Counter(example["corpus"])
    splits = {word: wordpiece.split(word) for word in counts}
    for word, pieces in example["initial_split"].items():
        assert splits[word] == tuple(pieces)
    while len({symbol for symbols in splits.values() for symbol in symbols}) > 7:
        (pair,) = wordpiece.train({splits[word]: count for word, count in counts.items()}, 1)
        splits = {word: wordpiece.merge(symbols, pair) for word, symbols in splits.items()}
    wanted = example["final_splits_when_the_pieces_in_use_reach_7"]
    assert {word: list(symbols) for word, symbols in splits.items()} == wanted
    pieces = {piece for symbols in splits.values() for piece in symbols}
    assert {word: wordpiece.encode(word, pieces) for word in counts} == wanted


def test_unigram(worked_examples: dict[str, Any]) -> None:
    """A final size of 15 leaves the one longer piece whose removal would lower the likelihood most."""
    words = Counter(worked_examples["unigram"]["corpus"])
    seeds = unigram.seed(words, 50 - 14)
    assert sum(len(piece) == 1 for piece in seeds) == 14
    assert len(seeds) <= 50
    scores = unigram.train(words, seeds, 15)
    assert seeds.keys() > scores.keys() >= {piece for piece in seeds if len(piece) == 1}
    (kept,) = (piece for piece in scores if len(piece) > 1)

    before = {piece: exp(score) for piece, score in unigram.train(words, seeds, 16).items()}
    longer = [piece for piece in before if len(piece) > 1]
    assert len(longer) == 2
    likelihoods = {
        removed: best_likelihood(words, {piece: p for piece, p in before.items() if piece != removed})
        for removed in longer
    }
    assert min(likelihoods, key=likelihoods.__getitem__) == kept


def best_likelihood(words: Mapping[str, int], pieces: Mapping[str, float]) -> float:
    """Return the log-likelihood of a corpus with each word in its best segmentation."""
    scores = {piece: log(probability) for piece, probability in pieces.items()}
    return sum(count * scores[piece] for word, count in words.items() for piece in unigram.viterbi(word, scores))


@pytest.fixture(scope="module")
def llama(shared: Path) -> dict[str, Any]:
    """Return a vocabulary of tokens with scores."""
    path = shared / "vocabularies" / "scores" / "stories15m_tokens_scores.json"
    vocabulary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return vocabulary


def test_bpe_by_score(shared: Path, llama: dict[str, Any], worked_examples: dict[str, Any]) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    first = worked_examples["scored_bpe"]["first_byte_id"]
    pieces = list(zip(llama["tokens"], llama["scores"], strict=True))
    for name, id in worked_examples["scored_bpe"]["ids"].items():
        assert pieces[id][0] == name
    ids = {piece: id for id, (piece, _) in enumerate(pieces) if id >= first + 256}
    scores = dict(pieces[first + 256 :])
    ids |= {f"<0x{byte:02X}>": first + byte for byte in range(256)}

    def encode(text: str) -> list[int]:
        return [ids[piece] for piece in scored_bpe.encode_by_score(text, scores)]

    assert encode(",") == [29892]
    assert encode("\U0010ffff") == [byte + first for byte in "\U0010ffff".encode()]
    rival = sentencepiece.SentencePieceProcessor(
        model_file=str(shared / "vocabularies" / "sentencepiece" / "llama2.model")
    )
    for path in sorted((shared / "texts").iterdir()):
        text = path.read_text(encoding="utf-8").replace("▁", "")[:400]
        assert encode(" " + text) == rival.encode(text), path.name

"""The quality of trained vocabularies beside those of the originals: on the training text, and on an unseen novel.

Not a benchmark of its own: run as one, it prints nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from math import inf
from typing import NamedTuple
from unicodedata import normalize

import sentencepiece
import tokenizers
from tokenizers import models, pre_tokenizers, trainers

from tests.benchmarks.training_corpora import ENGLISH, FOLDER
from webapp.core.recipes import BYTE_BPE, UNIGRAM, WORDPIECE
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, unigram, wordpiece, wordpiece_top_down
from webapp.core.trainers.word_counts import merged

SIZE = 20_000
UNIGRAM_SIZE = 8_000
NOVEL = FOLDER.parent / "texts" / "en_pride_and_prejudice.txt"


class Figure(NamedTuple):
    """A figure of both sides, and the lowest value of ours that reaches the goal."""

    name: str
    ours: float
    theirs: float
    least: float


def figures() -> Iterator[Figure]:
    """Yield the figures of BPE and WordPiece (characters per token) and of Unigram (log-likelihood per character)."""
    text, unseen = ENGLISH.read_text(encoding="utf-8"), NOVEL.read_text(encoding="utf-8")
    trained = bpe.train_bytes(BYTE_BPE.count(text), SIZE)
    rival = tokenizers.Tokenizer(models.BPE())
    rival.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=SIZE, initial_alphabet=alphabet, show_progress=False)
    rival.train_from_iterator([text], trainer)
    for name, read in (("seen", text), ("unseen", unseen)):
        mine = _characters_per_token(BYTE_BPE.tokenizer(trained.model), read)
        theirs = len(read) / len(rival.encode(read).ids)
        yield Figure(f"byte-level BPE, characters per token, {name}", mine, theirs, theirs * 0.995)
    yield from _wordpiece(text, unseen)
    yield from _unigram(_lines(text), _lines(unseen))


def _wordpiece(text: str, unseen: str) -> Iterator[Figure]:
    """Both trainers of ours beside merging by count, as `tokenizers` does; the issue asks for 4.1 on the novel."""
    rival = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))  # type: ignore[call-arg]
    rival.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=SIZE, special_tokens=["[UNK]"], show_progress=False)
    rival.train_from_iterator([text], trainer)
    theirs = len(unseen) / len(rival.encode(unseen).ids)
    counts = WORDPIECE.count(text)
    for name, model in (
        ("by score", wordpiece.train(counts, SIZE, minimum_pair_frequency=None).model),
        ("top-down", wordpiece_top_down.train(counts, SIZE).model),
    ):
        mine = _characters_per_token(WORDPIECE.tokenizer(model), unseen)
        yield Figure(f"WordPiece {name}, characters per token, unseen", mine, theirs, 4.1)


def _unigram(lines: Sequence[str], unseen: Sequence[str]) -> Iterator[Figure]:
    ours = unigram.train(merged(*map(UNIGRAM.count, lines)), UNIGRAM_SIZE).scores
    written = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=written,
        vocab_size=UNIGRAM_SIZE,
        model_type="unigram",
        character_coverage=1.0,
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    theirs = {
        processor.id_to_piece(id): processor.get_score(id)
        for id in range(processor.get_piece_size())
        if not processor.is_control(id) and not processor.is_unknown(id)
    }
    for name, read in (("seen", lines), ("unseen", unseen)):
        mine, rival = _log_likelihood(ours, read), _log_likelihood(theirs, read)
        yield Figure(f"Unigram, log-likelihood per character, {name}", mine, rival, rival - 0.005)


def _characters_per_token(tokenizer: Tokenizer, text: str) -> float:
    return len(text) / len(tokenizer.ids(text))


def _lines(text: str) -> list[str]:
    """The lines as sentencepiece reads them: NFKC, one space between words, none empty."""
    lines = (" ".join(normalize("NFKC", line).split()) for line in text.splitlines())
    return [line for line in lines if line]


def _log_likelihood(scores: Mapping[str, float], lines: Sequence[str]) -> float:
    """That of the best segmentations, for each character; an unknown character costs ten more than the worst piece."""
    words = Counter(word for line in lines for word in re.findall("▁[^▁]*", "▁" + line.replace(" ", "▁")))
    unknown, longest = min(scores.values()) - 10, max(map(len, scores))
    total = characters = 0.0
    for word, count in words.items():
        best = [0.0] + [-inf] * len(word)
        for end in range(1, len(word) + 1):
            for start in range(max(0, end - longest), end):
                score = scores.get(word[start:end], unknown if end - start == 1 else -inf)
                best[end] = max(best[end], best[start] + score)
        total += best[-1] * count
        characters += len(word) * count
    return total / characters

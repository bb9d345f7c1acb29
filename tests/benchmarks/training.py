"""The speed of training: ``python -m tests.benchmarks.training``.

Rivals get the same text, the same split pattern and size, and one thread; counting pre-tokens is in the time on both
sides. Ratios are of CPU time: ours divided by the rival's, so that below 1 we are faster.
"""

import os
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from time import process_time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import sentencepiece
import tokenizers
from tokenizers import models, pre_tokenizers, trainers

from tests.benchmarks.timing import BELOW, Contender, medians
from webapp.core.recipes import BYTE_BPE, CHARACTER_BPE, UNIGRAM, WORDPIECE
from webapp.core.reference import bpe as reference
from webapp.core.trainers import bpe, unigram, wordpiece

ENGLISH = Path(__file__).resolve().parents[3] / "shared" / "corpora" / "en_holmes_and_others.txt"
CHARACTERS, SIZE = 835_000, 20_000
UNIGRAM_SIZE = 8_000
WATCHED = 100  # timed merges of the reference trainer, at the beginning and at the end
LINE = "{:<52}{:>10}{:>10}{:>8}{:>8}"


def ours(text: str) -> bpe.TrainedBPE[bytes]:
    """Train our byte-level BPE: count, merge, build the model."""
    trained = bpe.train_bytes(BYTE_BPE.count(text), SIZE)
    assert len(trained.model.pieces) == SIZE
    return trained


def theirs(text: str) -> None:
    """Train with `tokenizers`, from the same 256 bytes."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=SIZE, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)
    assert tokenizer.get_vocab_size() == SIZE


def recounting(counts: Mapping[str, int], trained: bpe.TrainedBPE[bytes]) -> float:
    """Return the seconds of a trainer that recounts for every merge, from the average of its first and last merges."""
    beginning = {reference.utf8(word): count for word, count in counts.items()}
    last = len(trained.merges) - WATCHED
    model = trained.first(last)
    end = {
        tuple(bytes(model.pieces[id]) for id in model.ids(word)): count  # type: ignore[arg-type]
        for word, count in counts.items()
    }
    seconds = 0.0
    for words, at in ((beginning, 0), (end, last)):
        start = process_time()
        merges = reference.train(words, WATCHED)
        seconds += process_time() - start
        fast = [(left, right) for left, right, _ in trained.merges[at : at + WATCHED]]
        assert merges == fast, "the reference trainer produces other merges"
    return seconds / (2 * WATCHED) * len(trained.merges)


def sentencepieces(text: str) -> None:
    """Train sentencepiece's Unigram on lines."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text.splitlines()),
        model_writer=BytesIO(),
        vocab_size=UNIGRAM_SIZE,
        model_type="unigram",
        character_coverage=1.0,
        normalization_rule_name="nfkc",
        num_threads=1,
        minloglevel=2,
    )


def against_rivals(text: str) -> None:
    """Print the table of ratios."""
    print(LINE.format(f"to {SIZE:,} and {UNIGRAM_SIZE:,}, {len(text):,} characters", "ours s", "rival s", "", "goal"))
    mine, rival = medians([Contender("ours", lambda _: ours(text)), Contender("tokenizers", lambda _: theirs(text))], 5)
    ratio("byte-level BPE / tokenizers", mine, rival, 1.5)
    counts = BYTE_BPE.count(text)
    ratio("byte-level BPE / recounting (extrapolated)", mine, recounting(counts, ours(text)), 0.01)
    mine, rival = medians(
        [
            Contender("ours", lambda _: unigram.train(UNIGRAM.count(text), UNIGRAM_SIZE).model),
            Contender("sentencepiece", lambda _: sentencepieces(text)),
        ],
        3,
    )
    ratio("Unigram / sentencepiece", mine, rival, None)


def ratio(name: str, mine: float, rival: float, goal: float | None) -> None:
    """Print one line of the table, and whether it missed its goal."""
    wanted = "" if goal is None else f"{goal:g}"
    print(LINE.format(name, f"{mine:.3f}", f"{rival:.3f}", f"{mine / rival:.3f}", wanted), flush=True)
    if goal is not None and mine / rival > goal:
        print(f"{BELOW}{name}")


def on_the_spot(text: str) -> None:
    """Print what a visitor waits for while typing, in milliseconds: counting, training, building the model."""
    rows: list[tuple[str, Callable[[str], object], int]] = [
        (
            "byte-level BPE, 500 merges",
            lambda t: bpe.train_bytes(BYTE_BPE.count(t), merges_at_most=500).model,
            70,
        ),
        (
            "</w> BPE, 500 merges",
            lambda t: bpe.train_characters(CHARACTER_BPE.count(t), merges_at_most=500).model,
            70,
        ),
        (
            "WordPiece, 500 merges",
            lambda t: wordpiece.train(WORDPIECE.count(t), merges_at_most=500).model,
            70,
        ),
        ("Unigram, 500 pieces", lambda t: unigram.train(UNIGRAM.count(t), 500).model, 350),
        ("Unigram, 1,000 pieces", lambda t: unigram.train(UNIGRAM.count(t), 1_000).model, 350),
    ]
    print(LINE.format("\nwhile typing", "20 KB ms", "200 KB ms", "goal", "goal"))
    for name, train, goal in rows:
        few, many = medians(
            [
                Contender("20 KB", lambda _, train=train: train(text[:20_000])),
                Contender("200 KB", lambda _, train=train: train(text[:200_000])),
            ],
            3,
        )
        print(LINE.format(name, f"{few * 1000:.0f}", f"{many * 1000:.0f}", goal, 2_000), flush=True)
        if few * 1000 > goal or many > 2:
            print(f"{BELOW}{name}")


def main() -> None:
    """Print both tables, with a note below each line that missed its goal."""
    if not ENGLISH.is_file():
        raise SystemExit(f"there is no {ENGLISH}: the corpus is missing")
    text = ENGLISH.read_text(encoding="utf-8")[:CHARACTERS]
    against_rivals(text)
    on_the_spot(text)


if __name__ == "__main__":
    main()

"""The speed and memory of training: ``python -m tests.benchmarks.training``, in parts with ``--only bpe``.

Rivals get the same text, the same split pattern and size, and one thread; counting pre-tokens is in the time on both
sides. Ratios are of CPU time: ours divided by the rival's, so that below 1 we are faster. The quality of the
vocabularies is compared in ``tests/core/training/test_train.py``.
"""

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from typing import NamedTuple

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import sentencepiece
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, trainers

from tests.benchmarks.harness import Contender, Table, corpus, end, medians, require_shared
from webapp.core.recipes import BYTE_BPE, CHARACTER_BPE, UNIGRAM, WORDPIECE
from webapp.core.trainers import bpe, unigram, wordpiece

SIZE, UNIGRAM_SIZE = 20_000, 8_000
CORPORA = [("English", 0.7), ("English", 2.8), ("mixed", 1), ("mixed", 5)]

Train = Callable[[str], object]


def their_bpe(text: str) -> None:
    """Train with `tokenizers`, from the same 256 bytes."""
    rival = tokenizers.Tokenizer(models.BPE())
    rival.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=SIZE, initial_alphabet=alphabet, show_progress=False)
    rival.train_from_iterator([text], trainer)


def their_wordpiece(text: str) -> None:
    """Train with `tokenizers`, which merges by count."""
    rival = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))  # type: ignore[call-arg]
    rival.normalizer = normalizers.BertNormalizer(lowercase=False)
    rival.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=SIZE, special_tokens=["[UNK]"], show_progress=False)
    rival.train_from_iterator([text], trainer)


def their_unigram(text: str) -> None:
    """Train with `sentencepiece`, on lines."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text.splitlines()),
        model_writer=BytesIO(),
        vocab_size=UNIGRAM_SIZE,
        model_type="unigram",
        character_coverage=1.0,
        num_threads=1,
        minloglevel=2,
    )


class Comparison(NamedTuple):
    """Two trainers, and the highest ratios wanted: of time on English and on mixed text, and of memory."""

    ours: Train
    theirs: Train
    english: float
    mixed: float
    memory: float


# The model is part of training.
COMPARISONS = {
    "bpe": Comparison(lambda text: bpe.train_bytes(BYTE_BPE.count(text), SIZE).model, their_bpe, 1.2, 1.5, 0.7),
    "wordpiece": Comparison(
        lambda text: wordpiece.train(WORDPIECE.count(text), SIZE, minimum_pair_frequency=None).model,
        their_wordpiece, 2.0, 2.0, 0.6,
    ),
    "unigram": Comparison(
        lambda text: unigram.train(UNIGRAM.count(text), UNIGRAM_SIZE).model, their_unigram, 1.5, 1.5, 1.5
    ),
}  # fmt: skip
# What a visitor waits for while typing, and at most how many milliseconds with 20 KB; with 200 KB, 2 s.
TYPING: dict[str, tuple[Train, int]] = {
    "byte-level BPE, 500 merges": (lambda text: bpe.train_bytes(BYTE_BPE.count(text), merges_at_most=500).model, 70),
    "</w> BPE, 500 merges": (
        lambda text: bpe.train_characters(CHARACTER_BPE.count(text), merges_at_most=500).model,
        70,
    ),
    "WordPiece, 500 merges": (lambda text: wordpiece.train(WORDPIECE.count(text), merges_at_most=500).model, 70),
    "Unigram, 1,000 pieces": (lambda text: unigram.train(UNIGRAM.count(text), 1_000).model, 350),
}


def compare(name: str, table: Table) -> None:
    """Print the ratios of time on each corpus, and those of memory on the largest."""
    compared = COMPARISONS[name]
    for kind, size in CORPORA:
        text = corpus(kind, size)
        contenders = [Contender(lambda _, run=run: run(text)) for run in (compared.ours, compared.theirs)]  # noqa: B023
        mine, rival = medians(contenders, 5 if size < 1 else 3)
        goal = compared.english if kind == "English" else compared.mixed
        figures = f"{mine:.3f} s", f"{rival:.3f} s", f"{mine / rival:.2f}", f"{goal:g}"
        table.row(name, f"{kind} {size} MB", *figures, missed=mine / rival > goal)
    mine, rival = (_peak_apart(name, who) for who in ("ours", "theirs"))
    figures = f"{mine:.0f} MB", f"{rival:.0f} MB", f"{mine / rival:.2f}", f"{compared.memory:g}"
    table.row(name, "peak memory", *figures, missed=mine / rival > compared.memory)


def _peak_apart(name: str, who: str) -> float:
    """The megabytes by which a training raises the peak of a process of its own."""
    # A process inherits the peak of the one that starts it, so a small shell stands between them.
    command = [
        "sh",
        "-c",
        '"$@"; exit $?',
        "sh",
        sys.executable,
        "-m",
        "tests.benchmarks.training",
        "--peak",
        name,
        who,
    ]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def print_peak(name: str, who: str) -> None:
    """Print by how many megabytes a training, with its text, raises the peak memory of this process."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    getattr(COMPARISONS[name], who)(corpus(*CORPORA[-1]))
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)


def while_typing(table: Table) -> None:
    """Print what a visitor waits for, in milliseconds."""
    text = corpus("English", 0.7)
    for name, (train, goal) in TYPING.items():
        few, many = medians([Contender(lambda _, n=n: train(text[:n])) for n in (20_000, 200_000)], 3)  # noqa: B023
        figures = f"{few * 1000:.0f} ms", f"{many * 1000:.0f} ms", "", f"{goal} ms"
        table.row(name, "20, 200 KB", *figures, missed=few * 1000 > goal or many > 2)


def main() -> int:
    """Print the tables, and after them each goal that was missed."""
    parts = (*COMPARISONS, "typing")
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", choices=parts, nargs="+", default=parts, help="parts to run; all by default")
    parser.add_argument("--peak", nargs=2, metavar=("TRAINER", "WHO"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    require_shared()
    if options.peak:
        print_peak(*options.peak)
        return 0
    table = Table("{:<28}{:<16}{:>10}{:>10}{:>8}{:>8}", [])
    table.row("", "", "ours", "rival", "ratio", "goal")
    for part in options.only:
        if part in COMPARISONS:
            compare(part, table)
        else:
            while_typing(table)
    return end(table.missed)


if __name__ == "__main__":
    raise SystemExit(main())

"""The speed and memory of training: ``python -m tests.benchmarks.training``, in parts with ``--only bpe``.

Rivals get the same text, the same split pattern and size, and one thread; counting pre-tokens is in the time on both
sides. Ratios are of CPU time: ours divided by the rival's, so that below 1 we are faster.
"""

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from time import process_time
from typing import NamedTuple

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import sentencepiece
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, trainers

from tests.benchmarks.timing import BELOW, Contender, medians
from tests.benchmarks.training_corpora import ENGLISH, NAMES, corpus
from tests.benchmarks.training_quality import NOVEL, SIZE, UNIGRAM_SIZE, figures
from webapp.core.recipes import BYTE_BPE, CHARACTER_BPE, UNIGRAM, WORDPIECE
from webapp.core.reference import bpe as reference
from webapp.core.trainers import bpe, unigram, wordpiece, wordpiece_top_down

WATCHED = 100  # timed merges of the reference trainer, at the beginning and at the end
LINE = "{:<50}{:>10}{:>10}{:>8}{:>8}"


def ours(text: str) -> bpe.TrainedBPE[bytes]:
    """Train our byte-level BPE: count, merge, build the model."""
    trained = bpe.train_bytes(BYTE_BPE.count(text), SIZE)
    assert len(trained.model.pieces) == SIZE or trained.merges[-1].count == 1
    return trained


def theirs(text: str) -> None:
    """Train with `tokenizers`, from the same 256 bytes."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=SIZE, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)


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


def our_wordpiece(text: str) -> None:
    """Train our WordPiece by score, with the minimum count that follows the training."""
    wordpiece.train(WORDPIECE.count(text), SIZE, minimum_pair_frequency=None).model  # noqa: B018  # part of training


def our_top_down(text: str) -> None:
    """Train our WordPiece from the top down."""
    wordpiece_top_down.train(WORDPIECE.count(text), SIZE).model  # noqa: B018


def their_wordpiece(text: str) -> None:
    """Train with `tokenizers`, which merges by count."""
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))  # type: ignore[call-arg]
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=SIZE, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator([text], trainer)


def our_unigram(text: str) -> None:
    """Train our Unigram."""
    unigram.train(UNIGRAM.count(text), UNIGRAM_SIZE).model  # noqa: B018


class Comparison(NamedTuple):
    """Two trainers, and the highest ratios wanted: of time on English and on mixed text, and of memory."""

    name: str
    ours: Callable[[str], object]
    theirs: Callable[[str], object]
    english: float
    mixed: float
    memory: float


COMPARISONS = {
    "bpe": Comparison("byte-level BPE / tokenizers", ours, theirs, 1.0, 1.3, 0.6),
    "wordpiece": Comparison("WordPiece by score / tokenizers", our_wordpiece, their_wordpiece, 2.0, 2.0, 0.6),
    "top-down": Comparison("WordPiece top-down / tokenizers", our_top_down, their_wordpiece, 2.0, 2.0, 0.6),
    "unigram": Comparison("Unigram / sentencepiece", our_unigram, sentencepieces, 1.5, 1.5, 1.5),
}


def against_rivals(chosen: Sequence[str], corpora: Sequence[str]) -> None:
    """Print the ratios of time on each corpus, and those of memory on the largest."""
    print(LINE.format(f"to {SIZE:,}, Unigram {UNIGRAM_SIZE:,}", "ours s", "rival s", "ratio", "goal"))
    for name in corpora:
        text = corpus(name)
        runs = 5 if len(text) < 1_500_000 else 3 if len(text) < 10_000_000 else 1
        for key in chosen:
            compared = COMPARISONS[key]
            contenders = [
                Contender(key, lambda _, run=run, text=text: run(text)) for run in (compared.ours, compared.theirs)
            ]
            goal = compared.english if name.startswith("English") else compared.mixed
            ratio(f"{compared.name}, {name}", *medians(contenders, runs), goal)


def memory(chosen: Sequence[str], name: str) -> None:
    """Print the peak memory of a training in a process of its own, without what the process needs before."""
    print(LINE.format(f"\npeak memory, {name}", "ours MB", "rival MB", "ratio", "goal"))
    for key in chosen:
        peaks = []
        for who in ("ours", "theirs"):
            # A process inherits the peak of the one that starts it, so a small shell stands between them.
            command = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-m", "tests.benchmarks.training"]
            command += ["--peak", key, who, name]
            peaks.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        ratio(f"{COMPARISONS[key].name}, {name}", *peaks, COMPARISONS[key].memory)


def peak(key: str, who: str, name: str) -> None:
    """Print by how many megabytes a training, with its text, raises the peak memory of this process."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = corpus(name)
    getattr(COMPARISONS[key], who)(text)
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)


def against_recounting(text: str) -> None:
    """Print how much faster our BPE is than one that recounts for every merge."""
    [mine] = medians([Contender("ours", lambda _: ours(text))], 3)
    ratio("byte-level BPE / recounting (extrapolated)", mine, recounting(BYTE_BPE.count(text), ours(text)), 0.01)


def ratio(name: str, mine: float, rival: float, goal: float | None) -> None:
    """Print one line of the table, and whether it missed its goal."""
    wanted = "" if goal is None else f"{goal:g}"
    print(LINE.format(name, f"{mine:.3f}", f"{rival:.3f}", f"{mine / rival:.3f}", wanted), flush=True)
    if goal is not None and mine / rival > goal:
        print(f"{BELOW}{name}")


def quality() -> None:
    """Print the quality of the vocabularies beside those of the originals, with the lowest figure wanted."""
    print(LINE.format("\nquality, English 2.8 MB", "ours", "rival", "", "goal"))
    for name, mine, rival, least in figures():
        print(LINE.format(name, f"{mine:.3f}", f"{rival:.3f}", "", f"{least:.3f}"), flush=True)
        if mine < least:
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
    """Print the tables, with a note below each line that missed its goal."""
    parts = (*COMPARISONS, "quality", "recounting", "typing")
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", choices=parts, nargs="+", default=parts, help="parts to run; all by default")
    parser.add_argument("--corpora", choices=NAMES, nargs="+", default=NAMES[:4], help="the largest takes minutes")
    parser.add_argument("--memory", default=NAMES[-2], help="the corpus to measure memory on")
    parser.add_argument("--peak", nargs=3, metavar=("TRAINER", "WHO", "CORPUS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not ENGLISH.is_file():
        raise SystemExit(f"there is no {ENGLISH}: the corpus is missing")
    if options.peak:
        peak(*options.peak)
        return
    chosen = [key for key in COMPARISONS if key in options.only]
    if chosen:
        against_rivals(chosen, options.corpora)
        memory(chosen, options.memory)
    if "quality" in options.only and NOVEL.is_file():
        quality()
    text = corpus("English 0.8 MB")
    if "recounting" in options.only:
        against_recounting(text)
    if "typing" in options.only:
        on_the_spot(text)


if __name__ == "__main__":
    main()

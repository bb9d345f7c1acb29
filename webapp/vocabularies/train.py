"""Trains the built-in vocabularies: four of pieces, all on the same corpus and to the same size, and the n-gram model.

    python -m webapp.vocabularies.train --corpora DIR --out DIR

writes `bpe-bytes.json.gz`, `bpe-characters.json.gz`, `wordpiece.json.gz`, `unigram.json.gz` (Hugging Face's
tokenizer.json, compressed), `ngram.json.gz` and `RECORD.json`, which documents the corpus and the parameters. With
`--only ngram` the others stay as they are.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import platform
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Any

from webapp.core import recipes
from webapp.core.formats import huggingface
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.recipes import Recipe
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, unigram, wordpiece, wordpiece_top_down
from webapp.core.trainers.word_counts import WordCounts, merged
from webapp.vocabularies import train_ngram
from webapp.vocabularies.corpus import (
    CHINESE_DOCUMENT,
    DOCUMENT,
    LEAST_DOCUMENTS,
    Support,
    corpus_record,
    interleaved,
    read_corpus,
    shares,
)
from webapp.vocabularies.shipped_vocabularies import NGRAM, jieba_words

SIZE = 32_000  # pieces of each vocabulary, special tokens included
COVERAGE = 0.9999  # the share of characters in the alphabets of </w> BPE and Unigram
MINIMUM_FREQUENCY = 10  # of a Unigram piece
LONGEST_PIECE = 32
SEEDS = 1_000_000
NOTES = (
    "A third each of English, simplified Chinese and code in bytes, not characters: a Chinese character says about as "
    "much as three letters, and takes three bytes. Traditional Chinese is half as much as simplified Chinese.",
    "Chinese is half modern, half classical, the classical half from two novels in equal parts. Traditional Chinese is "
    "converted from these books by OpenCC (configuration s2t), with 「」 and 『』 as quotation marks.",
    "Where the Lu Xun file has a gloss, it repeats the word before it (a span that is followed by itself and a colon); "
    "the repetition is removed.",
    "Code is the Python standard library without tests, character tables (encodings) and documentation (pydoc_data); "
    "of long files only the beginning, cut at the length that brings all files to a third.",
    f"A piece of two or more characters occurs in at least {LEAST_DOCUMENTS} documents, so that no name or boilerplate "
    f"of one source takes a place. A document is {DOCUMENT:,} characters of the English books, {CHINESE_DOCUMENT:,} of "
    "Lu Xun, a Chinese novel, a package or single module of the standard library. Documents are read in a mixed order.",
    f"The alphabets of </w> BPE and Unigram cover {COVERAGE} of the corpus, so that characters met once or twice do "
    "not fill the vocabularies; those left out become the unknown token. For </w> BPE a character at the end of a word "
    "is another symbol than the same character elsewhere, and the coverage is of these symbols.",
    "WordPiece is trained from the top down. It knows every character of the corpus: BERT's pre-tokenizer isolates "
    "each Chinese one, so that no Chinese piece has two, and there is room. The byte-level vocabulary knows every "
    "byte.",
    f"A longer Unigram piece occurs at least {MINIMUM_FREQUENCY} times and has at most {LONGEST_PIECE} characters.",
)

log = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train the vocabularies and write them with their record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the English and Chinese texts")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--only", choices=[NGRAM], help="train only this one, and replace its record")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    options.out.mkdir(parents=True, exist_ok=True)
    if options.only:
        record = json.loads((options.out / "RECORD.json").read_text(encoding="utf-8"))
        record["outputs"] |= ngram(options.corpora, options.out)
        write_record(options.out, record)
        return

    corpus = read_corpus(options.corpora)
    support = Support(corpus)
    documents = interleaved(corpus)
    outputs: dict[str, dict[str, Any]] = {}
    for recipe, train, parameters in TRAINERS:
        began = process_time()
        counts = merged(*map(recipe.count, documents))
        counted = process_time()
        trained = train(counts, support)
        tokenizer = recipe.tokenizer(trained.model, trained.special_tokens)
        ended = process_time()
        if size(tokenizer) != SIZE:
            raise SystemExit(f"{recipe.name}: {size(tokenizer)} pieces instead of {SIZE}")
        path = options.out / f"{recipe.name}.json.gz"
        path.write_bytes(gzip.compress(huggingface.write(tokenizer).encode(), 9, mtime=0))
        outputs[path.name] = {
            "pieces": size(tokenizer),
            "parameters": parameters,
            "distinct words": len(counts),
            "seconds to count": round(counted - began, 1),
            "seconds to train": round(ended - counted, 1),
            "bytes": path.stat().st_size,
            "sha256": sha256(path.read_bytes()).hexdigest(),
        }
        log.info("%s: %s", path.name, outputs[path.name])
    outputs |= ngram(options.corpora, options.out)
    record = {
        "command": "python -m webapp.vocabularies.train --corpora DIR --out webapp/vocabularies/shipped",
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "notes": NOTES,
        "shares": shares(corpus),
        "outputs": outputs,
        "corpus": list(corpus_record(corpus)),
    }
    write_record(options.out, record)


def write_record(folder: Path, record: dict[str, Any]) -> None:
    """Write `RECORD.json`."""
    written = json.dumps(record, ensure_ascii=False, indent=1)
    (folder / "RECORD.json").write_text(written + "\n", encoding="utf-8")


def ngram(corpora: Path, folder: Path) -> dict[str, dict[str, Any]]:
    """Train the n-gram model, write it, and return its part of the record."""
    dictionary = jieba_words()
    content, about = train_ngram.train(corpora, dictionary, MaximumProbability(dictionary).words)
    path = folder / f"{NGRAM}.json.gz"
    path.write_bytes(content)
    output = {**about, "bytes": len(content), "sha256": sha256(content).hexdigest()}
    log.info("%s: %s", path.name, output)
    return {path.name: output}


def size(tokenizer: Tokenizer) -> int:
    """The number of distinct ids of a tokenizer: the model's pieces, and special tokens with further ids."""
    return len({*range(len(tokenizer.model.pieces)), *tokenizer.special_tokens.values()})


def train_bytes(counts: WordCounts, support: Support) -> bpe.TrainedBPE[bytes]:
    """Byte-level BPE, with its one special token."""
    return bpe.train_bytes(counts, SIZE, ["<|endoftext|>"], accepts=support.of_bytes)


def train_characters(counts: WordCounts, support: Support) -> bpe.TrainedBPE[str]:
    """BPE over characters with `</w>`."""

    def accepts(piece: str) -> bool:
        return support(piece.removesuffix(bpe.END_OF_WORD))

    return bpe.train_characters(counts, SIZE, coverage=COVERAGE, accepts=accepts)


def train_wordpiece(counts: WordCounts, support: Support, pieces: int = SIZE) -> wordpiece_top_down.TopDownWordPiece:
    """WordPiece with BERT's special tokens, which needs a separate training for each size."""

    def accepts(piece: str) -> bool:
        return support(piece.removeprefix(wordpiece.PREFIX))

    special_tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return wordpiece_top_down.train(counts, pieces, special_tokens=special_tokens, accepts=accepts)


def train_unigram(counts: WordCounts, support: Support, pieces: int = SIZE) -> unigram.TrainedUnigram:
    """Unigram, which needs a separate training for each size."""
    seeded = unigram.seed(
        counts, coverage=COVERAGE, longest=LONGEST_PIECE, minimum_frequency=MINIMUM_FREQUENCY, seeds=SEEDS
    )
    longer = {piece: rank // len(piece) for piece, rank in seeded.ranks.items() if len(piece) > 1}
    candidates = {piece: frequency for piece, frequency in longer.items() if support(piece.replace("▁", " "))}
    return unigram.train(counts, pieces, coverage=COVERAGE, longest=LONGEST_PIECE, candidates=candidates)


Trained = bpe.TrainedBPE[bytes] | bpe.TrainedBPE[str] | wordpiece_top_down.TopDownWordPiece | unigram.TrainedUnigram
TRAINERS: tuple[tuple[Recipe, Callable[[WordCounts, Support], Trained], dict[str, object]], ...] = (
    (recipes.BYTE_BPE, train_bytes, {"size": SIZE}),
    (
        recipes.CHARACTER_BPE,
        train_characters,
        {"size": SIZE, "coverage": COVERAGE, "end-of-word suffix": "</w>"},
    ),
    (recipes.WORDPIECE, train_wordpiece, {"size": SIZE, "trainer": "top-down", "cased": True}),
    (
        recipes.UNIGRAM,
        train_unigram,
        {
            "size": SIZE,
            "coverage": COVERAGE,
            "longest piece": LONGEST_PIECE,
            "minimum frequency": MINIMUM_FREQUENCY,
            "seeds at most": SEEDS,
        },
    ),
)

if __name__ == "__main__":
    main()

"""Trains the four built-in vocabularies, all on the same corpus and to the same size.

    python -m webapp.vocabularies.train --corpora DIR --out DIR

writes `bpe-bytes.json.gz`, `bpe-characters.json.gz`, `wordpiece.json.gz`, `unigram.json.gz` (Hugging Face's
tokenizer.json, compressed) and `RECORD.json`, which documents the corpus and the parameters.
"""

from __future__ import annotations

import argparse
import gzip
import json
import logging
import platform
import sysconfig
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from time import process_time
from typing import Any

from webapp.core import recipes
from webapp.core.formats import huggingface
from webapp.core.recipes import Recipe
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, unigram, wordpiece
from webapp.core.trainers.word_counts import WordCounts, merged

SIZE = 32_000  # pieces of each vocabulary, special tokens included
THIRD = 2_800_000  # bytes of each of English, Chinese and code
COVERAGE = 0.9999  # the share of characters in the alphabets of </w> BPE and Unigram
MINIMUM_PAIR_FREQUENCY = 8  # the highest with which WordPiece reaches SIZE pieces; the last merges are common words
MINIMUM_FREQUENCY = 10  # of a Unigram piece
LONGEST_PIECE = 16
SEEDS = 1_000_000
PARTS = (  # kind, file, and bytes to read from its beginning
    ("English", "en_holmes_and_others.txt", THIRD),
    ("Chinese, modern", "zh_luxun.txt", THIRD // 2),
    ("Chinese, classical", "zh_honglou.txt", THIRD // 4),
    ("Chinese, classical", "zh_shuihu.txt", THIRD // 4),
)
NO_CODE = {"site-packages", "test", "tests", "idle_test", "encodings", "pydoc_data", "__pycache__"}
NOTES = (
    "A third each of English, Chinese and code in bytes, not characters: a Chinese character says about as much as "
    "three letters, and takes three bytes.",
    "Chinese is half modern, half classical, the classical half from two novels in equal parts.",
    "Code is the Python standard library without tests, character tables (encodings) and documentation (pydoc_data); "
    "of the files in sorted order every n-th, n being what brings them to a third.",
    f"The alphabets of </w> BPE and Unigram cover {COVERAGE} of the corpus, so that characters met once or twice do "
    "not fill the vocabularies; those left out become the unknown token. For </w> BPE a character at the end of a word "
    "is another symbol than the same character elsewhere, and the coverage is of these symbols.",
    "WordPiece knows every character of the corpus: BERT's pre-tokenizer isolates each Chinese one, so that no Chinese "
    "piece has two, and there is room. The byte-level vocabulary knows every byte.",
    f"A longer Unigram piece occurs at least {MINIMUM_FREQUENCY} times, a pair merged by WordPiece at least "
    f"{MINIMUM_PAIR_FREQUENCY}: that is the highest frequency at which there are pairs for all the pieces.",
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CorpusPart:
    """A file of the corpus, and the part of it to train on."""

    kind: str
    name: str
    content: bytes  # the whole file
    text: str  # the beginning of it, to train on


def main(arguments: Sequence[str] | None = None) -> None:
    """Train all four vocabularies and write them with their record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the English and Chinese texts")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")

    corpus = [*texts(options.corpora), *standard_library()]
    options.out.mkdir(parents=True, exist_ok=True)
    outputs = {}
    for recipe, train, parameters in TRAINERS:
        began = process_time()
        counts = merged(*(recipe.count(part.text) for part in corpus))
        counted = process_time()
        trained = train(counts)
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
    record = {
        "command": "python -m webapp.vocabularies.train --corpora DIR --out webapp/vocabularies/shipped",
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "notes": NOTES,
        "shares": shares(corpus),
        "outputs": outputs,
        "corpus": list(corpus_record(corpus)),
    }
    written = json.dumps(record, ensure_ascii=False, indent=1)
    (options.out / "RECORD.json").write_text(written + "\n", encoding="utf-8")


def size(tokenizer: Tokenizer) -> int:
    """The number of distinct ids of a tokenizer: the model's pieces, and special tokens with further ids."""
    return len({*range(len(tokenizer.model.pieces)), *tokenizer.special_tokens.values()})


def texts(folder: Path) -> Iterable[CorpusPart]:
    """The English and Chinese parts of the corpus."""
    for kind, name, budget in PARTS:
        content = (folder / name).read_bytes()
        yield CorpusPart(kind, name, content, beginning_of(content.decode(), budget))


def beginning_of(text: str, budget: int) -> str:
    """The first complete lines of a text that fit in `budget` bytes of UTF-8.

    >>> beginning_of("a line\\nanother\\n", 10)
    'a line\\n'
    """
    lines = text.splitlines(keepends=True)
    fitting = sum(1 for end in accumulate(len(line.encode()) for line in lines) if end <= budget)
    return "".join(lines[:fitting])


def standard_library() -> Iterable[CorpusPart]:
    """Every n-th source file of the running Python's standard library, together about a third of the corpus."""
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(path.relative_to(root) for path in root.rglob("*.py"))
    files = [path for path in files if NO_CODE.isdisjoint(path.parts)]
    step = max(sum((root / path).stat().st_size for path in files) // THIRD, 1)
    left = THIRD
    for path in files[::step]:
        content = (root / path).read_bytes()
        text = beginning_of(content.decode(), left)
        left -= len(text.encode())
        if text:
            yield CorpusPart("code", path.as_posix(), content, text)


def shares(corpus: Sequence[CorpusPart]) -> dict[str, dict[str, int]]:
    """Bytes and characters of the corpus by kind of text."""
    totals: dict[str, dict[str, int]] = {}
    for part in corpus:
        share = totals.setdefault(part.kind, {"bytes": 0, "characters": 0})
        share["bytes"] += len(part.text.encode())
        share["characters"] += len(part.text)
    return totals


def corpus_record(corpus: Iterable[CorpusPart]) -> Iterable[dict[str, Any]]:
    """The record of each file: its checksum, and how many bytes were read from its beginning."""
    for part in corpus:
        yield {
            "kind": part.kind,
            "file": part.name,
            "bytes": len(part.content),
            "sha256": sha256(part.content).hexdigest(),
            "bytes read": len(part.text.encode()),
        }


def train_bytes(counts: WordCounts) -> bpe.TrainedBPE[bytes]:
    """Byte-level BPE, with its one special token."""
    return bpe.train_bytes(counts, SIZE, ["<|endoftext|>"])


def train_characters(counts: WordCounts) -> bpe.TrainedBPE[str]:
    """BPE over characters with `</w>`."""
    return bpe.train_characters(counts, SIZE, coverage=COVERAGE)


def train_wordpiece(counts: WordCounts) -> wordpiece.TrainedWordPiece:
    """WordPiece with BERT's special tokens."""
    return wordpiece.train(
        counts,
        SIZE,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        minimum_pair_frequency=MINIMUM_PAIR_FREQUENCY,
    )


def train_unigram(counts: WordCounts, pieces: int = SIZE) -> unigram.TrainedUnigram:
    """Unigram, which needs a separate training for each size."""
    return unigram.train(
        counts,
        pieces,
        coverage=COVERAGE,
        longest=LONGEST_PIECE,
        minimum_frequency=MINIMUM_FREQUENCY,
        seeds=SEEDS,
    )


Trained = bpe.TrainedBPE[bytes] | bpe.TrainedBPE[str] | wordpiece.TrainedWordPiece | unigram.TrainedUnigram
TRAINERS: tuple[tuple[Recipe, Callable[[WordCounts], Trained], dict[str, object]], ...] = (
    (recipes.BYTE_BPE, train_bytes, {"size": SIZE}),
    (
        recipes.CHARACTER_BPE,
        train_characters,
        {"size": SIZE, "coverage": COVERAGE, "end-of-word suffix": "</w>"},
    ),
    (
        recipes.WORDPIECE,
        train_wordpiece,
        {"size": SIZE, "minimum pair frequency": MINIMUM_PAIR_FREQUENCY, "cased": True},
    ),
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

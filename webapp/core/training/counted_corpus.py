"""The counts of a corpus, in memory and as a checkpoint on disk, so that an interrupted training does not count again.

A checkpoint is JSON lines, compressed with gzip, whose checksum finds a damaged one: what was counted, then thousands
of words and their counts a line.
"""

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

from webapp.core.trainers.word_counts import WordCounts
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.plan import TrainingPlan

VERSION = 3  # of the checkpoint; raise it when the same plan counts differently
WORDS_OF_A_LINE = 5_000


@dataclass(frozen=True)
class CountedCorpus:
    """The pre-tokens of a corpus and their counts, in canonical order, and the text that was held out.

    `characters` and `bytes` (as UTF-8) are those of the whole text. `sha256` is the checksum of its blocks' checksums:
    sha256 over the sha256 digests of their UTF-8, in order, so that blocks can be read in any order.
    """

    counts: WordCounts
    held_out: str
    characters: int
    bytes: int
    sha256: str
    forgotten: int = 0  # n-grams that were removed while counting, because there were too many
    forgotten_below: int = 0  # and the count that they did not reach


def canonical(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts in an order that does not depend on who counted: falling counts, then code points.

    >>> canonical({"b": 1, "a": 1, "c": 2})
    {'c': 2, 'a': 1, 'b': 1}
    """
    words = sorted(counts)
    words.sort(key=counts.__getitem__, reverse=True)  # stable, and without a tuple for each of millions of words
    return {word: counts[word] for word in words}


def add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    """Add counts to counts."""
    get = counts.get
    for word, count in more.items():
        counts[word] = get(word, 0) + count


def write_checkpoint(path: Path, counted: CountedCorpus, files: Sequence[CorpusFile], plan: TrainingPlan) -> None:
    """Write the counts; the file is complete or not there at all."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with gzip.open(partial, "wt", 1, encoding="ascii") as stream:
            facts = {**vars(counted), "counts": {}, "identity": _identity(files, plan)}
            stream.write(f"{json.dumps(facts)}\n")
            entries = iter(counted.counts.items())
            while some := list(islice(entries, WORDS_OF_A_LINE)):
                stream.write(f"{json.dumps(some)}\n")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_checkpoint(path: Path, files: Sequence[CorpusFile], plan: TrainingPlan) -> CountedCorpus | None:
    """Return the counts that `write_checkpoint` wrote for these files and a plan that counts alike, else None."""
    try:
        with gzip.open(path, "rt", encoding="ascii") as lines:
            facts = json.loads(lines.readline())
            if facts.pop("identity") != _identity(files, plan):
                return None
            return CountedCorpus(**facts | {"counts": dict(entry for line in lines for entry in json.loads(line))})
    except (OSError, ValueError, KeyError, TypeError, EOFError, zlib.error):
        return None


def _identity(files: Iterable[CorpusFile], plan: TrainingPlan) -> str:
    """The checksum of what the counts depend on: the files, by name and size, and some choices of the plan."""
    sizes = [os.path.getsize(file.path) if os.path.exists(file.path) else None for file in files]
    choices: tuple[object, ...] = (
        (plan.trainer, plan.order, plan.segmentation)
        if plan.of_words
        else (plan.trainer, plan.variant, plan.split, plan.pattern, plan.normalization, plan.longest_word)
    )
    described = [[file.name, file.format, file.field, file.compression] for file in files]
    return sha256(json.dumps([VERSION, described, sizes, choices]).encode()).hexdigest()

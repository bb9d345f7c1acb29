"""The built-in n-gram model: counts of the site's Chinese books over jieba's words.

`webapp.vocabularies.count_books` writes `ngram.json.gz`; the words and their frequencies come from the jieba package,
which is checked by its number of words and their checksum. jieba's frequencies are order 0 of the model: what it knows
of words that the books do not have.
"""

import gzip
import json
from array import array
from collections.abc import Sequence
from hashlib import sha256
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import MARKS, Estimates, Level, NGramCounts
from webapp.core.models.ngram_lattice import CharacterModel


def read(path: Path, dictionary: Dictionary) -> NGram:
    """Return the model of a file; raises ValueError if it was counted with other words."""
    document: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    if document["dictionary"] != fingerprint(dictionary):
        raise ValueError(f"{path.name} was trained with another dictionary than that of the installed jieba package")
    words = (*dictionary.words, *document["words"])
    numbers = len(words) + len(MARKS)
    found, kept = array("Q", bytes(8 * numbers)), array("I", bytes(4 * numbers))
    steps, counts, continuations = document["first"]
    for number, count, before in zip(accumulate(steps), counts, continuations, strict=True):
        found[number] = count
        kept[number] = before
    levels = [Level(array("I", range(numbers)), found, array("I", (0, numbers)), kept)]
    for columns in document["levels"]:
        levels.append(_level(columns, len(levels[-1].words)))
    plain, adjusted, weights = document["estimates"]
    estimates = Estimates(tuple(map(tuple, plain)), tuple(map(tuple, adjusted)), tuple(weights))
    together = Dictionary(words)
    counted = NGramCounts(words, levels, pruned=True, estimates=estimates, ids=together.ids)
    base = array("I", [*(dictionary.frequencies or ()), *[0] * len(document["words"])])
    return NGram(
        counts=counted,
        smoothing="kneser-ney",
        order=2,
        base=base,
        characters=CharacterModel(*document["characters"]),
        dictionary=together,
    )


def fingerprint(dictionary: Dictionary) -> list[Any]:
    """The number of words of a dictionary, and the checksum of words and frequencies."""
    digest = sha256("\n".join(dictionary.words).encode())
    digest.update(array("Q", dictionary.frequencies or ()).tobytes())
    return [len(dictionary), digest.hexdigest()]


def _level(columns: Sequence[Sequence[int]], contexts: int) -> Level:
    steps, sizes, differences, counts, continuations = columns
    sizes_of = dict(zip(accumulate(steps), sizes, strict=True))
    begins, words, at = array("I"), array("I"), 0
    for context in range(contexts):
        begins.append(at)
        at += sizes_of.get(context, 0)
    begins.append(at)
    at = 0
    for size in sizes:
        words.extend(accumulate(differences[at : at + size]))
        at += size
    return Level(words, array("Q", counts), begins, array("I", continuations))


def steps(rising: Sequence[int]) -> list[int]:
    """Rising numbers as differences, which compress better.

    >>> steps([3, 5, 6]), list(accumulate([3, 2, 1]))
    ([3, 2, 1], [3, 5, 6])
    """
    return [after - before for before, after in pairwise((0, *rising))]

"""What a corpus is made of, seen in a sample before training.

How many pieces a corpus makes possible.
"""

from __future__ import annotations

import codecs
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from time import thread_time
from typing import Any

from webapp.core.models.scored_pieces import NAMED_BYTES
from webapp.core.text.unicode_tables import script_of
from webapp.core.trainers import bpe_variants, unigram, wordpiece
from webapp.core.trainers.word_counts import WordCounts
from webapp.core.training import corpus
from webapp.core.training.counted_corpus import add, canonical
from webapp.core.training.counting import HoldOut, TrainingError, count_block, hold_out, stored_bytes
from webapp.core.training.ngrams import MARKS, check_ngrams
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.recipe import MARK, MARKED
from webapp.core.training.train import alphabet_of, merges_of

EXTRACTS = 64  # of a large corpus
SEGMENTED = 240_000
"""Bytes of a sample that has to be segmented first, in 0.2 s. From 60,000, the distinct words of English and three
Chinese books are estimated at almost four times their number, from so many at one and a half times."""
MOST_FILES = 50  # that are opened
READ_AHEAD = 2 * corpus.CHUNK  # bytes of text that `blocks` has read beyond a block
UNSPACED = "\u2e80"  # Chinese and Japanese characters follow
MOST_FALL = 0.03  # of the exponent of Heaps' law when a text is doubled
FURTHER = 8  # blocks that are counted after the share of a file of which nothing is left to read


@dataclass(frozen=True)
class CorpusFacts:
    """The size of a corpus, the shares of its scripts, most frequent first, and how many pieces it makes possible.

    With `sampled`, the figures are estimated from a sample: the distinct words by Heaps' law. `possible_pieces` is how
    many pieces the plan's trainer can make of a small corpus; of a larger one it makes at least so many. It starts from
    `least_pieces`, if the plan has no coverage of its own. For a forecast: the characters and the bytes (as UTF-8) of
    all distinct words, and the processor time of counting; of plans for words also the characters of all words.
    """

    bytes: int
    characters: int
    words: int
    distinct_words: int
    scripts: tuple[tuple[str, float], ...]
    possible_pieces: int
    sampled: bool
    distinct_characters: int = 0
    distinct_bytes: int = 0
    counting_seconds: float = 0.0
    word_characters: int = 0
    least_pieces: int = 0

    def as_json(self) -> dict[str, Any]:
        """The facts as JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> CorpusFacts:
        """The facts that `as_json` wrote."""
        scripts = tuple((str(name), float(share)) for name, share in document["scripts"])
        return cls(**{**document, "scripts": scripts})


def survey(
    files: Sequence[corpus.CorpusFile],
    plan: TrainingPlan,
    sample_bytes: int = 2_000_000,
    opened: corpus.Opened = corpus.open_local,
    sizes: Sequence[int] | None = None,
) -> CorpusFacts:
    """Return the facts of a corpus, of a large one from extracts that are spread over it.

    `sizes` are the stored bytes of the files, by default those of local files. Takes a second or two for any corpus.
    Raises CorpusError for what is wrong with the sample, and with the code `empty`; of a plan for words TrainingError
    as `check_words` does.
    """
    if plan.of_words:
        plan = replace(plan, trainer="ngram", order="1")  # words are enough
        sample_bytes = sample_bytes if plan.segmentation == "words" else min(sample_bytes, SEGMENTED)
    sizes = [stored_bytes(file) for file in files] if sizes is None else sizes
    entries = list(zip(files, sizes, strict=True))[:: max(1, len(files) // MOST_FILES)]
    chosen = sum(size for _, size in entries)
    texts: list[str] = []
    expected = 0.0  # bytes of text
    for file, size in entries:
        share = max(math.ceil(sample_bytes * size / max(chosen, 1)), 1)
        if file.compression or size <= share:
            found, bytes_of_file = _beginning(file, size, share, opened)
        else:
            found, bytes_of_file = _extracts(file, size, share, max(sample_bytes // EXTRACTS, 1), opened)
        texts += found
        expected += bytes_of_file
    expected *= sum(sizes) / max(chosen, 1)
    return _facts(texts, expected, plan, HoldOut.of_files(files, sizes).most)


def _facts(texts: Sequence[str], expected: float, plan: TrainingPlan, held_out: int) -> CorpusFacts:
    """Return the facts of a corpus of so many bytes of text, of which these are extracts.

    Of each block of a whole corpus so many characters are `held_out`, whose words do not make pieces possible.
    """
    taken = sum(len(text.encode()) for text in texts)
    growth = expected / taken if taken and expected > taken * 1.01 else 1.0
    counts: dict[str, int] = {}
    points: list[tuple[int, list[int]]] = []  # after a quarter, a half and the whole sample: words, and their sizes
    marks = MARKS if plan.of_words else frozenset()
    if plan.of_words:
        count_block("书", plan)  # reads the dictionary, which is no part of counting
    began = thread_time()
    for part in (texts[::4], texts[2::4], texts[1::2]):  # each from everywhere
        for text in part:
            add(counts, count_block(text, plan))
        points.append((sum(counts.values()), _sizes(counts.keys() - marks)))
    seconds = thread_time() - began
    if not counts:  # white space and slashes are text, without words
        raise TrainingError("unsegmented") if plan.of_words and any(texts) else corpus.CorpusError("empty")
    words, sizes = points[-1]
    word_characters = 0
    kept: dict[str, int] = {}
    if plan.trainer == "ngram":
        check_ngrams(plan, counts)
        words -= sum(counts.pop(mark, 0) for mark in marks)
        word_characters = sum(len(word) * count for word, count in counts.items())
    elif growth == 1:
        counts = {}  # anew, since a pre-token may cross into what is held out
        for text in texts:
            begin, end = hold_out(text, held_out)
            add(counts, count_block(begin, plan))
            add(kept, count_block(end, plan))
        counts = canonical(counts)
    if growth > 1:
        totals = [total for total, _ in points]
        sizes = [_grown(totals, found, growth) for found in zip(*(each for _, each in points), strict=True)]
    distinct, characters, size = (sum(sizes[at::3]) for at in range(3))
    least, most = piece_limits(counts, plan, kept, whole=growth == 1)
    return CorpusFacts(
        bytes=round(taken * growth),
        characters=round(sum(map(len, texts)) * growth),
        words=round(words * growth),
        distinct_words=distinct,
        scripts=scripts_of(texts),
        possible_pieces=most,
        sampled=growth > 1,
        distinct_characters=characters,
        distinct_bytes=size,
        counting_seconds=seconds * growth,
        word_characters=round(word_characters * growth),
        least_pieces=least,
    )


def _sizes(words: Iterable[str]) -> list[int]:
    """Return how many words there are, their characters and their bytes: of scripts with spaces, then of others.

    The words of a script without spaces are clauses, of which a corpus has ever more.
    """
    sizes = [0] * 6
    for word in words:
        at = 3 if word[-1:] > UNSPACED else 0
        sizes[at] += 1
        sizes[at + 1] += len(word)
        sizes[at + 2] += len(word.encode("utf-8", "surrogatepass"))
    return sizes


def _grown(words: Sequence[int], sizes: Sequence[int], growth: float) -> int:
    """Return a size for `growth` times as many words, from the sizes for three numbers of words, each about doubled.

    Heaps' law: sizes are a power of the number of words. Its exponent falls as the number grows.

    >>> _grown([100, 200, 400], [100, 200, 400], 2), _grown([100, 200, 400], [50, 70, 99], 10)
    (800, 313)
    """
    if not sizes[0] or not words[0] < words[1] < words[2]:
        return round(sizes[2] * growth)
    early, late = (math.log(sizes[at + 1] / sizes[at]) / math.log(words[at + 1] / words[at]) for at in (0, 1))
    fall = min(max(early - late, 0), MOST_FALL) * (math.log2(growth) + 1) / 2
    return round(float(sizes[2] * growth ** min(max(late - fall, 0), 1)))


def _beginning(file: corpus.CorpusFile, size: int, share: int, opened: corpus.Opened) -> tuple[list[str], float]:
    """Return the text of a file up to about `share` bytes, and how many bytes of text the file has, about.

    A small compressed file is read whole before its first block, and may still go on for gigabytes: a few further
    blocks count, which are all of ordinary text.
    """
    texts: list[str] = []
    taken = 0
    found = corpus.blocks([file], opened)
    for block in found:
        texts.append(block.text[:share])
        taken += len(block.text.encode())
        if taken >= share and block.bytes_read < size:
            return texts, (taken + READ_AHEAD) * size / block.bytes_read
        if taken >= share:
            return texts, taken + sum(len(each.text.encode()) for each in islice(found, FURTHER))
    return texts, taken


def _extracts(
    file: corpus.CorpusFile, size: int, share: int, length: int, opened: corpus.Opened
) -> tuple[list[str], float]:
    """Return extracts of an uncompressed file, and how many bytes of text the file has, about."""
    number = max(1, share // length)
    texts = []
    try:
        with opened(file.path) as stream:
            for index in range(number):
                offset = size * index // number
                stream.seek(offset)
                texts.append(_extract(file, stream.read(length), offset))
    except OSError:
        raise corpus.CorpusError("unreadable", file=file.name) from None
    if file.format == "text":
        return texts, size
    return texts, size * sum(len(text.encode()) for text in texts) / (number * length)


def _extract(file: corpus.CorpusFile, content: bytes, offset: int) -> str:
    """Return the text of some bytes of a file from an offset on, without what is incomplete at both ends."""
    if file.format == "jsonl":
        begin = content.find(b"\n") + 1 if offset else 0
        return corpus.texts_of_lines(file, content[begin : content.rfind(b"\n") + 1], offset + begin, 0)
    begin = corpus.start_of_character(content) if offset else 0
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(content[begin:])
    except UnicodeDecodeError as error:
        raise corpus.CorpusError("not_utf8", file=file.name, offset=offset + begin + error.start) from None
    return text[corpus.first_boundary(text) :] if offset else text.removeprefix("\ufeff")


def scripts_of(texts: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Return the scripts of the letters with their shares, by Unicode's names, most frequent first.

    >>> scripts_of(["naïve 研究"])
    (('Latin', 0.7142857142857143), ('Han', 0.2857142857142857))
    """
    characters: Counter[str] = Counter()
    for text in texts:
        characters.update(text)
    found: Counter[str] = Counter()
    for character, count in characters.items():
        if (script := script_of(character)) not in (None, "Common", "Inherited"):
            found[str(script)] += count
    total = found.total()
    return tuple((name, count / total) for name, count in found.most_common())


SMALL = 30_000  # characters of the distinct words; training to the end takes a fraction of a second


def piece_limits(
    counts: WordCounts, plan: TrainingPlan, held_out: WordCounts | None = None, *, whole: bool
) -> tuple[int, int]:
    """Return with how many pieces the plan's trainer starts, and how many it can make, special tokens included.

    The second is exact if these are the counts of a `whole` small corpus and the trainer merges. Otherwise it is the
    alphabet and the words that are frequent enough: merging makes at least so many, since it goes on until the words
    are pieces; for Unigram it is an estimate. For `held_out` see `alphabet_of`.

    >>> piece_limits({"low": 2, "lower": 1}, TrainingPlan(trainer="bpe-bytes"), whole=True)
    (256, 260)
    """
    if plan.trainer == "ngram":
        return 0, sum(" " not in ngram and ngram not in MARKS for ngram in counts)
    symbols = alphabet_of(counts, plan, held_out, every=True)
    start = {*plan.special_tokens, *_START[plan.trainer]}
    least = len(start.union(alphabet_of(counts, replace(plan, size=0), held_out)))  # without rare characters
    always = start.union(symbols)
    if whole and sum(map(len, counts)) <= SMALL:
        if plan.trainer == "unigram":
            minimum = plan.minimum_count or 2
            longest = plan.longest_piece
            return least, len(always | unigram.seed(counts, longest=longest, minimum_frequency=minimum).ranks.keys())
        return least, len(always) + len({merge.piece for merge in merges_of(counts, plan, symbols)} - always)
    minimum = plan.minimum_count or (2 if plan.trainer == "unigram" else 1)
    longest = plan.longest_piece if plan.trainer in MARKED else plan.longest_word
    words = sum(count >= minimum and 1 < len(word) <= longest for word, count in counts.items())
    return least, len(always) + words


_START = {  # the pieces of every vocabulary
    "bpe-bytes": NAMED_BYTES,
    "bpe-characters": ("<unk>",),
    "bpe-sentencepiece": (bpe_variants.UNKNOWN, MARK, *NAMED_BYTES),
    "wordpiece": (wordpiece.UNKNOWN,),
    "unigram": (unigram.UNKNOWN, MARK),
}

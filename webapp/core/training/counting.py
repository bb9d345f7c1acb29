"""How often each pre-token of a corpus occurs, by one or several processes, without a slice that is held out."""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from time import monotonic

from webapp.core.text.split_patterns import PatternTimeoutError
from webapp.core.trainers.word_counts import symbol_counts
from webapp.core.training.corpus import CHUNK, Block, CorpusError, CorpusFile, Opened, blocks, open_local
from webapp.core.training.counted_corpus import CountedCorpus, add, canonical, read_checkpoint, write_checkpoint
from webapp.core.training.ngrams import Forgotten, count_ngrams, forget_rare, latest
from webapp.core.training.plan import Progress, Report, TrainingError, TrainingPlan
from webapp.core.training.recipe import recipe_of
from webapp.core.training.taggers import count_sentences, keep_some

HELD_OUT = 200_000  # characters at most
HELD_OUT_SHARE = 20  # and at most every twentieth character
MOST_SLICES = 1_000  # so that a slice of a large corpus still has some lines
SECONDS_BETWEEN_REPORTS = 0.2
LATEST = 12  # n-grams in a report
BLOCKS_WAITING = 2  # for each process, so that none waits and few are in memory


def count_words(
    files: Sequence[CorpusFile],
    plan: TrainingPlan,
    report: Report,
    *,
    processes: int = 1,
    checkpoint: Path | None = None,
    opened: Opened = open_local,
    sizes: Sequence[int] | None = None,
    most_bytes: int | None = None,
    begin: Callable[[], None] | None = None,
) -> CountedCorpus:
    """Count the pre-tokens of a corpus of local files, or of others with `opened` and their `sizes` in bytes.

    The result is the same for any number of processes. A `checkpoint` is written at the end of counting; if it exists
    already and is of the same files and the same plan, it is returned at once. Each of several processes calls `begin`
    first. Raises CorpusError, and TrainingError
    with the code `slow_pattern` or `process_lost`.
    """
    if checkpoint is not None and (known := read_checkpoint(checkpoint, files, plan)) is not None:
        return known
    if sizes is None:
        sizes = [stored_bytes(file) for file in files]
    total = sum(sizes)
    rule = HoldOut.of_files(files, sizes)
    counts: dict[str, int] = {}
    held_out: list[str] = []
    digest = sha256()
    forgotten = Forgotten()
    characters = size = 0
    limited = Limited(report)

    def texts() -> Iterator[str]:
        nonlocal characters, size
        for block in blocks(files, opened, most_bytes):
            content = block.text.encode()
            digest.update(sha256(content).digest())
            size += len(content)
            characters += len(block.text)
            text, kept = rule.split(block)
            held_out.append(kept)
            yield text
            limited(partial(moment, block.bytes_read))

    def moment(read: int) -> Progress:
        if plan.trainer != "ngram":
            return Progress("count", read, max(total, read))
        return Progress("count", read, max(total, read), len(counts), latest(counts, plan, LATEST))

    report(Progress("count", 0, total))
    try:
        for found in _counted(texts(), plan, processes, begin):
            add(counts, found)
            if plan.trainer == "ngram":
                forget_rare(counts, forgotten)
            elif plan.trainer == "tagger":
                keep_some(counts, forgotten)
    except BrokenProcessPool:
        raise TrainingError("process_lost") from None
    if not counts:
        raise CorpusError("empty")
    report(Progress("count", total, total))
    counted = CountedCorpus(
        canonical(counts),
        "".join(held_out)[:HELD_OUT],
        characters,
        size,
        digest.hexdigest(),
        forgotten.ngrams,
        forgotten.below,
    )
    if checkpoint is not None:
        write_checkpoint(checkpoint, counted, files, plan)
    return counted


def count_block(text: str, plan: TrainingPlan) -> dict[str, int]:
    """Return how often each pre-token of a block occurs; longer ones than the plan's `longest_word` are cut.

    Of a plan for n-grams, these are counted instead, see `ngrams`; of one for a tagger, sentences. Without a split
    pattern, each line is a pre-token.

    >>> count_block("low lower low low", TrainingPlan())
    {'low': 1, ' lower': 1, ' low': 2}

    Raises TrainingError with the code `slow_pattern`.
    """
    if plan.trainer == "ngram":
        return count_ngrams(text, plan)
    if plan.trainer == "tagger":
        return count_sentences(text, plan)
    try:
        counts = _counts(text, plan)
    except PatternTimeoutError:
        raise TrainingError("slow_pattern") from None
    longest = plan.longest_word
    if any(len(word) > longest for word in counts):
        return symbol_counts(
            ((word[start : start + longest] for start in range(0, len(word), longest)), count)
            for word, count in counts.items()
        )
    return counts


@dataclass(frozen=True)
class HoldOut:
    """Which part of which blocks is held out: of every `every`-th one its end, `most` characters or a twentieth.

    So the slice is spread over the corpus, and any block can be split without the others.
    """

    every: int
    most: int

    @classmethod
    def of(cls, expected: int) -> HoldOut:
        """The rule for a corpus of about so many bytes after decompression.

        >>> HoldOut.of(200_000_000), HoldOut.of(10**12)
        (HoldOut(every=1, most=1047), HoldOut(every=953, most=199))
        """
        number = expected // CHUNK + 1
        every = max(number // MOST_SLICES, 1)
        return cls(every, max(HELD_OUT * every // number, 1))

    @classmethod
    def of_files(cls, files: Sequence[CorpusFile], sizes: Sequence[int]) -> HoldOut:
        """The rule for files with these stored sizes; each has a block at least, so that of many small ones few do."""
        return cls.of(max(expected_bytes(files, sizes), CHUNK * len(files)))

    def split(self, block: Block) -> tuple[str, str]:
        """Return the text of a block without its end, and its end if that is held out."""
        if (block.file_number + block.number) % self.every:
            return block.text, ""
        return hold_out(block.text, self.most)


def hold_out(text: str, most: int) -> tuple[str, str]:
    """Return a text without its end, and its end of at most `most` characters, at most a twentieth, from a line's on.

    >>> text, held_out = hold_out("a line\\n" * 40, 10)
    >>> len(text), held_out
    (273, 'a line\\n')
    """
    start = len(text) - min(most, len(text) // HELD_OUT_SHARE)
    begin = text.find("\n", start, len(text) - 1) + 1
    if not begin:
        begin = text.find(" ", start)
        begin = start if begin < 0 else begin
    return text[:begin], text[begin:]


def expected_bytes(files: Sequence[CorpusFile], sizes: Sequence[int]) -> int:
    """Return the bytes of the files after decompression, compressed ones taken for a fourth of their text."""
    return sum(size * (4 if file.compression else 1) for file, size in zip(files, sizes, strict=True))


def stored_bytes(file: CorpusFile) -> int:
    """Return the size of a local file, 0 if there is none."""
    try:
        return os.path.getsize(file.path)
    except OSError:
        return 0


class Limited:
    """Passes on at most five reports a second; a report is made only if it is passed on."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._next = 0.0

    def __call__(self, made: Callable[[], Progress]) -> None:
        """Pass on the report if the last one is long enough ago."""
        now = monotonic()
        if now >= self._next:
            self._report(made())
            self._next = monotonic() + SECONDS_BETWEEN_REPORTS


def _counts(text: str, plan: TrainingPlan) -> dict[str, int]:
    recipe = recipe_of(plan)
    if plan.split != "none":
        return recipe.count(text)
    counts: dict[str, int] = {}
    for line in text.splitlines(keepends=True):
        add(counts, recipe.count(line))
    return counts


def _counted(
    texts: Iterator[str], plan: TrainingPlan, processes: int, begin: Callable[[], None] | None
) -> Iterator[Mapping[str, int]]:
    if processes <= 1:
        for text in texts:
            yield count_block(text, plan)
        return
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=_begun, initargs=(begin,)) as pool:
        waiting: deque[Future[dict[str, int]]] = deque()
        try:
            for text in texts:
                waiting.append(pool.submit(count_block, text, plan))
                if len(waiting) >= processes * BLOCKS_WAITING:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _begun(begin: Callable[[], None] | None) -> None:
    """Ignore Ctrl+C, which a terminal sends to all processes: the one that started these stops them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if begin is not None:
        begin()

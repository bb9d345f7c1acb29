"""How often each pre-token of a corpus occurs, by one or several processes, without a slice that is held out."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from time import monotonic

from webapp.core.text.split_patterns import PatternTimeoutError
from webapp.core.training.corpus import CHUNK, CorpusError, CorpusFile, Opened, blocks, open_local
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.progress import Progress, Report
from webapp.core.training.recipe import counting_recipe

HELD_OUT = 200_000  # characters at most
HELD_OUT_SHARE = 20  # and at most every twentieth character
SECONDS_BETWEEN_REPORTS = 0.2
BLOCKS_WAITING = 2  # for each process, so that none waits and few are in memory


class TrainingError(ValueError):
    """A training that cannot go on.

    `code` is one of: `empty` (nothing to count), `too_small` (possible: pieces), `alphabet` (needed, size: pieces),
    `slow_pattern`.
    """

    def __init__(self, code: str, **details: object) -> None:
        super().__init__(f"{code}: {details}" if details else code)
        self.code = code
        self.details = details


@dataclass(frozen=True)
class CountedCorpus:
    """The pre-tokens of a corpus and their counts, in canonical order, and the text that was held out.

    `characters` and `bytes` (as UTF-8) are those of the whole text, `sha256` is its checksum.
    """

    counts: dict[str, int]
    held_out: str
    characters: int
    bytes: int
    sha256: str


def count_words(
    files: Sequence[CorpusFile],
    plan: TrainingPlan,
    report: Report,
    *,
    processes: int = 1,
    checkpoint: Path | None = None,
    opened: Opened = open_local,
    most_bytes: int | None = None,
) -> CountedCorpus:
    """Count the pre-tokens of a corpus.

    The result is the same for any number of processes. Raises CorpusError, and TrainingError with the code
    `slow_pattern` for a pattern of one's own that times out.
    """
    total = sum(map(_stored_bytes, files))
    most_held_out = held_out_of_a_block(files)
    counts: dict[str, int] = {}
    held_out: list[str] = []
    digest = sha256()
    characters = size = 0
    reported = 0.0

    def texts() -> Iterator[str]:
        nonlocal characters, size, reported
        for block in blocks(files, opened, most_bytes):
            content = block.text.encode()
            digest.update(content)
            size += len(content)
            characters += len(block.text)
            text, kept = hold_out(block.text, most_held_out)
            held_out.append(kept)
            yield text
            if monotonic() - reported >= SECONDS_BETWEEN_REPORTS:
                reported = monotonic()
                report(Progress("count", block.bytes_read, max(total, block.bytes_read)))

    report(Progress("count", 0, total))
    try:
        for found in _counted(texts(), plan, processes):
            add(counts, found)
    except PatternTimeoutError:
        raise TrainingError("slow_pattern") from None
    if not counts:
        raise CorpusError("empty")
    report(Progress("count", total, total))
    return CountedCorpus(canonical(counts), "".join(held_out)[:HELD_OUT], characters, size, digest.hexdigest())


def count_block(text: str, plan: TrainingPlan) -> dict[str, int]:
    """Return how often each pre-token of a block occurs; longer ones than the plan's `longest_word` are cut.

    Without a split pattern, each line is a pre-token.

    >>> count_block("low lower low low", TrainingPlan())
    {'low': 1, ' lower': 1, ' low': 2}
    """
    recipe = counting_recipe(plan)
    if plan.split == "none":
        counts: dict[str, int] = {}
        for line in text.splitlines(keepends=True):
            add(counts, recipe.count(line))
    else:
        counts = recipe.count(text)
    longest = plan.longest_word
    if any(len(word) > longest for word in counts):
        cut: dict[str, int] = {}
        for word, count in counts.items():
            for start in range(0, len(word), longest):
                part = word[start : start + longest]
                cut[part] = cut.get(part, 0) + count
        counts = cut
    return counts


def canonical(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts in an order that does not depend on who counted: falling counts, then code points.

    >>> canonical({"b": 1, "a": 1, "c": 2})
    {'c': 2, 'a': 1, 'b': 1}
    """
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    """Add counts to counts."""
    for word, count in more.items():
        counts[word] = counts.get(word, 0) + count


def hold_out(text: str, most: int) -> tuple[str, str]:
    """Return a block without its end, and its end of at most `most` characters, at most a twentieth, to be held out.

    >>> hold_out("a line\\n" * 40, 10)
    ('a line\\na line\\na line\\n...', 'a line\\n')
    """
    start = len(text) - min(most, len(text) // HELD_OUT_SHARE)
    line = text.find("\n", start, len(text) - 1) + 1
    if not line:
        line = text.find(" ", start)
        line = start if line < 0 else line
    return text[:line], text[line:]


def held_out_of_a_block(files: Iterable[CorpusFile]) -> int:
    """Return how many characters of each block are held out, so that the slice is spread over the corpus."""
    expected = sum(_stored_bytes(file) * (4 if file.compression else 1) for file in files) // CHUNK + 1
    return max(HELD_OUT // expected, 1)


def _stored_bytes(file: CorpusFile) -> int:
    try:
        return os.path.getsize(file.path)
    except OSError:
        return 0


def _counted(texts: Iterator[str], plan: TrainingPlan, processes: int) -> Iterator[Mapping[str, int]]:
    if processes <= 1:
        for text in texts:
            yield count_block(text, plan)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
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

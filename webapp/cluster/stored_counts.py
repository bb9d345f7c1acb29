"""The counts of a corpus on disk, in the order of `counted_corpus.canonical`, where a dict of them takes gigabytes."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from webapp.cluster import runs
from webapp.cluster.runs import Pair

FREQUENT = 64  # occurrences; words with as many are few, and stay in memory


class StoredCounts:
    """Counts to be read from the first word to the last: `webapp.core.trainers.word_counts.WordCounts`.

    Words that are not frequent are in runs of a folder, one for each count, with one chunk of each in memory.
    """

    def __init__(self, pairs: Iterable[Pair], folder: Path) -> None:
        """Store pairs, which are sorted by word."""
        self._folder = folder
        self._frequent: list[Pair] = []
        self._size = 0
        waiting: list[list[Pair]] = [[] for _ in range(FREQUENT)]
        with ExitStack() as stack:
            files = [stack.enter_context(self._path(count).open("wb")) for count in range(FREQUENT)]
            for pair in pairs:
                self._size += 1
                count = pair[1]
                if count >= FREQUENT:
                    self._frequent.append(pair)
                    continue
                same = waiting[count]
                same.append(pair)
                if len(same) == runs.CHUNK:
                    runs.write(same, files[count])
                    same.clear()
            for same, file in zip(waiting, files, strict=True):
                runs.write(same, file)
        self._frequent.sort(key=lambda pair: -pair[1])  # stable: words with equal counts stay in order

    def _path(self, count: int) -> Path:
        return self._folder / f"{count:02}.count"

    def items(self) -> Iterator[tuple[str, int]]:
        """Yield the words and counts, most frequent first."""
        for word, count in self._encoded():
            yield word.decode("utf-8", "surrogatepass"), count

    def _encoded(self) -> Iterator[Pair]:
        yield from self._frequent
        for count in reversed(range(FREQUENT)):
            with self._path(count).open("rb") as file:
                yield from runs.read(file)

    def values(self) -> Iterator[int]:
        """Yield the counts, in the order of the words."""
        return (count for _, count in self._encoded())

    def __iter__(self) -> Iterator[str]:
        return (word for word, _ in self.items())

    def __len__(self) -> int:
        return self._size

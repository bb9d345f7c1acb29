"""Cuts a text where no word of the dictionary reaches across, and looks the spans between the cuts up.

- Exploits: between neighbouring characters of Chinese text no word reaches across at two of three places, so the spans
  between are short and return: 5 MB of novels have 1.2 million, of which 69,000 differ.
- Invariant: every path through the word graph passes every cut, so the best path of a span does not depend on what
  stands around it, except where two paths are so close that rounding decides: those spans are computed in their block.
- Proved by: `MaximumProbability.plain_words`, and jieba itself, in `test_the_words_equal_those_of_jieba` and
  `test_other_dictionaries_give_the_same_words_in_jieba`.
- Bought: with `word_hashes`, which finds the words, on 5 MB of novels and with the HMM, jieba's time divided by ours is
  3.6 in precise mode and 2.7 in search mode from empty caches, 7.7 and 6.3 with full ones. Without the HMM it is 2.4
  and 1.9, 4.6 and 3.7.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, compress, count, pairwise, repeat
from math import log
from typing import TYPE_CHECKING, Any

from webapp.core.models.fast.cache import Cache
from webapp.core.models.word_graph import CLASS

if TYPE_CHECKING:
    from webapp.core.models.fast.word_hashes import HashedText, WordHashes
    from webapp.core.models.maximum_probability import MaximumProbability, Mode

CHUNK = 1 << 16
"""Characters that are cut at once: the lists of a chunk stay in the CPU cache."""
LONGEST = 64
"""Characters of a span that is looked up; a longer one is computed in its block."""
LONGEST_HASHED = 8
"""Characters of a word that is found by its hash; where a longer one may begin, its lengths are tried one by one."""
MARGIN = 1e-6
"""Log-probabilities that are closer than this may be ordered by rounding. Each sum of a block is rounded to its 16th
digit; up to 10⁷ characters and over 64 characters of a span that stays below 10⁻⁶."""

_INSIDE = re.compile(f"[{CLASS}]+")
_BEGINNING = re.compile(f"(?<=[^{CLASS}])(?=[{CLASS}])")
_KINDS = {
    **{chr(code): "1" for code in range(0x4E00, 0x9FD6)},
    **dict.fromkeys("+#&._%-", "1"),
    **dict.fromkeys("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "e"),
}
_HMM_RUN = re.compile("[1e]{2,}")
_LATIN = re.compile("[a-zA-Z0-9]{2}")
_LATIN_RUN = re.compile("e{2,}")


class CertainCuts:
    """The words of a `MaximumProbability` model for long texts; its tables are built on first use."""

    def __init__(self, model: MaximumProbability) -> None:
        self._model = model
        graph = model.graph
        self._id_of, self._lengths_of = graph.id_of, graph.lengths_of
        self._frequencies: Sequence[int] = _ONES if graph.frequencies is None else graph.frequencies
        self._log_total = graph.log_total
        self._spans: Cache[tuple[str, ...] | None] = Cache(self._best)
        self._runs = Cache(model.run_words)
        self._searched = Cache(model.searched)
        self._others = Cache(lambda text: tuple(model.full_words(text)))
        self._tables: tuple[WordHashes, ...] = ()

    def words(self, text: str, mode: Mode) -> list[str]:
        """The words of a text in a mode, as `MaximumProbability.words`."""
        if not self._tables:
            # numpy takes a tenth of a second to import, which short texts must not wait for.
            from webapp.core.models.fast.word_hashes import tables_of

            self._tables = tables_of(self._model.dictionary)
        words: list[str] = []
        for chunk in _chunks(text) if text else ():
            if mode == "full":
                words += self._hashed(chunk).every_word(
                    self._model.dictionary.ids.__contains__, self._others.__getitem__
                )
            else:
                words += self._chunk(chunk)
        if mode == "search":
            return self._search_words(words)
        return words

    def _search_words(self, words: list[str]) -> list[str]:
        """The words with the shorter ones inside them before each; only those of three characters or more have any."""
        found: list[str] = []
        last = 0
        searched = self._searched
        for at in compress(count(), map((2).__lt__, map(len, words))):
            found += words[last:at]
            found += searched[words[at]]
            last = at + 1
        found += words[last:]
        return found

    def _chunk(self, text: str) -> list[str]:
        spans = self._hashed(text).spans()
        found = list(map(self._spans.__getitem__, spans))
        if None in found:
            self._fill(text, spans, found)
        words = list(chain.from_iterable(found))  # type: ignore[arg-type]
        if self._model.hmm is None and not _LATIN.search(text):
            return words
        kinds = "".join(map(_KINDS.get, words, repeat("2")))
        joined: list[str] = []
        last = 0
        runs = self._runs
        for run in (_LATIN_RUN if self._model.hmm is None else _HMM_RUN).finditer(kinds):
            start, end = run.span()
            joined += words[last:start]
            joined += runs["".join(words[start:end])]
            last = end
        joined += words[last:]
        return joined

    def _hashed(self, text: str) -> HashedText:
        from webapp.core.models.fast.word_hashes import HashedText

        return HashedText(text, self._tables, self._longer)

    def _longer(self, text: str, start: int) -> list[int]:
        """The ends of the words above `LONGEST_HASHED` characters that start at a place, the shortest first."""
        id_of, inside = self._id_of, _INSIDE.fullmatch
        found = []
        for length in reversed(self._lengths_of(text[start : start + 2], ())):
            word = text[start : start + length]
            if length > LONGEST_HASHED and len(word) == length and id_of(word) is not None and inside(word):
                found.append(start + length)
        return found

    def _best(self, span: str) -> tuple[str, ...] | None:
        """The words of a span's best path; None if another path is about as good, or if the span is long."""
        length = len(span)
        if length == 1 or span == "\r\n":
            return (span,)
        if length > LONGEST:
            return None
        id_of, lengths_of, frequencies, log_total = self._id_of, self._lengths_of, self._frequencies, self._log_total
        id = id_of(span[-1])
        last = log(frequencies[id] or 1) - log_total if id is not None else 0.0 - log_total
        if length == 2:
            whole, id = id_of(span), id_of(span[0])
            if whole is None:
                return (span[0], span[1])
            if id is None:
                return (span,)
            more = log(frequencies[whole] or 1) - (log(frequencies[id] or 1) + last)
            return None if -MARGIN < more < MARGIN else (span,) if more > 0.0 else (span[0], span[1])
        scores, ends = [0.0] * (length + 1), [length] * length
        scores[length - 1] = last
        for start in range(length - 2, -1, -1):
            id = id_of(span[start])
            if id is None:
                best, best_end, second = _NONE, 0, _NONE
            else:
                best, best_end, second = log(frequencies[id] or 1) - log_total + scores[start + 1], start + 1, _NONE
            for word_length in lengths_of(span[start : start + 2], ()):
                end = start + word_length
                if end > length:
                    continue
                id = id_of(span[start:end])
                if id is None:
                    continue
                score = log(frequencies[id] or 1) - log_total + scores[end]
                if score > best:
                    best, best_end, second = score, end, best
                elif score > second:
                    second = score
            if not best_end:
                best, best_end = scores[start + 1] - log_total, start + 1
            elif best - second < MARGIN:
                return None
            scores[start], ends[start] = best, best_end
        words = []
        at = 0
        while at < length:
            words.append(span[at : ends[at]])
            at = ends[at]
        return tuple(words)

    def _fill(self, text: str, spans: Sequence[str], found: list[tuple[str, ...] | None]) -> None:
        """Compute the spans that `_best` leaves open in their blocks, each block once."""
        starts = [0, *accumulate(map(len, spans))]
        blocks = _INSIDE.finditer(text)
        block_end = 0
        path: list[int] = []
        for at in (at for at, words in enumerate(found) if words is None):
            start, end = starts[at], starts[at + 1]
            while block_end <= start:
                block = next(blocks)
                block_end = block.end()
                if block_end > start:
                    path = [block.start(), *(block.start() + each for each in self._model.graph.path(block[0]))]
            ends = path[bisect_left(path, start) : bisect_left(path, end) + 1]
            found[at] = tuple(text[left:right] for left, right in pairwise(ends))


class _Ones(Sequence[int]):
    """The frequency of each word of a list without frequencies."""

    def __getitem__(self, at: Any) -> Any:
        return 1

    def __len__(self) -> int:
        return sys.maxsize


_ONES = _Ones()
_NONE = -1e300


def _chunks(text: str) -> Iterator[str]:
    """Parts of a text that begin with a block."""
    start = 0
    while len(text) - start > CHUNK:
        beginning = _BEGINNING.search(text, start + CHUNK)
        if beginning is None:
            break
        yield text[start : beginning.start()]
        start = beginning.start()
    yield text[start:]

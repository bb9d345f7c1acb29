"""Finds the words of a dictionary in a long text by hashes, all positions at once.

- Exploits: numpy looks a million hashes up in the time in which Python looks up fifty thousand strings; and after two
  characters most positions begin no word, so the arrays shrink quickly from length to length.
- Invariant: every word of the dictionary in the text is found. Two strings with one hash may add what is no word, so
  cuts only fall away and what full mode lists is looked up in the dictionary.
- Proved by: `MaximumProbability.plain_words`, and jieba itself, in `test_the_words_equal_those_of_jieba`,
  `test_other_dictionaries_give_the_same_words_in_jieba` and, with hashes that are all equal, in `test_word_hashes`.
- Bought: 3 times in full mode on 5 MB of novels, from empty caches, over a lookup of every two characters in a `dict`.
  The tables of jieba's dictionary take 13 MB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.dictionary_edits import EditedDictionary
from webapp.core.models.fast.certain_cuts import LONGEST_HASHED

Numbers = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint32]

# What a hash stands for: a word, the beginning of longer words, that of words above `LONGEST_HASHED`, several strings.
_WORD, _MORE, _LONG, _SEVERAL = 1, 2, 4, 8
_FACTOR = np.uint32(0x9E3779B1)
_SIXTEEN = np.uint32(16)
# The kind of each character: outside of blocks, Han or a sign, Latin.
_OUTSIDE, _HAN, _LATIN = 0, 1, 2
_KINDS = np.zeros(0x10000, np.uint8)
_KINDS[0x4E00:0x9FD6] = _HAN
_KINDS[[ord(each) for each in "+#&._%-"]] = _HAN
_KINDS[[ord(each) for each in "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]] = _LATIN


class WordHashes:
    """The beginnings of up to `LONGEST_HASHED` characters of words, by hash; 3 bytes a place, 8 to 16 places each."""

    def __init__(self, words: Iterable[str], places: int | None = None) -> None:
        """Words with characters that are in no block are left out. `places`, a power of two, is for tests."""
        words = [word for word in words if len(word) > 1]
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        codes = codes_of("".join(words))
        starts = np.cumsum(lengths) - lengths
        if len(words):
            inside = np.minimum.reduceat(_KINDS[codes], starts) != _OUTSIDE
            starts, lengths = starts[inside], lengths[inside]
        found: list[tuple[Codes, npt.NDArray[np.uint8]]] = []
        hashes: Codes = np.zeros(0, np.uint32)
        for length in range(2, LONGEST_HASHED + 1):
            left = lengths >= length
            starts, lengths = starts[left], lengths[left]
            if length == 2:
                hashes = _pair_hashes(codes[starts], codes[starts + 1])
            else:
                hashes = _next_hashes(hashes[left], codes[starts + (length - 1)])
            more = _MORE if length < LONGEST_HASHED else _LONG
            found += [(np.unique(hashes[lengths == length]), np.array([_WORD], np.uint8))]
            found += [(np.unique(hashes[lengths > length]), np.array([more], np.uint8))]
        together = np.unique(np.concatenate([each for each, _kind in found]))
        if places is None:
            places = 1 << max(8 * len(together), 1 << 8).bit_length()
        self._shift = np.uint32(33 - places.bit_length())
        self._kinds = np.zeros(places, np.uint8)
        self._checks = np.zeros(places, np.uint16)
        for each, kind in found:
            self._kinds[each >> self._shift] |= kind
        self._checks[together >> self._shift] = together.astype(np.uint16)
        self._kinds[(together >> self._shift)[1:][np.diff(together >> self._shift) == 0]] |= _SEVERAL

    @property
    def bytes(self) -> int:
        """The memory that the tables take."""
        return self._kinds.nbytes + self._checks.nbytes

    def occurrences(self, codes: Codes, inside: npt.NDArray[np.bool_]) -> list[tuple[int, Numbers]]:
        """For each length where words of it start, ascending; the last entry, of length 0, is where to look for more.

        `inside` says which characters are in blocks; no word has others.
        """
        found: list[tuple[int, Numbers]] = []
        hashes = _pair_hashes(codes[:-1], codes[1:])
        kinds = self._kinds[hashes >> self._shift]
        starts = np.flatnonzero(kinds)
        hashes, kinds = hashes[starts], kinds[starts]
        for length in range(2, LONGEST_HASHED + 1):
            if length > 2:
                going = (kinds & _MORE != 0) & (starts + length <= len(codes))
                starts, hashes = starts[going], hashes[going]
                if not len(starts):
                    return [*found, (0, starts)]
                hashes = _next_hashes(hashes, codes[starts + (length - 1)])
                kinds = self._kinds[hashes >> self._shift]
            same = (self._checks[hashes >> self._shift] == hashes.astype(np.uint16)) | (kinds & _SEVERAL != 0)
            same &= inside[starts + (length - 1)]
            if length == 2:
                same &= inside[starts]
            starts, hashes, kinds = starts[same], hashes[same], kinds[same]
            found.append((length, starts[kinds & _WORD != 0]))
        return [*found, (0, starts[kinds & _LONG != 0])]


class HashedText:
    """A text with the words that occur in it."""

    def __init__(self, text: str, tables: Sequence[WordHashes], longer: Callable[[str, int], list[int]]) -> None:
        """`longer` has the ends of the words above `LONGEST_HASHED` characters that start at a place."""
        self._text = text
        codes = codes_of(text)
        self._kinds = _KINDS[codes]
        several = [table.occurrences(codes, self._kinds != _OUTSIDE) for table in tables]
        self._starts: dict[int, Numbers] = {}
        for length, starts in chain.from_iterable(several):
            before = self._starts.get(length)
            self._starts[length] = starts if before is None else np.union1d(before, starts)
        self._longer = {}
        for start in self._starts.pop(0).tolist():
            ends = longer(text, start)
            if ends:
                self._longer[start] = ends
        crossed = np.zeros(len(text), np.bool_)
        for length, starts in self._starts.items():
            for place in range(length - 1):
                crossed[starts + place] = True
        for start, ends in self._longer.items():
            crossed[start : max(ends) - 1] = True
        if "\r\n" in text:
            crossed[:-1] |= (codes[:-1] == ord("\r")) & (codes[1:] == ord("\n"))
        crossed[-1] = False
        self._ends: Numbers = np.flatnonzero(~crossed) + 1

    def spans(self) -> list[str]:
        """The parts of the text between the places that no word reaches across."""
        return _slices(self._text, np.concatenate([_ZERO, self._ends[:-1]]), self._ends)

    def every_word(self, known: Callable[[str], bool], others: Callable[[str], Sequence[str]]) -> list[str]:
        """The words of full mode; parts with Latin letters, digits or characters outside of blocks are for `others`."""
        count = len(self._text)
        # The number of the span of each character, and which spans are for `others`.
        numbers = np.zeros(count, np.int64)
        numbers[self._ends[:-1]] = 1
        numbers = np.cumsum(numbers)
        plain = np.ones(len(self._ends), np.bool_)
        plain[numbers[self._kinds != _HAN]] = False
        here = plain[numbers]
        found = []
        for length, starts in sorted([*self._starts.items(), *self._longest()]):
            starts = starts[here[starts]]
            right = np.fromiter(map(known, _slices(self._text, starts, starts + length)), np.bool_, len(starts))
            found.append((length, starts if right.all() else starts[right]))
        # A single character is listed where no word begins, unless the last word that began before it covers it.
        farthest = np.zeros(count, np.int64)
        for length, starts in found:
            farthest[starts] = starts + length
        last = np.maximum.accumulate(np.where(farthest, np.arange(count), -1))
        covered = np.where(last >= 0, farthest[last], 0)
        found.append((1, np.flatnonzero(here & (farthest == 0) & (covered <= np.arange(count)))))
        # Parts for `others`: from the first to the last of spans in a row.
        changes = np.flatnonzero(np.diff(np.concatenate([[False], ~here, [False]]).view(np.int8)))
        left, right_ends = changes[::2], changes[1::2]
        found.append((0, left))
        # Each word in its place: by start, and of one start the shortest first.
        places = np.zeros(count + 1, np.int64)
        for _length, starts in found:
            places[starts + 1] += 1
        places = np.cumsum(places)
        total = int(places[-1])
        begins, ends = np.zeros(total, np.int64), np.zeros(total, np.int64)
        for length, starts in found:
            at = places[starts]
            begins[at], ends[at] = starts, (starts + length if length else right_ends)
            places[starts] += 1
        words = _slices(self._text, begins, ends)
        if not len(left):
            return words
        listed: list[str] = []
        done = 0
        for at in (places[left] - 1).tolist():
            listed += words[done:at]
            listed += others(words[at])
            done = at + 1
        listed += words[done:]
        return listed

    def _longest(self) -> list[tuple[int, Numbers]]:
        starts: dict[int, list[int]] = {}
        for start, ends in self._longer.items():
            for end in ends:
                starts.setdefault(end - start, []).append(start)
        return [(length, np.array(each)) for length, each in starts.items()]


_ZERO = np.zeros(1, np.int64)


def codes_of(text: str) -> Codes:
    """The code points of a text; those above U+FFFF, which are in no block, as U+FFFF.

    >>> codes_of("ab").tolist()
    [97, 98]
    """
    return np.minimum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32), np.uint32(0xFFFF))


def _pair_hashes(first: Codes, second: Codes) -> Codes:
    return ((first << _SIXTEEN) | second) * _FACTOR


def _next_hashes(hashes: Codes, codes: Codes) -> Codes:
    return (hashes + codes) * _FACTOR


def _slices(text: str, starts: Numbers, ends: Numbers) -> list[str]:
    return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=False)]


def tables_of(dictionary: Dictionary) -> tuple[WordHashes, ...]:
    """The tables of a dictionary; one with changes shares those of its base, and its new words have a table."""
    if isinstance(dictionary, EditedDictionary):
        base = dictionary.base
        return (*tables_of(base), WordHashes(dictionary.added)) if dictionary.added else tables_of(base)
    found = _tables.get(dictionary)
    if found is None:
        found = _tables[dictionary] = WordHashes(dictionary.words)
    return (found,)


_tables: WeakKeyDictionary[Dictionary, WordHashes] = WeakKeyDictionary()

"""Finds the long pieces of a Unigram vocabulary in a text in one pass.

Short pieces are found by trying each length; for pieces of thousands of characters that takes time quadratic in their
length at every position. An automaton (Aho and Corasick 1975, "Efficient String Matching: An Aid to Bibliographic
Search") reads each character once and returns only the pieces that end there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from webapp.core.vocabulary_error import VocabularyError, shown

# In characters; longer pieces are long. The first limit that keeps the automaton small enough applies. The vocabularies
# of T5, mT5, XLM-R and ALBERT have no piece above 16, which is the default of SentencePiece's trainer.
LIMITS = (16, 32)
# Of all long pieces. The automaton has at most one state for each character, at about 250 bytes.
MOST_CHARACTERS = 500_000
# How many pieces may end at one position, including one for each short length. A megabyte of one letter then takes 6 to
# 8 s.
MOST_NESTED = 80

_CODE_BITS = 21  # of a character

Ends = tuple[tuple[int, float], ...]
"""The lengths and scores of the pieces that end at a position, longest first."""


class LongPieces:
    """The pieces of more than `limit` characters.

    >>> pieces = LongPieces({"a": -1.0, "ab" * 10: -2.0, "b" + "ab" * 9: -3.0})
    >>> pieces.limit, bool(pieces), pieces.ends("ab" * 9)
    (16, True, None)
    >>> [(end, found) for end, found in enumerate(pieces.ends("ab" * 10)) if found]
    [(20, ((20, -2.0), (19, -3.0)))]
    """

    def __init__(self, score_of: Mapping[str, float]) -> None:
        """Raises VocabularyError if long pieces have too many characters, or too many are suffixes of one another."""
        self.longest = max(map(len, score_of), default=0)
        self.limit = LIMITS[0]
        long = [piece for piece in score_of if len(piece) > self.limit] if self.longest > self.limit else []
        for self.limit in LIMITS:
            long = [piece for piece in long if len(piece) > self.limit]
            characters = sum(map(len, long))
            if characters <= MOST_CHARACTERS:
                break
        else:
            raise VocabularyError(
                "the pieces of more than %(limit)s characters have %(count)s characters together; at most %(most)s are "
                "allowed",
                limit=self.limit,
                count=f"{characters:,}",
                most=f"{MOST_CHARACTERS:,}",
            )
        self._following: dict[int, int] = {}
        self._fallback: list[int] = [0]
        self._ends: list[Ends] = [()]
        if long:
            self._build(long, score_of)

    def __bool__(self) -> bool:
        return bool(self._following)

    def short(self, pieces: Iterable[str]) -> Iterable[str]:
        """The pieces that are not long."""
        return (piece for piece in pieces if len(piece) <= self.limit) if self else pieces

    def ends(self, text: str) -> list[Ends] | None:
        """For each position from 0 to the end, the long pieces that end there; None if the text has none."""
        if not self._following or len(text) <= self.limit:
            return None
        found: list[Ends] | None = None
        following, fallback, ends = self._following.get, self._fallback, self._ends
        state = 0
        for end, code in enumerate(map(ord, text), start=1):
            next_state = following(state << _CODE_BITS | code)
            while next_state is None and state:
                state = fallback[state]
                next_state = following(state << _CODE_BITS | code)
            state = next_state or 0
            if ends[state]:
                if found is None:
                    found = [()] * (len(text) + 1)
                found[end] = ends[state]
        return found

    def lengths_by_start(self, text: str) -> Mapping[int, Sequence[int]]:
        """The lengths of the long pieces that start at each position, longest first.

        >>> LongPieces({"ab" * 10: -2.0, "ab" * 9: -3.0}).lengths_by_start("x" + "ab" * 10)
        {1: [20, 18], 3: [18]}
        """
        lengths: dict[int, list[int]] = {}
        for end, found in reversed(list(enumerate(self.ends(text) or ()))):
            for length, _ in found:
                lengths.setdefault(end - length, []).append(length)
        return dict(sorted(lengths.items()))

    def _build(self, pieces: Sequence[str], score_of: Mapping[str, float]) -> None:
        # The states by depth: (state it is reached from, character, state).
        levels: list[list[tuple[int, int, int]]] = []
        own: dict[int, str] = {}
        following = self._following
        for piece in pieces:
            state = 0
            for depth, code in enumerate(map(ord, piece)):
                key = state << _CODE_BITS | code
                reached = following.get(key)
                if reached is None:
                    reached = following[key] = len(self._fallback)
                    self._fallback.append(0)
                    if depth == len(levels):
                        levels.append([])
                    levels[depth].append((state, code, reached))
                state = reached
            own[state] = piece
        self._ends = [()] * len(self._fallback)
        for depth, level in enumerate(levels):
            for before, code, state in level:
                if depth:
                    self._fallback[state] = self._longest_ending(self._fallback[before], code)
                self._ends[state] = self._ends[self._fallback[state]]
                if state in own:
                    self._add_end(state, own[state], score_of[own[state]])

    def _longest_ending(self, state: int, code: int) -> int:
        following = self._following
        while (reached := following.get(state << _CODE_BITS | code)) is None and state:
            state = self._fallback[state]
        return reached or 0

    def _add_end(self, state: int, piece: str, score: float) -> None:
        shorter = self._ends[state]
        most = MOST_NESTED - self.limit
        if len(shorter) >= most:
            raise VocabularyError(
                "the piece %(piece)s ends with %(count)s other pieces of more than %(limit)s characters; at most "
                "%(most)s are allowed",
                piece=shown(piece),
                count=len(shorter),
                limit=self.limit,
                most=most - 1,
            )
        self._ends[state] = ((len(piece), score), *shorter)

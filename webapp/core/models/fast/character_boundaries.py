"""Where BPE over characters can never merge, so that long stretches fall into short ones that return."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import compress, islice, pairwise
from operator import add

from webapp.core.models.fast.cache import Cache
from webapp.core.text.character_classes import members

SPACE = "▁"
# Up to this many characters it costs less to merge a word whole than to look for places to cut it at.
SHORT = 8


class CharacterBoundaries:
    """Cuts in front of a known character that no piece which merges make holds behind the one before it.

    Known, because unknown characters may be fused with those before them.

    >>> cuts = CharacterBoundaries("▁ab研究生", ["▁a", "ab", "研究"])
    >>> cuts.words("▁ab▁▁ab研究"), cuts.cut("研究生研究生研究xx")
    (['▁ab', '▁▁ab', '研究'], ['研究', '生', '研究', '生', '研究xx'])
    >>> cuts.cut("研究生")  # up to `SHORT` characters are merged whole
    ['研究生']
    """

    def __init__(self, known: Collection[str], made: Iterable[str]) -> None:
        self._known = frozenset(known)
        self._joined = {left + right for piece in made for left, right in pairwise(piece)}
        self._between = Cache(lambda pair: pair not in self._joined and pair[1] in self._known)
        followers = {pair[1] for pair in self._joined}
        # Runs of `▁` may be pieces, but no piece has one in its midst.
        runs = SPACE in known and all(pair[0] == SPACE or pair[1] != SPACE for pair in self._joined)
        # Ranges above the Basic Multilingual Plane would make `re` slow.
        firsts = {character for character in self._known - followers if character <= "\uffff"} | set(SPACE * runs)
        following = f"[^{members(firsts)}]*+" if firsts else ".*+"
        self._word = re.compile(f"(?:{SPACE}+|.){following}" if runs else f".{following}", re.DOTALL)

    def words(self, text: str) -> list[str]:
        """The text cut in front of runs of `▁` and of characters that no piece holds behind another."""
        return self._word.findall(text)

    def cut(self, word: str) -> list[str]:
        """A word cut wherever it may be."""
        if len(word) <= SHORT:
            return [word]
        pairs = map(add, word, islice(word, 1, None))
        cuts = list(compress(range(1, len(word)), map(self._between.__getitem__, pairs)))
        return list(map(word.__getitem__, map(slice, [0, *cuts], [*cuts, len(word)])))

"""Where BPE over characters can never merge, so that long stretches fall into short ones that return."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import pairwise

SPACE = "▁"
# Up to this many characters it costs less to merge a word whole than to look for places to cut it at.
SHORT = 8


class CharacterCuts:
    """Cuts in front of a known character that no piece which merges make holds behind the one before it.

    Known, because unknown characters may be fused with those before them.

    >>> cuts = CharacterCuts("▁ab研究生", ["▁a", "ab", "研究"])
    >>> cuts.words("▁ab▁▁ab"), cuts.cut("研究生研究生研究xx")
    (['▁ab', '▁▁ab'], ['研究', '生', '研究', '生', '研究xx'])
    >>> cuts.cut("研究生")  # up to `SHORT` characters are merged whole
    ['研究生']
    """

    def __init__(self, known: Collection[str], made: Iterable[str]) -> None:
        made = [piece for piece in made if len(piece) > 1]
        self._known = frozenset(known)
        self._joined = {left + right for piece in made for left, right in pairwise(piece)}
        self._word: re.Pattern[str] | None = None
        if SPACE in known and all(pair[0] == SPACE or pair[1] != SPACE for pair in self._joined):
            self._word = re.compile(f"{SPACE}+[^{SPACE}]*+|[^{SPACE}]++")

    def words(self, text: str) -> list[str]:
        """The text cut in front of each run of `▁`, if that is allowed."""
        return [text] if self._word is None else self._word.findall(text)

    def cut(self, word: str) -> list[str]:
        """A word cut wherever it may be."""
        if len(word) <= SHORT:
            return [word]
        joined, known = self._joined, self._known
        cuts = [at for at in range(1, len(word)) if word[at - 1 : at + 1] not in joined and word[at] in known]
        return [word[start:end] for start, end in pairwise((0, *cuts, len(word)))]

"""Boundaries that BPE never merges across, over bytes and over characters.

- Exploits: text without spaces makes long pre-tokens that seldom return, and without a pre-tokenizer a whole text is
  one; the spans between these boundaries return.
- Invariant: every merge makes a piece, so no merge reaches across two characters that no piece holds side by side. Over
  characters, every symbol has to be spelt as it is called (`BPE._cuts` checks that).
- Proved by: `webapp.core.reference.bpe.encode` in `test_models_over_bytes_encode_as_the_reference` and
  `test_models_over_characters_encode_as_the_reference`, and `merge_loop.merge` of the whole pre-token in
  `test_ids_equal_those_of_the_whole_text`.
- Bought: over bytes 1.6 times (cl100k, 30,000 characters of Japanese), over characters 6 to 9 times (200 KB of English
  with mistral01), each with empty caches.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import compress, islice, pairwise
from operator import add

from webapp.core.cache import Cache
from webapp.core.text.unicode_tables import ranges_of

SPACE = "▁"
# Up to this many characters, merging a pre-token or a word whole takes less time than looking for boundaries.
SHORT, SHORT_WORD = 6, 8


class ByteBoundaries:
    """The boundaries in a pre-token that no piece crosses and that have a character above ASCII on one side.

    >>> boundaries = ByteBoundaries(["研究".encode(), "生".encode() + b"\\xe5", b"a", b"ab"])
    >>> boundaries.cut("研究研生命究ab")
    ['研究', '研', '生命', '究', 'ab']
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._joined: set[str] = set()
        self._before_part: set[str] = set()
        self._after_part: set[str] = set()
        self._leads: set[int] = set()
        self._between = Cache(self._is_between)
        for piece in pieces:
            if len(piece) > 1 and not piece.isascii():
                # Bytes that are only part of a character decode to lone surrogates.
                self._add(piece.decode("utf-8", errors="surrogateescape"))

    def cut(self, text: str) -> list[str]:
        """Split a text at the boundaries."""
        return _cut(text, self._between)

    def _is_between(self, pair: str) -> bool:
        """Whether there is a boundary between two characters."""
        return not (
            pair in self._joined
            or pair.isascii()
            or pair[0] in self._before_part
            or pair[1] in self._after_part
            or pair[1].encode()[0] in self._leads
        )

    def _add(self, piece: str) -> None:
        for left, right in pairwise(piece):
            if left < "\x80" > right:
                continue
            left_is_part, right_is_part = "\udc80" <= left <= "\udcff", "\udc80" <= right <= "\udcff"
            if not left_is_part and not right_is_part:
                self._joined.add(left + right)
            elif not right_is_part:
                self._after_part.add(right)
            elif not left_is_part:
                self._before_part.add(left)
            elif right >= "\udcc0":  # a character's first byte, after another's last
                self._leads.add(ord(right) - 0xDC00)


class CharacterBoundaries:
    """Splits before a known character, where no merged piece holds it after the character on its left.

    It has to be known, because unknown characters may be fused with those before them.

    >>> cuts = CharacterBoundaries("▁ab研究生", ["▁a", "ab", "研究"])
    >>> cuts.words("▁ab▁▁ab研究"), cuts.cut("研究生研究生研究xx")
    (['▁ab', '▁▁ab', '研究'], ['研究', '生', '研究', '生', '研究xx'])
    >>> cuts.cut("研究生")  # up to `SHORT_WORD` characters are merged whole
    ['研究生']
    """

    def __init__(self, known: Collection[str], made: Iterable[str]) -> None:
        self._known = frozenset(known)
        self._joined = {left + right for piece in made for left, right in pairwise(piece)}
        self._between = Cache(lambda pair: pair not in self._joined and pair[1] in self._known)
        followers = {pair[1] for pair in self._joined}
        # Runs of `▁` may be pieces, but no piece has `▁` after another character.
        runs = SPACE in known and all(pair[0] == SPACE or pair[1] != SPACE for pair in self._joined)
        # Ranges above the Basic Multilingual Plane would make `re` slow.
        firsts = {character for character in self._known - followers if character <= "\uffff"} | set(SPACE * runs)
        following = f"[^{ranges_of(firsts)}]*+" if firsts else ".*+"
        self._word = re.compile(f"(?:{SPACE}+|.){following}" if runs else f".{following}", re.DOTALL)

    def words(self, text: str) -> list[str]:
        """Split a text before runs of `▁`, and before characters that no piece holds after another one."""
        return self._word.findall(text)

    def cut(self, word: str) -> list[str]:
        """Split a word at all its boundaries."""
        return _cut(word, self._between) if len(word) > SHORT_WORD else [word]


def _cut(text: str, between: Mapping[str, bool]) -> list[str]:
    """Split a text between the pairs of characters for which `between` is true."""
    pairs = map(add, text, islice(text, 1, None))
    cuts = list(compress(range(1, len(text)), map(between.__getitem__, pairs)))
    return list(map(text.__getitem__, map(slice, [0, *cuts], [*cuts, len(text)])))

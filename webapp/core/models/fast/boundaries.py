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
from collections.abc import Collection, Container, Iterable, Mapping
from itertools import compress, islice, pairwise
from operator import add
from typing import NamedTuple

from webapp.core.cache import Cache
from webapp.core.text.unicode_tables import ranges_of

SPACE = "▁"
# Up to this many characters, merging a pre-token or a word whole takes less time than looking for boundaries.
SHORT, SHORT_WORD = 6, 8


class ByteNeighbours(NamedTuple):
    """What pieces hold side by side: pairs of characters, characters before or after a part of one, and first bytes of
    characters after other bytes of one."""

    joined: Container[str]
    before_part: Collection[str]
    after_part: Collection[str]
    leads: Collection[int]

    @classmethod
    def of(cls, pieces: Iterable[bytes]) -> "ByteNeighbours":
        """Return those of a vocabulary."""
        joined, before_part, after_part, leads = set[str](), set[str](), set[str](), set[int]()
        for piece in pieces:
            if len(piece) < 2 or piece.isascii():
                continue
            # Bytes that are only part of a character decode to lone surrogates.
            for left, right in pairwise(piece.decode("utf-8", errors="surrogateescape")):
                if left < "\x80" > right:
                    continue
                left_is_part, right_is_part = "\udc80" <= left <= "\udcff", "\udc80" <= right <= "\udcff"
                if not left_is_part and not right_is_part:
                    joined.add(left + right)
                elif not right_is_part:
                    after_part.add(right)
                elif not left_is_part:
                    before_part.add(left)
                elif right >= "\udcc0":  # a character's first byte, after another's last
                    leads.add(ord(right) - 0xDC00)
        return cls(joined, before_part, after_part, leads)


class ByteBoundaries:
    """The boundaries in a pre-token that no piece crosses and that have a character above ASCII on one side.

    >>> neighbours = ByteNeighbours.of(["研究".encode(), "生".encode() + b"\\xe5", b"a", b"ab"])
    >>> ByteBoundaries(neighbours).cut("研究研生命究ab")
    ['研究', '研', '生命', '究', 'ab']
    """

    def __init__(self, neighbours: ByteNeighbours) -> None:
        self.neighbours = neighbours
        self._between = Cache(self._is_between)

    def cut(self, text: str) -> list[str]:
        """Split a text at the boundaries."""
        return _cut(text, self._between)

    def _is_between(self, pair: str) -> bool:
        """Whether there is a boundary between two characters."""
        joined, before_part, after_part, leads = self.neighbours
        return not (
            pair in joined
            or pair.isascii()
            or pair[0] in before_part
            or pair[1] in after_part
            or pair[1].encode()[0] in leads
        )


class CharacterNeighbours(NamedTuple):
    """The known characters, the pairs that pieces hold side by side, and the regular expression of a word."""

    known: Container[str]
    joined: Container[str]
    word: str

    @classmethod
    def of(cls, known: Collection[str], made: Iterable[str]) -> "CharacterNeighbours":
        """Return those of a vocabulary, of which merges make some pieces."""
        joined = {left + right for piece in made for left, right in pairwise(piece)}
        followers = {pair[1] for pair in joined}
        # Runs of `▁` may be pieces, but no piece has `▁` after another character.
        runs = SPACE in known and all(pair[0] == SPACE or pair[1] != SPACE for pair in joined)
        # Ranges above the Basic Multilingual Plane would make `re` slow.
        firsts = {character for character in {*known} - followers if character <= "\uffff"} | set(SPACE * runs)
        following = f"[^{ranges_of(firsts)}]*+" if firsts else ".*+"
        return cls({*known}, joined, f"(?:{SPACE}+|.){following}" if runs else f".{following}")


class CharacterBoundaries:
    """Splits before a known character, where no merged piece holds it after the character on its left.

    It has to be known, because unknown characters may be fused with those before them.

    >>> cuts = CharacterBoundaries(CharacterNeighbours.of("▁ab研究生", ["▁a", "ab", "研究"]))
    >>> cuts.words("▁ab▁▁ab研究"), cuts.cut("研究生研究生研究xx")
    (['▁ab', '▁▁ab', '研究'], ['研究', '生', '研究', '生', '研究xx'])
    >>> cuts.cut("研究生")  # up to `SHORT_WORD` characters are merged whole
    ['研究生']
    """

    def __init__(self, neighbours: CharacterNeighbours) -> None:
        known, joined, word = self.neighbours = neighbours
        self._between = Cache(lambda pair: pair not in joined and pair[1] in known)
        self._word = re.compile(word, re.DOTALL)

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

"""The weights of a tagger's features, and the best tags of a sentence.

Each character gets one of four tags: it begins a word (B), is in the middle of one (M), ends one (E), or is a word by
itself (S). A tag's score at a character is the sum of the weights of the features there, by the templates of Ng and Low
2004, "Chinese Part-of-Speech Tagging: One-at-a-Time or All-at-Once?", section 2.1: the characters from two before to
two after (C-2 to C2), the pairs of neighbors among them (C-2C-1 to C1C2), the characters on both sides (C-1C1), and the
kinds of three characters (T-1T0T1). Each pair of tags has a weight too. The Viterbi algorithm finds the tags with the
highest sum. As textbooks teach it: `webapp.core.reference.tagger`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import add
from struct import unpack
from typing import Final

TAGS: Final = "BMES"
TRANSITIONS: Final = ("BM", "BE", "MM", "ME", "EB", "ES", "SB", "SS")
"""The pairs of tags that can follow each other."""
GROUPS: Final = (("C2", "C1", "C0", "C-1", "C-2"), ("C1C2", "C0C1", "C-1C0", "C-2C-1"), ("C-1C1",), ("T-1T0T1",))
"""The templates with the same values, each with the one first that looks furthest ahead."""
TEMPLATES: Final = tuple(template for group in GROUPS for template in reversed(group))
EDGE: Final = "\n"
"""Stands for what is before and after a sentence."""
HIGHEST: Final = 1 << 20
"""The highest absolute value of a weight; sums of eleven then fit in `_LANE` bits."""
SCALE: Final = 100
"""Weights are averages times this, rounded, so that a model file has small integers."""
LANE: Final = 32
"""The bits of a packed weight."""

Weights = Mapping[str, Mapping[str, Sequence[int]]]
"""For each template and each of its values the weights of B, M, E and S."""

_BLOCK = 4 * LANE
_LEAST = 1 << 28
_BIAS = sum(_LEAST << LANE * tag for tag in range(4))
_MASK = (1 << _BLOCK) - 1

_WIDE = re.compile("[０-９Ａ-Ｚａ-ｚ．％]")
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if _WIDE.match(chr(code))}


class _Kinds(dict[str, str]):
    """The kind of each character, which is computed once."""

    def __missing__(self, character: str) -> str:
        kind = "D" if character.isdecimal() else "P"
        if character.isalpha():
            kind = "L" if character < "\u2e80" else "C"
        self[character] = kind
        return kind


KINDS: Final[Mapping[str, str]] = _Kinds(
    {EDGE: EDGE, **dict.fromkeys("〇○零一二三四五六七八九十百千万亿两", "N"), **dict.fromkeys("年月日时分", "Y")}
)
"""D for digits, N for Chinese numerals, Y for units of time, L for letters, C for Chinese characters and kana, P for
punctuation and all others; `EDGE` for itself."""


def normalized(text: str) -> str:
    """The text whose features are taken, of the same length: full-width digits and Latin letters become half-width.

    >>> normalized("１９９８年Ｇｕｅｓｔ，")
    '1998年Guest，'
    """
    return text.translate(_HALF_WIDTH) if _WIDE.search(text) else text


class Features:
    """The values of the templates at each character of a normalized text, by group.

    >>> Features("我的书").at(1)
    (('\\n', '书', '的', '我', '\\n'), ('书\\n', '的书', '我的', '\\n我'), ('我书',), ('CCC',))
    """

    def __init__(self, text: str) -> None:
        self._padded = f"{EDGE}{EDGE}{text}{EDGE}{EDGE}"
        self._kinds = "".join(map(KINDS.__getitem__, self._padded))

    def at(self, position: int) -> tuple[tuple[str, ...], ...]:
        """The values in the order of `GROUPS`."""
        five = self._padded[position : position + 5]
        pairs = five[3:], five[2:4], five[1:3], five[:2]
        return tuple(five[::-1]), pairs, (five[1] + five[3],), (self._kinds[position + 1 : position + 4],)


class TagWeights:
    """Weights of features and transitions.

    The weights of all templates of a group are one integer for each value: `LANE` bits for each tag, four times as many
    for each template. Adding two such integers adds up to 20 weights, and shifting the sum goes on to the next
    character, so that Python takes 4 look-ups for the 11 features of a character. A bias, which is the same for each
    tag, keeps sums positive, so that no borrow reaches the next one. 1.0 µs per character, a sixth of the plain way.

    >>> weights = TagWeights({"C0": {"的": (0, 0, 0, 9)}, "C1": {"的": (-1, 0, 5, 0)}}, {"ES": 1})
    >>> weights.scores("我的"), weights.tags("我的"), weights.ends("我的")
    ([(-1, 0, 5, 0), (0, 0, 0, 9)], [3, 3], [1, 2])
    """

    def __init__(self, weights: Weights, transitions: Mapping[str, int]) -> None:
        self.groups: tuple[dict[str, int], ...] = tuple({} for _ in GROUPS)
        for group, packed in zip(GROUPS, self.groups, strict=True):
            for block, template in enumerate(group):
                for value, four in weights.get(template, {}).items():
                    packed[value] = packed.get(value, 0) + (pack(four) << _BLOCK * block)
        self.transitions = [transitions.get(pair, 0) for pair in TRANSITIONS]

    def items(self) -> Iterator[tuple[str, str, list[int]]]:
        """The template, the value and the weights of each feature that has any."""
        for group, packed in zip(GROUPS, self.groups, strict=True):
            for value, number in packed.items():
                weights = unpacked(number, 4 * len(group))
                for block, template in enumerate(group):
                    if any(four := weights[4 * block : 4 * block + 4]):
                        yield template, value, four

    def at(self, text: str, position: int) -> list[tuple[str, str, list[int]]]:
        """The template, the value and the weights of each feature at a character of a normalized text.

        >>> TagWeights({"C0": {"的": (0, 0, -2, 9)}}, {}).at("我的", 1)[1:3]
        [('C-1', '我', [0, 0, 0, 0]), ('C0', '的', [0, 0, -2, 9])]
        """
        found = []
        for group, packed, values in zip(GROUPS, self.groups, Features(text).at(position), strict=True):
            for block in reversed(range(len(group))):
                weights = unpacked(packed.get(values[block], 0), 4 * len(group))
                found.append((group[block], values[block], weights[4 * block : 4 * block + 4]))
        return found

    def scores(self, text: str) -> list[tuple[int, ...]]:
        """The scores of the four tags at each character of a normalized text, without transitions."""
        sums = [score - _LEAST for score in self._sums(text)]
        return list(zip(*(sums[tag::4] for tag in range(4)), strict=True))

    def ends(self, text: str, inside: Iterable[int] = ()) -> list[int]:
        """Where each word of a normalized, non-empty text ends; no word begins at a position of `inside`."""
        return [end for end, tag in enumerate(self.tags(text, inside), 1) if tag > 1]

    def tags(self, text: str, inside: Iterable[int] = ()) -> list[int]:
        """The number of the tag of each character of a normalized, non-empty text; no word begins `inside`."""
        sums = self._sums(text)
        for at in inside:
            sums[4 * at] = sums[4 * at + 3] = 0
        return best_tags(sums, self.transitions)

    def _sums(self, text: str) -> list[int]:
        """`_LEAST` more than the scores of B, M, E and S at the first character, the second, and so on."""
        of_character, of_pair, of_both_sides, of_kinds = (group.get for group in self.groups)
        padded = f"{EDGE}{EDGE}{text}{EDGE}{EDGE}"
        kinds = "".join(map(KINDS.__getitem__, padded))
        held = 0
        for at in range(4):  # what the characters up to the second one add to the first and to those after it
            held = (held + of_character(padded[at], 0) + of_pair(padded[at - 1 : at + 1], 0) + _BIAS) >> _BLOCK
        rows: list[bytes] = []
        for character, pair, both_sides, three in zip(
            padded[4:],
            map(add, padded[3:], padded[4:]),
            map(add, padded[1:], padded[3:]),
            map(add, map(add, kinds[1:], kinds[2:]), kinds[3:]),
            strict=False,
        ):
            held += of_character(character, 0) + of_pair(pair, 0) + of_both_sides(both_sides, 0) + of_kinds(three, 0)
            held += _BIAS
            rows.append((held & _MASK).to_bytes(_BLOCK // 8, "little"))
            held >>= _BLOCK
        return list(unpack(f"<{4 * len(text)}I", b"".join(rows)))


def best_tags(sums: Iterable[int], transitions: Sequence[int]) -> list[int]:
    """Return the tags with the highest sum, from the scores of B, M, E and S at each character, and `TRANSITIONS`.

    Of equal sums, read from the last character on, the tag that comes first in BMES wins.

    >>> best_tags([0, 0, 0, 1, 9, 0, 0, 2], [0] * 8)
    [3, 3]
    """
    bm, be, mm, me, eb, es, sb, ss = transitions
    each = iter(sums)
    b, _, _, s = next(each), next(each), next(each), next(each)
    m = e = -1 << 80
    # For each character the best tag before it, if its own is B, M, E, S: 0 to 3.
    arrows: list[tuple[int, int, int, int]] = []
    for in_b, in_m, in_e, in_s in zip(each, each, each, each, strict=True):
        best_b, from_b = (one, 2) if (one := e + eb) >= (other := s + sb) else (other, 3)
        best_m, from_m = (one, 0) if (one := b + bm) >= (other := m + mm) else (other, 1)
        best_e, from_e = (one, 0) if (one := b + be) >= (other := m + me) else (other, 1)
        best_s, from_s = (one, 2) if (one := e + es) >= (other := s + ss) else (other, 3)
        arrows.append((from_b, from_m, from_e, from_s))
        b, m, e, s = best_b + in_b, best_m + in_m, best_e + in_e, best_s + in_s
    tag = 2 if e >= s else 3
    tags = [tag]
    for arrow in reversed(arrows):
        tag = arrow[tag]
        tags.append(tag)
    tags.reverse()
    return tags


def pack(weights: Iterable[int]) -> int:
    """Several numbers as one integer, with `LANE` bits for each."""
    return sum(weight << LANE * place for place, weight in enumerate(weights))


def unpacked(packed: int, count: int) -> list[int]:
    """So many numbers of an integer that `pack` made, or of a sum of such integers.

    >>> unpacked(pack([1, -2, 0, -4]) + pack([0, 0, 3, 0]), 4)
    [1, -2, 3, -4]
    """
    half = 1 << (LANE - 1)
    packed += sum(half << LANE * place for place in range(count))
    return [(packed >> LANE * place & (2 * half - 1)) - half for place in range(count)]

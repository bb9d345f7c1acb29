"""SentencePiece's precompiled character map: rules that replace characters and sequences of characters.

The file holds a double-array trie over UTF-8 bytes (Aoe 1989, "An Efficient Digital Search Algorithm by Using a
Double-Array Structure", in the layout of darts-clone) and the replacements, each terminated by a zero byte.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property

from webapp.core.cache import Cache
from webapp.core.text.growth import MOST_NORMALIZED, check_growth
from webapp.core.text.unicode_tables import ranges_of
from webapp.core.vocabulary_error import VocabularyError

# The start and end of the replaced span, and its replacement.
Replacement = tuple[int, int, str]

# SentencePiece's own maps need about 45,000; only a broken trie takes more.
MOST_STEPS = 300_000
# SentencePiece considers the first 32 rules that match at a position.
MOST_RULES = 32
# In characters; longer rules never match. SentencePiece's own rules have at most 4.
LONGEST_RULE = 64

_LEAF = 1 << 31


class CharacterMapError(VocabularyError):
    """A malformed precompiled character map."""


@dataclass(frozen=True)
class RuleStarts:
    """The characters that rules consist of: single ones, first ones of longer rules, and those after the first."""

    single: frozenset[str] = frozenset()
    longer: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()


@dataclass
class CharacterMap:
    """Replacement rules; at each position the longest matching rule applies, and matching resumes after it.

    >>> character_map = CharacterMap.of({"ﬁ": "fi", "e\\u0301": "é", "\\n": " "})
    >>> character_map.normalize("ﬁance\\u0301e\\n")
    'fiancée '
    >>> list(character_map.replacements("ﬁance\\u0301e"))
    [(0, 1, 'fi'), (4, 6, 'é')]
    """

    starts: RuleStarts
    units: array[int] = field(default_factory=lambda: array("I"), repr=False)
    texts: bytes = field(default=b"", repr=False)
    rules: dict[str, str] | None = field(default=None, repr=False)

    @classmethod
    def read(cls, blob: bytes) -> CharacterMap:
        """Return the map in a file's `precompiled_charsmap`.

        Raises CharacterMapError if lengths do not match, if the trie has a cycle, an empty branch or a pointer outside
        itself, if a rule is not valid UTF-8, or if its replacement is missing.
        """
        size = int.from_bytes(blob[:4], "little")
        if size >= len(blob) - 4 or size < 1024 or size % 1024:
            raise CharacterMapError("the trie of the character map has the wrong length")
        units = array("I")
        units.frombytes(memoryview(blob)[4 : 4 + size])
        if sys.byteorder == "big":
            units.byteswap()
        texts = blob[4 + size :]
        if not texts.endswith(b"\0"):
            raise CharacterMapError("the replacements of the character map have no end")
        try:
            texts.decode()
        except UnicodeDecodeError:
            raise CharacterMapError("the replacements of the character map are not valid UTF-8") from None
        return cls(_starts(units, texts), units, texts)

    @classmethod
    def of(cls, rules: dict[str, str]) -> CharacterMap:
        """Return a map with the given rules."""
        return cls(
            RuleStarts(
                frozenset(rule for rule in rules if len(rule) == 1),
                frozenset(rule[0] for rule in rules if len(rule) > 1),
                frozenset(character for rule in rules for character in rule[1:]),
            ),
            rules=dict(rules),
        )

    def __post_init__(self) -> None:
        self._known = Cache(self._longest)

    def normalize(self, text: str) -> str:
        """Return the text with all rules applied."""
        return replaced(text, self.replacements(text))

    def replacements(self, text: str) -> Iterator[Replacement]:
        """Yield the replacements, from left to right."""
        return self._replacements(self._affected[_beyond_basic(text)], text, 0, len(text))

    def replacements_between(self, text: str, start: int, limit: int) -> Iterator[Replacement]:
        """Yield the replacements that begin from `start` up to `limit`; they may extend past `limit`."""
        return self._replacements(self._affected[True], text, start, limit)

    def _replacements(
        self, pattern: re.Pattern[str] | None, text: str, start: int, limit: int
    ) -> Iterator[Replacement]:
        if pattern is None:
            return
        longer = self.starts.longer
        for found in pattern.finditer(text, start, limit + 1):
            at, end = found.span()
            if end > limit and (reaching := pattern.match(text, limit)):
                end = reaching.end()
            if at > start and text[at - 1] in longer:
                at -= 1
            at = max(at, start)
            while at < end and at < limit:
                length, replacement = self._known[text[at : min(end, at + LONGEST_RULE)]]
                if length:
                    yield at, at + length, replacement
                at += length or 1
            start = at

    @cached_property
    def doubles_spaces(self) -> bool:
        """Whether a replacement contains two consecutive spaces."""
        return b"  " in self.texts or any("  " in replacement for replacement in (self.rules or {}).values())

    @cached_property
    def _affected(self) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
        """Patterns for spans that contain whole rules, except for the first character of a longer rule before them."""
        return _patterns(self.starts.single | self.starts.inner)

    def _longest(self, span: str) -> tuple[int, str]:
        """Return the length and the replacement of the longest rule at the beginning of a span; (0, "") if none."""
        if self.rules is not None:
            lengths = (length for length in range(len(span), 0, -1) if span[:length] in self.rules)
            length = next(lengths, 0)
            return (length, self.rules[span[:length]]) if length else (0, "")
        data = span.encode()
        position = matches = length = value = 0
        units, size = self.units, len(self.units)
        base = _offset(units[0])
        for at, byte in enumerate(data, start=1):
            position = base ^ byte
            if not byte or position >= size or units[position] & (_LEAF | 0xFF) != byte:
                break
            base = position ^ _offset(units[position])
            if units[position] & 0x100:
                length, value = at, units[base] & ~_LEAF
                matches += 1
                if matches == MOST_RULES:
                    break
        if not length:
            return 0, ""
        return len(data[:length].decode()), self.texts[value : self.texts.index(0, value)].decode()


def replaced(text: str, replacements: Iterable[Replacement]) -> str:
    """Return a text with spans replaced; raises GrowthError where it becomes too long."""
    pieces: list[str] = []
    position = added = 0
    for start, end, replacement in replacements:
        pieces += (text[position:start], replacement)
        added += len(replacement) - end + start
        if added > MOST_NORMALIZED - len(text):
            check_growth(len(text), len(text) + added)
        position = end
    return "".join((*pieces, text[position:])) if position else text


def _starts(units: array[int], texts: bytes) -> RuleStarts:
    """Walk the whole trie, visiting each unit once for each partial character that leads to it."""
    children = _children(units)
    _check_ends(units, children)
    single: set[str] = set()
    longer: set[str] = set()
    inner: set[str] = set()
    seen: set[tuple[int, bytes, str]] = set()
    # A node: its unit, the bytes of an incomplete character, and the first character of the rule. After a second
    # character the first one no longer matters.
    waiting: list[tuple[int, bytes, str]] = [(0, b"", "")]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if len(seen) > MOST_STEPS:
            raise CharacterMapError("the trie of the character map has too many nodes")
        position, begun, first = node
        base = position ^ _offset(units[position])
        following = children.get(base, ())
        if units[position] & 0x100:
            _check_leaf(units, base, texts)
            if begun or not position:
                raise CharacterMapError("a rule of the character map is not valid UTF-8")
            if len(first) == 1:
                single.add(first)
        elif not following:
            raise CharacterMapError("the trie of the character map has a branch without a replacement")
        if following and len(first) == 1 and not begun:
            longer.add(first)
            first = "…more"
        for label, child in following:
            character = begun + bytes([label])
            if len(character) < _length(character[0]):
                waiting.append((child, character, first))
                continue
            try:
                decoded = character.decode()
            except UnicodeDecodeError:
                raise CharacterMapError("a rule of the character map is not valid UTF-8") from None
            if first:
                inner.add(decoded)
            waiting.append((child, b"", first or decoded))
    return RuleStarts(frozenset(single), frozenset(longer), frozenset(inner))


def _children(units: array[int]) -> dict[int, list[tuple[int, int]]]:
    """Return for each base the bytes that may follow and the units they lead to."""
    children: dict[int, list[tuple[int, int]]] = {}
    for position, unit in enumerate(units):
        label = unit & (_LEAF | 0xFF)
        if 0 < label < 0x100:
            children.setdefault(position ^ label, []).append((label, position))
    return children


def _check_ends(units: array[int], children: Mapping[int, list[tuple[int, int]]]) -> None:
    """Raise CharacterMapError for a trie with a cycle; branches may share nodes."""
    parents: dict[int, int] = {0: 0}
    waiting = [0]
    while waiting:
        position = waiting.pop()
        for _, child in children.get(position ^ _offset(units[position]), ()):
            if child not in parents:
                parents[child] = 0
                waiting.append(child)
            parents[child] += 1
    ended = [0] if not parents[0] else []
    for position in ended:
        for _, child in children.get(position ^ _offset(units[position]), ()):
            parents[child] -= 1
            if not parents[child]:
                ended.append(child)
    if len(ended) < len(parents):
        raise CharacterMapError("the trie of the character map has a cycle")


def _check_leaf(units: array[int], position: int, texts: bytes) -> None:
    if position >= len(units) or not units[position] & _LEAF:
        raise CharacterMapError("the trie of the character map points outside itself")
    value = units[position] & ~_LEAF
    if value >= len(texts) or texts[value] & 0xC0 == 0x80:
        raise CharacterMapError("the trie of the character map refers to a missing replacement")


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


def _length(lead: int) -> int:
    """Return the length in bytes of a character with this first byte (1 for an invalid first byte)."""
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def _beyond_basic(text: str) -> bool:
    return not text.isascii() and len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text)


def _patterns(characters: Set[str]) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    """Return patterns for runs of these characters, for text in the Basic Multilingual Plane and for any text.

    The second alone would suffice, but ranges beyond the plane make it seven times slower.
    """
    return _any_of({character for character in characters if character <= "\uffff"}), _any_of(characters)


def _any_of(characters: Set[str]) -> re.Pattern[str] | None:
    """Return a pattern for runs of these characters; None if there are none."""
    return re.compile(f"[{ranges_of(characters)}]++") if characters else None

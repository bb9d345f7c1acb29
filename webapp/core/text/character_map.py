"""SentencePiece's precompiled character map: which characters, alone or together, are replaced by which others.

The file holds a double-array trie over UTF-8 bytes (Aoe 1989, "An Efficient Digital Search Algorithm by Using a
Double-Array Structure", in the layout of darts-clone) and the replacements, each ended by a zero byte.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property

from webapp.core.models.fast.cache import Cache
from webapp.core.text.character_classes import members
from webapp.core.vocabulary_error import VocabularyError

# The start and end of what is replaced, and the replacement.
Replacement = tuple[int, int, str]

# Far above what the maps of SentencePiece need, some 45,000; only a broken trie takes more.
MOST_STEPS = 300_000
# SentencePiece looks at the first 32 rules that fit at a place.
MOST_RULES = 32
# Characters; a longer rule is never looked for. SentencePiece's own have 4 at most.
LONGEST_RULE = 64

# So many replacements of one character each are quicker than looking at every character.
FEW = 16

_LEAF = 1 << 31


class CharacterMapError(VocabularyError):
    """A precompiled character map that is broken."""


_LINE_ENDS = frozenset("\t\n\f\r")
# What `str.split` cuts at, but for the space itself.
_WHITE = frozenset(chr(code) for code in range(0x3001) if chr(code).isspace()) - {" "}


@dataclass(frozen=True)
class RuleStarts:
    """With which characters rules begin (alone, or with more to follow), and which follow the first of a rule."""

    single: frozenset[str] = frozenset()
    longer: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()


@dataclass
class CharacterMap:
    """Rules from text to text; at each place the longest rule that fits is applied, then the text after it.

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
        """The map in a file's `precompiled_charsmap`.

        Raises CharacterMapError when lengths do not fit, the trie leads outside itself or to nothing, a rule is no
        UTF-8 or its replacement is not among the replacements.
        """
        size = int.from_bytes(blob[:4], "little")
        if size >= len(blob) - 4 or size < 1024 or size % 1024:
            raise CharacterMapError("the trie of the character map has the wrong length")
        units = array("I")
        units.frombytes(blob[4 : 4 + size])
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
        """A map with rules given by hand."""
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
        """The text with all rules applied."""
        return replaced(text, self.replacements(text))

    def replacements(self, text: str) -> Iterator[Replacement]:
        """What the rules replace, from left to right."""
        return self._replacements(self._affected[_beyond_basic(text)], text, 0, len(text))

    def replacements_between(self, text: str, start: int, limit: int) -> Iterator[Replacement]:
        """What they replace when the text before `start` is done, and none may begin at `limit` or behind it."""
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

    def normalize_long(self, text: str) -> str:
        """As `normalize`, but quicker for a long text in which few of the rules apply."""
        for space in self._spaces:
            text = text.replace(space, " ")
        # What is no ASCII, without going from character to character.
        present = self._busy.intersection(text.encode("utf-8", "replace").translate(None, self._idle).decode())
        applied = self._one_by_one(text, present)
        return self.normalize(text) if applied is None else applied

    def normalize_for_words(self, text: str) -> str | None:
        r"""As `normalize`, for a text that `str.split` is to cut at its spaces; line ends and tabs are left to it.

        None where white space that is no space would be in the text then, or where `normalize` has to be asked.

        >>> rules = {**dict.fromkeys("\t\n\f\r\v\x1c\x1d\x1e\x1f", " "), "ﬁ": "fi"}
        >>> CharacterMap.of(rules).normalize_for_words("a ﬁne\n day")
        'a fine\n day'
        >>> CharacterMap.of(rules).normalize_for_words("a\u3000day") is None
        True
        """
        if not self._leaves_spaces:
            return None
        # Every character that is no ASCII, and the ASCII that has rules.
        found = frozenset(text.encode("utf-8", "replace").translate(None, self._idle).decode())
        present = self._busy & found - _LINE_ENDS
        return self._one_by_one(text, present) if _WHITE & found <= self._busy else None

    def _one_by_one(self, text: str, present: Set[str]) -> str | None:
        """The text with the rules for these characters applied one after the other; None where that cannot be done."""
        if len(present) > FEW or not present <= self._alone.keys():
            return None
        for character in present:
            text = text.replace(character, self._alone[character])
        return text

    @cached_property
    def _leaves_spaces(self) -> bool:
        """Whether line ends become spaces, ASCII that `str.split` cuts at has rules, and nothing becomes the like."""
        rules = self._alone
        return (
            all(rules.get(character) == " " for character in _LINE_ENDS)
            and self._busy.issuperset(character for character in _WHITE if character < "\x80")
            and all(_WHITE.isdisjoint(replacement) for replacement in rules.values())
        )

    @cached_property
    def _busy(self) -> frozenset[str]:
        """The characters without which no rule applies."""
        return self.starts.single | self.starts.inner

    @cached_property
    def _alone(self) -> dict[str, str]:
        """The rules that can be applied one after the other to a whole text.

        Each is for one character with which no other rule has to do, and so are those that it is replaced by.
        """
        alone = self.starts.single - self.starts.longer - self.starts.inner
        concerned = self._busy | self.starts.longer
        rules = ((character, self._known[character][1]) for character in alone)
        return {character: replacement for character, replacement in rules if concerned.isdisjoint(replacement)}

    @cached_property
    def _spaces(self) -> list[str]:
        """Line breaks and tabs that become a space: the rules that apply in every text."""
        return [character for character in "\t\n\f\r" if self._alone.get(character) == " "]

    @cached_property
    def _idle(self) -> bytes:
        return bytes(code for code in range(0x80) if chr(code) not in self._busy)

    @cached_property
    def doubles_spaces(self) -> bool:
        """Whether a replacement holds two spaces one after the other."""
        return b"  " in self.texts or any("  " in replacement for replacement in (self.rules or {}).values())

    @cached_property
    def _affected(self) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
        """Stretches that no rule reaches out of, but for the character in front, which may begin one."""
        return _patterns(self.starts.single | self.starts.inner)

    def _longest(self, stretch: str) -> tuple[int, str]:
        """The rule at the beginning of a stretch."""
        if self.rules is not None:
            lengths = (length for length in range(len(stretch), 0, -1) if stretch[:length] in self.rules)
            length = next(lengths, 0)
            return (length, self.rules[stretch[:length]]) if length else (0, "")
        data = stretch.encode()
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
    """A text with stretches replaced."""
    pieces: list[str] = []
    position = 0
    for start, end, replacement in replacements:
        pieces += (text[position:start], replacement)
        position = end
    return "".join((*pieces, text[position:])) if position else text


def _starts(units: array[int], texts: bytes) -> RuleStarts:
    """Walk the whole trie, each unit once for each way its bytes may continue a character."""
    children = _children(units)
    _check_ends(units, children)
    single: set[str] = set()
    longer: set[str] = set()
    inner: set[str] = set()
    seen: set[tuple[int, bytes, str]] = set()
    # A node: its unit, the bytes of an unfinished character, and the first character while nothing follows it. Those
    # that have more than one character behind them need not know which.
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
    """For each base, the bytes that may follow and the units they lead to."""
    children: dict[int, list[tuple[int, int]]] = {}
    for position, unit in enumerate(units):
        label = unit & (_LEAF | 0xFF)
        if 0 < label < 0x100:
            children.setdefault(position ^ label, []).append((label, position))
    return children


def _check_ends(units: array[int], children: Mapping[int, list[tuple[int, int]]]) -> None:
    """Raises CharacterMapError for a trie that leads back into itself; that branches meet again is as it should be."""
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
    """How many bytes the character has that begins with a byte (1 for one that begins none)."""
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def _beyond_basic(text: str) -> bool:
    return not text.isascii() and len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text)


def _patterns(characters: Set[str]) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    """Runs of these characters in text of the Basic Multilingual Plane, and in any text.

    One pattern would do, but ranges beyond the plane make it seven times slower.
    """
    return _any_of({character for character in characters if character <= "\uffff"}), _any_of(characters)


def _any_of(characters: Set[str]) -> re.Pattern[str] | None:
    """Runs of any of these characters, as a pattern; None when there are none."""
    return re.compile(f"[{members(characters)}]++") if characters else None

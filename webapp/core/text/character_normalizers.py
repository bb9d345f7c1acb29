"""Normalizers of Hugging Face's `tokenizers` that remove or replace single characters."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain

import regex

from webapp.core.cache import Cache
from webapp.core.text.alignment import AlignedText, Change
from webapp.core.text.character_map import CharacterMap, RuleStarts
from webapp.core.text.growth import MOST_NORMALIZED, check_growth
from webapp.core.text.unicode_tables import COMBINING, WHITE_SPACE_CHARACTERS, ranges_of
from webapp.core.text.utf8 import bytes_to_characters


@dataclass(frozen=True)
class Strip:
    """Removes white space from the beginning and the end.

    >>> Strip().normalize(" low ")
    'low'
    """

    left: bool = True
    right: bool = True

    def normalize(self, text: str) -> str:
        """The text without white space around it."""
        start, end = self._range(text)
        return text[start:end]

    def align(self, aligned: AlignedText) -> AlignedText:
        """The text without white space around it, aligned."""
        start, end = self._range(aligned.text)
        return AlignedText(
            aligned.text[start:end], list(aligned.starts[start:end]), list(aligned.ends[start:end]), aligned.origin
        )

    def _range(self, text: str) -> tuple[int, int]:
        end = len(text.rstrip(WHITE_SPACE_CHARACTERS)) if self.right else len(text)
        start = len(text) - len(text.lstrip(WHITE_SPACE_CHARACTERS)) if self.left else 0
        return min(start, end), end


class _Removal:
    """Base class: removes some characters and replaces others with spaces."""

    _gone: re.Pattern[str]
    _spaces: re.Pattern[str] | None = None

    def normalize(self, text: str) -> str:
        """The text without the characters."""
        if text.isascii() and text.isprintable():
            return text
        text = self._gone.sub("", text)
        return text if self._spaces is None else self._spaces.sub(" ", text)

    def align(self, aligned: AlignedText) -> AlignedText:
        """The text without the characters, aligned."""
        aligned = aligned.edited((*found.span(), "", ()) for found in self._gone.finditer(aligned.text))
        return aligned if self._spaces is None else aligned.same_length(self._spaces.sub(" ", aligned.text))


@dataclass(frozen=True)
class StripAccents(_Removal):
    """Removes combining marks; precomposed letters stay.

    >>> StripAccents().normalize("e\\u0301é")
    'eé'
    """

    _gone = re.compile(f"[{COMBINING}]+")


@dataclass(frozen=True)
class Nmt(_Removal):
    """Removes control characters and replaces some others with spaces, like SentencePiece's rule `nmt`.

    Those are tabs, line breaks, zero-width characters, `▁`, U+1680 and U+FFFD.

    >>> Nmt().normalize("a\\x01\\tb\\u200bc")
    'a b c'
    """

    _gone = re.compile(r"[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]+")
    _spaces = re.compile(r"[\t\n\x0c\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]")


@dataclass(frozen=True)
class ByteCharacters:
    """Spells every byte of the text's UTF-8 as one printable character of GPT-2's byte alphabet.

    >>> ByteCharacters().normalize("é ")
    'Ã©Ġ'
    """

    def normalize(self, text: str) -> str:
        """Return the spelled bytes."""
        return bytes_to_characters(text.encode())

    def align(self, aligned: AlignedText) -> AlignedText:
        """Return the spelled bytes, each with the range of its character."""
        return aligned.transformed(
            (byte, int(at > 0))
            for character in aligned.text
            for at, byte in enumerate(bytes_to_characters(character.encode()))
        )


@dataclass(frozen=True)
class Precompiled:
    """SentencePiece's character map as `tokenizers` applies it.

    It applies to each grapheme of up to five bytes as a whole, and to the characters of other graphemes one by one.

    >>> Precompiled(CharacterMap.of({"ﬁ": "fi"})).normalize("ﬁn")
    'fin'
    """

    character_map: CharacterMap = field(repr=False)

    def normalize(self, text: str) -> str:
        """The text with the character map applied."""
        added = 0

        def normalized(found: re.Match[str]) -> str:
            nonlocal added
            span = self._normalized[found[0]]
            added += len(span) - found.end() + found.start()
            if added > MOST_NORMALIZED - len(text):
                check_growth(len(text), len(text) + added)
            return span

        return _touched(self.character_map.starts).sub(normalized, text)

    def align(self, aligned: AlignedText) -> AlignedText:
        """The text with the character map applied, aligned."""
        self.normalize(aligned.text)  # raises GrowthError before more memory is taken
        changes = list(_with_removed(self._changes(aligned.text)))
        if all(not change for _, change in changes):
            return aligned.same_length("".join(character for character, _ in changes))
        return aligned.transformed(changes)

    @cached_property
    def _normalized(self) -> Cache[str]:
        return Cache(lambda span: "".join(character for character, _ in self._changes(span)))

    def _changes(self, text: str) -> Iterator[Change]:
        return chain.from_iterable(map(self._known.__getitem__, _GRAPHEME.findall(text)))

    def _changes_of(self, grapheme: str) -> Iterator[Change]:
        whole = _shortest(self.character_map, grapheme) if len(grapheme.encode()) < 6 else None
        if whole is not None:
            yield from _counted(grapheme, whole)
            return
        for character in grapheme:
            replacement = _shortest(self.character_map, character)
            if replacement is None:
                yield character, 0
            else:
                yield from _counted(character, replacement)

    @cached_property
    def _known(self) -> Cache[tuple[Change, ...]]:
        return Cache(lambda grapheme: tuple(chain.from_iterable(map(self._changes_of, _LOOSE.split(grapheme)))))


def _shortest(character_map: CharacterMap, chunk: str) -> str | None:
    """Return `tokenizers`' replacement of a chunk: that of the shortest rule that the chunk begins with, or None."""
    for length in range(1, len(chunk) + 1):
        for start, end, replacement in character_map.replacements(chunk[:length]):
            if (start, end) == (0, length):
                return replacement
    return None


def _counted(old: str, new: str) -> Iterator[Change]:
    """Yield the changes that replace `old` with `new`, for `AlignedText.transformed`.

    If `new` is longer, its last characters are inserted; if it is shorter, its last character replaces all that remain;
    if it is empty, the character before absorbs the removal.

    >>> list(_counted("ﬁ", "fi")), list(_counted("e\u0301", "é")), list(_counted("\x01", ""))
    ([('f', 0), ('i', 1)], [('é', -1)], [('', -1)])
    """
    more = len(new) - len(old)
    if not new:
        yield "", more
    for left, character in zip(range(len(new) - 1, -1, -1), new, strict=True):
        yield character, 1 if left < more else more if more < 0 and not left else 0


def _with_removed(changes: Iterable[Change]) -> Iterator[Change]:
    """Yield the changes with each removal added to the character before it; a removal at the beginning is dropped."""
    held: Change | None = None
    for character, change in changes:
        if character:
            if held is not None:
                yield held
            held = character, change
        elif held is not None:
            held = held[0], held[1] + change
    if held is not None:
        yield held


_GRAPHEME = regex.compile(r"\X")
# A virama joins two consonants (Unicode's rule GB9c); `regex` joins even without a consonant before the virama.
_LOOSE = regex.compile(
    r"(?V1)(?<=\p{InCB=Linker}\p{InCB=Extend}*)"
    r"(?<!\p{InCB=Consonant}[\p{InCB=Extend}\p{InCB=Linker}]*)(?=\p{InCB=Consonant})"
)


@lru_cache(maxsize=8)
def _touched(starts: RuleStarts) -> re.Pattern[str]:
    """Return a pattern for spans that may change, including adjacent characters of their graphemes.

    All other characters are graphemes of their own that no rule replaces; a rule for several characters, such as a
    letter and a mark, applies only within one grapheme.
    """
    plane = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x10000))))
    parts = regex.findall(r"\P{Grapheme_Cluster_Break=Other}", plane)
    touched = ranges_of({character for character in (*parts, *starts.single) if character <= "\uffff"})
    touched += "\U00010000-\U0010ffff"
    return re.compile(f"[^{touched}]?+(?:[{touched}]++[^{touched}]?+)++")

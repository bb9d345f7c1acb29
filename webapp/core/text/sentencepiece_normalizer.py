"""How SentencePiece changes a text before its model sees it: the character map, and what becomes of spaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from webapp.core.models.literals import Literals
from webapp.core.text.alignment import AlignedText
from webapp.core.text.character_map import CharacterMap

SPACE = "▁"


@dataclass(frozen=True)
class SentencePieceNormalizer:
    """The normalizer of a SentencePiece model.

    Rules of the character map are applied, except inside user-defined pieces. With `remove_extra_whitespaces` spaces at
    both ends go and runs of them become one; with `add_dummy_prefix` a space is put in front, or behind the text with
    `whitespace_as_suffix`; with `escape_whitespaces` every space becomes `▁`.

    >>> SentencePieceNormalizer().normalize(" Hello  world ")
    '▁Hello▁world'
    >>> rules = CharacterMap.of({"ﬁ": "fi", "\\n": " "})
    >>> SentencePieceNormalizer(rules, whitespace_as_suffix=True).normalize("ﬁne\\n")
    'fine▁'

    Where SentencePiece is not of one mind, this does what it does: removing spaces at the end also removes a `▁` that
    stands in the text itself, at its beginning it does not; and a replacement that holds two spaces one after the other
    keeps both unless it follows a space.
    """

    character_map: CharacterMap = field(default_factory=lambda: CharacterMap.of({}))
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    whitespace_as_suffix: bool = False
    user_defined: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Raises VocabularyError for user-defined pieces that `Literals` refuses."""
        assert self._user_defined is not None

    def normalize(self, text: str) -> str:
        """The normalized text."""
        if not self._simple or self._has_user_defined(text):
            return self._aligned(text)[0]
        if not text:
            return ""
        text = self.character_map.normalize_long(text)
        if self.remove_extra_whitespaces:
            text = text.strip(" ")
            if not text:
                return ""
            # Each part but the first is what stood behind two spaces, or behind more.
            text = " ".join(filter(None, [part.lstrip(" ") for part in text.split("  ")]))
        if self.escape_whitespaces:
            text = text.replace(" ", SPACE)
        if self.add_dummy_prefix:
            text = self._space + text
        return text.rstrip(self._space) if self.remove_extra_whitespaces else text

    def words(self, text: str) -> str | None:
        """A text that `str.split` cuts into the words of the normalized one, each without the space in front of it.

        None where that is not to be had without going through the text unit by unit.

        >>> rules = CharacterMap.of(dict.fromkeys("\\t\\n\\f\\r\\v\\x1c\\x1d\\x1e\\x1f", " "))
        >>> SentencePieceNormalizer(rules).words("Hello  world\\n").split()
        ['Hello', 'world']
        """
        if not self._in_words or self._has_user_defined(text):
            return None
        words = self.character_map.normalize_for_words(text)
        return None if words is None or SPACE in words else words

    def align(self, aligned: AlignedText) -> AlignedText:
        """The normalized text, aligned.

        All characters of a replacement stand for all that were replaced, and the space that is put in front or behind
        has the place of the character beside it.
        """
        text, starts, ends = self._aligned(aligned.text)
        return AlignedText(
            text,
            [aligned.starts[start] for start in starts],
            [aligned.ends[end - 1] for end in ends],
        )

    def _aligned(self, text: str) -> tuple[str, list[int], list[int]]:
        """SentencePiece's own way, unit by unit: the text, and where each character starts and ends in the original."""
        characters: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        remove, space = self.remove_extra_whitespaces, self._space
        after_space = remove
        begun = False
        for start, end, unit in self._units(text):
            if remove and not begun and unit == " ":
                continue
            if not begun and self.add_dummy_prefix and not self.whitespace_as_suffix:
                characters, starts, ends = [space], [start], [end]
            begun = True
            kept = unit.lstrip(" ") if after_space else unit
            characters += kept.replace(" ", space)
            starts += [start] * len(kept)
            ends += [end] * len(kept)
            if kept and remove:
                after_space = kept.endswith(" ")
        if remove:
            while characters and characters[-1] == space:
                del characters[-1], starts[-1], ends[-1]
        if begun and self.add_dummy_prefix and self.whitespace_as_suffix:
            characters.append(space)
            starts.append(starts[-1] if starts else 0)
            ends.append(ends[-1] if ends else len(text))
        return "".join(characters), starts, ends

    def _units(self, text: str) -> Iterator[tuple[int, int, str]]:
        """The stretches that are normalized together, as `(start, end, what each becomes)`."""
        position = 0
        for start, end, unit in self._changes(text):
            yield from ((at, at + 1, text[at]) for at in range(position, start))
            yield start, end, unit
            position = end
        yield from ((at, at + 1, text[at]) for at in range(position, len(text)))

    def _changes(self, text: str) -> Iterator[tuple[int, int, str]]:
        if not self._user_defined:
            yield from self.character_map.replacements(text)
            return
        # A rule may begin in front of a user-defined piece and reach into it: then the piece is not there any more.
        position = 0
        while position < len(text):
            found = self._user_defined.first(text, position)
            limit = found[0] if found else len(text)
            for start, end, unit in self.character_map.replacements_between(text, position, limit):
                yield start, end, unit
                position = end
            if found and position <= limit:
                yield limit, found[1], text[limit : found[1]]
                position = found[1]
            elif not found:
                return

    @cached_property
    def _space(self) -> str:
        return SPACE if self.escape_whitespaces else " "

    @cached_property
    def _user_defined(self) -> Literals:
        return Literals(self.user_defined)

    def _has_user_defined(self, text: str) -> bool:
        # The beginning is looked for four times as fast.
        pieces = self._user_defined
        return bool(pieces) and pieces.beginning in text and pieces.first(text) is not None

    @cached_property
    def _in_words(self) -> bool:
        """Whether every word has one space in front."""
        return self._simple and self.add_dummy_prefix and self.remove_extra_whitespaces and self.escape_whitespaces

    @cached_property
    def _simple(self) -> bool:
        """Whether a text without user-defined pieces can be changed as a whole."""
        return not self.whitespace_as_suffix and not self.character_map.doubles_spaces

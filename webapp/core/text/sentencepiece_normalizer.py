"""SentencePiece's normalizer: applies the character map and rewrites spaces.

SentencePiece's decoder, which turns pieces back into text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from webapp.core.models.literals import Literals
from webapp.core.text.alignment import AlignedText
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.growth import MOST_NORMALIZED, check_growth
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.utf8 import text_of

SPACE = "▁"


@dataclass(frozen=True)
class SentencePieceNormalizer:
    """The normalizer of a SentencePiece model.

    It applies the rules of the character map, except inside user-defined pieces. `remove_extra_whitespaces` removes
    spaces at both ends and reduces runs of spaces to one. `add_dummy_prefix` adds a space at the beginning of the text,
    or with `whitespace_as_suffix` at its end. `escape_whitespaces` replaces every space with `▁`.

    >>> SentencePieceNormalizer().normalize(" Hello  world ")
    '▁Hello▁world'
    >>> rules = CharacterMap.of({"ﬁ": "fi", "\\n": " "})
    >>> SentencePieceNormalizer(rules, whitespace_as_suffix=True).normalize("ﬁne\\n")
    'fine▁'

    Two inconsistencies of SentencePiece are reproduced: removing spaces also removes a `▁` of the text itself at its
    end, but not at its beginning; and a replacement with two consecutive spaces keeps both unless it follows a space.
    """

    character_map: CharacterMap = field(default_factory=lambda: CharacterMap.of({}))
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    whitespace_as_suffix: bool = False
    user_defined: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Raises VocabularyError for user-defined pieces that `Literals` rejects."""
        assert self._user_defined is not None

    def normalize(self, text: str) -> str:
        """The normalized text."""
        if not self._simple or self._has_user_defined(text):
            return self._aligned(text)[0]
        if not text:
            return ""
        text = self.character_map.normalize(text)
        if self.remove_extra_whitespaces:
            text = text.strip(" ")
            if not text:
                return ""
            # Each part but the first follows two or more spaces.
            text = " ".join(filter(None, [part.lstrip(" ") for part in text.split("  ")]))
        if self.escape_whitespaces:
            text = text.replace(" ", SPACE)
        if self.add_dummy_prefix:
            text = self._space + text
        return text.rstrip(self._space) if self.remove_extra_whitespaces else text

    def align(self, aligned: AlignedText) -> AlignedText:
        """The normalized text, aligned.

        Every character of a replacement has the range of all replaced characters; an added space has the range of the
        adjacent character.
        """
        text, starts, ends = self._aligned(aligned.text)
        return AlignedText(
            text,
            [aligned.starts[start] for start in starts],
            [aligned.ends[end - 1] for end in ends],
        )

    def _aligned(self, text: str) -> tuple[str, list[int], list[int]]:
        """Normalize unit by unit, as SentencePiece does; return the text, and each character's start and end."""
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
            added = unit.lstrip(" ") if after_space else unit
            characters += added.replace(" ", space)
            if len(characters) > MOST_NORMALIZED:
                check_growth(len(text), len(characters))
            starts += [start] * len(added)
            ends += [end] * len(added)
            if added and remove:
                after_space = added.endswith(" ")
        if remove:
            while characters and characters[-1] == space:
                del characters[-1], starts[-1], ends[-1]
        if begun and self.add_dummy_prefix and self.whitespace_as_suffix:
            characters.append(space)
            starts.append(starts[-1] if starts else 0)
            ends.append(ends[-1] if ends else len(text))
        return "".join(characters), starts, ends

    def _units(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield `(start, end, replacement)` of each span that is normalized as a unit."""
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
        # A rule that begins before a user-defined piece and ends inside it replaces the piece, too.
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
        # Searching for the common prefix first is four times as fast.
        pieces = self._user_defined
        return bool(pieces) and pieces.beginning in text and pieces.first(text) is not None

    @cached_property
    def _simple(self) -> bool:
        """Whether a text without user-defined pieces can be normalized as a whole."""
        return not self.whitespace_as_suffix and not self.character_map.doubles_spaces


_INVALID_BYTE = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class SentencePieceDecoder:
    """Replaces `▁` with spaces and the unknown piece with its surface, decodes byte pieces, and drops control pieces.

    `strip` says which `▁` to remove at the beginning of the text: none, the first one, or the first one of every piece
    until there is text.

    >>> decoder = SentencePieceDecoder(control=frozenset({"<s>"}), byte_pieces={"<0xC3>": 0xC3, "<0xA9>": 0xA9})
    >>> decoder.decode(["<s>", "▁caf", "<0xC3>", "<0xA9>", "<unk>", "▁", "<0xC3>"])
    'café ⁇   \ufffd'

    Each byte that is not valid UTF-8 becomes a U+FFFD of its own. As in SentencePiece, bytes do not count as text until
    another piece follows.
    """

    control: frozenset[str] = frozenset()
    unknown: str = "<unk>"
    unknown_surface: str = " ⁇ "
    byte_pieces: Mapping[str, int] = field(default_factory=dict)
    strip: Literal["nothing", "first", "all"] = "first"
    denormalizer: Normalizer | None = None
    space: str = SPACE

    def decode(self, pieces: Sequence[str | bytes]) -> str:
        """Return the text of the pieces."""
        texts: list[str] = []
        waiting = bytearray()
        for part in self.parts(pieces):
            if isinstance(part, int):
                waiting.append(part)
                continue
            if waiting:
                texts.append(_characters(waiting))
                waiting.clear()
            texts.append(part)
        text = "".join((*texts, _characters(waiting)))
        return self.denormalizer.normalize(text) if self.denormalizer is not None else text

    def parts(self, pieces: Sequence[str | bytes]) -> Iterator[str | int]:
        """Yield what each piece adds: its text, or the value of a byte."""
        strips, has_text, after_byte = self.strip != "nothing", False, False
        for piece in map(text_of, pieces):
            byte = self.byte_pieces.get(piece)
            if byte is not None:
                after_byte = True
                yield byte
                continue
            has_text, after_byte = has_text or after_byte, False
            if piece in self.control:
                piece = ""
            elif piece == self.unknown:
                piece = self.unknown_surface
            else:
                if strips and not has_text:
                    if piece.startswith(self.space):
                        piece = piece.removeprefix(self.space)
                        strips = self.strip == "all"
                else:
                    strips = False
                piece = piece.replace(self.space, " ")
            has_text = has_text or bool(piece)
            yield piece


def _characters(read: bytearray) -> str:
    return _INVALID_BYTE.sub("\ufffd", read.decode("utf-8", errors="surrogateescape"))

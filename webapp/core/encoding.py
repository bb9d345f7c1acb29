"""The result of encoding a text: ids immediately, pieces and offsets computed on first access."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, overload

from webapp.core.added_tokens import AddedToken


@dataclass(frozen=True, slots=True)
class Token:
    """One token of an `Encoding`.

    `piece` is the vocabulary's piece (`bytes` for byte-level BPE), or for an unknown token the text it
    covers. `start` and `end` are character offsets into the original text, before any normalization.
    """

    index: int
    id: int
    piece: str | bytes
    start: int
    end: int
    unknown: bool
    special: bool


class Placement(NamedTuple):
    """The start and the end of each token in a text, and the indexes of the special tokens."""

    starts: Sequence[int]
    ends: Sequence[int]
    special: frozenset[int]


class Encoding(Sequence[Token]):
    """The tokens of one text: an immutable sequence that creates `Token` objects only on access.

    >>> from webapp.core.recipes import CHARACTER_BPE
    >>> from webapp.core.models.bpe import BPE
    >>> bpe = BPE(["<unk>", "l", "o", "w</w>", "lo", "low</w>"], [(1, 2), (4, 3)],
    ...           byte_level=False, end_of_word_suffix="</w>", unknown="<unk>")
    >>> encoding = CHARACTER_BPE.tokenizer(bpe).encode("low, low")
    >>> list(encoding.ids)
    [5, 0, 5]
    >>> list(zip(encoding.starts, encoding.ends))
    [(0, 3), (3, 4), (5, 8)]
    >>> encoding[1]
    Token(index=1, id=0, piece=',', start=3, end=4, unknown=True, special=False)
    """

    __slots__ = ("_added", "_ids", "_pieces", "_place", "_placement", "_text", "_unknown", "_unknown_id")

    def __init__(
        self,
        text: str,
        ids: Sequence[int],
        *,
        pieces: Sequence[str] | Sequence[bytes],
        unknown_id: int | None,
        place: Callable[[], Placement],
        added: Mapping[int, AddedToken] = MappingProxyType({}),
    ) -> None:
        """Create an encoding; `place` is called on first access to an offset or a special token."""
        self._text = text
        self._ids = tuple(ids)
        self._pieces = pieces
        self._unknown_id = unknown_id
        self._place = place
        self._added = added
        self._placement: Placement | None = None
        self._unknown: frozenset[int] | None = None

    @property
    def text(self) -> str:
        """The original text."""
        return self._text

    @property
    def ids(self) -> Sequence[int]:
        """The tokens' ids."""
        return self._ids

    @property
    def starts(self) -> Sequence[int]:
        """Where each token begins, in characters of the original text.

        A byte token that covers part of a character has the range of the whole character.
        """
        return self._placed().starts

    @property
    def ends(self) -> Sequence[int]:
        """Where each token ends (exclusive), in characters of the original text."""
        return self._placed().ends

    @property
    def special(self) -> frozenset[int]:
        """The indexes of the special tokens: those recognized in the text on request, and those of the template."""
        return self._placed().special

    @property
    def unknown(self) -> frozenset[int]:
        """The indexes of the tokens that stand for text outside the vocabulary."""
        if self._unknown is None:
            unknown: frozenset[int] = frozenset()
            if self._unknown_id in self._ids:
                indexes = (i for i, id in enumerate(self._ids) if id == self._unknown_id)
                unknown = frozenset(indexes) - self.special
            self._unknown = unknown
        return self._unknown

    def forget_places(self) -> None:
        """Free the offsets and unknown indexes, about 100 bytes a token; the next access computes them again."""
        self._placement = self._unknown = None

    def piece(self, index: int) -> str | bytes:
        """Return the piece of the token at `index`; for an unknown token the text it covers."""
        index = range(len(self._ids))[index]
        if index in self.unknown or index in self.special:
            starts, ends, _ = self._placed()
            if starts[index] < ends[index]:
                return self._text[starts[index] : ends[index]]
        return self.vocabulary_piece(self._ids[index])

    def vocabulary_piece(self, id: int) -> str | bytes:
        """Return the piece or the added token of an id that occurs in this encoding."""
        return self._added[id].content if id in self._added else self._pieces[id]

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> Token: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Token]: ...

    def __getitem__(self, index: int | slice) -> Token | Sequence[Token]:
        positions = range(len(self._ids))[index]
        if isinstance(positions, range):
            return [self._token(position) for position in positions]
        return self._token(positions)

    def __iter__(self) -> Iterator[Token]:
        return map(self._token, range(len(self._ids)))

    def __repr__(self) -> str:
        return f"Encoding({len(self._ids)} tokens of {len(self._text)} characters)"

    def _token(self, index: int) -> Token:
        starts, ends, special = self._placed()
        return Token(
            index=index,
            id=self._ids[index],
            piece=self.piece(index),
            start=starts[index],
            end=ends[index],
            unknown=index in self.unknown,
            special=index in special,
        )

    def _placed(self) -> Placement:
        # Two threads may both compute the placement; the results are equal, so either may win.
        if self._placement is None:
            self._placement = self._place()
        return self._placement

"""SentencePiece's vocabulary: pieces with scores and kinds, and the fallback for text that no piece covers.

Kudo and Richardson 2018, "SentencePiece: A simple and language independent subword tokenizer and detokenizer". Its
four model types share this vocabulary: BPE, Unigram, word and character.

SentencePiece's two simplest models: one token for each word, and one for each character.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import accumulate, chain, groupby
from math import isfinite

from webapp.core.cache import Cache
from webapp.core.models.literals import Literals
from webapp.core.vocabulary_error import VocabularyError, shown

SPACE = "▁"
NAMED_BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))

# An id and the end of its span of text; None for a span that no piece covers.
Part = tuple[int | None, int]
Segment = tuple[int, int, int]


class PieceKind(IntEnum):
    """The type of a piece; the numbers are those of SentencePiece's files."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


class ScoredPieces:
    """Pieces with a score and a kind each, and the fallback to bytes or to the unknown piece.

    Only normal and user-defined pieces represent text: `<s>` in a text is three characters, not the control piece, and
    the text `<0x41>` is not the byte piece of that name.

    >>> kinds = [PieceKind.UNKNOWN, PieceKind.NORMAL, PieceKind.NORMAL]
    >>> vocabulary = ScoredPieces(["<unk>", "▁a", "a"], [0.0, -1.0, -2.0], kinds)
    >>> vocabulary.expanded([(1, 2), (None, 3), (None, 4)], "▁axy")
    (1, 0)
    >>> vocabulary.words("▁a▁▁ab")
    ['▁a', '▁', '▁ab']
    """

    def __init__(
        self,
        pieces: Sequence[str],
        scores: Sequence[float],
        kinds: Sequence[PieceKind],
        *,
        byte_ids: Sequence[int] | None = None,
        space: str = SPACE,
    ) -> None:
        """`byte_ids` holds the ids of the 256 bytes if the vocabulary has byte fallback; `space` is the character that
        pieces have for a space.

        Raises ValueError if the lengths differ, a piece is empty, a score is not a finite number, there is not
        exactly one unknown piece, or `byte_ids` does not have 256 ids.
        """
        if not len(pieces) == len(scores) == len(kinds):
            raise VocabularyError(
                "the counts differ: %(pieces)s pieces, %(scores)s scores, %(kinds)s kinds",
                pieces=len(pieces),
                scores=len(scores),
                kinds=len(kinds),
            )
        self.pieces = tuple(pieces)
        self.scores = tuple(scores)
        self.kinds = tuple(kinds)
        self.space = space
        self.byte_ids = None if byte_ids is None else tuple(byte_ids)
        if "" in self.pieces:
            raise VocabularyError("the piece with the id %(id)s is empty", id=self.pieces.index(""))
        if not all(map(isfinite, self.scores)):
            id = next(id for id, score in enumerate(self.scores) if not isfinite(score))
            raise VocabularyError(
                "the score of the piece %(piece)s is %(score)s, which is not a number",
                piece=shown(self.pieces[id]),
                score=self.scores[id],
            )
        if self.kinds.count(PieceKind.UNKNOWN) != 1:
            raise VocabularyError(
                "there should be one unknown piece, not %(count)s", count=self.kinds.count(PieceKind.UNKNOWN)
            )
        self.unknown_id = self.kinds.index(PieceKind.UNKNOWN)
        if self.byte_ids is not None and len(self.byte_ids) != 256:
            raise VocabularyError("byte fallback needs 256 byte pieces, not %(count)s", count=len(self.byte_ids))
        self.ids = {
            piece: id
            for id, (piece, kind) in enumerate(zip(self.pieces, self.kinds, strict=True))
            if kind == PieceKind.NORMAL or kind == PieceKind.USER_DEFINED
        }
        self.unused = {piece: id for id, piece in self._of_kind(PieceKind.UNUSED)}
        self.user_defined = frozenset(piece for _, piece in self._of_kind(PieceKind.USER_DEFINED))

    def id_of(self, piece: str) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self._all_ids.get(piece)

    def words(self, text: str) -> list[str]:
        """Split a text at spaces, wherever no piece crosses the boundary."""
        if self._cut is None:
            return [text] if text else []
        if self.single_spaces and "\0" not in text and text:
            # Four times as fast as a pattern.
            words = text.replace(self.space, "\0" + self.space).split("\0")
            return words if words[0] else words[1:]
        return self._cut.findall(text)

    def expanded(self, parts: Iterable[Part], text: str) -> tuple[int, ...]:
        """The ids of the parts of a text; uncovered parts become bytes, or one unknown id for each run of them."""
        return tuple(id for id, _, _ in self.segments(parts, text))

    def segments(self, parts: Iterable[Part], text: str) -> list[Segment]:
        """`(id, start, end)` of each token; every byte of a character has the range of the character."""
        segments: list[Segment] = []
        start = 0
        after_unknown = False
        for id, end in parts:
            if id is not None:
                segments.append((id, start, end))
            elif self.byte_ids is not None:
                segments += [
                    (self.byte_ids[byte], at, at + 1) for at in range(start, end) for byte in text[at].encode()
                ]
            elif after_unknown:
                segments[-1] = (self.unknown_id, segments[-1][1], end)
            else:
                segments.append((self.unknown_id, start, end))
            after_unknown = id is None
            start = end
        return segments

    def fused(self, ids: list[int]) -> list[int]:
        """Collapse each run of unknown ids into one; unchanged with byte fallback."""
        if self.byte_ids is not None or self.unknown_id not in ids:
            return ids
        unknown = self.unknown_id
        return [id for key, run in groupby(ids) for id in ((key,) if key == unknown else run)]

    def _of_kind(self, kind: PieceKind) -> list[tuple[int, str]]:
        return [(id, self.pieces[id]) for id, found in enumerate(self.kinds) if found == kind]

    @cached_property
    def _all_ids(self) -> dict[str, int]:
        return {piece: id for id, piece in reversed(list(enumerate(self.pieces)))}

    @cached_property
    def single_spaces(self) -> bool:
        """Whether no piece has a space after its first character, so that every space begins a new word."""
        return all(self.space not in piece[1:] for piece in chain(self.ids, self.unused))

    @cached_property
    def _cut(self) -> re.Pattern[str] | None:
        space = self.space
        holding = [piece for piece in chain(self.ids, self.unused) if space in piece]
        if all(space not in piece.lstrip(space) for piece in holding):
            return re.compile(f"{space}+[^{space}]*+|[^{space}]++")
        if all(space not in piece.rstrip(space) for piece in holding):
            return re.compile(f"[^{space}]*+{space}++|[^{space}]++")
        return None


class ScoredModel:
    """Base class of the models over `ScoredPieces`; each implements `_parts`, which segments one word.

    A model gets the whole normalized text as one pre-token, because unknown text and scores carry over between words.
    """

    def __init__(self, vocabulary: ScoredPieces) -> None:
        self.vocabulary = vocabulary
        self.pieces: Sequence[str] = vocabulary.pieces
        self.scores: Sequence[float] = vocabulary.scores
        self.unknown_id: int | None = vocabulary.unknown_id
        self._word_ids = Cache(lambda word: vocabulary.expanded(self._parts(word), word))

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self.vocabulary.id_of(piece) if isinstance(piece, str) else None

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of a text; its words are cached."""
        words = self.vocabulary.words(pretoken)
        return self.vocabulary.fused(list(chain.from_iterable(map(self._word_ids.__getitem__, words))))

    def segment(self, pretoken: str) -> Sequence[Segment]:
        """`(id, start, end)` of each token, in characters; a byte has the range of its whole character."""
        return self.vocabulary.segments(self._all_parts(pretoken), pretoken)

    def _all_parts(self, text: str) -> Iterable[Part]:
        start = 0
        for word in self.vocabulary.words(text):
            for id, end in self._parts(word):
                yield id, start + end
            start += len(word)

    def _parts(self, word: str) -> Sequence[Part]:
        raise NotImplementedError


class SentencePieceWords(ScoredModel):
    """Each space begins a word; a word is a piece or unknown.

    >>> from webapp.core.models.scored_pieces import PieceKind
    >>> vocabulary = ScoredPieces(["<unk>", "▁low"], [0.0, 0.0], [PieceKind.UNKNOWN, PieceKind.NORMAL])
    >>> SentencePieceWords(vocabulary).segment("▁low▁high▁low")
    [(1, 0, 4), (0, 4, 9), (1, 9, 13)]

    SentencePiece splits before spaces even if `treat_whitespace_as_suffix` made the trainer produce pieces that end in
    spaces. Such a model finds hardly any word; this one matches that.
    """

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of a text; its words are cached."""
        words = _WORD.findall(pretoken)
        return self.vocabulary.fused([id for word in words for id in self._word_ids[word]])

    def _all_parts(self, text: str) -> list[Part]:
        return [(self.vocabulary.ids.get(found[0]), found.end()) for found in _WORD.finditer(text)]

    def _parts(self, word: str) -> list[Part]:
        return [(self.vocabulary.ids.get(word), len(word))]


class SentencePieceCharacters(ScoredModel):
    """Each character is a token, and so is each user-defined piece (the longest at a position).

    >>> from webapp.core.models.scored_pieces import PieceKind
    >>> kinds = [PieceKind.UNKNOWN, PieceKind.NORMAL, PieceKind.USER_DEFINED]
    >>> SentencePieceCharacters(ScoredPieces(["<unk>", "a", "<a>"], [0.0] * 3, kinds)).segment("a<a>b")
    [(1, 0, 1), (2, 1, 4), (0, 4, 5)]
    """

    def __init__(self, vocabulary: ScoredPieces) -> None:
        super().__init__(vocabulary)
        self._symbols = symbols_of(vocabulary)

    def _parts(self, word: str) -> list[Part]:
        symbols = self._symbols(word)
        return list(zip(map(self.vocabulary.ids.get, symbols), accumulate(map(len, symbols)), strict=True))


def symbols_of(vocabulary: ScoredPieces) -> Callable[[str], list[str]]:
    """Return a function that splits a text as SentencePiece first does: into user-defined pieces, the longest at each
    position, and characters.

    Raises VocabularyError for user-defined pieces that `Literals` rejects.
    """
    pieces = Literals(vocabulary.user_defined)

    def symbols(text: str) -> list[str]:
        found: list[str] = []
        position = 0
        for start, end in pieces.spans(text):
            found += text[position:start]
            found.append(text[start:end])
            position = end
        found += text[position:]
        return found

    return symbols if pieces else list


_WORD = re.compile(f"^[^{SPACE}]++|{SPACE}[^{SPACE}]*+")

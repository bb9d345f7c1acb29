"""Longest and fewest pieces over characters: BPE with its affixes, WordPiece, and Unigram with SentencePiece's BPE.

Longest and fewest pieces over bytes: byte-level BPE and `tiktoken`'s ranks. No text is unknown.
"""

from collections.abc import Collection, Iterator, Sequence

from webapp.core.inference.piece_table import AppliedModel, Lookup, PieceTable, Rule, Segment
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.literals import Literals
from webapp.core.models.merge_loop import byte_segments
from webapp.core.models.scored_pieces import Part, ScoredModel
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece

_MARK = "\udfff"
"""Stands for the end-of-word mark. No text has it: tokenizers replace lone surrogates."""


def _inside(first: PieceTable[str], pieces: dict[str, int], prefix: str) -> PieceTable[str]:
    """The table of the pieces inside a word, without their prefix."""
    if not prefix:
        return first
    return PieceTable({piece[len(prefix) :]: id for piece, id in pieces.items() if piece.startswith(prefix)})


class CharacterPieces(AppliedModel):
    """Applies the pieces of BPE over characters; a character without a piece becomes its bytes or is unknown.

    >>> from webapp.core.inference.piece_table import fewest_parts
    >>> bpe = BPE(["l", "o", "w", "</w>", "lo", "ow</w>"], [(0, 1)], byte_level=False, end_of_word_suffix="</w>")
    >>> [bpe.pieces[id] for id in CharacterPieces(bpe, fewest_parts).ids("low")]
    ['l', 'ow</w>']
    """

    def __init__(self, model: BPE, rule: Rule, without: Collection[int] = ()) -> None:
        """`without` are the ids that are never used, such as those of special tokens."""
        super().__init__(model, rule)
        self._bpe = model
        self._bytes = [model.id_of(f"<0x{byte:02X}>") for byte in range(256)] if model.byte_fallback else None
        unused = {*without, model.unknown_id, *(self._bytes or ())}
        suffix = model.end_of_word_suffix
        pieces = {
            piece[: -len(suffix)] + _MARK if suffix and piece.endswith(suffix) else piece: id
            for id, piece in enumerate(model.pieces)
            if isinstance(piece, str) and id not in unused
        }
        self._first = PieceTable(pieces)
        self._inner = _inside(self._first, pieces, model.continuing_subword_prefix)

    def lookups(self, pretoken: str) -> list[Lookup]:
        """The pre-token with its end-of-word mark."""
        marked = pretoken + _MARK if self._bpe.end_of_word_suffix and pretoken else pretoken
        mark = len(pretoken) if marked != pretoken and self._bpe.suffix_id is None else -1
        return [Lookup(marked, self._first, self._inner, mark)]

    def segment(self, pretoken: str) -> Sequence[Segment]:
        """`(id, start, end)` of each token; an end-of-word mark of its own has the range of the last character."""
        length = len(pretoken)
        bpe = self._bpe
        [lookup] = self.lookups(pretoken)
        segments: list[Segment] = []
        start = 0
        after_unknown = False
        for id, end in self._rule(*lookup):
            first, last = min(start, length - 1), min(end, length)
            unknown = False
            if id is not None:
                segments.append((id, first, last))
            elif start < length and (found := self._in_bytes(pretoken[start:last])):
                segments += [(byte, first, last) for byte in found]
            elif start < length and bpe.unknown_id is not None:
                unknown = True
                if after_unknown and bpe.fuse_unknown:
                    segments[-1] = bpe.unknown_id, segments[-1][1], last
                else:
                    segments.append((bpe.unknown_id, first, last))
            after_unknown = unknown
            start = end
        return segments

    def _in_bytes(self, text: str) -> list[int]:
        """The ids of the bytes of a character; empty if one has no piece."""
        ids = [None if self._bytes is None else self._bytes[byte] for byte in text.encode()]
        return [id for id in ids if id is not None] if None not in ids else []


class WordPieces(AppliedModel):
    """Applies the pieces of WordPiece; a word that they cannot cover is unknown, and so is one that is too long.

    >>> from webapp.core.inference.piece_table import fewest_parts
    >>> model = WordPiece(["[UNK]", "a", "ab", "##b", "##bcd", "##c", "##d"])
    >>> model.ids("abcd"), WordPieces(model, fewest_parts).ids("abcd")
    ((2, 5, 6), (1, 4))
    """

    def __init__(self, model: WordPiece, rule: Rule, without: Collection[int] = ()) -> None:
        """`without` are the ids that are never used, such as those of special tokens."""
        super().__init__(model, rule)
        self._most = model.max_word_length
        self._unknown: int = model.unknown_id
        unused = {*without, model.unknown_id}
        pieces = {piece: id for id, piece in enumerate(model.pieces) if id not in unused}
        self._first = PieceTable(pieces)
        self._inner = _inside(self._first, pieces, model.continuing_subword_prefix)

    def lookups(self, pretoken: str) -> list[Lookup]:
        """The pre-token, unless it is too long."""
        return [Lookup(pretoken, self._first, self._inner)] if len(pretoken) <= self._most else []

    def segment(self, pretoken: str) -> Sequence[Segment]:
        """`(id, start, end)` of each token."""
        if not pretoken:
            return ()
        segments: list[Segment] = []
        start = 0
        lookups = self.lookups(pretoken)
        for id, end in self._rule(*lookups[0]) if lookups else [(None, 0)]:
            if id is None:
                return ((self._unknown, 0, len(pretoken)),)
            segments.append((id, start, end))
            start = end
        return tuple(segments)


class UnigramPieces(AppliedModel):
    """Applies the pieces of Unigram without their probabilities; adjacent unknown characters are one token.

    >>> from webapp.core.inference.piece_table import longest_parts
    >>> model = Unigram(["<unk>", "a", "b", "ab"], [0.0, -1.0, -1.0, -9.0], unknown_id=0)
    >>> model.ids("abxy"), UnigramPieces(model, longest_parts).ids("abxy")
    ((1, 2, 0), (3, 0))
    """

    def __init__(self, model: Unigram, rule: Rule, without: Collection[int] = ()) -> None:
        """`without` are the ids that are never used, such as those of special tokens."""
        super().__init__(model, rule)
        self._unigram = model
        unused: set[int | None] = {*without, model.unknown_id}
        if model.byte_fallback:
            unused |= {model.id_of(f"<0x{byte:02X}>") for byte in range(256)}
        self._table = PieceTable({piece: id for id, piece in enumerate(model.pieces) if id not in unused})

    def lookups(self, pretoken: str) -> list[Lookup]:
        """The pre-token."""
        return [Lookup(pretoken, self._table, self._table)]

    def segment(self, pretoken: str) -> Sequence[Segment]:
        """`(id, start, end)` of each token."""
        return self._unigram.tokens(self._rule(*self.lookups(pretoken)[0]), pretoken)


class ScoredPiecesByRule(ScoredModel):
    """Applies SentencePiece's pieces without their scores; user-defined pieces stay whole.

    >>> from webapp.core.inference.piece_table import longest_parts
    >>> from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
    >>> kinds = [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * 3]
    >>> model = ScoredBPE(ScoredPieces(["<unk>", "ab", "bc", "abc"], [0.0, -2.0, -1.0, -3.0], kinds))
    >>> model.ids("abc"), ScoredPiecesByRule(model, longest_parts).segment("abcab")
    ([3], [(3, 0, 3), (1, 3, 5)])
    """

    def __init__(self, model: ScoredBPE | SentencePieceUnigram, rule: Rule, without: Collection[int] = ()) -> None:
        """`without` are the ids that are never used, such as those of special tokens."""
        super().__init__(model.vocabulary)
        self.model = model
        self._rule = rule
        vocabulary = model.vocabulary
        self._whole = Literals(vocabulary.user_defined)
        self._table = PieceTable(
            {
                piece: id
                for piece, id in vocabulary.ids.items()
                if piece not in vocabulary.user_defined and id not in without
            }
        )

    def lookups(self, pretoken: str) -> list[Lookup]:
        """The words of the pre-token, without user-defined pieces."""
        texts = [text for word in self.vocabulary.words(pretoken) for text, _ in self._between(word) if text]
        return [Lookup(text, self._table, self._table) for text in texts]

    def _between(self, word: str) -> Iterator[tuple[str, str]]:
        """The texts before each user-defined piece of a word, with the piece; the last one is empty."""
        at = 0
        for start, end in self._whole.spans(word) if self._whole else ():
            yield word[at:start], word[start:end]
            at = end
        yield word[at:], ""

    def _parts(self, word: str) -> list[Part]:
        parts: list[Part] = []
        at = 0
        for text, whole in self._between(word):
            parts += [(id, at + to) for id, to in self._rule(text, self._table, self._table)]
            at += len(text) + len(whole)
            if whole:
                parts.append((self.vocabulary.ids[whole], at))
        return parts


_BYTE_MARK = b"\xff"  # in no text: UTF-8 does not use this byte


class BytePieces(AppliedModel):
    """Applies the pieces of a byte-level model by another rule.

    >>> from webapp.core.inference.piece_table import longest_parts
    >>> from webapp.core.models.rank_bpe import RankBPE
    >>> bpe = RankBPE([bytes([byte]) for byte in range(256)] + [b"ab", b"bc", b"bcd"])
    >>> model = BytePieces(bpe, longest_parts)
    >>> [bpe.pieces[id] for id in bpe.ids("abcd")], [bpe.pieces[id] for id in model.ids("abcd")]
    ([b'ab', b'c', b'd'], [b'ab', b'c', b'd'])
    """

    def __init__(self, model: Model, rule: Rule, without: Collection[int] = ()) -> None:
        """`without` are the ids that are never used, such as those of special tokens."""
        super().__init__(model, rule)
        self._suffix: bytes = getattr(model, "byte_suffix", b"")
        self._table = PieceTable(
            {
                self._marked(piece): id
                for id, piece in enumerate(model.pieces)
                if isinstance(piece, bytes) and id not in without and not (self._suffix and _BYTE_MARK in piece)
            }
        )

    def _marked(self, piece: bytes) -> bytes:
        if self._suffix and piece.endswith(self._suffix):
            return piece.removesuffix(self._suffix) + _BYTE_MARK
        return piece

    def lookups(self, pretoken: str) -> list[Lookup]:
        """The bytes of the pre-token, with its end-of-word mark."""
        data = pretoken.encode()
        if self._suffix and data:
            return [Lookup(data + _BYTE_MARK, self._table, self._table, len(data))]
        return [Lookup(data, self._table, self._table)]

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token; one that covers part of a character has the range of the character."""
        return byte_segments(pretoken, self.ids(pretoken), self.pieces, suffix=self._suffix)

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        [lookup] = self.lookups(pretoken)
        return tuple(id for id, _ in self._rule(*lookup) if id is not None)

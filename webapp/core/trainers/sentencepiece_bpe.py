"""SentencePiece's BPE: merges of characters, where a piece is formed from any two parts, and bytes for the rest.

Source: Kudo, Richardson 2018, "SentencePiece: A simple and language independent subword tokenizer and detokenizer",
section 3; byte fallback as in its implementation. It differs from Sennrich's BPE in three ways: the space before a word
is a character of it, `▁`; a piece has a score, minus the rank of its merge, and any two adjacent pieces that form it
are merged, not only the two from which it was trained; a character outside the alphabet becomes its UTF-8 bytes.
"""

from dataclasses import dataclass
from functools import cached_property

from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.trainers.bpe import CountedMerge

UNKNOWN = "<unk>"
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))


@dataclass(frozen=True)
class TrainedSentencePieceBPE:
    """A trained vocabulary: special tokens, the 256 bytes, the piece of each merge, then the alphabet.

    The order is SentencePiece's: pieces by falling score, characters last.
    """

    alphabet: tuple[str, ...]
    merges: tuple[CountedMerge[str], ...]
    special_names: tuple[str, ...] = (UNKNOWN,)
    unknown: str = UNKNOWN

    @cached_property
    def pieces(self) -> tuple[str, ...]:
        """All pieces."""
        merged = (merge.piece for merge in self.merges)
        known = {*self.special_names, *BYTES}
        normal = dict.fromkeys((*merged, *self.alphabet))
        return (*self.special_names, *BYTES, *(piece for piece in normal if piece not in known))

    @cached_property
    def scores(self) -> tuple[float, ...]:
        """The score of each piece; it does not matter for special tokens and bytes."""
        first = len(self.special_names) + len(BYTES)
        return (*[0.0] * first, *(float(-rank) for rank in range(len(self.pieces) - first)))

    @cached_property
    def model(self) -> ScoredBPE:
        """The model."""
        byte_ids = range(len(self.special_names), len(self.special_names) + len(BYTES))
        kinds = [PieceKind.CONTROL] * len(self.special_names)
        kinds[self.special_names.index(self.unknown)] = PieceKind.UNKNOWN
        kinds += [PieceKind.BYTE] * len(BYTES)
        kinds += [PieceKind.NORMAL] * (len(self.pieces) - len(kinds))
        return ScoredBPE(ScoredPieces(self.pieces, self.scores, kinds, byte_ids=byte_ids))

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens and their ids, as `Tokenizer` expects them."""
        return {name: index for index, name in enumerate(self.special_names)}


def is_within(piece: str, longest: int) -> bool:
    """Whether a piece has at most `longest` letters and digits, and at most one character more than that in all.

    So a word of the longest length may have `▁` or a punctuation mark beside it.

    >>> is_within("，我们", 2), is_within("我们的", 2), is_within("”。\\n", 2), is_within("……”。", 2)
    (True, False, True, False)
    """
    return len(piece) <= longest or (len(piece) == longest + 1 and not piece.isalnum())

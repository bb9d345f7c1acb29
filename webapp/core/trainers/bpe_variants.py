"""Two variants of BPE: SuperBPE, which first merges inside words, then across spaces, and SentencePiece's.

Source of SuperBPE: Liu, Hayase, Hofmann, Oh, Smith, Choi 2025, "SuperBPE: Space Travel for Language Models" (arXiv
2503.13423), section 2. The result is an ordinary byte-level BPE model whose pre-tokens are spans of several words
(`split_patterns.SUPERWORDS`).

- Exploits: no merge of the first phase crosses from one word to the next unless a piece holds the last byte of the one
  and the first byte of the other side by side; so spans are encoded word by word, from the cache of the model.
- Invariant: the second phase starts from spans encoded with the merges of the first phase, as encoding has them.
- Proved by: both phases with the functions of `webapp.core.reference.bpe`, in `tests.core.reference.test_bpe`.

SentencePiece's BPE merges characters; there, a piece is formed from any two parts, and bytes for the rest.

Source: Kudo, Richardson 2018, "SentencePiece: A simple and language independent subword tokenizer and detokenizer",
section 3; byte fallback as in its implementation. It differs from Sennrich's BPE in three ways: the space before a word
is a character of it, `▁`; a piece has a score, minus the rank of its merge, and any two adjacent pieces that form it
are merged, not only the two from which it was trained; a character outside the alphabet becomes its UTF-8 bytes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from zlib import crc32

from webapp.core.models.bpe import BPE
from webapp.core.models.scored_pieces import NAMED_BYTES, PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.text.split_patterns import GPT2, SplitPattern
from webapp.core.trainers import bpe
from webapp.core.trainers.bpe import BYTES, CountedMerge, SpecialsFirst, TrainedBPE
from webapp.core.trainers.pair_counts import Pairs
from webapp.core.trainers.ties import FIRST_SEEN, TieRule, byte_alphabet
from webapp.core.trainers.word_counts import WordCounts, symbol_counts

LONGEST = 4  # words of a piece
MOST = 32_000_000  # characters of distinct spans in the second phase; of more, a fixed sample is taken

Split = Callable[[str], Iterable[str]]
split_words: Split = SplitPattern(GPT2).findall


def train_bytes(
    counts: WordCounts,
    size: int,
    special_tokens: Sequence[str] = (),
    *,
    share: float = 0.9,
    split: Split = split_words,
    minimum_count: int = 1,
    ties: TieRule = FIRST_SEEN,
) -> TrainedBPE[bytes]:
    """Train SuperBPE over bytes with `size` pieces: the 256 bytes, one for each merge, and the special tokens.

    `counts` are those of spans of words; `split` splits a span into words. The first phase fills the `share` of the
    pieces, the second the rest. The result has fewer pieces if no pair is left that occurs `minimum_count` times.
    Raises ValueError for a size that cannot hold the bytes and the special tokens, and for a share outside 0 to 1.

    >>> trained = train_bytes({"out of the way": 5, "out of the sea": 4, "of the": 3}, 265, share=0.99)
    >>> [merge.left + merge.right for merge in trained.merges]
    [b'of', b' t', b' th', b' the', b'ou', b'out', b'of the', b'out ', b'out of the']
    """
    room = size - len(special_tokens)
    bpe.check_room(room, BYTES)
    found = merges(counts, room, share=share, split=split, minimum_count=minimum_count, ties=ties)
    return TrainedBPE(byte_alphabet(ties), tuple(bpe.until(room, BYTES, found)), tuple(special_tokens))


def merges(
    counts: WordCounts,
    room: int,
    *,
    share: float = 0.9,
    split: Split = split_words,
    minimum_count: int = 1,
    ties: TieRule = FIRST_SEEN,
) -> Iterator[CountedMerge[bytes]]:
    """Yield the merges of both phases lazily, as many as there are: the first phase ends at the share of `room` pieces.

    Raises ValueError as `train_bytes`.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"the share of the first phase is between 0 and 1, not {share}")
    words: list[CountedMerge[bytes]] = []
    inside = bpe.byte_merges(count_words(counts, split), minimum_count=minimum_count, ties=ties)
    for merge in bpe.until(int(room * share), BYTES, inside):
        words.append(merge)
        yield merge
    yield from superwords(counts, TrainedBPE(byte_alphabet(ties), tuple(words)).model, split, minimum_count, ties)


def count_words(counts: WordCounts, split: Split = split_words) -> dict[str, int]:
    """Return how often each word occurs in spans, in order of first occurrence.

    >>> count_words({"by the way": 5, "by the sea": 4})
    {'by': 9, ' the': 9, ' way': 5, ' sea': 4}
    """
    return symbol_counts((split(span), count) for span, count in counts.items())


def superwords(
    counts: WordCounts,
    model: BPE,
    split: Split = split_words,
    minimum_count: int = 1,
    ties: TieRule = FIRST_SEEN,
) -> Iterator[CountedMerge[bytes]]:
    """Yield the merges of the second phase lazily.

    `model` has the merges of the first phase. No piece gets more than `LONGEST` words.
    """
    pieces: list[bytes] = [b"", *(bytes(piece) for piece in model.pieces)]  # type: ignore[arg-type]
    encode = _word_by_word(model, split)
    spans = sampled(counts)
    pairs = Pairs((([id + 1 for id in encode(span)], count) for span, count in spans), len(pieces) - 1)
    return bpe.merges_of_pairs(pairs, pieces, minimum_count, lambda piece: len(piece.split()) <= LONGEST, ties)


def sampled(counts: WordCounts, most: int = MOST) -> list[tuple[str, int]]:
    """Return the spans of a corpus; if they have more than `most` characters, those with the lowest checksums.

    >>> sampled({"by the way": 1, "by the sea": 2})
    [('by the way', 1), ('by the sea', 2)]
    """
    total = sum(map(len, counts))
    share = most / total * 2**32 if total > most else 2**32
    return [(span, count) for span, count in counts.items() if crc32(span.encode()) < share]


def _word_by_word(model: BPE, split: Split) -> Callable[[str], Iterable[int]]:
    """Return a function that encodes a span like `model.ids`, but each of its words from the cache."""
    inside = {pair for piece in model.pieces for pair in pairwise(piece.encode() if isinstance(piece, str) else piece)}

    def parts(span: str) -> Iterator[str]:
        part = ""
        for word in split(span):
            if part and word and (part[-1].encode()[-1], word[0].encode()[0]) not in inside:
                yield part
                part = ""
            part += word
        yield part

    return lambda span: chain.from_iterable(map(model.ids, parts(span)))


UNKNOWN = "<unk>"


@dataclass(frozen=True)
class TrainedSentencePieceBPE(SpecialsFirst):
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
        known = {*self.special_names, *NAMED_BYTES}
        normal = dict.fromkeys((*merged, *self.alphabet))
        return (*self.special_names, *NAMED_BYTES, *(piece for piece in normal if piece not in known))

    @cached_property
    def scores(self) -> tuple[float, ...]:
        """The score of each piece; it does not matter for special tokens and bytes."""
        first = len(self.special_names) + len(NAMED_BYTES)
        return (*[0.0] * first, *(float(-rank) for rank in range(len(self.pieces) - first)))

    @cached_property
    def model(self) -> ScoredBPE:
        """The model."""
        byte_ids = range(len(self.special_names), len(self.special_names) + len(NAMED_BYTES))
        kinds = [PieceKind.CONTROL] * len(self.special_names)
        kinds[self.special_names.index(self.unknown)] = PieceKind.UNKNOWN
        kinds += [PieceKind.BYTE] * len(NAMED_BYTES)
        kinds += [PieceKind.NORMAL] * (len(self.pieces) - len(kinds))
        return ScoredBPE(ScoredPieces(self.pieces, self.scores, kinds, byte_ids=byte_ids))


def is_within(piece: str, longest: int) -> bool:
    """Whether a piece has at most `longest` letters and digits, and at most one character more than that in all.

    So a word of the longest length may have `▁` or a punctuation mark beside it.

    >>> is_within("，我们", 2), is_within("我们的", 2), is_within("”。\\n", 2), is_within("……”。", 2)
    (True, False, True, False)
    """
    return len(piece) <= longest or (len(piece) == longest + 1 and not piece.isalnum())

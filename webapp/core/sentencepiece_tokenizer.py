"""A tokenizer with SentencePiece's pipeline around pieces and scores of our own, for vocabularies trained here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.text.normalizers import Normalizer, NormalizerSequence
from webapp.core.text.sentencepiece_decoder import SentencePieceDecoder
from webapp.core.text.sentencepiece_normalizer import SentencePieceNormalizer
from webapp.core.tokenizer import Tokenizer

NAMED_BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
GRID = 1 / 128
"""Scores are multiples of this: SentencePiece adds them in single precision and resets sums at 100,000, so its sums are
exact, and the best path is the same as with the double precision of `tokenizers`."""

IDENTITY = SentencePieceNormalizer(remove_extra_whitespaces=False)
"""Keeps all characters: writes `▁` for a space and adds one before the text, so that text decodes unchanged."""


def sentencepiece_tokenizer(
    pieces: Sequence[str],
    scores: Sequence[float],
    *,
    algorithm: Literal["unigram", "bpe"],
    special_tokens: Mapping[str, int] = MappingProxyType({}),
    unknown: str = "<unk>",
    normalizer: Normalizer | None = None,
) -> Tokenizer:
    """Return the tokenizer of pieces in the order of their ids, each with its score.

    `unknown` is one of the pieces; `special_tokens` are pieces that no text produces. If all of `<0x00>` to `<0xFF>`
    are pieces, unknown characters become their bytes. `normalizer` changes the text first; with one, no SentencePiece
    file can hold the tokenizer. For Unigram, scores are log probabilities, rounded to multiples of `GRID`; for BPE, the
    pair that forms the piece with the highest score is merged first.

    >>> pieces, scores = ["<unk>", "▁low", "er", "▁", "l"], [0, -2.0, -2.5, -4.0, -4.5]
    >>> tokenizer = sentencepiece_tokenizer(pieces, scores, algorithm="unigram")
    >>> tokenizer.ids("low lower"), tokenizer.decode([1, 1, 2])
    ([1, 1, 2], 'low lower')

    Raises ValueError for an empty piece, a score that is not a number, pieces without `unknown`, and more or fewer
    scores than pieces.
    """
    if len(pieces) != len(scores):
        raise ValueError(f"{len(pieces):,} pieces, but {len(scores):,} scores")
    byte_ids = None
    known = {piece: id for id, piece in enumerate(pieces)}
    if all(name in known for name in NAMED_BYTES):
        byte_ids = [known[name] for name in NAMED_BYTES]
    kinds = [PieceKind.NORMAL] * len(pieces)
    for id in byte_ids or ():
        kinds[id] = PieceKind.BYTE
    for piece, id in special_tokens.items():
        if known.get(piece) != id:
            raise ValueError(f"the special token {piece!r} is not the piece with the id {id}")
        kinds[id] = PieceKind.CONTROL
    if unknown in known:
        kinds[known[unknown]] = PieceKind.UNKNOWN
    rounded = [round(score / GRID) * GRID if algorithm == "unigram" else float(score) for score in scores]
    plain = [score if kind == PieceKind.NORMAL else 0.0 for score, kind in zip(rounded, kinds, strict=True)]
    vocabulary = ScoredPieces(pieces, plain, kinds, byte_ids=byte_ids)
    control = {piece: id for id, piece in enumerate(pieces) if kinds[id] == PieceKind.CONTROL}
    return Tokenizer(
        SentencePieceUnigram(vocabulary) if algorithm == "unigram" else ScoredBPE(vocabulary),
        normalizer=IDENTITY if normalizer is None else NormalizerSequence((normalizer, IDENTITY)),
        decoder=SentencePieceDecoder(
            control=frozenset(control),
            unknown=unknown,
            byte_pieces={name: byte for byte, name in enumerate(NAMED_BYTES)} if byte_ids else {},
        ),
        special_tokens=control,
    )

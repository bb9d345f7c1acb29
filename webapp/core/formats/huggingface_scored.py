"""SentencePiece's models in the form of a `tokenizer.json`: merges derived from scores, spaces replaced by normalizers.

As Hugging Face's converters do (`SentencePieceExtractor` in `transformers`), so `tokenizers` gives the same ids.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.formats.fields import FormatError
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.scored_pieces import SPACE, ScoredModel, ScoredPieces
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.text import decoders, normalizers
from webapp.core.text.decoders import Decoder, DecoderStep
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.sentencepiece_normalizer import SentencePieceDecoder, SentencePieceNormalizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown


def converted(tokenizer: Tokenizer) -> Tokenizer:
    """Return a tokenizer with SentencePiece's model as one made of parts that a `tokenizer.json` has.

    The ids are the same for every text that spells out no special token. Decoding differs for the unknown token alone.

    Raises FormatError for what these parts cannot express: a character map, removed spaces, user-defined and unused
    pieces, and pieces whose merges `tokenizers` would order differently.
    """
    model, decoder = tokenizer.model, tokenizer.decoder
    if not isinstance(model, ScoredBPE | SentencePieceUnigram) or not isinstance(decoder, SentencePieceDecoder):
        raise FormatError("%(model)s cannot be written to a tokenizer.json", model=type(model).__name__)
    if tokenizer.pretokenizer is not None or model.vocabulary.space != SPACE:
        raise FormatError("a tokenizer.json cannot express how this SentencePiece model splits text")
    for piece in sorted(model.vocabulary.user_defined):
        raise FormatError("a tokenizer.json cannot hold the user-defined piece %(piece)s", piece=shown(piece))
    for piece in model.vocabulary.unused:
        raise FormatError("a tokenizer.json cannot hold the unused piece %(piece)s", piece=shown(piece))
    return tokenizer.changed(
        model=_bpe(model.vocabulary) if isinstance(model, ScoredBPE) else _unigram(model.vocabulary),
        normalizer=_normalizer(tokenizer.normalizer),
        decoder=_decoder(decoder),
    )


def is_scored(model: Model) -> bool:
    """Whether a model has SentencePiece's pieces and scores."""
    return isinstance(model, ScoredModel)


def merges_of(vocabulary: ScoredPieces) -> list[tuple[int, int]]:
    """Return all pairs of pieces that form a piece, as ids: by falling score, then by falling length of the left part.

    >>> from webapp.core.models.scored_pieces import PieceKind
    >>> kinds = [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * 4]
    >>> merges_of(ScoredPieces(["<unk>", "a", "aa", "aaa", "b"], [0, -2, 0, -1, -3], kinds))
    [(1, 1), (2, 1), (1, 2)]

    SentencePiece merges the leftmost of several pairs that form the same piece. Only a piece that overlaps with itself
    can be formed at two overlapping places, and there the longest left part is the leftmost.
    """
    ids, scores = vocabulary.ids, vocabulary.scores
    merges: list[tuple[tuple[float, int, int], int, int]] = []
    for piece, id in ids.items():
        for cut in range(len(piece) - 1, 0, -1):
            left = ids.get(piece[:cut])
            if left is not None and (right := ids.get(piece[cut:])) is not None:
                merges.append(((-scores[id], -cut, cut - len(piece)), left, right))
    merges.sort()
    return [(left, right) for _, left, right in merges]


def _bpe(vocabulary: ScoredPieces) -> BPE:
    ids = vocabulary.ids
    for piece in ids:
        for character in piece:
            if character not in ids:
                raise FormatError(
                    "%(piece)s contains a character that is no piece; a tokenizer.json cannot merge it",
                    piece=shown(piece),
                )
    by_score: dict[float, str] = {}
    for piece, id in ids.items():
        other = by_score.setdefault(vocabulary.scores[id], piece) if len(piece) > 1 else piece
        # Among runs of one character, such as Llama 2's spaces, the longest left part is the leftmost, too.
        if other != piece and len({*other, *piece}) > 1:
            raise FormatError(
                "%(other)s and %(piece)s have the same score; a tokenizer.json cannot leave the order of their merges "
                "open",
                other=shown(other),
                piece=shown(piece),
            )
    return BPE(
        vocabulary.pieces,
        merges_of(vocabulary),
        byte_level=False,
        unknown=vocabulary.pieces[vocabulary.unknown_id],
        fuse_unknown=True,
        byte_fallback=vocabulary.byte_ids is not None,
    )


def _unigram(vocabulary: ScoredPieces) -> Unigram:
    return Unigram(
        vocabulary.pieces,
        vocabulary.scores,
        unknown_id=vocabulary.unknown_id,
        byte_fallback=vocabulary.byte_ids is not None,
    )


def _normalizer(normalizer: Normalizer | None) -> Normalizer:
    before: Sequence[Normalizer] = ()
    if isinstance(normalizer, normalizers.NormalizerSequence):
        *before, normalizer = normalizer.normalizers
    if (
        not isinstance(normalizer, SentencePieceNormalizer)
        or normalizer.remove_extra_whitespaces
        or normalizer.whitespace_as_suffix
        or not normalizer.escape_whitespaces
        or normalizer.character_map.units
        or normalizer.character_map.rules
    ):
        raise FormatError("a tokenizer.json cannot express the normalizer of this SentencePiece model")
    steps: list[Normalizer] = [*before]
    if normalizer.add_dummy_prefix:
        steps.append(normalizers.Prepend(SPACE))
    return normalizers.NormalizerSequence((*steps, normalizers.Replace(" ", SPACE)))


def _decoder(decoder: SentencePieceDecoder) -> Decoder:
    if decoder.strip == "all" or decoder.denormalizer is not None or decoder.space != SPACE:
        raise FormatError("a tokenizer.json cannot express the decoder of this SentencePiece model")
    steps: list[DecoderStep] = [decoders.ReplaceDecoder(SPACE, " ")]
    if decoder.byte_pieces:
        steps.append(decoders.ByteFallback())
    steps.append(decoders.Fuse())
    if decoder.strip == "first":
        steps.append(decoders.StripDecoder(" ", start=1))
    return decoders.DecoderSequence(tuple(steps))

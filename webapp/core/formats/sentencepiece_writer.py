"""Write SentencePiece's `.model`."""

from __future__ import annotations

from array import array
from typing import Any

from webapp.core.added_tokens import AddedToken
from webapp.core.formats.fields import FormatError
from webapp.core.formats.sentencepiece_message import ModelProto
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.scored_pieces import SPACE, PieceKind, ScoredModel
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.sentencepiece_word_char import SentencePieceCharacters, SentencePieceWords
from webapp.core.postprocessors import PostProcessor
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.sentencepiece_decoder import SentencePieceDecoder
from webapp.core.text.sentencepiece_normalizer import SentencePieceNormalizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

_TYPES: dict[type, int] = {SentencePieceUnigram: 1, ScoredBPE: 2, SentencePieceWords: 3, SentencePieceCharacters: 4}


def write(tokenizer: Tokenizer) -> bytes:
    """Return the `.model` of a tokenizer with SentencePiece's model and pipeline.

    `sentencepiece` loads the file and gives the same ids; `read` gives an equal tokenizer.

    Raises FormatError as `check` does.
    """
    model, normalizer, decoder = check(tokenizer)
    vocabulary = model.vocabulary
    message = ModelProto()
    for piece, score, kind in zip(vocabulary.pieces, vocabulary.scores, vocabulary.kinds, strict=True):
        message.pieces.add(piece=piece.encode(), score=score, type=int(kind))
    trainer = message.trainer_spec
    trainer.model_type = _TYPES[type(model)]
    trainer.vocab_size = len(vocabulary.pieces)
    trainer.unk_id = vocabulary.unknown_id
    trainer.unk_piece = vocabulary.pieces[vocabulary.unknown_id].encode()
    trainer.byte_fallback = vocabulary.byte_ids is not None
    trainer.treat_whitespace_as_suffix = normalizer.whitespace_as_suffix
    trainer.unk_surface = decoder.unknown_surface.encode()
    _write_normalizer(message.normalizer_spec, normalizer)
    if isinstance(decoder.denormalizer, SentencePieceNormalizer):
        _write_normalizer(message.denormalizer_spec, decoder.denormalizer)
    content: bytes = message.SerializeToString()
    return content


def check(tokenizer: Tokenizer) -> tuple[ScoredModel, SentencePieceNormalizer, SentencePieceDecoder]:
    """Return model, normalizer and decoder of a tokenizer that a `.model` can hold.

    Raises FormatError for another model or pipeline, and for what the file would not hold: other added tokens, a
    character map without its compiled form, a score that single precision rounds.
    """
    model, normalizer, decoder = tokenizer.model, tokenizer.normalizer, tokenizer.decoder
    if not isinstance(model, ScoredModel) or type(model) not in _TYPES:
        raise FormatError(
            "%(model)s cannot be written to a SentencePiece model, which holds pieces and scores",
            model=type(model).__name__,
        )
    if (
        not isinstance(normalizer, SentencePieceNormalizer)
        or not isinstance(decoder, SentencePieceDecoder)
        or tokenizer.pretokenizer is not None
        or normalizer.user_defined != model.vocabulary.user_defined
        or decoder != _decoder_read_back(model, normalizer, decoder)
    ):
        raise FormatError("a SentencePiece model implies SentencePiece's pipeline; this tokenizer uses another")
    vocabulary = model.vocabulary
    _compiled(normalizer.character_map)
    for piece, score, rounded in zip(vocabulary.pieces, vocabulary.scores, array("f", vocabulary.scores), strict=True):
        if score != rounded:
            raise FormatError(
                "a SentencePiece model would round the score %(score)s of %(piece)s", score=score, piece=shown(piece)
            )
    control = {piece: id for id, piece in enumerate(vocabulary.pieces) if vocabulary.kinds[id] == PieceKind.CONTROL}
    if {token.content: token for token in tokenizer.added_tokens} != {
        piece: AddedToken(piece, id) for piece, id in control.items()
    } or tokenizer.postprocessor != PostProcessor():
        raise FormatError("a SentencePiece model cannot hold the added tokens of this vocabulary")
    return model, normalizer, decoder


def _decoder_read_back(
    model: ScoredModel, normalizer: SentencePieceNormalizer, decoder: SentencePieceDecoder
) -> SentencePieceDecoder:
    """Return the decoder that `read` gives the file."""
    vocabulary = model.vocabulary
    byte_names = [f"<0x{byte:02X}>" for byte in range(256)] if vocabulary.byte_ids is not None else []
    is_sentencepiece = (
        vocabulary.space == SPACE
        and [vocabulary.pieces[id] for id in vocabulary.byte_ids or ()] == byte_names
        and isinstance(decoder.denormalizer, SentencePieceNormalizer | None)
    )
    if not is_sentencepiece:
        raise FormatError("a SentencePiece model implies SentencePiece's pipeline; this tokenizer uses another")
    if isinstance(decoder.denormalizer, SentencePieceNormalizer) and not decoder.denormalizer.character_map.units:
        raise FormatError("the character map has no compiled form")
    kinds = vocabulary.kinds
    strip = "all" if normalizer.remove_extra_whitespaces else "first" if normalizer.add_dummy_prefix else "nothing"
    return SentencePieceDecoder(
        control=frozenset(piece for id, piece in enumerate(vocabulary.pieces) if kinds[id] == PieceKind.CONTROL),
        unknown=vocabulary.pieces[vocabulary.unknown_id],
        unknown_surface=decoder.unknown_surface,
        byte_pieces={name: byte for byte, name in enumerate(byte_names)},
        strip=strip,  # type: ignore[arg-type]
        denormalizer=decoder.denormalizer,
    )


def _write_normalizer(spec: Any, normalizer: SentencePieceNormalizer) -> None:
    spec.precompiled_charsmap = _compiled(normalizer.character_map)
    spec.add_dummy_prefix = normalizer.add_dummy_prefix
    spec.remove_extra_whitespaces = normalizer.remove_extra_whitespaces
    spec.escape_whitespaces = normalizer.escape_whitespaces


def _compiled(rules: CharacterMap) -> bytes:
    """Return the character map as its file had it: the size of the trie, the trie, the replacements."""
    if rules.units:
        units = rules.units.tobytes()
        return len(units).to_bytes(4, "little") + units + rules.texts
    if rules.rules:
        raise FormatError("the character map has no compiled form")
    return b""

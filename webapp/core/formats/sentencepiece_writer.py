"""Write SentencePiece's `.model`."""

from __future__ import annotations

from webapp.core.formats import sentencepiece
from webapp.core.formats.fields import FormatError
from webapp.core.formats.sentencepiece_message import ModelProto
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.scored_pieces import ScoredModel
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.sentencepiece_word_char import SentencePieceCharacters, SentencePieceWords
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.sentencepiece_decoder import SentencePieceDecoder
from webapp.core.text.sentencepiece_normalizer import SentencePieceNormalizer
from webapp.core.tokenizer import Tokenizer

_TYPES: dict[type, int] = {SentencePieceUnigram: 1, ScoredBPE: 2, SentencePieceWords: 3, SentencePieceCharacters: 4}


def write(tokenizer: Tokenizer) -> bytes:
    """Return the `.model` of a tokenizer with SentencePiece's model and pipeline.

    `sentencepiece` loads the file and gives the same ids; `read` gives an equal tokenizer.

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
        tokenizer.pretokenizer is not None
        or not isinstance(normalizer, SentencePieceNormalizer)
        or not isinstance(decoder, SentencePieceDecoder)
        or model.vocabulary.space != "▁"
    ):
        raise FormatError("a SentencePiece model implies SentencePiece's pipeline; this tokenizer uses another")
    vocabulary = model.vocabulary
    message = ModelProto()
    for piece, score, kind in zip(vocabulary.pieces, vocabulary.scores, vocabulary.kinds, strict=True):
        message.pieces.add(piece=piece.encode(), score=score, type=int(kind))
    message.trainer_spec.model_type = _TYPES[type(model)]
    message.trainer_spec.vocab_size = len(vocabulary.pieces)
    message.trainer_spec.unk_id = vocabulary.unknown_id
    message.trainer_spec.unk_piece = vocabulary.pieces[vocabulary.unknown_id].encode()
    message.trainer_spec.byte_fallback = vocabulary.byte_ids is not None
    message.trainer_spec.treat_whitespace_as_suffix = normalizer.whitespace_as_suffix
    message.trainer_spec.unk_surface = decoder.unknown_surface.encode()
    _write_normalizer(message.normalizer_spec, normalizer)
    if decoder.denormalizer is not None:
        if not isinstance(decoder.denormalizer, SentencePieceNormalizer):
            raise FormatError("a SentencePiece model implies SentencePiece's pipeline; this tokenizer uses another")
        _write_normalizer(message.denormalizer_spec, decoder.denormalizer)
    content: bytes = message.SerializeToString()
    _check(tokenizer, content)
    return content


def _write_normalizer(spec: object, normalizer: SentencePieceNormalizer) -> None:
    spec.precompiled_charsmap = _compiled(normalizer.character_map)  # type: ignore[attr-defined]
    for name in ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"):
        setattr(spec, name, getattr(normalizer, name))


def _compiled(rules: CharacterMap) -> bytes:
    """Return the character map as its file had it: the size of the trie, the trie, the replacements."""
    if rules.units:
        units = rules.units.tobytes()
        return len(units).to_bytes(4, "little") + units + rules.texts
    if rules.rules:
        raise FormatError("the character map has no compiled form")
    return b""


def _check(tokenizer: Tokenizer, content: bytes) -> None:
    """Raise FormatError unless reading the file gives an equal tokenizer."""
    again = sentencepiece.read(content)
    ours, theirs = tokenizer.model, again.model
    assert isinstance(ours, ScoredModel)
    assert isinstance(theirs, ScoredModel)
    if (ours.vocabulary.scores, ours.vocabulary.kinds) != (theirs.vocabulary.scores, theirs.vocabulary.kinds):
        raise FormatError("a SentencePiece model rounds a score of this vocabulary to single precision")
    if list(tokenizer.added_tokens) != list(again.added_tokens) or tokenizer.postprocessor != again.postprocessor:
        raise FormatError("a SentencePiece model cannot hold the added tokens of this vocabulary")
    if (tokenizer.normalizer, tokenizer.decoder) != (again.normalizer, again.decoder):
        raise FormatError("a SentencePiece model implies SentencePiece's pipeline; this tokenizer uses another")

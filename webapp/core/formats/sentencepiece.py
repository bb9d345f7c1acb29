"""SentencePiece's `.model`: read a whole pipeline with any of the four model types.

Ids and decoded text equal those of the package `sentencepiece` (0.2.3). SentencePiece has no pre-tokenizer, so these
tokenizers have none either: the model receives the whole normalized text.

`ModelProto` is the protocol buffer message of a file, with the fields that this site reads or writes.

Field numbers follow `sentencepiece_model.proto`; other fields are ignored. Strings are declared as bytes and enums as
integers, so that a string that is not UTF-8 or an unknown enum value gets an error message of its own. The messages
have a package name of their own, so that they do not clash with SentencePiece's when both are loaded.
"""

import tomllib
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from webapp.core.added_tokens import AddedToken, PostProcessor
from webapp.core.formats.reading import LARGEST_FILE, LARGEST_VOCABULARY, FormatError, parts_of_file, repeated
from webapp.core.formats.written_parts import compiled_map
from webapp.core.models import scored_pieces
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.sentencepiece_normalizer import SentencePieceDecoder, SentencePieceNormalizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

LONGEST_PIECE = 8000  # bytes, as in SentencePiece

_MODELS: dict[int, Callable[[scored_pieces.ScoredPieces], scored_pieces.ScoredModel]] = {
    1: SentencePieceUnigram,
    2: ScoredBPE,
    3: scored_pieces.SentencePieceWords,
    4: scored_pieces.SentencePieceCharacters,
}


def read(content: bytes) -> Tokenizer:
    """Return the tokenizer that a `.model` describes; its control pieces become special tokens.

    Raises FormatError, a ValueError, if the file is not such a message or is too large, or if it has no pieces, a
    duplicate or empty piece, not exactly one unknown piece, a score that is not a number, an incomplete set of byte
    pieces or a broken character map.
    """
    if len(content) > LARGEST_FILE:
        raise FormatError("the file has %(count)s bytes, too many for a SentencePiece model", count=f"{len(content):,}")
    # Every piece begins with this byte. An empty message is 2 bytes in the file and about 100 in memory.
    if content.count(b"\n") > 3 * LARGEST_VOCABULARY:
        raise FormatError(
            "more than %(most)s pieces, too many for a SentencePiece model", most=f"{LARGEST_VOCABULARY:,}"
        )
    message = ModelProto()
    try:
        message.ParseFromString(content)
    except DecodeError:
        raise FormatError("not a SentencePiece model, or only a part of one: the message cannot be parsed") from None
    if not message.pieces:
        raise FormatError("not a SentencePiece model: there are no pieces")
    with parts_of_file():
        return _tokenizer(message)


def _tokenizer(message: Any) -> Tokenizer:
    trainer, normalizer = message.trainer_spec, message.normalizer_spec
    if trainer.model_type not in _MODELS:
        raise FormatError("the model type %(type)s is not one of SentencePiece's four", type=trainer.model_type)
    vocabulary = _vocabulary(message)
    model = _MODELS[trainer.model_type](vocabulary)
    control = _control(vocabulary)
    return Tokenizer(
        model,
        normalizer=_normalizer(normalizer, trainer.treat_whitespace_as_suffix, vocabulary.user_defined),
        decoder=_decoder(
            vocabulary,
            normalizer,
            _decoded(trainer.unk_surface) if trainer.HasField("unk_surface") else " ⁇ ",
            _normalizer(message.denormalizer_spec, False, frozenset())
            if message.denormalizer_spec.precompiled_charsmap
            else None,
        ),
        special_tokens=control,
    )


def _vocabulary(message: Any) -> scored_pieces.ScoredPieces:
    pieces = [_decoded(entry.piece) for entry in message.pieces]
    if (twice := repeated(pieces)) is not None:
        raise FormatError("the piece %(twice)s occurs twice in the vocabulary", twice=shown(twice))
    try:
        kinds = [_KINDS[entry.type] for entry in message.pieces]
    except KeyError as missing:
        raise FormatError("%(missing)s is not a piece type", missing=missing.args[0]) from None
    scores = [entry.score for entry in message.pieces]
    return scored_pieces.ScoredPieces(
        pieces, scores, kinds, byte_ids=_byte_ids(pieces, kinds, message.trainer_spec.byte_fallback)
    )


def _byte_ids(pieces: list[str], kinds: list[scored_pieces.PieceKind], fallback: bool) -> list[int] | None:
    found = {piece: id for id, piece in enumerate(pieces) if kinds[id] == scored_pieces.PieceKind.BYTE}
    if found and not fallback:
        raise FormatError(
            "the vocabulary has the byte piece %(piece)s, but byte fallback is off", piece=shown(next(iter(found)))
        )
    if not fallback:
        return None
    if found.keys() != set(scored_pieces.NAMED_BYTES):
        wrong = next(iter(found.keys() ^ set(scored_pieces.NAMED_BYTES)))
        raise FormatError(
            "byte fallback needs the 256 byte pieces: %(wrong)s is missing or not one of them", wrong=shown(wrong)
        )
    return [found[name] for name in scored_pieces.NAMED_BYTES]


def _normalizer(spec: Any, suffix: bool, user_defined: frozenset[str]) -> SentencePieceNormalizer:
    blob = spec.precompiled_charsmap
    return SentencePieceNormalizer(
        CharacterMap.read(blob) if blob else CharacterMap.of({}),
        **{name: getattr(spec, name) for name in _SPACES},
        whitespace_as_suffix=suffix,
        user_defined=user_defined,
    )


def _decoded(content: bytes) -> str:
    if len(content) >= LONGEST_PIECE:
        raise FormatError("a piece of %(count)s bytes is too long", count=f"{len(content):,}")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise FormatError("the piece %(content)s is not valid UTF-8", content=shown(content)) from None
    if "\0" in text:
        raise FormatError("the piece %(text)s contains a null character", text=shown(text))
    return text


_KINDS = {kind.value: kind for kind in scored_pieces.PieceKind}
_SPACES = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")


_TYPES: dict[object, int] = {model: number for number, model in _MODELS.items()}


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


def check(tokenizer: Tokenizer) -> tuple[scored_pieces.ScoredModel, SentencePieceNormalizer, SentencePieceDecoder]:
    """Return model, normalizer and decoder of a tokenizer that a `.model` can hold.

    Raises FormatError for another model or pipeline, and for what the file would not hold: other added tokens, a
    character map without its compiled form, a score that single precision rounds.
    """
    model, normalizer, decoder = tokenizer.model, tokenizer.normalizer, tokenizer.decoder
    if not isinstance(model, scored_pieces.ScoredModel) or type(model) not in _TYPES:
        raise FormatError(
            "%(model)s cannot be written to a SentencePiece model, which holds pieces and scores",
            model=type(model).__name__,
        )
    vocabulary = model.vocabulary
    if (
        not isinstance(normalizer, SentencePieceNormalizer)
        or not isinstance(decoder, SentencePieceDecoder)
        or not isinstance(decoder.denormalizer, SentencePieceNormalizer | None)
        or tokenizer.pretokenizer is not None
        or normalizer.user_defined != vocabulary.user_defined
        or vocabulary.space != scored_pieces.SPACE
        or [vocabulary.pieces[id] for id in vocabulary.byte_ids or ()] not in ([], list(scored_pieces.NAMED_BYTES))
        or decoder != _decoder(vocabulary, normalizer, decoder.unknown_surface, decoder.denormalizer)
    ):
        raise FormatError("a SentencePiece model implies SentencePiece's pipeline; this tokenizer uses another")
    if decoder.denormalizer is not None and not decoder.denormalizer.character_map.units:
        raise FormatError("the character map has no compiled form")
    compiled_map(normalizer.character_map)
    for piece, score, rounded in zip(vocabulary.pieces, vocabulary.scores, array("f", vocabulary.scores), strict=True):
        if score != rounded:
            raise FormatError(
                "a SentencePiece model would round the score %(score)s of %(piece)s", score=score, piece=shown(piece)
            )
    control = _control(vocabulary)
    if {token.content: token for token in tokenizer.added_tokens} != {
        piece: AddedToken(piece, id) for piece, id in control.items()
    } or tokenizer.postprocessor != PostProcessor():
        raise FormatError("a SentencePiece model cannot hold the added tokens of this vocabulary")
    return model, normalizer, decoder


def _decoder(
    vocabulary: scored_pieces.ScoredPieces, spaces: Any, unknown_surface: str, denormalizer: Normalizer | None
) -> SentencePieceDecoder:
    """Return the decoder of a file; `spaces` says how its normalizer treats them."""
    return SentencePieceDecoder(
        control=frozenset(_control(vocabulary)),
        unknown=vocabulary.pieces[vocabulary.unknown_id],
        unknown_surface=unknown_surface,
        byte_pieces={vocabulary.pieces[id]: byte for byte, id in enumerate(vocabulary.byte_ids or ())},
        strip="all" if spaces.remove_extra_whitespaces else "first" if spaces.add_dummy_prefix else "nothing",
        denormalizer=denormalizer,
    )


def _control(vocabulary: scored_pieces.ScoredPieces) -> dict[str, int]:
    return {
        piece: id
        for id, piece in enumerate(vocabulary.pieces)
        if vocabulary.kinds[id] == scored_pieces.PieceKind.CONTROL
    }


def _write_normalizer(spec: Any, normalizer: SentencePieceNormalizer) -> None:
    spec.precompiled_charsmap = compiled_map(normalizer.character_map)
    for name in _SPACES:
        setattr(spec, name, getattr(normalizer, name))


PACKAGE = "tokenscope"

_FIELDS = tomllib.loads(Path(__file__).with_name("sentencepiece_fields.toml").read_text(encoding="utf-8"))


def _declared() -> FileDescriptorProto:
    file = FileDescriptorProto(name="tokenscope/sentencepiece.proto", package=PACKAGE, syntax="proto2")
    for message, fields in _FIELDS.items():
        declared = file.message_type.add(name=message)
        for name, (number, kind, default) in fields.items():
            field = declared.field.add(name=name, number=number, label=FieldDescriptorProto.LABEL_OPTIONAL)
            if kind in _FIELDS:
                field.type = FieldDescriptorProto.TYPE_MESSAGE
                field.type_name = f".{PACKAGE}.{kind}"
            else:
                field.type = FieldDescriptorProto.Type.Value(f"TYPE_{kind}")
                field.default_value = default
            if name == "pieces":
                field.label = FieldDescriptorProto.LABEL_REPEATED
    return file


def message_class() -> Any:
    """Return the class of the message that makes up a whole file."""
    pool = DescriptorPool()
    pool.Add(_declared())
    return GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.ModelProto"))


ModelProto: Any = message_class()

"""SentencePiece models, trained and written by `sentencepiece`."""

import io
from functools import cache
from typing import Any

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from tests.core.texts import CORPUS


@cache
def trained(text: str = CORPUS, **options: Any) -> bytes:
    """Train a small model on a text, the inline corpus by default, and return the bytes of its file."""
    model = io.BytesIO()
    options = {"vocab_size": 400, "hard_vocab_limit": False, "character_coverage": 0.98, **options}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text.splitlines()), model_writer=model, minloglevel=2, num_threads=1, **options
    )
    return model.getvalue()


def parsed(content: bytes) -> Any:
    """Parse a model file into its protobuf message, to be changed."""
    message = sentencepiece_model_pb2.ModelProto()
    message.ParseFromString(content)
    return message


def made(
    pieces: list[tuple[str, float, int]],
    *,
    model_type: int,
    byte_fallback: bool = False,
    suffix: bool = False,
    **normalizer: bool | bytes,
) -> bytes:
    """Return a model file of pieces with score and type (1 normal, 2 unknown, 3 control, 4 user-defined)."""
    message = sentencepiece_model_pb2.ModelProto()
    for piece, score, kind in pieces:
        message.pieces.add(piece=piece, score=score, type=kind)
    message.trainer_spec.model_type = model_type
    message.trainer_spec.byte_fallback = byte_fallback
    message.trainer_spec.treat_whitespace_as_suffix = suffix
    for name, value in normalizer.items():
        setattr(message.normalizer_spec, name, value)
    content: bytes = message.SerializeToString()
    return content

"""`{"tokens": [...], "scores": [...]}`: SentencePiece's BPE vocabulary as llama2.c and llama3.np store it in JSON."""

from typing import Any

from webapp.core.formats.reading import LARGEST_VOCABULARY, FormatError, field, parts_of_file, read_json, repeated
from webapp.core.models.scored_pieces import NAMED_BYTES, PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.text.sentencepiece_normalizer import SentencePieceDecoder
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

BYTES = [chr(byte) for byte in range(256)]
# The 256 byte tokens follow the unknown token and a handful of control tokens.
_MOST_SPECIAL = 64


def read(text: str) -> Tokenizer:
    """Return the tokenizer that such a JSON describes.

    Its tokens contain plain spaces, and encoding does not prepend one: for a text with a space in front, the ids are
    those of the original SentencePiece model. The 256 byte tokens encode only characters without a token of their own:
    in Llama's vocabulary a comma is the token 29892, never the byte token 47. The tokens before them are the unknown
    token and control tokens.

    Raises FormatError if the text is not such a JSON, if tokens and scores differ in number, if a token is empty or
    occurs twice, if a score is not a number, or if `<unk>` or the 256 byte tokens after it are missing.
    """
    document = read_json(text)
    if not isinstance(document, dict):
        raise FormatError('a tokens-and-scores JSON is an object with "tokens" and "scores"')
    tokens, scores = _texts(field(document, "tokens", list)), _numbers(field(document, "scores", list))
    if len(tokens) != len(scores):
        raise FormatError(
            "%(tokens)s tokens, but %(scores)s scores", tokens=f"{len(tokens):,}", scores=f"{len(scores):,}"
        )
    first_byte = _first_byte(tokens)
    kinds = (
        [PieceKind.CONTROL] * first_byte
        + [PieceKind.BYTE] * 256
        + [PieceKind.NORMAL] * (len(tokens) - first_byte - 256)
    )
    if "<unk>" not in tokens[:first_byte]:
        raise FormatError('the token "<unk>" is missing before the byte tokens')
    unknown = tokens.index("<unk>")
    kinds[unknown] = PieceKind.UNKNOWN
    pieces = [*tokens[:first_byte], *NAMED_BYTES, *tokens[first_byte + 256 :]]
    if (twice := repeated(pieces)) is not None:
        raise FormatError("the token %(twice)s occurs twice in the list", twice=shown(twice))
    with parts_of_file():
        vocabulary = ScoredPieces(pieces, scores, kinds, byte_ids=range(first_byte, first_byte + 256), space=" ")
    control = {piece: id for id, piece in enumerate(pieces[:first_byte]) if id != unknown}
    byte_pieces = {piece: byte for byte, piece in enumerate(NAMED_BYTES)}
    decoder = SentencePieceDecoder(frozenset(control), "<unk>", byte_pieces=byte_pieces, strip="nothing", space=" ")
    return Tokenizer(ScoredBPE(vocabulary), decoder=decoder, special_tokens=control)


def _texts(values: list[Any]) -> list[str]:
    if len(values) > LARGEST_VOCABULARY:
        raise FormatError(
            "%(count)s tokens; at most %(most)s are allowed", count=f"{len(values):,}", most=f"{LARGEST_VOCABULARY:,}"
        )
    for id, value in enumerate(values):
        if not isinstance(value, str):
            raise FormatError(
                "the token with the id %(id)s should be a string, not %(value)s", id=id, value=shown(value)
            )
        if len(value) > 8000:
            raise FormatError("the token with the id %(id)s is too long", id=id)
    return values


def _numbers(values: list[Any]) -> list[float]:
    for id, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise FormatError(
                "the score with the id %(id)s should be a number, not %(value)s", id=id, value=shown(value)
            )
    try:
        return [float(value) for value in values]
    except OverflowError:
        raise FormatError("a score is too large") from None


def _first_byte(tokens: list[str]) -> int:
    """Return the id of the first byte token; bytes are spelled as their characters or as `<0x00>` and so on."""
    for at in range(min(_MOST_SPECIAL, len(tokens))):
        if tokens[at : at + 256] in (BYTES, list(NAMED_BYTES)):
            return at
    raise FormatError("the 256 byte tokens are missing after the first tokens")

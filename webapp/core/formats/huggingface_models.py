"""The `model` of a `tokenizer.json`: BPE, WordPiece and Unigram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webapp.core.formats.fields import FormatError, field, unsupported
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece

Json = dict[str, Any]


def read_model(part: Json, special_tokens: Mapping[str, int], *, byte_level: bool) -> Model:
    """The model that a part describes, over bytes or over characters.

    Raises FormatError for a malformed part or a model that is not known, ValueError for one whose vocabulary
    contradicts itself.
    """
    kind = field(part, "type", str, None) or _guessed(part)
    if kind == "BPE":
        return _read_bpe(part, special_tokens, byte_level=byte_level)
    if kind == "WordPiece":
        return WordPiece(
            _pieces(part),
            unknown=field(part, "unk_token", str),
            continuing_subword_prefix=field(part, "continuing_subword_prefix", str),
            max_word_length=field(part, "max_input_chars_per_word", int, 100),
        )
    if kind == "Unigram":
        return _read_unigram(part)
    raise FormatError(f"the model {kind!r} is not supported")


def write_model(model: Model, special_by_id: Mapping[int, str]) -> Json:
    """The part that describes a model; raises FormatError for one without counterpart."""
    match model:
        case BPE():
            pieces = _written(model, special_by_id)
            return {
                "type": "BPE",
                "dropout": None,
                "unk_token": model.unknown,
                "continuing_subword_prefix": None,
                "end_of_word_suffix": model.end_of_word_suffix or None,
                "fuse_unk": False,
                "byte_fallback": False,
                "ignore_merges": False,
                "vocab": {piece: id for id, piece in enumerate(pieces)},
                "merges": [[pieces[left], pieces[right]] for left, right in model.merges],
            }
        case WordPiece():
            return {
                "type": "WordPiece",
                "unk_token": model.unknown,
                "continuing_subword_prefix": model.continuing_subword_prefix,
                "max_input_chars_per_word": model.max_word_length,
                "vocab": {piece: id for id, piece in enumerate(model.pieces)},
            }
        case Unigram():
            return {
                "type": "Unigram",
                "unk_id": model.unknown_id,
                "vocab": [list(entry) for entry in zip(model.pieces, model.scores, strict=True)],
                "byte_fallback": False,
            }
    raise FormatError(f"{type(model).__name__} cannot be written to a tokenizer.json")


def _guessed(part: Json) -> str:
    """Files from before 2020 leave the model's type out."""
    if "merges" in part:
        return "BPE"
    return "WordPiece" if "continuing_subword_prefix" in part else "Unigram"


def _read_bpe(part: Json, special_tokens: Mapping[str, int], *, byte_level: bool) -> BPE:
    unsupported(part, "dropout", None, 0)
    unsupported(part, "continuing_subword_prefix", None, "")
    unsupported(part, "byte_fallback", False, None)
    unsupported(part, "ignore_merges", False, None)
    names = _pieces(part)
    ids = {name: id for id, name in enumerate(names)}
    unknown = field(part, "unk_token", str, None)
    if unknown not in ids:  # some files name an unknown token that they do not have
        unknown = None
    if unknown is not None:
        unsupported(part, "fuse_unk", False, None)
    return BPE(
        _as_bytes(names, special_tokens) if byte_level else names,
        _merges(part, ids),
        byte_level=byte_level,
        end_of_word_suffix=field(part, "end_of_word_suffix", str, ""),
        unknown=None if byte_level else unknown,
    )


def _read_unigram(part: Json) -> Unigram:
    unsupported(part, "byte_fallback", False, None)
    entries = field(part, "vocab", list)
    try:
        pieces = [piece for piece, _ in entries]
        scores = [score for _, score in entries]
    except (TypeError, ValueError):
        raise FormatError('"vocab" should be a list of pieces with a score each') from None
    if set(map(type, pieces)) - {str} or set(map(type, scores)) - {int, float}:
        raise FormatError('"vocab" should be a list of pieces with a score each')
    return Unigram(pieces, scores, unknown_id=field(part, "unk_id", int))


def _pieces(part: Json) -> list[str]:
    """The pieces in the order of their ids, which have to count from 0 without a gap."""
    vocabulary = field(part, "vocab", dict)
    ids = list(vocabulary.values())
    if set(map(type, ids)) - {int}:
        raise FormatError('"vocab" should give each piece a whole number')
    if ids != list(range(len(ids))):
        if sorted(ids) != list(range(len(ids))):
            raise FormatError(f'the ids of "vocab" should be the numbers from 0 to {len(ids) - 1}, each once')
        return sorted(vocabulary, key=vocabulary.__getitem__)
    return list(vocabulary)


def _merges(part: Json, ids: Mapping[str, int]) -> list[tuple[int, int]]:
    """The merges as pairs of ids; files have them as pairs, older ones as texts with a space in between."""
    merges = field(part, "merges", list)
    try:
        if merges and isinstance(merges[0], str):
            merges = [merge.split(" ") for merge in merges if not merge.startswith("#version")]
        return [(ids[left], ids[right]) for left, right in merges]
    except KeyError as missing:
        raise FormatError(f"a merge names {missing.args[0]!r}, which is not in the vocabulary") from None
    except (TypeError, ValueError, AttributeError):
        raise FormatError('"merges" should be a list of pairs of pieces') from None


# --- bytes as text ----------------------------------------------------------------------------------------------------
# A tokenizer.json spells each byte as one printable character (Radford et al. 2019, `bytes_to_unicode`): printable
# Latin-1 characters stand for themselves, the other bytes are numbered from U+0100 on.

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
_CHARACTER_OF = {byte: byte for byte in _PRINTABLE} | {byte: 0x100 + at for at, byte in enumerate(_OTHERS)}
_BYTE_OF = {character: byte for byte, character in _CHARACTER_OF.items()}


def _as_bytes(names: Sequence[str], special_tokens: Mapping[str, int]) -> list[bytes]:
    pieces = []
    for id, name in enumerate(names):
        if special_tokens.get(name) == id:
            pieces.append(name.encode())  # special tokens stand in the file as they are
            continue
        try:
            pieces.append(name.translate(_BYTE_OF).encode("latin-1"))
        except UnicodeEncodeError:
            raise FormatError(f"the piece {name!r} is no byte-level piece") from None
    return pieces


def _written(model: BPE, special_by_id: Mapping[int, str]) -> list[str]:
    return [_spelt(model.pieces[id], special_by_id.get(id)) for id in range(len(model.pieces))]


def _spelt(piece: str | bytes, special: str | None) -> str:
    if isinstance(piece, str):
        return piece
    return special or piece.decode("latin-1").translate(_CHARACTER_OF)

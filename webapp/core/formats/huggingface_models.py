"""Read and write the `model` of a `tokenizer.json`: BPE, WordPiece, Unigram or WordLevel."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from webapp.core.added_tokens import AddedToken
from webapp.core.formats.huggingface_parts import whole_number
from webapp.core.formats.reading import LARGEST_VOCABULARY, FormatError, field
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordLevel, WordPiece
from webapp.core.text.utf8 import bytes_to_characters, foreign_characters, names_to_bytes
from webapp.core.vocabulary_error import shown

# Merges are read in batches of this size; the source of each batch is freed before the next, which bounds memory.
AT_A_TIME = 10_000

_BYTES = {bytes([byte]) for byte in range(256)}
# The bytes that occur in UTF-8.
_UTF_8 = {bytes([byte]) for byte in (*range(0xC0), *range(0xC2, 0xF5))}

Json = dict[str, Any]


def read_model(part: Json, added: Sequence[AddedToken], *, byte_level: bool) -> Model:
    """Return the model that a part describes: over bytes with `byte_level` if that is equivalent, else over characters.

    Raises FormatError for a malformed part or an unsupported model, ValueError for an inconsistent vocabulary.
    """
    kind = field(part, "type", str, None) or _guessed(part)
    if kind == "BPE":
        return _read_bpe(part, added, byte_level=byte_level)
    if kind == "Unigram":
        return _read_unigram(part)
    if kind not in ("WordPiece", "WordLevel"):
        raise FormatError("the model %(kind)s is not supported", kind=shown(kind))
    pieces, gaps = pieces_by_id(field(part, "vocab", dict))
    if kind == "WordPiece":
        return WordPiece(
            pieces,
            unknown=field(part, "unk_token", str, "[UNK]"),
            continuing_subword_prefix=field(part, "continuing_subword_prefix", str, "##"),
            max_word_length=whole_number(part, "max_input_chars_per_word", 100),
            gaps=gaps,
        )
    return WordLevel(pieces, unknown=field(part, "unk_token", str, "<unk>"), gaps=gaps)


def write_model(model: Model, special_by_id: Mapping[int, str]) -> Json:
    """Return the part that describes a model; raises FormatError for one without a counterpart."""
    check_model(model)
    pieces = [_name(piece, special_by_id.get(id)) for id, piece in enumerate(model.pieces)]
    gaps = getattr(model, "gaps", ())
    vocabulary: Any = {piece: id for id, piece in enumerate(pieces) if id not in gaps}
    part: Json = {}
    match model:
        case BPE():
            part = {
                "type": "BPE",
                "dropout": None,
                "unk_token": model.unknown,
                "continuing_subword_prefix": model.continuing_subword_prefix or None,
                "end_of_word_suffix": model.end_of_word_suffix or None,
                "fuse_unk": model.fuse_unknown,
                "byte_fallback": model.byte_fallback,
                "ignore_merges": model.ignore_merges,
                "vocab": vocabulary,
                "merges": [[pieces[left], pieces[right]] for left, right in model.merges],
            }
        case WordPiece():
            part = {
                "type": "WordPiece",
                "unk_token": model.unknown,
                "continuing_subword_prefix": model.continuing_subword_prefix,
                "max_input_chars_per_word": model.max_word_length,
                "vocab": vocabulary,
            }
        case Unigram():
            vocabulary = [list(entry) for entry in zip(pieces, model.scores, strict=True)]
            unknown, fallback = model.unknown_id, model.byte_fallback
            part = {"type": "Unigram", "unk_id": unknown, "vocab": vocabulary, "byte_fallback": fallback}
        case WordLevel():
            part = {"type": "WordLevel", "unk_token": model.unknown, "vocab": vocabulary}
    return part


def check_model(model: Model) -> None:
    """Raise FormatError for a model that `write_model` refuses."""
    if not isinstance(model, BPE | WordPiece | Unigram | WordLevel):
        raise FormatError("%(model)s cannot be written to a tokenizer.json", model=type(model).__name__)


def _guessed(part: Json) -> str:
    """Return the model's type for files from before 2020, which omit it."""
    if "merges" in part:
        return "BPE"
    return "WordPiece" if "continuing_subword_prefix" in part else "Unigram"


def _read_bpe(part: Json, added: Sequence[AddedToken], *, byte_level: bool) -> BPE:
    ids = field(part, "vocab", dict)
    names, gaps = pieces_by_id(ids)
    unknown = field(part, "unk_token", str, None)
    if unknown not in ids:  # some files name an unknown token that is not in their vocabulary
        unknown = None
    merges = _merges(part, ids)
    prefix = field(part, "continuing_subword_prefix", str, "")
    suffix = field(part, "end_of_word_suffix", str, "")
    ignore_merges = field(part, "ignore_merges", bool, False)
    if byte_level and not prefix:
        pieces = _as_bytes(names, added)
        known = set(pieces or ())
        ends = suffix.isascii() and (not suffix or known >= {each + suffix.encode() for each in _BYTES} | _BYTES)
        if pieces is not None and ends and (unknown is None or known >= _UTF_8):
            return BPE(
                pieces,
                merges,
                byte_level=True,
                end_of_word_suffix=suffix,
                ignore_merges=ignore_merges,
                partial=not suffix,
                gaps=gaps,
            )
    return BPE(
        names,
        merges,
        byte_level=False,
        continuing_subword_prefix=prefix,
        end_of_word_suffix=suffix,
        unknown=unknown,
        fuse_unknown=field(part, "fuse_unk", bool, False),
        byte_fallback=field(part, "byte_fallback", bool, False),
        ignore_merges=ignore_merges,
        gaps=gaps,
    )


def _read_unigram(part: Json) -> Unigram:
    entries = field(part, "vocab", list)
    try:
        pieces, scores = [piece for piece, _ in entries], [score for _, score in entries]
    except (TypeError, ValueError):
        pieces, scores = [None], [None]
    if set(map(type, pieces)) - {str} or set(map(type, scores)) - {int, float}:
        raise FormatError('"vocab" should be a list of [piece, score] pairs')
    if any(abs(score) > 1e30 for score in scores):
        raise FormatError('a score in "vocab" is out of range')
    return Unigram(
        pieces, scores, unknown_id=field(part, "unk_id", int), byte_fallback=field(part, "byte_fallback", bool, False)
    )


def pieces_by_id(vocabulary: Mapping[str, Any]) -> tuple[list[str], Collection[int]]:
    """Return the pieces in the order of their ids, and the ids below the highest one that no piece has.

    >>> pieces_by_id({"b": 3, "a": 0})
    (['a', '', '', 'b'], {1, 2})

    Raises FormatError for an id that is no integer, occurs twice or is out of range: the highest one decides how much
    memory a vocabulary takes.
    """
    ids = list(vocabulary.values())
    if set(map(type, ids)) - {int}:
        name, id = next((name, id) for name, id in vocabulary.items() if type(id) is not int)
        raise FormatError("the id of %(name)s should be an integer, not %(id)s", name=shown(name), id=shown(id))
    if ids == list(range(len(ids))):
        return list(vocabulary), ()
    by_id = {id: piece for piece, id in vocabulary.items()}
    if len(by_id) < len(ids):
        twice = next(piece for piece, id in vocabulary.items() if by_id[id] != piece)
        raise FormatError(
            "the id %(id)s is used by both %(twice)s and %(last)s",
            id=vocabulary[twice],
            twice=shown(twice),
            last=shown(by_id[vocabulary[twice]]),
        )
    size = max(ids) + 1
    for id in (min(ids), size - 1):
        if not 0 <= id < max(LARGEST_VOCABULARY, len(ids)):
            raise FormatError(
                "the id %(id)s of %(name)s is out of range: ids go from 0 to %(last)s",
                id=shown(id),
                name=shown(by_id[id]),
                last=LARGEST_VOCABULARY - 1,
            )
    return [by_id.get(id, "") for id in range(size)], {*range(size)} - by_id.keys()


def _merges(part: Json, ids: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return the merges as pairs of ids; files write them as pairs, older ones as strings with a space in between.

    This empties the part's list while reading: the list takes up to ten times as much memory as the file.
    """
    merges = field(part, "merges", list)
    pairs: list[tuple[int, int]] = []
    texts = bool(merges) and isinstance(merges[0], str)
    merges.reverse()
    try:
        while merges:
            batch = merges[: -AT_A_TIME - 1 : -1]
            del merges[-AT_A_TIME:]
            if texts:
                batch = [merge.split(" ") for merge in batch if not merge.startswith("#version")]
            pairs += [(ids[left], ids[right]) for left, right in batch]
    except KeyError as missing:
        raise FormatError(
            "a merge refers to %(missing)s, which is not in the vocabulary", missing=shown(missing.args[0])
        ) from None
    except (TypeError, ValueError, AttributeError):
        raise FormatError('"merges" should be a list of pairs of pieces') from None
    return pairs


def _as_bytes(names: Sequence[str], added: Sequence[AddedToken]) -> list[bytes] | None:
    """Return the bytes that the names spell; None if a name spells none, or two spell the same.

    Added tokens may be spelled literally.
    """
    added_by_id = {token.id: token.content for token in added}
    foreign = foreign_characters("".join(names))
    literal = [id for id, name in enumerate(names) if not foreign.isdisjoint(name)] if foreign else []
    if any(added_by_id.get(id) != names[id] for id in literal):
        return None
    spelled = list(names)
    for id in literal:
        spelled[id] = ""
    pieces = names_to_bytes(spelled)
    for id in literal:
        pieces[id] = names[id].encode()
    return pieces if len(set(pieces)) == len(set(names)) else None


def _name(piece: Any, special: str | None) -> str:
    if isinstance(piece, str):
        return piece
    return special if special and special.encode() == piece else bytes_to_characters(piece)

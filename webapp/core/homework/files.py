"""Reads the files of an answer: merges and vocabularies in the formats of the courses; refuses pickles and archives."""

import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from webapp.core.formats.reading import FormatError, decoded, read_json
from webapp.core.homework.readers import Raw, as_pair, checked, evaluated, read_merges
from webapp.core.homework.rounds import Pair, Piece
from webapp.core.homework.verdicts import AnswerError, Note
from webapp.core.reference.bpe import merge_best
from webapp.core.text.utf8 import characters_to_bytes, foreign_characters
from webapp.core.vocabulary_error import Phrase

LARGEST_FILE = 12_000_000  # bytes: a month of the People’s Daily, tagged, has 11 MB
LONGEST_VOCABULARY = 3_000_000  # characters of a file of merges or pieces
MOST_MERGES = 20_000
LONGEST_PIECE = 2_000


@dataclass
class HandedIn:
    """Merges, or a vocabulary with the id of each piece, or both."""

    merges: list[tuple[Raw, Raw]] | None = None
    vocabulary: dict[str | bytes, int] | None = None


def text_of(content: bytes, name: str = "") -> str:
    """The text of a file; raises AnswerError for pickles, archives, and what is not UTF-8."""
    name = name or "?"
    if content.startswith(b"\x80") or content[:4] in (b"(dp0", b"(lp0", b"ccop", b"}q\0X", b"]q\0("):
        message = Phrase(
            "%(name)s is a pickle. Reading one runs the code in it, so it is refused. Save the merges as text instead, "
            "one a line.",
            name=name,
        )
        raise AnswerError(message)
    if content.startswith((b"PK\x03\x04", b"\x1f\x8b", b"\x93NUMPY", b"Rar!", b"7z\xbc")):
        message = Phrase("%(name)s is an archive or an array. Hand in the text file itself.", name=name)
        raise AnswerError(message)
    if len(content) > LARGEST_FILE:
        message = Phrase(
            "%(name)s has %(count)s bytes; the limit is %(most)s.", name=name, count=len(content), most=LARGEST_FILE
        )
        raise AnswerError(message)
    try:
        return decoded(content)
    except FormatError as error:
        if b"\0" not in content:
            with suppress(UnicodeDecodeError):
                return content.decode("gb18030")
        raise AnswerError(Phrase("%(name)s cannot be read: %(why)s.", name=name, why=error)) from None


def handed_in(text: str, files: Mapping[str, bytes], *, merges: bool = True) -> HandedIn:
    """The merges and the vocabulary of an answer that is typed or in files; raises AnswerError.

    Without `merges`, the vocabulary is asked for, and no list of merges is read.
    """
    found = HandedIn()
    texts = {name: text_of(content, name) for name, content in files.items()}
    for name, each in [*texts.items(), *([("", text)] if text.strip() else [])]:
        _read_file(found, checked(each, LONGEST_VOCABULARY), name, merges)
    if not merges and found.vocabulary is None:
        raise AnswerError(Phrase("Hand in the vocabulary: a JSON file with an id for each piece."))
    if found.merges is None and found.vocabulary is None:
        raise AnswerError(Phrase("There is no answer yet. Type it or choose a file."))
    for entries, most in ((found.merges, MOST_MERGES), (found.vocabulary, 2 * MOST_MERGES)):
        if (count := len(entries or ())) > most:
            message = Phrase("The answer has %(count)s entries; the limit is %(most)s.", count=count, most=most)
            raise AnswerError(message)
    return found


def _read_file(found: HandedIn, text: str, name: str, merges: bool) -> None:
    if text.startswith("minbpe v1"):
        found.merges = _minbpe(text.splitlines(), name)
    elif text.lstrip().startswith("{"):
        try:
            document = read_json(text)
        except FormatError as error:
            raise AnswerError(Phrase("%(name)s cannot be read: %(why)s.", name=name or "JSON", why=error)) from None
        _read_document(found, document, name)
    elif merges:
        found.merges = read_merges(text)


def _minbpe(lines: Sequence[str], name: str) -> list[tuple[Raw, Raw]]:
    try:
        special = int(lines[2])
        return [(int(left), int(right)) for left, right in map(str.split, filter(str.strip, lines[3 + special :]))]
    except (IndexError, ValueError):
        message = Phrase("%(name)s is not a model of minbpe: a merge is two ids on a line.", name=name or "?")
        raise AnswerError(message) from None


def _read_document(found: HandedIn, document: dict[str, Any], name: str) -> None:
    model = document.get("model", document)
    vocabulary, merges = (model.get("vocab"), model.get("merges")) if isinstance(model, dict) else (None, None)
    if isinstance(merges, list):
        found.merges = [as_pair(item, at) for at, item in enumerate(merges, 1)]
    if isinstance(vocabulary, list):  # of Unigram: pairs of a piece and its score
        vocabulary = {str(item[0]): at for at, item in enumerate(vocabulary) if isinstance(item, list) and item}
    if vocabulary is None and merges is None:
        vocabulary = document
    if isinstance(vocabulary, dict):
        spelled = _piece_of if len(vocabulary) <= 2 * MOST_MERGES else str  # the others are refused
        if all(type(id) is int for id in vocabulary.values()):
            found.vocabulary = {spelled(piece): id for piece, id in vocabulary.items()}
        elif all(key.isdecimal() for key in vocabulary):
            found.vocabulary = {spelled(piece): int(key) for key, piece in vocabulary.items()}
        else:
            raise AnswerError(
                Phrase("%(name)s is not a vocabulary: it should have an id for each piece.", name=name or "JSON")
            )
        found.vocabulary = dict(zip(_decoded(list(found.vocabulary)), found.vocabulary.values(), strict=True))


def _piece_of(value: Any) -> str | bytes:
    if isinstance(value, list) and all(type(byte) is int and 0 <= byte < 256 for byte in value):
        return bytes(value)
    if isinstance(value, str) and re.fullmatch(r"""b(['"]).+\1""", value):  # str() of bytes
        found = evaluated(value)
        return found if isinstance(found, bytes) else value
    return str(value)


def _decoded(pieces: Sequence[Any]) -> Sequence[Any]:
    """Pieces that are all hexadecimal or Base64, as some programs write bytes, as bytes; others as they are."""
    for decode in (bytes.fromhex, partial(b64decode, validate=True)) if {*map(type, pieces)} == {str} else ():
        with suppress(ValueError):
            return [decode(piece) for piece in pieces]
    return pieces


def as_bytes(pairs: Sequence[tuple[Raw, Raw]], notes: list[Note]) -> list[tuple[bytes, bytes]]:
    """Merges as pairs of bytes: ids are those of minbpe, `Ġ` and `▁` and `␣` are spaces.

    >>> as_bytes([("s", "t"), ("Ġ", "st")], notes := []), notes[0].code
    ([(b's', b't'), (b' ', b'st')], 'byte-characters')
    >>> as_bytes([(115, 116), (32, 256)], [])
    [(b's', b't'), (b' ', b'st')]

    Raises AnswerError for an id that no merge before it makes.
    """
    flat = _decoded([piece for pair in _numbers(pairs) for piece in pair])
    pairs = list(zip(flat[::2], flat[1::2], strict=True))
    everything = set().union(*(piece for pair in pairs for piece in pair if isinstance(piece, str)))
    found, known = _joined(pairs, _plain)
    if not all(map(str.isascii, everything)) and not foreign_characters("".join(everything)):
        spelled, more_known = _joined(pairs, characters_to_bytes)
        if more_known > known:
            notes.append(Note("byte-characters"))
            return spelled
    return found


def _joined(pairs: Sequence[tuple[Raw, Raw]], convert: Callable[[str], bytes]) -> tuple[list[tuple[bytes, bytes]], int]:
    """Merges as pairs of bytes in a spelling, and how many of their parts are bytes or made by an earlier merge."""
    pieces = [bytes([byte]) for byte in range(256)]
    made, known, found = set(pieces), 0, []
    for at, pair in enumerate(pairs, 1):
        left, right = (
            convert(one) if isinstance(one, str) else _by_id(one, pieces, at) if isinstance(one, int) else one
            for one in pair
        )
        if len(left) + len(right) > LONGEST_PIECE:
            raise AnswerError(Phrase("Merge %(number)s makes a piece that is too long.", number=at))
        known += (left in made) + (right in made)
        pieces.append(left + right)
        made.add(left + right)
        found.append((left, right))
    return found, known


def _plain(piece: str) -> bytes:
    """The bytes of a piece that is written as text: `␣` and `▁` are spaces, `<0xE5>` is a byte."""
    if len(piece) == 6 and re.fullmatch("<0x[0-9A-Fa-f]{2}>", piece):
        return bytes.fromhex(piece[3:5])
    return piece.replace("␣", " ").replace("▁", " ").encode(errors="replace")


def _numbers(pairs: Sequence[tuple[Raw, Raw]]) -> Sequence[tuple[Raw, Raw]]:
    """Pairs of digits as ids, if all of them are and they cannot all be characters."""
    digits = [
        piece for pair in pairs for piece in pair if isinstance(piece, str) and piece.isascii() and piece.isdecimal()
    ]
    if len(digits) == 2 * len(pairs) and any(len(piece) > 1 for piece in digits[:2]):
        return [(int(left[:9]), int(right[:9])) for left, right in pairs]  # type: ignore[index]
    return pairs


def _by_id(id: int, pieces: Sequence[bytes], merge: int) -> bytes:
    if not 0 <= id < len(pieces):
        message = Phrase("Merge %(number)s joins the id %(id)s, which no merge before it makes.", number=merge, id=id)
        raise AnswerError(message)
    return pieces[id]


def bytes_of(written: Sequence[str], notes: list[Note]) -> Callable[[str | bytes], bytes]:
    """A function from a piece of a vocabulary as it is written to its bytes, in the spelling that all of them have."""
    everything = set().union(*written)
    spelled = any("\u0100" <= one <= "\u0143" for one in everything) and not foreign_characters("".join(everything))
    notes += [Note("byte-characters")] if spelled else []
    is_latin = all(one < "\u0100" for one in everything) and set(map(chr, range(128, 256))).issubset(written)
    convert = partial(str.encode, encoding="latin-1") if is_latin else characters_to_bytes if spelled else _plain
    return lambda piece: piece if isinstance(piece, bytes) else convert(piece)


def merges_of(vocabulary: Mapping[bytes, int], most: int) -> list[Pair]:
    """The first merges that a vocabulary implies, in the order of its ids: the two parts that its other pieces leave.

    Source: `recover_merges` of minbpe. Two lists of merges can make the same vocabulary.

    >>> merges_of({b"s": 0, b"t": 1, b"e": 2, b"st": 3, b"est": 4}, 9)
    [(b's', b't'), (b'e', b'st')]
    """
    ranks: dict[Piece, float] = {}
    merges: list[Pair] = []
    for piece in sorted(vocabulary, key=vocabulary.__getitem__):
        if 1 < len(piece) <= 64 and len(merges) < most:
            parts = merge_best([piece[at : at + 1] for at in range(len(piece))], ranks)
            if len(parts) == 2:
                merges.append((parts[0], parts[1]))
                ranks[piece] = -float(len(merges))
    return merges

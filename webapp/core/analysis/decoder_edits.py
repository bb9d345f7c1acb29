"""What a decoder changes: for each of its steps, the edits of the joined pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from webapp.core.analysis.pipeline_summary import step_name
from webapp.core.analysis.stage_edits import Stage, StageEdit, aligned_edits, applied, difference
from webapp.core.text import decoders
from webapp.core.text.alignment import AlignedText
from webapp.core.text.byte_characters import bytes_to_characters, characters_to_bytes
from webapp.core.text.decoders import Decoder, DecoderSequence, Join
from webapp.core.text.sentencepiece_normalizer import SentencePieceDecoder

# The edits of one step, and its pieces.
Step = tuple[list[StageEdit], list[str]]
LocalEdits = Callable[[str, int], Sequence[StageEdit]]

WINDOW = 256  # bytes that are decoded at once where some are not valid
_BYTE_NAME = re.compile("<0x[0-9A-Fa-f+][0-9A-Fa-f]>")


def spelled(piece: str | bytes) -> str:
    """A piece as text; the bytes of a piece as characters of the byte alphabet."""
    return piece if isinstance(piece, str) else bytes_to_characters(piece)


def decoder_steps(decoder: Decoder | None, pieces: Sequence[str | bytes]) -> Iterator[list[StageEdit]]:
    """Yield the edits of each step of a decoder; the first ones are of the joined `spelled` pieces.

    >>> from webapp.core.text.decoders import WordPieceDecoder
    >>> [[edit[:3] for edit in edits] for edits in decoder_steps(WordPieceDecoder(), ["un", "##able", "!"])]
    [[(2, 4, ''), (8, 8, ' ')], [(6, 7, '')]]

    A decoder that this module does not know yields nothing.
    """
    decoder = decoder or Join()
    texts = list(map(spelled, pieces))
    are_bytes = [isinstance(piece, bytes) for piece in pieces]
    if isinstance(decoder, decoders.ByteLevelDecoder):
        yield _byte_level(texts, are_bytes, decoder)
        return
    if isinstance(decoder, DecoderSequence):
        for edits, _ in _steps(decoder, texts):
            yield edits
        return
    if any(are_bytes):
        edits, texts = _bytes_as_text(texts, are_bytes, _stage(decoder))
        yield edits
    if isinstance(decoder, SentencePieceDecoder):
        yield from _sentencepiece(decoder, texts)
        return
    for edits, _ in _steps(decoder, texts):
        yield edits


def _stage(decoder: object, rule: str = "") -> Stage:
    return Stage("decoder", step_name(decoder), rule)


def _steps(step: object, pieces: list[str]) -> Iterator[Step]:
    """Yield the edits and the pieces of a step; of a step with two rules, those of each."""
    stage = _stage(step)
    match step:
        case DecoderSequence():
            for inner in step.steps:
                for change in _steps(inner, pieces):
                    yield change
                    pieces = change[1]
        case Join():
            yield _by_index(pieces, lambda piece, at: [StageEdit(0, 0, step.separator if at else "", stage)])
        case decoders.ByteLevelDecoder():
            edits = _byte_level(pieces, [False] * len(pieces), step)
            yield edits, [applied("".join(pieces), edits)]
        case decoders.WordPieceDecoder():
            yield (first := _by_index(pieces, lambda piece, at: _word_begins(piece, at, step.prefix, stage)))
            if step.cleanup:
                clean = _stage(step, "cleanup")
                yield _by_index(first[1], lambda piece, at: difference(piece, decoders.cleaned(piece), clean))
        case decoders.BPEDecoder() | decoders.MetaspaceDecoder():
            yield _replaced_marks(step, pieces, stage)
        case decoders.ReplaceDecoder():
            find = step.spans if step.regular else _finder(step.pattern)
            yield _by_index(pieces, lambda piece, at: [StageEdit(*span, step.content, stage) for span in find(piece)])
        case decoders.Fuse():
            yield [], ["".join(pieces)]
        case decoders.StripDecoder():
            yield _by_index(pieces, lambda piece, at: _stripped(piece, step, stage))
        case decoders.ByteFallback():
            yield _byte_names(pieces, stage)
        case _:
            changed = step.change(pieces) if hasattr(step, "change") else pieces
            yield difference("".join(pieces), "".join(changed), stage), changed


def _by_index(pieces: Sequence[str], edits_of: LocalEdits) -> Step:
    """The edits of a step that changes each piece by itself."""
    edits: list[StageEdit] = []
    changed: list[str] = []
    place = 0
    for at, piece in enumerate(pieces):
        local = [edit for edit in edits_of(piece, at) if edit.text or edit.start < edit.end]
        changed.append(applied(piece, local) if local else piece)
        edits += [StageEdit(place + start, place + end, text, stage) for start, end, text, stage in local]
        place += len(piece)
    return edits, changed


def _word_begins(piece: str, at: int, prefix: str, stage: Stage) -> list[StageEdit]:
    if not at:
        return []
    return [StageEdit(0, len(prefix), "", stage) if piece.startswith(prefix) else StageEdit(0, 0, " ", stage)]


def _replaced_marks(step: decoders.BPEDecoder | decoders.MetaspaceDecoder, pieces: list[str], stage: Stage) -> Step:
    last = len(pieces) - 1
    if isinstance(step, decoders.BPEDecoder):
        mark, removed_at = step.suffix, last
    else:
        mark, removed_at = step.replacement, 0 if step.prepend else -1
    find = _finder(mark)

    def edits_of(piece: str, at: int) -> list[StageEdit]:
        return [StageEdit(*span, "" if at == removed_at else " ", stage) for span in find(piece)]

    return _by_index(pieces, edits_of)


def _finder(literal: str) -> Callable[[str], Sequence[tuple[int, int]]]:
    pattern = re.compile(re.escape(literal))
    return lambda piece: [found.span() for found in pattern.finditer(piece)]


def _stripped(piece: str, step: decoders.StripDecoder, stage: Stage) -> list[StageEdit]:
    start = min(len(piece) - len(piece.lstrip(step.content)), step.start)
    rest = piece[start:]
    end = min(len(rest) - len(rest.rstrip(step.content)), step.stop)
    return [StageEdit(0, start, "", stage), StageEdit(len(piece) - end, len(piece), "", stage)]


def _byte_level(pieces: Sequence[str], are_bytes: Sequence[bool], step: decoders.ByteLevelDecoder) -> list[StageEdit]:
    data = bytearray()
    sizes: list[int] = []  # bytes of each character
    for piece, is_bytes in zip(pieces, are_bytes, strict=True):
        try:
            if not (is_bytes or step.byte_characters):
                raise ValueError
            data += characters_to_bytes(piece)
            sizes += [1] * len(piece)
        except ValueError:
            data += piece.encode()
            sizes += [1] * len(piece) if piece.isascii() else [len(character.encode()) for character in piece]
    return _decoded("".join(pieces), sizes, bytes(data), _stage(step))


def _bytes_as_text(pieces: Sequence[str], are_bytes: Sequence[bool], stage: Stage) -> Step:
    def edits_of(piece: str, at: int) -> list[StageEdit]:
        return _decoded(piece, [1] * len(piece), characters_to_bytes(piece), stage) if are_bytes[at] else []

    return _by_index(pieces, edits_of)


def _decoded(text: str, sizes: Sequence[int], data: bytes, stage: Stage) -> list[StageEdit]:
    """The edits from characters that stand for bytes, `sizes` of each, to the text of the bytes."""
    edits = []
    at = left = 0  # the next character, and where its bytes begin
    for character, size in characters_of(data):
        start, begin = at, left
        while left < begin + size:
            left += sizes[at]
            at += 1
        if text[start:at] != character:
            edits.append(StageEdit(start, at, character, stage))
    return edits


def characters_of(data: bytes) -> Iterator[tuple[str, int]]:
    """Yield the characters of bytes in UTF-8, U+FFFD for each part that is not valid, with their sizes in bytes.

    >>> list(characters_of(b"a\\xe4\\xb8\\xe4\\xb8\\xad"))
    [('a', 1), ('\ufffd', 2), ('中', 3)]
    """
    position = 0
    while position < len(data):
        window = data[position : position + WINDOW]
        try:
            text, end, bad = window.decode(), len(window), 0
        except UnicodeDecodeError as error:
            text, end, bad = window[: error.start].decode(), error.start, error.end - error.start
            if error.end == len(window) and position + len(window) < len(data) and end:
                bad = 0  # the window ends inside a character
        for character in text:
            yield character, len(character.encode())
        if bad:
            yield "\ufffd", bad
        position += end + bad


def _byte_names(pieces: list[str], stage: Stage) -> Step:
    edits: list[StageEdit] = []
    changed: list[str] = []
    place = 0
    for are_bytes, run in groupby(pieces, lambda piece: _BYTE_NAME.fullmatch(piece) is not None):
        names = list(run)
        if not are_bytes:
            changed += names
            place += sum(map(len, names))
            continue
        data = bytes(int(name[3:5].lstrip("+"), 16) for name in names)
        try:
            found = [(character, len(character.encode())) for character in data.decode()]
            changed.append(data.decode())
        except UnicodeDecodeError:
            found = [("\ufffd", 1)] * len(data)
            changed += ["\ufffd"] * len(data)
        for character, size in found:
            edits.append(StageEdit(place, place + 6 * size, character, stage))
            place += 6 * size
    return edits, changed


def _sentencepiece(decoder: SentencePieceDecoder, pieces: list[str]) -> Iterator[list[StageEdit]]:
    """The edits of SentencePiece's decoder, which reads the pieces as `SentencePieceDecoder.decode` does."""
    stage = _stage(decoder)
    edits: list[StageEdit] = []
    find = _finder(decoder.space)
    strips = decoder.strip != "nothing"
    begun = False  # whether there is text
    waiting: list[tuple[int, int, int]] = []  # bytes, with the ranges of their names
    place = 0

    def characters() -> None:
        nonlocal begun
        if not waiting:
            return
        data = bytes(byte for _, _, byte in waiting)
        at = 0
        for character in data.decode("utf-8", "surrogateescape"):
            size = 1 if "\udc80" <= character <= "\udcff" else len(character.encode())
            new = "\ufffd" if "\udc80" <= character <= "\udcff" else character
            edits.append(StageEdit(waiting[at][0], waiting[at + size - 1][1], new, stage))
            at += size
        waiting.clear()
        begun = True

    for piece in pieces:
        start, place = place, place + len(piece)
        byte = decoder.byte_pieces.get(piece)
        if byte is not None:
            waiting.append((start, place, byte))
            continue
        characters()
        if piece in decoder.control:
            edits.append(StageEdit(start, place, "", stage))
            continue
        if piece == decoder.unknown:
            edits.append(StageEdit(start, place, decoder.unknown_surface, stage))
            begun = begun or bool(decoder.unknown_surface)
            continue
        rest = start
        if strips and not begun:
            if piece.startswith(decoder.space):
                edits.append(StageEdit(start, start + len(decoder.space), "", stage))
                rest += len(decoder.space)
                strips = decoder.strip == "all"
        else:
            strips = False
        local = piece[rest - start :]
        edits += [StageEdit(rest + left, rest + right, " ", stage) for left, right in find(local)]
        begun = begun or bool(local)
    characters()
    yield edits
    if decoder.denormalizer is not None:
        text = applied("".join(pieces), edits)
        aligned = decoder.denormalizer.align(AlignedText.of(text))
        yield aligned_edits(text, aligned, _stage(decoder, "denormalizer"))

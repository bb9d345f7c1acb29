"""GPT-2's two files: `vocab.json` maps pieces to ids; each line of `merges.txt` holds the two parts of a merge."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from webapp.core.formats.huggingface_models import pieces_by_id
from webapp.core.formats.reading import LARGEST_VOCABULARY, FormatError, parts_of_file
from webapp.core.formats.written_parts import check_special_tokens
from webapp.core.models.bpe import BPE
from webapp.core.recipes import BYTE_BPE
from webapp.core.text.decoders import ByteLevelDecoder
from webapp.core.text.utf8 import bytes_to_characters, characters_to_bytes
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown


def is_vocabulary(document: object) -> bool:
    """Whether a JSON document maps each key to an integer.

    >>> is_vocabulary({"a": 0, "b": 1}), is_vocabulary({"a": {}}), is_vocabulary({})
    (True, False, False)
    """
    return isinstance(document, dict) and set(map(type, document.values())) == {int}


def read(document: Any, merges: str) -> Tokenizer:
    """Return the tokenizer of a parsed `vocab.json` and a `merges.txt`, with GPT-2's pipeline.

    Pieces are spelled in GPT-2's byte alphabet (`Ġ` is a space). A piece of several characters that no merge produces
    is a special token, spelled literally: text could not produce it otherwise.

    Raises FormatError if a file has another format, if an id occurs twice, if one of the 256 bytes is
    missing, or if a part or the result of a merge is not in the vocabulary.
    """
    names, gaps = _names(document)
    pairs = _merges(merges, document)
    special_tokens = _special_tokens(names, pairs)
    pieces = [name.encode() if name in special_tokens else _piece(name) for name in names]
    with parts_of_file():
        model = BPE(pieces, pairs, byte_level=True, gaps=gaps)
    return BYTE_BPE.tokenizer(model, special_tokens)


def write(tokenizer: Tokenizer) -> tuple[str, str]:
    """Return the `vocab.json` and the `merges.txt` of a byte-level BPE, which `read` reads back to the same ids.

    The tokens that a template adds around a text are not in the files.

    >>> bpe = BPE([bytes([byte]) for byte in range(256)] + [b"to", b" to"], [(116, 111), (32, 256)], byte_level=True)
    >>> vocabulary, merges = write(BYTE_BPE.tokenizer(bpe))
    >>> vocabulary[-20:], merges
    ('"to":256,"Ġto":257}\\n', '#version: 0.2\\nt o\\nĠ to\\n')

    Raises FormatError for another model or pipeline, which the files cannot express, for a special token that leaves a
    gap after the model's ids, and for special tokens or other added tokens that would be read differently.
    """
    model = tokenizer.model
    if not isinstance(model, BPE) or not model.byte_level or model.byte_suffix:
        raise FormatError(
            "%(model)s cannot be written to vocab.json and merges.txt: they are for byte-level BPE",
            model=type(model).__name__,
        )
    if model.missing_bytes:
        raise FormatError("the file cannot hold a vocabulary without a piece for each of the 256 bytes")
    if tokenizer.normalizer is not None or tokenizer.pretokenizer != BYTE_BPE.pretokenizer:
        raise FormatError(
            "vocab.json and merges.txt imply GPT-2's split pattern and no normalizer; this tokenizer uses others"
        )
    if not _decodes_alike(tokenizer) or model.ignore_merges or model.continuing_subword_prefix:
        raise FormatError("vocab.json and merges.txt imply GPT-2's way of merging and decoding; this tokenizer differs")
    pieces = [piece if isinstance(piece, str) else bytes_to_characters(piece) for piece in model.pieces]
    names = _names_by_id(tokenizer, pieces)
    if any(names[left].startswith("#version") for left, _right in model.merges):
        raise FormatError("a line of merges.txt that begins with #version is not read as a merge")
    check_special_tokens(tokenizer, _special_tokens(names, model.merges))
    ids = {name: id for id, name in enumerate(names) if name or id not in model.gaps}
    vocabulary = json.dumps(ids, ensure_ascii=False, separators=(",", ":"))
    lines = [f"{names[left]} {names[right]}\n" for left, right in model.merges]
    return vocabulary + "\n", "#version: 0.2\n" + "".join(lines)


def _decodes_alike(tokenizer: Tokenizer) -> bool:
    """Whether the tokenizer decodes as `read` does; a decoder of a `tokenizer.json` respells some special tokens."""
    return isinstance(tokenizer.decoder, ByteLevelDecoder) and all(
        tokenizer.decoder.decode([token]) == token for token in tokenizer.special_tokens
    )


def _names_by_id(tokenizer: Tokenizer, names: list[str]) -> list[str]:
    """Return the names of a model's pieces with the special tokens in their places."""
    for token, id in sorted(tokenizer.special_tokens.items(), key=lambda item: item[1]):
        if id > len(names):
            raise FormatError(
                "the special token %(token)s has the id %(id)s, but no piece has the id %(count)s",
                token=shown(token),
                id=id,
                count=len(names),
            )
        names[id : id + 1] = [token]
    if len(set(names) - {""}) != len(names) - names.count(""):
        raise FormatError("a special token is spelled like another piece")
    return names


def _special_tokens(names: Sequence[str], merges: Iterable[tuple[int, int]]) -> dict[str, int]:
    """Return the ids of the pieces of several characters that no merge produces."""
    made = {names[left] + names[right] for left, right in merges}
    return {name: id for id, name in enumerate(names) if len(name) > 1 and name not in made}


def _names(document: Any) -> tuple[list[str], Collection[int]]:
    """Return the names in the order of their ids, and the ids without one."""
    if not isinstance(document, dict) or not document:
        raise FormatError("not a vocab.json: a vocab.json is a JSON object that maps pieces to ids")
    if len(document) > LARGEST_VOCABULARY:
        raise FormatError("more than %(most)s pieces, too many for a vocabulary", most=f"{LARGEST_VOCABULARY:,}")
    return pieces_by_id(document)


def _merges(text: str, ids: dict[str, int]) -> list[tuple[int, int]]:
    if text.removesuffix("\n").count("\n") >= LARGEST_VOCABULARY:
        raise FormatError("more than %(most)s merges, too many for a vocabulary", most=f"{LARGEST_VOCABULARY:,}")
    merges: dict[tuple[int, int], int] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], start=1):
        if line.startswith("#version"):
            continue
        left, space, right = line.removesuffix("\r").partition(" ")
        if not space or " " in right:
            raise FormatError(
                "line %(number)s of merges.txt should be two pieces separated by a space, not %(line)s",
                number=number,
                line=shown(line),
            )
        for piece in (left, right, left + right):
            if piece not in ids:
                raise FormatError(
                    "line %(number)s of merges.txt: %(piece)s is not in the vocabulary",
                    number=number,
                    piece=shown(piece),
                )
        first = merges.setdefault((ids[left], ids[right]), number)
        if first != number:
            raise FormatError(
                "line %(number)s of merges.txt repeats the merge of line %(other)s", number=number, other=first
            )
    return list(merges)


def _piece(name: str) -> bytes:
    try:
        return characters_to_bytes(name)
    except ValueError:
        raise FormatError("the piece %(name)s is not spelled in GPT-2's byte alphabet", name=shown(name)) from None

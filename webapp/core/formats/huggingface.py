"""Hugging Face's `tokenizer.json`: read and write a whole pipeline.

The package `tokenizers` loads what `write` returns and encodes to the same ids and offsets. Reading and writing work
part by part: `huggingface_parts` handles normalizers, pre-tokenizers and decoders,
`huggingface_models` models, and `huggingface_processors` added tokens and post-processors. An unsupported feature is a
`FormatError`, so a text is never split differently than the file specifies.

A limit on how much a `tokenizer.json` can lengthen a text: a hostile file doubles it thirty times.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from math import prod
from types import MappingProxyType
from typing import Any

from webapp.core.added_tokens import AddedToken
from webapp.core.formats import (
    huggingface_equivalents,
    huggingface_models,
    huggingface_parts,
    huggingface_processors,
)
from webapp.core.formats.patterns import patterns_of_one_file
from webapp.core.formats.reading import FormatError, field, parts_of_file, read_float, read_json
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import ScoredModel
from webapp.core.models.unigram import Unigram
from webapp.core.text.character_pretokenizers import ByteLevelCharacters
from webapp.core.text.composition import normalized
from webapp.core.text.pretokenizers import ByteLevel
from webapp.core.text.pretokenizers import PreTokenizerSequence as Steps
from webapp.core.text.utf8 import bytes_to_characters, characters_to_bytes
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase, shown

VERSION = "1.0"


def read(text: str) -> Tokenizer:
    """Return the tokenizer that a `tokenizer.json` describes.

    Truncation, padding and dropout are ignored: the whole text is encoded, always to the same tokens. The
    post-processor's tokens are added and special tokens are recognized only on request; other added tokens are always
    recognized.

    Raises FormatError, a ValueError, if the text is not JSON, or if a part is missing, malformed or of an unsupported
    type.
    """
    return read_document(read_json(text, read_float))


def read_document(document: object) -> Tokenizer:
    """Return the tokenizer that a parsed `tokenizer.json` describes, with the exceptions of `read`."""
    if not isinstance(document, dict):
        raise FormatError("a tokenizer.json must be a JSON object")
    if "model" not in document:
        raise FormatError('not a tokenizer.json: "model" is missing')
    try:
        with patterns_of_one_file(), parts_of_file():
            return _read_document(document)
    except RecursionError:
        raise FormatError("the parts are nested too deeply") from None


def read_around(document: dict[str, Any], model: BPE, size: int) -> Tokenizer:
    """Return the tokenizer of a document that lacks pieces and merges, with its model, which was read before.

    `size` is the number of pieces in the file's vocabulary; the document has those that are added tokens.
    """
    with patterns_of_one_file():
        return _read_document(document, model, size)


def document_around(tokenizer: Tokenizer) -> tuple[dict[str, Any], int]:
    """Return the document and the size for `read_around`, with the exceptions of `write`."""
    size, outside = len(tokenizer.model.pieces), _outside(tokenizer)
    vocabulary = {token.content: token.id for token in tokenizer.added_tokens if token.id < size} | outside
    return _write_parts(tokenizer) | {"model": {"vocab": vocabulary}}, size - len(tokenizer.gaps) + len(outside)


def write(tokenizer: Tokenizer) -> str:
    """Return the `tokenizer.json` of a tokenizer; for SentencePiece's models, all merges are derived from the scores.

    Ranks become merges too. `tokenizers` numbers added tokens beyond the model's pieces consecutively, whatever the
    file declares; if they have other ids, they are in the vocabulary of the file, whose ids then have gaps.

    Raises FormatError if a part cannot be expressed there (maximum matching cannot), or an id of an added token.
    """
    tokenizer = _converted(tokenizer)
    document = _write_parts(tokenizer)
    special_by_id = {token.id: token.content for token in tokenizer.added_tokens}
    model = document["model"] = huggingface_models.write_model(tokenizer.model, special_by_id)
    for content, id in _outside(tokenizer).items():
        if model["vocab"].setdefault(content, id) != id:
            raise FormatError("the file cannot hold the added token %(token)s", token=shown(content))
    if isinstance(tokenizer.model, BPE) and tokenizer.model.suffix_id is not None:
        document = huggingface_equivalents.suffix_to_marker(document, tokenizer.model.end_of_word_suffix)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def check(tokenizer: Tokenizer) -> None:
    """Raise the FormatError that `write` would, without writing all pieces: fast for a large vocabulary."""
    if isinstance(tokenizer.model, RankBPE):
        huggingface_equivalents.check_ranks(tokenizer)
    else:
        tokenizer = _converted(tokenizer)
        huggingface_models.check_model(tokenizer.model)
    _write_parts(tokenizer)


def _converted(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer with merges in place of ranks or of SentencePiece's scores."""
    if isinstance(tokenizer.model, RankBPE):
        return huggingface_equivalents.with_merges(tokenizer)
    return huggingface_equivalents.converted(tokenizer) if isinstance(tokenizer.model, ScoredModel) else tokenizer


def _outside(tokenizer: Tokenizer) -> dict[str, int]:
    """Return the ids of the added tokens beyond the model's pieces, if the file's vocabulary must contain them.

    The pieces of Unigram are a list, which has no gaps. A token that is not recognized next to a word character would
    be a piece there.
    """
    model = tokenizer.model
    if isinstance(model, Unigram) or all(token.declared_id is None for token in _numbered(model, _added(tokenizer))):
        return {}
    size = len(model.pieces)
    beyond = (token for token in tokenizer.added_tokens if token.id >= size or token.id in tokenizer.gaps)
    return {token.content: token.id for token in beyond if not token.single_word}


def _added(tokenizer: Tokenizer) -> list[AddedToken]:
    return sorted(tokenizer.added_tokens, key=lambda token: token.id)


def _write_parts(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return the document without its model."""
    added = _added(tokenizer)
    outside = _outside(tokenizer)
    repeated = len(set(outside.values())) < len(outside)
    for token in _numbered(tokenizer.model, added, {} if repeated else outside):
        if token.declared_id is not None:
            raise FormatError(
                "a tokenizer.json cannot give %(token)s the id %(id)s: it is read with the id %(given)s",
                token=shown(token.content),
                id=token.declared_id,
                given=token.id,
            )
    special_by_id = {token.id: token.content for token in tokenizer.added_tokens}
    byte_level = bool(getattr(tokenizer.model, "byte_level", False))
    return {
        "version": VERSION,
        "truncation": None,
        "padding": None,
        "added_tokens": [huggingface_processors.write_added_token(token) for token in added],
        "normalizer": huggingface_parts.write_normalizer(tokenizer.normalizer),
        "pre_tokenizer": huggingface_parts.write_pretokenizer(tokenizer.pretokenizer, byte_level=byte_level),
        "post_processor": huggingface_processors.write_postprocessor(
            tokenizer.postprocessor, {**_spelled_template(tokenizer), **special_by_id}
        ),
        "decoder": huggingface_parts.write_decoder(tokenizer.decoder),
    }


def _spelled_template(tokenizer: Tokenizer) -> dict[int, str]:
    """Return the pieces in the template by id, as the file spells them; others are added tokens."""
    pieces, template = tokenizer.model.pieces, tokenizer.postprocessor.template
    ids = [id for id in template.parts if id is not None and id < len(pieces)] if template else []
    return {id: piece if isinstance(piece := pieces[id], str) else bytes_to_characters(piece) for id in ids}


def _read_document(document: dict[str, Any], model: Model | None = None, size: int = 0) -> Tokenizer:
    if model is None:
        document = huggingface_equivalents.marker_to_suffix(document)
    check_growth(document)
    added = huggingface_processors.read_added_tokens(document)
    steps = huggingface_parts.read_pretokenizer(field(document, "pre_tokenizer", dict, None))
    byte_levels = [isinstance(step, ByteLevel) for step in steps]
    model = model or huggingface_models.read_model(
        field(document, "model", dict), added, byte_level=byte_levels[-1:] == [True] and sum(byte_levels) == 1
    )
    names = document["model"].get("vocab")
    added = _numbered(model, added, names if isinstance(names, dict) else {}, size)
    if not getattr(model, "byte_level", False):
        steps = [ByteLevelCharacters(step) if isinstance(step, ByteLevel) else step for step in steps]
    elif steps[-1] == ByteLevel(use_regex=False):
        steps.pop()
    postprocessor = huggingface_processors.read_postprocessor(field(document, "post_processor", dict, None))
    tokenizer = Tokenizer(
        model,
        normalizer=huggingface_parts.read_normalizer(field(document, "normalizer", dict, None)),
        pretokenizer=steps[0] if len(steps) == 1 else Steps(tuple(steps)) if steps else None,
        decoder=huggingface_parts.read_decoder(field(document, "decoder", dict, None)),
        added_tokens=added,
        postprocessor=postprocessor,
    )
    for id in postprocessor.template.parts if postprocessor.template else ():
        if id is not None and not tokenizer.has_id(id):
            raise FormatError("the post-processor adds the id %(id)s, which no token has", id=id)
    return tokenizer


def _numbered(
    model: Model, added: Iterable[AddedToken], names: Mapping[str, Any] = MappingProxyType({}), size: int = 0
) -> list[AddedToken]:
    """Return the added tokens with the ids that `tokenizers` assigns; `names` are the pieces of a file that is read.

    The file has at least `size` pieces.
    """
    added = list(added)
    ids = {token.content: id for token in added if (id := _id(model, token, names)) is not None}
    pieces = len(model.pieces) - len(getattr(model, "gaps", ()))
    return huggingface_processors.numbered(added, ids, max(size, len(names), pieces))


def _id(model: Model, token: AddedToken, names: Mapping[str, Any]) -> int | None:
    """Return the id of an added token in the model's vocabulary, or after a gap in that of the file.

    A file spells byte-level pieces in characters, except those that are in `names` as they are.
    """
    id: int = names.get(token.content, 0)
    if id >= len(model.pieces):
        return id
    literal = token.content.encode()
    spelled: bytes | None
    try:
        spelled = characters_to_bytes(token.content)
    except ValueError:
        spelled = literal if token.content in names else None
    if token.id < len(model.pieces) and model.pieces[token.id] in (token.content, spelled, literal):
        return token.id
    if not isinstance(model.pieces[0], bytes):
        return model.id_of(token.content)
    return None if spelled is None else model.id_of(spelled)


MOST_PARTS = 500
MOST_TIMES = 1_000
LONGEST_INSERTED = 1_000  # characters that a part inserts into a text


def check_growth(document: dict[str, Any]) -> None:
    """Raise FormatError if there are too many parts, or if together they could make a text a thousand times as long.

    >>> double = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    >>> check_growth({"normalizer": {"type": "Sequence", "normalizers": [double] * 9}})
    >>> check_growth({"normalizer": {"type": "Sequence", "normalizers": [double] * 10}})
    Traceback (most recent call last):
    webapp.core.formats.reading.FormatError: normalizer and pre-tokenizer could make a text 1,024 times as long
    """
    normalizer, pretokenizer, decoder = (_parts(document, name) for name in ("normalizer", "pre_tokenizer", "decoder"))
    for growth, what in (
        (prod(map(_growth, normalizer + pretokenizer)), Phrase("normalizer and pre-tokenizer")),
        (prod(map(_growth, decoder)), Phrase("the decoder")),
    ):
        if growth > MOST_TIMES:
            times = f"{growth:,}" if growth < 10**12 else Phrase("very many")
            raise FormatError("%(what)s could make a text %(times)s times as long", what=what, times=times)


def _parts(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the objects in a part at any depth, including the part itself."""
    found = list(islice(_objects(document.get(name)), MOST_PARTS + 1))
    if len(found) > MOST_PARTS:
        raise FormatError('"%(name)s" has more than %(most)s parts', name=name, most=MOST_PARTS)
    return found


def _objects(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from _objects(inner)


def _growth(part: dict[str, Any]) -> int:
    """Return an upper bound for how many times as long a part makes a text, later normalization included."""
    match part:
        case {"type": "Replace", "pattern": {"String": str(plain)}, "content": str(content)}:
            return -(-_length(content) // len(plain)) if plain else 1 + _length(content)
        case {"type": "Replace", "pattern": {"Regex": str(source)}, "content": str(content)}:
            # Such a pattern may match an empty span before every character.
            return _length(content) + bool(content and set(source) & set("^$*?|"))
        case {"type": "Prepend", "prepend": str(content)}:
            _length(content)
            return 1
        case {"type": "Precompiled"}:
            return 20  # the longest of NFKC is 18
        case {"type": "ByteLevel"}:
            return 4
        case {"type": "Metaspace" | "BPEDecoder" | "CTC"}:
            return 2
    return 1


def _length(content: str) -> int:
    """Return the length of inserted text after decomposition by later normalizers, at least 1."""
    if len(content) > LONGEST_INSERTED:
        raise FormatError(
            "a part inserts %(count)s characters into a text; at most %(most)s are allowed",
            count=f"{len(content):,}",
            most=f"{LONGEST_INSERTED:,}",
        )
    return max(1, len(normalized("NFKD", content).lower()))

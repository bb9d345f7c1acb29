"""The JSON of a minimal byte-level BPE class, as tutorials save it: merges and special tokens as nested lists.

    {"pattern": "...", "merges": [[[116, 104], 256], [[256, 101], 257]], "special_tokens": [["<|endoftext|>", 258]]}

The ids 0 to 255 are the bytes; each merge has the ids of its two parts and of its result, which is also its rank.
"""

import json
from collections.abc import Iterator
from typing import Any

from webapp.core.formats.patterns import checked_pattern
from webapp.core.formats.reading import LARGEST_VOCABULARY, FormatError, field, parts_of_file, repeated
from webapp.core.formats.written_parts import check_special_tokens, split_pattern_of
from webapp.core.models.bpe import BPE
from webapp.core.text.decoders import ByteLevelDecoder
from webapp.core.text.pretokenizers import ByteLevel, PreTokenizer, Split
from webapp.core.text.split_patterns import GPT2
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

_BYTES = [bytes([byte]) for byte in range(256)]
# A piece can be twice as long as the longest of those before it, so a few dozen merges could fill the memory.
LONGEST_PIECE = 8_000  # bytes
MOST_BYTES = 64 << 20  # of all pieces together


def is_minimal(document: object) -> bool:
    """Whether a JSON document has a list of merges, and neither the model nor the vocabulary of other formats.

    >>> is_minimal({"merges": []}), is_minimal({"merges": [], "vocab": {}})
    (True, False)
    """
    return (
        isinstance(document, dict)
        and isinstance(document.get("merges"), list)
        and not {"model", "vocab"} & set(document)
    )


def read(document: dict[str, Any]) -> Tokenizer:
    """Return the tokenizer of a parsed file; without `pattern`, the text is not split before merging.

    A merge is `[[left, right], id]`, `[left, right, id]` or `[left, right]`, whose id is the next one. Special tokens
    are `[token, id]` pairs or an object.

    >>> tokenizer = read({"merges": [[[97, 98], 256], [[256, 99], 257]], "special_tokens": [["<end>", 258]]})
    >>> tokenizer.ids("abcab<end>", special=True)
    [257, 256, 258]

    Raises FormatError for a merge of an id that no earlier merge makes, and for an id that is missing or occurs twice.
    """
    special_tokens = _special_tokens(document.get("special_tokens"))
    pieces, merges = _pieces(field(document, "merges", list), special_tokens)
    pattern = field(document, "pattern", str, None)
    pretokenizer: PreTokenizer | None = ByteLevel() if pattern == GPT2 else None
    if pattern not in (None, GPT2):
        pretokenizer = Split(checked_pattern(pattern), "removed", invert=True)
    with parts_of_file():
        model = BPE(pieces, merges, byte_level=True)
    return Tokenizer(model, pretokenizer=pretokenizer, decoder=ByteLevelDecoder(), special_tokens=special_tokens)


def write(tokenizer: Tokenizer) -> str:
    """Return the JSON of a byte-level BPE, which `read` reads back to the same ids.

    >>> source = '{"merges":[[[97,98],256]],"special_tokens":[["<end>",257]]}'
    >>> write(read(json.loads(source))) == source + chr(10)
    True

    Raises FormatError for another model, for pieces that are not the 256 bytes followed by those of the merges in
    order, and for a pipeline that is not one split pattern.
    """
    model = tokenizer.model
    marked = isinstance(model, BPE) and (model.continuing_subword_prefix or model.byte_suffix)
    if not isinstance(model, BPE) or not model.byte_level or model.ignore_merges or marked:
        raise FormatError("%(model)s cannot be written as a minimal byte-level BPE", model=type(model).__name__)
    if list(model.pieces[:256]) != _BYTES:
        raise FormatError("a minimal byte-level BPE has the 256 bytes as its first ids, in order")
    if tokenizer.normalizer is not None or not isinstance(tokenizer.decoder, ByteLevelDecoder):
        raise FormatError("a minimal byte-level BPE has no normalizer and decodes bytes; this tokenizer differs")
    check_special_tokens(tokenizer, tokenizer.special_tokens)
    made = [model.merge_result(left, right)[1] for left, right in model.merges]  # type: ignore[index]
    known = {*made, *tokenizer.special_tokens.values()}
    if sorted(set(made) - {*range(256)}) != made or not known.issuperset(range(256, len(model.pieces))):
        raise FormatError("a minimal byte-level BPE has one merge for each piece, in the order of their ids")
    merges = [[[left, right], id] for (left, right), id in zip(model.merges, made, strict=True)]
    pattern = split_pattern_of(tokenizer)
    document: dict[str, Any] = {} if pattern is None else {"pattern": pattern}
    document["merges"] = merges
    document["special_tokens"] = [[token, id] for token, id in tokenizer.special_tokens.items()]
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def _pieces(entries: list[Any], special_tokens: dict[str, int]) -> tuple[list[bytes], list[tuple[int, int]]]:
    """Return the bytes of each id, and the merges in the order of their ids."""
    if len(entries) > LARGEST_VOCABULARY:
        raise FormatError("more than %(most)s merges, too many for a vocabulary", most=f"{LARGEST_VOCABULARY:,}")
    by_id: dict[int, tuple[int, int]] = {}
    for left, right, id in _merges(entries):
        if id in by_id or id < 256:
            raise FormatError("the id %(id)s of a merge is used twice", id=shown(id))
        by_id[id] = left, right
    special_by_id: dict[int, str] = {}
    for token, id in special_tokens.items():
        if id < 256 or id in by_id or id in special_by_id:
            raise FormatError("the id %(id)s of %(token)s is used twice", id=shown(id), token=shown(token))
        special_by_id[id] = token
    pieces = list(_BYTES)
    merges: list[tuple[int, int]] = []
    total = 0
    while len(merges) < len(by_id):
        id = len(pieces)
        if id in special_by_id:
            pieces.append(special_by_id[id].encode())
            continue
        if id not in by_id:
            raise FormatError("no merge and no special token has the id %(id)s", id=id)
        left, right = by_id[id]
        if not (0 <= left < id and 0 <= right < id) or left in special_by_id or right in special_by_id:
            raise FormatError("the merge with the id %(id)s joins an id that no earlier merge makes", id=id)
        piece = pieces[left] + pieces[right]
        total += len(piece)
        if len(piece) > LONGEST_PIECE or total > MOST_BYTES:
            raise FormatError("the piece with the id %(id)s is too long", id=id)
        pieces.append(piece)
        merges.append((left, right))
    return pieces, merges


def _merges(entries: list[Any]) -> Iterator[tuple[int, int, int]]:
    for at, entry in enumerate(entries):
        match entry:
            case [[left, right], id] | [left, right, id]:
                merge = left, right, id
            case [left, right]:
                merge = left, right, 256 + at
            case _:
                merge = ("", "", "")
        if any(type(id) is not int for id in merge):
            raise FormatError(
                'entry %(at)s of "merges" should be [[left, right], id], not %(entry)s', at=at, entry=shown(entry)
            )
        yield merge


def _special_tokens(entries: Any) -> dict[str, int]:
    if isinstance(entries, dict):
        entries = [[token, id] for token, id in entries.items()]
    if not isinstance(entries, list | None):
        raise FormatError('"special_tokens" should be a list of [token, id] pairs')
    for entry in entries or ():
        match entry:
            case [str(token), int(id)] if token and type(id) is int and 0 <= id < 1 << 31:
                continue
        raise FormatError('an entry of "special_tokens" should be [token, id], not %(entry)s', entry=shown(entry))
    if (twice := repeated(token for token, _id in entries or ())) is not None:
        raise FormatError("the special token %(twice)s occurs twice in the file", twice=shown(twice))
    return dict(entries or ())

"""A `.tiktoken` together with the pattern and the special tokens that it lacks, as a small JSON.

The JSON has the arguments of `tiktoken.Encoding` apart from the ranks: `name`, `pat_str` and `special_tokens`.
"""

import json
import re
from typing import Any

from webapp.core.formats import tiktoken
from webapp.core.formats.patterns import checked_pattern
from webapp.core.formats.reading import LARGEST_VOCABULARY, FormatError, field, read_json
from webapp.core.formats.written_parts import WHOLE, check_special_tokens, split_pattern_of
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.text.decoders import ByteLevelDecoder
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown


def write(tokenizer: Tokenizer) -> tuple[bytes, str]:
    """Return the `.tiktoken` of a byte-level BPE and the JSON with pattern and special tokens.

    With both, `tiktoken` gives the same ids; `read` reads them back.

    >>> from webapp.core.recipes import BYTE_BPE
    >>> bpe = BPE([bytes([byte]) for byte in range(256)] + [b"to"], [(116, 111)], byte_level=True)
    >>> ranks, encoding = write(BYTE_BPE.tokenizer(bpe, {"<|end|>": 257}))
    >>> ranks.splitlines()[-1], json.loads(encoding)["special_tokens"]
    (b'dG8= 256', {'<|end|>': 257})

    Raises FormatError for another model, for merges that ranks do not imply, for a normalizer or a pre-tokenizer that
    is not one pattern, and for added tokens that are not special.
    """
    if not isinstance(tokenizer.decoder, ByteLevelDecoder):
        raise FormatError("a .tiktoken file implies pieces of bytes; this tokenizer decodes in another way")
    pattern = split_pattern_of(tokenizer)
    check_special_tokens(tokenizer, tokenizer.special_tokens)
    if tokenizer.normalizer is not None:
        ranks = tiktoken.write(tokenizer)  # accepts the one normalizer that an encoding implies
    else:
        inside = {id for id in tokenizer.special_tokens.values() if id < len(tokenizer.model.pieces)} | tokenizer.gaps
        pieces = as_ranks(tokenizer, inside)
        ranks = tiktoken.rank_lines({piece: id for id, piece in enumerate(pieces) if id not in inside})
    encoding = {
        "name": "tokenscope",
        "pat_str": WHOLE if pattern is None else pattern,
        "special_tokens": dict(tokenizer.special_tokens),
    }
    return ranks, json.dumps(encoding, ensure_ascii=False, indent=2) + "\n"


def is_encoding(document: object) -> bool:
    """Whether a JSON document has a pattern as `tiktoken` names it."""
    return isinstance(document, dict) and isinstance(document.get("pat_str"), str)


def of_pattern(pattern: str) -> str:
    """Return the JSON for a split pattern, or for that of the encoding with this name, without special tokens.

    >>> of_pattern("[a-z]+"), json.loads(of_pattern("qwen"))["pat_str"] == tiktoken.ENCODINGS["qwen"].pattern
    ('{"pat_str": "[a-z]+", "special_tokens": {}}', True)

    Raises FormatError for a pattern that cannot be compiled or times out, and for a word, which is a mistyped name.
    """
    known = tiktoken.ENCODINGS.get(pattern)
    if known is None and re.fullmatch(r"\w{2}[\w.-]{,60}", pattern):
        raise FormatError("%(name)s is not the name of an encoding", name=shown(pattern))
    source = known.pattern if known else pattern
    return json.dumps({"pat_str": checked_pattern(source), "special_tokens": {}}, ensure_ascii=False)


def read(ranks: bytes, encoding: str) -> Tokenizer:
    """Return the tokenizer of both files; raises FormatError if either is broken."""
    document = read_json(encoding)
    if not is_encoding(document):
        raise FormatError('not the encoding of a .tiktoken file: the JSON has no "pat_str"')
    special = field(document, "special_tokens", dict, {})
    if len(special) > LARGEST_VOCABULARY:
        raise FormatError("more than %(most)s pieces, too many for a vocabulary", most=f"{LARGEST_VOCABULARY:,}")
    for token, id in special.items():
        if type(id) is not int:
            raise FormatError("the id of %(name)s should be an integer, not %(id)s", name=shown(token), id=shown(id))
    return tiktoken.read(ranks, pattern=document["pat_str"], special_tokens=special)


def as_ranks(tokenizer: Tokenizer, special: set[int]) -> Any:
    """Return the pieces of a byte-level BPE whose ids, as ranks, imply its merges; `special` are the ids of others.

    A rank implies the same merges if the bytes of each piece, merged by the lower ranks alone, become the two parts
    that the piece's own merge joins: then no other pair that forms the piece is ever adjacent in a text, because what
    happens between the ends of such a pair is what happens in the piece alone.

    Raises FormatError, which names the first piece where that is not so.
    """
    model = tokenizer.model
    if isinstance(model, RankBPE):
        if set(model.reserved) != special:
            raise FormatError("a .tiktoken file cannot hold the special tokens of this vocabulary")
        return model.pieces
    if not isinstance(model, BPE) or not model.byte_level or model.byte_suffix:
        raise FormatError(
            "%(model)s cannot be written to a .tiktoken file, which holds pieces by rank", model=type(model).__name__
        )
    if model.missing_bytes:
        raise FormatError("the file cannot hold a vocabulary without a piece for each of the 256 bytes")
    ranks = RankBPE(model.pieces, reserved=special)  # type: ignore[arg-type]
    merges = iter(model.merges)
    for id, piece in enumerate(model.pieces):
        if id in special or len(piece) == 1:
            continue
        found = ranks.merge_of(id)
        if found is None and model.ignore_merges and model.merge_of(id) is None:
            continue
        if found is None or (found.left, found.right) != next(merges, None):
            raise FormatError("the ranks of a .tiktoken file would merge %(piece)s differently", piece=shown(piece))
    if next(merges, None) is not None:
        raise FormatError("a .tiktoken file cannot hold several merges for one piece")
    return model.pieces

"""OpenAI's `.tiktoken`: each line holds the bytes of a piece in base64, a space, and the piece's rank.

The file contains neither the split pattern nor the special tokens. Both come from a named encoding (`ENCODINGS`) or
from the caller.
"""

import re
import tomllib
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from webapp.core.formats.patterns import checked_pattern
from webapp.core.formats.reading import LARGEST_VOCABULARY, FormatError, parts_of_file
from webapp.core.models import Model
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.text import decoders, split_patterns
from webapp.core.text.normalizers import NFC, Normalizer
from webapp.core.text.pretokenizers import Split
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown


class EncodingParts(NamedTuple):
    """The parts of an encoding that a `.tiktoken` file does not contain, and the number of ranks it should have."""

    ranks: int
    pattern: str
    special_tokens: Mapping[str, int]
    normalizer: Normalizer | None = None


def read(
    content: bytes,
    encoding: str | None = None,
    *,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """Return the tokenizer of a file with the parts of a named encoding, or with a given pattern and special tokens.

    `pattern` and `special_tokens` override those of the encoding. If none of the three is given, `encoding_of` chooses
    the encoding by size; a file of no known size gets `cl100k_base`'s pattern and no special tokens.

    >>> content = b"".join(b2a_base64(bytes([byte])).strip() + b" %d\\n" % byte for byte in range(256)) + b"YWI= 256\\n"
    >>> tokenizer = read(content, pattern=r"\\w+|\\W+", special_tokens={"<|end|>": 257})
    >>> tokenizer.ids("abc!<|end|>", special=True)
    [256, 99, 33, 257]

    Raises FormatError for a file that is not a `.tiktoken` or is inconsistent, and for a pattern that cannot be
    compiled or times out; KeyError for an unknown encoding.
    """
    ranks = read_ranks(content)
    if encoding is None and pattern is None and special_tokens is None:
        encoding = encoding_of(ranks)
    known = _UNKNOWN_ENCODING if encoding is None else ENCODINGS[encoding]
    if special_tokens is None:
        special_tokens = known.special_tokens
    return rank_tokenizer(ranks, checked_pattern(pattern or known.pattern), special_tokens, known.normalizer)


def write(tokenizer: Tokenizer) -> bytes:
    """Return the file of a tokenizer's pieces in the order of their ranks, without special tokens.

    `read` reads it back to the same ids for every text without special tokens.

    >>> pieces = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    >>> write(rank_tokenizer(pieces, split_patterns.CL100K_BASE, {})).splitlines()[-2:]
    [b'/w== 255', b'YWI= 256']

    Raises FormatError for a model that does not merge by rank, and for a tokenizer whose split pattern, normalizer or
    gaps between ranks are not those that `read` assumes for a file of this size.
    """
    ranks = model_ranks(tokenizer)
    name = encoding_of(ranks)
    parts = ENCODINGS.get(name or "", _UNKNOWN_ENCODING)
    pipeline = (Split(parts.pattern, "removed", invert=True), parts.normalizer, decoders.ByteLevelDecoder())
    if (tokenizer.pretokenizer, tokenizer.normalizer, tokenizer.decoder) != pipeline:
        raise FormatError(
            "a .tiktoken file of %(count)s ranks implies the split pattern and normalizer of %(name)s; this tokenizer "
            "uses others",
            count=f"{len(ranks):,}",
            name=name or "cl100k_base",
        )
    gaps = set(range(max(ranks.values()) + 1)) - set(ranks.values())
    if not gaps <= set(parts.special_tokens.values()):
        raise FormatError("a .tiktoken file cannot leave out the rank %(rank)s", rank=min(gaps))
    return rank_lines(ranks)


def rank_lines(ranks: Mapping[bytes, int]) -> bytes:
    """Return a file: a piece in base64 and its rank on each line."""
    return b"".join(b"%s %d\n" % (b2a_base64(piece, newline=False), id) for piece, id in ranks.items())


def model_ranks(tokenizer: Tokenizer) -> dict[bytes, int]:
    """Return the rank of each piece, lowest first; raises FormatError for a model without ranks."""
    model = tokenizer.model
    if not isinstance(model, RankBPE):
        raise FormatError(
            "%(model)s cannot be written to a .tiktoken file, which holds pieces by rank", model=type(model).__name__
        )
    return {piece: id for id, piece in enumerate(model.pieces) if id not in model.reserved}


def encoding_of(ranks: Mapping[bytes, int]) -> str | None:
    """Return the name of the first encoding with this number of ranks, or None."""
    for name, parts in ENCODINGS.items():
        inside = sum(id < parts.ranks for id in parts.special_tokens.values())
        if len(ranks) + inside == parts.ranks == max(ranks.values()) + 1:
            return name
    return None


def is_guess(tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer has the parts that `read` gives a file whose number of ranks is that of no encoding."""
    return (
        isinstance(tokenizer.model, RankBPE)
        and tokenizer.pretokenizer == Split(_UNKNOWN_ENCODING.pattern, "removed", invert=True)
        and not tokenizer.added_tokens
        and len(tokenizer.model.pieces) not in {parts.ranks for parts in ENCODINGS.values()}
    )


def read_ranks(content: bytes) -> dict[bytes, int]:
    """Return the rank of each piece by its bytes. Blank lines are skipped, as in `tiktoken`.

    Raises FormatError, which names the first line that is not a piece and its rank or that repeats one of them.
    """
    ranks: dict[bytes, int] = {}
    if content.count(b"\n") + content.count(b"\r") - content.count(b"\r\n") > LARGEST_VOCABULARY:
        raise FormatError("more than %(most)s lines, too many for a vocabulary", most=f"{LARGEST_VOCABULARY:,}")
    seen: set[int] = set()
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        if not line or line.isspace():
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise FormatError(
                "line %(number)s should be base64, a space and a rank, not %(line)s", number=number, line=shown(line)
            )
        try:
            piece = a2b_base64(found[1], strict_mode=True)
        except Base64Error:
            raise FormatError("line %(number)s: %(text)s is not base64", number=number, text=shown(found[1])) from None
        if len(found[2]) > _MOST_DIGITS:
            raise FormatError("line %(number)s: the rank %(rank)s is too large", number=number, rank=shown(found[2]))
        rank = int(found[2])
        if piece in ranks:
            raise FormatError(
                "line %(number)s: the piece %(piece)s is already on an earlier line, with rank %(rank)s",
                number=number,
                piece=shown(piece),
                rank=ranks[piece],
            )
        if rank in seen:
            raise FormatError(
                "line %(number)s: the rank %(rank)s is already on an earlier line", number=number, rank=rank
            )
        seen.add(rank)
        ranks[piece] = rank
    if not ranks:
        raise FormatError("the .tiktoken file is empty")
    return ranks


def rank_tokenizer(
    ranks: Mapping[bytes, int], pattern: str, special_tokens: Mapping[str, int], normalizer: Normalizer | None = None
) -> Tokenizer:
    """Return the tokenizer that splits text by a pattern and merges each pre-token by these ranks.

    Text that the pattern does not match is dropped, as in `tiktoken`. The longest special token matches first;
    `tiktoken` has no particular order, but no published encoding exposes the difference. Two special tokens may share
    an id, as 200018 in `o200k_harmony`; decoding gives the last.

    Raises FormatError if the ranks leave a gap that no special token fills, or if a byte is missing.
    """
    special_by_id: dict[int, str] = {}
    for token, id in special_tokens.items():
        if not token or not 0 <= id < _LARGEST_ID:
            raise FormatError(
                "the special token %(token)s should have a text and a non-negative id, not %(id)s",
                token=shown(token),
                id=shown(id),
            )
        special_by_id[id] = token
    by_rank = {rank: piece for piece, rank in ranks.items()}
    for rank in sorted(by_rank.keys() & special_by_id.keys()):
        raise FormatError(
            "the rank %(rank)s of %(piece)s is the id of the special token %(token)s",
            rank=rank,
            piece=shown(by_rank[rank]),
            token=shown(special_by_id[rank]),
        )
    size = max(by_rank) + 1
    reserved = {id: token.encode() for id, token in special_by_id.items() if id < size}
    whole = by_rank | reserved
    if len(whole) < size:
        missing = next(rank for rank in range(size) if rank not in whole)
        raise FormatError("no piece has the rank %(rank)s, though ranks go up to %(last)s", rank=missing, last=size - 1)
    with parts_of_file():
        model = RankBPE([whole[id] for id in range(size)], reserved=reserved)
    return _tokenizer(model, pattern, special_tokens, normalizer)


def encoding_tokenizer(model: Model, encoding: str) -> Tokenizer:
    """Return the tokenizer of a named encoding whose ranks a model has; encodings of the same ranks can share it."""
    parts = ENCODINGS[encoding]
    return _tokenizer(model, parts.pattern, parts.special_tokens, parts.normalizer)


def _tokenizer(
    model: Model, pattern: str, special_tokens: Mapping[str, int], normalizer: Normalizer | None
) -> Tokenizer:
    return Tokenizer(
        model,
        normalizer=normalizer,
        pretokenizer=Split(pattern, "removed", invert=True),
        decoder=decoders.ByteLevelDecoder(),
        special_tokens=special_tokens,
    )


_LINE = re.compile(rb"\s*([A-Za-z0-9+/=]+)\s+([0-9]+)\s*")
_LARGEST_ID = 1 << 31
_MOST_DIGITS = 9

# --- the encodings ----------------------------------------------------------------------------------------------------


def _encoding(table: dict[str, Any]) -> EncodingParts:
    """The parts of an encoding from its table in `encodings.toml`."""
    special_tokens: dict[str, int] = {}
    for run in table["special_tokens"]:
        first, last = run.get("numbers", (1, 0))
        tokens = run.get("tokens") or [run["name"].format(number) for number in range(first, last + 1)]
        special_tokens |= {token: run["first"] + at for at, token in enumerate(tokens)}
    pattern: str = getattr(split_patterns, table["pattern"])
    return EncodingParts(table["ranks"], pattern, special_tokens, NFC() if table.get("nfc") else None)


_TABLES = tomllib.loads(Path(__file__).with_name("encodings.toml").read_text(encoding="utf-8"))
ENCODINGS: Mapping[str, EncodingParts] = MappingProxyType({name: _encoding(each) for name, each in _TABLES.items()})
"""The encodings of `tiktoken`'s `openai_public.py`, and those of Llama 3 and 4, Qwen and Kimi K2.

Llama 3's `tokenizer.model` is a `.tiktoken` file; versions 3.1 to 3.3 use it with other special tokens.
"""

_UNKNOWN_ENCODING = EncodingParts(0, split_patterns.CL100K_BASE, MappingProxyType({}))
"""What is assumed for a file whose number of ranks is none of theirs."""

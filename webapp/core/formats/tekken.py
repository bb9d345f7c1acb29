"""Mistral's `tekken.json`: pieces by rank, as in `.tiktoken`, with split pattern and special tokens in one JSON.

In `config`, `default_vocab_size` is the size of the vocabulary, and `default_num_special_tokens` the number of ids
reserved for special tokens before those of the pieces; the id of a piece is its rank plus that number.
"""

from binascii import a2b_base64
from typing import Any

from webapp.core.formats.patterns import checked_pattern
from webapp.core.formats.reading import FormatError, field, item, repeated
from webapp.core.formats.tiktoken import rank_tokenizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

# The special tokens of early files, which do not list them (from mistral-common, `tekken.py`).
_UNNAMED = [
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]",
    "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
]  # fmt: skip
_MOST_SPECIAL = 100_000


def is_tekken(document: object) -> bool:
    """Whether a JSON document has the parts of a `tekken.json`.

    >>> is_tekken({"config": {"pattern": "."}, "vocab": []}), is_tekken({"vocab": {}})
    (True, False)
    """
    return isinstance(document, dict) and "config" in document and isinstance(document.get("vocab"), list)


def read(document: dict[str, Any]) -> Tokenizer:
    """Return the tokenizer that a parsed `tekken.json` describes.

    Reserved ids without a special token are named `<SPECIAL_20>` and so on, as in Mistral's own reader. Encoding does
    not add `<s>` and `</s>`.

    Raises FormatError for a file that is inconsistent.
    """
    config = field(document, "config", dict)
    reserved = field(config, "default_num_special_tokens", int)
    size = field(config, "default_vocab_size", int)
    vocabulary = field(document, "vocab", list)
    if not 0 <= reserved <= _MOST_SPECIAL:
        raise FormatError(
            '"default_num_special_tokens": %(reserved)s is not a number from 0 to %(most)s',
            reserved=shown(reserved),
            most=f"{_MOST_SPECIAL:,}",
        )
    if not reserved < size <= reserved + len(vocabulary):
        raise FormatError(
            '"default_vocab_size": %(size)s does not fit %(pieces)s pieces and %(reserved)s special tokens',
            size=shown(size),
            pieces=len(vocabulary),
            reserved=reserved,
        )
    ranks = _ranks(vocabulary[: size - reserved], reserved)
    pattern = checked_pattern(field(config, "pattern", str))
    rules = field(config, "version", str, "")
    return rank_tokenizer(ranks, pattern, _special_tokens(document, reserved)).changed(rules=rules)


def _ranks(vocabulary: list[Any], first: int) -> dict[bytes, int]:
    """Return the id of each piece by its bytes; entries must be in the order of their ranks."""
    ranks: dict[bytes, int] = {}
    for at, part in enumerate(vocabulary):
        entry: Any = item(part, at, "vocab")
        rank, encoded = entry.get("rank"), entry.get("token_bytes")
        if rank != at or isinstance(rank, bool):
            raise FormatError(
                'entry %(at)s of "vocab" should have the rank %(at)s, not %(rank)s', at=at, rank=shown(rank)
            )
        try:
            piece = a2b_base64(encoded, strict_mode=True)
        except (TypeError, ValueError):
            raise FormatError(
                'entry %(at)s of "vocab": "token_bytes" should be base64, not %(encoded)s',
                at=at,
                encoded=shown(encoded),
            ) from None
        if piece in ranks:
            raise FormatError(
                'entry %(at)s of "vocab": the piece %(piece)s is already entry %(other)s',
                at=at,
                piece=shown(piece),
                other=ranks[piece] - first,
            )
        ranks[piece] = at + first
    return ranks


def _special_tokens(document: dict[str, Any], reserved: int) -> dict[str, int]:
    entries = field(document, "special_tokens", list, None)
    names = _UNNAMED if entries is None else [_special_name(entry, at) for at, entry in enumerate(entries)]
    if len(names) > reserved:
        raise FormatError(
            "%(count)s special tokens, but room for only %(reserved)s", count=len(names), reserved=reserved
        )
    names = names + [f"<SPECIAL_{id}>" for id in range(len(names), reserved)]
    if (twice := repeated(names)) is not None:
        raise FormatError("the special token %(twice)s occurs twice in the file", twice=shown(twice))
    return {name: id for id, name in enumerate(names)}


def _special_name(entry: Any, at: int) -> str:
    part = item(entry, at, "special_tokens")
    if field(part, "rank", int) != at:
        raise FormatError('entry %(at)s of "special_tokens" has the rank %(rank)s', at=at, rank=shown(part["rank"]))
    return field(part, "token_str", str)

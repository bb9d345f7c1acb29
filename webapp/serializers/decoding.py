"""Decoded ids as JSON and as rows of a table."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Literal, get_args

from webapp.core.analysis.decoding import Decoded, DecodedToken
from webapp.core.text.utf8 import missing_bytes
from webapp.serializers.json import json_piece, well_formed

WantDecoded = Literal["text", "tokens"]
WANTS_DECODED: tuple[WantDecoded, ...] = get_args(WantDecoded)


def decoded_json(found: Decoded, want: Collection[WantDecoded] = WANTS_DECODED) -> dict[str, Any]:
    """The given keys of decoded ids: the text of all, and the tokens one by one."""
    return {
        key: list(value) if isinstance(value, Iterator) else value for key, value in decoded_stream(found, want).items()
    }


def decoded_stream(found: Decoded, want: Collection[WantDecoded] = WANTS_DECODED) -> dict[str, Any]:
    """The same with an iterator of the tokens, for `json_response`."""
    answer: dict[str, Any] = {}
    if "text" in want:
        answer["text"] = well_formed(found.text)
    if "tokens" in want:
        answer["tokens"] = map(_token_json, found.tokens)
    return answer


def decoded_rows(found: Decoded) -> Iterator[tuple[object, ...]]:
    """The rows of a table of the tokens, the header first; bytes are hexadecimal."""
    yield ("index", "id", "piece", "bytes", "special", "text_alone", "streamed", "pending", "completed_by")
    for token in found.tokens:
        row = _token_json(token)
        piece = row["piece"] if isinstance(row["piece"], str) else ""
        head = (token.position, token.id, piece, row["bytes"], int(token.special))
        yield (*head, row["text"], row["streamed"], row["pending"], row["completed_by"])


def _token_json(token: DecodedToken) -> dict[str, Any]:
    return {
        "id": token.id,
        "piece": json_piece(token.piece),
        "bytes": token.data.hex(" "),
        "special": token.special,
        "text": well_formed(token.alone),
        "streamed": well_formed(token.text),
        "complete": not token.pending,
        "pending": token.pending.hex(" "),
        "missing": [f"{low:02x}-{high:02x}" for low, high in missing_bytes(token.pending)],
        "completed_by": token.resolved_by if token.completed else None,
        "invalid": token.invalid.hex(" "),
    }

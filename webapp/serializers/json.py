"""An answer in JSON, and how pieces, which may be bytes, are written in it."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from pydantic import TypeAdapter

JSONPiece = str | dict[str, str]

_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


def json_response(answer: Any, status: int = 200) -> Response:
    """`answer` as JSON in UTF-8; the fast way, for there may be hundreds of thousands of numbers in it."""
    return Response(_ANYTHING.dump_json(answer), status, mimetype="application/json")


def cached_for(response: Response, seconds: int) -> Response:
    """Let anybody keep an answer for so long, and ask with its tag whether it is still the same."""
    response.headers["Cache-Control"] = f"public, max-age={seconds}"
    response.add_etag()
    response.make_conditional(request)
    return response


def json_piece(piece: str | bytes) -> JSONPiece:
    """A piece: text, or its bytes in hexadecimal where they are no whole UTF-8.

    >>> json_piece(b"low"), json_piece("▁low"), json_piece(b"\\xe4\\xb8")
    ('low', '▁low', {'bytes': 'e4 b8'})
    """
    data = piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"bytes": data.hex(" ")}


def well_formed(text: str) -> str:
    """A text without lone surrogates, which JSON cannot carry: each is replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

"""JSON responses, and the JSON form of pieces, which may be bytes."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from pydantic import TypeAdapter

JSONPiece = str | dict[str, str]

_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


def json_response(answer: Any, status: int = 200) -> Response:
    """`answer` as a JSON response in UTF-8, with a fast encoder: it may contain hundreds of thousands of numbers."""
    return Response(_ANYTHING.dump_json(answer), status, mimetype="application/json")


def cached_for(response: Response, seconds: int) -> Response:
    """Allow all caches to keep the response for `seconds`, and to revalidate it with its entity tag."""
    response.headers["Cache-Control"] = f"public, max-age={seconds}"
    response.add_etag()
    response.make_conditional(request)
    return response


def json_piece(piece: str | bytes) -> JSONPiece:
    """A piece as a string, or as bytes in hexadecimal if it is not valid UTF-8.

    >>> json_piece(b"low"), json_piece("▁low"), json_piece(b"\\xe4\\xb8")
    ('low', '▁low', {'bytes': 'e4 b8'})
    """
    data = piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"bytes": data.hex(" ")}


def well_formed(text: str) -> str:
    """The text with U+FFFD for lone surrogates, which JSON in UTF-8 cannot contain."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

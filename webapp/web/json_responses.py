"""JSON responses, and the JSON form of pieces, which may be bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from flask import Response, request
from pydantic import ConfigDict, Field, TypeAdapter

from webapp.web.long_responses import long_response


@dataclass(frozen=True)
class PieceBytes:
    """A piece that is not valid UTF-8: it begins or ends inside a character."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    bytes: Annotated[str, Field(description="The bytes in hexadecimal, separated by spaces.", examples=["e4 b8"])]


JSONPiece = str | dict[str, str]
Piece = Annotated[
    str | PieceBytes,
    Field(description="The piece as it is in the vocabulary: a string, or `{bytes: …}` if it is not valid UTF-8."),
]

# Elements of a list that are encoded at once: more do not take less time, and take more memory.
BATCH = 2_000

_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


def json_response(answer: Any, status: int = 200) -> Response:
    """`answer` as a JSON response in UTF-8, with a fast encoder: it may contain hundreds of thousands of numbers.

    An iterator in `answer` is written as a list. A response with iterators or long lists is sent while it is written,
    unless it turns out to be short.
    """
    if not _is_long(answer):
        return Response(_encoded(answer), status, mimetype="application/json")
    return long_response(json_parts(answer), status, mimetype="application/json")


def json_parts(value: Any) -> Iterator[bytes]:
    """Yield `value` as JSON in UTF-8, part by part; with lists in place of iterators, the same as encoded at once.

    Elements of iterators and of lists longer than `BATCH` must be small: they contain no iterator.

    >>> b"".join(json_parts({"ids": iter([1, 2]), "rows": [{"pairs": zip([0], [3])}], "none": iter([])}))
    b'{"ids":[1,2],"rows":[{"pairs":[[0,3]]}],"none":[]}'
    """
    if not _is_long(value):
        yield _encoded(value)
    elif isinstance(value, dict):
        opening = b"{"
        for key, each in value.items():
            yield opening + _encoded(key) + b":"
            yield from json_parts(each)
            opening = b","
        yield b"}"
    elif isinstance(value, Iterator) or len(value) > BATCH:
        elements, opening = iter(value), b"["
        while batch := list(islice(elements, BATCH)):
            yield opening + _encoded(batch)[1:-1]
            opening = b","
        yield b"[]" if opening == b"[" else b"]"
    else:
        opening = b"["
        for each in value:
            yield opening
            yield from json_parts(each)
            opening = b","
        yield b"]"


def _encoded(value: Any) -> bytes:
    return _ANYTHING.dump_json(value)


def _is_long(value: Any) -> bool:
    """Whether `value` is or contains an iterator or a list of more than `BATCH` elements."""
    if isinstance(value, dict):
        return any(map(_is_long, value.values()))
    if isinstance(value, list | tuple):
        return len(value) > BATCH or any(map(_is_long, value))
    return isinstance(value, Iterator)


def cached_for(response: Response, seconds: int) -> Response:
    """Allow all caches to keep the response for `seconds`, and to revalidate it with its entity tag.

    A response that is sent while it is written has no entity tag, because its content is not known before its head.
    """
    response.headers["Cache-Control"] = f"public, max-age={seconds}"
    return revalidated(response)


def revalidated(response: Response) -> Response:
    """Give the response an entity tag if it has none, and answer 304 to a client that has the same one."""
    if not response.is_streamed:
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


def named(source: object, *names: str) -> dict[str, Any]:
    """Attributes of an object by name, texts well-formed: `named(span, "start", "end")` → `{"start": 0, "end": 2}`."""
    values = ((name, getattr(source, name)) for name in names)
    return {name: well_formed(value) if isinstance(value, str) else value for name, value in values}


def well_formed(text: str) -> str:
    """The text with U+FFFD for lone surrogates, which JSON in UTF-8 cannot contain."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

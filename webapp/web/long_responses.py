"""Responses that are sent while they are written, so that a long one is never in memory as a whole."""

from collections.abc import Iterable, Iterator
from itertools import chain

from flask import Response

WHOLE = 1 << 18  # bytes; a shorter response is sent with its length, and may have an entity tag
PART = 1 << 16  # bytes, at least, of each part of a longer one


def long_response(parts: Iterable[str | bytes], status: int = 200, *, mimetype: str) -> Response:
    """Join `parts` to a response; beyond `WHOLE` bytes, it is sent while the rest is written.

    Lone surrogates in parts of text become question marks. An exception for the first `WHOLE` bytes is raised here. A
    later one ends the connection without the final chunk, so that the client sees an incomplete response.
    """
    gathered = joined(parts)
    beginning: list[bytes] = []
    for part in gathered:
        beginning.append(part)
        if sum(map(len, beginning)) > WHOLE:
            response = Response(chain(beginning, gathered), status, mimetype=mimetype)
            # `get_data`, `add_etag` and `make_conditional` would write everything into memory: now they fail.
            response.implicit_sequence_conversion = False
            return response
    return Response(b"".join(beginning), status, mimetype=mimetype)


def joined(parts: Iterable[str | bytes]) -> Iterator[bytes]:
    """Yield the parts in UTF-8, joined to at least `PART` bytes each, because each is sent and compressed by itself.

    >>> list(joined(["ab", b"c", "\\ud800"]))
    [b'abc?']
    """
    waiting: list[bytes] = []
    size = 0
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "replace")
        waiting.append(data)
        size += len(data)
        if size >= PART:
            yield b"".join(waiting)
            waiting.clear()
            size = 0
    if waiting:
        yield b"".join(waiting)

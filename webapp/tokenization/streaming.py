"""Stream long results: the figures and the first tokens immediately, then the rest in chunks.

The response to htmx is a stream of events (`text/event-stream`), each a partial that htmx swaps in: the first is the
whole result with the first tokens, the others append chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import brotli
from flask import Request, Response, request
from markupsafe import Markup

from webapp.rendering.markup import Chunk, ids_html
from webapp.tokenization.result import Result
from webapp.tokenization.views import ResultView
from webapp.web.templates import render

FIRST = 2  # chunks sent with the figures
MOST = 48  # chunks in a later event; each event has twice as many as the one before, up to this limit
SHORT = 3_000  # tokens; a shorter result is sent whole
BROTLI_QUALITY = 3


def wants_events(request: Request, result: Result) -> bool:
    """Whether the result is long and the page accepts a stream."""
    return len(result.encoding) > SHORT and "text/event-stream" in request.headers.get("Accept", "")


def as_events(view: ResultView) -> Response:
    """Return the result of `view` as a stream of events."""
    assert view.result is not None
    parts = view.painter.chunks
    encoding = view.result.encoding
    beginning = parts[:FIRST]
    tokens = _joined(view.painter.paint(chunk) for chunk in beginning)
    first = render(replace(view, tokens=tokens, ids=ids_html(encoding, beginning)))
    events = _events(first, view, parts[FIRST:])
    response = Response(mimetype="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"
    if "br" in request.headers.get("Accept-Encoding", ""):
        response.headers["Content-Encoding"] = "br"
        response.response = _compressed(events)
    else:
        response.response = (event.encode() for event in events)
    return response


def _events(first: str, view: ResultView, rest: list[Chunk]) -> Iterator[str]:
    assert view.result is not None
    yield _event(first)
    encoding = view.result.encoding
    drawn = view.painter.drawn
    for some in growing_batches(rest):
        tokens = _joined(view.painter.paint(chunk) for chunk in some if chunk.last <= drawn)
        ids = ids_html(encoding, some)
        yield _event(
            f'<hx-partial hx-target="#tokens" hx-swap="beforeend">{tokens}</hx-partial>'
            f'<hx-partial hx-target="#ids" hx-swap="beforeend">{ids}</hx-partial>'
        )


def growing_batches(rest: Sequence[Chunk]) -> Iterator[Sequence[Chunk]]:
    """Yield the chunks in groups of 4, 8, 16 … `MOST`: small at first for a fast display, then large for throughput.

    >>> [len(group) for group in growing_batches([Chunk(0, 1, 0)] * 30)]
    [4, 8, 16, 2]
    """
    start, size = 0, 2 * FIRST
    while start < len(rest):
        yield rest[start : start + size]
        start, size = start + size, min(2 * size, MOST)


def _joined(parts: Iterable[Markup]) -> Markup:
    return Markup("").join(parts)


def _event(html: str) -> str:
    r"""One event: every line of `html` becomes a line of data: `a\nb → data: a\ndata: b\n\n`."""
    return "".join(f"data: {line}\n" for line in html.split("\n")) + "\n"


def _compressed(events: Iterator[str]) -> Iterator[bytes]:
    """Yield each event compressed and flushed; Flask-Compress would delay the first ones."""
    compressor = brotli.Compressor(quality=BROTLI_QUALITY)
    for event in events:
        yield compressor.process(event.encode()) + compressor.flush()
    yield compressor.finish()

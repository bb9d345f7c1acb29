"""The files of a result written at once by the standard library: what the writers in parts must equal."""

from __future__ import annotations

import csv
import io
import json

from webapp.core.encoding import Encoding
from webapp.rendering.markup import Painter, ids_html
from webapp.rendering.pictures.cells import spans
from webapp.rendering.pictures.page import html_parts
from webapp.rendering.pictures.tables import escape_formula, shown_piece


def whole_json(encoding: Encoding, algorithm: str, vocabulary: str) -> str:
    """The JSON file, each token by `json.dumps`."""
    ascii_only = any("\ud800" <= character <= "\udfff" for character in encoding.text)

    def written(value: object) -> str:
        return json.dumps(value, ensure_ascii=ascii_only)

    tokens = (
        {
            "id": token.id,
            "piece": _text(token.piece),
            "start": token.start,
            "end": token.end,
            "bytes": _bytes(token.piece).hex(),
            "unknown": token.unknown,
            "special": token.special,
        }
        for token in encoding
    )
    head = {"text": encoding.text, "algorithm": algorithm, "vocabulary": vocabulary}
    lines = [f'"{name}": {written(value)}' for name, value in head.items()]
    rows = ",\n".join(map(written, tokens))
    return "{" + ",\n".join([*lines, f'"tokens": [\n{rows}\n]']) + "}\n"


def whole_csv(encoding: Encoding) -> str:
    """The CSV file, each row by `csv.writer`."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(("id", "piece", "start", "end", "bytes"))
    for token in encoding:
        data = _bytes(token.piece)
        piece = data.decode("utf-8", "ignore") if _text(token.piece) is not None else ""
        writer.writerow((token.id, escape_formula(piece), token.start, token.end, data.hex()))
    return out.getvalue()


def whole_text(encoding: Encoding, separator: str) -> str:
    """The text file, joined at once."""
    texts = (
        shown_piece(encoding.piece(span.index)) if span.around else span.own
        for span in spans(encoding)
        if span.index is not None and (span.own or span.around)
    )
    return separator.join(texts)


def whole_html(encoding: Encoding) -> str:
    """The HTML file with the markup of all tokens and ids as the page has them."""
    painter = Painter(encoding)
    beginning, between, end = "".join(html_parts(encoding)).partition("<h2>")
    head = beginning[: beginning.index('dir="auto">') + len('dir="auto">')]
    heading = end[: end.index('class="numbers">') + len('class="numbers">')]
    tail = end[end.rindex('</div>\n<p class="name">') :]
    return f"{head}{painter.html()}</div>\n{between}{heading}{ids_html(encoding, painter.chunks)}{tail}"


def _text(piece: str | bytes) -> str | None:
    if isinstance(piece, str):
        return piece
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None


def _bytes(piece: str | bytes) -> bytes:
    return piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")

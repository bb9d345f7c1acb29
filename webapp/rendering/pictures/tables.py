r"""Exports a result as JSON, CSV or plain text.

A piece that is not valid UTF-8 has no text: its `piece` is null in JSON and empty in CSV. `bytes` are exact in both
formats; all fields of JSON are exact.
"""

from __future__ import annotations

import csv as csv_writer
import io
import json
from collections.abc import Iterator

import regex

from webapp.core.encoding import Encoding
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.cells import spans

# Spreadsheets interpret a cell that begins like this as a formula, which can run programs or leak the sheet.
_FORMULA = regex.compile(r"\s*[=+\-@＝＋－＠].*\p{L}", regex.DOTALL)


def as_json(encoding: Encoding, *, algorithm: str, vocabulary: str) -> str:
    """The result as JSON: `{"text": …, "algorithm": …, "vocabulary": …, "tokens": [{"id": …}, …]}`.

    `start` and `end` are character offsets into `text`; `bytes` are hexadecimal. One line per token.
    """
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


def csv(encoding: Encoding) -> str:
    r"""The result as CSV, one row per token: id, piece, start, end, bytes (hexadecimal).

    A piece that a spreadsheet would run as a formula (it begins with one of `= + - @` and contains a letter) gets a
    leading apostrophe; its `bytes` are unchanged.
    """
    out = io.StringIO(newline="")
    writer = csv_writer.writer(out)
    writer.writerow(("id", "piece", "start", "end", "bytes"))
    for token in encoding:
        data = _bytes(token.piece)
        piece = data.decode("utf-8", "ignore") if _text(token.piece) is not None else ""
        writer.writerow((token.id, escape_formula(piece), token.start, token.end, data.hex()))
    return out.getvalue()


def escape_formula(piece: str) -> str:
    """`piece`, with a leading apostrophe if a spreadsheet would run it as a formula.

    >>> escape_formula("=SUM(A1)"), escape_formula("=="), escape_formula("-1")
    ("'=SUM(A1)", '==', '-1')
    """
    return f"'{piece}" if _FORMULA.match(piece) else piece


def plain(encoding: Encoding, separator: str = " ") -> str:
    """The text with `separator` between tokens.

    A character that several tokens share appears once. Text that belongs to no token (the spaces that WordPiece
    drops) is omitted.
    """
    return separator.join(_texts(encoding)).encode("utf-8", "replace").decode()


def _texts(encoding: Encoding) -> Iterator[str]:
    for span in spans(encoding):
        if span.index is not None and (span.own or span.around):
            yield shown_piece(encoding.piece(span.index)) if span.around else span.own


def _text(piece: str | bytes) -> str | None:
    if isinstance(piece, str):
        return piece
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None


def _bytes(piece: str | bytes) -> bytes:
    return piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")

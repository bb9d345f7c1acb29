r"""Exports a result as JSON, CSV or plain text.

A piece that is not valid UTF-8 has no text: its `piece` is null in JSON and empty in CSV. `bytes` are exact in both
formats; all fields of JSON are exact.
"""

import csv as csv_writer
import io
import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import count, islice
from typing import TypeVar

import regex

from webapp.core.encoding import Encoding
from webapp.core.text.utf8 import decoded
from webapp.rendering.graphemes import cluster_ends
from webapp.rendering.markup import shown_piece, spans

# Spreadsheets interpret a cell that begins like this as a formula, which can run programs or leak the sheet.
_FORMULA = regex.compile(r"\s*[=+\-@＝＋－＠].*\p{L}", regex.DOTALL)


ROWS = 1_000  # tokens of a part
MOST_PIECES = 20_000  # unknown and special ones, what is written of which is remembered
_SURROGATE = regex.compile("[\ud800-\udfff]")

Written = TypeVar("Written")


def json_parts(encoding: Encoding, *, algorithm: str, vocabulary: str) -> Iterator[str]:
    """Yield the result as JSON, in parts: `{"text": …, "algorithm": …, "vocabulary": …, "tokens": [{"id": …}, …]}`.

    `start` and `end` are character offsets into `text`; `bytes` are hexadecimal. One line per token.
    """
    ascii_only = _SURROGATE.search(encoding.text) is not None

    def written(value: object) -> str:
        return json.dumps(value, ensure_ascii=ascii_only)

    def pattern(piece: str | bytes) -> tuple[str, str]:
        return written(_text(piece)), _bytes(piece).hex()

    yield f'{{"text": {written(encoding.text)},\n'
    yield f'"algorithm": {written(algorithm)},\n"vocabulary": {written(vocabulary)},\n"tokens": [\n'
    starts, ends, ids, special = encoding.starts, encoding.ends, encoding.ids, encoding.special
    pieces = pieces_written(encoding, pattern)
    unknown = encoding.unknown
    separator = ""
    for first in range(0, len(ids), ROWS):
        part = slice(first, first + ROWS)
        columns = zip(count(first), ids[part], starts[part], ends[part], islice(pieces, ROWS), strict=False)
        rows = [
            f'{{"id": {id}, "piece": {piece}, "start": {start}, "end": {end}, "bytes": "{data}", '
            f'"unknown": {"true" if index in unknown else "false"}, '
            f'"special": {"true" if index in special else "false"}}}'
            for index, id, start, end, (piece, data) in columns
        ]
        yield separator + ",\n".join(rows)
        separator = ",\n"
    yield "\n]}\n"


def csv_parts(encoding: Encoding) -> Iterator[str]:
    r"""Yield the result as CSV in parts, one row per token: id, piece, start, end, bytes (hexadecimal).

    A piece that a spreadsheet would run as a formula (it begins with one of `= + - @` and contains a letter) gets a
    leading apostrophe; its `bytes` are unchanged.
    """

    def cells(piece: str | bytes) -> tuple[str, str]:
        data = _bytes(piece)
        text = data.decode("utf-8", "ignore") if _text(piece) is not None else ""
        return _csv_field(escape_formula(text)), data.hex()

    yield "id,piece,start,end,bytes\r\n"
    starts, ends, ids = encoding.starts, encoding.ends, encoding.ids
    pieces = pieces_written(encoding, cells)
    for first in range(0, len(ids), ROWS):
        part = slice(first, first + ROWS)
        rows = zip(ids[part], starts[part], ends[part], islice(pieces, ROWS), strict=True)
        yield "".join(f"{id},{piece},{start},{end},{data}\r\n" for id, start, end, (piece, data) in rows)


def _csv_field(text: str) -> str:
    """A field as `csv` writes it beside others, with quotes where it needs them."""
    out = io.StringIO(newline="")
    csv_writer.writer(out).writerow((0, text))
    return out.getvalue()[2:-2]


def escape_formula(piece: str) -> str:
    """`piece`, with a leading apostrophe if a spreadsheet would run it as a formula.

    >>> escape_formula("=SUM(A1)"), escape_formula("=="), escape_formula("-1")
    ("'=SUM(A1)", '==', '-1')
    """
    return f"'{piece}" if _FORMULA.match(piece) else piece


def plain_parts(encoding: Encoding, separator: str = " ") -> Iterator[str]:
    """Yield the text with `separator` between tokens, in parts.

    A character that several tokens share appears once. Text that belongs to no token (the spaces that WordPiece
    drops) is omitted.
    """
    texts = _texts(encoding)
    some = list(islice(texts, ROWS))
    while some:
        following = list(islice(texts, ROWS))
        yield separator.join(some) + (separator if following else "")
        some = following


def _texts(encoding: Encoding) -> Iterator[str]:
    for index, own, _shared, around in spans(encoding, cluster_ends(encoding.text)):
        if index is not None and (own or around):
            yield shown_piece(encoding.piece(index)) if around else own


def pieces_written(encoding: Encoding, write: Callable[[str | bytes], Written]) -> Iterator[Written]:
    """What is written of the piece of each token: few are different, and those of a text return.

    Raises TextError here, not when the iterator is read.
    """
    known: dict[int, Written] = {}
    remembered = lru_cache(MOST_PIECES)(write)
    unknown, special = encoding.unknown, encoding.special

    def pieces() -> Iterator[Written]:
        for index, id in enumerate(encoding.ids):
            if index in unknown or index in special:
                yield remembered(encoding.piece(index))
                continue
            if id not in known:
                known[id] = write(encoding.vocabulary_piece(id))
            yield known[id]

    return pieces()


def _text(piece: str | bytes) -> str | None:
    return piece if isinstance(piece, str) else decoded(piece)


def _bytes(piece: str | bytes) -> bytes:
    return piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")

"""Tables as CSV to download."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from webapp.rendering.pictures.tables import escape_formula

ROWS = 1_000  # of a part
BOM = "\ufeff"  # without it, Excel reads UTF-8 as the system's encoding


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    r"""The rows as CSV for spreadsheets, the header first.

    >>> as_csv([("pair", "count"), ("e s", 9), ("=A1", 1)])
    "\ufeffpair,count\r\ne s,9\r\n'=A1,1\r\n"
    """
    return "".join(csv_parts(rows)).encode("utf-8", "replace").decode()


def csv_parts(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the same in parts of some rows each; lone surrogates are not replaced."""
    remaining = iter(rows)
    beginning = BOM
    out = io.StringIO(newline="")
    while some := list(islice(remaining, ROWS)):
        csv.writer(out).writerows([escape_formula(_text(cell)) for cell in row] for row in some)
        yield beginning + out.getvalue()
        beginning = ""
        out = io.StringIO(newline="")
    if beginning:
        yield beginning


def _text(cell: object) -> str:
    """A cell as text: figures with a decimal point and without separators, so that a spreadsheet reads them."""
    return "" if cell is None else str(cell)

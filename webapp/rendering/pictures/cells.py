r"""Converts an encoding to cells: what the picture shows for each token, as on the page (`webapp.rendering.markup`).

A character that several tokens share is in the first of them, and all of them show their bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from webapp.core.encoding import Encoding
from webapp.rendering.graphemes import LONGEST, cluster_ends
from webapp.rendering.markup import is_mark_alone, shown_piece, visible

# Characters that XML cannot contain, and no font has.
_NO_CHARACTERS = regex.compile("[\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class PictureCell:
    """A token, or text between tokens (`index` None).

    `text` is the visible text; `label` has the bytes in hexadecimal of a token that shares a character; `mark` is the
    symbol for invisible content: `↵` for a line end, `▁` for a token without text. `split`: several tokens are parts of
    one character, and their bytes are not shown.
    """

    index: int | None
    text: str
    label: str = ""
    mark: str = ""
    unknown: bool = False
    special: bool = False
    split: bool = False


def drawable(text: str, show: bool = False) -> str:
    r"""`text` with visible symbols for control characters, and without characters that XML forbids.

    >>> drawable("a\x00\ud800\u202e")
    'a⟨0000⟩⟨D800⟩⟨202E⟩'
    """
    return _NO_CHARACTERS.sub("\ufffd", visible(text, show))


@dataclass(slots=True)
class CellSpan:
    """The part of the text that is shown for a token; `index` None is text that belongs to no token.

    `shared`: other tokens have bytes of the same character, which is in `own` of the first of them. `around`: a special
    token without text.
    """

    index: int | None
    own: str
    shared: bool = False
    around: bool = False


def spans(encoding: Encoding, most: int | None = None) -> Iterator[CellSpan]:
    """Yield the spans of the text in order; with `most`, only those of the first `most` tokens."""
    text, starts, ends, special = encoding.text, encoding.starts, encoding.ends, encoding.special
    total = len(encoding) if most is None else min(len(encoding), most)
    whole = total == len(encoding)
    # The drawing ends with the last of these tokens, so the rest of a long text is not searched.
    reach = len(text) if whole else min(len(text), max(ends[:total], default=0) + LONGEST)
    inside = cluster_ends(text[:reach])
    shown, number = 0, len(encoding)
    for index in range(total):
        start, end = starts[index], ends[index]
        follower = index + 1
        following = starts[follower] if follower < number else len(text)
        if start == shown and end == following and start != end and end not in inside:
            # The usual case, tested first: it takes a third of the time of the rest.
            shown = end
            yield CellSpan(index, text[start:end])
            continue
        if start == end and index in special:
            yield CellSpan(index, "", around=True)
            continue
        if start > shown:
            yield CellSpan(None, text[shown:start])
        covered = start if following == start and is_mark_alone(encoding, index) else end
        end = inside.get(covered, covered)
        goes_on = follower < number and following < min(end, ends[follower])
        shared = start < shown or end != covered or goes_on
        own = text[max(start, shown) : end]
        shown = max(shown, end)
        yield CellSpan(index, own, shared)
    if whole and shown < len(text):
        yield CellSpan(None, text[shown:])


def cells(encoding: Encoding, show: bool = False, most: int | None = None) -> Iterator[PictureCell]:
    """Yield the cells of an encoding in the order of the text; with `most`, only those of the first `most` tokens."""
    unknown, special = encoding.unknown, encoding.special
    for span in spans(encoding, most):
        index, own, shared = span.index, span.own, span.shared
        if index is None:
            yield PictureCell(None, drawable(own, show))
        elif span.around:
            yield PictureCell(index, drawable(shown_piece(encoding.piece(index))), special=True)
        else:
            mark = "▁" if not own and not shared else "↵" if own.startswith("\n") and not show else ""
            label = _bytes(encoding.piece(index)) if shared else ""
            yield PictureCell(index, drawable(own, show), label, mark, index in unknown, index in special)


def _bytes(piece: str | bytes) -> str:
    data = piece if isinstance(piece, bytes) else piece.encode("utf-8", "replace")
    return data.hex(" ").upper()

r"""Tokens → HTML: one element a token, nothing else, in chunks that a browser can lay out one at a time.

    <div class="chunk c0" data-first="0"><i>Hello</i><i>,</i><i> wor</i><i>ld</i></div>

* The colour comes from the element's place in its chunk (`:nth-child`) and the chunk's class `c0` … `c4`, which says
  where in the cycle of five it begins: no two neighbours are alike.
* Text between two tokens that no token covers (the spaces that WordPiece drops) stands between the elements.
* A grapheme that several tokens share is written once, whole, in the first of them; all of them carry their own
  bytes in `data-b`, which the style sheet shows: markup never cuts inside a character.
* Control characters, which HTML cannot carry or a reader cannot see, become their number: `⟨0007⟩`. Unicode has symbols
  for them, but few fonts do.

A template loop over 100,000 tokens takes half a second; joining strings remembered by text takes a tenth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import regex
from markupsafe import Markup, escape

from webapp.core.encoding import Encoding
from webapp.rendering.graphemes import cluster_ends

COLOURS = 5
CHUNK = 400  # tokens; a chunk ends at the next line end after so many
LONGEST_CHUNK = 800  # or, where the text has no line end, at so many

# Characters that would reorder or hide the text around them, or show nothing at all.
_INVISIBLE = regex.compile(
    r"[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u3164\uffa0--[\t\n\u200c\u200d]]", regex.V1
)
_SPACES = {" ": "·", "\t": "→\t", "\n": "↵\n", "\u3000": "□", "\u00a0": "⍽"}
_SHOWN = regex.compile("[" + "".join(_SPACES) + "]")


@dataclass(frozen=True)
class Chunk:
    """Tokens `first` up to `last` (exclusive), which begin a line, and the text offset where they begin."""

    first: int
    last: int
    offset: int


def visible(text: str, show: bool = False) -> str:
    r"""`text` with the number of every control and format character in its place; with `show`, symbols for spaces too.

    >>> visible("a\x00b\u202ec")
    'a⟨0000⟩b⟨202E⟩c'
    >>> visible("\ud800")  # half a character, which UTF-8 does not have
    '⟨D800⟩'
    >>> visible("a b", show=True)
    'a·b'
    """
    if text in ("\u200c", "\u200d"):
        return f"⟨{ord(text):04X}⟩"  # alone there is nothing for it to join
    if not text.isprintable():
        text = _INVISIBLE.sub(_symbol, text)
    return _SHOWN.sub(lambda match: _SPACES[match[0]], text) if show else text


def shown_piece(piece: str | bytes) -> str:
    r"""A vocabulary's piece as a reader can see it; bytes that are no whole characters as hexadecimal.

    >>> shown_piece(b" the")
    '·the'
    >>> shown_piece(b"\xe4\xb8")
    '⟨E4 B8⟩'
    """
    try:
        text = piece.decode() if isinstance(piece, bytes) else piece
    except UnicodeDecodeError as error:
        return f"⟨{error.object.hex(' ').upper()}⟩"
    return visible(text, show=True).replace("\n", "")


def _symbol(match: regex.Match[str]) -> str:
    code = ord(match[0])
    return match[0] if code == 0xA0 else f"⟨{code:04X}⟩"


def chunks(encoding: Encoding, inside: Mapping[int, int] = MappingProxyType({})) -> Iterator[Chunk]:
    """Cut an encoding into chunks; each but the last ends with a line end where there is one to be had.

    `inside`: the offsets at which it must not be cut, as `cluster_ends` gives them.
    """
    text, ends, total = encoding.text, encoding.ends, len(encoding)
    first = 0
    while first < total:
        last = min(first + CHUNK, total)
        limit = min(first + LONGEST_CHUNK, total)
        while last < limit and text[ends[last - 1] - 1 : ends[last - 1]] != "\n":
            last += 1
        # Never between two tokens that share a character.
        while last < total and (encoding.starts[last] < ends[last - 1] or ends[last - 1] in inside):
            last += 1
        yield Chunk(first, last, ends[first - 1] if first else 0)
        first = last


def is_mark_alone(encoding: Encoding, index: int) -> bool:
    """Whether a token is nothing but the mark of a space, put before a word whose own token shows all its characters.

    Its place is the word's first character, as in `tokenizers`; it has no share of it.
    """
    starts, ends, follower = encoding.starts, encoding.ends, index + 1
    return (
        follower < len(encoding)
        and starts[index] == starts[follower]
        and starts[index] < ends[index] <= ends[follower]
        and encoding.piece(index) == "▁"
    )


class Painter:
    """Writes the chunks of one encoding as HTML.

    `link` gives the address of a token's details by its index; without it tokens are not links. `chosen` is the
    index of the token whose details are open.
    """

    def __init__(
        self,
        encoding: Encoding,
        *,
        show: bool = False,
        link: Callable[[int], str] | None = None,
        chosen: int | None = None,
    ) -> None:
        self.encoding = encoding
        self.show = show
        self.link = link
        self.chosen = chosen
        self.inside = cluster_ends(encoding.text)
        self._unknown = encoding.unknown
        self._special = encoding.special
        self._plain = _Cells(show)

    @cached_property
    def chunks(self) -> list[Chunk]:
        """The encoding's chunks."""
        return list(chunks(self.encoding, self.inside))

    def html(self) -> Markup:
        """Every chunk; of a text without tokens, the text alone."""
        if not len(self.encoding):
            return Markup('<div class="chunk c0">{}</div>').format(visible(self.encoding.text, self.show))
        return Markup("").join(self.paint(chunk) for chunk in self.chunks)

    def paint(self, chunk: Chunk) -> Markup:
        """One chunk as a `div`."""
        cells = self._quick(chunk) if self._is_plain(chunk) else self._careful(chunk)
        head = f'<div class="chunk c{chunk.first % COLOURS}" data-first="{chunk.first}">'
        return Markup(f"{head}{''.join(cells)}</div>")

    def _is_plain(self, chunk: Chunk) -> bool:
        """Whether the chunk's tokens cover its text one after the other, and none needs a class or a link."""
        if self.link or self.inside or self.chosen is not None:
            return False
        part = slice(chunk.first, chunk.last)
        starts, ends = self.encoding.starts[part], self.encoding.ends[part]
        return starts[0] == chunk.offset and starts[1:] == ends[:-1] and not self._flagged(chunk)

    def _flagged(self, chunk: Chunk) -> bool:
        indexes = range(chunk.first, chunk.last)
        return any(not flagged.isdisjoint(indexes) for flagged in (self._unknown, self._special))

    def _quick(self, chunk: Chunk) -> list[str]:
        text = self.encoding.text
        part = slice(chunk.first, chunk.last)
        pairs = zip(self.encoding.starts[part], self.encoding.ends[part], strict=True)
        return [self._plain[text[start:end]] for start, end in pairs]

    def _careful(self, chunk: Chunk) -> list[str]:
        encoding, text, inside = self.encoding, self.encoding.text, self.inside
        starts, ends, total = encoding.starts, encoding.ends, len(encoding)
        unknown, special = self._unknown, self._special
        cells = []
        shown = chunk.offset
        for index in range(chunk.first, chunk.last):
            start, end = starts[index], ends[index]
            if self._around(index):
                kinds = ["x", "on"] if index == self.chosen else ["x"]
                cells.append(self._cell(index, shown_piece(encoding.piece(index)), kinds, shared=False))
                continue
            if start > shown:
                cells.append(str(escape(visible(text[shown:start], self.show))))
            alike = index + 1 < total and starts[index + 1] == start
            covered = start if alike and is_mark_alone(encoding, index) else end
            end = inside.get(covered, covered)
            goes_on = index + 1 < total and starts[index + 1] < end and not self._around(index + 1)
            shared = start < shown or end != covered or goes_on
            own = text[max(start, shown) : end]
            shown = max(shown, end)
            if not (shared or self.link or index in unknown or index in special or index == self.chosen) and own:
                cells.append(self._plain[own])
                continue
            kinds = [
                name
                for name, holds in (
                    ("u", index in unknown),
                    ("x", index in special),
                    ("b", shared),
                    ("g", shared and bool(own)),
                    ("z", not own and not shared),
                    ("n", own.startswith("\n") and not self.show),
                    ("on", index == self.chosen),
                )
                if holds
            ]
            cells.append(self._cell(index, own, kinds, shared))
        if chunk.last == total and shown < len(text):
            cells.append(str(escape(visible(text[shown:], self.show))))
        return cells

    def _around(self, index: int) -> bool:
        """Whether a token stands for nothing in the text: a special one that was put around it."""
        return index in self._special and self.encoding.starts[index] == self.encoding.ends[index]

    def _cell(self, index: int, own: str, kinds: list[str], shared: bool) -> str:
        attributes = f' class="{" ".join(kinds)}"' if kinds else ""
        label = ""
        if shared:
            piece = self.encoding.piece(index)
            data = piece if isinstance(piece, bytes) else piece.encode("utf-8", "replace")
            label = data.hex(" ").upper()
            attributes += f' data-b="{label}"'
        body = escape(visible(own, self.show))
        if not self.link:
            return f"<i{attributes}>{body}</i>"
        if not own.strip():
            # A link without letters still needs a name.
            name = label or visible(own, show=True).strip() or shown_piece(self.encoding.piece(index))
            attributes += f' aria-label="{escape(name)}"'
        return f'<a href="{escape(self.link(index))}"{attributes}>{body}</a>'


class _Cells(dict[str, str]):
    """A token's text → its plain element, made once."""

    def __init__(self, show: bool) -> None:
        self.show = show

    def __missing__(self, text: str) -> str:
        kind = ' class="z"' if not text else ' class="n"' if text.startswith("\n") and not self.show else ""
        cell = self[text] = f"<i{kind}>{escape(visible(text, self.show))}</i>"
        return cell


def ids_html(encoding: Encoding, chunks: Iterable[Chunk]) -> Markup:
    """The ids of some chunks, a line each: bare numbers; the page finds the n-th by counting, no element each."""
    return Markup("").join(_ids_line(encoding.ids[chunk.first : chunk.last], chunk.first) for chunk in chunks)


def _ids_line(ids: Sequence[int], first: int) -> Markup:
    return Markup(f'<div class="ids" data-first="{first}">{" ".join(map(str, ids))} </div>')

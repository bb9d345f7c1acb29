r"""Renders tokens as HTML: one element per token, in chunks that a browser can lay out separately.

    <div class="chunk c0" data-first="0"><i>Hello</i><i>,</i><i> wor</i><i>ld</i></div>

* The colour depends on the element's position in its chunk (`:nth-child`) and the chunk's class `c0` … `c5`, which is
  the start in the cycle of six colours: adjacent tokens always have different colours.
* Text that no token covers (the spaces that WordPiece drops) appears between the elements.
* Markup never splits a character: a grapheme that several tokens share is in the first of them, and all of them have
  their own bytes in `data-b`, which the style sheet displays.
* A tile shows that its piece ends a word by `</w>`, which is in no text.
* Control characters, which HTML cannot contain or a reader cannot see, become their code point: `⟨0007⟩`. Unicode has
  symbols for them, but few fonts do.

For 100,000 tokens, a template loop takes 0.5 s; joining strings that are cached by text takes a tenth of that.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import regex
from markupsafe import Markup, escape

from webapp.core.encoding import Encoding
from webapp.rendering.graphemes import cluster_ends

COLOURS = 6
CHUNK = 400  # tokens; a chunk ends at the next line end after this many
LONGEST_CHUNK = 800  # or after this many, if there is no line end
DRAWN = 1 << 19
"""Limit in tokens for a page. A megabyte of English has 0.2 to 0.45 million; with a million elements browsers stall."""

# Characters that reorder or hide the text around them, or are invisible.
_INVISIBLE = regex.compile(
    r"[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u3164\uffa0--[\t\n\u200c\u200d]]", regex.V1
)
_SPACES = {" ": "·", "\t": "→\t", "\n": "↵\n", "\u3000": "□", "\u00a0": "⍽"}
END_OF_WORD = "</w>"
_BYTE_PIECE = regex.compile("<0x([0-9A-F]{2})>")
_SHOWN = regex.compile("[" + "".join(_SPACES) + "]")


@dataclass(frozen=True)
class Chunk:
    """Tokens `first` to `last` (exclusive), from the start of a line, and their offset in the text."""

    first: int
    last: int
    offset: int


def visible(text: str, show: bool = False) -> str:
    r"""`text` with code points in place of control and format characters; with `show`, symbols for spaces too.

    >>> visible("a\x00b\u202ec")
    'a⟨0000⟩b⟨202E⟩c'
    >>> visible("\ud800")  # a lone surrogate, which UTF-8 cannot encode
    '⟨D800⟩'
    >>> visible("a b", show=True)
    'a·b'
    """
    if text in ("\u200c", "\u200d"):
        return f"⟨{ord(text):04X}⟩"  # a single joiner has nothing to join
    if not text.isprintable():
        text = _INVISIBLE.sub(_symbol, text)
    return _SHOWN.sub(lambda match: _SPACES[match[0]], text) if show else text


def shown_piece(piece: str | bytes) -> str:
    r"""A piece with all its characters visible; bytes that are not valid UTF-8 in hexadecimal.

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


def chunks(
    encoding: Encoding,
    inside: Mapping[int, int] = MappingProxyType({}),
    usual: int = CHUNK,
    longest: int = LONGEST_CHUNK,
) -> Iterator[Chunk]:
    """The chunks of an encoding; all but the last end after a line end if possible.

    `inside` has the offsets where no chunk may end, from `cluster_ends`. A chunk has `usual` tokens, and more up to
    the next line end, but at most `longest`.
    """
    text, ends, total = encoding.text, encoding.ends, len(encoding)
    first = 0
    while first < total:
        last = min(first + usual, total)
        limit = min(first + longest, total)
        while last < limit and text[ends[last - 1] - 1 : ends[last - 1]] != "\n":
            last += 1
        # Never between two tokens that share a character.
        while last < total and (encoding.starts[last] < ends[last - 1] or ends[last - 1] in inside):
            last += 1
        yield Chunk(first, last, ends[first - 1] if first else 0)
        first = last


def piece_bytes(encoding: Encoding, index: int) -> bytes:
    """The bytes of a token's piece; for a piece like `<0xE8>`, with which SentencePiece spells a byte, that byte."""
    piece = encoding.piece(index)
    if isinstance(piece, bytes):
        return piece
    spelled = _BYTE_PIECE.fullmatch(piece)
    if spelled and encoding.text[encoding.starts[index] : encoding.ends[index]] != piece:
        return bytes([int(spelled[1], 16)])
    return piece.encode("utf-8", "replace")


def is_mark_alone(encoding: Encoding, index: int) -> bool:
    """Whether a token is only the mark of a space, and the following token covers the whole word.

    As in `tokenizers`, its offsets are those of the word's first character, although it has no part of it.
    """
    starts, ends, follower = encoding.starts, encoding.ends, index + 1
    return (
        follower < len(encoding)
        and starts[index] == starts[follower]
        and starts[index] < ends[index] <= ends[follower]
        and encoding.vocabulary_piece(encoding.ids[index]) == "▁"
    )


CellSpan = tuple[int | None, str, bool, bool]
"""The index of a token and the part of the text that is shown for it, whether it is shared, and whether it is around.

The index is None for text that belongs to no token. Shared: other tokens have bytes of the same character, which is in
the part of the first of them. Around: a special token without text.
"""


def spans(
    encoding: Encoding, inside: Mapping[int, int], first: int = 0, last: int | None = None, shown: int = 0
) -> Iterator[CellSpan]:
    """Yield the spans of the text in order: those of the tokens `first` to `last`, from the offset `shown` on.

    `inside` has the offsets inside graphemes, from `cluster_ends`.
    """
    text, starts, ends, special = encoding.text, encoding.starts, encoding.ends, encoding.special
    number, ids, piece_of = len(encoding), encoding.ids, encoding.vocabulary_piece
    last = number if last is None else last
    for index in range(first, last):
        start, end = starts[index], ends[index]
        follower = index + 1
        following = starts[follower] if follower < number else len(text)
        if start == shown and end == following and start != end and end not in inside:
            # The usual case, tested first: it takes a third of the time of the rest.
            shown = end
            yield index, text[start:end], False, False
            continue
        if start == end and index in special:
            yield index, "", False, True
            continue
        if start > shown:
            yield None, text[shown:start], False, False
        # As `is_mark_alone`, written out because bytes of one character come here too.
        is_mark = following == start < end <= ends[follower] and piece_of(ids[index]) == "▁"
        covered = start if is_mark else end
        end = inside.get(covered, covered)
        goes_on = follower < number and following < end and following < ends[follower]
        shared = start < shown or end != covered or goes_on
        own = text[start if start > shown else shown : end]  # not max, which would take a tenth of the whole
        shown = end if end > shown else shown
        yield index, own, shared, False
    if last == number and shown < len(text):
        yield None, text[shown:], False, False


class Painter:
    """Renders the chunks of one encoding as HTML.

    `link` returns the URL of a token's details for its index; without it, tokens are not links. `chosen` is the index
    of the token whose details are open. `under` returns what stands under a token, its id or its bytes; each line of
    the text is then a chunk, because tiles cannot contain line ends. `added` are the ids of tokens that the visitor
    added. `html` ends with the chunk that reaches `most` tokens; None: it draws all.
    """

    def __init__(
        self,
        encoding: Encoding,
        *,
        show: bool = False,
        link: Callable[[int], str] | None = None,
        chosen: int | None = None,
        under: Callable[[int], str] | None = None,
        added: frozenset[int] = frozenset(),
        most: int | None = None,
    ) -> None:
        self.encoding = encoding
        self.most = most
        self.under = under
        self.show = show
        self.link = link
        self.chosen = chosen
        self.inside = cluster_ends(encoding.text)
        self._unknown = encoding.unknown
        self._special = encoding.special
        self._added = frozenset(at for at, id in enumerate(encoding.ids) if id in added) if added else added
        self._plain = _Cells(show)
        self._parts: dict[tuple[int, str, bool, str | None], str] = {}

    @cached_property
    def chunks(self) -> list[Chunk]:
        """The chunks of the encoding."""
        lengths = (1, len(self.encoding)) if self.under else (CHUNK, LONGEST_CHUNK)
        return list(chunks(self.encoding, self.inside, *lengths))

    @property
    def drawn(self) -> int:
        """The number of tokens that `html` draws: whole chunks, up to the one that reaches `most`."""
        if self.most is None or len(self.encoding) <= self.most:
            return len(self.encoding)
        return next(chunk.last for chunk in self.chunks if chunk.last >= self.most)

    def html(self) -> Markup:
        """The chunks up to `most` tokens as HTML; for a text without tokens, the text alone."""
        if not len(self.encoding):
            return Markup('<div class="chunk c0">{}</div>').format(visible(self.encoding.text, self.show))
        drawn = self.drawn
        return Markup("").join(self.paint(chunk) for chunk in self.chunks if chunk.last <= drawn)

    def paint(self, chunk: Chunk) -> Markup:
        """One chunk as a `div`."""
        cells = self._quick(chunk) if self._is_plain(chunk) else self._careful(chunk)
        head = f'<div class="chunk c{chunk.first % COLOURS}" data-first="{chunk.first}">'
        return Markup(f"{head}{''.join(cells)}</div>")

    def _is_plain(self, chunk: Chunk) -> bool:
        """Whether the chunk's tokens cover its text without gaps or overlaps, and none needs a class or a link."""
        if self.link or self.inside or self.under or self.chosen is not None:
            return False
        part = slice(chunk.first, chunk.last)
        starts, ends = self.encoding.starts[part], self.encoding.ends[part]
        return starts[0] == chunk.offset and starts[1:] == ends[:-1] and not self._flagged(chunk)

    def _flagged(self, chunk: Chunk) -> bool:
        indexes = range(chunk.first, chunk.last)
        return any(not flagged.isdisjoint(indexes) for flagged in (self._unknown, self._special, self._added))

    def _quick(self, chunk: Chunk) -> list[str]:
        text = self.encoding.text
        part = slice(chunk.first, chunk.last)
        pairs = zip(self.encoding.starts[part], self.encoding.ends[part], strict=True)
        return [self._plain[text[start:end]] for start, end in pairs]

    def _careful(self, chunk: Chunk) -> list[str]:
        encoding, special, added, unknown, plain = self.encoding, self._special, self._added, self._unknown, self._plain
        usual = self.link is None and self.under is None
        cells = []
        for index, own, shared, around in spans(encoding, self.inside, chunk.first, chunk.last, chunk.offset):
            if index is None:
                cells.append(str(escape(visible(own, self.show))))
                continue
            if around:
                kinds = ["x", "v"] if index in added else ["x"]
                cells.append(self._cell(index, shown_piece(encoding.piece(index)), kinds, shared=False))
                continue
            if usual and index != self.chosen and index not in special and index not in added:
                is_unknown = index in unknown
                if own and not shared and not is_unknown:
                    cells.append(plain[own])
                    continue
                # Parts of characters are as few as there are ids; unknown tokens, whose bytes are those of the text
                # that they cover, are often of a few kinds: a megabyte of NULs takes a quarter of the time.
                covered = encoding.text[encoding.starts[index] : encoding.ends[index]] if is_unknown else None
                key = encoding.ids[index], own, shared, covered
                cell = self._parts.get(key)
                if cell is None:
                    cell = self._parts[key] = self._cell(index, own, self._kinds(index, own, shared), shared)
                cells.append(cell)
                continue
            cells.append(self._cell(index, own, self._kinds(index, own, shared), shared))
        return cells

    def _kinds(self, index: int, own: str, shared: bool) -> list[str]:
        """The classes of a token's element."""
        kinds = {
            "u": index in self._unknown,
            "x": index in self._special,
            "v": index in self._added,
            "b": shared,
            "g": shared and bool(own),
            "z": not own and not shared,
            "n": own.startswith("\n") and not self.show,
        }
        return [name for name, holds in kinds.items() if holds]

    def _cell(self, index: int, own: str, kinds: list[str], shared: bool) -> str:
        attributes = f' class="{" ".join(kinds)}"' if kinds else ""
        if index == self.chosen:
            attributes += ' id="selected" aria-current="true"'
        label = ""
        if shared:
            label = piece_bytes(self.encoding, index).hex(" ").upper()
            attributes += f' data-b="{label}"'
        if self.under:
            attributes += f' data-u="{escape(self.under(index))}"'
            # Inside a tile there are no lines.
            own = own.replace("\n", "↵") if "n" not in kinds else own[1:].replace("\n", "↵")
        body = escape(visible(own, self.show))
        if self.under and "u" not in kinds and str(self.encoding.piece(index)).endswith(END_OF_WORD) and own:
            body += Markup("<small>{}</small>").format(END_OF_WORD)
        if not self.link:
            return f"<i{attributes}>{body}</i>"
        if not own.strip():
            # A link without text needs an accessible name.
            name = label or visible(own, show=True).strip() or shown_piece(self.encoding.piece(index))
            attributes += f' aria-label="{escape(name)}"'
        return f'<a href="{escape(self.link(index))}"{attributes}>{body}</a>'


class _Cells(dict[str, str]):
    """Caches the plain element of each token text."""

    def __init__(self, show: bool) -> None:
        self.show = show

    def __missing__(self, text: str) -> str:
        kind = ' class="z"' if not text else ' class="n"' if text.startswith("\n") and not self.show else ""
        cell = self[text] = f"<i{kind}>{escape(visible(text, self.show))}</i>"
        return cell


def ids_html(encoding: Encoding, chunks: Iterable[Chunk]) -> Markup:
    """The ids of some chunks, one line each, as plain numbers: the page finds the n-th by counting, not by element."""
    return Markup("").join(_ids_line(encoding.ids[chunk.first : chunk.last], chunk.first) for chunk in chunks)


def _ids_line(ids: Sequence[int], first: int) -> Markup:
    return Markup(f'<div class="ids" data-first="{first}">{" ".join(map(str, ids))} </div>')


def inline_markup(text: str) -> Markup:
    """A sentence as HTML: text between backticks is code, between asterisks it is emphasized; the rest stays text.

    >>> inline_markup("`ids` of *one* <b>")
    Markup('<code>ids</code> of <em>one</em> &lt;b&gt;')
    """
    with_code = regex.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text)))
    return Markup(regex.sub(r"\*([^*]+)\*", r"<em>\1</em>", with_code))

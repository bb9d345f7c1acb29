"""Computes the layout of a picture: lines of tiles, one or more for each token. All lengths are in em of the text.

The tokens become cells first, which show what the page shows (`webapp.rendering.markup`): a character that several
tokens share is in the first of them, and all of them show their bytes.

Each tile is drawn and measured by itself; Arabic letters that two tiles separate get joiners, so that they keep their
joined forms. Tiles, not characters, are put in visual order: the renderer orders the characters inside a tile.

Pictures show formatting characters as `⟨202E⟩`, so only the implicit rules of the bidirectional algorithm apply.
`python-bidi` resolves the levels; rule L2 of Unicode Standard Annex 9 determines the order in a line.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from unicodedata import bidirectional

import regex
from bidi import algorithm

from webapp.core.encoding import Encoding
from webapp.rendering.graphemes import LONGEST, cluster_ends
from webapp.rendering.markup import shown_piece, spans, visible
from webapp.rendering.pictures.fonts import Fonts, script_of

LABEL = 0.6875  # the size of bytes, in em
MARK = 0.75  # the size of the symbol for a line end
PAD = 0.12  # on both sides of a label or a mark
TAB = " " * 4
_NEUTRAL = "\ufffc"  # an inline picture

_ORDERED = ("L", "R", "AL", "EN", "AN")  # letters and figures, which have a direction
_RTL = regex.compile(r"[\p{bc=R}\p{bc=AL}\p{bc=AN}]")
# Characters before and after which a line may break: ideographs, kana, syllables, emoji, spaces.
_ANYWHERE = regex.compile(r"[\p{lb=ID}\p{lb=CJ}\p{lb=H2}\p{lb=H3}\p{lb=EB}\p{lb=RI} \t\u3000]")
_CLOSING = regex.compile(r"[\p{lb=CL}\p{lb=CP}\p{lb=EX}\p{lb=IS}\p{lb=NS}\p{lb=QU}]")
_JOINS_NEXT = regex.compile(r"[\p{jt=D}\p{jt=L}]\p{jt=T}*\Z")
_JOINS_BEFORE = regex.compile(r"[\p{jt=D}\p{jt=R}]")
_JOINER = "\u200d"

# Characters that XML cannot contain, and no font has.
_NO_CHARACTERS = regex.compile("[\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class PictureCell:
    """A token, or text between tokens (`index` None).

    `text` is the visible text; `label` has the bytes in hexadecimal of a token that shares a character; `mark` is the
    symbol for invisible content: `↵` for a line end, `▁` for a token without text.
    """

    index: int | None
    text: str
    label: str = ""
    mark: str = ""
    unknown: bool = False
    special: bool = False


def drawable(text: str, show: bool = False) -> str:
    r"""`text` with visible symbols for control characters, and without characters that XML forbids.

    >>> drawable("a\x00\ud800\u202e")
    'a⟨0000⟩⟨D800⟩⟨202E⟩'
    """
    return _NO_CHARACTERS.sub("\ufffd", visible(text, show))


def cells(encoding: Encoding, show: bool = False, most: int | None = None) -> Iterator[PictureCell]:
    """Yield the cells of an encoding in the order of the text; with `most`, only those of the first `most` tokens."""
    unknown, special = encoding.unknown, encoding.special
    total = len(encoding) if most is None else min(len(encoding), most)
    # The drawing ends with the last of these tokens, so the rest of a long text is not searched.
    reach = len(encoding.text) if total == len(encoding) else max(encoding.ends[:total], default=0) + LONGEST
    for index, own, shared, around in spans(encoding, cluster_ends(encoding.text[:reach]), last=total):
        if index is None:
            yield PictureCell(None, drawable(own, show))
        elif around:
            yield PictureCell(index, drawable(shown_piece(encoding.piece(index))), special=True)
        else:
            mark = "▁" if not own and not shared else "↵" if own.startswith("\n") and not show else ""
            label = _bytes(encoding.piece(index)) if shared else ""
            yield PictureCell(index, drawable(own, show), label, mark, index in unknown, index in special)


def _bytes(piece: str | bytes) -> str:
    data = piece if isinstance(piece, bytes) else piece.encode("utf-8", "replace")
    return data.hex(" ").upper()


# --- lines


def base_level(text: str) -> int:
    """The base level of a paragraph: 1 if its first letter is from a right-to-left script, else 0."""
    return int(algorithm.get_base_level(text))


def levels(texts: Sequence[str], base: int) -> list[int]:
    """The embedding level of each part of a paragraph; odd levels run from right to left.

    >>> levels(["ab ", "א", "ב"], 0)
    [0, 1, 1]
    """
    if not base and not any(_RTL.search(text) for text in texts):
        return [0] * len(texts)
    storage = algorithm.get_empty_storage()
    storage["base_level"], storage["base_dir"] = base, "LR"[base]
    algorithm.get_embedding_levels("".join(map(_typical, texts)), storage)
    algorithm.explicit_embed_and_overrides(storage)
    algorithm.resolve_weak_types(storage)
    algorithm.resolve_neutral_types(storage, False)
    algorithm.resolve_implicit_levels(storage, False)
    return [character["level"] for character in storage["chars"]]


def _typical(text: str) -> str:
    """The character that represents a text: its first letter or figure, or else its first character."""
    found = next((character for character in text if bidirectional(character) in _ORDERED), text[:1])
    return found if bidirectional(found or _NEUTRAL) not in ("BN", "B", "") and found else _NEUTRAL


def visual_order(levels: Sequence[int]) -> list[int]:
    """The indexes of a line's parts from left to right.

    >>> visual_order([0, 0, 1, 1, 0])
    [0, 1, 3, 2, 4]
    """
    order = list(range(len(levels)))
    odd = [level for level in levels if level % 2]
    for level in range(max(levels, default=0), min(odd, default=1) - 1, -1):
        at = 0
        while at < len(order):
            end = at
            while end < len(order) and levels[order[end]] >= level:
                end += 1
            order[at:end] = reversed(order[at:end])
            at = max(end, at + 1)
    return order


@dataclass(frozen=True, slots=True)
class Tile:
    """A token, or the part of it that is in one line: a mark, a text and a label, which all may be empty."""

    cell: PictureCell
    text: str
    mark: str = ""
    label: str = ""
    level: int = 0
    x: float = 0.0
    widths: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of mark, text and label

    @property
    def width(self) -> float:
        """The width of the whole tile."""
        return sum(self.widths)


@dataclass(frozen=True)
class PictureLine:
    """One line of the picture, with its tiles from left to right."""

    tiles: list[Tile]
    width: float


@dataclass
class Layout:
    """The lines of a picture, the number of tokens in them, and the scripts without a font on the machine."""

    lines: list[PictureLine] = field(default_factory=list)
    tokens: int = 0
    missing: list[str] = field(default_factory=list)


def lay_out(
    cells: Iterable[PictureCell],
    fonts: Fonts,
    width: float,
    *,
    most_lines: int | None = None,
    most_characters: int = 20_000,
) -> Layout:
    """Arrange cells in lines of at most `width` em; omit what exceeds the limits."""
    layout = Layout()
    tokens: set[int | None] = set()
    missing: dict[str, None] = {}
    for tiles in _paragraphs(cells, most_characters):
        base = base_level("".join(tile.text for tile in tiles))
        measured = [_measured(tile, fonts) for tile in _levelled(list(_joined(tiles)), base)]
        for line in _wrapped(measured, fonts, width):
            if most_lines is not None and len(layout.lines) == most_lines:
                break
            layout.lines.append(_line(line, base, width))
            tokens.update(tile.cell.index for tile in line)
            runs = (run for tile in line for run in fonts.runs(tile.text))
            missing |= {script_of(run.text): None for run in runs if run.face is None}
    layout.tokens = len(tokens - {None})
    layout.missing = list(missing)
    return layout


def _paragraphs(cells: Iterable[PictureCell], most: int) -> list[list[Tile]]:
    """The tiles of each paragraph, not yet measured."""
    paragraphs: list[list[Tile]] = [[]]
    characters = 0
    for cell in cells:
        if characters >= most:
            break
        first, *others = cell.text[: most - characters].replace("\t", TAB).split("\n")
        characters += len(cell.text) + len(cell.label)
        paragraphs[-1].append(Tile(cell, first, cell.mark, "" if others else cell.label))
        for number, text in enumerate(others, 1):
            label = cell.label if number == len(others) else ""
            paragraphs.append([Tile(cell, text, label=label)] if text or label else [])
    return paragraphs


def _joined(tiles: Sequence[Tile]) -> Iterator[Tile]:
    """The tiles, with joiners where letters are joined across two of them."""
    before = ""
    for tile, following in zip(tiles, [*tiles[1:], None], strict=False):
        text = tile.text
        if following and _JOINS_NEXT.search(text) and _JOINS_BEFORE.match(following.text):
            text += _JOINER
        if _JOINS_NEXT.search(before) and _JOINS_BEFORE.match(text):
            text = _JOINER + text
        before = tile.text
        yield replace(tile, text=text)


def _levelled(tiles: Sequence[Tile], base: int) -> Iterator[Tile]:
    """The tiles with their levels; spaces at the beginning that have another level than the rest become a tile."""
    parts: list[tuple[int, str]] = []
    for number, tile in enumerate(tiles):
        word = tile.text.lstrip(" ")
        spaces = tile.text[: len(tile.text) - len(word)]
        parts += [(number, text) for text in (spaces, word) if text] or [(number, "")]
    found = zip(parts, levels([text for _number, text in parts], base), strict=True)
    for (number, level), group in groupby(found, lambda each: (each[0][0], each[1])):
        text, tile = "".join(text for (_number, text), _level in group), tiles[number]
        mark = tile.mark if tile.text.startswith(text) else ""
        yield replace(tile, text=text, mark=mark, label=tile.label if tile.text.endswith(text) else "", level=level)


def _measured(tile: Tile, fonts: Fonts) -> Tile:
    mark = MARK * fonts.width(tile.mark) + 2 * PAD if tile.mark else 0.0
    label = LABEL * fonts.width(tile.label, mono=True) + 2 * PAD if tile.label else 0.0
    return replace(tile, widths=(mark, fonts.width(tile.text), label))


def _wrapped(tiles: Sequence[Tile], fonts: Fonts, width: float) -> Iterator[list[Tile]]:
    """The tiles by line: lines break between words, or inside a word that is wider than a line."""
    waiting = [part for tile in tiles for part in _cut(tile, fonts, width)]
    begin, at, taken, chance = 0, 0, 0.0, 0
    while at < len(waiting):
        if at > begin and _may_break(waiting[at - 1], waiting[at]):
            chance = at
        if taken + waiting[at].width > width and at > begin:
            cut = chance if chance > begin else at
            yield waiting[begin:cut]
            begin, at, taken = cut, cut, 0.0
            continue
        taken += waiting[at].width
        at += 1
    yield waiting[begin:]


def _cut(tile: Tile, fonts: Fonts, width: float) -> Iterator[Tile]:
    """The tile in parts that are no wider than a line."""
    clusters = regex.findall(r"\X", tile.text) if tile.width > width else []
    sizes = [fonts.width(cluster) for cluster in clusters]
    at, left = 0, sum(sizes)
    while tile.width > width and len(clusters) - at > 1:
        taken, end = tile.widths[0], at
        while end < len(clusters) - 1 and (end == at or taken + sizes[end] <= width):
            taken += sizes[end]
            left -= sizes[end]
            end += 1
        yield _measured(replace(tile, text="".join(clusters[at:end]), label=""), fonts)
        at = end
        tile = replace(tile, text="".join(clusters[at:]), mark="", widths=(0.0, left, tile.widths[2]))
        if left < 4 * width:  # measuring all that is left for each line takes 30 s for 20,000 tabs
            tile = _measured(tile, fonts)
    yield tile


def _may_break(before: Tile, after: Tile) -> bool:
    """Whether a line may break between two tiles: not inside a word of letters, nor before closing punctuation."""
    if before.cell is after.cell or before.label or after.mark or not before.text or not after.text:
        return not _CLOSING.match(after.text)
    if _CLOSING.match(after.text):
        return False
    return bool(_ANYWHERE.match(before.text[-1]) or _ANYWHERE.match(after.text))


def _line(tiles: Sequence[Tile], base: int, width: float) -> PictureLine:
    """One line, with its tiles at their places from left to right."""
    taken = sum(tile.width for tile in tiles)
    shrink = min(1.0, width / taken) if taken else 1.0  # a character may be wider than the line
    left = max(0.0, width - taken) if base else 0.0
    placed = []
    for at in visual_order([tile.level for tile in tiles]):
        mark, text, label = tiles[at].widths
        placed.append(replace(tiles[at], x=left, widths=(mark * shrink, text * shrink, label * shrink)))
        left += placed[-1].width
    return PictureLine(placed, min(taken, width))

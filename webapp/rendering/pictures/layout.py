"""Computes the layout of a picture: lines of boxes, one or more per token, and of text runs on top of them.

Runs have one font and one direction each, and are independent of tokens, so that Arabic letters stay joined and marks
stay on their letters at token boundaries. The boxes are in the background. All lengths are in em of the text's size.
Every character is drawn once.

Pictures show formatting characters as `⟨202E⟩`, so only the implicit rules of the bidirectional algorithm apply.
`python-bidi` resolves the levels; rule L2 of Unicode Standard Annex 9 determines the order in a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Literal
from unicodedata import bidirectional

import regex
from bidi import algorithm

from webapp.rendering.pictures.cells import PictureCell
from webapp.rendering.pictures.fonts import Face, Fonts, script_of

_RTL = regex.compile(r"[\p{bc=R}\p{bc=AL}\p{bc=AN}]")
_OBJECT = "\ufffc"  # neutral, like an inline picture


def base_level(text: str) -> int:
    """The base level of a paragraph: 1 if its first letter is from a right-to-left script, else 0."""
    return int(algorithm.get_base_level(text))


def levels(clusters: Sequence[str], base: int) -> list[int]:
    """The embedding level of each cluster of a paragraph; odd levels run from right to left.

    >>> levels(list("ab אב"), 0)
    [0, 0, 0, 1, 1]
    """
    if not base and not any(_RTL.search(cluster) for cluster in clusters):
        return [0] * len(clusters)
    firsts = [cluster[:1] if bidirectional(cluster[:1]) not in ("BN", "B", "") else _OBJECT for cluster in clusters]
    storage = algorithm.get_empty_storage()
    storage["base_level"], storage["base_dir"] = base, "LR"[base]
    algorithm.get_embedding_levels("".join(firsts), storage)
    algorithm.explicit_embed_and_overrides(storage)
    algorithm.resolve_weak_types(storage)
    algorithm.resolve_neutral_types(storage, False)
    algorithm.resolve_implicit_levels(storage, False)
    return [character["level"] for character in storage["chars"]]


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
            if levels[order[at]] < level:
                at += 1
                continue
            end = at
            while end < len(order) and levels[order[end]] >= level:
                end += 1
            order[at:end] = reversed(order[at:end])
            at = end
    return order


Role = Literal["text", "label", "mark", "missing"]

LABEL = 0.6875  # the size of bytes, in em
MARK = 0.75  # the size of the symbol for a line end
MISSING = 0.7  # the width of a character without a font
TAB = 4  # spaces
_PAD = 0.12
_NEUTRAL = "\ufffc"
_SPACE = regex.compile(r"[ \t\u3000]")
# Characters before and after which a line may break: ideographs, kana, syllables, emoji.
_ANYWHERE = regex.compile(r"[\p{lb=ID}\p{lb=CJ}\p{lb=H2}\p{lb=H3}\p{lb=EB}\p{lb=RI}]")
_CLOSING = regex.compile(r"[\p{lb=CL}\p{lb=CP}\p{lb=EX}\p{lb=IS}\p{lb=NS}\p{lb=QU}]")
_STRONG = regex.compile(r"[\p{bc=R}\p{bc=AL}]")


@dataclass(frozen=True, slots=True)
class Atom:
    """An indivisible item: a grapheme cluster, a label or a mark. `cell` is the number of its cell."""

    text: str
    cell: int
    role: Role
    face: Face | None
    level: int = 0
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Box:
    """The background of one token in one line; `first` and `last` say which of its ends are in this line."""

    cell: PictureCell
    x: float
    width: float
    rtl: bool
    first: bool
    last: bool


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one font, one size and one direction."""

    text: str
    x: float
    width: float
    role: Role
    face: Face | None
    rtl: bool


@dataclass(frozen=True)
class PictureLine:
    """One line of the picture."""

    boxes: list[Box]
    runs: list[Run]
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
    drawn, paragraphs = _paragraphs(cells, fonts, most_characters)
    seen: set[int] = set()
    for paragraph, base in paragraphs:
        for atoms in _wrapped(paragraph, width):
            if most_lines is not None and len(layout.lines) == most_lines:
                break
            layout.lines.append(_line(atoms, drawn, seen, base, width))
            seen.update(atom.cell for atom in atoms)
            for atom in atoms:
                if atom.role == "missing" and (script := script_of(atom.text)) not in layout.missing:
                    layout.missing.append(script)
    layout.tokens = len({drawn[number].index for number in seen} - {None})
    return layout


Paragraph = tuple[list[Atom], int]


def _paragraphs(cells: Iterable[PictureCell], fonts: Fonts, most: int) -> tuple[list[PictureCell], list[Paragraph]]:
    """The cells to draw, and the paragraphs of their atoms, each with its base level."""
    drawn: list[PictureCell] = []
    paragraphs: list[list[Atom]] = [[]]
    characters = 0
    for number, cell in enumerate(cells):
        if characters >= most:
            break
        if characters + len(cell.text) > most:
            cell = replace(cell, text=cell.text[: most - characters])
        characters += len(cell.text) + len(cell.label)
        drawn.append(cell)
        if cell.mark:
            paragraphs[-1].append(Atom(cell.mark, number, "mark", fonts.face_for(cell.mark)))
        for cluster in regex.findall(r"\X", cell.text):
            if cluster == "\n":
                paragraphs.append([])
                continue
            face = _face(cluster, paragraphs[-1], fonts)
            paragraphs[-1].append(Atom(cluster, number, "text" if face else "missing", face))
        if cell.label:
            paragraphs[-1].append(Atom(cell.label, number, "label", fonts.mono or fonts.face_for("0")))
    return drawn, [_levelled(paragraph) for paragraph in paragraphs]


def _face(cluster: str, before: Sequence[Atom], fonts: Fonts) -> Face | None:
    """The face that draws a cluster. A space has the font of the preceding word, so that both are in one run."""
    if cluster == " " and before and before[-1].face and before[-1].role == "text":
        face = before[-1].face
        if not face.coloured and face.covers(cluster):
            return face
    return fonts.face_for(" " if cluster == "\t" else cluster)


def _levelled(atoms: list[Atom]) -> Paragraph:
    texts = [atom.text if atom.role in ("text", "missing") else _NEUTRAL for atom in atoms]
    base = base_level("".join(texts))
    placed = [replace(atom, level=level) for atom, level in zip(atoms, levels(texts, base), strict=True)]
    widths = [width for _key, run in groupby(placed, _key) for width in _widths(list(run))]
    return [replace(atom, width=width) for atom, width in zip(placed, widths, strict=True)], base


def _key(atom: Atom) -> tuple[object, ...]:
    """The key that all atoms of a run share."""
    alone = atom.text == "\t" or atom.role in ("label", "mark")
    return atom.role, atom.face and id(atom.face), atom.level, atom.cell if alone else None, alone and atom.text


def _widths(run: Sequence[Atom]) -> list[float]:
    """The width of each atom of a run; atoms that share a glyph divide its width."""
    role, face = run[0].role, run[0].face
    if face is None or role == "missing":
        return [MISSING] * len(run)
    if run[0].text == "\t":
        return [TAB * _width(face, " ")] * len(run)
    if role in ("label", "mark"):
        size = LABEL if role == "label" else MARK
        return [_width(face, atom.text) * size + 2 * _PAD for atom in run]
    owner = [number for number, atom in enumerate(run) for _ in atom.text]
    widths = [0.0] * len(run)
    glyphs: dict[int, float] = {}
    for advance in face.advances("".join(atom.text for atom in run), bool(run[0].level % 2)):
        at = owner[advance.cluster]
        glyphs[at] = glyphs.get(at, 0.0) + advance.width
    begins = sorted(glyphs)
    for begin, end in pairwise([*begins, len(run)]):
        for at in range(begin, end):
            widths[at] = glyphs[begin] / (end - begin)
    return widths


def _width(face: Face, text: str) -> float:
    return sum(advance.width for advance in face.advances(text))


def _wrapped(atoms: list[Atom], width: float) -> Iterator[list[Atom]]:
    """The atoms of a paragraph by line: lines break between words, or inside a word that is wider than a line."""
    begin, at, taken, chance = 0, 0, 0.0, 0
    while at < len(atoms):
        atom = atoms[at]
        if at > begin and _may_break(atoms[at - 1], atom):
            chance = at
        if taken + atom.width > width and at > begin:
            cut = chance if chance > begin else at
            yield atoms[begin:cut]
            begin, at, taken = cut, cut, 0.0
            continue
        taken += atom.width
        at += 1
    yield atoms[begin:]


def _may_break(before: Atom, after: Atom) -> bool:
    """Whether a line may break between two atoms: not inside a token, and not inside a word of letters."""
    if before.cell == after.cell or _CLOSING.match(after.text):
        return False
    if before.role != "text" or after.role != "text" or _SPACE.match(before.text[-1]) or _SPACE.match(after.text):
        return True
    return bool(_ANYWHERE.match(before.text) or _ANYWHERE.match(after.text))


def _line(atoms: list[Atom], cells: list[PictureCell], seen: set[int], base: int, width: float) -> PictureLine:
    """One line: its atoms in visual order, grouped into runs and, apart from that, into boxes."""
    # Rule L1: spaces at the end of a line have the paragraph's direction.
    end = len(atoms)
    while end and _SPACE.fullmatch(atoms[end - 1].text):
        end -= 1
    atoms = atoms[:end] + [replace(atom, level=base) for atom in atoms[end:]]
    atoms = [
        replace(atom, width=width) for _k, run in _runs(atoms) for atom, width in zip(run, _widths(run), strict=True)
    ]
    # A letter at a line break may have another shape and width.
    taken = sum(atom.width for atom in atoms)
    shrink = min(1.0, width / taken) if taken else 1.0
    order = visual_order([atom.level for atom in atoms])
    left = max(0.0, width - taken) if base else 0.0
    places = [0.0] * len(atoms)
    for at in order:
        places[at] = left
        left += atoms[at].width * shrink
    runs = []
    for _k, span in _spans(atoms):
        part = atoms[span.start : span.stop]
        x = min(places[at] for at in span)
        total = sum(atom.width for atom in part) * shrink
        text = "".join(atom.text for atom in part)
        runs.append(Run(text, x, total, part[0].role, part[0].face, bool(part[0].level % 2)))
    return PictureLine(_boxes(atoms, cells, places, order, seen, shrink), runs, min(taken, width))


def _runs(atoms: list[Atom]) -> Iterator[tuple[tuple[object, ...], list[Atom]]]:
    return ((key, list(run)) for key, run in groupby(atoms, _key))


def _spans(atoms: list[Atom]) -> Iterator[tuple[tuple[object, ...], range]]:
    """The index ranges of runs; a right-to-left run begins and ends with a right-to-left letter.

    Neutral characters around it are separate runs, so that all viewers place them correctly.
    """
    at = 0
    for key, run in _runs(atoms):
        last = at + len(run)
        inner = [at + n for n, atom in enumerate(run) if _STRONG.search(atom.text)]
        if run[0].level % 2 and run[0].role == "text":
            first, end = (inner[0], inner[-1] + 1) if inner else (last, last)
            yield from ((key, range(n, n + 1)) for n in range(at, first))
            if inner:
                yield key, range(first, end)
            yield from ((key, range(n, n + 1)) for n in range(end, last))
        else:
            yield key, range(at, last)
        at = last


def _boxes(
    atoms: list[Atom], cells: list[PictureCell], places: list[float], order: list[int], seen: set[int], shrink: float
) -> list[Box]:
    lasts = {atom.cell: at for at, atom in enumerate(atoms)}
    firsts = {atom.cell: at for at, atom in reversed(list(enumerate(atoms)))}
    boxes = []
    for number, group in groupby(order, lambda at: atoms[at].cell):
        part = list(group)
        cell = cells[number]
        if cell.index is None:
            continue
        boxes.append(
            Box(
                cell,
                places[part[0]],
                sum(atoms[at].width for at in part) * shrink,
                bool(atoms[part[0]].level % 2),
                number not in seen and firsts[number] in part,
                lasts[number] in part,
            )
        )
    return boxes

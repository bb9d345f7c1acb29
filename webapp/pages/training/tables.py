"""What a step of a training shows: tables, words of the corpus, and pieces, each drawn on the page and in pictures.

A round is made of these sections, whatever the trainer: `training/_sections.html` draws them, `picture` makes a figure
of the tables and words, and the table of all rounds is one of them, which is CSV as well. The sentences of all steps
are in `sentences/training.html`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from flask_babel import gettext as _

from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.bpe import END_OF_WORD
from webapp.pages.walkthrough.cells import StepCell, direction
from webapp.pages.walkthrough.engine import Frame, Walkthrough
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureCell, Symbol, side_by_side, table_figure
from webapp.web.localization import number

WIDTH = 1_200.0  # of a picture: a row of tables
WORDS = 20  # of the corpus, in a picture


@dataclass(frozen=True)
class Bar:
    """A bar of a table for a `value`, of which the longest has `most`; `hot` for the subject of the round."""

    value: float
    most: float
    hot: bool = False

    @property
    def percent(self) -> float:
        """The length of the bar.

        >>> Bar(1, 3).percent
        33.33
        """
        return round(100 * self.value / self.most, 2)


Cell = int | float | str | Bar | Sequence[Symbol] | None
"""A figure, a text, a bar, or pieces; None for a figure that a round does not have."""


@dataclass(frozen=True)
class Column:
    """A column; `digits` is the number of decimals of its figures, None if it holds text or pieces.

    `kind` is how the page shows it: `head` heads the rows, `wide` takes the width that is left, `quiet` is less
    important, `bar` has bars. A column that is not `pictured` is on the page only.
    """

    title: str = ""
    digits: int | None = None
    kind: str = ""
    pictured: bool = True


BAR = Column(kind="bar", pictured=False)


@dataclass(frozen=True)
class Row:
    """A row. Of all rounds, `step` is the step that shows the round.

    `kind` marks it: `winner`, `removed`, or with a single cell for the whole width `cut` and `folded`. `mark` is a word
    on the page after the first cell, `said` what a picture has in place of a colour, after the last one. `styles` are
    CSS classes of cells by their columns.
    """

    cells: Sequence[Cell]
    step: int = 0
    kind: str = ""
    mark: str = ""
    said: str = ""
    styles: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table with its heading; a `hint` is above it, `notes` are below it; `style` is its CSS class."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    hint: str = ""
    notes: Sequence[str] = ()
    style: str = ""

    kind: ClassVar = "table"

    @property
    def figure(self) -> Figure | None:
        """The table as a picture; None without rows."""
        places = [at for at, column in enumerate(self.columns) if column.pictured]
        columns = [(self.columns[at].title, self.columns[at].digits is not None) for at in places]
        rows = []
        for row in self.rows:
            if len(row.cells) == len(self.columns):
                *cells, last = [self._drawn(row, at) for at in places]
                rows.append([*cells, f"{last} ({row.said})" if row.said else last])
        return table_figure("table", self.title, columns, rows) if rows else None

    def written(self, cell: Cell, column: Column) -> str:
        """A figure or a text as the page and pictures have it."""
        if cell is None:
            return "–"
        return cell if isinstance(cell, str) else number(cell, column.digits).replace("-", "−")  # type: ignore[arg-type]

    def _drawn(self, row: Row, at: int) -> FigureCell:
        cell = row.cells[at]
        if isinstance(cell, Sequence) and not isinstance(cell, str):
            return [Symbol(symbol.text, symbol.now or bool(row.said)) for symbol in cell] or "–"
        return self.written(cell, self.columns[at])

    def lines(self) -> list[list[object]]:
        """The header and the rows as plain values, for CSV."""
        rows = [
            [_plain(cell, column) for cell, column in zip(row.cells, self.columns, strict=True)] for row in self.rows
        ]
        return [[column.title for column in self.columns], *rows]


@dataclass(frozen=True)
class Words:
    """Words of the corpus as symbols, with their counts."""

    title: str
    lines: Sequence[tuple[Sequence[Symbol], int]]

    kind: ClassVar = "words"

    @property
    def figure(self) -> Figure | None:
        """The first words as a picture; None without words."""
        rows = [Row(line) for line in self.lines[:WORDS]]
        return Table(self.title, [Column(_("Word")), Column(_("Count"), 0)], rows).figure


@dataclass(frozen=True)
class Pieces:
    """Pieces in a row, or if `start` is given as a vocabulary: then that is the id of the first.

    With `folded`, the first of them are folded away; with `bytes`, the 256 bytes come first. `note` is beside the
    heading, `notes` are below.
    """

    title: str
    pieces: Sequence[Symbol]
    start: int | None = None
    note: str = ""
    notes: Sequence[str] = ()
    folded: int = 0
    bytes: bool = False

    kind: ClassVar = "pieces"
    figure: ClassVar = None


@dataclass(frozen=True)
class MethodSection:
    """A method with what it does, and its parameters: each with its value and where that comes from."""

    title: str
    about: str
    parameters: Sequence[tuple[str, str]]

    kind: ClassVar = "method"
    figure: ClassVar = None


Section = Table | Words | Pieces | MethodSection


@dataclass(frozen=True)
class Sections:
    """The sections of a step in the middle, at the side and below, and the text as tokens.

    `drawn` are those of its picture; by default all in the middle and at the side that have one.
    """

    view: Sequence[Section] = ()
    side: Sequence[Section] = ()
    below: Sequence[Section] = ()
    read: Sequence[StepCell] = ()
    drawn: Sequence[Section] | None = None

    def picture(self) -> Figure | None:
        """The tables and words next to each other; None if there are none."""
        drawn = (*self.view, *self.side) if self.drawn is None else self.drawn
        figures = [figure for section in drawn if (figure := section.figure)]
        return side_by_side(figures, width=WIDTH, gap=48) if figures else None


def section_frame(sentence: str, record: dict[str, Any], sections: Callable[[], Sections]) -> Frame:
    """A step that consists of sections, which are made when it is shown."""
    template = "training/_sections.html"
    return Frame(template, sentence, record, lambda: {"sections": sections()}, lambda: sections().picture())


@dataclass(kw_only=True)
class TrainingWalkthrough(Walkthrough):
    """The steps of a training; `all_rounds` is the table of its rounds with a sentence that sums it up.

    `size` is the number of pieces to keep that the trainer chose, None if it chose none.
    """

    all_rounds: Callable[[], Table]
    size: int | None = None


def shown(piece: str | bytes) -> str:
    """A piece as readable text; after a right-to-left word, `</w>` is still displayed from left to right.

    >>> shown("w</w>"), shown("ם</w>") == "ם\u2066</w>\u2069"
    ('w</w>', True)
    """
    text = shown_piece(piece)
    if text.endswith(END_OF_WORD) and direction(text) == "rtl":
        return f"{text.removesuffix(END_OF_WORD)}\u2066{END_OF_WORD}\u2069"
    return text


def symbols(pieces: Iterable[str | bytes], marked: Iterable[int] = ()) -> list[Symbol]:
    """Symbols as readable text, with those at the indexes `marked` marked."""
    places = set(marked)
    return [Symbol(shown(piece), place in places) for place, piece in enumerate(pieces)]


def read_cells(tokenizer: Tokenizer, text: str, *, with_ids: bool = True) -> list[StepCell]:
    """The tokens of a text with their ids; none for a text of nothing."""
    cells = []
    for id in tokenizer.ids(text) if text else ():
        kind = "done unknown" if id == tokenizer.model.unknown_id else "done"
        cells.append(StepCell(shown(tokenizer.model.pieces[id]), kind, id if with_ids else None))
    return cells


def _plain(cell: Cell, column: Column) -> object:
    if isinstance(cell, float):
        return f"{cell:.{column.digits or 0}f}"
    if isinstance(cell, Sequence) and not isinstance(cell, str):
        return " ".join(symbol.text for symbol in cell)
    return cell

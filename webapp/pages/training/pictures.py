"""Pictures of a training: all rounds, and the tables of one step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flask_babel import gettext as _
from flask_babel import pgettext

from webapp.pages.training.merges import MergesPart
from webapp.pages.training.ngram_counting import CountingPart, NGramEstimatePart
from webapp.pages.training.pieces_part import PiecesPart, PieceTableLine
from webapp.pages.training.rounds_table import RoundCell, RoundColumn, RoundsTable
from webapp.pages.training.rows import WordSymbol
from webapp.pages.training.top_down import CandidatesPart
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.rendering.pictures.table_figure import FigureCell, FigureColumn, FigurePiece, table_figure
from webapp.web.localization import number

WIDTH = 1_200.0  # of a row of tables
Rows = list[list[FigureCell]]
WORDS = 20  # of the corpus, in the picture of a step


def rounds_picture(table: RoundsTable) -> Figure:
    """The table of all rounds."""
    columns = [FigureColumn(column.title, column.is_figures) for column in table.columns]
    rows = [[_cell(cell, column) for cell, column in zip(row.cells, table.columns, strict=True)] for row in table.rows]
    return table_figure("rounds", table.title, columns, rows)


def step_picture(part: object) -> Figure | None:
    """The tables of a step next to each other; None if there are none."""
    if isinstance(part, MergesPart):
        tables = _merges(part)
    elif isinstance(part, PiecesPart):
        tables = _unigram(part)
    elif isinstance(part, CandidatesPart):
        tables = _candidates(part)
    elif isinstance(part, CountingPart):
        tables = _counting(part)
    elif isinstance(part, NGramEstimatePart):
        tables = _estimates(part)
    else:
        return None
    return side_by_side(tables, width=WIDTH, gap=48) if tables else None


def _merges(part: MergesPart) -> list[Figure]:
    count = FigureColumn(_("Count"), True)
    if part.round is None:
        rows: Rows = [[_symbols(word.after), number(word.count)] for word in part.same[:WORDS]]
        return [table_figure("words", _("Words of the corpus"), [FigureColumn(_("Word")), count], rows)]
    changed: Rows = [[_symbols(word.before), _symbols(word.after), number(word.count)] for word in part.changed[:WORDS]]
    head = [FigureColumn(_("Before")), FigureColumn(_("After")), count]
    figures = [count]
    if part.scored:
        figures = [FigureColumn(_("Counts"), True), FigureColumn(_("Score"), True)]
    pairs: Rows = []
    for pair in part.pairs:
        symbols = [FigurePiece(symbol.text, pair.winner) for symbol in pair.symbols]
        if pair.score is None:
            pairs.append([symbols, number(pair.count)])
        else:
            formula = f"{number(pair.count)} ÷ ({number(pair.left_count or 0)} × {number(pair.right_count or 0)})"
            pairs.append([symbols, formula, number(pair.score, 3)])
    title = _("Pairs and their scores") if part.scored else _("Pairs and their counts")
    return [
        table_figure("round", _("Words that change"), head, changed),
        table_figure("pairs", title, [FigureColumn(_("Pair")), *figures], pairs),
    ]


def _unigram(part: PiecesPart) -> list[Figure]:
    tables = []
    piece = FigureColumn(_("Piece"))
    if part.view == "prune":
        rows = [_loss(line) for line in (*part.going, *part.staying)]
        columns = [piece, FigureColumn(_("Used"), True), FigureColumn(_("Without it")), FigureColumn(_("Loss"), True)]
        tables.append(table_figure("losses", _("The loss of each longer piece"), columns, rows))
    elif part.lines:
        lines: Rows = [[[FigurePiece(line.piece)], number(line.probability or 0, 4)] for line in part.lines]
        columns = [piece, FigureColumn(_("Probability"), True)]
        tables.append(table_figure("pieces", _("The longer pieces"), columns, lines))
    elif part.vocabulary:
        entries: Rows = [
            [[FigurePiece(line.text)], "–" if score is None else number(score, 3).replace("-", "−")]
            for line, score in part.vocabulary
        ]
        columns = [piece, FigureColumn(_("Log-probability"), True)]
        tables.append(table_figure("vocabulary", _("The vocabulary"), columns, entries))
    if part.words:
        words: Rows = [[_symbols(word.symbols), number(word.count)] for word in part.words[:WORDS]]
        columns = [FigureColumn(_("Word")), FigureColumn(_("Count"), True)]
        tables.append(table_figure("words", _("Words and their segmentations"), columns, words))
    return tables


def _candidates(part: CandidatesPart) -> list[Figure]:
    piece = FigureColumn(_("Piece"))
    tables = []
    if part.lines:
        rows: Rows = [
            [
                [FigurePiece(line.piece, line.kept)],
                number(line.count),
                f"−{number(line.taken)}" if line.taken else "–",
                f"{number(line.left)} ({_('kept')})" if line.kept else number(line.left),
            ]
            for line in part.lines
        ]
        titles = (_("Count"), _("Taken by longer pieces"), _("Remaining count"))
        figures = [FigureColumn(title, True) for title in titles]
        tables.append(table_figure("candidates", _("Candidates, longest first"), [piece, *figures], rows))
    elif part.vocabulary:
        entries: Rows = [[number(line.id), [FigurePiece(line.text)]] for line in part.vocabulary]
        columns = [FigureColumn(_("Id"), True), piece]
        tables.append(table_figure("vocabulary", _("The vocabulary"), columns, entries))
    elif part.tried:
        tried: Rows = [[number(threshold), number(pieces)] for threshold, pieces, _fits in part.tried]
        columns = [FigureColumn(_("Threshold"), True), FigureColumn(_("Pieces"), True)]
        tables.append(table_figure("thresholds", _("The search for the threshold"), columns, tried))
    words: Rows = [[_symbols(word.symbols), number(word.count)] for word in part.words[:WORDS]]
    columns = [FigureColumn(_("Word")), FigureColumn(_("Count"), True)]
    return [*tables, table_figure("words", _("Words of the corpus"), columns, words)]


def _loss(line: PieceTableLine) -> list[FigureCell]:
    loss = number(line.loss or 0, 2).replace("-", "−")
    mark = f" ({_('removed')})" if line.removed else ""
    return [[FigurePiece(line.piece, line.removed)], number(line.used or 0), line.instead, f"{loss}{mark}"]


def _counting(part: CountingPart) -> list[Figure]:
    rows: Rows = [[line.context, [FigurePiece(line.word, bool(line.added))], number(line.count)] for line in part.lines]
    columns = [
        FigureColumn(pgettext("previous words", "After")),
        FigureColumn(_("Word")),
        FigureColumn(_("Count"), True),
    ]
    return [table_figure("counts", _("Counts so far"), columns, rows)]


def _estimates(part: NGramEstimatePart) -> list[Figure]:
    rows: Rows = [
        [[FigurePiece(line.word)], line.context, number(line.count), line.formula, line.probability]
        for line in part.lines
    ]
    titles = [_("Word"), pgettext("previous words", "After"), _("Count"), _("Formula"), _("Probability")]
    columns = [FigureColumn(title, at > 1) for at, title in enumerate(titles)]
    return [table_figure("probabilities", _("Probabilities"), columns, rows)]


def _symbols(symbols: Iterable[WordSymbol]) -> Sequence[FigurePiece]:
    return [FigurePiece(symbol.text, symbol.now) for symbol in symbols]


def _cell(cell: RoundCell, column: RoundColumn) -> FigureCell:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int | float):
        return number(cell, column.digits).replace("-", "−")
    return _symbols(cell) or "–"

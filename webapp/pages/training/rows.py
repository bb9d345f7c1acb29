"""What the templates of training draw: symbols in a row, pairs with their figures, the vocabulary so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.training_words import CorpusWord
from webapp.core.trainers.bpe import END_OF_WORD
from webapp.pages.walkthrough.cells import StepCell, direction, quotable
from webapp.rendering.markup import shown_piece

PAIRS_SHOWN = 10
WORDS_SHOWN = 12


@dataclass(frozen=True)
class WordSymbol:
    """A symbol of a word; `now` when the round joins it, or has made it."""

    text: str
    now: bool = False


@dataclass(frozen=True)
class WordLine:
    """A word before a round and after it (alike where nothing changes), and how often it occurs."""

    before: list[WordSymbol]
    after: list[WordSymbol]
    count: int


@dataclass(frozen=True)
class PairLine:
    """A pair of the table; `percent`: the length of its bar; `tied`: it has what the winner has."""

    symbols: list[WordSymbol]
    count: int
    percent: float
    winner: bool
    tied: bool
    left_count: int | None = None
    right_count: int | None = None
    score: float | None = None


@dataclass(frozen=True)
class PieceLine:
    """A piece of the vocabulary so far; `now`: it has just come."""

    text: str
    id: int
    now: bool = False


def word_line(before: CorpusWord[str] | CorpusWord[bytes], after: CorpusWord[str] | CorpusWord[bytes]) -> WordLine:
    """A word with what the round joins marked on both sides.

    >>> line = word_line(CorpusWord(("a", "b", "a", "b"), 2), CorpusWord(("ab", "ab"), 2, (0, 1)))
    >>> [symbol.now for symbol in line.before], [symbol.now for symbol in line.after]
    ([True, True, True, True], [True, True])
    """
    joined = {place + number + half for number, place in enumerate(after.made) for half in (0, 1)}
    return WordLine(symbols(before.symbols, joined), symbols(after.symbols, after.made), before.count)


def shown(piece: str | bytes) -> str:
    """A piece as a reader can see it; behind a word that runs from right to left `</w>` still reads as it is written.

    >>> shown("w</w>"), shown("ם</w>") == "ם\u2066</w>\u2069"
    ('w</w>', True)
    """
    text = shown_piece(piece)
    if text.endswith(END_OF_WORD) and direction(text) == "rtl":
        return f"{text.removesuffix(END_OF_WORD)}\u2066{END_OF_WORD}\u2069"
    return text


def symbols(pieces: Iterable[str | bytes], marked: Iterable[int] = ()) -> list[WordSymbol]:
    """Symbols as a reader can see them, those at the `marked` places marked."""
    places = set(marked)
    return [WordSymbol(shown(piece), place in places) for place, piece in enumerate(pieces)]


def read_cells(tokenizer: Tokenizer, text: str) -> list[StepCell]:
    """A text read with a vocabulary: each token with its id."""
    cells = []
    for id in tokenizer.ids(text):
        kind = "done unknown" if id == tokenizer.model.unknown_id else "done"
        cells.append(StepCell(shown(tokenizer.model.pieces[id]), kind, id))
    return cells


def quoted(piece: str | bytes) -> str:
    """A piece as a sentence quotes it; bytes that are no whole characters in hexadecimal.

    >>> quoted(b"low"), quoted(b"\\xe4")
    ('low', '⟨E4⟩')
    """
    if isinstance(piece, bytes):
        try:
            return quotable(piece.decode())
        except UnicodeDecodeError:
            return shown_piece(piece)
    return quotable(piece)

"""Rows of the training templates: symbols of a word, pairs with their counts, pieces of the vocabulary."""

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
    """A symbol of a word; `now` if the round merges or makes it."""

    text: str
    now: bool = False


@dataclass(frozen=True)
class WordLine:
    """A word before and after a round, and its count."""

    before: list[WordSymbol]
    after: list[WordSymbol]
    count: int


@dataclass(frozen=True)
class PairLine:
    """A pair of the table; `percent` is the length of its bar, `tied` says whether it equals the winner."""

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
    """A piece of the vocabulary; `now` if the round has made it."""

    text: str
    id: int
    now: bool = False


def word_line(before: CorpusWord[str] | CorpusWord[bytes], after: CorpusWord[str] | CorpusWord[bytes]) -> WordLine:
    """A word with the merged symbols marked before and after the round.

    >>> line = word_line(CorpusWord(("a", "b", "a", "b"), 2), CorpusWord(("ab", "ab"), 2, (0, 1)))
    >>> [symbol.now for symbol in line.before], [symbol.now for symbol in line.after]
    ([True, True, True, True], [True, True])
    """
    joined = {place + number + half for number, place in enumerate(after.made) for half in (0, 1)}
    return WordLine(symbols(before.symbols, joined), symbols(after.symbols, after.made), before.count)


def shown(piece: str | bytes) -> str:
    """A piece as readable text; after a right-to-left word, `</w>` is still displayed from left to right.

    >>> shown("w</w>"), shown("ם</w>") == "ם\u2066</w>\u2069"
    ('w</w>', True)
    """
    text = shown_piece(piece)
    if text.endswith(END_OF_WORD) and direction(text) == "rtl":
        return f"{text.removesuffix(END_OF_WORD)}\u2066{END_OF_WORD}\u2069"
    return text


def symbols(pieces: Iterable[str | bytes], marked: Iterable[int] = ()) -> list[WordSymbol]:
    """Symbols as readable text, with those at the indexes `marked` marked."""
    places = set(marked)
    return [WordSymbol(shown(piece), place in places) for place, piece in enumerate(pieces)]


def read_cells(tokenizer: Tokenizer, text: str) -> list[StepCell]:
    """The tokens of a text with their ids."""
    cells = []
    for id in tokenizer.ids(text):
        kind = "done unknown" if id == tokenizer.model.unknown_id else "done"
        cells.append(StepCell(shown(tokenizer.model.pieces[id]), kind, id))
    return cells


def quoted(piece: str | bytes) -> str:
    """A piece for a sentence; bytes that are not valid UTF-8 in hexadecimal.

    >>> quoted(b"low"), quoted(b"\\xe4")
    ('low', '⟨E4⟩')
    """
    if isinstance(piece, bytes):
        try:
            return quotable(piece.decode())
        except UnicodeDecodeError:
            return shown_piece(piece)
    return quotable(piece)

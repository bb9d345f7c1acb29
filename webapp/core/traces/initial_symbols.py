"""The initial symbols of a word before byte-pair encoding merges anything: bytes, characters and their substitutes.

They equal those of `webapp.core.models.symbols` and of the models, with the range of characters of each symbol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.scored_pieces import symbols_of

Kind = Literal["piece", "byte", "unknown", "suffix", "uncovered", "unused", "user-defined"]
"""The kind of a symbol.

`byte`: a byte of a character without a piece. `suffix`: the end-of-word mark as a symbol of its own. `uncovered`: a
character without a piece, which merges into longer pieces or falls back at the end. `unused`, `user-defined`:
SentencePiece's piece types.
"""


@dataclass(frozen=True, slots=True)
class InitialSymbol:
    """An initial symbol of a word; `start` and `end` are in characters of the word."""

    piece: str | bytes
    id: int | None
    start: int
    end: int
    kind: Kind = "piece"


Beginning = tuple[list[InitialSymbol], tuple[tuple[int, int], ...]]


def initial_symbols(model: BPE | RankBPE | ScoredBPE, word: str) -> Beginning:
    """Return the initial symbols of a word, and the ranges of characters that are dropped for lack of a symbol.

    >>> bpe = BPE(["<unk>", "l", "o", "</w>"], [], byte_level=False, unknown="<unk>", end_of_word_suffix="</w>")
    >>> [(symbol.piece, symbol.id, symbol.kind) for symbol in initial_symbols(bpe, "lö")[0]]
    [('l', 1, 'piece'), ('ö', 0, 'unknown'), ('</w>', 3, 'suffix')]
    """
    if isinstance(model, ScoredBPE):
        return _scored(model, word), ()
    if model.byte_level:
        return _bytes(model, word), ()
    assert isinstance(model, BPE)
    return _Characters(model, word).read()


def _bytes(model: BPE | RankBPE, word: str) -> list[InitialSymbol]:
    return [
        InitialSymbol(bytes([byte]), model.id_of(bytes([byte])), at, at + 1)
        for at, character in enumerate(word)
        for byte in character.encode()
    ]


def _scored(model: ScoredBPE, word: str) -> list[InitialSymbol]:
    vocabulary = model.vocabulary
    symbols: list[InitialSymbol] = []
    end = 0
    for text in symbols_of(vocabulary)(word):
        start, end = end, end + len(text)
        kind: Kind = "uncovered"
        if text in vocabulary.user_defined:
            kind = "user-defined"
        elif text in vocabulary.unused:
            kind = "unused"
        elif text in vocabulary.ids:
            kind = "piece"
        id = (
            vocabulary.ids.get(text)
            if kind == "user-defined"
            else vocabulary.unused.get(text, vocabulary.ids.get(text))
        )
        symbols.append(InitialSymbol(text, id, start, end, kind))
    return symbols


class _Characters:
    """Reads a word like `Symbols.measured`."""

    def __init__(self, model: BPE, word: str) -> None:
        self.model = model
        self.word = word
        self.symbols: list[InitialSymbol] = []
        self.waiting: list[int] = []  # positions of unknown characters that have no symbol yet
        self.left_out: list[tuple[int, int]] = []

    def read(self) -> Beginning:
        model = self.model
        for at in range(len(self.word)):
            symbol = self._with_affixes(at)
            id = model.id_of(symbol)
            if id is None and model.byte_fallback and (fallback := self._bytes_of(symbol)):
                self.symbols += [InitialSymbol(model.pieces[byte], byte, at, at + 1, "byte") for byte in fallback]
                continue
            if id is not None or not model.fuse_unknown:
                self._write_unknown()
            if id is not None:
                self.symbols.append(InitialSymbol(symbol, id, at, at + 1))
            elif model.unknown_id is not None:
                self.waiting.append(at)
            else:
                self.left_out.append((at, at + 1))
        self._write_unknown()
        if model.suffix_id is not None and model.end_of_word_suffix and self.word:
            length = len(self.word)
            self.symbols.append(InitialSymbol(model.end_of_word_suffix, model.suffix_id, length, length, "suffix"))
        return self.symbols, tuple(self.left_out)

    def _write_unknown(self) -> None:
        if self.waiting:
            text = "".join(self.word[at] for at in self.waiting)
            start, end = self.waiting[0], self.waiting[-1] + 1
            self.symbols.append(InitialSymbol(text, self.model.unknown_id, start, end, "unknown"))
            self.waiting = []

    def _with_affixes(self, at: int) -> str:
        model = self.model
        symbol = self.word[at]
        if at:
            symbol = model.continuing_subword_prefix + symbol
        if at == len(self.word) - 1 and model.suffix_id is None:
            symbol += model.end_of_word_suffix
        return symbol

    def _bytes_of(self, symbol: str) -> list[int]:
        ids = [self.model.id_of(f"<0x{byte:02X}>") for byte in symbol.encode()]
        return [] if None in ids else [id for id in ids if id is not None]

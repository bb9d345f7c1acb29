"""Trace of WordPiece: the windows that are tried, longest first, from the left of each word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from webapp.core.models.wordpiece import WordPiece

Kind = Literal["piece", "missing", "too long"]


@dataclass(frozen=True, slots=True)
class LookedUpWindow:
    """A window on the word, the piece that it spells, and the piece's id, or None if there is no such piece."""

    start: int
    end: int
    piece: str
    id: int | None


@dataclass(frozen=True, slots=True)
class WordPieceDecision:
    """One decision inside a word, with the windows tried for it, longest first.

    `kind` is `piece` if a piece was found. If none was, it is `missing`, and the whole word becomes the unknown token,
    even if earlier pieces were found. A word that is `too long` becomes the unknown token without any lookup. `start`,
    `end` and `id` are those of the token.
    """

    kind: Kind
    id: int
    start: int
    end: int
    tried: tuple[LookedUpWindow, ...] = ()


def wordpiece_steps(model: WordPiece, word: str) -> Iterator[WordPieceDecision]:
    """Yield the decisions for one word, from the left.

    >>> model = WordPiece(["[UNK]", "un", "##aff", "##able", "##a"])
    >>> for decision in wordpiece_steps(model, "unafar"):
    ...     print(decision.kind, decision.id, [looked.piece for looked in decision.tried])
    piece 1 ['unafar', 'unafa', 'unaf', 'una', 'un']
    piece 4 ['##afar', '##afa', '##af', '##a']
    missing 0 ['##far', '##fa', '##f']
    """
    if len(word) > model.max_word_length:
        yield WordPieceDecision("too long", model.unknown_id, 0, len(word))
        return
    start = 0
    while start < len(word):
        prefix = model.continuing_subword_prefix if start else ""
        tried: list[LookedUpWindow] = []
        for end in range(len(word), start, -1):
            piece = prefix + word[start:end]
            id = model.id_of(piece)
            tried.append(LookedUpWindow(start, end, piece, id))
            if id is not None:
                yield WordPieceDecision("piece", id, start, end, tuple(tried))
                start = end
                break
        else:
            yield WordPieceDecision("missing", model.unknown_id, 0, len(word), tuple(tried))
            return


def tokens_of(decisions: Iterable[WordPieceDecision]) -> list[tuple[int, int, int]]:
    """Return `(id, start, end)` of each token that results from the decisions on one word.

    >>> model = WordPiece(["[UNK]", "un", "##a"])
    >>> tokens_of(wordpiece_steps(model, "una")), tokens_of(wordpiece_steps(model, "unas"))
    ([(1, 0, 2), (2, 2, 3)], [(0, 0, 4)])
    """
    tokens = []
    for decision in decisions:
        if decision.kind != "piece":
            return [(decision.id, decision.start, decision.end)]
        tokens.append((decision.id, decision.start, decision.end))
    return tokens

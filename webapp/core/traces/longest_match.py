"""Traces of maximum matching and of WordPiece: the windows that are tried, longest first, and what is taken."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Way, runs_of
from webapp.core.models.wordpiece import WordPiece

Outcome = Literal["word", "no word", "cuts a run"]
Kind = Literal["word", "character", "run", "space"]


@dataclass(frozen=True, slots=True)
class TriedWindow:
    """A window on the text and the outcome of its lookup; a window that would cut a run is not looked up."""

    start: int
    end: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class TakenWord:
    """One decision: the windows that were tried, longest first, and the word that was taken.

    `kind` says whether it is a word of the dictionary, a single character, a run of Latin letters and digits that stays
    whole, or white space; a character and a run have the out-of-vocabulary id, white space has its own.
    """

    id: int
    start: int
    end: int
    kind: Kind
    tried: tuple[TriedWindow, ...]


def matching_steps(dictionary: Dictionary, text: str, direction: Way, keep_runs: bool = True) -> Iterator[TakenWord]:
    """Yield the decisions in order: from the left for forward matching, from the right for backward matching.

    The first window is as long as the longest word of the dictionary or the rest of the text; each further one is one
    character shorter. `Matching` returns the same words but skips lengths that no word has.

    >>> dictionary = Dictionary(["研究", "研究生", "生命"])
    >>> for taken in matching_steps(dictionary, "研究生命", "forward"):
    ...     print(taken.kind, [("研究生命"[tried.start : tried.end], tried.outcome) for tried in taken.tried])
    word [('研究生', 'word')]
    character [('命', 'no word')]
    >>> [taken.id for taken in matching_steps(dictionary, "研究生命", "backward")]
    [2, 0]
    """
    runs = runs_of(text) if keep_runs else []
    forward = direction == "forward"
    at = 0 if forward else len(text)
    while at < len(text) if forward else at > 0:
        left = len(text) - at if forward else at
        taken = _decided(dictionary, text, at, min(left, max(dictionary.longest, 1)), forward, runs)
        yield taken
        at = taken.end if forward else taken.start


def _decided(
    dictionary: Dictionary, text: str, at: int, longest: int, forward: bool, runs: list[tuple[int, int]]
) -> TakenWord:
    """Return the decision for the windows that begin at `at`, or end there in backward matching."""
    tried: list[TriedWindow] = []
    for length in range(longest, 0, -1):
        start, end = (at, at + length) if forward else (at - length, at)
        border = end if forward else start
        run = next(((first, last) for first, last in runs if first < border < last), None)
        if run is not None:
            tried.append(TriedWindow(start, end, "cuts a run"))
            if length == 1:
                start, end = (at, run[1]) if forward else (run[0], at)
                return TakenWord(dictionary.unknown_id, start, end, "run", tuple(tried))
            continue
        id = dictionary.ids.get(text[start:end])
        if id is not None:
            return TakenWord(id, start, end, "word", (*tried, TriedWindow(start, end, "word")))
        tried.append(TriedWindow(start, end, "no word"))
    start, end = (at, at + 1) if forward else (at - 1, at)
    space = dictionary.other_ids.get(text[start:end])
    if space is not None:
        return TakenWord(space, start, end, "space", tuple(tried))
    return TakenWord(dictionary.unknown_id, start, end, "character", tuple(tried))


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

    kind: Literal["piece", "missing", "too long"]
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

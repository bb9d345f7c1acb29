"""Trace of n-gram segmentation: the word lattice of each sentence, the table of best paths, and the n best paths.

The best continuation of a path depends on its last words, so each position keeps a best path for each word that ends
there, and for trigrams for each pair of words. The sums and the result are those of `NGram.segment`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import exp, inf
from operator import attrgetter

from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START
from webapp.core.models.ngram_viterbi import BEGINNING, MOST_STATES
from webapp.core.text.sentences import sentence_spans
from webapp.core.traces.lattice import log_sum


@dataclass(frozen=True, slots=True)
class WordCandidate:
    """A word that ends at a position, after the words of one of the best paths to its start.

    `context` are the words that its probability depends on, START included: one for bigrams, two for trigrams (one at
    the beginning of a sentence), none for unigrams. `before` is the best sum to its start, `score` the natural
    logarithm of its probability after the context, `total` their sum. `previous` is the word before, also of unigrams.
    """

    start: int
    end: int
    word: str
    previous: str
    context: tuple[str, ...]
    before: float
    score: float
    total: float
    known: bool
    origin: int  # the candidate at `start` that it continues, as its place in that column; -1 at the beginning
    reach: float | None = None  # `ScoreTables.reach`


@dataclass(frozen=True, slots=True)
class WordColumn:
    """All candidates that end at a position; `best` has the place of the best one for each state, in order.

    A state is the last word, for trigrams with the one before it; for the end of the sentence there is only one.
    """

    end: int
    candidates: tuple[WordCandidate, ...]
    best: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SentenceTrace:
    """A sentence of a text: where it is, and its table."""

    start: int
    end: int
    text: str
    columns: tuple[WordColumn, ...]

    @property
    def words(self) -> list[str]:
        """The words of the best path."""
        return segmentation(self.columns)


@dataclass(frozen=True, slots=True)
class WordSegmentation:
    """A segmentation of a sentence: its words, its score, and its share among all segmentations of the sentence.

    `score` is the natural logarithm of the product of the probabilities, that of the end of the sentence included.
    """

    words: tuple[str, ...]
    score: float
    probability: float


def sentence_traces(model: NGram, text: str) -> list[SentenceTrace]:
    """Return the trace of each sentence of a text.

    >>> from webapp.core.trainers.ngram import segmented, train
    >>> model = NGram(train(segmented("人生 如 梦境\\n人生 如 戏\\n生如夏花\\n梦境 如 人生")))
    >>> [trace.words for trace in sentence_traces(model, "人生如戏。人生")]
    [['人生', '如', '戏', '。'], ['人生']]
    """
    return [
        SentenceTrace(start, end, text[start:end], tuple(columns(model, text[start:end])))
        for start, end in sentence_spans(text)
    ]


def columns(model: NGram, sentence: str) -> list[WordColumn]:
    """Return the table of a sentence: a column for each position from 1 to its end, and one for END.

    The column of white space is empty: paths go through it. On a tie the first candidate wins: the one with the longer
    word, then the one after the word that was found first.

    >>> from webapp.core.trainers.ngram import train
    >>> model = NGram(train([["a", "b"], ["ab"], ["ab"]]), keep_runs=False)
    >>> [[candidate.word for candidate in column.candidates] for column in columns(model, "ab")]
    [['a'], ['ab', 'b'], ['</s>', '</s>']]
    """
    return _Table(model, sentence).columns


def best_path(table: Sequence[WordColumn]) -> list[WordCandidate]:
    """Return the candidates of the best path to the last of these columns, which may be the end of the sentence.

    >>> from webapp.core.trainers.ngram import train
    >>> [one.word for one in best_path(columns(NGram(train([["a", "b"], ["ab"], ["ab"]]), keep_runs=False), "ab"))]
    ['ab', '</s>']
    """
    column = next((column for column in reversed(table) if column.candidates), None)  # white space has none
    if column is None:
        return []
    path = [max((column.candidates[at] for at in column.best), key=lambda one: one.total)]
    while path[-1].origin >= 0:
        end = path[-1].start
        while not table[end - 1].candidates:  # white space
            end -= 1
        path.append(table[end - 1].candidates[path[-1].origin])
    return path[::-1]


def segmentation(table: Sequence[WordColumn]) -> list[str]:
    """Return the words of the best path.

    >>> from webapp.core.trainers.ngram import train
    >>> sentences = ["人生 如 梦境", "人生 如 戏", "生如夏花", "梦境 如 人生"]
    >>> segmentation(columns(NGram(train(sentence.split() for sentence in sentences)), "人生如梦境"))
    ['人生', '如', '梦境']
    """
    return [candidate.word for candidate in best_path(table)[:-1]]


def n_best(model: NGram, sentence: str, n: int) -> list[WordSegmentation]:
    """Return the n most probable segmentations of a sentence, best first, exactly.

    Each state keeps its n best paths, as in `webapp.core.traces.lattice.n_best`.

    >>> from webapp.core.trainers.ngram import train
    >>> for found in n_best(NGram(train([["a", "b"], ["ab"], ["ab"]]), keep_runs=False), "ab", 3):
    ...     print(found.words, round(exp(found.score), 4), round(found.probability, 3))
    ('ab',) 0.2143 0.824
    ('a', 'b') 0.0457 0.176
    """
    table = _Table(model, sentence)
    paths: list[dict[_State, list[_Path]]] = [{_FIRST: [_Path(0.0, "", None)]}]
    sums: list[dict[_State, float]] = [{_FIRST: 0.0}]
    for number, column in enumerate(table.columns, 1):
        if number <= len(sentence) and table.is_space(number - 1):
            paths.append(paths[-1])
            sums.append(sums[-1])
            continue
        found: dict[_State, list[_Path]] = {}
        weights: dict[_State, list[float]] = {}
        for candidate in column.candidates:
            before, after = _states(candidate, model.order)
            for path in paths[candidate.start].get(before, ()):
                total = table.extended(path.total, before, candidate)
                found.setdefault(after, []).append(_Path(total, candidate.word, path))
            weights.setdefault(after, []).append(sums[candidate.start].get(before, -inf) + candidate.score)
        paths.append({state: nlargest(n, each, key=attrgetter("total")) for state, each in found.items()})
        sums.append({state: log_sum(each) for state, each in weights.items()})
    whole = log_sum(list(sums[-1].values()))
    best = nlargest(n, (path for each in paths[-1].values() for path in each), key=attrgetter("total"))
    ranked = [WordSegmentation(_words(path), path.total, exp(min(path.total - whole, 0.0))) for path in best]
    # Of segmentations with the same probability, that of the model comes first, whatever rounding did to their sums.
    chosen = tuple(segmentation(table.columns))
    total = table.columns[-1].candidates[table.columns[-1].best[0]].total
    first = WordSegmentation(chosen, total, exp(min(total - whole, 0.0)))
    return [first, *(one for one in ranked if one.words != chosen)][:n]


_State = tuple[str, str]
"""The last two words of a path; the first is empty for unigrams, bigrams, and before START."""
_FIRST: _State = ("", START)


@dataclass(frozen=True, slots=True)
class _Path:
    total: float
    word: str
    before: _Path | None


class _Table:
    """The columns of a sentence."""

    def __init__(self, model: NGram, sentence: str) -> None:
        self._model = model
        self._sentence = sentence
        self._arcs = model.arcs(sentence)
        self._ending: list[list[tuple[int, int, float]]] = [[] for _ in range(len(sentence) + 1)]
        for start, arcs in enumerate(self._arcs):
            for end, number, further in arcs:
                self._ending[end].append((start, number, further))
        # For each position, the best candidates that end there, as (state, sum, place in the column).
        self._states: list[list[tuple[_State, float, int]]] = [[(_FIRST, 0.0, -1)]]
        self.columns: list[WordColumn] = []
        for end in range(1, len(sentence) + 1):
            if self.is_space(end - 1):
                self.columns.append(WordColumn(end, (), ()))
                self._states.append(self._states[-1])
                continue
            found = [
                self._candidate(start, end, sentence[start:end], number, further, state)
                for start, number, further in self._ending[end]
                for state in self._states[start]
            ]
            self._add(end, found)
        counts = model.counts
        length = len(sentence)
        last = [self._candidate(length, length, END, counts.end, 0.0, state) for state in self._states[-1]]
        winner = max(_winners(last, model.order).values(), key=lambda at: last[at].total)
        self.columns.append(WordColumn(length, tuple(last), (winner,)))

    def is_space(self, at: int) -> bool:
        """Whether the character at a position is white space between words."""
        return bool(self._arcs[at]) and self._arcs[at][0][1] < 0

    def extended(self, before: float, state: _State, candidate: WordCandidate) -> float:
        """The sum of a path in a state after the word of a candidate."""
        model = self._model
        number = model.counts.number(candidate.word)
        return model.tables.extended(before, self._numbers(state), number, model.further_score(candidate.word))

    def _numbers(self, state: _State) -> tuple[int, int]:
        number = self._model.counts.number
        return (number(state[0]) if state[0] else BEGINNING, number(state[1]))

    def _candidate(
        self, start: int, end: int, word: str, number: int, further: float, before: tuple[_State, float, int]
    ) -> WordCandidate:
        model = self._model
        state, total, origin = before
        context = () if model.order == 1 else tuple(word for word in state if word != "")
        extended = model.tables.extended(total, self._numbers(state), number, further)
        known = number != model.counts.unknown
        score = model.score(word, context)
        reach = model.tables.reach(total, self._numbers(state), number)
        return WordCandidate(start, end, word, state[1], context, total, score, extended, known, origin, reach)

    def _add(self, end: int, found: list[WordCandidate]) -> None:
        best = _winners(found, self._model.order)
        self.columns.append(WordColumn(end, tuple(found), tuple(best.values())))
        states = [(state, found[at].total, at) for state, at in best.items()]
        if len(states) > MOST_STATES:
            states = sorted(states, key=lambda each: each[1], reverse=True)[:MOST_STATES]
        self._states.append(states)


def _winners(candidates: Sequence[WordCandidate], order: int) -> dict[_State, int]:
    """The place of the best candidate for each state after it."""
    unseen: dict[_State, int] = {}
    seen: dict[_State, list[int]] = {}
    for at, candidate in enumerate(candidates):
        state = _states(candidate, order)[1]
        seen.setdefault(state, [])
        held = unseen.get(state)
        if candidate.reach is None:
            seen[state].append(at)
        elif held is None or candidate.reach > _reach(candidates[held]):
            unseen[state] = at
    return {
        state: max(
            sorted([*places, *([unseen[state]] if state in unseen else [])]), key=lambda at: candidates[at].total
        )
        for state, places in seen.items()
    }


def _reach(candidate: WordCandidate) -> float:
    return -inf if candidate.reach is None else candidate.reach


def _states(candidate: WordCandidate, order: int) -> tuple[_State, _State]:
    """The states before and after the word of a candidate."""
    before = candidate.context[-2] if order > 2 and len(candidate.context) > 1 else ""
    return (before, candidate.previous), (candidate.previous if order > 2 else "", candidate.word)


def _words(path: _Path | None) -> tuple[str, ...]:
    words: list[str] = []
    while path is not None and path.before is not None:
        words.append(path.word)
        path = path.before
    return tuple(words[:0:-1])

"""Trace of a tagger: for each character the features with their weights, and the Viterbi table of the four tags."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from webapp.core.models.hmm import BEFORE, STATES, State
from webapp.core.models.tag_weights import SCALE, TRANSITIONS, TagWeights, normalized
from webapp.core.models.tagger import Tagger
from webapp.core.traces.word_graph import StateCandidate, StateCell


@dataclass(frozen=True, slots=True)
class FiredFeature:
    """A feature of a character: its template, its value, and its weights for B, M, E and S."""

    template: str
    value: str
    weights: tuple[float, ...]

    @property
    def known(self) -> bool:
        """Whether training gave it weights."""
        return any(self.weights)


@dataclass(frozen=True, slots=True)
class TaggerTrace:
    """A part of the text without white space, from `offset` on: a column of four cells for each character.

    A cell's `emission` is the sum of the weights of its features. `states` are the best tags, `words` the words that
    they make.
    """

    offset: int
    text: str
    features: tuple[tuple[FiredFeature, ...], ...]
    columns: tuple[tuple[StateCell, ...], ...]
    states: tuple[State, ...]
    words: tuple[str, ...]


_LOWEST = -(10**103)  # of a sum that is impossible; divided by `SCALE`, it is below the HMM's IMPOSSIBLE


def tagger_traces(model: Tagger, text: str) -> Iterator[TaggerTrace]:
    """Yield the trace of each part of a text that is tagged by itself; weights are divided by `SCALE`.

    >>> from webapp.core.models.dictionary import Dictionary
    >>> weights = TagWeights({"C0": {"研": (100, 0, 0, 0), "究": (0, 0, 150, 0)}}, {"BE": 50})
    >>> (trace,) = tagger_traces(Tagger(weights, Dictionary([])), "研究")
    >>> trace.states, trace.words, trace.columns[1][2].total
    (('B', 'E'), ('研究',), 3.0)
    """
    for start, end in model.parts(text):
        part = text[start:end]
        weights, read, inside = model.weights, normalized(part), model.inside_runs(part)
        features = tuple(
            tuple(FiredFeature(template, value, tuple(one / SCALE for one in four)) for template, value, four in here)
            for here in (weights.at(read, at) for at in range(len(part)))
        )
        states = tuple(STATES[tag] for tag in weights.tags(read, inside))
        ends = [at for at, state in enumerate(states, 1) if state in "ES"]
        words = tuple(part[first:last] for first, last in zip([0, *ends], ends, strict=False))
        yield TaggerTrace(start, part, features, tuple(_columns(weights, read, inside)), states, words)


def _columns(weights: TagWeights, text: str, inside: Collection[int]) -> Iterator[tuple[StateCell, ...]]:
    transitions = dict(zip(TRANSITIONS, weights.transitions, strict=True))
    sums: dict[State, int] = {}  # in whole numbers, so that equal ones are equal
    for at, scores in enumerate(weights.scores(text)):
        cells: list[StateCell] = []
        totals: dict[State, int] = {}
        for state, score in zip(STATES, scores, strict=True):
            if (at in inside and state in "BS") or (not at and state in "ME"):
                score = _LOWEST
            ways = {
                before: sums[before] + transitions[before + state]
                for before in STATES
                if sums and before in BEFORE[state]
            }
            best = max(ways, key=ways.__getitem__, default=None)  # of equal sums, the first
            totals[state] = score + (ways[best] if best else 0)
            candidates = tuple(
                StateCandidate(before, sums[before] / SCALE, transitions[before + state] / SCALE, (way + score) / SCALE)
                for before, way in ways.items()
            )
            cells.append(StateCell(state, score / SCALE, candidates, best, totals[state] / SCALE))
        sums = totals
        yield tuple(cells)

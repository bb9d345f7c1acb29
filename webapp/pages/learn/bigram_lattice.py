"""The picture of a step of word bigrams: the word lattice, with the best path as far as the table is filled."""

from __future__ import annotations

from flask_babel import gettext as _

from webapp.core.models.bigrams import START, Bigrams
from webapp.core.traces.bigrams import BigramColumn, WordCandidate, columns
from webapp.core.traces.lattice import Arc, Lattice
from webapp.core.traces.viterbi import PathCandidate, ViterbiColumn
from webapp.pages.steps.lattice_drawing import draw
from webapp.rendering.pictures.figure import Figure


def bigram_picture(bigrams: Bigrams, text: str, step: int) -> Figure:
    """The picture of a step of `BigramWalkthrough`: the counts, each position, the end of the sentence, the words.

    An arc is a word after its best predecessor. Where a word ends in several arcs' path, the table has the best one.
    """
    table = columns(bigrams, text)
    filled = min(step, len(text))
    arcs: list[Arc] = []
    drawn: list[ViterbiColumn] = []
    for column in table[:-1]:
        found = [_candidate(bigrams, column, index) for index in column.best]
        arcs += sorted((one.arc for one in found), key=lambda arc: arc.start)
        drawn.append(ViterbiColumn(column.end, tuple(found), max(range(len(found)), key=lambda at: found[at].total)))
    done = step > len(text)
    last = table[-1].candidates[table[-1].best[0]].previous if done else None
    return draw(
        Lattice(text, tuple(arcs)),
        drawn,
        filled=filled,
        here=None if done or not filled else filled,
        path=[_arc(bigrams, one) for one in _path(table, filled, last)],
        title=_("Word lattice of “%(text)s”", text=text),
    ).figure


def _path(table: list[BigramColumn], end: int, word: str | None) -> list[WordCandidate]:
    """The best path to a position, from its end; the one that ends in `word` if that is given."""
    path: list[WordCandidate] = []
    while end:
        kept = [table[end - 1].candidates[index] for index in table[end - 1].best]
        best = max((one for one in kept if word in (None, one.word)), key=lambda one: one.total)
        path.append(best)
        end, word = best.start, best.previous if best.previous != START else None
    return path


def _candidate(bigrams: Bigrams, column: BigramColumn, index: int) -> PathCandidate:
    one = column.candidates[index]
    return PathCandidate(_arc(bigrams, one), one.before, one.total)


def _arc(bigrams: Bigrams, one: WordCandidate) -> Arc:
    return Arc(one.start, one.start + len(one.word), one.word, bigrams.ids.get(one.word), one.score)

"""The sentences of the lattice: which arcs end at a position, their sums, which one wins and why."""

from __future__ import annotations

from collections.abc import Sequence

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.traces.lattice import Arc, Lattice, PathCandidate, ViterbiColumn
from webapp.pages.walkthrough.cells import format_log_probability, quotable
from webapp.tokenization.messages import joined
from webapp.web.localization import number

MAX_DIGITS = 9  # decimals of a sum
MAX_QUOTED = 16  # arcs of a path that a sentence lists


def lattice_sentence(lattice: Lattice) -> str:
    """How many arcs the lattice of a pre-token has, before its table is filled."""
    pieces = sum(arc.id is not None for arc in lattice.arcs)
    return ngettext(
        "One span of “%(text)s” is a piece of the vocabulary: it is an arc.",
        "%(count)s spans of “%(text)s” are pieces of the vocabulary: each is an arc.",
        pieces,
        count=number(pieces),
        text=quotable(lattice.text),
    )


def column_sentence(column: ViterbiColumn, *, falls_back: bool) -> str:
    """The sentence of a column of the table: its candidates, and why one of them wins."""
    best = column.best
    others = _others(column)
    digits = digits_of(column)
    words = {
        "end": number(column.end),
        "piece": quotable(best.arc.text),
        "start": number(best.arc.start),
        "before": format_log_probability(best.before, digits),
        "score": format_log_probability(best.arc.score, digits),
        "total": format_log_probability(best.total, digits),
    }
    return joined([_winner(column, words), _tie(column, others, digits), _remarks(column, falls_back)])


def single_character_sentence(column: ViterbiColumn, *, falls_back: bool) -> str:
    """The sentence of a pre-token of one character."""
    arc = column.best.arc
    if arc.id is None:
        sentence = _("“%(piece)s” is a single character and not a piece of the vocabulary.", piece=quotable(arc.text))
    else:
        sentence = _(
            "“%(piece)s” is a single character: there is one arc, and nothing to choose.", piece=quotable(arc.text)
        )
    return joined([sentence, _remarks(column, falls_back)])


def traceback_sentence(path: Sequence[Arc], traced: int) -> str:
    """The sentence of a step back from a position to the start of the best arc to it."""
    arc = path[traced - 1]
    words = {"end": number(arc.end), "piece": quotable(arc.text), "start": number(arc.start)}
    if traced == 1:
        sentence = _(
            "The table is full. Tracing back from the end: the best arc to position %(end)s is “%(piece)s”, from "
            "position %(start)s.",
            **words,
        )
    else:
        sentence = _("The best arc to position %(end)s is “%(piece)s”, from position %(start)s.", **words)
    if arc.start > 0:
        return sentence
    total = format_log_probability(sum(arc.score for arc in path))
    if len(path) > MAX_QUOTED:
        whole = _(
            "This reaches the start: the best path has %(count)s arcs and the sum %(total)s.",
            count=number(len(path)),
            total=total,
        )
    else:
        best = " / ".join(quotable(arc.text) for arc in reversed(path))
        whole = _("This reaches the start: the best path is %(path)s, with the sum %(total)s.", path=best, total=total)
    return joined([sentence, whole])


def digits_of(column: ViterbiColumn) -> int:
    """The number of decimals needed to tell the best two sums apart."""
    best = column.best.total
    rival = next((one.total for one in _others(column) if one.total != best), None)
    if rival is None:
        return 2
    fitting = (digits for digits in range(2, MAX_DIGITS) if round(rival, digits) != round(best, digits))
    return next(fitting, MAX_DIGITS)


def alt_text(text: str) -> str:
    """The text alternative of the drawing."""
    return _("The lattice of “%(text)s” with its table. The tables below have the same figures.", text=quotable(text))


def _winner(column: ViterbiColumn, words: dict[str, str]) -> str:
    if len(column.candidates) == 1:
        if column.best.arc.start == 0:
            return _(
                "Only one arc ends at position %(end)s: “%(piece)s”, from the start, with log-probability %(score)s.",
                **words,
            )
        return _(
            "Only one arc ends at position %(end)s: “%(piece)s”. The best sum at its start, position %(start)s, is "
            "%(before)s; adding its log-probability, %(score)s, gives %(total)s.",
            **words,
        )
    words["count"] = number(len(column.candidates))
    if column.best.arc.start == 0:
        return _("%(count)s arcs end at position %(end)s. “%(piece)s”, from the start, wins with %(score)s.", **words)
    return _(
        "%(count)s arcs end at position %(end)s. “%(piece)s” wins: the best sum at its start, position %(start)s, is "
        "%(before)s; adding its log-probability, %(score)s, gives %(total)s.",
        **words,
    )


def _tie(column: ViterbiColumn, others: Sequence[PathCandidate], digits: int) -> str:
    """Why the winner wins if another candidate has the same sum."""
    if not column.tied:
        return ""
    words = {"piece": quotable(others[0].arc.text), "total": format_log_probability(others[0].total, digits)}
    return _("“%(piece)s” has the same sum, %(total)s; on a tie the longer piece wins.", **words)


def _remarks(column: ViterbiColumn, falls_back: bool) -> str:
    arc = column.best.arc
    remarks = []
    if arc.id is None:
        remarks.append(
            _(
                "“%(piece)s” is not a piece: it counts as an unknown character with log-probability %(score)s, 10 "
                "below the lowest in the vocabulary.",
                piece=quotable(arc.text),
                score=format_log_probability(arc.score),
            )
        )
        if falls_back:
            remarks.append(_("At the end it becomes its bytes, one token each."))
    if column.reset:
        remarks.append(_("Here the sums exceed 100,000 in magnitude and are reset to 0, as in SentencePiece."))
    return joined(remarks)


def _others(column: ViterbiColumn) -> list[PathCandidate]:
    """The candidates that did not win, the best first."""
    others = [one for at, one in enumerate(column.candidates) if at != column.winner]
    return sorted(others, key=lambda one: -one.total)

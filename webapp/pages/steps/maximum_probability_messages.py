"""Sentences of the steps of maximum probability."""

from __future__ import annotations

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.hmm import IMPOSSIBLE
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.traces.word_graph import BlockTrace, CharacterRun, GraphColumn, HMMTrace
from webapp.pages.walkthrough.cells import format_log_probability, quotable
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result
from webapp.web.localization import number


def graph_title(text: str) -> str:
    """The text alternative of a word graph."""
    return _("The words of the dictionary in “%(text)s”, with frequencies and log-probabilities", text=quotable(text))


def table_title(text: str) -> str:
    """The text alternative of an HMM's table."""
    return _("The HMM’s sums for “%(text)s”, by character and state", text=quotable(text))


def digits_of(column: GraphColumn) -> int:
    """How many decimals tell the best sum of a column from the next one: 3, or up to 9 where they are close."""
    totals = sorted((candidate.total for candidate in column.candidates), reverse=True)
    for digits in range(3, 9):
        if len(totals) < 2 or round(totals[0], digits) != round(totals[1], digits):
            return digits
    return 9


def sum_sentence(trace: BlockTrace, column: GraphColumn) -> str:
    """Which words start at a position, and which of them has the best sum."""
    digits = digits_of(column)
    best = column.best
    word = quotable(trace.text[best.arc.start : best.arc.end])
    values = {
        "position": number(column.start),
        "word": word,
        "score": format_log_probability(best.arc.score, digits),
        "after": format_log_probability(best.after, digits),
        "total": format_log_probability(best.total, digits),
    }
    if not best.arc.known:
        return _(
            "No word of the dictionary starts at %(position)s, so “%(word)s” stands alone and counts once: %(score)s, "
            "plus the best sum after it, %(after)s, is %(total)s.",
            **values,
        )
    if len(column.candidates) == 1:
        return _(
            "“%(word)s” is the only word that starts at %(position)s: its log-probability %(score)s, plus the best sum "
            "after it, %(after)s, is %(total)s.",
            **values,
        )
    return _(
        "%(count)s words start at %(position)s. “%(word)s” has the highest sum: %(score)s plus %(after)s after it is "
        "%(total)s.",
        count=number(len(column.candidates)),
        **values,
    )


def path_sentence(trace: BlockTrace, model: MaximumProbability) -> str:
    """The best path of a block, and what becomes of single characters in a row."""
    words = " / ".join(quotable(trace.text[arc.start : arc.end]) for arc in trace.path)
    sentences = [
        _(
            "Read from the left, the best path is “%(words)s”, with the sum %(total)s.",
            words=words,
            total=format_log_probability(trace.columns[0].best.total, 3),
        )
    ]
    sentences += [_run_sentence(trace, run) for run in trace.runs]
    if not trace.runs and model.hmm is not None:
        sentences.append(_("It has no single characters in a row, so the HMM has nothing to do."))
    return joined(sentences)


def _run_sentence(trace: BlockTrace, run: CharacterRun) -> str:
    text = quotable(trace.text[run.start : run.end])
    if run.kind == "hmm":
        return _("“%(text)s” are single characters in a row: the HMM divides them.", text=text)
    if run.kind == "joined":
        return _("“%(text)s” are letters and digits in a row: they become one token.", text=text)
    return _(
        "“%(text)s” are single characters in a row, but also a word of the dictionary that this path did not take: "
        "they stay single.",
        text=text,
    )


def column_sentence(table: HMMTrace, at: int) -> str:
    """What is computed for a character of an HMM's table."""
    character = quotable(table.text[at])
    if not at:
        return _(
            "The HMM divides “%(text)s”. For its first character, each state adds its probability at the start and "
            "that of “%(character)s” in this state; only B and S can begin.",
            text=quotable(table.text),
            character=character,
        )
    best = max(table.columns[at], key=lambda cell: cell.total)
    return _(
        "For “%(character)s”, each state takes the better of the two states that may stand before it: sum there, plus "
        "transition, plus emission. The highest is %(state)s with %(total)s.",
        character=character,
        state=best.state,
        total=shown_sum(best.total, 3),
    )


def states_sentence(table: HMMTrace) -> str:
    """The best states, traced back, and the words that they make."""
    cells = {cell.state: cell for cell in table.columns[-1]}
    return _(
        "A word must end here, so the last state is E (%(ending)s) or S (%(single)s): %(state)s is higher. Traced "
        "back, the states are %(states)s, and the words are %(words)s.",
        ending=shown_sum(cells["E"].total, 3),
        single=shown_sum(cells["S"].total, 3),
        state=table.states[-1],
        states=" ".join(table.states),
        words=" / ".join(map(quotable, table.words)),
    )


def end_sentence(result: Result, model: MaximumProbability) -> str:
    """How many tokens there are, and how many of them are no words of the dictionary."""
    count, unknown = len(result.encoding), len(result.encoding.unknown)
    sentence = ngettext("The text has one token.", "The text has %(count)s tokens.", count, count=number(count))
    if not unknown:
        return sentence
    more = ngettext(
        "One of them is not in the dictionary.", "%(count)s of them are not in the dictionary.", unknown,
        count=number(unknown),
    )  # fmt: skip
    return joined([sentence, more])


def shown_sum(value: float, digits: int = 2) -> str:
    """A sum or a log-probability; one that stands for “impossible” is −∞.

    >>> shown_sum(IMPOSSIBLE), shown_sum(2 * IMPOSSIBLE - 3)
    ('−∞', '−∞')
    """
    return "−∞" if value <= IMPOSSIBLE / 2 else format_log_probability(value, digits)

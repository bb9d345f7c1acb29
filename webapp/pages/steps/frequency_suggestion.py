"""The form “a word is not cut as you want”: the frequency that it would need, and both paths side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp
from urllib.parse import parse_qsl

from flask import url_for
from flask_babel import gettext as _

from webapp.core.analysis.suggested_frequency import joined_frequency, log_probability, split_frequency
from webapp.core.models.dictionary_edits import Edit, edited, with_edit
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.pages.walkthrough.cells import format_log_probability, power, quotable
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result, tokenize
from webapp.web.localization import number

LN_10 = 2.302585092994046


@dataclass(frozen=True)
class SuggestedPath:
    """A way to cut the word: its words with their frequencies, the sum of their log-probabilities, and the product."""

    title: str
    words: Sequence[tuple[str, str]]
    total: str
    probability: str


@dataclass(frozen=True)
class FrequencySuggestion:
    """The form and its answer; `message` says what is wrong with the word, `sentence` what it would need."""

    want: str
    hidden: Sequence[tuple[str, str]]
    message: str = ""
    sentence: str = ""
    paths: Sequence[SuggestedPath] = ()
    apply: str = ""  # the address of these steps with the frequency
    playground: str = ""  # the address of the playground with it


def suggestion_of(
    result: Result, model: MaximumProbability, want: str, path_step: Callable[[Result, int], int | None]
) -> FrequencySuggestion:
    """The answer for a word that should be one token, or for the parts, separated by spaces, of one that should not.

    `path_step` is the number of the step, from 1, that shows the chosen path through the graph at a place of a text.
    """
    state = result.state
    hidden = parse_qsl(state.query_of_algorithm(), keep_blank_values=True)
    parts = want.split()
    word = "".join(parts)
    form = FrequencySuggestion(want, hidden)
    if not parts:
        return form
    if word not in result.encoding.text:
        return replace(
            form, message=_("“%(word)s” does not occur in the text. Check its spelling.", word=quotable(word))
        )
    if len(word) < 2:
        return replace(
            form, message=_("A single character needs no frequency: enter a word of two characters or more.")
        )
    graph = model.graph
    joins = len(parts) == 1
    if joins:
        without = edited(model.dictionary, f"-{word}") if graph.frequency_of(word) else model.dictionary
        wanted, now = [word], MaximumProbability(without, hmm=False).words(word)
        frequency = joined_frequency(graph, word)
    else:
        wanted, now = parts, [word]
        frequency = split_frequency(graph, parts)
    known = graph.frequency_of(word)
    if not joins and not known:
        return replace(form, message=_unknown(word, model))
    edits = with_edit(state.edits, Edit(word, frequency=frequency) if frequency else Edit(word, removed=True))
    enough = joins and bool(known) and log_probability(graph, [word]) > log_probability(graph, now)
    if enough:
        frequency, edits = known, state.edits
    applied = replace(state, edits=edits, token=None)
    changed = tokenize(applied, corpus_limit=0)
    step = path_step(changed, changed.encoding.text.find(word))
    address = f"{url_for('steps.page', algorithm=state.algorithm)}?{applied.query_of_algorithm()}"
    if step is not None:
        address += f"&step={step}"
    return replace(
        form,
        sentence=joined([_sentence(word, parts, frequency, enough=enough), _outcome(changed, word, wanted)]),
        paths=[
            _path(_("Wanted"), model, wanted, {word: frequency} if joins else {}),
            _path(_("Without it") if joins else _("As one word"), model, now, {} if joins else {word: frequency}),
        ],
        apply="" if enough else address,
        playground="" if enough else f"{url_for('playground.page')}?{applied.query()}",
    )


def _sentence(word: str, parts: Sequence[str], frequency: int, *, enough: bool) -> str:
    text = quotable(word)
    if len(parts) == 1:
        if enough:
            return _(
                "“%(word)s” has the frequency %(frequency)s, enough to be more probable than its parts.",
                word=text,
                frequency=number(frequency),
            )
        return _(
            "For “%(word)s” to be more probable than its parts, it would need the frequency %(frequency)s.",
            word=text,
            frequency=number(frequency),
        )
    values = {"word": text, "parts": " / ".join(map(quotable, parts))}
    if not frequency:
        return _(
            "For “%(parts)s” to be more probable than “%(word)s”, the dictionary must not have the word.", **values
        )
    return _(
        "For “%(parts)s” to be more probable than “%(word)s”, the word may have the frequency %(frequency)s at most.",
        frequency=number(frequency),
        **values,
    )


def _unknown(word: str, model: MaximumProbability) -> str:
    sentence = _("“%(word)s” is not in the dictionary, so no frequency keeps it together.", word=quotable(word))
    return sentence if model.hmm is None else joined([sentence, _("Where the HMM joins it, turn the HMM off.")])


def _outcome(changed: Result, word: str, wanted: Sequence[str]) -> str:
    """What becomes of the word in this text with the frequency."""
    encoding = changed.encoding
    spans = {*zip(encoding.starts, encoding.ends, strict=True)}
    at = encoding.text.find(word)
    for part in wanted:
        if (at, at + len(part)) not in spans:
            if len(wanted) == 1:
                return _("Even so, words around it win in this text; it needs a higher one here.")
            return _("Even so, this text is not cut there: other words, or the HMM, join the characters.")
        at += len(part)
    return _("With this frequency, the text is segmented as you want.")


def _path(title: str, model: MaximumProbability, words: Sequence[str], changed: dict[str, int]) -> SuggestedPath:
    graph = model.graph
    total = sum(log_probability(graph, [word], changed.get(word)) for word in words)
    shown = [(word, number(changed.get(word, graph.frequency_of(word) or 1))) for word in words]
    probability = f"{exp(total):.3f}" if total > -4 else power(total / LN_10)
    return SuggestedPath(title, shown, format_log_probability(total, 3), probability)

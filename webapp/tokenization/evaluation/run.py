"""Scores every method of an evaluation; the failure of one does not affect the others."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock

from flask import current_app
from flask_babel import gettext as _

from webapp.core.evaluation.gold import GoldError, GoldText, read_gold, read_output
from webapp.core.evaluation.report import (
    MethodReport,
    OutOfTimeError,
    Report,
    report_of,
    score_segmentation,
    segmented_by,
)
from webapp.core.evaluation.score import training_words
from webapp.core.models.word_models import WordModel
from webapp.core.text.split_patterns import TextError
from webapp.observing import report
from webapp.storage import UnavailableStorageError
from webapp.tokenization.attempts import EXPLAINED_ERRORS, problem_of
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.evaluation.state import PASTED, Evaluation
from webapp.tokenization.exports import picture_title
from webapp.tokenization.forms import InputProblem, fits
from webapp.tokenization.messages import translated
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State
from webapp.vocabularies import LIMITS, StillFetchingError, jieba_words, library
from webapp.web.localization import current_key


@dataclass(frozen=True)
class DictionaryWords:
    """The words of a dictionary as known words, with punctuation, which few dictionaries list.

    >>> "研究" in DictionaryWords({"研究": 0}), "。" in DictionaryWords({}), "研究" in DictionaryWords({})
    (True, True, False)
    """

    ids: Mapping[str, int]

    def __contains__(self, word: object) -> bool:
        return word in self.ids or not any(map(str.isalnum, str(word)))


NAME_TAGS = ("nr", "ns", "nt")
LONGEST_NAME = 60  # characters of an uploaded file's name


Evaluated = tuple[Report | None, GoldText | None, list[InputProblem]]

MOST_REMEMBERED = 16  # evaluations
REMEMBERED_CHARACTERS = 20_000  # of the texts of one of them
_remembered: OrderedDict[tuple[Evaluation, str], Evaluated] = OrderedDict()
_lock = Lock()


def evaluate(evaluation: Evaluation) -> Evaluated:
    """`score_all`, remembered for short texts: a visitor leafs through the errors, and many see the same sample."""
    key = (evaluation, current_key())
    length = sum(map(len, (evaluation.gold, evaluation.training, evaluation.output)))
    if evaluation.files or length > REMEMBERED_CHARACTERS:
        return score_all(evaluation)
    with _lock:
        if key in _remembered:
            _remembered.move_to_end(key)
            return _remembered[key]
    found = score_all(evaluation)
    if found[0] is not None and not any(method.problem for method in found[0].methods):  # a problem may pass
        with _lock:
            _remembered[key] = found
            while len(_remembered) > MOST_REMEMBERED:
                _remembered.popitem(last=False)
    return found


def score_all(evaluation: Evaluation) -> Evaluated:
    """The report of an evaluation and its gold text; or None and the problems with what was entered.

    A method that cannot be scored has its own problem in the report. Scoring stops after three quarters of the time
    limit of a request; the methods after that say so.
    """
    deadline = time.monotonic() + current_app.config["MAX_REQUEST_SECONDS"] * 3 / 4
    try:
        gold = read_gold(evaluation.gold_text)
    except GoldError as error:
        return None, None, [InputProblem(translated(error.message), 422, "gold")]
    problems: list[InputProblem] = []
    outputs = [(_("Pasted segmentation"), evaluation.output, "output")] if evaluation.output.strip() else []
    outputs += [(file.name, file.text, "outputs") for file in evaluation.files]
    segmented: list[tuple[str, list[list[str]]]] = []
    for name, text, field in outputs:
        try:
            segmented.append((name, read_output(text, gold)))
        except GoldError as error:
            why = translated(error.message)
            message = why if field == "output" else _("“%(name)s”: %(why)s", name=name[:LONGEST_NAME], why=why)
            problems.append(InputProblem(message, 422, field))
    if problems:
        return None, gold, problems
    known = training_words(evaluation.training) if evaluation.training.strip() else None
    library().gather(choice.vocabulary for choice in evaluation.choices)
    methods = [_method(choice, evaluation, gold, known, deadline) for choice in evaluation.choices]
    for name, words in segmented:
        methods.append(replace(_scored(gold, words, known, deadline), name=name[:LONGEST_NAME]))
    return report_of(gold, methods, None if known is None else len(known)), gold, []


def _method(
    choice: TokenizerChoice, evaluation: Evaluation, gold: GoldText, known: set[str] | None, deadline: float
) -> MethodReport:
    state = State(
        algorithm=choice.algorithm,
        vocabulary=choice.vocabulary,
        dictionary=evaluation.training if choice.vocabulary == PASTED else "",
        runs=evaluation.runs,
    )
    report = MethodReport(str(choice)[:LONGEST_NAME], str(choice)[:LONGEST_NAME])
    if not fits(choice.vocabulary, choice.algorithm) or choice.vocabulary in LIMITS:
        report.problem = _("There is no vocabulary “%(name)s”. Choose one from the list.", name=report.name)
        return report
    report.name = picture_title(state)
    if choice.vocabulary == PASTED and known is None:
        report.problem = _("It segments with your training words. Enter them, or choose another method.")
        return report
    try:
        tokenizer = prepare(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"]).encoder
        model = tokenizer.model
        decides: Container[str] | None = known
        if known is None and isinstance(model, WordModel):
            decides, report.known_from = DictionaryWords(model.dictionary.ids), choice.vocabulary
        scored = _scored(gold, segmented_by(tokenizer, gold), decides, deadline)
    except (*EXPLAINED_ERRORS, TextError) as error:
        report.problem = problem_of(state, error).message
        return report
    except StillFetchingError:
        report.problem = _("The vocabulary is still being downloaded. Try again in a moment.")
        return report
    except UnavailableStorageError:
        report.problem = _("The site’s storage cannot be reached at the moment. Try again in a minute.")
        return report
    return replace(scored, name=report.name, choice=report.choice, known_from=report.known_from)


def _scored(
    gold: GoldText, segmented: Iterable[Sequence[str]], known: Container[str] | None, deadline: float
) -> MethodReport:
    try:
        with report.current().phase("evaluate"):
            return score_segmentation(gold, segmented, known=known, names=names(), deadline=deadline)
    except OutOfTimeError:
        message = _("There was no time left to score it. Evaluate fewer methods at once, or a shorter text.")
        return MethodReport("", problem=message)


@cache
def names() -> frozenset[str]:
    """The names of people, places and organizations among the words of jieba's dictionary, by their tags."""
    dictionary = jieba_words()
    return frozenset(
        word for word, tag in zip(dictionary.words, dictionary.tags or (), strict=False) if tag.startswith(NAME_TAGS)
    )

"""Scores methods and segmentations against a gold text; the failure of one does not affect the others."""

import csv
import time
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

from flask import current_app
from flask_babel import gettext as _

from webapp.core.evaluation.gold import GoldError, GoldText, read_gold, read_output
from webapp.core.evaluation.report import MethodReport, ScoreReport, report_of, score_segmentation, segmented_by
from webapp.core.evaluation.score import training_words
from webapp.core.models.word_models import WordModel
from webapp.core.text.split_patterns import TextError
from webapp.observing import report
from webapp.storage import UnavailableStorageError
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.exports import picture_title
from webapp.tokenization.forms import InputProblem, fits
from webapp.tokenization.messages import EXPLAINED_ERRORS, problem_of, translated
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State
from webapp.tools.evaluate.inputs import FIRST_ERRORS, LONGEST_NAME, PASTED, EvaluationInput
from webapp.vocabularies import LIMITS, StillFetchingError, find, jieba_words, library
from webapp.web.localization import current_key

SOURCES = ("luxun", "honglou", "shuihu")
FOLDER = Path(__file__).parent / "sample"
NAME_TAGS = ("nr", "ns", "nt")
PASTED_OUTPUT = "Pasted segmentation"  # in reports; `name_of` has it in the visitor's language
REMEMBERED_CHARACTERS = 20_000  # of the texts of an evaluation


@cache
def sample_text() -> str:
    """The site's own gold sample, one sentence a line, with a space between words: 214 sentences of three novels.

    Lu Xun, *Dream of the Red Chamber* and *Water Margin* are in the public domain. The words were separated by hand, to
    the guideline that the page shows; each line without its spaces is the text of its source.
    """
    return "".join((FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in SOURCES)


@cache
def compared_methods() -> dict[str, list[dict[str, str]]]:
    """The table of methods by gold text: each command with the row that it prints; `tests/segmenters.py` renews it."""
    rows = csv.DictReader((FOLDER.parent / "table.csv").read_text("utf-8").splitlines())
    return {name: list(found) for name, found in groupby(rows, lambda row: row["set"])}


@dataclass(frozen=True)
class DictionaryWords:
    """The words of a dictionary as known words, with punctuation, which few dictionaries list.

    >>> "研究" in DictionaryWords({"研究": 0}), "。" in DictionaryWords({}), "研究" in DictionaryWords({})
    (True, True, False)
    """

    ids: Mapping[str, int]

    def __contains__(self, word: object) -> bool:
        return word in self.ids or not any(map(str.isalnum, str(word)))


def evaluate(evaluation: EvaluationInput) -> tuple[ScoreReport, GoldText]:
    """`score_all`, remembered for short texts: a visitor leafs through the errors, and many see the same sample."""
    if evaluation.characters > REMEMBERED_CHARACTERS:
        return score_all(evaluation)
    found = _remembered(evaluation.model_copy(update=FIRST_ERRORS), current_key())
    if any(method.problem for method in found[0].methods):  # it may pass
        _remembered.cache_clear()
    return found


@lru_cache(maxsize=16)
def _remembered(evaluation: EvaluationInput, _language: str) -> tuple[ScoreReport, GoldText]:
    return score_all(evaluation)


def score_all(
    evaluation: EvaluationInput, begun: Sequence[MethodReport] = (), seconds: float | None = None
) -> tuple[ScoreReport, GoldText]:
    """The report of an evaluation and its gold text; raises InputProblem for a text that is no segmentation.

    A method that cannot be scored has its own problem in the report. After `seconds`, the rest is left; `begun` are the
    methods of the report that goes on. By default it takes three quarters of the time limit of a request at most, and
    methods after that say so.
    """
    limit = current_app.config["MAX_REQUEST_SECONDS"] * 3 / 4 if seconds is None else seconds
    deadline = time.monotonic() + limit
    try:
        gold = read_gold(sample_text() if evaluation.is_sample else evaluation.gold)
    except GoldError as error:
        raise InputProblem(translated(error.message), 422, "gold") from None
    outputs = [(PASTED_OUTPUT, evaluation.output, "output")] if evaluation.output.strip() else []
    outputs += [(file.name[:LONGEST_NAME], file.text, "outputs") for file in evaluation.files]
    segmented: list[tuple[str, list[list[str]]]] = []
    for name, text, field in outputs:
        try:
            segmented.append((name, read_output(text, gold)))
        except GoldError as error:
            why = translated(error.message)
            message = why if field == "output" else _("“%(name)s”: %(why)s", name=name, why=why)
            raise InputProblem(message, 422, field) from None
    known = training_words(evaluation.training) if evaluation.training.strip() else None
    library().gather(choice.vocabulary for choice in evaluation.choices)
    if seconds is not None:  # on a busy machine, reading may take all of them
        deadline = max(deadline, time.monotonic() + seconds / 5)
    methods: list[MethodReport] = []
    every: list[TokenizerChoice | tuple[str, list[list[str]]]] = [*evaluation.choices, *segmented]
    for at, one in enumerate(every):
        report = begun[at] if at < len(begun) else MethodReport("", lines=0)
        if report.lines is not None:
            if isinstance(one, TokenizerChoice):
                report = _method(one, evaluation, gold, known, deadline, report)
            else:
                report = replace(report, name=one[0])
                if time.monotonic() < deadline:
                    report = _scored(gold, one[1][report.lines or 0 :], known, deadline, report)
            if report.lines is not None and seconds is None:
                report.problem = report.problem or _(
                    "There was no time left to score it. Evaluate fewer methods at once, or a shorter text."
                )
        methods.append(report)
    return report_of(gold, methods, None if known is None else len(known)), gold


def state_of(choice: TokenizerChoice, training: str, runs: bool) -> State:
    """The state of a method, which may have the training words as its dictionary."""
    dictionary = training if choice.vocabulary == PASTED else ""
    return State(algorithm=choice.algorithm, vocabulary=choice.vocabulary, dictionary=dictionary, runs=runs)


def name_of(method: MethodReport) -> str:
    """The name of a method in the visitor's language, also of a report that was made in another."""
    algorithm, _colon, vocabulary = method.choice.partition(":")
    if vocabulary and not method.problem and find(vocabulary):
        return picture_title(State(algorithm=algorithm, vocabulary=vocabulary))
    return _("Pasted segmentation") if method.name == PASTED_OUTPUT else method.name


def _method(
    choice: TokenizerChoice,
    evaluation: EvaluationInput,
    gold: GoldText,
    known: set[str] | None,
    deadline: float,
    begun: MethodReport,
) -> MethodReport:
    state = state_of(choice, evaluation.training, evaluation.runs)
    report = MethodReport(str(choice)[:LONGEST_NAME], str(choice)[:LONGEST_NAME])
    if not fits(choice.vocabulary, choice.algorithm) or choice.vocabulary in LIMITS:
        report.problem = _("There is no vocabulary “%(name)s”. Choose one from the list.", name=report.name)
        return report
    report.name = picture_title(state)
    if choice.vocabulary == PASTED and known is None:
        report.problem = _("It segments with your training words. Enter them, or choose another method.")
        return report
    begun = replace(begun, name=report.name, choice=report.choice, problem="")
    if time.monotonic() >= deadline:
        return begun
    try:
        tokenizer = prepare(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"]).encoder
        model = tokenizer.model
        decides: Container[str] | None = known
        if known is None and isinstance(model, WordModel):
            decides, begun.known_from = DictionaryWords(model.dictionary.ids), choice.vocabulary
        return _scored(gold, segmented_by(tokenizer, gold, begun.lines or 0), decides, deadline, begun)
    except (*EXPLAINED_ERRORS, TextError) as error:
        report.problem = problem_of(state, error).message
    except StillFetchingError:
        report.problem, report.lines = _("The vocabulary is still being downloaded. Try again in a moment."), 0
    except UnavailableStorageError:
        report.problem = _("The site’s storage cannot be reached at the moment. Try again in a minute.")
    return report


def _scored(
    gold: GoldText,
    segmented: Iterable[Sequence[str]],
    known: Container[str] | None,
    deadline: float,
    begun: MethodReport,
) -> MethodReport:
    with report.current().phase("evaluate"):
        return score_segmentation(gold, segmented, known=known, names=names(), deadline=deadline, begun=begun)


@cache
def names() -> frozenset[str]:
    """The names of people, places and organizations among the words of jieba's dictionary, by their tags."""
    dictionary = jieba_words()
    return frozenset(
        word for word, tag in zip(dictionary.words, dictionary.tags or (), strict=False) if tag.startswith(NAME_TAGS)
    )

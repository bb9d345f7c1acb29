"""The result of each tokenizer of a comparison; the failure of one does not affect the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from flask import current_app
from flask_babel import gettext as _

from webapp.core.analysis.measures import Agreement, agreement_of, token_boundaries
from webapp.core.encoding import Encoding
from webapp.storage import UnavailableStorageError
from webapp.tokenization.attempts import EXPLAINED_ERRORS, problem_of
from webapp.tokenization.comparison.state import Comparison, TokenizerChoice, choice_of
from webapp.tokenization.exports import picture_title
from webapp.tokenization.forms import InputProblem, fits, require_size
from webapp.tokenization.result import Result, tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import StillFetchingError, library
from webapp.vocabularies.uploads import number_of_ids


@dataclass(frozen=True)
class ComparisonRow:
    """A tokenizer with its tokens, or with the problem that prevents them, or with a vocabulary still being fetched."""

    number: int  # from 1
    choice: TokenizerChoice
    title: str
    encoding: Encoding | None = None
    vocabulary_size: int = 0
    seconds: float | None = None  # in the core; None for a shared result
    problem: InputProblem | None = None
    pending: StillFetchingError | None = None
    result: Result | None = None  # None for a shared result


@dataclass(frozen=True)
class ComparisonResult:
    """The rows of a comparison."""

    text: str
    rows: Sequence[ComparisonRow]

    @cached_property
    def shown(self) -> list[ComparisonRow]:
        """The rows that have tokens."""
        return [row for row in self.rows if row.encoding is not None]

    @cached_property
    def encodings(self) -> list[Encoding]:
        """The tokens of these rows."""
        return [row.encoding for row in self.rows if row.encoding is not None]

    @cached_property
    def agreement(self) -> Agreement:
        """The boundaries of the rows that have tokens."""
        return agreement_of(token_boundaries(each.starts, each.ends, len(self.text)) for each in self.encodings)

    @property
    def pending(self) -> bool:
        """Whether a vocabulary is still being downloaded."""
        return any(row.pending for row in self.rows)

    @property
    def status(self) -> int:
        """200 if any row has tokens, 202 if a vocabulary is being downloaded, else the highest status of a problem."""
        if self.shown or not self.rows:
            return 200
        return 202 if self.pending else max(row.problem.status for row in self.rows if row.problem)


def compare_tokenizers(comparison: Comparison) -> ComparisonResult:
    """Tokenize the text with every chosen tokenizer."""
    return ComparisonResult(comparison.text, list(rows_of(comparison)))


def rows_of(comparison: Comparison) -> Iterator[ComparisonRow]:
    """Yield the row of each chosen tokenizer; its text is tokenized when the row is asked for."""
    late = library().gather(choice.vocabulary for choice in comparison.choices)
    return (_row(number, state, late) for number, state in enumerate(comparison.states, 1))


def _row(number: int, state: State, late: dict[str, StillFetchingError]) -> ComparisonRow:
    choice = choice_of(state)
    title = str(choice)[:60]
    try:
        if not fits(choice.vocabulary, choice.algorithm):
            message = _("There is no vocabulary “%(name)s”. Choose one from the list.", name=title)
            return ComparisonRow(number, choice, title, problem=InputProblem(message, 404))
        title = picture_title(state)
        require_size(state.vocabulary, state.size)
        if state.vocabulary in late:
            return ComparisonRow(number, choice, title, pending=late[state.vocabulary])
        result = tokenize(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"])
        result.encoding.starts  # noqa: B018  # raises TextError now
    except InputProblem as problem:
        return ComparisonRow(number, choice, title, problem=problem)
    except EXPLAINED_ERRORS as error:
        return ComparisonRow(number, choice, title, problem=problem_of(state, error))
    except StillFetchingError as waiting:
        return ComparisonRow(number, choice, title, pending=waiting)
    except UnavailableStorageError:
        message = _("The site’s storage cannot be reached at the moment. Try again in a minute.")
        return ComparisonRow(number, choice, title, problem=InputProblem(message, 503))
    size = number_of_ids(result.tokenizer)
    return ComparisonRow(number, choice, title, result.encoding, size, result.seconds, result=result)

"""The state of a comparison as one value, which comes from an address or a form and can be turned into an address.

/compare?with=bpe:bpe-bytes&with=unigram:unigram&text=low  →  Comparison(…)  →  the same address

The tokens of the rows are aligned. Earlier addresses and shared results may name another `layout`, which is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from urllib.parse import urlencode

from flask import Request, current_app
from flask_babel import gettext as _

from webapp.core import algorithms
from webapp.core.algorithms import finds_words, inferences_of, sharing_vocabularies
from webapp.core.analysis.measures import Agreement, agreement_of, token_boundaries
from webapp.core.encoding import Encoding
from webapp.core.inference import OWN, PARAMETERS
from webapp.storage import UnavailableStorageError
from webapp.tokenization import forms
from webapp.tokenization.exports import picture_title
from webapp.tokenization.forms import InputProblem, fits, require_size
from webapp.tokenization.messages import EXPLAINED_ERRORS, noted, problem_of
from webapp.tokenization.result import Result, tokenize
from webapp.tokenization.state import DEFAULTS, State, in_address
from webapp.vocabularies import CATALOGUE, StillFetchingError, default_for, library
from webapp.vocabularies.shipped_vocabularies import NAMES
from webapp.vocabularies.uploads import number_of_ids

LEAST, MOST = 2, 6  # rows

# The options of a state that apply to every row.
OPTIONS = (
    *("size", "corpus", "dictionary", "edits"),
    *(option.name for option in algorithms.OPTIONS if option is not algorithms.TEMPLATE),
    *(choice.name for choice in algorithms.CHOICES),
    *(parameter.name for parameter in PARAMETERS),
    "show",
)


@dataclass(frozen=True)
class TokenizerChoice:
    """A tokenizer: an algorithm, the name of a vocabulary, and how it is applied.

    Written `bpe:cl100k_base`, or with another inference than the own rule `bpe:cl100k_base:fewest`.
    """

    algorithm: str
    vocabulary: str
    inference: str = OWN

    def __str__(self) -> str:
        written = f"{self.algorithm}:{self.vocabulary}" if self.vocabulary else self.algorithm
        return written if self.inference == OWN else f"{written}:{self.inference}"

    def by(self, inference: str) -> TokenizerChoice:
        """The same vocabulary with another inference; by its own rule if the algorithm does not have it."""
        return replace(self, inference=inference if inference in inferences_of(self.algorithm) else OWN)

    @staticmethod
    def parse(written: str) -> TokenizerChoice:
        """Parse a choice; without a colon, it is an algorithm without a vocabulary.

        >>> TokenizerChoice.parse("fmm:jieba")
        TokenizerChoice(algorithm='fmm', vocabulary='jieba', inference='own')
        >>> TokenizerChoice.parse("bpe:gpt2:longest").inference
        'longest'
        """
        algorithm, _colon, vocabulary = written.partition(":")
        name, _colon, inference = vocabulary.rpartition(":")
        if name and inference in inferences_of(algorithm):
            return TokenizerChoice(algorithm, name, inference)
        return TokenizerChoice(algorithm, vocabulary)


def choice_of(state: State) -> TokenizerChoice:
    """The tokenizer of a state."""
    return TokenizerChoice(state.algorithm, state.vocabulary, state.inference)


@dataclass(frozen=True)
class Comparison:
    """The tokenizers, in order, and the text and options that they share, as a `State`."""

    choices: tuple[TokenizerChoice, ...]
    common: State = field(default=State())

    @property
    def text(self) -> str:
        """The text that is compared."""
        return self.common.text

    @property
    def states(self) -> list[State]:
        """The state of each row."""
        return [
            replace(
                self.common,
                algorithm=each.algorithm,
                vocabulary=each.vocabulary,
                inference=each.inference,
                template=False,
                token=None,
            )
            for each in self.choices
        ]

    def query(self) -> str:
        """The query string: the rows, then options other than the defaults, then the text."""
        return f"{self._query_of_choices()}&{urlencode({'text': self.text})}"

    def link(self, most: int) -> str | None:
        """The query string, or None if it would have more than `most` characters."""
        written = self.query() if len(self.text) <= most else ""
        return written if 0 < len(written) <= most else None

    def query_without_texts(self) -> str:
        """The query string without texts, for when the full one is too long."""
        bare = replace(self.common, text="", corpus="", dictionary="", edits="")
        return replace(self, common=bare)._query_of_choices()

    def options(self) -> dict[str, object]:
        """The options that differ from their defaults and that at least one row uses."""
        used = {}
        for state in map(State.relevant, self.states):
            for name in OPTIONS:
                if getattr(state, name) != DEFAULTS[name]:
                    used[name] = getattr(state, name)
        return {name: used[name] for name in OPTIONS if name in used}

    def _query_of_choices(self) -> str:
        written = [(name, in_address(value)) for name, value in self.options().items()]
        return urlencode([*(("with", str(choice)) for choice in self.choices), *written])


SAME_CORPUS = tuple(
    TokenizerChoice(entry.algorithms[0], entry.name) for entry in CATALOGUE.values() if entry.name in NAMES
)
"""The four shipped vocabularies, trained on the same corpus to the same size."""


def inferences_compared(choice: TokenizerChoice) -> tuple[TokenizerChoice, ...]:
    """Return a tokenizer by each inference that its algorithm has, by its own rule first.

    >>> print(*inferences_compared(TokenizerChoice("wordpiece", "wordpiece")))
    wordpiece:wordpiece wordpiece:wordpiece:longest wordpiece:wordpiece:fewest
    """
    return tuple(choice.by(inference) for inference in inferences_of(choice.algorithm))


def alternatives_to(choice: TokenizerChoice) -> tuple[TokenizerChoice, ...]:
    """Return a tokenizer and alternatives: others with its vocabulary, and the subword algorithms; at most `MOST`.

    >>> print(*alternatives_to(TokenizerChoice("fmm", "jieba")))
    fmm:jieba bmm:jieba bidirectional:jieba max-probability:jieba bpe:bpe-bytes wordpiece:wordpiece
    """
    others = [TokenizerChoice(other, choice.vocabulary) for other in sharing_vocabularies(choice.algorithm)]
    if choice.inference != OWN:
        others = [choice.by(OWN), *others]
    shipped = [each for each in SAME_CORPUS if each.vocabulary == default_for(each.algorithm)]
    return (choice, *others, *(each for each in shipped if each not in (choice, *others)))[:MOST]


Change = Callable[[Sequence[TokenizerChoice]], Sequence[TokenizerChoice]]


def read(request: Request, change: Change = lambda choices: choices) -> tuple[Comparison, list[InputProblem]]:
    """Return the requested comparison and the problems of the request as a whole; a row reports its own problem.

    `change` applies a button to the rows, or raises InputProblem.
    """
    common, problems = forms.read(request)
    values = request.form if request.method == "POST" else request.args
    requested_choices = values.getlist("with")
    choices: Sequence[TokenizerChoice] = SAME_CORPUS
    if requested_choices:
        choices = list(map(TokenizerChoice.parse, requested_choices))
        by = values.getlist("by")  # the form has a list of inferences for each row
        if len(by) == len(choices):
            choices = [choice.by(inference) for choice, inference in zip(choices, by, strict=True)]
    elif "algorithm" in values:  # from the playground
        choices = alternatives_to(TokenizerChoice(common.algorithm, common.vocabulary).by(common.inference))
    problems = [one for one in problems if one.field not in ("token", "algorithm", "vocabulary")]
    with noted(problems):
        choices = change(choices)
    if len(choices) > MOST:
        problems.append(InputProblem(_("You can compare up to six tokenizers; only the first six are shown."), 422))
    elif len(choices) < LEAST:
        problems.append(InputProblem(_("Choose at least two tokenizers."), 422))
    common = replace(common, token=None, template=False, inference=OWN)
    return Comparison(tuple(choices[:MOST]), common), problems


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

    @property
    def words(self) -> bool:
        """Whether the tokens are words."""
        return finds_words(self.choice.algorithm)


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

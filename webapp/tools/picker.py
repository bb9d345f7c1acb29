"""The one choice of a vocabulary: the fields that name it, and the vocabularies that a page offers."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from flask import current_app, request
from flask_babel import gettext as _
from pydantic import AfterValidator, Field
from pydantic.fields import FieldInfo
from pydantic_core import PydanticKnownError

from webapp.core import algorithms
from webapp.core.affixes import MOST_AROUND
from webapp.core.algorithms import (
    ALGORITHMS,
    CHOICES,
    DEFAULT,
    HMM,
    LOWERCASE,
    MODE,
    ORDER,
    RUNS,
    SMOOTHING,
    Option,
)
from webapp.core.formats.dictionary import DictionaryError
from webapp.core.models.dictionary_edits import EditError
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.ties import FIRST_SEEN, TieRule
from webapp.rendering.markup import visible
from webapp.tokenization.forms import LONGEST_ADDED, MAX_EDITS_BYTES, MOST_ADDED, InputProblem, fits
from webapp.tokenization.forms import LONGEST_NAME as LONGEST_TOKEN_NAME
from webapp.tokenization.links import Groups, is_choice, vocabulary_choices
from webapp.tokenization.messages import problem_of
from webapp.tokenization.meter import model_problem
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State
from webapp.tools.inputs import WHOLE, BodyField, FromForm, Input, at_most
from webapp.vocabularies import GPT_4O, LIMITS, CatalogueEntry, default_for, find, title_of
from webapp.vocabularies.language_models import LanguageModel, model_of
from webapp.vocabularies.library import uses


def _registered(value: str) -> str:
    if value in ALGORITHMS:
        return value
    *others, last = map(repr, ALGORITHMS)
    raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})


AlgorithmId = Annotated[
    str,
    AfterValidator(_registered),
    Field(json_schema_extra=lambda schema: schema.update(enum=list(ALGORITHMS))),
]
"""The id of an algorithm, validated and described like a `Literal` of all that are registered."""


LONGEST_NAME = 200
DEFAULT_VOCABULARY = default_for(DEFAULT)  # of pages
DICTIONARIES = "fmm"  # the algorithm whose vocabularies are the dictionaries
DEFAULT_DICTIONARY = default_for(DICTIONARIES)

Words = Annotated[
    str,
    at_most("MAX_TEXT_BYTES", lambda: _("The dictionary")),
    Field(description="The words of the vocabulary `own-dictionary`, one per line."),
]
Corpus = Annotated[
    str,
    at_most("MAX_CORPUS_BYTES", lambda: _("The training text")),
    Field(description="The corpus to train a vocabulary `learned-…` on. Default: the text itself, or all texts."),
]
Edits = Annotated[
    str,
    at_most(MAX_EDITS_BYTES, lambda: _("The list of changes")),
    Field(
        description="Changes to a dictionary, one per line: `word frequency` adds a word or sets its frequency, "
        "`-word` removes it.",
    ),
]


def _users(option: Option | algorithms.Choice) -> str:
    """The algorithms with an option, for a description.

    >>> _users(RUNS)
    '`fmm`, `bmm`, `bidirectional`, `ngram`, `tagger`'
    """
    return ", ".join(
        f"`{id}`" for id, algorithm in ALGORITHMS.items() if option in algorithm.options or option in algorithm.choices
    )


def _without_white_space(name: str) -> str:
    """A name of a token; white space is what Python takes for it, which a pattern of the schema could not say."""
    if name.split() != [name]:
        raise InputProblem(f"The name {name!r} has white space or is empty. Write `#` and the token's id instead.", 409)
    return name


def _single_line(text: str) -> str:
    if "\n" in text or not text.strip():
        raise InputProblem(f"The text {text!r} cannot be added: it is empty, or it has a line end.", 409)
    return text


TokenName = Annotated[str, Field(min_length=1, max_length=LONGEST_TOKEN_NAME), AfterValidator(_without_white_space)]
AddedText = Annotated[str, Field(min_length=1, max_length=LONGEST_ADDED), AfterValidator(_single_line)]


def _dictionary_of_form(names: Sequence[str]) -> str:
    """The dictionary among the vocabularies that a form of the playground names, one for each algorithm."""
    fitting = [name for name in names if fits(name, DICTIONARIES)]
    unknown = [name for name in names if name and find(name) is None]
    if unknown and not fitting:
        raise no_vocabulary(unknown[0])
    return [*fitting, DEFAULT_DICTIONARY][0]


def no_vocabulary(name: str) -> InputProblem:
    """The problem with a name that no vocabulary has."""
    message = _("There is no vocabulary “%(name)s”. Choose one from the list.", name=visible(name[:40]))
    return InputProblem(message, 404, "vocabulary")


def vocabulary_named(name: str) -> CatalogueEntry:
    """The vocabulary of this name; raises InputProblem for none, and for one that depends on the text or own words."""
    entry = find(name)
    if entry is None or not is_choice(name):
        raise no_vocabulary(name)
    return entry


def named_on_page(names: Sequence[str]) -> str:
    """The vocabulary that a page with one choice names, the default for none; raises InputProblem."""
    return vocabulary_named(names[0] or DEFAULT_VOCABULARY).name


VocabularyName = Annotated[
    str | None,
    FromForm(choose=named_on_page),
    BodyField(default=None),
    Field(
        max_length=LONGEST_NAME,
        description="The name of a vocabulary, from `GET /vocabularies` or `POST /vocabularies`. "
        f"Default: the first one for the algorithm; without an algorithm, `{GPT_4O}`.",
        examples=[GPT_4O],
    ),
]


class VocabularyInput(Input):
    """Any vocabulary that does not depend on the text: one of the site's, a well-known one or an upload."""

    vocabulary: str | None = None

    @property
    def vocabulary_name(self) -> str:
        """The name of the vocabulary, or of the default one."""
        return self.vocabulary or DEFAULT_VOCABULARY

    @property
    def vocabulary_title(self) -> str:
        """The title of the vocabulary; empty if there is no such one."""
        entry = find(self.vocabulary_name)
        return title_of(entry) if entry else ""

    @property
    def vocabularies(self) -> Groups:
        """The vocabularies to choose from, in groups with a heading."""
        return vocabulary_choices(request, self.vocabulary_name)


class TokenizerInput(VocabularyInput):
    """A vocabulary, an algorithm and the options of the playground."""

    vocabulary: VocabularyName = None
    algorithm: Annotated[
        AlgorithmId | None,
        Field(
            description=f"Default: the first algorithm of the vocabulary; without a vocabulary, `{DEFAULT}`.",
            examples=[DEFAULT],
        ),
    ] = None
    runs: Annotated[bool, Field(description=f"{_users(RUNS)}: keep a run of Latin letters or digits as one token.")] = (
        True
    )
    lowercase: Annotated[
        bool, Field(description=f"{_users(LOWERCASE)}: lower-case the text first (built-in vocabulary only).")
    ] = False
    special: Annotated[bool, Field(description="Recognize special tokens that are written in the text.")] = False
    template: Annotated[bool, Field(description="Add the special tokens that the vocabulary puts around a text.")] = (
        False
    )
    hmm: Annotated[bool, Field(description=f"{_users(HMM)}: find words that are not in the dictionary.")] = True
    mode: Annotated[
        Literal["precise", "full", "search"],
        Field(description=f"{_users(MODE)}: which words `words` lists; the tokens are always those of `precise`."),
    ] = "precise"
    order: Annotated[Literal["1", "2", "3"], Field(description=f"{_users(ORDER)}: how many words an n-gram has.")] = "2"
    smoothing: Annotated[
        Literal["add-one", "jelinek-mercer", "absolute-discounting", "kneser-ney"],
        Field(description=f"{_users(SMOOTHING)}: how unseen n-grams are estimated."),
    ] = "kneser-ney"
    ties: Annotated[
        TieRule, Field(description="BPE `learned-…`: which of several equally frequent pairs training merges.")
    ] = FIRST_SEEN
    dictionary: Words = ""
    edits: Edits = ""
    corpus: Corpus = ""
    size: Annotated[
        int | None,
        Field(ge=0, le=1_000, description="Merges of a vocabulary `learned-…`; for `learned-unigram`, pieces."),
        WHOLE,
    ] = None
    model: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=LONGEST_NAME,
            description="The name of a language model, from `GET /models`, in place of `vocabulary`, or with the "
            "vocabulary that it uses.",
            examples=["gpt-4o"],
        ),
    ] = None
    prefix: Annotated[
        list[TokenName],
        Field(
            max_length=MOST_AROUND,
            description="Tokens to put before the text: each the content of a token, `\\n` for that of a line end, or "
            "`#` and an id.",
            examples=[["[gMASK]", "sop"]],
        ),
    ] = []  # noqa: RUF012 (pydantic copies it)
    suffix: Annotated[
        list[TokenName],
        Field(max_length=MOST_AROUND, description="Tokens to put after the text."),
    ] = []  # noqa: RUF012 (pydantic copies it)
    added: Annotated[
        list[AddedText],
        Field(
            max_length=MOST_ADDED,
            description="Tokens to add to the vocabulary. They get the ids after its last one and are found in the "
            "text as written.",
        ),
    ] = []  # noqa: RUF012 (pydantic copies it)

    @classmethod
    def page_fields(cls) -> dict[str, FieldInfo]:
        """Of the choice of a tokenizer, addresses and forms have the vocabulary alone."""
        options = TokenizerInput.model_fields.keys() - {"vocabulary"}
        return {name: field for name, field in super().page_fields().items() if name not in options}

    def state(self, text: str = "") -> State:
        """The playground's state with this choice; raises InputProblem for fields that contradict each other.

        `text` is the default corpus of a vocabulary that is trained.
        """
        vocabulary = self.vocabulary
        if self.model is not None:
            model = _model_named(self.model, vocabulary)
            vocabulary = vocabulary or model.vocabulary
        algorithm, vocabulary = _algorithm_and_vocabulary(self.algorithm, vocabulary)
        limits = LIMITS.get(vocabulary)
        if limits and self.size is not None and not limits.least <= self.size <= limits.most:
            sentence = f"For {vocabulary} the size must be from {limits.least} to {limits.most}."
            raise InputProblem(sentence, 409, "size")
        if self.edits.strip() and not State(algorithm=algorithm).has_dictionary:
            sentence = f"There is no dictionary to change: {algorithm} uses none. Leave out `edits`."
            raise InputProblem(sentence, 409, "edits")
        same = ("size", "corpus", "dictionary", "edits", "runs", "lowercase", "special", "template", "hmm")
        state = State(
            algorithm=algorithm,
            vocabulary=vocabulary,
            text=text,
            **{name: getattr(self, name) for name in (*same, *(each.name for each in CHOICES))},
            model=self.model or "",
            prefix=" ".join(self.prefix),
            suffix=" ".join(self.suffix),
            added="\n".join(self.added),
            **self.inferred(algorithm),
        )
        if state.affixes and not state.relevant().affixes:
            field = next(name for name in ("prefix", "suffix", "added") if getattr(self, name))
            sentence = f"Tokens cannot be added for {algorithm}: it has words. Leave out `{field}`."
            raise InputProblem(sentence, 409, field)
        return state.relevant()

    def tokenizer(self, text: str = "") -> tuple[State, Tokenizer]:
        """The state and its tokenizer; raises InputProblem, and what `prepare` raises for an unavailable vocabulary."""
        state = self.state(text)
        try:
            ready = prepare(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"])
        except (DictionaryError, EditError) as error:
            raise problem_of(state, error) from error
        if ready.affixed is not None and ready.affixed.missing:
            name = ready.affixed.missing[0]
            field = "prefix" if name in self.prefix else "suffix"
            place = f"{field}/{getattr(self, field).index(name)}"
            raise InputProblem(f"The vocabulary has no token {name!r}.", 409, place)
        return state, ready.encoder

    def inferred(self, algorithm: str) -> dict[str, Any]:
        """How the vocabulary is applied, where that is a choice."""
        return {}


def _algorithm_and_vocabulary(algorithm: str | None, vocabulary: str | None) -> tuple[str, str]:
    """The algorithm and the vocabulary: GPT-4o's; if only one is given, the default for the other."""
    if vocabulary is None:
        if algorithm is None:
            return DEFAULT, GPT_4O
        vocabulary = default_for(algorithm)
        if not vocabulary:
            sentence = f"There is no default vocabulary for {algorithm!r}. Choose one with `vocabulary`."
            raise InputProblem(sentence, 409, "vocabulary")
        return algorithm, vocabulary
    entry = find(vocabulary)
    if entry is None:
        raise no_vocabulary(vocabulary)
    algorithm = algorithm or entry.algorithms[0]
    if not fits(entry.name, algorithm):
        sentence = f"The vocabulary {entry.name!r} is for {' and '.join(entry.algorithms)}, not for {algorithm}."
        raise InputProblem(sentence, 409, "algorithm")
    return algorithm, entry.name


def _model_named(name: str, vocabulary: str | None) -> LanguageModel:
    """The model of this name; raises InputProblem if its tokenizer is not public or is not `vocabulary`, if given."""
    found = model_of(name)
    sentence = model_problem(name)
    if sentence:
        raise InputProblem(sentence, 404 if found is None else 409, "model")
    assert found is not None
    if vocabulary is not None and not uses(name, vocabulary):
        sentence = f"The model {found.id!r} uses {found.vocabulary}, not {vocabulary[:40]}."
        raise InputProblem(sentence, 409, "model")
    return found


class DictionaryInput(VocabularyInput):
    """A dictionary: one of the site's, an upload or the visitor's own, with changes."""

    vocabulary: Annotated[
        str,
        FromForm(choose=_dictionary_of_form),
        Field(
            max_length=LONGEST_NAME,
            description="The name of a dictionary, from `GET /vocabularies` or an upload.",
        ),
    ] = DEFAULT_DICTIONARY
    dictionary: Words = ""
    edits: Edits = ""
    runs: Annotated[bool, Field(description="Keep a run of Latin letters or digits as one token.")] = True

    def query(self, **changes: Any) -> str:
        """The query string; the visitor's own words only if they are the dictionary."""
        unused = {} if self.vocabulary == "own-dictionary" else {"dictionary": ""}
        return super().query(**{"edits": self.edits.strip(), **unused, **changes})

    def state(self, text: str) -> State:
        """The state of the playground with this dictionary; raises InputProblem if there is no such dictionary."""
        entry = find(self.vocabulary)
        if entry is None:
            raise no_vocabulary(self.vocabulary)
        if DICTIONARIES not in entry.algorithms:
            message = _("“%(name)s” is no dictionary. Choose one from the list.", name=self.vocabulary)
            raise InputProblem(message, 409, "vocabulary")
        fields = self.model_dump(include=set(DictionaryInput.model_fields))
        return State(algorithm=DICTIONARIES, text=text, **fields).relevant()

    @property
    def dictionaries(self) -> Groups:
        """The dictionaries to choose from, in groups."""
        return vocabulary_choices(request, self.vocabulary, keep=lambda entry: DICTIONARIES in entry.algorithms)

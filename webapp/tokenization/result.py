"""Tokenize the text of a state with the core, and collect the figures and comparisons that a page shows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypedDict, cast

from flask import current_app

from webapp.core.affixes import Affixed, with_affixes
from webapp.core.algorithms import ALGORITHMS, LOWERCASE, algorithms_for, family_of, options_of
from webapp.core.analysis.round_trip import RoundTripReport, round_trip
from webapp.core.encoding import Encoding
from webapp.core.formats.dictionary import read_dictionary
from webapp.core.inference import infer, inferences_for
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.dictionary_edits import edited
from webapp.core.models.matching import Disagreement, Verdict, verdict_and_disagreements
from webapp.core.models.maximum_probability import MaximumProbability, Mode
from webapp.core.models.ngram import NGram
from webapp.core.models.tagger import Tagger
from webapp.core.models.word_models import DictionaryModel
from webapp.core.recipes import NGRAM
from webapp.core.text.alignment import equal_beginning
from webapp.core.text.split_patterns import TextError
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, wordpiece
from webapp.observing import report
from webapp.tokenization.messages import EXPLAINED_ERRORS, problem_of
from webapp.tokenization.state import State
from webapp.vocabularies import (
    jieba_words,
    matching,
    maximum_probability,
    shipped_tokenizer,
    tokenizer_of,
    train_vocabulary,
)
from webapp.vocabularies.shipped_vocabularies import NAMES

CONTEXT = 24  # characters shown on either side of the first difference


@dataclass(frozen=True)
class RoundTrip:
    """The decoded text compared with the input.

    `offset` is the first character that differs, None if the texts are equal; `expected` and `got` are the text around
    that offset in the input and in the decoded text.
    """

    decoded: str
    offset: int | None = None
    expected: str = ""
    got: str = ""

    @property
    def equal(self) -> bool:
        """Whether the decoded text equals the input."""
        return self.offset is None


EXPLAINED = 10_000  # characters of a text whose changes are traced: 0.1 s of English, 0.6 s of Chinese with BERT


def explained_changes(result: Result) -> RoundTripReport | None:
    """What decoding changes in a text, or in its beginning, and at which stage.

    None if decoding gives the text, or if today's tokenizer gives other ids than those that a shared result has.
    """
    if result.comparison.equal:
        return None
    text = result.encoding.text
    options = {"special": result.state.special, "template": result.state.puts_around}
    try:
        if result.decoded is not None and result.encoder.ids(text, **options) != list(result.encoding.ids):
            return None
        if len(text) <= EXPLAINED:
            report = round_trip(result.encoder, text, **options)
            return report if report.decoded == result.comparison.decoded else None
        cut = max(text.rfind(space, EXPLAINED // 2, EXPLAINED) for space in "\n ")
        return round_trip(result.encoder, text[: cut if cut > 0 else EXPLAINED], **options)
    except (TextError, LookupError):
        return None


AnyMerge = bpe.CountedMerge[bytes] | bpe.CountedMerge[str] | wordpiece.ScoredMerge

# Limits for extras that are useful for a paragraph but would take too long on a long text.
COMPARED_CHARACTERS = 20_000
DISAGREEING_CHARACTERS = 200_000


@dataclass(frozen=True)
class ResultFigures:
    """The figures of a result; `seconds` is the time that the core took for the ids, None for a shared result."""

    tokens: int
    characters: int
    bytes: int
    unknown: int
    seconds: float | None

    @property
    def characters_per_token(self) -> float | None:
        """Characters per token; None if there are no tokens."""
        return self.characters / self.tokens if self.tokens else None

    @property
    def unknown_share(self) -> float | None:
        """The share of unknown tokens, from 0 to 1; None if there are no tokens."""
        return self.unknown / self.tokens if self.tokens else None


@dataclass(frozen=True)
class Prepared:
    """The tokenizer for a state, and the dictionary or training that it comes from."""

    tokenizer: Tokenizer
    dictionary: Dictionary | None = None
    merges: Sequence[AnyMerge] = ()
    trained_bytes: int | None = None  # the bytes of the text that training used, if not all
    affixed: Affixed | None = None  # what the visitor put around the text and added; None for nothing
    base: Tokenizer | None = None  # the tokenizer without that
    inferred: Tokenizer | None = None  # what applies the vocabulary by another rule than its own

    @property
    def encoder(self) -> Tokenizer:
        """What encodes texts."""
        return self.inferred or self.tokenizer


@dataclass(frozen=True)
class Result(Prepared):
    """An encoded text, and what pages show about it."""

    state: State = field(kw_only=True)
    encoding: Encoding = field(kw_only=True)
    seconds: float | None = None  # that the core took for the ids; None for a shared result
    decoded: str | None = None  # the decoded text that was stored with a shared result

    @cached_property
    def own_tokens(self) -> int | None:
        """The number of tokens by the vocabulary's own rule; None if it is not available."""
        state = self.state
        try:
            return len(ids_of(self.tokenizer, self.encoding.text, special=state.special, template=state.puts_around))
        except LookupError:  # the vocabulary of a shared result no longer exists
            return None

    @cached_property
    def figures(self) -> ResultFigures:
        """The figures of the result."""
        text = self.encoding.text
        return ResultFigures(
            tokens=len(self.encoding),
            characters=len(text),
            bytes=len(text.encode("utf-8", "replace")),
            unknown=len(self.encoding.unknown),
            seconds=self.seconds,
        )

    def check_computable(self) -> None:
        """Compute now what may fail with an unusual vocabulary; raises TextError."""
        with report.current().phase("tokenize"):
            self.encoding.starts, self.comparison  # noqa: B018

    @cached_property
    def comparison(self) -> RoundTrip:
        """The comparison of the decoded text with the input."""
        text, decoded, affixed = self.encoding.text, self.decoded, self.affixed
        if decoded is None:
            # Only the tokens of the text itself, without those that the visitor put around it.
            inside = slice(affixed.before, len(self.encoding) - affixed.after) if affixed else slice(None)
            decoded = self.tokenizer.decode(self.encoding.ids[inside])
        if decoded == text:
            return RoundTrip(decoded)
        offset = equal_beginning(text, decoded)
        around = slice(max(0, offset - CONTEXT), offset + CONTEXT)
        return RoundTrip(decoded, offset, text[around], decoded[around])

    @property
    def matches(self) -> bool:
        """Whether the algorithm is maximum matching."""
        algorithm = ALGORITHMS.get(self.state.algorithm)
        return algorithm is not None and algorithm.direction is not None

    @cached_property
    def _verdict_and_disagreements(self) -> tuple[Verdict | None, list[Disagreement]]:
        if not self.matches or self.dictionary is None or len(self.encoding.text) > DISAGREEING_CHARACTERS:
            return None, []
        return verdict_and_disagreements(self.dictionary, self.encoding.text, self.state.runs)

    @property
    def disagreements(self) -> list[Disagreement]:
        """Where FMM and BMM split differently; empty for other algorithms and for very long texts."""
        return self._verdict_and_disagreements[1]

    @property
    def verdict(self) -> Verdict | None:
        """The direction that the bidirectional rule chooses, and why; None if both directions agree."""
        return self._verdict_and_disagreements[0] if self.disagreements else None

    @cached_property
    def listed_words(self) -> list[tuple[int, int]] | None:
        """Where the words of full or search mode start and end; None in precise mode, and for a long text."""
        model = self.tokenizer.model
        mode = self.state.mode
        if mode == "precise" or not isinstance(model, MaximumProbability):
            return None
        text = self.encoding.text
        return model.spans(text, cast(Mode, mode)) if len(text) <= COMPARED_CHARACTERS else None


def prepare(state: State, *, corpus_limit: int, tokenizer: Tokenizer | None = None) -> Prepared:
    """Return the tokenizer for `state` with its inference; training uses at most `corpus_limit` bytes of a text.

    A `tokenizer` replaces the vocabulary that the state names.

    Raises DictionaryError for a pasted text that is no word list, EditError for a line that is no change of a
    dictionary, StillFetchingError for a vocabulary that is being fetched, and UnavailableVocabularyError for one that
    cannot be loaded.
    """
    ready = _prepared(state, corpus_limit, tokenizer)
    if state.affixes and not state.finds_words:
        affixed = with_affixes(ready.tokenizer, state.affixes, template=state.template)
        ready = replace(ready, tokenizer=affixed.tokenizer, affixed=affixed, base=ready.tokenizer)
    options = state.inference_options
    if not options or options["inference"] not in inferences_for(ready.tokenizer.model):
        return ready
    parameters = {name: value for name, value in options.items() if name != "inference"}
    return replace(ready, inferred=infer(ready.tokenizer, options["inference"], **parameters))


def _prepared(state: State, corpus_limit: int, tokenizer: Tokenizer | None) -> Prepared:
    """The tokenizer for a state, by its own rule."""
    if family_of(state.algorithm) == "dictionary":
        dictionary = _dictionary(state, tokenizer)
        return Prepared(segmenter(dictionary, state), dictionary)
    if tokenizer is not None:
        return Prepared(_as_chosen(tokenizer, state))
    if state.trained:
        # Sentences that are not segmented would be words of an n-gram model.
        own = state.corpus if state.family == "word model" else state.corpus or state.text
        corpus, trained_bytes = _corpus(own, corpus_limit)
        with report.current().phase("train"):
            trained = train_vocabulary(state.vocabulary, corpus, state.trained_size, state.relevant().ties)
        return Prepared(_as_chosen(trained.tokenizer, state), None, trained.merges, trained_bytes)
    if state.lowercase and state.vocabulary in NAMES and LOWERCASE in options_of(state.algorithm):
        return Prepared(shipped_tokenizer(state.vocabulary, lowercase=True))
    return Prepared(_as_chosen(tokenizer_of(state.vocabulary), state))


def segmenter(dictionary: Dictionary, state: State) -> Tokenizer:
    """The tokenizer that uses a dictionary by the algorithm and the options of `state`."""
    direction = ALGORITHMS[state.algorithm].direction
    if direction is None:
        return maximum_probability(dictionary, state.hmm)
    return matching(dictionary, direction, state.runs)


def tokenize(state: State, *, corpus_limit: int, tokenizer: Tokenizer | None = None) -> Result:
    """Return the result for `state`; arguments and errors are those of `prepare`."""
    ready = prepare(state, corpus_limit=corpus_limit, tokenizer=tokenizer)
    began = time.perf_counter()
    encoding = encode(
        ready.encoder,
        state.text,
        algorithm=state.algorithm,
        special=state.special,
        template=state.puts_around,
    )
    seconds = time.perf_counter() - began
    return Result(**vars(ready), state=state, encoding=encoding, seconds=seconds)


def tokenize_or_explain(state: State) -> Result:
    """The result for `state`; raises InputProblem, and StillFetchingError while its vocabulary is being downloaded."""
    try:
        result = tokenize(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"])
        result.check_computable()
    except EXPLAINED_ERRORS as error:
        raise problem_of(state, error) from error
    return result


def _dictionary(state: State, tokenizer: Tokenizer | None) -> Dictionary:
    """The dictionary of a state, with the visitor's changes."""
    return edited(_unedited(state, tokenizer), state.edits)


def _unedited(state: State, tokenizer: Tokenizer | None) -> Dictionary:
    if tokenizer is not None and isinstance(tokenizer.model, DictionaryModel):
        return tokenizer.model.dictionary
    if state.vocabulary == "own-dictionary":
        return read_dictionary(state.dictionary)
    if state.vocabulary == "jieba":
        return jieba_words()
    model = tokenizer_of(state.vocabulary).model
    assert isinstance(model, DictionaryModel)
    return model.dictionary


def _as_chosen(tokenizer: Tokenizer, state: State) -> Tokenizer:
    """The tokenizer with what a state chooses: order and smoothing of an n-gram model, and whether runs stay whole."""
    model = tokenizer.model
    if isinstance(model, NGram):
        return NGRAM.tokenizer(model.with_choices(state.smoothing, int(state.order), state.runs))
    return NGRAM.tokenizer(model.keeping_runs(state.runs)) if isinstance(model, Tagger) else tokenizer


def _corpus(text: str, limit: int) -> tuple[str, int | None]:
    """The part of `text` to train on, and its size in bytes if that is not all of it."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text, None
    part = data[:limit].decode("utf-8", "ignore")
    return part, len(part.encode())


OTHER = "other"  # the label of tokens whose algorithm is not registered


class EncodingOptions(TypedDict):
    """The options of `encode` and `ids_of`."""

    algorithm: str
    special: bool
    template: bool


def encode(
    tokenizer: Tokenizer, text: str, *, algorithm: str = "", special: bool = False, template: bool = False
) -> Encoding:
    """Return `tokenizer.encode`; the tokens count for `algorithm`, or for the first that has such a model."""
    with _reported(tokenizer, algorithm) as found:
        encoding = tokenizer.encode(text, special=special, template=template)
        found.append(len(encoding))
    return encoding


def ids_of(
    tokenizer: Tokenizer, text: str, *, algorithm: str = "", special: bool = False, template: bool = False
) -> list[int]:
    """Return `tokenizer.ids`; the tokens count as those of `encode`."""
    with _reported(tokenizer, algorithm) as found:
        ids = tokenizer.ids(text, special=special, template=template)
        found.append(len(ids))
    return ids


@contextmanager
def _reported(tokenizer: Tokenizer, algorithm: str) -> Iterator[list[int]]:
    """Report the block as the phase "tokenize", the number of tokens that it adds to the list, and the cached words."""
    current = report.current()
    found: list[int] = []
    before = tokenizer.cached_words
    with current.phase("tokenize"):
        yield found
    if not current.is_recording:
        return
    current.add("tokens_total", sum(found), algorithm=_known(algorithm, tokenizer))
    after = tokenizer.cached_words
    if before is not None and after is not None:
        lookups, misses = after[0] - before[0], after[1] - before[1]
        if misses < 0:  # the cache was emptied meanwhile; what it has again is a lower bound
            misses = min(after[1], lookups)
        current.add("cache_misses_total", misses, cache="words")
        current.add("cache_hits_total", max(lookups - misses, 0), cache="words")


def _known(algorithm: str, tokenizer: Tokenizer) -> str:
    if algorithm in ALGORITHMS:
        return algorithm
    return next(iter(algorithms_for(tokenizer.model)), OTHER)

"""From a state to everything the page says about it: the shared core does the work, this gathers it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from webapp.core.algorithms import ALGORITHMS, LOWERCASE, family_of, options_of
from webapp.core.encoding import Encoding
from webapp.core.formats.dictionary import read_dictionary
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Disagreement, Matching, Verdict, both_ways
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, wordpiece
from webapp.tokenization.round_trip import RoundTrip, round_trip_of
from webapp.tokenization.state import State
from webapp.vocabularies import (
    default_for,
    jieba_words,
    matching,
    offered_algorithms,
    shipped_tokenizer,
    tokenizer_of,
    train_vocabulary,
)
from webapp.vocabularies.shipped_vocabularies import NAMES

AnyMerge = bpe.CountedMerge[bytes] | bpe.CountedMerge[str] | wordpiece.ScoredMerge

# Beyond these sizes an extra that is pleasant on a paragraph would cost more than it tells.
COMPARED_CHARACTERS = 20_000
DISAGREEING_CHARACTERS = 200_000
DISAGREEMENTS_SHOWN = 60


@dataclass(frozen=True)
class ResultFigures:
    """The strip of figures. `seconds` is the time the core took for the ids alone; None for a kept result."""

    tokens: int
    characters: int
    bytes: int
    unknown: int
    seconds: float | None

    @property
    def characters_per_token(self) -> float | None:
        """None for no tokens."""
        return self.characters / self.tokens if self.tokens else None

    @property
    def unknown_share(self) -> float | None:
        """The share of tokens that are out of vocabulary, from 0 to 1; None for no tokens."""
        return self.unknown / self.tokens if self.tokens else None


@dataclass(frozen=True)
class Result:
    """A text encoded, and what the page shows of it."""

    state: State
    tokenizer: Tokenizer
    encoding: Encoding
    seconds: float | None
    dictionary: Dictionary | None = None
    merges: Sequence[AnyMerge] = field(default=())
    learned_bytes: int | None = None  # how much of the text was learned from, where it was cut
    decoded: str | None = None  # what the ids once decoded to, where the result was kept

    @cached_property
    def figures(self) -> ResultFigures:
        """The strip of figures."""
        text = self.encoding.text
        return ResultFigures(
            tokens=len(self.encoding),
            characters=len(text),
            bytes=len(text.encode("utf-8", "replace")),
            unknown=len(self.encoding.unknown),
            seconds=self.seconds,
        )

    def settle(self) -> None:
        """Compute what the pages ask for later and what a strange vocabulary may fail at: raises TextError now."""
        self.encoding.starts, self.comparison  # noqa: B018

    @cached_property
    def comparison(self) -> RoundTrip:
        """What decoding the ids gives, beside the input."""
        return round_trip_of(self.encoding, self.tokenizer, self.decoded)

    @cached_property
    def _both_ways(self) -> tuple[Verdict | None, list[Disagreement]]:
        if self.dictionary is None or len(self.encoding.text) > DISAGREEING_CHARACTERS:
            return None, []
        return both_ways(self.dictionary, self.encoding.text, self.state.runs)

    @property
    def disagreements(self) -> list[Disagreement]:
        """Where FMM and BMM cut differently; empty for the other algorithms and for very long texts."""
        return self._both_ways[1]

    @property
    def verdict(self) -> Verdict | None:
        """Which direction the bidirectional rule takes here, and why; None where there is nothing to decide."""
        return self._both_ways[0] if self.disagreements else None

    @cached_property
    def others(self) -> dict[str, int]:
        """How many tokens each algorithm's default vocabulary makes of the same text; empty for a long one."""
        if not 0 < len(self.encoding.text) <= COMPARED_CHARACTERS:
            return {}
        text = self.encoding.text
        usual = [State(algorithm, default_for(algorithm)) for algorithm in offered_algorithms()]
        return {state.algorithm: len(prepare(state, corpus_limit=0).tokenizer.ids(text)) for state in usual}


@dataclass(frozen=True)
class Prepared:
    """What a state asks for, short of encoding its text: a tokenizer, and what it was made of."""

    tokenizer: Tokenizer
    dictionary: Dictionary | None = None
    merges: Sequence[AnyMerge] = ()
    learned_bytes: int | None = None  # how much of the text was learned from, where it was cut


def prepare(state: State, *, corpus_limit: int, tokenizer: Tokenizer | None = None) -> Prepared:
    """The tokenizer for `state`; at most `corpus_limit` bytes of a text are learned from.

    A `tokenizer` takes the place of the vocabulary that the state names.

    Raises DictionaryError where a pasted dictionary has a malformed line, OnItsWayError and UnavailableError for a
    vocabulary that cannot be had yet, or not at all.
    """
    if family_of(state.algorithm) == "dictionary":
        dictionary = _dictionary(state, tokenizer)
        return Prepared(matching(dictionary, ALGORITHMS[state.algorithm].direction, state.runs), dictionary)
    if tokenizer is not None:
        return Prepared(tokenizer)
    if state.learned:
        corpus, learned_bytes = _corpus(state.corpus or state.text, corpus_limit)
        learned = train_vocabulary(state.vocabulary, corpus, state.learned_size)
        return Prepared(learned.tokenizer, None, learned.merges, learned_bytes)
    if state.lowercase and state.vocabulary in NAMES and LOWERCASE in options_of(state.algorithm):
        return Prepared(shipped_tokenizer(state.vocabulary, lowercase=True))
    return Prepared(tokenizer_of(state.vocabulary))


def tokenize(state: State, *, corpus_limit: int, tokenizer: Tokenizer | None = None) -> Result:
    """The result for `state`, with the arguments and the exceptions of `prepare`."""
    ready = prepare(state, corpus_limit=corpus_limit, tokenizer=tokenizer)
    began = time.perf_counter()
    encoding = ready.tokenizer.encode(state.text, special=state.special, template=state.template)
    seconds = time.perf_counter() - began
    return Result(state, ready.tokenizer, encoding, seconds, ready.dictionary, ready.merges, ready.learned_bytes)


def _dictionary(state: State, tokenizer: Tokenizer | None) -> Dictionary:
    if tokenizer is not None and isinstance(tokenizer.model, Matching):
        return tokenizer.model.dictionary
    if state.vocabulary == "own-dictionary":
        return read_dictionary(state.dictionary)
    if state.vocabulary == "jieba":
        return jieba_words()
    model = tokenizer_of(state.vocabulary).model
    assert isinstance(model, Matching)
    return model.dictionary


def _corpus(text: str, limit: int) -> tuple[str, int | None]:
    """The part of `text` to learn from, and its size in bytes where that is not the whole."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text, None
    part = data[:limit].decode("utf-8", "ignore")
    return part, len(part.encode())

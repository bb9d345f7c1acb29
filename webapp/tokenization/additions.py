"""What stands around a result: the language model and added tokens, special tokens, and other tokenizers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import regex
from flask import current_app

from webapp.core.affixes import offered_affixes
from webapp.core.algorithms import family_of
from webapp.core.encoding import Encoding
from webapp.core.inference.records import OWN
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.algorithms import algorithm_names, inference_title
from webapp.tokenization.attempts import EXPLAINED_ERRORS
from webapp.tokenization.encoding import encode, ids_of
from webapp.tokenization.links import playground_address
from webapp.tokenization.meter import Meter
from webapp.tokenization.result import COMPARED_CHARACTERS, Result, prepare, segmenter
from webapp.tokenization.state import State
from webapp.vocabularies import StillFetchingError, default_for, find, offered_algorithms, title_of
from webapp.vocabularies.language_models import LanguageModel, model_of
from webapp.vocabularies.library import models_of
from webapp.vocabularies.shipped_vocabularies import LANGUAGE_MODELS
from webapp.vocabularies.titles import short_title


def meter_of(state: State, result: Result) -> Meter | None:
    """Return the meter of a result; None if no model is chosen that uses its vocabulary."""
    name = state.relevant().model
    model = model_of(name) if name else None
    return Meter(len(result.encoding), model) if model else None


def models_offered(state: State) -> list[LanguageModel]:
    """The models that use the vocabulary; the chosen one too if the list has it only by the beginning of its name."""
    models, chosen = list(models_of(state.vocabulary)), model_of(state.relevant().model or "")
    return [chosen, *models] if chosen and all(model.id != chosen.id for model in models) else models


def affixes_offered(result: Result) -> tuple[Sequence[str], Sequence[str]]:
    """The names of the tokens that may be put before and after the text of a result."""
    return offered_affixes(result.base or result.tokenizer, result.state.affixes)


LONGEST = 100_000  # characters of a text that is searched
MOST = 3  # hints

# What special tokens look like: `<|im_start|>`, `<s>`, `</s>`, `<bos>`, `[CLS]`, `<｜begin▁of▁sentence｜>`. The bound
# keeps the search linear.
_SHAPE = re.compile(r"<[^\s<>]{1,60}>|\[[A-Za-z_0-9]{2,30}\]")
_CONTROL = re.compile(r"<[|｜][^\s|｜]+[|｜]>")


@dataclass(frozen=True)
class SpecialTokenHint:
    """A special token, or what looks like one, that was read as plain text.

    `known` says whether it is a special token of the vocabulary. `tokens` is the number of tokens that its first
    occurrence is part of; as a special token it would be one. `total` and `total_special` count the tokens of the whole
    text as it is and with special tokens recognized; they are equal if the token is not known.
    """

    token: str
    times: int
    known: bool
    tokens: int
    total: int
    total_special: int


def special_hints(state: State, encoding: Encoding, tokenizer: Tokenizer) -> list[SpecialTokenHint]:
    """The special tokens of a vocabulary in a text that was read without them, in order, and others with `<|…|>`.

    Empty if special tokens were recognized, if the vocabulary has none, and for long texts. It takes no longer than
    encoding the text once more.
    """
    text = encoding.text
    if state.special or len(text) > LONGEST or not ("<" in text or "[" in text):
        return []
    names = tokenizer.special_tokens
    if not names or not replace(state, special=True).relevant().special:
        return []
    found = Counter(match[0] for match in _SHAPE.finditer(text))
    shown = [token for token in found if token in names or _CONTROL.fullmatch(token)][:MOST]
    total = len(encoding)
    recognized = len(ids_of(tokenizer, text, special=True, template=state.puts_around)) if shown else total
    return [
        SpecialTokenHint(
            token=token,
            times=found[token],
            known=token in names,
            tokens=_tokens_of(encoding, text.index(token), len(token)),
            total=total,
            total_special=recognized if token in names else total,
        )
        for token in shown
    ]


def _tokens_of(encoding: Encoding, start: int, length: int) -> int:
    """The number of tokens with characters of a span."""
    return bisect_left(encoding.starts, start + length) - bisect_right(encoding.ends, start)


_HAN, _LETTER, _SPACE = (regex.compile(pattern) for pattern in (r"\p{Han}", r"\p{L}", r"\s"))


@dataclass(frozen=True)
class OtherTokenizer:
    """The number of tokens of a text with one tokenizer."""

    name: str
    tokens: int
    is_unknown: bool  # whether most of the text is out of its vocabulary, so that the number says little
    current: bool = False  # whether the page shows this one
    address: str | None = None  # of its result, None if the address would be too long
    algorithm: str = ""
    vocabulary: str = ""


def other_tokenizers(result: Result) -> list[OtherTokenizer]:
    """A row for each tokenizer, the one of the result included; empty for a long text and one without tokens."""
    text = result.encoding.text
    if not len(result.encoding) or len(text) > COMPARED_CHARACTERS:
        return []
    state = result.state
    rows, is_own_rule = [], state.relevant().inference == OWN
    for other in _others(state, is_chinese(text)):
        current = is_own_rule and (other.algorithm, other.vocabulary) == (state.algorithm, state.vocabulary)
        encoding = result.encoding if current else _encoded(result, other)
        if encoding is None:
            continue
        is_unknown, address = is_mostly_unknown(encoding), playground_address(other)
        rows.append(
            OtherTokenizer(_name(other), len(encoding), is_unknown, current, address, other.algorithm, other.vocabulary)
        )
    if not any(row.current for row in rows):
        name = _name(state) if is_own_rule else inference_title(state.inference)
        rows.insert(0, OtherTokenizer(name, len(result.encoding), is_mostly_unknown(result.encoding), current=True))
    return rows


def is_chinese(text: str) -> bool:
    """Whether at least half of the letters of a text are Chinese characters."""
    return 0 < len(_LETTER.findall(text)) <= 2 * len(_HAN.findall(text))


def is_mostly_unknown(encoding: Encoding) -> bool:
    """Whether at least half of the text, spaces aside, is out of the vocabulary."""
    if not encoding.unknown:
        return False
    starts, ends = encoding.starts, encoding.ends
    covered = sum(ends[index] - starts[index] for index in encoding.unknown)
    return 2 * covered >= len(_SPACE.sub("", encoding.text))


def _others(state: State, chinese: bool) -> Iterator[State]:
    """The states of the rows: those of language models, of this site, and of segmenters where the text is Chinese."""
    # What a visitor adds to one vocabulary may not exist in another.
    plain = replace(state, inference=OWN, model="", prefix="", suffix="", added="", token=None)
    for name in LANGUAGE_MODELS:
        yield replace(plain, algorithm="bpe", vocabulary=name)
    segmenters = [name for name in offered_algorithms() if family_of(name) in ("dictionary", "word model")]
    for algorithm in offered_algorithms():
        if algorithm not in segmenters and algorithm != "bpe":  # which the language models have
            yield replace(plain, algorithm=algorithm, vocabulary=default_for(algorithm))
    for algorithm in segmenters if chinese else ():
        same = family_of(algorithm) == state.family
        yield replace(plain, algorithm=algorithm, vocabulary=state.vocabulary if same else default_for(algorithm))


def _encoded(result: Result, other: State) -> Encoding | None:
    """The text of a result as another state encodes it; None if that cannot."""
    try:
        tokenizer = _tokenizer(result, other)
        options = other.relevant()
        text = result.encoding.text
        return encode(tokenizer, text, algorithm=other.algorithm, special=options.special, template=options.puts_around)
    except (*EXPLAINED_ERRORS, StillFetchingError):
        return None


def _tokenizer(result: Result, other: State) -> Tokenizer:
    if result.dictionary is not None and other.has_dictionary:
        return segmenter(result.dictionary, other)
    return prepare(other, corpus_limit=current_app.config["MAX_CORPUS_BYTES"]).encoder


def _name(state: State) -> str:
    """The name of a row: the model's for its vocabulary, the algorithm's for its only one or a visitor's dictionary."""
    entry = find(state.vocabulary)
    if entry is None:
        return algorithm_names()[state.algorithm]
    if state.vocabulary in LANGUAGE_MODELS:
        return short_title(entry)
    is_default = state.algorithm != "bpe" and state.vocabulary == default_for(state.algorithm)
    return algorithm_names()[state.algorithm] if is_default or state.has_dictionary else title_of(entry)

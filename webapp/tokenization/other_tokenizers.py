"""The row of other tokenizers under a result: how many tokens the same text has with each of them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import regex
from flask import current_app

from webapp.core.algorithms import finds_words, sharing_vocabularies
from webapp.core.encoding import Encoding
from webapp.core.inference import OWN
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.algorithms import algorithm_names, inference_title
from webapp.tokenization.links import playground_address
from webapp.tokenization.messages import EXPLAINED_ERRORS
from webapp.tokenization.result import COMPARED_CHARACTERS, Result, encode, prepare, segmenter
from webapp.tokenization.state import State
from webapp.vocabularies import StillFetchingError, default_for, find, offered_algorithms, title_of
from webapp.vocabularies.shipped_vocabularies import LANGUAGE_MODELS, SENTENCEPIECE
from webapp.vocabularies.titles import short_title

_HAN, _LETTER, _SPACE = (regex.compile(pattern) for pattern in (r"\p{Han}", r"\p{L}", r"\s"))


@dataclass(frozen=True)
class OtherTokenizer:
    """The number of tokens of a text with one tokenizer."""

    name: str
    tokens: int
    unknown: float  # the share of the text that is out of its vocabulary
    current: bool = False  # whether the page shows this one
    address: str | None = None  # of its result, None if the address would be too long
    algorithm: str = ""
    vocabulary: str = ""

    @property
    def says_little(self) -> bool:
        """Whether so much of the text is unknown that the number says little: words may be names, pieces may not."""
        return self.unknown >= (0.5 if finds_words(self.algorithm) else 0.1)


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
        unknown, address = unknown_share(encoding), playground_address(other)
        rows.append(
            OtherTokenizer(_name(other), len(encoding), unknown, current, address, other.algorithm, other.vocabulary)
        )
    if not any(row.current for row in rows):
        name = _name(state) if is_own_rule else inference_title(state.inference)
        rows.insert(0, OtherTokenizer(name, len(result.encoding), unknown_share(result.encoding), current=True))
    return rows


def is_chinese(text: str) -> bool:
    """Whether at least half of the letters of a text are Chinese characters."""
    return 0 < len(_LETTER.findall(text)) <= 2 * len(_HAN.findall(text))


def unknown_share(encoding: Encoding) -> float:
    """The share of a text, spaces aside, that is out of the vocabulary."""
    covered = sum(encoding.ends[index] - encoding.starts[index] for index in encoding.unknown)
    return min(1, covered / max(1, len(_SPACE.sub("", encoding.text)))) if covered else 0


def _others(state: State, chinese: bool) -> Iterator[State]:
    """The states of the rows: published ones of each kind, and segmenters where the text is Chinese."""
    # What a visitor adds to one vocabulary may not exist in another.
    plain = replace(state, inference=OWN, model="", prefix="", suffix="", added="", token=None)
    for name in (*LANGUAGE_MODELS, SENTENCEPIECE):
        yield replace(plain, algorithm="bpe", vocabulary=name)
    # T5's pieces have no Chinese characters, and cased BERT's each character alone.
    kinds = {"wordpiece": "bert-base-chinese"} if chinese else {"wordpiece": "bert-base-cased", "unigram": "t5"}
    segmenters = [name for name in offered_algorithms() if finds_words(name)]
    for algorithm in offered_algorithms():
        if algorithm not in segmenters and algorithm != "bpe":  # which the language models have
            yield replace(plain, algorithm=algorithm, vocabulary=kinds.get(algorithm) or default_for(algorithm))
    for algorithm in segmenters if chinese else ():
        same = algorithm in (state.algorithm, *sharing_vocabularies(state.algorithm))
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

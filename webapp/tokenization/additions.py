"""Panels under a result: the language model and added tokens, special tokens, and other tokenizers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import regex
from flask import current_app, url_for
from flask_babel import gettext as _

from webapp.core.affixes import NEWLINE, offered_affixes
from webapp.core.algorithms import family_of
from webapp.core.encoding import Encoding
from webapp.core.inference.records import OWN
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.markup import shown_piece
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.attempts import EXPLAINED_ERRORS
from webapp.tokenization.encoding import encode, ids_of
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.inferences import inference_title
from webapp.tokenization.meter import Meter
from webapp.tokenization.result import COMPARED_CHARACTERS, Result, prepare, segmenter
from webapp.tokenization.state import State
from webapp.tokenization.token_details import is_of_a_chat, special_purpose
from webapp.vocabularies import StillFetchingError, default_for, find, offered_algorithms, title_of
from webapp.vocabularies.language_models import LanguageModel, model_of
from webapp.vocabularies.models_of import models_of
from webapp.vocabularies.shipped_vocabularies import LANGUAGE_MODELS
from webapp.vocabularies.titles import short_title
from webapp.web.localization import join_list

_FIELDS = ("model", "prefix", "suffix", "added")


@dataclass(frozen=True)
class Switch:
    """A token that can stand before or after the text: its name, what the page calls it, and whether it does."""

    name: str
    title: str
    is_on: bool


@dataclass(frozen=True)
class AdditionsPanel:
    """The fields of the panel."""

    models: Sequence[LanguageModel]  # those that use the vocabulary
    model: str  # the chosen one
    before: Sequence[Switch]
    after: Sequence[Switch]
    takes_tokens: bool  # whether tokens can be added
    added: str
    is_open: bool
    missing: str  # the names that no token of the vocabulary has, joined
    invalid: Mapping[str, str]  # field → what is wrong with it


def additions_of(state: State, result: Result | None, problems: Sequence[InputProblem]) -> AdditionsPanel | None:
    """Return the panel of a result; None where it would be empty."""
    invalid = dict.fromkeys(_FIELDS, "") | {one.field: one.message for one in problems if one.field in _FIELDS}
    takes_tokens = state.family not in ("dictionary", "word model", None)
    models = models_of(state.vocabulary)
    if not takes_tokens and not models and not any(invalid.values()):
        return None
    affixes = state.affixes
    before, after = list(affixes.prefix), list(affixes.suffix)
    if result is not None and takes_tokens:
        before, after = offered_affixes(result.base or result.tokenizer, affixes)
    missing = result.affixed.missing if result and result.affixed else ()
    shown = state.model if state.relevant().model else ""
    return AdditionsPanel(
        models=_with_chosen(models, shown),
        model=shown,
        before=_switches(before, affixes.prefix),
        after=_switches(after, affixes.suffix),
        takes_tokens=takes_tokens,
        added=state.added,
        is_open=bool(shown or affixes or any(invalid.values())),
        missing=join_list(missing),
        invalid=invalid,
    )


def meter_of(state: State, result: Result) -> Meter | None:
    """Return the meter of a result; None if no model is chosen that uses its vocabulary."""
    name = state.relevant().model
    model = model_of(name) if name else None
    return Meter(len(result.encoding), model) if model else None


def _with_chosen(models: Sequence[LanguageModel], name: str) -> list[LanguageModel]:
    """The models, and the chosen one if the list has it only by the beginning of its name."""
    chosen = model_of(name) if name else None
    if chosen is None or any(model.id == chosen.id for model in models):
        return list(models)
    return [chosen, *models]


def _switches(offered: Sequence[str], chosen: Sequence[str]) -> list[Switch]:
    return [Switch(name, _("line end") if name == NEWLINE else name, name in chosen) for name in offered]


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
    text as it is and with special tokens recognized; they are equal if the token is not known. `purpose` says what
    models use a token of this name for, empty if that is not known; `of_a_chat`, whether chat templates write it.
    """

    token: str
    times: int
    known: bool
    tokens: int
    total: int
    total_special: int
    purpose: str
    of_a_chat: bool


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
            purpose=special_purpose(token),
            of_a_chat=is_of_a_chat(token),
        )
        for token in shown
    ]


def _tokens_of(encoding: Encoding, start: int, length: int) -> int:
    """The number of tokens with characters of a span."""
    return bisect_left(encoding.starts, start + length) - bisect_right(encoding.ends, start)


CONTEXT = 16  # characters shown on either side of the special token
MOST_TOKENS = 60  # shown in one reading


@dataclass(frozen=True)
class ReadToken:
    """A token of a reading; `piece` is safe to put on a page."""

    piece: str
    id: int
    special: bool


@dataclass(frozen=True)
class SpecialReading:
    """One reading of the text: its tokens around the special token, and the number of all tokens."""

    kind: Literal["plain", "special"]
    chosen: bool  # whether the page shows this reading
    tokens: Sequence[ReadToken]
    total: int

    @property
    def is_cut(self) -> bool:
        """Whether there are more tokens than those shown."""
        return len(self.tokens) < self.total


@dataclass(frozen=True)
class SpecialReadings:
    """The first special token of a text, and both readings."""

    token: str
    plain: SpecialReading
    special: SpecialReading


def special_readings(state: State, encoding: Encoding, tokenizer: Tokenizer) -> SpecialReadings | None:
    """Both readings of a text; None if it has no special token of the vocabulary, and for a long text."""
    text = encoding.text
    names = tokenizer.special_tokens
    if not names or len(text) > COMPARED_CHARACTERS or not replace(state, special=True).relevant().special:
        return None
    if not state.special and not any(name in text for name in names):
        return None
    other = tokenizer.encode(text, special=not state.special, template=state.puts_around)
    plain, special = (other, encoding) if state.special else (encoding, other)
    found = [index for index in special.special if special.starts[index] < special.ends[index]]
    if not found:
        return None
    span = special.starts[min(found)], special.ends[min(found)]
    return SpecialReadings(
        text[span[0] : span[1]].strip(),
        _reading("plain", plain, span, chosen=not state.special),
        _reading("special", special, span, chosen=state.special),
    )


def _reading(
    kind: Literal["plain", "special"], encoding: Encoding, span: tuple[int, int], *, chosen: bool
) -> SpecialReading:
    first = bisect_right(encoding.ends, max(0, span[0] - CONTEXT))
    last = bisect_left(encoding.starts, span[1] + CONTEXT)
    if span[0] <= CONTEXT:
        first = 0  # with the special tokens of the template
    last = min(max(last, first), first + MOST_TOKENS)
    tokens = [
        ReadToken(shown_piece(encoding.piece(index)), encoding.ids[index], index in encoding.special)
        for index in range(first, last)
    ]
    return SpecialReading(kind, chosen, tokens, len(encoding))


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
        query = other.link(current_app.config["MAX_LINK_CHARACTERS"])
        address = f"{url_for('playground.page')}?{query}" if query else None
        row = OtherTokenizer(_name(other), len(encoding), is_mostly_unknown(encoding), current, address)
        rows.append(replace(row, algorithm=other.algorithm, vocabulary=other.vocabulary))
    if not any(row.current for row in rows):
        name = _name(state) if is_own_rule else inference_title(state.inference)
        rows.insert(0, OtherTokenizer(name, len(result.encoding), is_mostly_unknown(result.encoding), current=True))
    return rows


def others_note(state: State, rows: list[OtherTokenizer]) -> str:
    """Which vocabularies the rows use, as far as their names do not say it."""
    if not any(family_of(row.algorithm) == "dictionary" for row in rows):
        return _("WordPiece and Unigram use this site’s own vocabularies, for teaching.")
    if state.has_dictionary and (state.vocabulary == "own-dictionary" or state.external or state.edits):
        return _("WordPiece and Unigram use this site’s own vocabularies; the dictionary methods use your dictionary.")
    return _("WordPiece and Unigram use this site’s own vocabularies; the dictionary methods use jieba’s dictionary.")


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

"""The pipeline: normalizer, pre-tokenizer, model and decoder made one, with special tokens around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from webapp.core import pretokenizers
from webapp.core.alignment import Aligned
from webapp.core.decoders import Decoder, Join
from webapp.core.encoding import Encoding, Placement
from webapp.core.models import Model
from webapp.core.models.cache import Cache
from webapp.core.normalizers import BertNormalizer, Normalizer
from webapp.core.pretokenizers import BertPreTokenizer, PreTokenizer, Span

# The ids of a stretch of text, and their starts and ends in it.
Located = tuple[Sequence[int], Sequence[int]]


class Tokenizer:
    """Text to ids and back. Immutable once built; several threads may use one.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> pieces = ["[UNK]", "[SEP]", "un", "##aff", "##able", "!"]
    >>> tokenizer = WORDPIECE.tokenizer(WordPiece(pieces), {"[SEP]": 1})
    >>> tokenizer.ids("unaffable ! [SEP]"), tokenizer.ids("unaffable ! [SEP]", special=True)
    ([2, 3, 4, 5, 0, 0, 0], [2, 3, 4, 5, 1])
    >>> tokenizer.decode([2, 3, 4, 5, 1], skip_special=True)
    'unaffable!'
    """

    def __init__(
        self,
        model: Model,
        *,
        normalizer: Normalizer | None = None,
        pretokenizer: PreTokenizer | None = None,
        decoder: Decoder | None = None,
        special_tokens: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """`special_tokens` gives each special token's id, in the model's vocabulary or beyond it.

        Raises ValueError for a special token that is empty.
        """
        if "" in special_tokens:
            raise ValueError("a special token is empty")
        self.model = model
        self.normalizer = normalizer
        self.pretokenizer = pretokenizer
        self.decoder = decoder
        self.special_tokens: Mapping[str, int] = MappingProxyType(dict(special_tokens))
        self._special_by_id = {id: token for token, id in self.special_tokens.items()}
        longest_first = sorted(self.special_tokens, key=len, reverse=True)
        self._special_pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._stretches = _stretches_of(self)

    def encode(self, text: str, *, special: bool = False) -> Encoding:
        """The tokens of a text; with `special`, special tokens that stand in it are honoured.

        A lone surrogate is read as U+FFFD.
        """
        well_formed = _well_formed(text)
        return Encoding(
            text,
            self.ids(well_formed, special=special),
            pieces=self.model.pieces,
            unknown_id=self.model.unknown_id,
            place=lambda: self._place(well_formed, special),
        )

    def ids(self, text: str, *, special: bool = False) -> list[int]:
        """The ids alone, the fast way: as `encode(text).ids`."""
        text = _well_formed(text)
        if not special or self._special_pattern is None:
            return self._stretches.ids(text)
        ids: list[int] = []
        for start, end, special_id in self._parts(text):
            if special_id is None:
                ids += self._stretches.ids(text[start:end])
            else:
                ids.append(special_id)
        return ids

    def decode(self, ids: Iterable[int], *, skip_special: bool = False) -> str:
        """The text that ids spell, with the special tokens among them or without.

        Raises ValueError naming the first id that is outside the vocabulary.
        """
        pieces: list[str | bytes] = []
        vocabulary = self.model.pieces
        size = len(vocabulary)
        special_of = self._special_by_id.get
        for id in ids:
            token = special_of(id)
            if token is not None:
                if not skip_special:
                    pieces.append(token)
            elif 0 <= id < size:
                pieces.append(vocabulary[id])
            elif id == self.model.unknown_id:
                pieces.append("\ufffd")
            else:
                raise ValueError(f"id {id} is outside the vocabulary of {size} pieces")
        return (self.decoder or Join()).decode(pieces)

    def _parts(self, text: str) -> Iterator[tuple[int, int, int | None]]:
        """The text as `(start, end, special id)`, with None for the stretches between special tokens."""
        position = 0
        if self._special_pattern is not None:
            for found in self._special_pattern.finditer(text):
                if position < found.start():
                    yield position, found.start(), None
                yield *found.span(), self.special_tokens[found[0]]
                position = found.end()
        if position < len(text):
            yield position, len(text), None

    def _place(self, text: str, special: bool) -> Placement:
        if not special or self._special_pattern is None:
            return Placement(*self._stretches.places(text), frozenset())
        starts: list[int] = []
        ends: list[int] = []
        special_indexes = set()
        for start, end, special_id in self._parts(text):
            if special_id is None:
                part_starts, part_ends = self._stretches.places(text[start:end])
                starts.extend(place + start for place in part_starts)
                ends.extend(place + start for place in part_ends)
            else:
                special_indexes.add(len(starts))
                starts.append(start)
                ends.append(end)
        return Placement(starts, ends, frozenset(special_indexes))


class _Pretokens:
    """The ordinary way through the pipeline: normalize the text, cut it, look each pre-token up."""

    def __init__(self, model: Model, normalizer: Normalizer | None, pretokenizer: PreTokenizer | None) -> None:
        self._normalizer = normalizer
        self._pretokenizer = pretokenizer
        self._located = Cache(lambda pretoken: _located(model.segment(pretoken)))
        self._ids_of = model.ids

    def ids(self, text: str) -> list[int]:
        if self._normalizer is not None:
            text = self._normalizer.normalize(text)
        if self._pretokenizer is None:
            return list(self._ids_of(text)) if text else []
        return list(chain.from_iterable(map(self._ids_of, self._pretokenizer.split(text))))

    def places(self, text: str) -> Located:
        aligned = Aligned.of(text)
        if self._normalizer is not None:
            aligned = self._normalizer.align(aligned)
        text = aligned.text
        if self._pretokenizer is not None:
            spans = self._pretokenizer.spans(text)
        else:
            spans = [(text, 0, len(text))] if text else []
        starts, ends = _joined(spans, self._located)
        if aligned.identity:
            return starts, ends
        first, last = aligned.starts, aligned.ends
        return [first[start] for start in starts], [last[end - 1] for end in ends]


class _PretokensOfPretokens(_Pretokens):
    """For a sequence of pre-tokenizers: what the first one cuts is looked up whole, with all that follows."""

    def __init__(self, model: Model, normalizer: Normalizer | None, pretokenizer: pretokenizers.Sequence) -> None:
        super().__init__(model, normalizer, pretokenizer.first)
        inner = _Pretokens(model, None, pretokenizer.rest)
        self._ids_of = Cache(lambda pretoken: tuple(inner.ids(pretoken))).__getitem__
        self._located = Cache(inner.places)


class _Words:
    """For BERT: no step looks across white space, so whole words of the original text are looked up."""

    def __init__(self, model: Model, normalizer: BertNormalizer, pretokenizer: PreTokenizer) -> None:
        self._normalizer = normalizer
        inner = _Pretokens(model, normalizer, pretokenizer)
        self._ids_of = Cache(lambda word: tuple(inner.ids(word))).__getitem__
        self._located = Cache(inner.places)

    def ids(self, text: str) -> list[int]:
        return list(chain.from_iterable(map(self._ids_of, self._normalizer.words(text))))

    def places(self, text: str) -> Located:
        return _joined(self._normalizer.word_spans(text), self._located)


def _stretches_of(tokenizer: Tokenizer) -> _Pretokens | _Words:
    """The way through the pipeline that remembers the longest stretches that stand for themselves."""
    model, normalizer, pretokenizer = tokenizer.model, tokenizer.normalizer, tokenizer.pretokenizer
    if isinstance(normalizer, BertNormalizer) and isinstance(pretokenizer, BertPreTokenizer):
        return _Words(model, normalizer, pretokenizer)
    if isinstance(pretokenizer, pretokenizers.Sequence) and len(pretokenizer.pretokenizers) > 1:
        return _PretokensOfPretokens(model, normalizer, pretokenizer)
    return _Pretokens(model, normalizer, pretokenizer)


def _located(segments: Sequence[tuple[int, int, int]]) -> Located:
    return tuple(start for _, start, _ in segments), tuple(end for _, _, end in segments)


def _joined(spans: Sequence[Span], located: Mapping[str, Located]) -> Located:
    """The places of all tokens of a text, from those inside each of its pre-tokens.

    >>> _joined([("low", 0, 3), ("er", 4, 6)], {"low": ((0,), (3,)), "er": ((0, 1), (1, 2))})
    ([0, 4, 5], [3, 5, 6])
    """
    starts: list[int] = []
    ends: list[int] = []
    add_start, add_end = starts.append, ends.append
    for pretoken, start, end in spans:
        inner_starts, inner_ends = located[pretoken]
        if len(inner_starts) == 1 and not inner_starts[0] and len(pretoken) == end - start == inner_ends[0]:
            add_start(start)
            add_end(end)
            continue
        # Made-up characters in front belong to the first real one.
        shift = end - len(pretoken)
        for inner_start, inner_end in zip(inner_starts, inner_ends, strict=True):
            add_start(max(inner_start + shift, start))
            add_end(max(inner_end + shift, start + 1))
    return starts, ends


def _well_formed(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD, one character for one."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udfff]", "\ufffd", text)
    return text

"""How a span of text passes through normalizer, pre-tokenizer and model, with as little work as these allow.

Each path gives the ids of `PretokenPath`, the plain one, and differs from it in what it caches:

- `BertWordPath` caches words before normalization: no step of BERT looks across white space.
- `NestedPretokenPath` caches what the first of several pre-tokenizers splits off: the others see nothing else.
- `PlacedPretokenPath` caches no more than the model does: some pre-tokenizers depend on the position in the text.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from webapp.core.cache import Cache
from webapp.core.models import Model
from webapp.core.text import pretokenizers
from webapp.core.text.alignment import AlignedText
from webapp.core.text.normalizers import BertNormalizer, Normalizer, keeps_beginning
from webapp.core.text.pretokenizers import BertPreTokenizer, PreTokenizer, Span

# The starts and ends of the tokens of a span of text.
Located = tuple[Sequence[int], Sequence[int]]


class PretokenPath:
    """The plain path: normalize the text, split it, look up each pre-token."""

    def __init__(self, model: Model, normalizer: Normalizer | None, pretokenizer: PreTokenizer | None) -> None:
        self._normalizer = normalizer
        self._pretokenizer = pretokenizer
        self._later_pretokenizer = None if pretokenizer is None else pretokenizers.for_later_spans(pretokenizer)
        self._changes_text = pretokenizers.changes_text(pretokenizer)
        self._segment = model.segment
        self._located: Mapping[str, Located] = Cache(self._locate)
        self._ids_of = model.ids
        self.looked_up = 0
        """The number of pre-tokens that were looked up so far, whether a cache had them or not."""

    @property
    def cached(self) -> int | None:
        """The number of pre-tokens in the cache of `ids`; None without a cache."""
        cache = getattr(self._ids_of, "__self__", None)
        return len(cache) if isinstance(cache, Cache) else None

    def forget(self) -> None:
        """Cache nothing from now on."""
        self._located = _Computed(self._locate)

    def ids(self, text: str, at_start: bool = True) -> list[int]:
        """The ids of a span; `at_start` says whether the whole text begins with it."""
        if self._normalizer is not None:
            text = self._normalizer.normalize(text)
        return self.normalized_ids(text, at_start)

    def normalized_ids(self, text: str, at_start: bool = True) -> list[int]:
        """The ids of a span that is normalized already."""
        pretokenizer = self._pretokenizer if at_start else self._later_pretokenizer
        if pretokenizer is None:
            ids = self._ids_of(text) if text else []
            return ids if isinstance(ids, list) else list(ids)  # a model's caches hold tuples
        pretokens = pretokenizer.split(text)
        self.looked_up += len(pretokens)
        if len(pretokens) == 1:
            return list(self._ids_of(pretokens[0]))
        return list(chain.from_iterable(map(self._ids_of, pretokens)))

    def places(self, aligned: AlignedText) -> Located:
        """The starts and ends of a span's tokens in the whole text."""
        if self._normalizer is not None:
            aligned = self._normalizer.align(aligned)
        return self.normalized_places(aligned)

    def normalized_places(self, aligned: AlignedText) -> Located:
        """`places` for a span that is normalized already."""
        text = aligned.text
        if self._changes_text and self._pretokenizer is not None:
            return placed(pretokenizers.cut(self._pretokenizer, aligned), self._located)
        pretokenizer = self._later_pretokenizer if text and aligned.starts[0] else self._pretokenizer
        spans = [(text, 0, len(text))] if text else []
        if pretokenizer is not None:
            spans = pretokenizer.spans(text)
        starts, ends = joined(spans, self._located)
        if aligned.identity:
            shift = aligned.origin
            return ([start + shift for start in starts], [end + shift for end in ends]) if shift else (starts, ends)
        first, last = aligned.starts, aligned.ends
        return [first[start] for start in starts], [last[end - 1] for end in ends]

    def texts(self, aligned: AlignedText) -> list[str]:
        """The part of a span, normalized already, that the model gives each token."""
        pieces = [aligned] if aligned.text else []
        pretokenizer = self._pretokenizer
        if not self._changes_text and pieces and aligned.starts[0]:
            pretokenizer = self._later_pretokenizer
        if pretokenizer is not None:
            pieces = pretokenizers.cut(pretokenizer, aligned)
        return [piece.text[start:end] for piece in pieces for _, start, end in self._segment(piece.text)]

    def _locate(self, pretoken: str) -> Located:
        segments = self._segment(pretoken)
        return tuple(start for _, start, _ in segments), tuple(end for _, _, end in segments)


class _Computed(dict[str, Located]):
    """Places that are computed for every look-up."""

    def __init__(self, locate: Callable[[str], Located]) -> None:
        super().__init__()
        self._locate = locate

    def __missing__(self, pretoken: str) -> Located:
        return self._locate(pretoken)


class NestedPretokenPath(PretokenPath):
    """For a sequence of pre-tokenizers: caches the result of all others for each part that the first one splits off."""

    def __init__(
        self, model: Model, normalizer: Normalizer | None, pretokenizer: pretokenizers.PreTokenizerSequence
    ) -> None:
        super().__init__(model, normalizer, pretokenizer.first)
        inner = PretokenPath(model, None, pretokenizer.rest)
        self._ids_of = Cache(lambda pretoken: tuple(inner.normalized_ids(pretoken))).__getitem__
        self._located = Cache(lambda pretoken: inner.normalized_places(AlignedText.of(pretoken)))


class PlacedPretokenPath(PretokenPath):
    """For pre-tokenizers that depend on the position of a span in the whole text."""

    def __init__(self, model: Model, normalizer: Normalizer | None, pretokenizer: PreTokenizer | None) -> None:
        super().__init__(model, normalizer, pretokenizer)
        self._changes_text = True

    def normalized_ids(self, text: str, at_start: bool = True) -> list[int]:
        """The ids of a span that is normalized already; each character stands for itself."""
        return self.aligned_ids(AlignedText.of(text) if at_start else AlignedText.of(" " + text).part(1, len(text) + 1))

    def ids(self, text: str, at_start: bool = True) -> list[int]:
        """The ids of a span; `at_start` says whether the whole text begins with it."""
        aligned = AlignedText.of(text) if at_start else AlignedText.of(" " + text).part(1, len(text) + 1)
        return self.aligned_ids(aligned if self._normalizer is None else self._normalizer.align(aligned))

    def aligned_ids(self, aligned: AlignedText) -> list[int]:
        """The ids of a normalized span, with its offsets in the original text."""
        pieces = [aligned] if aligned.text else []
        if self._pretokenizer is not None:
            pieces = pretokenizers.cut(self._pretokenizer, aligned)
        return list(chain.from_iterable(self._ids_of(piece.text) for piece in pieces))


class BertWordPath(PretokenPath):
    """For BERT: no step looks across white space, so whole words of the original text are cached."""

    def __init__(self, model: Model, normalizer: BertNormalizer, pretokenizer: PreTokenizer) -> None:
        super().__init__(model, normalizer, pretokenizer)
        self._bert = normalizer
        inner = PretokenPath(model, normalizer, pretokenizer)
        self._words = Cache(lambda word: tuple(inner.ids(word)))
        self._word_ids = self._words.__getitem__
        self._word_places = Cache(lambda word: inner.places(AlignedText.of(word)))

    @property
    def cached(self) -> int | None:
        """The number of words in the cache of `ids`."""
        return len(self._words)

    def ids(self, text: str, at_start: bool = True) -> list[int]:
        """The ids of a span."""
        words = self._bert.words(text)
        self.looked_up += len(words)
        return list(chain.from_iterable(map(self._word_ids, words)))

    def places(self, aligned: AlignedText) -> Located:
        """The starts and ends of a span's tokens in the whole text."""
        shift = aligned.origin
        starts, ends = joined(self._bert.word_spans(aligned.text), self._word_places)
        return ([start + shift for start in starts], [end + shift for end in ends]) if shift else (starts, ends)


def encoding_path(model: Model, normalizer: Normalizer | None, pretokenizer: PreTokenizer | None) -> PretokenPath:
    """The path that caches the longest spans whose tokens do not depend on the text around them."""
    if isinstance(normalizer, BertNormalizer) and isinstance(pretokenizer, BertPreTokenizer):
        return BertWordPath(model, normalizer, pretokenizer)
    if _is_by_place(normalizer, pretokenizer):
        return PlacedPretokenPath(model, normalizer, pretokenizer)
    changes_text = pretokenizers.changes_text(pretokenizer)
    if (
        isinstance(pretokenizer, pretokenizers.PreTokenizerSequence)
        and len(pretokenizer.pretokenizers) > 1
        and not changes_text
    ):
        return NestedPretokenPath(model, normalizer, pretokenizer)
    return PretokenPath(model, normalizer, pretokenizer)


def uncached_path(model: Model, normalizer: Normalizer | None, pretokenizer: PreTokenizer | None) -> PretokenPath:
    """The path that asks the model for every pre-token, in the order of the text, also if it occurred before."""
    by_place = _is_by_place(normalizer, pretokenizer)
    path = (PlacedPretokenPath if by_place else PretokenPath)(model, normalizer, pretokenizer)
    path.forget()
    return path


def _is_by_place(normalizer: Normalizer | None, pretokenizer: PreTokenizer | None) -> bool:
    """Whether the tokens of a span depend on its position in the whole text."""
    if pretokenizers.needs_places(pretokenizer):
        return True
    if pretokenizer is None or pretokenizers.for_later_spans(pretokenizer) == pretokenizer:
        return False
    return not keeps_beginning(normalizer)


def joined(spans: Sequence[Span], located: Mapping[str, Located]) -> Located:
    """The places of all tokens of a text, from those inside each of its pre-tokens.

    >>> joined([("low", 0, 3), ("er", 4, 6)], {"low": ((0,), (3,)), "er": ((0, 1), (1, 2))})
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
        # Characters that were inserted before the first one have its place.
        shift = end - len(pretoken)
        for inner_start, inner_end in zip(inner_starts, inner_ends, strict=True):
            add_start(max(inner_start + shift, start))
            add_end(max(inner_end + shift, start + 1))
    return starts, ends


def placed(pieces: Sequence[AlignedText], located: Mapping[str, Located]) -> Located:
    """The places of all tokens, from those inside each pre-token and the places of its characters."""
    starts: list[int] = []
    ends: list[int] = []
    for piece in pieces:
        inner_starts, inner_ends = located[piece.text]
        starts += [piece.starts[start] for start in inner_starts]
        ends += [piece.ends[end - 1] for end in inner_ends]
    return starts, ends

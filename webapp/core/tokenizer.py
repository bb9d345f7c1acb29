"""The tokenizer: a pipeline of normalizer, pre-tokenizer, model and decoder, with added tokens and post-processing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from webapp.core.added_tokens import AddedToken, AddedTokenFinder, Part, PostProcessor, as_added_tokens, spaces_of
from webapp.core.encoding import Encoding, Placement
from webapp.core.encoding_paths import PlacedPretokenPath, encoding_path, uncached_path
from webapp.core.models import Model
from webapp.core.models.unigram import Unigram
from webapp.core.models.word_models import WordModel
from webapp.core.text.alignment import AlignedText
from webapp.core.text.decoders import Decoder, Join
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.pretokenizers import PreTokenizer
from webapp.core.vocabulary_error import VocabularyError


class Tokenizer:
    """Encodes text to ids and decodes ids to text. Immutable and safe to share between threads.

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
        added_tokens: Sequence[AddedToken] = (),
        postprocessor: PostProcessor | None = None,
        rules: str = "",
    ) -> None:
        """Create a tokenizer.

        `special_tokens` maps special tokens to ids, in the model's vocabulary or beyond it; `added_tokens` are tokens
        with explicit flags. `rules` names those of conversations, if the file does. Raises ValueError for an empty
        token.
        """
        self.model = model
        self.rules = rules
        self.normalizer = normalizer
        self.pretokenizer = pretokenizer
        self.decoder = decoder
        self.added_tokens: Sequence[AddedToken] = (*as_added_tokens(special_tokens), *added_tokens)
        if any(not token.content for token in self.added_tokens):
            raise VocabularyError("a special token is empty")
        self.special_tokens: Mapping[str, int] = MappingProxyType(
            {token.content: token.id for token in self.added_tokens if token.special}
        )
        self.postprocessor = postprocessor or PostProcessor()
        self._added_by_id = {token.id: token for token in self.added_tokens}
        self.gaps: frozenset[int] = getattr(model, "gaps", frozenset())
        """The ids without a piece, between those that have one."""
        self._in_text = AddedTokenFinder(token for token in self.added_tokens if not token.normalized)
        normalize = (lambda content: content) if normalizer is None else normalizer.normalize
        self._in_normalized = AddedTokenFinder((token for token in self.added_tokens if token.normalized), normalize)
        # As in `tokenizers`: a normalized token decodes to its normalized spelling, and `skip_special` drops it only if
        # that spelling is itself the content of a special token.
        self._decoded = {
            token.id: normalize(token.content) if token.normalized else token.content for token in self.added_tokens
        }
        if isinstance(model, WordModel):  # white space and punctuation are in the encoding as they are, though no words
            for space, id in model.dictionary.other_ids.items():
                self._added_by_id.setdefault(id, AddedToken(space, id, special=False))
                self._decoded.setdefault(id, space)
        self._path = encoding_path(model, normalizer, pretokenizer)

    def changed(self, **parts: Any) -> Tokenizer:
        """Return the same pipeline with other parts, named like the arguments of `Tokenizer`."""
        own = {
            "model": self.model,
            "normalizer": self.normalizer,
            "pretokenizer": self.pretokenizer,
            "decoder": self.decoder,
            "added_tokens": self.added_tokens,
            "postprocessor": self.postprocessor,
            "rules": self.rules,
        }
        return Tokenizer(**{**own, **parts})

    def encode(self, text: str, *, special: bool = False, template: bool = False) -> Encoding:
        """Return the tokens of a text.

        With `special`, special tokens in the text are recognized; other added tokens always are. With `template`, the
        special tokens of the post-processor's template are added around the text. A surrogate pair is read as its
        character and a lone surrogate as U+FFFD, as in `tiktoken`; `tokenizers` and `sentencepiece` reject such texts.
        """
        well_formed = as_well_formed(text)
        ids = self._ids(well_formed, special)
        filled = self.postprocessor.template.ids(ids) if template and self.postprocessor.template else ids
        return Encoding(
            text,
            filled,
            pieces=self.model.pieces,
            unknown_id=self.model.unknown_id,
            place=lambda: _in_text(text, well_formed, self._place(well_formed, ids, special, template)),
            added=self._added_by_id,
        )

    def ids(self, text: str, *, special: bool = False, template: bool = False) -> list[int]:
        """Return `encode(text).ids`, without the cost of an `Encoding`."""
        ids = self._ids(as_well_formed(text), special)
        if template and self.postprocessor.template is not None:
            return self.postprocessor.template.ids(ids)
        return ids

    @property
    def cached_words(self) -> tuple[int, int] | None:
        """How many pre-tokens were looked up so far, and how many the cache has; None without a cache of them."""
        cached = self._path.cached
        return None if cached is None else (self._path.looked_up, cached)

    def parts(self, text: str, *, special: bool = False) -> Iterator[tuple[AlignedText, AddedToken | None]]:
        """Yield the added tokens of a text and the normalized spans between them, which `encode` pre-tokenizes.

        For a span between added tokens the second item is None.
        """
        return self._parts(_aligned(text), special)

    def parts_in_text(self, text: str, *, special: bool = False) -> list[Part]:
        """Return the added tokens of a text before normalization, and the spans between them."""
        return self._in_text.parts(text, special=special)

    def decode(self, ids: Iterable[int], *, skip_special: bool = False) -> str:
        """Return the text of ids, with `skip_special` without the special tokens among them.

        Raises ValueError, which names the first id outside the vocabulary.
        """
        vocabulary = self.model.pieces
        size = len(vocabulary)
        ids = ids if isinstance(ids, Sequence) else list(ids)
        different = set(ids)
        within = different and min(different) >= 0 and max(different) < size
        if within and different.isdisjoint(self._decoded) and different.isdisjoint(self.gaps):
            return (self.decoder or Join()).decode(list(map(vocabulary.__getitem__, ids)))
        pieces: list[str | bytes] = []
        added_of = self._decoded.get
        special_tokens = self.special_tokens
        for id in ids:
            added = added_of(id)
            if added is not None:
                if not (skip_special and added in special_tokens):
                    pieces.append(added)
            elif 0 <= id < size and id not in self.gaps:
                pieces.append(vocabulary[id])
            else:
                pieces.append(self.decoded_piece(id))
        return (self.decoder or Join()).decode(pieces)

    def decoded_piece(self, id: int) -> str | bytes:
        """Return what `decode` gives the decoder for an id; raises ValueError for one outside the vocabulary.

        That is the piece, for an added token its text, and U+FFFD for an unknown token without a piece.
        """
        added = self._decoded.get(id)
        if added is not None:
            return added
        if 0 <= id < len(self.model.pieces) and id not in self.gaps:
            return self.model.pieces[id]
        if id == self.model.unknown_id:
            return "\ufffd"
        count = len(self.model.pieces) - len(self.gaps)
        where = "in a gap of" if id in self.gaps else "outside"
        raise ValueError(f"id {id} is {where} the vocabulary of {count} pieces")

    def has_id(self, id: int) -> bool:
        """Whether the id is that of a piece, of an added token or of unknown text."""
        is_piece = 0 <= id < len(self.model.pieces) and id not in self.gaps
        return is_piece or id in self._decoded or id == self.model.unknown_id

    def is_skipped(self, id: int) -> bool:
        """Whether `decode` with `skip_special` leaves out this id."""
        return self._decoded.get(id) in self.special_tokens

    def pieces_length(self, ids: Iterable[int]) -> int:
        """Return the total length of the pieces of ids, in characters (in bytes for pieces that are bytes).

        Ids outside the vocabulary count as 0.

        >>> from webapp.core.models.wordpiece import WordPiece
        >>> Tokenizer(WordPiece(["[UNK]", "un", "##able"])).pieces_length([1, 2, 2, 99])
        14
        """
        pieces, added = self.model.pieces, self._decoded
        size = len(pieces)
        return sum(len(added[id]) if id in added else len(pieces[id]) if id < size else 0 for id in ids)

    def _ids(self, text: str, special: bool) -> list[int]:
        path = self._path
        if not self._matches_added(special):
            return path.ids(text)
        ids: list[int] = []
        for start, end, token in self._in_text.parts(text, special=special):
            if token is not None:
                ids.append(token.id)
            elif not self._in_normalized:
                ids += path.ids(text[start:end], start == 0)
            else:
                ids += self._normalized_ids(text, start, end, special)
        return ids

    def _normalized_ids(self, text: str, start: int, end: int, special: bool) -> list[int]:
        """Return the ids of a span that may contain normalized added tokens."""
        normalized = text[start:end] if self.normalizer is None else self.normalizer.normalize(text[start:end])
        parts = self._in_normalized.parts(normalized, special=special)
        if len(parts) == 1 and parts[0][2] is None:
            return self._path.ids(text[start:end], start == 0)
        ids: list[int] = []
        if isinstance(self._path, PlacedPretokenPath) and self.normalizer is not None:
            aligned = self.normalizer.align(AlignedText.of(text).part(start, end))
            for left, right, token in parts:
                ids += (token.id,) if token else self._path.aligned_ids(aligned.part(left, right))
            return ids
        for left, right, token in parts:
            if token is None:
                ids += self._path.normalized_ids(normalized[left:right], start == left == 0)
            else:
                ids.append(token.id)
        return ids

    def _matches_added(self, special: bool) -> bool:
        """Whether there are added tokens to match."""
        finders = [finder for finder in (self._in_text, self._in_normalized) if finder]
        return any(special or not finder.only_special for finder in finders)

    def _place(self, text: str, ids: Sequence[int], special: bool, template: bool) -> Placement:
        starts, ends, found = self._places(AlignedText.of(text), special)
        if self.postprocessor.trims:
            covered = (text[start:end] for start, end in zip(starts, ends, strict=True))
            spaces = [spaces_of(self._trimmed(id, own)) for id, own in zip(ids, covered, strict=True)]
            if isinstance(self.model, Unigram) and self.model.unknown_id in ids:
                # `tokenizers` calls a token of Unigram, an unknown one too, by the normalized text that it covers.
                names = self._names(text, special)
                spaces = [own if name is None else spaces_of(name) for own, name in zip(spaces, names, strict=True)]
            for trim in self.postprocessor.trims:
                starts, ends = trim.offsets(starts, ends, spaces)
        filled = self.postprocessor.template if template else None
        if filled is None:
            return Placement(starts, ends, frozenset(found))
        marks = filled.filled([at in found for at in range(len(starts))], True)
        special_indexes = frozenset(at for at, mark in enumerate(marks) if mark)
        return Placement(filled.filled(starts, 0), filled.filled(ends, 0), special_indexes)

    def _names(self, text: str, special: bool) -> list[str | None]:
        """Return the normalized text that each token covers; None for added tokens."""
        path = uncached_path(self.model, self.normalizer, self.pretokenizer)
        names: list[str | None] = []
        for part, token in self._parts(AlignedText.of(text), special):
            names += [None] if token is not None else path.texts(part)
        return names

    def _places(self, aligned: AlignedText, special: bool) -> tuple[Sequence[int], Sequence[int], set[int]]:
        """Return the starts and ends of the tokens of a text, and the indexes of special tokens matched in it."""
        if not self._matches_added(special):
            return *self._path.places(aligned), set()
        starts: list[int] = []
        ends: list[int] = []
        found: set[int] = set()
        for part, token in self._parts(aligned, special):
            if token is None:
                part_starts, part_ends = self._path.normalized_places(part)
                starts += part_starts
                ends += part_ends
                continue
            if token.special:
                found.add(len(starts))
            starts.append(part.starts[0])
            ends.append(part.ends[-1])
        return starts, ends, found

    def _parts(self, aligned: AlignedText, special: bool) -> Iterator[tuple[AlignedText, AddedToken | None]]:
        for start, end, token in self._in_text.parts(aligned.text, special=special):
            span = aligned.part(start, end)
            if token is not None:
                yield span, token
                continue
            normalized = span if self.normalizer is None else self.normalizer.align(span)
            for left, right, inner in self._in_normalized.parts(normalized.text, special=special):
                yield normalized.part(left, right), inner

    def _trimmed(self, id: int, covered: str) -> str | bytes:
        """What `tokenizers` trims of a token: the text that it covers for an added token, else its piece."""
        added = self._added_by_id.get(id)
        if id >= len(self.model.pieces) or (added and (id != self.model.unknown_id or added.content in covered)):
            return covered
        return self.model.pieces[id]


def as_well_formed(text: str) -> str:
    """Return the text with each surrogate pair as one character and each lone surrogate as U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _aligned(text: str) -> AlignedText:
    """Return the well-formed text, aligned with the characters of the original text."""
    well_formed = as_well_formed(text)
    if len(text) == len(well_formed):
        return AlignedText.of(well_formed)
    places = _places_of(text, well_formed)
    return AlignedText(well_formed, places[:-1], places[1:])


def _in_text(text: str, well_formed: str, placement: Placement) -> Placement:
    """Map offsets in the well-formed text to offsets in the original text."""
    if len(text) == len(well_formed):
        return placement
    places = _places_of(text, well_formed)
    starts, ends, special_indexes = placement
    return Placement([places[start] for start in starts], [places[end] for end in ends], special_indexes)


def _places_of(text: str, well_formed: str) -> list[int]:
    """Return where in the text each character of the well-formed text begins, and where the last one ends."""
    places = [0]
    for character in well_formed:
        at = places[-1]
        places.append(at + (2 if character > "\uffff" and "\ud800" <= text[at] < "\udc00" else 1))
    return places

"""The pipelines of this site's algorithms, shared by trainers, shipped vocabularies and pages.

A tokenizer with SentencePiece's pipeline around pieces and scores of our own, for vocabularies trained here.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from webapp.core.models import Model
from webapp.core.models.scored_pieces import NAMED_BYTES, PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.text import decoders, normalizers, pretokenizers
from webapp.core.text.decoders import Decoder
from webapp.core.text.normalizers import Normalizer, NormalizerSequence
from webapp.core.text.pretokenizers import PreTokenizer, PreTokenizerSequence
from webapp.core.text.sentencepiece_normalizer import SentencePieceDecoder, SentencePieceNormalizer
from webapp.core.text.split_patterns import MARKED_CLASSES, MARKED_WORDS
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class Recipe:
    """A tokenizer without its model: normalizer, pre-tokenizer and decoder."""

    name: str
    normalizer: Normalizer | None
    pretokenizer: PreTokenizer | None
    decoder: Decoder

    def count(self, text: str) -> dict[str, int]:
        """Return how often each pre-token of a text occurs, in order of first occurrence: the input of the trainers.

        A sequence of pre-tokenizers splits each distinct pre-token of its first one only once, which takes half the
        time for Unigram.

        >>> BYTE_BPE.count("low lower low low")
        {'low': 1, ' lower': 1, ' low': 2}
        """
        if self.normalizer is not None:
            text = self.normalizer.normalize(text)
        if self.pretokenizer is None:
            return {text: 1} if text else {}
        first: PreTokenizer = self.pretokenizer
        later: PreTokenizer | None = None
        if isinstance(self.pretokenizer, PreTokenizerSequence) and self.pretokenizer.pretokenizers:
            first, later = self.pretokenizer.first, self.pretokenizer.rest
        counts = dict(Counter(first.split(text)))
        if later is None:
            return counts
        inner: dict[str, int] = {}
        for pretoken, occurrences in counts.items():
            for piece in later.split(pretoken):
                inner[piece] = inner.get(piece, 0) + occurrences
        return inner

    def tokenizer(self, model: Model, special_tokens: Mapping[str, int] = MappingProxyType({})) -> Tokenizer:
        """Return the tokenizer of this recipe with a model."""
        return Tokenizer(
            model,
            normalizer=self.normalizer,
            pretokenizer=self.pretokenizer,
            decoder=self.decoder,
            special_tokens=special_tokens,
        )


BYTE_BPE = Recipe(
    name="bpe-bytes",
    normalizer=None,
    pretokenizer=pretokenizers.ByteLevel(),
    decoder=decoders.ByteLevelDecoder(),
)
"""Byte-level BPE as in GPT-2; any text decodes unchanged. Its special token is `<|endoftext|>`."""

CHARACTER_BPE = Recipe(
    name="bpe-characters",
    normalizer=None,
    pretokenizer=pretokenizers.Whitespace(),
    decoder=decoders.BPEDecoder("</w>"),
)
"""Sennrich's BPE over words and punctuation, with `</w>` at the end of a word; its unknown token is `<unk>`."""

UNMARKED_BPE = Recipe(
    name="bpe-unmarked", normalizer=None, pretokenizer=pretokenizers.WhitespaceSplit(), decoder=decoders.Join()
)
"""BPE over the characters of words between white space, without a mark: text of several words does not decode."""


def wordpiece(lowercase: bool) -> Recipe:
    """Return BERT's pipeline, uncased (lower case, no accents) or cased."""
    return Recipe(
        name="wordpiece-lowercase" if lowercase else "wordpiece",
        normalizer=normalizers.BertNormalizer(lowercase=lowercase),
        pretokenizer=pretokenizers.BertPreTokenizer(),
        decoder=decoders.WordPieceDecoder("##"),
    )


WORDPIECE = wordpiece(lowercase=False)
"""BERT's pipeline, cased; special tokens `[PAD] [UNK] [CLS] [SEP] [MASK]`, none of which encoding adds."""

UNIGRAM = Recipe(
    name="unigram",
    normalizer=normalizers.NormalizerSequence(
        (normalizers.NFC(), normalizers.Replace(" ", "▁"), normalizers.Prepend("▁"))
    ),
    pretokenizer=pretokenizers.PreTokenizerSequence(
        (
            # A word includes the space before it; of several spaces, all but the last form one pre-token, so that an
            # indentation can be one piece.
            pretokenizers.Split(MARKED_WORDS, "isolated"),
            pretokenizers.Split(MARKED_CLASSES, "isolated"),
        )
    ),
    decoder=decoders.DecoderSequence(
        (decoders.ReplaceDecoder("▁", " "), decoders.Fuse(), decoders.StripDecoder(" ", start=1))
    ),
)
"""Unigram over words, with the space before a word written as `▁`; `<unk>` has the id 0.

A `▁` is always prepended, even if the text begins with a space, so that text decodes unchanged except for NFC.
"""

MATCHING = Recipe(name="matching", normalizer=None, pretokenizer=None, decoder=decoders.Join())
"""Maximum matching, which has no pre-tokenizer: the model receives the whole text."""

NGRAM = Recipe(name="ngram", normalizer=None, pretokenizer=None, decoder=decoders.Join())
"""N-grams of words, which have no pre-tokenizer either."""


GRID = 1 / 128
"""Scores are multiples of this: SentencePiece adds them in single precision and resets sums at 100,000, so its sums are
exact, and the best path is the same as with the double precision of `tokenizers`."""

IDENTITY = SentencePieceNormalizer(remove_extra_whitespaces=False)
"""Keeps all characters: writes `▁` for a space and adds one before the text, so that text decodes unchanged."""


def sentencepiece_tokenizer(
    pieces: Sequence[str],
    scores: Sequence[float],
    *,
    algorithm: Literal["unigram", "bpe"],
    special_tokens: Mapping[str, int] = MappingProxyType({}),
    unknown: str = "<unk>",
    normalizer: Normalizer | None = None,
) -> Tokenizer:
    """Return the tokenizer of pieces in the order of their ids, each with its score.

    `unknown` is one of the pieces; `special_tokens` are pieces that no text produces. If all of `<0x00>` to `<0xFF>`
    are pieces, unknown characters become their bytes. `normalizer` changes the text first; with one, no SentencePiece
    file can hold the tokenizer. For Unigram, scores are log probabilities, rounded to multiples of `GRID`; for BPE, the
    pair that forms the piece with the highest score is merged first.

    >>> pieces, scores = ["<unk>", "▁low", "er", "▁", "l"], [0, -2.0, -2.5, -4.0, -4.5]
    >>> tokenizer = sentencepiece_tokenizer(pieces, scores, algorithm="unigram")
    >>> tokenizer.ids("low lower"), tokenizer.decode([1, 1, 2])
    ([1, 1, 2], 'low lower')

    Raises ValueError for an empty piece, a score that is not a number, pieces without `unknown`, and more or fewer
    scores than pieces.
    """
    if len(pieces) != len(scores):
        raise ValueError(f"{len(pieces):,} pieces, but {len(scores):,} scores")
    byte_ids = None
    known = {piece: id for id, piece in enumerate(pieces)}
    if all(name in known for name in NAMED_BYTES):
        byte_ids = [known[name] for name in NAMED_BYTES]
    kinds = [PieceKind.NORMAL] * len(pieces)
    for id in byte_ids or ():
        kinds[id] = PieceKind.BYTE
    for piece, id in special_tokens.items():
        if known.get(piece) != id:
            raise ValueError(f"the special token {piece!r} is not the piece with the id {id}")
        kinds[id] = PieceKind.CONTROL
    if unknown in known:
        kinds[known[unknown]] = PieceKind.UNKNOWN
    rounded = [round(score / GRID) * GRID if algorithm == "unigram" else float(score) for score in scores]
    plain = [score if kind == PieceKind.NORMAL else 0.0 for score, kind in zip(rounded, kinds, strict=True)]
    vocabulary = ScoredPieces(pieces, plain, kinds, byte_ids=byte_ids)
    control = {piece: id for id, piece in enumerate(pieces) if kinds[id] == PieceKind.CONTROL}
    return Tokenizer(
        SentencePieceUnigram(vocabulary) if algorithm == "unigram" else ScoredBPE(vocabulary),
        normalizer=IDENTITY if normalizer is None else NormalizerSequence((normalizer, IDENTITY)),
        decoder=SentencePieceDecoder(
            control=frozenset(control),
            unknown=unknown,
            byte_pieces={name: byte for byte, name in enumerate(NAMED_BYTES)} if byte_ids else {},
        ),
        special_tokens=control,
    )

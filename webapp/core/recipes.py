"""The pipelines of this site's algorithms, shared by trainers, shipped vocabularies and pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from webapp.core.models import Model
from webapp.core.text import decoders, normalizers, pretokenizers
from webapp.core.text.decoders import Decoder
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.pretoken_counts import count
from webapp.core.text.pretokenizers import PreTokenizer
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

        >>> BYTE_BPE.count("low lower low low")
        {'low': 1, ' lower': 1, ' low': 2}
        """
        if self.normalizer is not None:
            text = self.normalizer.normalize(text)
        if self.pretokenizer is None:
            return {text: 1} if text else {}
        return count(text, self.pretokenizer)

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

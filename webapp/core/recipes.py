"""The five pipelines of this site, one for trainers, shipped vocabularies and pages alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from webapp.core.models import Model
from webapp.core.text import decoders, normalizers, pretokenizers
from webapp.core.text.decoders import Decoder
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.pretokenizers import PreTokenizer
from webapp.core.text.split_patterns import MARKED_CLASSES, MARKED_WORDS
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class Recipe:
    """Everything of a tokenizer but its model."""

    name: str
    normalizer: Normalizer | None
    pretokenizer: PreTokenizer | None
    decoder: Decoder

    def count(self, text: str) -> dict[str, int]:
        """How often each pre-token of a text occurs, in the order of first sight: what the trainers take.

        >>> BYTE_BPE.count("low lower low low")
        {'low': 1, ' lower': 1, ' low': 2}
        """
        if self.normalizer is not None:
            text = self.normalizer.normalize(text)
        if self.pretokenizer is None:
            return {text: 1} if text else {}
        return dict(Counter(self.pretokenizer.split(text)))

    def tokenizer(self, model: Model, special_tokens: Mapping[str, int] = MappingProxyType({})) -> Tokenizer:
        """The tokenizer that this recipe and a model make."""
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
"""Byte-level BPE as in GPT-2; any text comes back as it was. Its special token is `<|endoftext|>`."""

CHARACTER_BPE = Recipe(
    name="bpe-characters",
    normalizer=None,
    pretokenizer=pretokenizers.Whitespace(),
    decoder=decoders.BPEDecoder("</w>"),
)
"""Sennrich's BPE: words and punctuation, `</w>` at a word's end; its unknown token is `<unk>`."""


def wordpiece(lowercase: bool) -> Recipe:
    """BERT's pipeline, in lower case and without accents, or with the text's own letters."""
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
            # Words with the space before them; of several spaces all but the last stay together, so that an
            # indentation can be one piece.
            pretokenizers.Split(MARKED_WORDS, "isolated"),
            pretokenizers.Split(MARKED_CLASSES, "isolated"),
        )
    ),
    decoder=decoders.DecoderSequence(
        (decoders.ReplaceDecoder("▁", " "), decoders.Fuse(), decoders.StripDecoder(" ", start=1))
    ),
)
"""Unigram over words with their space in front as `▁`; `<unk>` is id 0. Apart from NFC, ordinary text comes
back whole: the `▁` is put in front always, not only where the text does not begin with a space."""

MATCHING = Recipe(name="matching", normalizer=None, pretokenizer=None, decoder=decoders.Join())
"""Maximum matching: the dictionary sees the whole text."""

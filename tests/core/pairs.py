"""Small vocabularies that `tokenizers` trains on an inline text, each paired with our reading of the same file."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

from tests.core.texts import CORPUS
from webapp.core.formats import huggingface
from webapp.core.text.split_patterns import CL100K
from webapp.core.tokenizer import Tokenizer


@dataclass
class Pair:
    """One vocabulary in two implementations."""

    ours: Tokenizer
    theirs: tokenizers.Tokenizer

    def assert_same(self, text: str, *, special: bool = False, template: bool = False) -> None:
        """Check the ids and offsets of a text; in `theirs`, special tokens are plain text again."""
        self.theirs.encode_special_tokens = not special
        theirs = self.theirs.encode(text, add_special_tokens=template)
        self.theirs.encode_special_tokens = True
        ours = self.ours.encode(text, special=special, template=template)
        assert list(ours.ids) == theirs.ids == self.ours.ids(text, special=special, template=template)
        assert list(zip(ours.starts, ours.ends, strict=True)) == theirs.offsets


def _paired(tokenizer: tokenizers.Tokenizer, trainer: Any) -> Pair:
    tokenizer.train_from_iterator(CORPUS.splitlines(keepends=True), trainer)
    tokenizer.encode_special_tokens = True  # special tokens in a text are plain text unless requested
    return Pair(huggingface.read(tokenizer.to_str()), tokenizer)


def byte_bpe() -> Pair:
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=900, initial_alphabet=alphabet, special_tokens=["<|endoftext|>"], show_progress=False
    )
    return _paired(tokenizer, trainer)


def cl100k_bpe() -> Pair:
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CL100K), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=900, initial_alphabet=alphabet, special_tokens=["<|a|>", "<|a|><|b|>"], show_progress=False
    )
    return _paired(tokenizer, trainer)


def glued_bpe() -> Pair:
    tokenizer = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.decoder = decoders.BPEDecoder("</w>")
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        limit_alphabet=200,
        end_of_word_suffix="</w>",
        special_tokens=["<unk>"],
        show_progress=False,
    )
    return _paired(tokenizer, trainer)


def wordpiece(lowercase: bool = False) -> Pair:
    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=700,
        limit_alphabet=200,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        show_progress=False,
    )
    return _paired(tokenizer, trainer)


def wordpiece_lowercase() -> Pair:
    return wordpiece(lowercase=True)


def unigram() -> Pair:
    # The pipeline is our recipe's, so that its file is compared as well; only the pieces are trained.
    from webapp.core.models.unigram import Unigram
    from webapp.core.recipes import UNIGRAM

    written = huggingface.write(UNIGRAM.tokenizer(Unigram(["<unk>"], [0.0], unknown_id=0), {"<unk>": 0}))
    tokenizer = tokenizers.Tokenizer.from_str(written)
    trainer = trainers.UnigramTrainer(vocab_size=600, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
    return _paired(tokenizer, trainer)


def metaspace_unigram() -> Pair:
    tokenizer = tokenizers.Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    trainer = trainers.UnigramTrainer(vocab_size=600, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
    return _paired(tokenizer, trainer)


@cache
def pair_of(name: str) -> Pair:
    """The vocabulary of a pipeline."""
    made: Pair = globals()[name]()
    return made

"""Small vocabularies that `tokenizers` trains on an inline text, each paired with our reading of the same file."""

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

from tests.core.texts import CORPUS
from webapp.core.formats import huggingface
from webapp.core.models.unigram import Unigram
from webapp.core.recipes import UNIGRAM
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

    def assert_decoded(self, ids: list[int]) -> None:
        """Check the text of ids, with special tokens and without."""
        for skip in (False, True):
            assert self.ours.decode(ids, skip_special=skip) == self.theirs.decode(ids, skip_special_tokens=skip)


def built(model: Any, **parts: Any) -> tokenizers.Tokenizer:
    """Return a tokenizer of a model and the parts of its pipeline that are not None."""
    tokenizer = tokenizers.Tokenizer(model)
    for name, part in parts.items():
        if part is not None:
            setattr(tokenizer, name, part)
    return tokenizer


def paired(tokenizer: tokenizers.Tokenizer, trainer: Any = None) -> Pair:
    """Train a tokenizer if there is a trainer, and read it; special tokens are plain text unless requested."""
    if trainer:
        tokenizer.train_from_iterator(CORPUS.splitlines(keepends=True), trainer)
    tokenizer.encode_special_tokens = True
    return Pair(huggingface.read(tokenizer.to_str()), tokenizer)


def byte_bpe(split: Any, special_tokens: list[str]) -> Pair:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=900, initial_alphabet=alphabet, special_tokens=special_tokens, show_progress=False
    )
    return paired(built(models.BPE(), pre_tokenizer=split, decoder=decoders.ByteLevel()), trainer)


def glued_bpe() -> Pair:
    model = models.BPE(unk_token="<unk>", end_of_word_suffix="</w>")
    parts = {"pre_tokenizer": pre_tokenizers.Whitespace(), "decoder": decoders.BPEDecoder("</w>")}
    options = {"vocab_size": 700, "limit_alphabet": 200, "end_of_word_suffix": "</w>", "special_tokens": ["<unk>"]}
    return paired(built(model, **parts), trainers.BpeTrainer(**options, show_progress=False))


def wordpiece(lowercase: bool = False) -> Pair:
    tokenizer = built(
        models.WordPiece(unk_token="[UNK]"),
        normalizer=normalizers.BertNormalizer(lowercase=lowercase),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
        decoder=decoders.WordPiece(),
    )
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    options = {"vocab_size": 700, "limit_alphabet": 200, "special_tokens": special}
    return paired(tokenizer, trainers.WordPieceTrainer(**options, show_progress=False))


def unigram(tokenizer: tokenizers.Tokenizer) -> Pair:
    options = {"vocab_size": 600, "special_tokens": ["<unk>"], "unk_token": "<unk>"}
    return paired(tokenizer, trainers.UnigramTrainer(**options, show_progress=False))


def own_pipeline() -> Pair:
    """A Unigram vocabulary in our recipe's pipeline, so that its file is compared as well."""
    written = huggingface.write(UNIGRAM.tokenizer(Unigram(["<unk>"], [0.0], unknown_id=0), {"<unk>": 0}))
    return unigram(tokenizers.Tokenizer.from_str(written))


def metaspace_unigram() -> Pair:
    spaces = pre_tokenizers.Metaspace(prepend_scheme="always"), decoders.Metaspace(prepend_scheme="always")
    parts = {"normalizer": normalizers.NFKC(), "pre_tokenizer": spaces[0], "decoder": spaces[1]}
    return unigram(built(models.Unigram(), **parts))


GPT2 = pre_tokenizers.ByteLevel(add_prefix_space=False)
PLAIN = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
LLAMA3 = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(CL100K), "isolated"), PLAIN])
MADE = {
    "byte_bpe": partial(byte_bpe, GPT2, ["<|endoftext|>"]),
    "cl100k_bpe": partial(byte_bpe, LLAMA3, ["<|a|>", "<|a|><|b|>"]),
    "glued_bpe": glued_bpe,
    "wordpiece": wordpiece,
    "wordpiece_lowercase": partial(wordpiece, lowercase=True),
    "unigram": own_pipeline,
    "metaspace_unigram": metaspace_unigram,
}


@cache
def pair_of(name: str) -> Pair:
    """The vocabulary of a pipeline."""
    return MADE[name]()

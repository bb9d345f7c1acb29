"""Python code that loads a vocabulary's file with the library that it is for."""

from __future__ import annotations

import json

TOKENIZER_JSON = """\
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file({file})
print(tokenizer.encode("Hello world").ids)
"""

NGRAMS = """\
from webapp.core import load  # Tokenscope

tokenizer = load({file})
print(tokenizer.model.words("人生如梦境"))
"""

SENTENCEPIECE = """\
from sentencepiece import SentencePieceProcessor

tokenizer = SentencePieceProcessor(model_file={file})
print(tokenizer.encode("Hello world"))
"""

TIKTOKEN = """\
import json

import tiktoken
from tiktoken.load import load_tiktoken_bpe

ranks = load_tiktoken_bpe({file})
with open("encoding.json", encoding="utf-8") as file:
    tokenizer = tiktoken.Encoding(**json.load(file), mergeable_ranks=ranks)
print(tokenizer.encode("Hello world"))
"""

VOCAB_JSON = """\
from tokenizers.implementations import ByteLevelBPETokenizer

tokenizer = ByteLevelBPETokenizer("vocab.json", "merges.txt")
print(tokenizer.encode("Hello world").ids)
"""

VOCAB_TXT = """\
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

tokenizer = Tokenizer(models.WordPiece.from_file("vocab.txt", unk_token="[UNK]"))
tokenizer.normalizer = normalizers.BertNormalizer(lowercase={lowercase})
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
print(tokenizer.encode("Hello world").ids)
"""

MINIMAL_BPE = """\
import json

import regex  # pip install regex


class MinimalBPE:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            saved = json.load(file)
        self.ids = {{tuple(pair): id for pair, id in saved["merges"]}}
        self.special_tokens = dict(saved["special_tokens"])
        self.pattern = saved.get("pattern", r"[\\s\\S]+")

    def encode(self, text):
        return [id for word in regex.findall(self.pattern, text) for id in self.merge(list(word.encode()))]

    def merge(self, ids):
        while len(ids) > 1:
            pair = min(zip(ids, ids[1:]), key=lambda pair: self.ids.get(pair, float("inf")))
            if pair not in self.ids:
                break
            merged = []
            while ids:
                count = 2 if tuple(ids[:2]) == pair else 1
                merged.append(self.ids[pair] if count == 2 else ids[0])
                ids = ids[count:]
            ids = merged
        return ids


tokenizer = MinimalBPE({file})
print(tokenizer.encode("Hello world"))
"""


def loading_code(file: str, *, lowercase: bool = False) -> str:
    """Return code that loads a file and prints the ids of a text.

    `lowercase` is for a `vocab.txt`.

    >>> print(loading_code("own.model"), end="")
    from sentencepiece import SentencePieceProcessor
    <BLANKLINE>
    tokenizer = SentencePieceProcessor(model_file="own.model")
    print(tokenizer.encode("Hello world"))

    Raises KeyError for a file of no such format.
    """
    template = _NAMED.get(file) or _BY_ENDING[file.rpartition(".")[2]]
    return template.format(file=json.dumps(file), lowercase=lowercase)


_NAMED = {
    "tokenizer.json": TOKENIZER_JSON,
    "bpe.json": MINIMAL_BPE,
    "vocab.json": VOCAB_JSON,
    "merges.txt": VOCAB_JSON,
    "vocab.txt": VOCAB_TXT,
    "ngrams.json": NGRAMS,
    "ngrams.txt": NGRAMS,
}
_BY_ENDING = {"model": SENTENCEPIECE, "tiktoken": TIKTOKEN}

"""A small file of every format, to damage it."""

import base64
import json
from functools import cache
from typing import Any

from tests.core.gguf_files import byte_level, characters, scored, unigram, words, written
from tests.core.sentencepieces import trained
from tests.core.texts import CORPUS
from webapp.core.formats import minimal_bpe, ngram_counts, rwkv, tagger_weights, tiktoken, tiktoken_encoding, vocab_json
from webapp.core.models.byte_matching import ByteMatching
from webapp.core.models.ngram import NGram
from webapp.core.recipes import BYTE_BPE, NGRAM
from webapp.core.text import split_patterns
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.bpe import train_bytes
from webapp.core.trainers.ngram import segmented, train
from webapp.core.trainers.tagger import Training

GGUF = {"bytes": byte_level, "scores": scored, "words": words, "unigram": unigram, "characters": characters}
OTHERS = ["tekken", "scores", "tiktoken", "encoding", "minimal-bpe", "vocab.json", "vocab.txt", "codes", "dictionary",
          "counts", "n-grams", "tagger", "rwkv", *(f"gguf {name}" for name in GGUF)]  # fmt: skip
MODELS = ["unigram", "bpe", "word", "char"]
BYTES = [bytes([byte]) for byte in range(256)]
TRAINED = train_bytes(BYTE_BPE.count(CORPUS), 701, ["<|end|>"])
RANKS = [*BYTES, *(bytes(piece) for piece in TRAINED.model.pieces[256:700])]  # type: ignore[arg-type]


def tekken_file(**changes: Any) -> dict[str, Any]:
    """Return a `tekken.json` with 600 pieces in use after 100 ids for special tokens, two of which have a name."""
    config = {
        "pattern": split_patterns.TEKKEN,
        "num_vocab_tokens": len(RANKS),
        "default_vocab_size": 600 + 100,
        "default_num_special_tokens": 100,
        "version": "v3",
    }
    vocabulary = [
        {"rank": rank, "token_bytes": base64.b64encode(piece).decode(), "token_str": None}
        for rank, piece in enumerate(RANKS)
    ]
    special_tokens = [
        {"rank": rank, "token_str": name, "is_control": True} for rank, name in enumerate(["<unk>", "<s>"])
    ]
    return {"config": config, "vocab": vocabulary, "special_tokens": special_tokens, **changes}


def scores_file(pieces: list[str]) -> dict[str, Any]:
    """Return pieces and scores in which the 256 bytes follow the special tokens."""
    tokens = ["<unk>", "<s>", *map(chr, range(256)), *pieces]
    return {"tokens": tokens, "scores": [-float(at) for at in range(len(tokens))]}


@cache
def small(name: str) -> tuple[bytes, ...]:
    """Return a small file of a format, written by the original library or by us."""
    bpe = BYTE_BPE.tokenizer(train_bytes(BYTE_BPE.count(CORPUS), 350).model)
    match name:
        case "tekken":
            sizes = {"default_vocab_size": 310, "default_num_special_tokens": 10}
            file = tekken_file(vocab=tekken_file()["vocab"][:300], config={"pattern": "[^ ]+| +", **sizes})
            return (json.dumps(file).encode(),)
        case "scores":
            return (json.dumps(scores_file([" a", " the", "研究", "un"])).encode(),)
        case "tiktoken":
            ranks = {piece: rank for rank, piece in enumerate(RANKS[:400])}
            return (tiktoken.write(tiktoken.rank_tokenizer(ranks, split_patterns.CL100K_BASE, {})),)
        case "encoding":
            content, encoding = tiktoken_encoding.write(bpe)
            return encoding.encode(), content
        case "minimal-bpe":
            return (minimal_bpe.write(BYTE_BPE.tokenizer(TRAINED.model, TRAINED.special_tokens)).encode(),)
        case "vocab.json":
            vocabulary, merges = vocab_json.write(bpe)
            return vocabulary.encode(), merges.encode()
        case "vocab.txt":
            return (b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\n\xe7\xa0\x94\n\xc3\xa9\nthe",)
        case "codes":
            return (b"#version: 0.2\nt h\nth e</w>\nu n\na f\naf f\nun i\n",)
        case "rwkv":
            pieces = [*BYTES, b"the", "研究".encode(), b"\xe7\xa0", b"it's"]
            return (rwkv.write(Tokenizer(ByteMatching([b"<|endoftext|>", *pieces], reserved=1))).encode(),)
        case "dictionary":
            return ("研究 5 v\n研 4\naffable 3 a\ncafé 2 n\n".encode(),)
        case name if name.startswith("gguf "):
            return (written(GGUF[name.removeprefix("gguf ")]()),)
        case "counts" | "n-grams":
            counts = train(list(segmented("人生 如 梦境\n人生 如 戏\n生如夏花\n梦境 如 人生")))
            write = ngram_counts.write_json if name == "counts" else ngram_counts.write_text
            return (write(NGRAM.tokenizer(NGram(counts, "kneser-ney"))).encode(),)
        case "tagger":
            training = Training(list(segmented("人生 如 梦境\n人生 如 戏")))
            list(training.run(2))
            return (tagger_weights.write(NGRAM.tokenizer(training.tagger())).encode(),)
        case model:
            return (trained(model_type=model, byte_fallback=True, vocab_size=700),)

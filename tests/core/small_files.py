"""A small file of every format, to damage it."""

from functools import cache

from tests.core.mutations import written
from tests.core.sentencepieces import trained
from tests.core.tekken_files import RANKS, tekken_file
from tests.core.texts import CORPUS
from webapp.core.formats import minimal_bpe, tiktoken, tiktoken_encoding, vocab_json
from webapp.core.formats.dictionary import write_dictionary
from webapp.core.models.dictionary import Dictionary
from webapp.core.recipes import BYTE_BPE
from webapp.core.text import split_patterns
from webapp.core.trainers.bpe import train_bytes

OTHERS = ["tekken", "scores", "tiktoken", "encoding", "minimal-bpe", "vocab.json", "vocab.txt", "codes", "dictionary"]
MODELS = ["unigram", "bpe", "word", "char"]


@cache
def small(name: str) -> tuple[bytes, ...]:
    """Return a small file of a format, written by the original library or by us."""
    if name in MODELS:
        return (trained(model_type=name, byte_fallback=True, vocab_size=700),)
    if name == "tekken":
        return (written(tekken_file(vocab=tekken_file()["vocab"][:300], config={
            "pattern": "[^ ]+| +", "default_vocab_size": 310, "default_num_special_tokens": 10
        })),)  # fmt: skip
    if name == "scores":
        tokens = ["<unk>", "<s>", *map(chr, range(256)), " a", " the", "研究", "un"]
        return (written({"tokens": tokens, "scores": [-float(at) for at in range(len(tokens))]}),)
    if name == "tiktoken":
        ranks = {piece: rank for rank, piece in enumerate(RANKS[:400])}
        return (tiktoken.write(tiktoken.rank_tokenizer(ranks, split_patterns.CL100K_BASE, {})),)
    if name == "encoding":
        ranks, encoding = tiktoken_encoding.write(BYTE_BPE.tokenizer(train_bytes(BYTE_BPE.count(CORPUS), 350).model))
        return encoding.encode(), ranks
    if name == "minimal-bpe":
        bpe = train_bytes(BYTE_BPE.count(CORPUS), 300, ["<|end|>"])
        return (minimal_bpe.write(BYTE_BPE.tokenizer(bpe.model, bpe.special_tokens)).encode(),)
    if name == "vocab.json":
        vocabulary, merges = vocab_json.write(BYTE_BPE.tokenizer(train_bytes(BYTE_BPE.count(CORPUS), 400).model))
        return vocabulary.encode(), merges.encode()
    if name == "vocab.txt":
        return ("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "研", "é", "the"]).encode(),)
    if name == "codes":
        return (b"#version: 0.2\nt h\nth e</w>\nu n\na f\naf f\nun i\n",)
    return (
        write_dictionary(Dictionary(["研究", "研", "affable", "café"], [5, 4, 3, 2], ["v", "", "a", "n"])).encode(),
    )

"""Small vocabularies of every kind, as bases and as additions."""

from functools import cache

from tests.core.sentencepieces import trained
from tests.core.texts import CORPUS
from webapp.core.formats import sentencepiece
from webapp.core.formats.tiktoken import rank_tokenizer
from webapp.core.text.split_patterns import CL100K_BASE
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.from_text import train_bpe, train_unigram, train_wordpiece

ENGLISH = CORPUS[:900]
CHINESE = (
    """
研究生命科学的人说，结婚的和尚未结婚的都来了。今天天气很好，我们一起去公园散步吧。他说好的，我们明天再去研究所。
市图书馆昨天开馆，市民们冒雨前来参观图书馆。图书馆不仅是藏书的地方，更应当成为市民学习和交流的公共空间。
今天我们去图书馆研究生命科学，明天去公园散步。昨天的天气不好，市民们没有去公园，都去了图书馆。
"""
    * 4
)
BASES = ("merges", "characters", "ranks", "scores", "wordpiece", "unigram", "sentencepiece unigram")


@cache
def sentencepiece_file(kind: str) -> bytes:
    """A SentencePiece model: `bpe` or `unigram`, with byte fallback for `bpe`."""
    return trained(model_type=kind, byte_fallback=kind == "bpe", vocab_size=500 if kind == "bpe" else 400)


@cache
def base(kind: str) -> Tokenizer:
    """A small base of a kind of `BASES`, trained on English and a little of everything."""
    match kind:
        case "merges":
            return train_bpe(ENGLISH, 350, special_tokens=["<|endoftext|>"])
        case "characters":
            return train_bpe(CORPUS, 400, byte_level=False)
        case "ranks":
            return with_ranks(train_bpe(ENGLISH, 350), ("<|endoftext|>",))
        case "scores":
            return sentencepiece.read(sentencepiece_file("bpe"))
        case "sentencepiece unigram":
            return sentencepiece.read(sentencepiece_file("unigram"))
        case "wordpiece":
            return train_wordpiece(CORPUS, 500, special_tokens=["[UNK]", "[SEP]"])
    return train_unigram(CORPUS, 400)


@cache
def addition(kind: str) -> Tokenizer:
    """A small vocabulary of a kind of `BASES`, trained on Chinese with some English."""
    text = CHINESE + ENGLISH[:300]
    match kind:
        case "merges":
            return train_bpe(text, 600)
        case "characters":
            return train_bpe(text, 500, byte_level=False)
        case "ranks":
            return with_ranks(addition("merges"))
        case "scores":
            return sentencepiece.read(trained_on_chinese("bpe"))
        case "sentencepiece unigram":
            return sentencepiece.read(trained_on_chinese("unigram"))
        case "wordpiece":
            return train_wordpiece(text, 500)
    return train_unigram(text, 300)


def trained_on_chinese(kind: str) -> bytes:
    """A SentencePiece model of Chinese pieces."""
    return trained(CHINESE, model_type=kind, vocab_size=220, character_coverage=0.9995)


def with_ranks(tokenizer: Tokenizer, special: tuple[str, ...] = ()) -> Tokenizer:
    """A byte-level BPE as ranks; as in cl100k_base, ids are free between the pieces and the special token."""
    ranks = {bytes(piece): id for id, piece in enumerate(tokenizer.model.pieces) if isinstance(piece, bytes)}
    return rank_tokenizer(ranks, CL100K_BASE, {token: len(ranks) + 2 for token in special})

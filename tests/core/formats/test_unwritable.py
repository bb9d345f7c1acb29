"""What a format cannot hold is not written."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import tokenizers

from tests.core.sentencepieces import trained
from webapp.core import recipes
from webapp.core.formats import huggingface, minimal_bpe, sentencepiece, tiktoken_encoding, vocab_json, vocab_txt
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.models.bpe import BPE
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordLevel
from webapp.core.recipes import BYTE_BPE, sentencepiece_tokenizer
from webapp.core.text.normalizers import NFC
from webapp.core.text.pretokenizers import WhitespaceSplit
from webapp.core.tokenizer import Tokenizer

BYTES = BPE([bytes([byte]) for byte in range(256)], [], byte_level=True)
WORDS = WordLevel(["<unk>", "a", "b"], unknown="<unk>")
WORDPIECE = recognize(b"[UNK]\nlow\n").tokenizer
MATCHING = recipes.MATCHING.tokenizer(Matching(Dictionary(["a"]), "forward"))
UNIGRAM = recipes.UNIGRAM.tokenizer(Unigram(["<unk>", "a"], [0, -1], unknown_id=0))
SEPARATE = Tokenizer(BPE(["<unk>", "a", "</w>"], [], byte_level=False, end_of_word_suffix="</w>", unknown="<unk>"))
COMPOSING = sentencepiece_tokenizer(["<unk>", "a"], [0.0, -1.0], algorithm="unigram", normalizer=NFC())
bytewise = partial(Tokenizer, BYTES)
scored = partial(sentencepiece_tokenizer, algorithm="bpe")


def read(**options: Any) -> Tokenizer:
    return sentencepiece.read(trained(**options))


CASES: list[tuple[Callable[[Tokenizer], object], Tokenizer, str]] = [
    (huggingface.write, MATCHING, "Matching"),
    (huggingface.write, SEPARATE, "Whitespace"),
    *((huggingface.write, Tokenizer(WORDS, special_tokens=ids), "cannot give")
      for ids in ({"a": 2}, {"<s>": 4, "<pad>": 4})),
    (huggingface.write, read(model_type="bpe"), "the normalizer of this SentencePiece model"),
    (huggingface.write, read(model_type="bpe", user_defined_symbols="<sep>"), "the user-defined piece"),
    (huggingface.write, read(model_type="word"), "SentencePieceWords cannot be written"),
    (huggingface.write, scored(["<unk>", "a", "b", "ab", "ba"], [0.0, -9.0, -9.0, -1.0, -1.0]), "have the same score"),
    (huggingface.write, scored(["<unk>", "a", "ab"], [0.0, -9.0, -1.0]), "contains a character that is no piece"),
    (sentencepiece.write, WORDPIECE, "WordPiece cannot be written to a SentencePiece model"),
    (sentencepiece.write, COMPOSING, "implies SentencePiece's pipeline"),
    (sentencepiece.write, scored(["<unk>", "a"], [0.0, -0.1]), r"would round the score -0\.1"),
    (vocab_txt.write, UNIGRAM, "Unigram cannot be written"),
    (vocab_json.write, UNIGRAM, "Unigram cannot be written"),
    (vocab_json.write, bytewise(), "GPT-2's split pattern"),
    (vocab_json.write, BYTE_BPE.tokenizer(BYTES, {"<s>": 300}), "has the id 300, but no piece has the id 256"),
    (tiktoken_encoding.write, bytewise(normalizer=NFC(), decoder=BYTE_BPE.decoder), "cannot be written|implies"),
    (tiktoken_encoding.write, bytewise(pretokenizer=WhitespaceSplit(), decoder=BYTE_BPE.decoder), "one split pattern"),
    (tiktoken_encoding.write, bytewise(), "decodes in another way"),
    (tiktoken_encoding.write, WORDPIECE, "decodes in another way"),
    (minimal_bpe.write, WORDPIECE, "WordPiece cannot be written"),
    (minimal_bpe.write, bytewise(normalizer=NFC(), decoder=BYTE_BPE.decoder), "no normalizer"),
]  # fmt: skip


@pytest.mark.parametrize(("write", "tokenizer", "message"), CASES, ids=[message for *_, message in CASES])
def test_what_a_format_cannot_hold_is_not_written(
    write: Callable[[Tokenizer], object], tokenizer: Tokenizer, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        write(tokenizer)


def test_a_pipeline_that_sentencepiece_cannot_hold_is_written_as_a_tokenizer_json() -> None:
    composed = tokenizers.Tokenizer.from_str(huggingface.write(COMPOSING))
    assert composed.encode("e\u0301a").ids == COMPOSING.ids("e\u0301a")

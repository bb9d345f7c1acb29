"""Published vocabularies beside the original library: pre-tokens, and decoding token by token."""

from pathlib import Path

import pytest
import tokenizers

from tests.core.texts import CORPUS, HARD
from webapp.core.analysis.decoding import decoded
from webapp.core.analysis.pretoken_view import pretoken_view
from webapp.core.formats import huggingface
from webapp.core.text.utf8 import bytes_to_characters
from webapp.core.tokenizer import Tokenizer

TEXTS = ["Hello, 世界! 🎉 naïve", "unaffable 研究生命", " 你好\n\n<|endoftext|>[SEP]</s>", "", "👩‍👩‍👧 שלום ☃"]
NAMES = ("bert_base_cased", "gpt2", "mistral01")


@pytest.fixture(scope="module", params=NAMES)
def published(request: pytest.FixtureRequest, shared: Path) -> tuple[Tokenizer, tokenizers.Tokenizer]:
    written = (shared / "vocabularies" / "tokenizers" / f"{request.param}.json").read_text(encoding="utf-8")
    return huggingface.read(written), tokenizers.Tokenizer.from_str(written)


def test_they_decode_and_stream_as_in_tokenizers(published: tuple[Tokenizer, tokenizers.Tokenizer]) -> None:
    ours, theirs = published
    for text in TEXTS:
        ids = theirs.encode(text, add_special_tokens=False).ids
        found = decoded(ours, ids)
        assert found.exact
        assert found.text == found.streamed == theirs.decode(ids, skip_special_tokens=False)
        assert [token.alone for token in found.tokens] == [theirs.decode([id], skip_special_tokens=False) for id in ids]
        skipped = decoded(ours, ids, skip_special=True)
        assert skipped.text == skipped.streamed == theirs.decode(ids, skip_special_tokens=True)


def test_their_pretokens_are_those_of_tokenizers(published: tuple[Tokenizer, tokenizers.Tokenizer]) -> None:
    ours, theirs = published
    for text in (CORPUS[: len(CORPUS) // 3], " ".join(HARD), *HARD):
        if any(token.content in text for token in ours.added_tokens):
            continue  # `pre_tokenize_str` does not know added tokens
        normalized = text if theirs.normalizer is None else theirs.normalizer.normalize_str(text)
        expected = theirs.pre_tokenizer.pre_tokenize_str(normalized) if theirs.pre_tokenizer else [(normalized, None)]
        found = [each.text for each in pretoken_view(ours, text).pretokens]
        if isinstance(ours.model.pieces[0], bytes):
            found = [bytes_to_characters(each.encode()) for each in found]
        assert found == [pretoken for pretoken, _ in expected if pretoken]

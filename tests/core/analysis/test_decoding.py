"""Ids decoded token by token: the parts are the text, and a client that waits prints what `tokenizers` streams."""

import codecs
import json
from collections.abc import Callable

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import decoders, models

from tests.core.pairs import Pair
from tests.core.sentencepieces import trained
from tests.properties import SAME_FIXTURE
from webapp.core.analysis.decoding import Decoded, decoded
from webapp.core.formats import huggingface, sentencepiece
from webapp.core.models.matching import Matching
from webapp.core.recipes import MATCHING
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies import jieba_words, shipped_tokenizer

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
TEXTS = ["Hello, 世界! 🎉 naïve", "unaffable 研究生命", " 你好\n\n<|endoftext|>[SEP]</s>", "", "👩‍👩‍👧 שלום ☃"]


def byte_fallback() -> Tokenizer:
    """A BPE with byte pieces and Llama's decoder."""
    names = ["<unk>", "<s>", "</s>", *BYTES, "▁", "▁low", "er", "e", "r", "l", "o", "w"]
    model = models.BPE({name: id for id, name in enumerate(names)}, [], unk_token="<unk>", byte_fallback=True)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.add_special_tokens(["<s>", "</s>"])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return huggingface.read(tokenizer.to_str())


MAKERS: dict[str, Callable[[], Tokenizer]] = {
    "bpe-bytes": lambda: shipped_tokenizer("bpe-bytes"),
    "bpe-characters": lambda: shipped_tokenizer("bpe-characters"),
    "wordpiece": lambda: shipped_tokenizer("wordpiece"),
    "unigram": lambda: shipped_tokenizer("unigram"),
    "jieba": lambda: MATCHING.tokenizer(Matching(jieba_words(), "both", keep_runs=True)),
    "byte fallback": byte_fallback,
    "sentencepiece bytes": lambda: sentencepiece.read(trained(model_type="bpe", byte_fallback=True, vocab_size=700)),
    "sentencepiece": lambda: sentencepiece.read(trained(model_type="unigram")),
}


@pytest.fixture(scope="module", params=MAKERS)
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return MAKERS[request.param]()


def some_ids(tokenizer: Tokenizer) -> st.SearchStrategy[list[int]]:
    """Draw ids of texts, of pieces at random, and of bytes, which make unfinished and invalid characters."""
    size = len(tokenizer.model.pieces)
    known = st.sampled_from([*range(min(size, 300)), *tokenizer.special_tokens.values()])
    texts = (st.sampled_from(TEXTS) | st.text(max_size=12)).map(lambda text: tokenizer.ids(text, special=True))
    runs = st.lists(known | st.integers(0, size - 1), max_size=8)
    return st.lists(texts | texts.map(lambda ids: ids[:-1]) | runs, max_size=4).map(
        lambda lists: [id for ids in lists for id in ids]
    )


@SAME_FIXTURE
@given(data=st.data())
def test_the_parts_of_the_tokens_are_the_decoded_text(tokenizer: Tokenizer, data: st.DataObject) -> None:
    ids = data.draw(some_ids(tokenizer))
    skip = data.draw(st.booleans())
    found = decoded(tokenizer, ids, skip_special=skip)
    assert found.text == tokenizer.decode(ids, skip_special=skip)
    assert found.apart == "".join(tokenizer.decode([id], skip_special=skip) for id in ids)
    assert [token.id for token in found.tokens] == ids
    assert found.exact
    invalid = b"".join(token.invalid for token in found.tokens) + found.pending
    if not invalid:  # decoders differ in how many U+FFFD stand for invalid bytes
        assert found.streamed == found.text
        assert b"".join(token.data for token in found.tokens).decode() == found.text
    else:
        assert "\ufffd" in found.text
        assert "\ufffd" in found.streamed


@given(parts=st.lists(st.binary(max_size=3) | st.text(max_size=2).map(str.encode), max_size=8))
def test_any_bytes_in_any_tokens_decode_as_in_python(parts: list[bytes]) -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    id_of = {piece: id for id, piece in enumerate(tokenizer.model.pieces) if len(piece) == 1}
    ids = [id_of[bytes([byte])] for part in parts for byte in part]
    python = codecs.getincrementaldecoder("utf-8")("replace")
    found = decoded(tokenizer, ids)
    printed = theirs = ""
    for token in found.tokens:
        printed += token.text
        theirs += python.decode(token.data)
        kept = python.getstate()[0]
        if kept[:1] != b"\xed" or kept[1:] < b"\xa0":  # the begin of a surrogate, which UTF-8 cannot contain
            assert (printed, token.pending) == (theirs, kept)
    assert printed + found.rest == theirs + python.decode(b"", final=True)
    assert found.streamed == found.text


@SAME_FIXTURE
@given(text=st.sampled_from(TEXTS) | st.text(max_size=20))
def test_a_client_that_waits_prints_what_tokenizers_streams(byte_pair: Pair, text: str) -> None:
    ids = byte_pair.ours.ids(text, special=True)
    stream = decoders.DecodeStream(skip_special_tokens=False)
    theirs = [stream.step(byte_pair.theirs, id) or "" for id in ids]
    found = decoded(byte_pair.ours, ids)
    ours = [token.text for token in found.tokens]
    assert "".join(theirs) == found.streamed.rstrip("\ufffd")  # `tokenizers` holds these back: more bytes may follow
    for last in range(len(ids)):  # ours never prints later
        assert "".join(ours[:last]).startswith("".join(theirs[:last]))


def test_a_decoder_whose_parts_cannot_be_told_apart_shows_each_token_alone() -> None:
    written = json.loads(huggingface.write(shipped_tokenizer("wordpiece")))
    written["decoder"] = {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": False}
    tokenizer = huggingface.read(json.dumps(written))
    ids = [1000, 1000, 1001]
    found = decoded(tokenizer, ids)
    assert not found.exact
    assert found.text == tokenizer.decode(ids)
    assert found.streamed == found.apart


def test_the_state_of_each_token() -> None:
    tokenizer = byte_fallback()

    def read(*names: str, skip_special: bool = False) -> Decoded:
        return decoded(tokenizer, list(map(tokenizer.model.pieces.index, names)), skip_special=skip_special)

    found = read("<0xC3>", "<0xA9>", "<0xC3>")  # a run that is not valid as a whole
    assert (found.text, found.streamed, found.exact) == ("\ufffd" * 3, "é\ufffd", True)  # the text as in `tokenizers`
    tokens = read("▁low", "<0xE4>", "<0xBD>", "<0xA0>", "<0xE4>", "<0xBD>", "er").tokens
    assert [(token.text, token.pending.hex(), token.resolved_by, token.start, token.end) for token in tokens] == [
        ("low", "", None, 0, 3), ("", "e4", 3, 3, 4), ("", "e4bd", 3, 3, 4), ("你", "", None, 3, 4),
        ("", "e4", 6, 4, 6), ("", "e4bd", 6, 4, 6), ("\ufffd\ufffder", "", None, 6, 8),
    ]  # fmt: skip
    assert [token.position for token in tokens if token.completed] == [1, 2]
    assert tokens[6].invalid == b"\xe4\xbd"
    found = read("<0xC3>", "</s>", "<0x89>", skip_special=True)
    assert [(token.skipped, token.text) for token in found.tokens] == [(False, ""), (True, ""), (False, "É")]
    assert read("<0xC3>", "</s>").tokens[1].text == "\ufffd</s>"
    for id in (-1, 10**6):
        with pytest.raises(ValueError, match=f"id {id} is outside"):
            decoded(tokenizer, [3, id])

"""Pipelines of published vocabularies that are saved as tokenizer.json: bytes that are missing, CLIP's, XLNet's."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers

from tests.core.formats.test_huggingface_parts import precompiled
from tests.core.pairs import Pair, built, paired
from tests.core.texts import CORPUS, HARD, any_text
from tests.properties import EXPENSIVE
from webapp.core.expansion import expand
from webapp.core.formats import huggingface, tiktoken_encoding, vocab_json
from webapp.core.formats.reading import FormatError
from webapp.core.models.bpe import BPE
from webapp.core.traces.merging import initial_symbols


def neox(**options: Any) -> Pair:
    """GPT-NeoX's pipeline: byte-level BPE trained without all 256 bytes."""
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=["<|endoftext|>"], show_progress=False)
    parts = {"normalizer": normalizers.NFC(), "decoder": decoders.ByteLevel(), "post_processor": processors.ByteLevel()}
    return paired(built(models.BPE(**options), pre_tokenizer=pre_tokenizers.ByteLevel(False), **parts), trainer)


def clip() -> Pair:
    cut = pre_tokenizers.Split(Regex(r"'s|'t|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"), "removed", invert=True)
    model = models.BPE(unk_token="<|end|>", end_of_word_suffix="</w>")
    steps = pre_tokenizers.Sequence([cut, pre_tokenizers.ByteLevel(False)])
    trainer = trainers.BpeTrainer(
        vocab_size=700, end_of_word_suffix="</w>", special_tokens=["<|end|>"], show_progress=False
    )
    normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    return paired(built(model, normalizer=normalizer, pre_tokenizer=steps, decoder=decoders.ByteLevel()), trainer)


def xlnet() -> Pair:
    """XLNet's pipeline, as transformers' `XLNetConverter` makes it."""
    steps = [
        normalizers.Replace("``", '"'),
        normalizers.Replace("''", '"'),
        normalizers.NFKD(),
        normalizers.StripAccents(),
    ]
    steps += [precompiled(), normalizers.Replace(Regex(" {2,}"), " ")]
    pieces = [("<unk>", 0.0), ("<s>", 0.0), ("<sep>", 0.0), ("<cls>", 0.0)]
    pieces += [
        (piece, -2.0 - at / 8) for at, piece in enumerate(["▁", *"thearnsoil研究", "the", "▁the", "▁a", "an", "in"])
    ]
    template = processors.TemplateProcessing(single="$A:0 <sep>:0 <cls>:2", special_tokens=[("<sep>", 2), ("<cls>", 3)])
    parts = {"pre_tokenizer": pre_tokenizers.Metaspace(), "decoder": decoders.Metaspace(), "post_processor": template}
    tokenizer = built(models.Unigram(pieces, unk_id=0), normalizer=normalizers.Sequence(steps), **parts)
    tokenizer.add_special_tokens(["<sep>", "<cls>"])
    return paired(tokenizer)


PIPELINES: dict[str, Callable[[], Pair]] = {
    "bytes without unknown": neox,
    "bytes, whole pre-tokens": lambda: neox(ignore_merges=True),
    "bytes with unknown": lambda: neox(unk_token="<|endoftext|>"),
    "bytes, unknown fused": lambda: neox(unk_token="<|endoftext|>", fuse_unk=True),
    "CLIP": clip,
    "XLNet": xlnet,
}


@cache
def saved(name: str) -> tuple[Pair, Pair]:
    """Return a pipeline, and its file as we write it."""
    pair = PIPELINES[name]()
    huggingface.check(pair.ours)
    file = huggingface.write(pair.ours)
    return pair, paired(tokenizers.Tokenizer.from_str(file))


@pytest.mark.parametrize("name", PIPELINES)
@EXPENSIVE
@given(
    texts=st.lists(
        any_text | st.sampled_from(["\U00050000", "\u07ff", "日é", "a\U0010ffffb", "``the''  an", *HARD]), max_size=5
    )
)
@example(texts=["ǅIt ǅthe"])
@example(texts=["the\U00050000e", "\U00050000", "日\U0010ffff本語" * 12])
def test_a_saved_pipeline_equals_tokenizers(name: str, texts: list[str]) -> None:
    for pair in saved(name):
        pair.assert_same("".join(texts), template=True)
        pair.assert_decoded(pair.ours.ids("".join(texts), template=True))


def test_unknown_white_space_is_not_trimmed() -> None:
    for text in ("\r", "a\r\n", " \r<|endoftext|> "):
        for special in (False, True):
            saved("bytes with unknown")[0].assert_same(text, special=special)


def test_pieces_are_bytes_though_some_bytes_are_missing() -> None:
    tokenizer = neox().ours
    assert isinstance(tokenizer.model, BPE)
    assert tokenizer.model.missing_bytes
    assert all(isinstance(piece, bytes) for piece in tokenizer.model.pieces)
    row, left_out = initial_symbols(tokenizer.model, "a\U00050000")
    assert [symbol.piece for symbol in row[:1]] == [b"a"]
    assert left_out == ((1, 2),)
    for write in (vocab_json.write, tiktoken_encoding.write):
        with pytest.raises(FormatError, match="each of the 256 bytes"):
            write(tokenizer.changed(normalizer=None))


@pytest.mark.parametrize("name", ["bytes without unknown", "CLIP"])
def test_a_vocabulary_without_some_bytes_is_expanded_and_saved(name: str) -> None:
    base = PIPELINES[name]().ours
    expansion = expand(base, ["mountainous", "transmogrify"])
    assert {piece.text for piece in expansion.added} >= {"transmogrify"}
    theirs = tokenizers.Tokenizer.from_str(huggingface.write(expansion.tokenizer))
    for text in ("mountainous transmogrify", CORPUS[:2000]):
        assert theirs.encode(text).ids == expansion.tokenizer.ids(text)


def test_the_character_map_is_written_as_it_was() -> None:
    pair, again = saved("XLNet")
    maps = [json.loads(each.theirs.to_str())["normalizer"]["normalizers"][4] for each in (pair, again)]
    assert maps[0] == maps[1]
    assert len(maps[0]["precompiled_charsmap"]) > 1000

"""The compact form of a large BPE vocabulary: the same tokenizer as from its `tokenizer.json`."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.core import gguf_files
from tests.core.texts import HARD
from webapp.core.analysis.pipeline_difference import pipeline_difference
from webapp.core.formats import compact_bpe, huggingface
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import Recognized, recognize
from webapp.core.models.bpe import BPE
from webapp.core.models.mapped_bpe import MappedBPE
from webapp.core.tokenizer import Tokenizer

BYTES = huggingface.write(
    Tokenizer(
        BPE(
            [*(bytes([b]) for b in range(256)), b"in", b"ing", b"\xe5\xad"],
            [(105, 110), (256, 103), (0xE5, 0xAD)],
            byte_level=True,
        )
    )
)
ADDED = {"single_word": False, "lstrip": True, "rstrip": False, "normalized": False, "special": True}


def document(**model: Any) -> str:
    """Return a BPE over characters with gaps, two added tokens inside the vocabulary and two outside."""
    vocabulary = {"<unk>": 0, "a": 1, "b": 2, "ab": 3, "</w>": 5, "aab": 6, "▁": 7, "<e>": 9}
    added = [
        {"id": id, "content": content, **ADDED} for id, content in ((0, "<unk>"), (4, "<g>"), (9, "<e>"), (8, "<f>"))
    ]
    merges = [["a", "b"], ["a", "ab"]]
    part = {"type": "BPE", "unk_token": "<unk>", "vocab": vocabulary, "merges": merges, **model}
    return json.dumps({"added_tokens": added, "normalizer": {"type": "NFC"}, "model": part})


CASES = {
    "bytes": BYTES.encode(),
    "bytes, pieces win": BYTES.replace('"ignore_merges":false', '"ignore_merges":true').encode(),
    "characters": document().encode(),
    "fused": document(fuse_unk=True, byte_fallback=True).encode(),
    "suffix": document(end_of_word_suffix="</w>").encode(),
    "twice": document(merges=["a b", "a ab", "a b"]).encode(),
    "GGUF over bytes": gguf_files.written(
        gguf_files.byte_level(pre="llama-bpe", add_bos_token=True, bos_token_id=259, eos_token_id=260)
    ),
    "GGUF over characters": gguf_files.written(gguf_files.characters()),
}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact_bpe, "LEAST_PIECES", 1)


def assert_same(file: bytes) -> None:
    read = recognize(file)
    whole, content = read.tokenizer, compact_bpe.compact(read)
    assert content is not None
    assert compact_bpe.read(content).format == read.format
    again = compact_bpe.read(content).tokenizer
    first, second = whole.model, again.model
    assert isinstance(first, BPE)
    assert isinstance(second, BPE)
    assert isinstance(second, MappedBPE)
    assert (first.pieces, first.merges, first.options) == (tuple(second.pieces), second.merges, second.options)
    for id, piece in enumerate(first.pieces):
        assert (second.pieces[id], second.merge_of(id)) == (piece, first.merge_of(id))
        assert second.id_of(piece) == first.id_of(piece) == (None if id in first.gaps else id)
    for left, right in {*first.merges, *combinations(range(9), 2)}:
        assert first.merge_result(left, right) == second.merge_result(left, right)
    assert whole.added_tokens == again.added_tokens
    assert all(stage.same for stage in pipeline_difference(whole, again).stages)
    for each in (*HARD, "aab ab<g>a <e>b<f>é ing 字 keeping"):
        for special in (False, True):
            found, expected = again.encode(each, special=special), whole.encode(each, special=special)
            assert (found.ids, list(found.starts)) == (expected.ids, list(expected.starts))
            assert again.decode(found.ids) == whole.decode(found.ids)


@pytest.mark.parametrize("name", CASES)
def test_the_compact_form_is_the_same_tokenizer(name: str) -> None:
    assert_same(CASES[name])


@pytest.mark.parametrize("name", ["gpt2", "mistral01"])
def test_published_files(name: str, shared: Path) -> None:
    assert_same((shared / "vocabularies" / "tokenizers" / f"{name}.json").read_bytes())


def test_small_vocabularies_and_other_models_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    words = json.dumps({"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}})
    assert compact_bpe.compact(recognize(words.encode())) is None
    monkeypatch.setattr(compact_bpe, "LEAST_PIECES", 260)
    assert compact_bpe.compact(recognize(BYTES.encode())) is None


def test_what_a_tokenizer_json_does_not_express_in_the_same_way_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    file = gguf_files.written(gguf_files.byte_level())
    assert compact_bpe.compact(recognize(file)) is not None
    changed = recognize(file).tokenizer.changed(rules="v1")  # of conversations, which no tokenizer.json has
    assert compact_bpe.compact(Recognized("gguf", changed)) is None


def test_a_damaged_file_or_one_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = compact_bpe.compact(recognize(BYTES.encode())) or b""
    for damaged in (b"", content[:-1], content[:-9] + b"\1" + content[-8:], content + b"x"):
        with pytest.raises(FormatError, match="damaged"):
            compact_bpe.read(damaged)
    monkeypatch.setattr(compact_bpe, "_VERSION", "compact-bpe-0")
    with pytest.raises(FormatError, match="damaged"):
        compact_bpe.read(content)

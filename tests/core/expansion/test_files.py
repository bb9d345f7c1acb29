"""Expanded vocabularies as files, read by the original libraries; Llama 2 with Chinese pieces."""

import json
from base64 import b64decode
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers
from hypothesis import given

from tests.core.expansion.bases import CHINESE, addition, base, sentencepiece_file
from tests.core.sentencepieces import parsed
from tests.core.texts import any_text
from webapp.core.expansion import Expansion, expand
from webapp.core.expansion.files import files_of, sentencepiece_model
from webapp.core.formats.recognize import recognize
from webapp.core.text.pretokenizers import Split
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.train import train


@cache
def expanded(kind: str) -> Expansion:
    return expand(base(kind), addition("scores" if kind == "scores" else "merges"))


@cache
def file_of(kind: str, name: str) -> bytes:
    base_file = sentencepiece_file("bpe" if kind == "scores" else "unigram") if name == "tokenizer.model" else None
    return files_of(expanded(kind), base_file)[name]


@cache
def by_the_original_library(kind: str, name: str) -> Callable[[str], list[int]]:
    content = file_of(kind, name)
    if name == "tokenizer.json":
        theirs = tokenizers.Tokenizer.from_str(content.decode())
        theirs.encode_special_tokens = True
        return lambda text: theirs.encode(text, add_special_tokens=False).ids
    if name == "tokenizer.model":
        return sentencepiece.SentencePieceProcessor(model_proto=content).encode
    tokenizer = expanded(kind).tokenizer
    assert isinstance(tokenizer.pretokenizer, Split)
    ranks = {b64decode(piece): int(id) for piece, id in map(bytes.split, content.splitlines())}
    encoding = tiktoken.Encoding(
        kind,
        pat_str=tokenizer.pretokenizer.pattern,
        mergeable_ranks=ranks,
        special_tokens=dict(base(kind).special_tokens),
    )
    return lambda text: encoding.encode(text, disallowed_special=())


FILES = [
    *((kind, "tokenizer.json") for kind in ("merges", "characters", "ranks", "wordpiece", "unigram")),
    *((kind, "tokenizer.model") for kind in ("scores", "sentencepiece unigram")),
    ("ranks", "ranks.tiktoken"),
]


@pytest.mark.parametrize(("kind", "name"), FILES)
@given(text=any_text)
def test_the_original_libraries_read_the_files(kind: str, name: str, text: str) -> None:
    if (kind, name) == ("ranks", "tokenizer.json"):  # `tiktoken` splits white space at the end in its own way
        text += "."
    for each in (text, text + CHINESE[:60]):
        assert by_the_original_library(kind, name)(each) == expanded(kind).tokenizer.ids(each)


@pytest.mark.parametrize(("kind", "name"), FILES[:-1])
def test_a_file_can_be_uploaded(kind: str, name: str) -> None:
    assert recognize(file_of(kind, name)).tokenizer.ids(CHINESE) == expanded(kind).tokenizer.ids(CHINESE)


def test_tokens_and_scores(shared: Path) -> None:
    original = (shared / "vocabularies" / "scores" / "stories15m_tokens_scores.json").read_bytes()
    expansion = expand(recognize(original).tokenizer, addition("scores"))
    read = recognize(files_of(expansion, original)["tokens_and_scores.json"])
    assert read.format == "scores"
    assert read.tokenizer.ids(CHINESE) == expansion.tokenizer.ids(CHINESE)


@pytest.mark.parametrize("kind", ["scores", "sentencepiece unigram"])
def test_a_model_keeps_everything_but_its_self_test(kind: str) -> None:
    # A self-test of one sample, `a`, that is encoded to `b`; older versions of SentencePiece write and check it.
    original = sentencepiece_file("bpe" if kind == "scores" else "unigram") + b"\x22\x08\x0a\x06\x0a\x01a\x12\x01b"
    old = parsed(original)
    expansion = expand(recognize(original).tokenizer, addition("scores"))
    content = files_of(expansion, original)["tokenizer.model"]
    assert b"\x0a\x01a\x12\x01b" not in content
    new = parsed(content)
    assert list(new.pieces)[: len(old.pieces)] == list(old.pieces)
    assert len(new.pieces) == len(old.pieces) + len(expansion.added)
    assert (new.trainer_spec, new.normalizer_spec) == (old.trainer_spec, old.normalizer_spec)
    assert sentencepiece.SentencePieceProcessor(model_proto=content).vocab_size() == len(new.pieces)


def test_old_ids_are_those_of_the_base() -> None:
    expansion = expanded("scores")
    found = json.loads(files_of(expansion, sentencepiece_file("bpe"))["old_ids.json"])
    assert len(found) == len(expansion.added)
    for piece, ids in zip(expansion.added, found, strict=True):
        written = expansion.tokenizer.model.pieces[piece.id]
        assert list(base("scores").model.ids(str(written))) == ids


@pytest.mark.exhaustive
def test_news_in_chinese(shared: Path) -> None:
    content = (shared / "vocabularies" / "sentencepiece" / "llama2.model").read_bytes()
    base, news = recognize(content).tokenizer, (shared / "sighan" / "pku_test.utf8").read_text(encoding="utf-8")
    assert len(base.ids(news)) / len(news) == pytest.approx(1.467, abs=0.001)
    # Of these pieces, 20,000 are new to Llama 2.
    plan = TrainingPlan(trainer="bpe-sentencepiece", size=21_016)
    essays = [CorpusFile(str(shared / "corpora" / "zh_luxun.txt"), "zh_luxun.txt")]
    addition = train(plan, count_words(essays, plan, lambda _: None), lambda _: None).tokenizer
    expansion = expand(base, addition, most=20_000, seconds=300)
    ids = expansion.tokenizer.ids(news)
    model = sentencepiece_model(expansion, content)
    assert sentencepiece.SentencePieceProcessor(model_proto=model).encode(news) == ids
    assert len(ids) / len(news) <= 0.762
    assert expansion.between <= 1

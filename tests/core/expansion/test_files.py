"""Expanded vocabularies as files, read by the original libraries; Llama 2 with Chinese pieces."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers
from hypothesis import given
from tiktoken.load import load_tiktoken_bpe

from tests.core.expansion.bases import CHINESE, addition, base, sentencepiece_file
from tests.core.sentencepieces import parsed
from tests.core.texts import any_text
from webapp.core.expansion import Expansion, expand
from webapp.core.expansion.files import files_of, sentencepiece_model
from webapp.core.formats.recognize import recognize
from webapp.core.text.pretokenizers import Split
from webapp.core.tokenizer import Tokenizer
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.train import train

IdsOf = Callable[[str], list[int]]


@cache
def expanded(kind: str) -> Expansion:
    return expand(base(kind), addition("scores" if kind == "scores" else "merges"))


def assert_same(tokenizer: Tokenizer, ids_of: IdsOf, text: str) -> None:
    assert ids_of(text) == tokenizer.ids(text)
    assert ids_of(text + CHINESE[:60]) == tokenizer.ids(text + CHINESE[:60])


@cache
def by_tokenizers(kind: str) -> tokenizers.Tokenizer:
    found = tokenizers.Tokenizer.from_str(files_of(expanded(kind))["tokenizer.json"].decode())
    found.encode_special_tokens = True
    return found


@pytest.mark.parametrize("kind", ["merges", "characters", "wordpiece", "unigram"])
@given(text=any_text)
def test_tokenizer_json(kind: str, text: str) -> None:
    theirs = by_tokenizers(kind)
    assert_same(expanded(kind).tokenizer, lambda text: theirs.encode(text, add_special_tokens=False).ids, text)


@cache
def by_sentencepiece(kind: str) -> sentencepiece.SentencePieceProcessor:
    name = "bpe" if kind == "scores" else "unigram"
    content = files_of(expanded(kind), sentencepiece_file(name))["tokenizer.model"]
    return sentencepiece.SentencePieceProcessor(model_proto=content)


@pytest.mark.parametrize("kind", ["scores", "sentencepiece unigram"])
@given(text=any_text)
def test_sentencepiece_model(kind: str, text: str) -> None:
    assert_same(expanded(kind).tokenizer, by_sentencepiece(kind).encode, text)


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


@pytest.fixture(scope="module")
def by_tiktoken(tmp_path_factory: pytest.TempPathFactory) -> tiktoken.Encoding:
    tokenizer = expanded("ranks").tokenizer
    path = Path(tmp_path_factory.mktemp("tiktoken")) / "ranks.tiktoken"
    path.write_bytes(files_of(expanded("ranks"))["ranks.tiktoken"])
    assert isinstance(tokenizer.pretokenizer, Split)
    return tiktoken.Encoding(
        path.parent.name,
        pat_str=tokenizer.pretokenizer.pattern,
        mergeable_ranks=load_tiktoken_bpe(str(path)),
        special_tokens=dict(base("ranks").special_tokens),
    )


@given(text=any_text)
def test_ranks(by_tiktoken: tiktoken.Encoding, text: str) -> None:
    assert_same(expanded("ranks").tokenizer, lambda text: by_tiktoken.encode(text, disallowed_special=()), text)


@given(text=any_text)
def test_ranks_as_merges(text: str) -> None:
    theirs = by_tokenizers("ranks")
    encode: IdsOf = lambda text: theirs.encode(text, add_special_tokens=False).ids  # noqa: E731
    if not text.isascii() or "\n" not in text:  # `tiktoken` splits white space at the end of a text in its own way
        text += "."
    assert_same(expanded("ranks").tokenizer, encode, text + ".")


@pytest.mark.parametrize("kind", ["merges", "characters", "ranks", "scores", "wordpiece", "unigram"])
def test_the_first_file_can_be_uploaded(kind: str) -> None:
    original = sentencepiece_file("bpe") if kind == "scores" else None
    content = next(iter(files_of(expanded(kind), original).values()))
    assert recognize(content).tokenizer.ids(CHINESE) == expanded(kind).tokenizer.ids(CHINESE)


def test_old_ids_are_those_of_the_base() -> None:
    expansion = expanded("scores")
    found = json.loads(files_of(expansion, sentencepiece_file("bpe"))["old_ids.json"])
    assert len(found) == len(expansion.added)
    for piece, ids in zip(expansion.added, found, strict=True):
        written = expansion.tokenizer.model.pieces[piece.id]
        assert list(base("scores").model.ids(str(written))) == ids


def test_tokens_and_scores(shared: Path) -> None:
    original = (shared / "vocabularies" / "scores" / "stories15m_tokens_scores.json").read_bytes()
    old = recognize(original).tokenizer
    expansion = expand(old, addition("scores"))
    content = files_of(expansion, original)["tokens_and_scores.json"]
    read = recognize(content)
    assert read.format == "scores"
    assert read.tokenizer.ids(CHINESE) == expansion.tokenizer.ids(CHINESE)
    assert len(read.tokenizer.ids(CHINESE)) < 0.7 * len(old.ids(CHINESE))


@pytest.mark.exhaustive
def test_news_in_chinese(shared: Path) -> None:
    content = (shared / "vocabularies" / "sentencepiece" / "llama2.model").read_bytes()
    base, news = recognize(content).tokenizer, (shared / "sighan" / "pku_test.utf8").read_text(encoding="utf-8")
    assert len(base.ids(news)) / len(news) == pytest.approx(1.467, abs=0.001)
    # Of these pieces, 20,000 are new to Llama 2; the choices are those of /train that suit Chinese pieces.
    plan = TrainingPlan(trainer="bpe-sentencepiece", size=21_016, split="none", coverage=1, longest_piece=2)
    essays = [CorpusFile(str(shared / "corpora" / "zh_luxun.txt"), "zh_luxun.txt")]
    addition = train(plan, count_words(essays, plan, lambda _: None), lambda _: None).tokenizer
    expansion = expand(base, addition, most=20_000, seconds=300)
    ids = expansion.tokenizer.ids(news)
    model = sentencepiece_model(expansion, content)
    assert sentencepiece.SentencePieceProcessor(model_proto=model).encode(news) == ids
    assert len(ids) / len(news) <= 0.75
    assert expansion.between == 0

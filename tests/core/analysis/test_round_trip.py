"""Round trips: every difference is explained, and by the stage that makes it."""

import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import CORPUS, HARD, any_text
from webapp.core.analysis.round_trip import RoundTripReport, round_trip
from webapp.core.formats.recognize import load
from webapp.core.models.wordpiece import WordPiece
from webapp.core.recipes import wordpiece
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies import shipped_tokenizer
from webapp.vocabularies.shipped_vocabularies import NAMES

PUBLISHED = [
    "tokenizers/bert_base_cased.json", "tokenizers/gpt2.json", "tokenizers/mistral01.json",
    "sentencepiece/llama2.model", "sentencepiece/nai-t5.model", "sentencepiece/test_ja_model.model",
    "tiktoken/r50k_base.tiktoken", "scores/stories15m_tokens_scores.json",
]  # fmt: skip


@cache
def published(shared: Path, name: str) -> Tokenizer:
    return load(shared / "vocabularies" / name)


def applied(report: RoundTripReport) -> str:
    """The text with the explained changes made."""
    parts: list[str] = []
    position = length = 0
    for change in report.changes:
        assert report.text[change.start : change.end] == change.before != change.after
        assert report.decoded[change.decoded_start : change.decoded_end] == change.after == change.steps[-1][1]
        parts += (report.text[position : change.start], change.after)
        length += change.start - position
        assert length == change.decoded_start
        length += len(change.after)
        position = change.end
    return "".join((*parts, report.text[position:]))


def check(tokenizer: Tokenizer, text: str, *, special: bool = False, template: bool = False) -> None:
    report = round_trip(tokenizer, text, special=special, template=template)
    assert report.decoded == tokenizer.decode(tokenizer.ids(text, special=special, template=template))
    assert all(0 <= change.at < len(change.steps) for change in report.changes)
    assert applied(report) == report.decoded
    assert sum(group.count for group in report.groups()) == len(report.changes)


def hard_texts(tokenizer: Tokenizer) -> Iterator[str]:
    tokens = [token.content for token in tokenizer.added_tokens[:3]]
    yield from (CORPUS[: len(CORPUS) // 3], "".join(HARD), " ".join(HARD), *HARD)
    yield from (f" {token} a  {token}{token} \n" for token in tokens)
    yield from ("\ud800", "a\ud83d\ude00\udc00 b", " a", "  ", "", "a ", "don't  do not , I 'm !")


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_difference_of_a_published_vocabulary_is_explained(shared: Path, name: str) -> None:
    tokenizer = published(shared, name)
    for text in hard_texts(tokenizer):
        for special in (False, True):
            check(tokenizer, text, special=special, template=special)


@pytest.mark.parametrize("name", PUBLISHED)
@given(text=any_text, special=st.booleans())
def test_every_difference_of_any_text_is_explained(shared: Path, name: str, text: str, special: bool) -> None:
    check(published(shared, name), text, special=special, template=special)


@pytest.mark.parametrize("name", NAMES)
def test_every_difference_of_a_shipped_vocabulary_is_explained(name: str) -> None:
    tokenizer = shipped_tokenizer(name)
    for text in hard_texts(tokenizer):
        check(tokenizer, text, special=True)


def told(tokenizer: Tokenizer, text: str) -> list[tuple[str, str, str, str]]:
    return [
        (change.before, change.after, change.stage.component, change.stage.rule)
        for change in round_trip(tokenizer, text).changes
    ]


@pytest.fixture(scope="module")
def uncased() -> Tokenizer:
    pieces = ["[UNK]", "cafe", "a", "b", "!", ",", "##s"]
    return wordpiece(lowercase=True).tokenizer(WordPiece(pieces))


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("café", ("é", "e", "BertNormalizer", "strip_accents")),
        ("cafe\u0301", ("\u0301", "", "BertNormalizer", "strip_accents")),
        ("A", ("A", "a", "BertNormalizer", "lowercase")),
        ("a\tb", ("\t", " ", "BertNormalizer", "clean_text")),
        ("a\x00", ("\x00", "", "BertNormalizer", "clean_text")),
        ("a  b", ("  ", " ", "BertPreTokenizer", "")),
        ("a !", (" ", "", "WordPiece", "cleanup")),
        ("a 𠮷", ("𠮷", "[UNK]", "WordPiece", "unknown")),
        ("a,b", ("", " ", "WordPiece", "")),
        ("b zz", ("zz", "[UNK]", "WordPiece", "unknown")),
    ],
)
def test_the_cause_of_a_change_is_named(uncased: Tokenizer, text: str, change: tuple[str, str, str, str]) -> None:
    assert told(uncased, text) == [change]


def test_published_pipelines_name_their_steps(shared: Path) -> None:
    llama = published(shared, "sentencepiece/llama2.model")
    assert told(llama, "a b ▁ c") == [("▁", " ", "SentencePiece", "")]
    t5 = published(shared, "sentencepiece/nai-t5.model")
    assert ("，", ",", "SentencePiece", "character_map") in told(t5, "你好，a")
    assert (" ", "", "SentencePiece", "white_space") in told(t5, "a  b")
    bert = published(shared, "tokenizers/bert_base_cased.json")
    assert told(bert, "a  b") == [("  ", " ", "BertPreTokenizer", "")]
    report = round_trip(bert, "low", special=True, template=True)
    assert [(change.after, change.stage.stage) for change in report.changes] == [
        ("[CLS]", "post-processor"),
        (" ", "decoder"),
        (" ", "decoder"),
        ("[SEP]", "post-processor"),
    ]


def test_equal_changes_are_one_group(uncased: Tokenizer) -> None:
    report = round_trip(uncased, "Café CAFÉ é " * 40)
    groups = report.groups()
    assert (groups[0].first.before, groups[0].count) == ("C", 80)
    assert groups[0].places == (0, 5, 12, 17, 24)
    assert len(groups) < 12


@pytest.mark.parametrize("hostile", ["é" * 8_000, "  a" * 3_000, "𠮷 " * 4_000, "\x00" * 8_000, "<0x41>" * 1_400])
@pytest.mark.parametrize("name", ["tokenizers/bert_base_cased.json", "sentencepiece/nai-t5.model"])
def test_hostile_texts_take_time_in_proportion(shared: Path, name: str, hostile: str) -> None:
    began = time.process_time()
    check(published(shared, name), hostile)
    assert time.process_time() - began < 4  # 0.3 s on a free machine; a quadratic step takes longer

"""Round trips: every difference is explained, and by the stage that makes it."""

import time
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import CORPUS, HARD, any_text
from webapp.core.analysis.round_trip import round_trip
from webapp.core.formats.recognize import load
from webapp.core.models.wordpiece import WordPiece
from webapp.core.recipes import wordpiece
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.shipped_vocabularies import NAMES, shipped_tokenizer

PUBLISHED = [
    "tokenizers/bert_base_cased.json", "tokenizers/gpt2.json", "tokenizers/mistral01.json",
    "sentencepiece/llama2.model", "sentencepiece/nai-t5.model", "sentencepiece/test_ja_model.model",
    "tiktoken/r50k_base.tiktoken", "scores/stories15m_tokens_scores.json",
]  # fmt: skip


@cache
def tokenizer_of(shared: Path, name: str) -> Tokenizer:
    return load(shared / "vocabularies" / name) if "/" in name else shipped_tokenizer(name)


def check(tokenizer: Tokenizer, text: str, *, special: bool = False, template: bool = False) -> None:
    """The explained changes, made in the text, give what is decoded."""
    report = round_trip(tokenizer, text, special=special, template=template)
    assert report.decoded == tokenizer.decode(tokenizer.ids(text, special=special, template=template))
    assert sum(group.count for group in report.groups()) == len(report.changes)
    parts: list[str] = []
    position = length = 0
    for change in report.changes:
        assert 0 <= change.at < len(change.steps)
        assert report.text[change.start : change.end] == change.before != change.after == change.steps[-1][1]
        parts += (report.text[position : change.start], change.after)
        length += change.start - position + len(change.after)
        assert (change.decoded_start, change.decoded_end) == (length - len(change.after), length)
        position = change.end
    assert "".join((*parts, report.text[position:])) == report.decoded


@pytest.mark.parametrize("name", [*PUBLISHED, *NAMES])
def test_every_difference_of_hard_texts_is_explained(shared: Path, name: str) -> None:
    tokenizer = tokenizer_of(shared, name)
    texts = [CORPUS[: len(CORPUS) // 3], "".join(HARD), " ".join(HARD), *HARD]
    texts += ["\ud800", "a\ud83d\ude00\udc00 b", " a", "  ", "", "a ", "don't  do not , I 'm !"]
    for token in tokenizer.added_tokens[:3]:
        texts.append(f" {token.content} a  {token.content}{token.content} \n")
    for text, special in product(texts, (False, True)):
        check(tokenizer, text, special=special, template=special)


@pytest.mark.parametrize("name", PUBLISHED)
@given(text=any_text, special=st.booleans())
def test_every_difference_of_any_text_is_explained(shared: Path, name: str, text: str, special: bool) -> None:
    check(tokenizer_of(shared, name), text, special=special, template=special)


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


def test_published_pipelines_name_their_steps_and_equal_changes_are_one_group(shared: Path, uncased: Tokenizer) -> None:
    assert told(tokenizer_of(shared, PUBLISHED[3]), "a b ▁ c") == [("▁", " ", "SentencePiece", "")]
    t5 = tokenizer_of(shared, "sentencepiece/nai-t5.model")
    assert ("，", ",", "SentencePiece", "character_map") in told(t5, "你好，a")
    assert (" ", "", "SentencePiece", "white_space") in told(t5, "a  b")
    report = round_trip(tokenizer_of(shared, PUBLISHED[0]), "low", special=True, template=True)
    added, space = "post-processor", (" ", "decoder")
    changes = [(change.after, change.stage.stage) for change in report.changes]
    assert changes == [("[CLS]", added), space, space, ("[SEP]", added)]
    groups = round_trip(uncased, "Café CAFÉ é " * 40).groups()
    assert (groups[0].first.before, groups[0].count) == ("C", 80)
    assert groups[0].places == (0, 5, 12, 17, 24)
    assert len(groups) < 12


@pytest.mark.parametrize("hostile", ["é" * 8_000, "  a" * 3_000, "𠮷 " * 4_000, "\x00" * 8_000, "<0x41>" * 1_400])
@pytest.mark.parametrize("name", ["tokenizers/bert_base_cased.json", "sentencepiece/nai-t5.model"])
def test_hostile_texts_take_time_in_proportion(shared: Path, name: str, hostile: str) -> None:
    began = time.process_time()
    check(tokenizer_of(shared, name), hostile)
    assert time.process_time() - began < 4  # 0.3 s on a free machine; a quadratic step takes longer

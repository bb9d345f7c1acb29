"""Encoding with a report: the same tokens, and the counters of the words that were new."""

from collections.abc import Iterator

import pytest

from webapp.core.formats.recognize import recognize
from webapp.core.tokenizer import Tokenizer
from webapp.observing import report
from webapp.tokenization.result import encode, ids_of
from webapp.vocabularies import shipped_tokenizer

TEXT = "low lower lowest low lower"


@pytest.fixture(autouse=True)
def _no_report_stays() -> Iterator[None]:
    yield
    report.finish()


def counters() -> dict[tuple[str, str], float]:
    return {(name, next(iter(labels.values()))): amount for name, labels, amount in report.finish()["counters"]}


def fresh() -> Tokenizer:
    """A tokenizer whose caches are empty."""
    shipped = shipped_tokenizer("bpe-bytes")
    return Tokenizer(
        type(shipped.model)(shipped.model.pieces, shipped.model.merges, byte_level=True),
        normalizer=shipped.normalizer,
        pretokenizer=shipped.pretokenizer,
    )


def test_the_report_changes_no_token() -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    expected = tokenizer.encode(TEXT)
    report.start()
    assert list(encode(tokenizer, TEXT)) == list(expected)
    assert ids_of(tokenizer, TEXT) == list(expected.ids)
    assert counters()["tokens_total", "bpe"] == 2 * len(expected)


def test_words_are_hits_when_they_return() -> None:
    report.start()
    encode(tokenizer := fresh(), TEXT)
    found = counters()
    # "low" begins the text; " low" does not.
    assert found["cache_misses_total", "words"] == 4
    assert found["cache_hits_total", "words"] == 1
    report.start()
    encode(tokenizer, TEXT)
    found = counters()
    assert (found["cache_misses_total", "words"], found["cache_hits_total", "words"]) == (0, 5)


def test_tokens_count_for_the_algorithm_of_the_request() -> None:
    words = recognize("研究 5\n生命 3\n".encode()).tokenizer
    report.start()
    encode(words, "研究生命", algorithm="bmm")
    encode(words, "研究生命", algorithm="made-up")
    found = counters()
    assert found["tokens_total", "bmm"] == 2
    assert {label for name, label in found if name == "tokens_total"} == {"bmm", "fmm"}

"""Files of n-gram models: reading back gives the same model, and errors name the line."""

import json
from contextlib import suppress
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.formats import ngram_counts
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize, save
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START
from webapp.core.models.ngram_lattice import CharacterModel
from webapp.core.models.smoothing import SMOOTHINGS
from webapp.core.recipes import NGRAM
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.ngram import pruned, segmented, train

words = st.one_of(st.text("ab", min_size=1, max_size=2), st.sampled_from(["<s>", "\\x", "\\<s>"]))
sentences = st.lists(st.lists(words, min_size=1, max_size=5), min_size=1, max_size=5)
texts = st.text("abcd。 ", max_size=9)


def read_counts(text: str) -> Tokenizer:
    return recognize(text.encode()).tokenizer


LESSON = list(segmented("人生 如 梦境\n人生 如 戏\n生如夏花\n梦境 如 人生"))


@given(sentences, texts, st.integers(1, 3), st.sampled_from(SMOOTHINGS), st.booleans(), st.booleans())
def test_what_is_written_is_read_back(
    given_sentences: list[list[str]], text: str, order: int, smoothing: str, rare: bool, spells: bool
) -> None:
    counts = train(given_sentences, order, (1, 2, 2) if rare else ())
    model = NGram(counts, smoothing, keep_runs=False, characters=CharacterModel({"d": 1}) if spells else None)
    tokenizer = NGRAM.tokenizer(model)
    writers = {"json": (ngram_counts.write_json, read_counts)}
    if order > 1 and not rare and not spells:
        writers["text"] = ngram_counts.write_text, ngram_counts.read_text
    for write, read in writers.values():
        back = read(write(tokenizer)).model
        assert isinstance(back, NGram)
        back = back.with_choices(smoothing, order, False)
        assert back.words(text) == model.words(text)
        for context in ([START], ["a"], ["b", "a"]):
            for word in ("a", "never", END):
                before = context[-order + 1 :] if order > 1 else []
                assert isclose(back.probability(word, before), model.probability(word, before), rel_tol=1e-9)


def test_files_are_recognized() -> None:
    tokenizer = NGRAM.tokenizer(NGram(train(LESSON), "kneser-ney"))
    for content, format in (
        (save(tokenizer), "ngram-counts"),
        (ngram_counts.write_text(tokenizer).encode(), "ngram-text"),
    ):
        found = recognize(content)
        assert found.format == format
        assert found.tokenizer.ids("人生如梦境") == [0, 1, 2]
    with pytest.raises(FormatError, match="this is an ARPA file"):
        recognize(b"# made by a program\n\\data\\\nngram 1=8\n")
    # A word list with numbers stays a dictionary.
    assert recognize("人生 3\n如 5\n".encode()).format == "dictionary"


def test_pairs_alone_are_enough() -> None:
    model = ngram_counts.read_text("<s> 人生 2\n人生 如 2\n如 戏 1\n如 梦境 1\n戏 </s> 1\n梦境 </s> 1\n").model
    assert isinstance(model, NGram)
    assert model.words("人生如戏") == ["人生", "如", "戏"]
    assert (model.counts.count("如"), model.counts.sentences, model.counts.count(END)) == (2, 2, 2)


PRUNED = NGRAM.tokenizer(NGram(pruned(train(LESSON), [2]), "kneser-ney"))


@pytest.mark.parametrize("estimates", [[[], [], []], [[[1, 1]], [], [0.5]], [[[-1, 1], [1, 1]], [[1, 1]], [0.5, 0.5]]])
def test_estimates_must_fit_the_orders(estimates: list[object]) -> None:
    document = json.loads(ngram_counts.write_json(PRUNED))
    document["removed"]["estimates"] = estimates
    with pytest.raises(FormatError, match='"estimates" should have three lists'):
        ngram_counts.read(document)


@given(st.data())
def test_damaged_files_are_read_or_refused(data: st.DataObject) -> None:
    tokenizer = NGRAM.tokenizer(NGram(train(LESSON), "kneser-ney"))
    for content, read in (
        (ngram_counts.write_json(tokenizer), read_counts),
        (ngram_counts.write_text(tokenizer), ngram_counts.read_text),
    ):
        start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        damaged = content[:start] + data.draw(st.text('0-9 \n\t<s>{}[],"\\梦', max_size=5)) + content[end:]
        with suppress(FormatError):
            read(damaged).ids("人生如梦境")

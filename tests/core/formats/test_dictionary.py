"""Files of words and n-grams."""

import json
import tomllib
from math import isclose
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.formats import ngram_counts
from webapp.core.formats.dictionary import DictionaryError, comma_rows, read_dictionary, write_dictionary
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize, save
from webapp.core.models.dictionary import CONTROL, MOST_LISTED, Dictionary
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START
from webapp.core.models.ngram_lattice import CharacterModel
from webapp.core.models.smoothing import SMOOTHINGS
from webapp.core.recipes import NGRAM
from webapp.core.trainers.ngram import pruned, segmented, train

LISTS = tomllib.loads(Path(__file__).with_name("word_lists.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "words", "frequencies", "tags"), LISTS["read"])
def test_a_word_list_is_read(text: str, words: list[str], frequencies: list[int], tags: list[str]) -> None:
    dictionary = read_dictionary(text)
    columns = (dictionary.words, dictionary.frequencies, dictionary.tags)
    assert [list(column or ()) for column in columns] == [words, frequencies, tags]
    assert [column is None for column in columns[1:]] == [not frequencies, not tags]


def test_empty_cells_at_the_end_of_rows_are_no_fields() -> None:
    read = read_dictionary("词,频率,,,,\n研究,100,,,,\n生命,90,v,,\n" + "起源,8," + "," * 100_000 + "\n")
    assert (read.words, read.frequencies) == (("研究", "生命", "起源"), (100, 90, 8))
    assert comma_rows(["研究,100,", "a,1,,,x"]) is None
    for line in ('a,1,,，, ,"",', "a,1,,， , ,", "a,1,"):
        assert comma_rows(["研究,100,", line]) == [["研究", "100"], ["a", "1"]]


LONG_WORDS = [
    ("人\n研究 " + "9" * 5000, 2, "frequency-not-a-number"),
    ("人\n" + "长" * 65, 2, "word-too-long"),
]


@pytest.mark.parametrize(("text", "line_number", "reason"), [*LISTS["skipped"], *LONG_WORDS])
def test_a_bad_line_is_skipped(text: str, line_number: int, reason: str) -> None:
    dictionary = read_dictionary(text)
    skipped = dictionary.skipped
    assert [(line.number, line.reason) for line in skipped.first] == [(line_number, reason)]
    assert (skipped.count, skipped.more) == (1, 0)
    others = [line for number, line in enumerate(text.split("\n"), 1) if number != line_number]
    alone = read_dictionary("\n".join(others))
    assert (dictionary.words, dictionary.frequencies) == (alone.words, alone.frequencies)


BINARY = ("\x00\x01\x02" * 20 + "\n" + "词\n" * 10, 1, "control-character")


@pytest.mark.parametrize(("text", "line_number", "reason"), [*LISTS["refused"], BINARY])
def test_what_is_no_word_list_is_refused(text: str, line_number: int, reason: str) -> None:
    with pytest.raises(DictionaryError) as raised:
        read_dictionary(text)
    assert (raised.value.line_number, raised.value.reason) == (line_number, reason)


def test_of_many_skipped_lines_the_first_are_listed() -> None:
    text = "".join(f"词{at}\n坏 x{at}\n" for at in range(50))
    skipped = read_dictionary(text).skipped
    assert (skipped.count, len(skipped.first), skipped.more) == (50, MOST_LISTED, 50 - MOST_LISTED)
    assert (skipped.first[1].number, skipped.first[1].text) == (4, "坏 x1")


@given(text=st.text(st.characters(exclude_categories=("Cs",))))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        dictionary = read_dictionary(text)
    except DictionaryError:
        return
    assert all(dictionary.id_of(word) == id for id, word in enumerate(dictionary.words))


# --- writing

# Any word, and words that look like the fields of other lists.
WRITTEN = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6).filter(
        lambda word: not CONTROL.search(word)
    ),
    st.text('a1,，" ', min_size=1, max_size=5),
)
LINES = st.tuples(WRITTEN, st.integers(0, 10**18 - 1), st.sampled_from(["", "n", "v"]))


@given(
    lines=st.lists(LINES, unique_by=lambda line: line[0], max_size=6),
    columns=st.integers(1, 3),
    separator=st.sampled_from([" ", "\t"]),
)
def test_a_written_dictionary_is_read_back(
    lines: list[tuple[str, int, str]], columns: int, separator: Literal[" ", "\t"]
) -> None:
    words, frequencies, tags = ([line[at] for line in lines] for at in range(3))
    dictionary = Dictionary(words, frequencies if columns > 1 else None, tags if columns > 2 else None)
    try:
        written = write_dictionary(dictionary, separator=separator)
    except FormatError:
        commas = separator == " " and all("," in word or "，" in word for word in words)
        assert commas or any(word != word.strip() or len(word.split()) > 1 or "\ufeff" in word for word in words)
        return
    again = read_dictionary(written)
    assert again.words == dictionary.words
    if words:
        assert again.frequencies == dictionary.frequencies
        # A dictionary whose tags are all empty is read back without tags.
        assert (again.tags or ("",) * len(words)) == (dictionary.tags or ("",) * len(words))


def test_which_forms_of_a_dictionary_can_be_written() -> None:
    dictionary = Dictionary(["研究", "New York"], [5, 7], ["v", ""])
    assert write_dictionary(dictionary, separator="\t") == "研究\t5\tv\nNew York\t7\n"
    assert write_dictionary(Dictionary(["研究", "生命"])) == "研究\n生命\n"
    assert write_dictionary(Dictionary(["研究"], tags=["v"])) == "研究 0 v\n"
    assert write_dictionary(Dictionary(["a,1", "b,2"]), separator="\t") == "a,1\t\nb,2\n"
    for words in (["a,1", "b,2"], ["New York"], [" a"], ["a\tb"], ["a\nb"], ["\ufeffa"]):
        with pytest.raises(FormatError, match="cannot be written"):
            write_dictionary(Dictionary(words))
    with pytest.raises(FormatError, match="not a whole number"):
        write_dictionary(Dictionary(["a"], [-1]))


@given(
    words=st.lists(st.text('研a1,，" ', min_size=1, max_size=5).map(str.strip).filter(bool), unique=True, min_size=1),
    comma=st.sampled_from([",", "，", ", "]),
    header=st.sampled_from(["", "word,frequency\n", "词，词频，词性\n"]),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_a_table_of_a_spreadsheet_is_read(words: list[str], comma: str, header: str, end: str, mark: str) -> None:
    quoted = ['"' + word.replace('"', '""') + '"' for word in words]
    text = mark + header + "".join(f"{word}{comma}{at}{end}" for at, word in enumerate(quoted))
    dictionary = read_dictionary(text)
    assert (dictionary.words, dictionary.frequencies) == (tuple(words), tuple(range(len(words))))


words = st.one_of(st.text("ab", min_size=1, max_size=2), st.sampled_from(["<s>", "\\x", "\\<s>"]))
sentences = st.lists(st.lists(words, min_size=1, max_size=5), min_size=1, max_size=5)
texts = st.text("abcd。 ", max_size=9)


LESSON = list(segmented("人生 如 梦境\n人生 如 戏\n生如夏花\n梦境 如 人生"))


@given(sentences, texts, st.integers(1, 3), st.sampled_from(SMOOTHINGS), st.booleans(), st.booleans())
def test_what_is_written_is_read_back(
    given_sentences: list[list[str]], text: str, order: int, smoothing: str, rare: bool, spells: bool
) -> None:
    counts = train(given_sentences, order, (1, 2, 2) if rare else ())
    model = NGram(counts, smoothing, keep_runs=False, characters=CharacterModel({"d": 1}) if spells else None)
    tokenizer = NGRAM.tokenizer(model)
    found = recognize(save(tokenizer))
    assert found.format == "ngram-counts"
    read = [found.tokenizer]
    if order > 1 and not rare and not spells:
        read += [ngram_counts.read_text(ngram_counts.write_text(tokenizer))]
    for back in (each.model for each in read):
        assert isinstance(back, NGram)
        back = back.with_choices(smoothing, order, False)
        assert back.words(text) == model.words(text)
        for context in ([START], ["a"], ["b", "a"]):
            for word in ("a", "never", END):
                before = context[-order + 1 :] if order > 1 else []
                assert isclose(back.probability(word, before), model.probability(word, before), rel_tol=1e-9)


def test_pairs_alone_are_enough() -> None:
    found = recognize(ngram_counts.write_text(NGRAM.tokenizer(NGram(train(LESSON), "kneser-ney"))).encode())
    assert (found.format, found.tokenizer.ids("人生如梦境")) == ("ngram-text", [0, 1, 2])
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

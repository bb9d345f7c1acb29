"""Word lists: which are read, and which are refused with what message."""

from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.formats.strict_dictionary import read_strictly
from webapp.core.formats.dictionary import DictionaryError, read_dictionary, write_dictionary
from webapp.core.formats.fields import FormatError
from webapp.core.models.dictionary import CONTROL, MOST_LISTED, Dictionary


@pytest.mark.parametrize(
    ("text", "words", "frequencies", "tags"),
    [
        ("", (), None, None),
        ("\n \n", (), None, None),
        ("研究\n生命", ("研究", "生命"), None, None),
        ("\ufeff研究\r\n生命\r\n", ("研究", "生命"), None, None),
        ("研究 5\n生命", ("研究", "生命"), (5, 0), None),
        ("研究 5 v\n生命 3\n\n人", ("研究", "生命", "人"), (5, 3, 0), ("v", "", "")),
        ("New York\t7\tns\nAT&T\t3", ("New York", "AT&T"), (7, 3), ("ns", "")),
        ("研究\t\t\n", ("研究",), None, None),
        ("研究 5\n研究 9\n", ("研究",), (5,), None),
        ("研究,100\n生命,90\n", ("研究", "生命"), (100, 90), None),
        ("\ufeff研究，100，v\r\n\r\n生命，90，\r\n", ("研究", "生命"), (100, 90), ("v", "")),
        ("word,frequency,tag\n研究,100,v\n生命,90,n\n", ("研究", "生命"), (100, 90), ("v", "n")),
        ("词语，词频\n研究，100\n", ("研究",), (100,), None),
        ("研究,100,\n生命,,\n人,2,", ("研究", "生命", "人"), (100, 0, 2), None),
        (
            '"研究","100"\n"New York, N.Y.",7\n"say ""no""", 3 , "x"',
            ("研究", "New York, N.Y.", 'say "no"'),
            (100, 7, 3),
            ("", "", "x"),
        ),
        ("AT&T, Inc\t5\n研究,1\t3", ("AT&T, Inc", "研究,1"), (5, 3), None),
        ("研究,100\n生命", ("研究,100", "生命"), None, None),
        ("Washington, 5", ("Washington",), (5,), None),
        ("1,3-丁二烯\n1,2-乙二醇", ("1,3-丁二烯", "1,2-乙二醇"), None, None),
    ],
)
def test_a_word_list_is_read(text: str, words: object, frequencies: object, tags: object) -> None:
    dictionary = read_dictionary(text)
    assert (dictionary.words, dictionary.frequencies, dictionary.tags) == (words, frequencies, tags)


@pytest.mark.parametrize(
    ("text", "line_number", "reason"),
    [
        ("研究 5\n生命 often", 2, "frequency-not-a-number"),
        ("人\n研究 -5", 2, "frequency-not-a-number"),
        ("人\n研究 1.5", 2, "frequency-not-a-number"),
        ("人\n研究 ５", 2, "frequency-not-a-number"),
        ("人\n研究 " + "9" * 5000, 2, "frequency-not-a-number"),
        ("人\n研究\t\tv", 2, "frequency-not-a-number"),
        ("人\n研究　v", 2, "frequency-not-a-number"),
        ("人\n\na 1 b c", 3, "too-many-fields"),
        ("人\na\t1\tb\tc", 2, "too-many-fields"),
        ("人\n\t5\tn", 2, "empty-word"),
        ("人\n" + "长" * 65, 2, "word-too-long"),
        ("人\n关\x08系", 2, "control-character"),
        ("人\n关系 5 \x00", 2, "control-character"),
        ("研究,100\n生命,often\n人,3", 2, "frequency-not-a-number"),
        ("研究,100\n,3", 2, "empty-word"),
        ("New York,100\n人,5\n生命,1,n,x", 3, "too-many-fields"),
        ('New York,100\n人,5\n"生命,1', 3, "quotes"),
    ],
)
def test_a_bad_line_is_skipped(text: str, line_number: int, reason: str) -> None:
    dictionary = read_dictionary(text)
    skipped = dictionary.skipped
    assert [(line.number, line.reason) for line in skipped.first] == [(line_number, reason)]
    assert (skipped.count, skipped.more) == (1, 0)
    others = [line for number, line in enumerate(text.split("\n"), 1) if number != line_number]
    alone = read_dictionary("\n".join(others))
    assert (dictionary.words, dictionary.frequencies) == (alone.words, alone.frequencies)


@pytest.mark.parametrize(
    ("text", "line_number", "reason"),
    [
        ("研究 often", 1, "frequency-not-a-number"),
        ("\n研究,0.5\n生命,0.25", 2, "frequency-not-a-number"),
        ("It is a truth universally acknowledged,\nthat a single man in\npossession", 1, "too-many-fields"),
        ("\x00\x01\x02" * 20 + "\n" + "词\n" * 10, 1, "control-character"),
    ],
)
def test_what_is_no_word_list_is_refused(text: str, line_number: int, reason: str) -> None:
    with pytest.raises(DictionaryError) as raised:
        read_dictionary(text)
    assert (raised.value.line_number, raised.value.reason) == (line_number, reason)
    assert str(line_number) in str(raised.value)
    assert isinstance(raised.value, ValueError)


def test_a_line_that_keeps_a_list_from_being_csv_is_named() -> None:
    dictionary = read_dictionary("研究,100\n生命\n人,3")
    assert (dictionary.words, dictionary.skipped.not_csv) == (("研究,100", "生命", "人,3"), 2)
    assert read_dictionary("研究,100\n人,3").skipped.not_csv == 0
    assert read_dictionary("2,3-丁二醇\n人").skipped.not_csv == 0
    assert read_dictionary("研究 5 v\n生命,10,n\n科学 3 n").skipped.like_csv == 2


def test_of_many_skipped_lines_the_first_are_listed() -> None:
    text = "".join(f"词{at}\n坏 x{at}\n" for at in range(50))
    skipped = read_dictionary(text).skipped
    assert (skipped.count, len(skipped.first), skipped.more) == (50, MOST_LISTED, 50 - MOST_LISTED)
    assert (skipped.first[1].number, skipped.first[1].text) == (4, "坏 x1")


@pytest.mark.parametrize(
    ("text", "words", "frequencies"),
    [
        ("约翰　史密斯", ("约翰　史密斯",), None),
        ("约翰　史密斯 5 nr\n人 3", ("约翰　史密斯", "人"), (5, 3)),
        ("研究　5　v\n生命　3", ("研究", "生命"), (5, 3)),
        ("阿　尔 1\n　人　", ("阿　尔", "人"), (1, 0)),
        ("New York,100\n生命\n人,3\n我,often", ("New York", "生命", "人"), (100, 0, 3)),
        ("研究 院，100\n生命，90\n生命、科学，a，b，c", ("研究 院", "生命"), (100, 90)),
        ("研究、生命", ("研究、生命",), None),
    ],
)
def test_ideographic_spaces_and_commas(text: str, words: tuple[str, ...], frequencies: object) -> None:
    dictionary = read_dictionary(text)
    assert (dictionary.words, dictionary.frequencies) == (words, frequencies)


FIELD = st.text('研究ab1，,　 "、', max_size=4) | st.sampled_from(
    ["5", "100", "often", "n", "v", "词频", "word", "\u3000"]
)
LINE = st.builds(lambda fields, by: by.join(fields), st.lists(FIELD, max_size=4), st.sampled_from(" \t,，　"))


@given(lines=st.lists(LINE, max_size=8), mark=st.sampled_from(["", "\ufeff"]))
@example(lines=["研究,100", "生命"], mark="")
@example(lines=["研究　5", "约翰　史密斯"], mark="")
def test_a_list_without_bad_lines_is_read_as_it_always_was(lines: list[str], mark: str) -> None:
    text = mark + "\n".join(lines)
    before = read_strictly(text)
    if before is None:
        return
    dictionary = read_dictionary(text)
    assert not dictionary.skipped
    assert (dictionary.words, dictionary.frequencies, dictionary.tags) == (
        before.words,
        before.frequencies,
        before.tags,
    )


@given(words=st.lists(st.text("研究生命", min_size=1, max_size=4), min_size=3, unique=True), at=st.integers(0, 2))
def test_the_official_lists_lose_one_line(words: list[str], at: int) -> None:
    """The bakeoff's lists have a line with U+0008, and a name with U+3000."""
    lines = [*words[:at], "关\x08系", "让　雅克　卢梭", *words[at:]]
    dictionary = read_dictionary("\n".join(lines))
    assert dictionary.words == (*words[:at], "让　雅克　卢梭", *words[at:])
    assert [line.number for line in dictionary.skipped.first] == [at + 1]


@given(text=st.text(st.characters(exclude_categories=("Cs",))))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        dictionary = read_dictionary(text)
    except DictionaryError:
        return
    assert all(dictionary.id_of(word) == id for id, word in enumerate(dictionary.words))


@pytest.mark.parametrize(
    ("words", "frequencies", "message"),
    [(["a", "a"], None, "twice"), ([""], None, "empty"), (["a"], [1, 2], "2 frequencies")],
)
def test_a_contradictory_dictionary_is_refused(words: list[str], frequencies: list[int] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Dictionary(words, frequencies)


# --- writing

# Any word, and words that look like the fields of other lists.
WRITTEN = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6).filter(
        lambda word: not CONTROL.search(word)
    ),
    st.text('a1,，" ', min_size=1, max_size=5),
)
COLUMNS = st.sampled_from([(False, False), (True, False), (True, True)])


@given(
    words=st.lists(WRITTEN, unique=True, max_size=6),
    columns=COLUMNS,
    separator=st.sampled_from([" ", "\t"]),
    data=st.data(),
)
def test_a_written_dictionary_is_read_back(
    words: list[str], columns: tuple[bool, bool], separator: Literal[" ", "\t"], data: st.DataObject
) -> None:
    numbers = st.lists(st.integers(0, 10**18 - 1), min_size=len(words), max_size=len(words))
    tags = st.lists(st.sampled_from(["", "n", "v"]), min_size=len(words), max_size=len(words))
    frequencies = data.draw(numbers) if columns[0] else None
    dictionary = Dictionary(words, frequencies, data.draw(tags) if columns[1] else None)
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
    with pytest.raises(FormatError, match="cannot be written"):
        write_dictionary(Dictionary(["a,1", "b,2"]))
    for word in ("New York", " a", "a\tb", "a\nb", "\ufeffa"):
        with pytest.raises(FormatError, match="cannot be written"):
            write_dictionary(Dictionary([word]))
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

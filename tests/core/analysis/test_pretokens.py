"""Pre-tokens of a text as a table, and which alternative of a split pattern makes each."""

import time
from pathlib import Path

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.texts import CORPUS, HARD, any_text
from webapp.core.analysis.pattern_alternatives import PatternAlternatives
from webapp.core.analysis.pretoken_view import differences, pretoken_view
from webapp.core.formats.recognize import load
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.recipes import BYTE_BPE
from webapp.core.text.pretokenizers import PreTokenizerSequence, Split, WhitespaceSplit
from webapp.core.text.split_patterns import KNOWN, O200K, SUPERWORDS, SplitPattern
from webapp.core.text.unicode_tables import as_unicode_16
from webapp.core.text.utf8 import bytes_to_characters
from webapp.core.tokenizer import Tokenizer

BYTES = RankBPE([bytes([byte]) for byte in range(256)])


@given(text=any_text)
def test_pretokens_are_those_of_tokenizers(pair: Pair, text: str) -> None:
    ours, theirs = pair.ours, pair.theirs
    view = pretoken_view(ours, text)
    for stage in view.stages:  # in order, and with the alternatives of a pattern
        ends = [0, *(pretoken.end for pretoken in stage.pretokens)]
        assert all(pretoken.start <= pretoken.end for pretoken in stage.pretokens)
        assert ends == sorted(ends)
        assert stage.pattern is not None or all(pretoken.alternative is None for pretoken in stage.pretokens)
    assert sum(pretoken.tokens or 0 for pretoken in view.pretokens) == len(ours.ids(text))

    normalized = text if theirs.normalizer is None else theirs.normalizer.normalize_str(text)
    expected = theirs.pre_tokenizer.pre_tokenize_str(normalized) if theirs.pre_tokenizer else [(normalized, None)]
    found = [each.text for each in view.pretokens]
    if ours.model.pieces and isinstance(ours.model.pieces[0], bytes):
        found = [bytes_to_characters(each.encode()) for each in found]
    assert found == [pretoken for pretoken, _ in expected if pretoken]


def test_stages_show_what_each_step_splits() -> None:
    steps = PreTokenizerSequence((WhitespaceSplit(), Split(r"\d|[a-z]+", "isolated")))
    view = pretoken_view(Tokenizer(BYTES, pretokenizer=steps), "ab12 c!")
    assert [[each.text for each in stage.pretokens] for stage in view.stages] == [
        ["ab12", "c!"],
        ["ab", "1", "2", "c", "!"],
    ]
    assert [each.alternative for each in view.pretokens] == [1, 0, 0, 1, None]
    assert [(each.start, each.end) for each in view.pretokens] == [(0, 2), (2, 3), (3, 4), (5, 6), (6, 7)]
    assert view.stages[1].counts() == [2, 2]
    assert view.stages[0].pretokens[0].tokens is None


@given(text=any_text)
def test_differences_cover_all_other_boundaries(text: str) -> None:
    tokenizer = BYTE_BPE.tokenizer(BYTES)
    usual, own = pretoken_view(tokenizer, text), pretoken_view(tokenizer, text, own=O200K)
    found = differences(usual, own)
    assert all("".join(each.first) == "".join(each.second) for each in found)
    boundaries = [{pretoken.end for pretoken in view.pretokens} for view in (usual, own)]
    other = boundaries[0] ^ boundaries[1]
    assert all(any(each.start < place < each.end for each in found) for place in other)
    assert bool(other) == bool(found)


def test_long_texts_take_time_in_proportion(shared: Path) -> None:
    tokenizer = load(shared / "vocabularies" / "tokenizers" / "gpt2.json")
    began = time.process_time()
    usual = pretoken_view(tokenizer, "a1 " * 2_000)
    assert len(differences(usual, pretoken_view(tokenizer, usual.text, own="a|1|."))) == 1_999
    assert time.process_time() - began < 2  # 0.1 s on a free machine


PATTERNS = [
    *KNOWN,
    SUPERWORDS,
    r"(?i)the|a(?=b|c)|[^\]|]+",
    r"(?:\p{L}+|\d)",
    r"(?V1)[\p{L}--[a-z||A-Z]]|[a-z]+|.",
    "a|",
]


def check(source: str, text: str) -> None:
    """Each match is that of the named alternative, and no alternative before it matches there."""
    pattern = PatternAlternatives(source)
    known = as_unicode_16(text)
    alone = [regex.compile(pattern.flags + alternative) for alternative in pattern.alternatives]
    found = pattern.matches(text)
    assert [(start, end) for start, end, _ in found] == SplitPattern(source).spans(text)
    for start, end, number in found:
        ends = [each.match(known, start) for each in alone[: number + 1]]
        assert all(match is None for match in ends[:-1])
        assert ends[-1] is not None
        assert ends[-1].end() == end
    whole = regex.compile(pattern.flags + "|".join(f"(?:{each})" for each in pattern.alternatives))
    assert [match.span() for match in whole.finditer(known)] == [
        match.span() for match in regex.compile(source).finditer(known)
    ]


@pytest.mark.parametrize("source", PATTERNS)
@given(text=any_text)
@example(text=CORPUS[: len(CORPUS) // 3] + " ".join(HARD))
def test_the_alternatives_of_any_text_together_are_the_pattern(source: str, text: str) -> None:
    assert len(PatternAlternatives(source).alternatives) > 1
    check(source, text)


# fmt: off
atoms = st.sampled_from([
    "a", "b", r"\|", r"\\", "[|]", "[^]|]", "[a-z]", r"\p{L}", "(a|b)", "(?:a|(b|c))", "(?i:a|B)", "(?#x|)", "(?=a|b)",
    r"\(", r"\[", "[[:alpha:]|]", "a{1,2}", "a++", "[()]", "|", "|", " ", r"\s+(?!\S)", "$", r"\x7c", "(?<!a|b)",
])
DEPENDENT = [r"(a)\1|b", r"(x)?(?(1)a|b)|c", r"a(*PRUNE)b|ac", "a|(?i)b", "(?x)a|b # |c", r"a\Kb|c"]
# fmt: on


@given(source=st.lists(atoms, min_size=1, max_size=8).map("".join), text=st.text("abB|\\[]() z\n", max_size=30))
def test_patterns_of_any_form_are_equal_to_their_alternatives(source: str, text: str) -> None:
    check(source, text)


@pytest.mark.parametrize("source", DEPENDENT)
def test_a_pattern_whose_alternatives_depend_on_each_other_is_one(source: str) -> None:
    assert len(PatternAlternatives(source).alternatives) == 1
    assert all(number == 0 for *_, number in PatternAlternatives(source).matches("aab bc"))


@pytest.mark.parametrize("source", ["|" * 5_000, "a|" * 2_500, "(" * 100 + "|" + ")" * 100, "[" + "|" * 900 + "]|a"])
def test_long_patterns_are_read_once(source: str) -> None:
    assert len(PatternAlternatives(source).alternatives) in (1, 2)

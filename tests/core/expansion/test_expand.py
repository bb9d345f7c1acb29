"""Vocabularies with pieces added: every base with every addition, and what the rules promise."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.expansion.bases import BASES, CHINESE, addition, base
from tests.core.texts import CORPUS, any_text
from webapp.core.expansion import Expansion, ExpansionError, expand
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.models.wordpiece import WordPiece
from webapp.core.recipes import MATCHING, WORDPIECE
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.from_text import train_wordpiece


def unreached(expansion: Expansion) -> list[str]:
    """The new pieces whose own text is encoded to something else."""
    model = expansion.tokenizer.model
    prefix = getattr(model, "continuing_subword_prefix", "")
    found = []
    for piece in expansion.added:
        written = model.pieces[piece.id]
        if isinstance(written, bytes):
            try:
                written = written.decode()
            except UnicodeDecodeError:
                continue
        suffix = getattr(model, "end_of_word_suffix", "")
        if (suffix and not written.endswith(suffix)) or (prefix and written.startswith(prefix)):
            continue  # reached inside a word only
        if list(model.ids(written.removesuffix(suffix))) != [piece.id]:
            found.append(written)
    return found


def tokens(tokenizer: Tokenizer, text: str) -> int:
    """The number of tokens of a text; unknown text counts by its characters."""
    encoding = tokenizer.encode(text)
    unknown = tokenizer.model.unknown_id
    return sum(
        end - start if id == unknown else 1
        for id, start, end in zip(encoding.ids, encoding.starts, encoding.ends, strict=True)
    )


@pytest.mark.parametrize("added", BASES)
@pytest.mark.parametrize("kind", BASES)
def test_every_base_takes_every_addition(kind: str, added: str) -> None:
    old, new = base(kind), addition(added)
    expansion = expand(old, new)
    tokenizer = expansion.tokenizer
    assert [token.id for token in old.added_tokens] == [token.id for token in tokenizer.added_tokens][
        : len(old.added_tokens)
    ]
    assert list(tokenizer.model.pieces[: len(old.model.pieces)]) == list(old.model.pieces)
    assert [piece.id for piece in expansion.added] == list(range(expansion.first_id, len(tokenizer.model.pieces)))
    assert unreached(expansion) == []
    assert all(id < expansion.first_id for piece in expansion.added for id in piece.old_ids)
    if "wordpiece" not in (kind, added):  # BERT's pre-tokenizer isolates Chinese characters
        assert tokens(tokenizer, CHINESE) < 0.8 * tokens(old, CHINESE)
    assert len(expansion.present) + len(expansion.refused) <= len(new.model.pieces)


@pytest.mark.parametrize("kind", BASES)
def test_what_is_there_is_kept_and_not_added_again(kind: str) -> None:
    old = base(kind)
    expansion = expand(old, ["qqqx", "▁qqqx"])
    assert [piece.text.strip() for piece in expansion.added if not piece.between]
    assert expansion.tokenizer.ids(CORPUS) == old.ids(CORPUS)
    itself = expand(old, old)
    assert not itself.added
    assert {refusal.reason for refusal in itself.refused} <= {"invalid", "split", "normalized"}


words = st.text(st.characters(categories=("Ll", "Lo", "Nd"), max_codepoint=0x9FFF), min_size=1, max_size=8)


ODD = ["", "   ", "\ud800", "a\0b", "x" * 101, "▁", "##", "qzq", "qzq", "\t"]


@pytest.mark.parametrize("kind", BASES)
@given(tokens=st.lists(st.one_of(words, words.map("▁{}".format)), max_size=12))
def test_each_token_of_a_list_is_added_present_or_refused(kind: str, tokens: list[str]) -> None:
    old = base(kind)
    expansion = expand(old, tokens + ODD)
    refused = {refusal.name: refusal.reason for refusal in expansion.refused}
    assert {"\ud800": "invalid", "x" * 101: "long"}.items() <= refused.items()
    assert unreached(expansion) == []
    wanted = {piece.text.strip() for piece in expansion.added if not piece.between}
    for token in set(tokens) - {*refused, *expansion.present}:
        text = token.replace("▁", " ").strip()
        assert text in wanted or f"##{text}" in wanted or f"{text}</w>" in wanted


@pytest.mark.parametrize("kind", BASES)
@given(text=any_text)
def test_decoding_does_not_depend_on_new_pieces(kind: str, text: str) -> None:
    old = base(kind)
    new = expand(old, ["天气", "很好", "qq", "▁zz"]).tokenizer
    before, after = old.decode(old.ids(text)), new.decode(new.ids(text))
    unknown = "<unk>", "[UNK]", "⁇", "�"
    assert before == after or any(mark in before for mark in unknown)


# --- the rules, one by one


def test_characters_come_before_merges_so_that_a_limit_loses_none() -> None:
    expansion = expand(base("scores"), addition("scores"))
    lengths = [len(piece.text) for piece in expansion.added]
    characters = lengths.count(1)
    assert lengths[:characters] == [1] * characters
    assert 0 < characters < len(lengths)
    limited = expand(base("scores"), addition("scores"), most=characters)
    assert [piece.text for piece in limited.added] == [piece.text for piece in expansion.added[:characters]]


def test_scores_fall_below_the_lowest_of_the_base_and_probabilities_are_shifted_to_its() -> None:
    old: Any = base("scores").model
    expansion = expand(base("scores"), addition("scores"))
    model: Any = expansion.tokenizer.model
    scores = [model.scores[piece.id] for piece in expansion.added]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] < min(old.scores)
    assert not expansion.between

    new: Any = addition("unigram").model
    expansion = expand(base("unigram"), addition("unigram"))
    model = expansion.tokenizer.model
    assert min(model.scores) == min(base("unigram").model.scores)  # of unknown characters
    shifted = [model.scores[piece.id] - new.scores[new.id_of(model.pieces[piece.id]) or 0] for piece in expansion.added]
    middle = sorted(shifted)[len(shifted) // 4]
    assert sum(abs(difference - middle) < 1e-9 for difference in shifted) > len(shifted) / 4


def test_pieces_in_between_are_added_or_the_token_is_refused() -> None:
    added = expand(base("merges"), ["qwqzx"])
    assert added.between == len(added.added) - 1 > 0
    refused = expand(base("merges"), ["qwqzx"], bridge=False)
    assert not refused.added
    assert [(refusal.reason, refusal.detail) for refusal in refused.refused] == [("unreachable", "q | w | q | z | x")]
    words = WORDPIECE.tokenizer(WordPiece(["[UNK]", "a", "##bcd", "##c"]))
    expansion = expand(words, ["ab"])  # no known word becomes unknown
    assert [(piece.text, piece.between) for piece in expansion.added] == [("ab", False), ("##b", True), ("##d", True)]
    pieces = expansion.tokenizer.model.pieces
    assert [pieces[id] for id in expansion.tokenizer.ids("abcd")] == ["ab", "##c", "##d"]


def test_free_ids_of_a_rank_base_get_placeholders() -> None:
    expansion = expand(base("ranks"), ["qqqq"])
    assert list(expansion.filled) == [350, 351]
    assert expansion.tokenizer.special_tokens["<|endoftext|>"] == 352
    assert expansion.first_id == 353
    assert expansion.tokenizer.ids("<|endoftext|>", special=True) == [352]


def test_bounds_and_bases_that_are_refused() -> None:
    expansion = expand(base("merges"), [f"qz{letter}x" for letter in "abcdefghijklmnopqrstuvwxyz"], most=20)
    assert len(expansion.added) <= 20
    assert {refusal.reason for refusal in expansion.refused} == {"limit"}
    expansion = expand(train_wordpiece(CORPUS, 300, lowercase=True), ["Zuqqini"])
    assert [(refusal.reason, refusal.detail) for refusal in expansion.refused] == [("normalized", "zuqqini")]
    words = MATCHING.tokenizer(Matching(Dictionary(["研究", "研究生", "生命"]), "forward"))
    assert {"研究", "研究生", "生命"} <= {piece.text for piece in expand(base("merges"), words).added}
    with pytest.raises(ExpansionError, match="had been compared"):
        expand(base("merges"), map(str, range(5_000)), seconds=0)
    with pytest.raises(ExpansionError, match="cannot be expanded") as raised:
        expand(words, ["a"])
    assert raised.value.field == "base"
    with pytest.raises(ExpansionError, match="more than 64 different lengths") as raised:
        expand(base("unigram"), [f"qq{'x' * length}" for length in range(70)])
    assert raised.value.field == "addition"

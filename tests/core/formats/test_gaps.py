"""Ids with gaps: OpenAI's encodings as tokenizer.json, and vocabularies from which pieces were removed."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
import tiktoken
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tests.core.pairs import Pair, pair_of
from tests.core.texts import CORPUS, HARD, any_text
from tests.properties import EXPENSIVE
from webapp.core.analysis.pipeline_difference import pipeline_difference
from webapp.core.analysis.token_list import TokenList
from webapp.core.expansion.expand import expand
from webapp.core.formats import compact_bpe, huggingface
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.formats.tiktoken import ENCODINGS, rank_tokenizer, read_ranks
from webapp.core.models.wordpiece import WordLevel
from webapp.core.tokenizer import Tokenizer
from webapp.pages.vocabularies.vocabulary import FORMATS
from webapp.vocabularies.uploads import number_of_ids

NAMES = ("p50k_base", "cl100k_base", pytest.param("o200k_base", marks=pytest.mark.exhaustive))
ENDS = ["a \n ", "  \n\n", "x1234567  \r\n\t ", "'S'\n", "<|endoftext|>", "<|endofprompt|> <|fim_prefix|>", *HARD]


@pytest.fixture(scope="module", params=NAMES)
def written(request: pytest.FixtureRequest, shared: Path) -> tuple[Pair, Tokenizer, tiktoken.Encoding]:
    """Return the written file in both libraries, the tokenizer before, and tiktoken's encoding."""
    content = (shared / "vocabularies" / "tiktoken" / f"{request.param}.tiktoken").read_bytes()
    ranks, parts = read_ranks(content), ENCODINGS[request.param]
    ours = rank_tokenizer(ranks, parts.pattern, parts.special_tokens)
    huggingface.check(ours)
    file = huggingface.write(ours)
    encoding = tiktoken.Encoding(
        "e", pat_str=parts.pattern, mergeable_ranks=ranks, special_tokens=dict(parts.special_tokens)
    )
    return Pair(huggingface.read(file), tokenizers.Tokenizer.from_str(file)), ours, encoding


@pytest.mark.exhaustive
@EXPENSIVE
@given(texts=st.lists(any_text | st.sampled_from(ENDS), max_size=6))
def test_a_written_encoding_equals_tiktoken(
    written: tuple[Pair, Tokenizer, tiktoken.Encoding], texts: list[str]
) -> None:
    pair, ours, encoding = written
    text = "".join(texts)
    pair.theirs.encode_special_tokens = False
    assert pair.theirs.encode(text).ids == encoding.encode(text, allowed_special="all")
    pair.assert_same(text, special=True, template=False)
    assert list(ours.encode(text, special=True).starts) == list(pair.ours.encode(text, special=True).starts)


def test_a_published_text_equals_tiktoken(written: tuple[Pair, Tokenizer, tiktoken.Encoding], shared: Path) -> None:
    pair, ours, encoding = written
    pair.theirs.encode_special_tokens = True  # their names are text
    for path in sorted((shared / "texts").iterdir()):
        text = path.read_text(encoding="utf-8")[:20_000]
        assert pair.theirs.encode(text).ids == pair.ours.ids(text) == encoding.encode_ordinary(text)
    assert pair.ours.special_tokens == ours.special_tokens
    assert list(TokenList(pair.ours).ids) == list(TokenList(ours).ids)


WORDS = json.dumps({
    "added_tokens": [],
    "pre_tokenizer": {"type": "Whitespace"},
    "model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0} | dict.fromkeys(CORPUS.split(), 1)},
})  # fmt: skip
FALLBACK = json.dumps({
    "added_tokens": [],
    "model": {
        "type": "BPE", "unk_token": "<unk>", "byte_fallback": True, "fuse_unk": True,
        "vocab": dict.fromkeys(["<unk>", *map("<0x{:02X}>".format, range(256)), *"lower ", "lo", "low", "er"], 0),
        "merges": ["l o", "lo w", "e r"],
    },
})  # fmt: skip
FILES: dict[str, Callable[[], str]] = {
    **{name: lambda name=name: pair_of(name).theirs.to_str()
       for name in ("byte_bpe", "cl100k_bpe", "glued_bpe", "wordpiece")},
    "words": lambda: WORDS,
    "bytes of characters": lambda: FALLBACK,
}  # fmt: skip


def with_gaps(file: str, chance: random.Random) -> tuple[str, dict[str, int]]:
    """Return the file with new ids for its pieces, in no order and with gaps, and its vocabulary."""
    document = json.loads(file)
    names = list(document["model"]["vocab"])
    vocabulary = dict(zip(names, chance.sample(range(len(names) + chance.randrange(700)), len(names)), strict=True))
    document["model"]["vocab"] = vocabulary
    for token in document["added_tokens"]:
        token["id"] = vocabulary[token["content"]]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    new = {"id": chance.randrange(len(names)), "content": "<new>", "special": True, **flags}
    document["added_tokens"] += [new] * chance.randrange(2)
    return json.dumps(document), vocabulary


@pytest.mark.parametrize("name", FILES)
@given(
    chance=st.randoms(use_true_random=True), texts=st.lists(any_text | st.sampled_from([*ENDS, "<new>"]), max_size=6)
)
def test_ids_with_gaps_equal_tokenizers(name: str, chance: random.Random, texts: list[str]) -> None:
    file, vocabulary = with_gaps(FILES[name](), chance)
    ours, text = huggingface.read(file), "".join(texts)
    written = huggingface.write(ours)
    pairs = [Pair(read, tokenizers.Tokenizer.from_str(file)) for read in (ours, huggingface.read(written))]
    assert json.loads(written)["model"]["vocab"] == vocabulary
    with patch.object(compact_bpe, "LEAST_PIECES", 1):
        if (compact := compact_bpe.compact(recognize(file.encode()))) is not None:
            pairs.append(Pair(compact_bpe.read(compact).tokenizer, pairs[0].theirs))
    for pair in pairs:
        for special in (False, True):
            pair.assert_same(text, special=special)
        pair.assert_decoded(pair.ours.ids(text, special=True))
        ids = [id for id in range(max(vocabulary.values()) + 2) if pair.theirs.id_to_token(id) is not None]
        assert list(TokenList(pair.ours).ids) == ids
        assert number_of_ids(pair.ours) == len(ids)
        for gap in {*range(max(ids) + 2)} - {*ids}:
            assert not pair.ours.has_id(gap)
            with pytest.raises(ValueError, match=f"id {gap} is (outside|in a gap of) the vocabulary"):
                pair.ours.decode([ids[0], gap])


@pytest.mark.parametrize("name", FILES)
def test_other_formats_keep_the_ids_or_refuse(name: str) -> None:
    ours = huggingface.read(with_gaps(FILES[name](), random.Random(5))[0])
    for format in FORMATS:
        try:
            files = format.contents(ours)
        except FormatError:
            continue
        again = recognize(*files).tokenizer
        assert [ours.ids(text) for text in HARD] == [again.ids(text) for text in HARD]


def test_two_files_with_gaps_are_compared_and_expanded() -> None:
    first, second = (huggingface.read(with_gaps(FILES["byte_bpe"](), random.Random(seed))[0]) for seed in (1, 2))
    assert not next(each for each in pipeline_difference(first, second).stages if each.stage == "model").same
    expansion = expand(first, ["lowestmost"])
    assert [*expansion.tokenizer.ids("研究 12"), first.gaps] == [*first.ids("研究 12"), expansion.tokenizer.gaps]
    assert expansion.added[-1].id == len(first.model.pieces) + len(expansion.added) - 1


def test_a_template_does_not_add_an_id_without_a_token() -> None:
    parsed = json.loads(WORDS)
    parsed["model"]["vocab"] = {"<unk>": 0, "a": 3}
    parsed["post_processor"] = {"type": "BertProcessing", "cls": ["a", 3], "sep": ["b", 2]}
    with pytest.raises(FormatError, match="adds the id 2, which no token has"):
        huggingface.read(json.dumps(parsed))


@pytest.mark.parametrize("special", [{"<s>": 4}, {"<s>": 3, "<pad>": 5}, {"<s>": 90, "<pad>": 3}])
def test_special_tokens_keep_their_ids(special: dict[str, int]) -> None:
    file = huggingface.write(Tokenizer(WordLevel(["<unk>", "a", "b"]), special_tokens=special))
    ours, theirs = huggingface.read(file), tokenizers.Tokenizer.from_str(file)
    assert dict(ours.special_tokens) == special
    assert theirs.encode("a<s><pad>").ids == ours.ids("a<s><pad>", special=True)

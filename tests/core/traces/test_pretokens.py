"""The tokens of a text's pre-tokens are the tokens of the text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.texts import any_text
from tests.core.traces import ids_of
from webapp.core.added_tokens import AddedToken, PostProcessor, Template
from webapp.core.formats.recognize import load
from webapp.core.models.wordpiece import WordPiece
from webapp.core.text import pretokenizers
from webapp.core.text.normalizers import BertNormalizer, Prepend
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.pretokens import AddedFound, Pretoken, pretokens_of


@given(text=any_text, special=st.booleans())
def test_pretokens_have_the_ids_of_the_text(pair: Pair, text: str, special: bool) -> None:
    assert ids_of(pair.ours, text, pair.ours.model.ids, special=special) == pair.ours.ids(text, special=special)


@given(text=any_text, special=st.booleans(), template=st.booleans())
def test_pretokens_under_every_kind_of_pipeline(text: str, special: bool, template: bool) -> None:
    model = WordPiece(["[UNK]", "[CLS]", "[SEP]", "a", "▁a", "▁", "##a", "##'"])
    for pretokenizer in (
        pretokenizers.Metaspace(only_first=True),
        pretokenizers.ByteLevel(add_prefix_space=True),
        pretokenizers.PreTokenizerSequence((pretokenizers.WhitespaceSplit(), pretokenizers.Metaspace(only_first=True))),
        None,
    ):
        for normalizer in (BertNormalizer(), Prepend("a"), None):
            tokenizer = Tokenizer(
                model,
                normalizer=normalizer,
                pretokenizer=pretokenizer,
                special_tokens={"[CLS]": 1, "[SEP]": 2},
                added_tokens=[AddedToken("Aa", 9, special=False, normalized=True)],
                postprocessor=PostProcessor(template=Template((1, None, 2))),
            )
            expected = tokenizer.ids(text, special=special, template=template)
            assert ids_of(tokenizer, text, model.ids, special=special, template=template) == expected


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("file", ["tokenizers/bert_base_cased.json", "sentencepiece/nai-t5.model"])
def test_pretokens_of_published_vocabularies(shared: Path, file: str, special: bool) -> None:
    text = " Tokenizers rarely agree:\t“unbelievably”\u3000分词器 </s> [MASK] é e\u0301 👩‍👩‍👧 "
    tokenizer = load(shared / "vocabularies" / file)
    for template in (False, True):
        expected = tokenizer.ids(text, special=special, template=template)
        assert ids_of(tokenizer, text, tokenizer.model.ids, special=special, template=template) == expected


def test_offsets_refer_to_the_original_text() -> None:
    tokenizer = Tokenizer(
        WordPiece(["[UNK]", "[SEP]"]),
        normalizer=BertNormalizer(),
        pretokenizer=pretokenizers.WhitespaceSplit(),
        special_tokens={"[SEP]": 1},
        postprocessor=PostProcessor(template=Template((None, 1))),
    )
    found = pretokens_of(tokenizer, "\ud83d\ude00É \x00b[SEP]", special=True, template=True)
    assert found[0] == Pretoken("😀e", 0, 3)
    assert found[1] == Pretoken("b", 5, 6)
    assert [(one.start, one.end, one.around) for one in found[2:] if isinstance(one, AddedFound)] == [
        (6, 11, False),
        (11, 11, True),
    ]

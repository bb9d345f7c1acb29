"""Scores are parsed as in `tokenizers`, and ties depend on their last digit."""

import json

import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.formats import huggingface
from webapp.core.models.unigram import Unigram

decimals = st.from_regex(r"-?(0|[1-9][0-9]{0,8})\.[0-9]{1,30}([eE][+-]?1?[0-9])?", fullmatch=True)


@given(st.one_of(decimals, st.floats(-1000, 0, width=32).map(repr).filter(lambda number: "." in number)))
def test_scores_equal_tokenizers(number: str) -> None:
    file = unigram_file(f'["<unk>",0.0],["a",{number}]')
    model = huggingface.read(file).model
    assert isinstance(model, Unigram)
    theirs = json.loads(tokenizers.Tokenizer.from_str(file).to_str())["model"]["vocab"][1][1]
    assert model.scores[1] == theirs


def test_ties_between_equally_likely_paths_equal_tokenizers() -> None:
    # Sums of the same scores in another order differ only in the last digit.
    file = unigram_file('["<unk>",0.0],["-",-5.8989838560],["----",-9.3112831115722656],["--",-7.0122928619384766]')
    text = "-" * 55
    ids = tokenizers.Tokenizer.from_str(file).encode(text).ids
    assert huggingface.read(file).ids(text) == ids


def unigram_file(vocabulary: str) -> str:
    return f'{{"version":"1.0","added_tokens":[],"model":{{"type":"Unigram","unk_id":0,"vocab":[{vocabulary}]}}}}'

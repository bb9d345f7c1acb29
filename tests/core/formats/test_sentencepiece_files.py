"""SentencePiece's files, written for both libraries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sentencepiece
import tokenizers
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.core.mutations import mutated_bytes
from tests.core.sentencepieces import parsed, trained
from tests.core.texts import CORPUS, any_text
from webapp.core.formats import huggingface
from webapp.core.formats import sentencepiece as sentencepiece_format
from webapp.core.formats.reading import FormatError
from webapp.core.models.scored_pieces import NAMED_BYTES
from webapp.core.recipes import UNIGRAM, sentencepiece_tokenizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import unigram


@given(random=st.integers(0, 1 << 32).map(Random))
def test_mutated_pieces_equal_sentencepiece(random: Random) -> None:
    """Where both read a mutated model without its character map, they agree on its content."""
    message = parsed(trained(model_type="bpe"))
    message.normalizer_spec.ClearField("precompiled_charsmap")
    content = mutated_bytes(message.SerializeToString(), random)
    try:
        ours = sentencepiece_format.read(content)
        theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
        expected = theirs.encode(CORPUS[:500])
    except (FormatError, RuntimeError):
        return
    assert ours.ids(CORPUS[:500]) == expected


SPECIAL = {"<s>": 1, "</s>": 2}


@dataclass
class Both:
    """A tokenizer of this site, and its two files in the original libraries."""

    ours: Tokenizer
    sentencepiece: Any
    tokenizers: Any

    @classmethod
    def of(cls, ours: Tokenizer) -> Both:
        model = sentencepiece_format.write(ours)
        theirs = tokenizers.Tokenizer.from_str(huggingface.write(ours))
        theirs.encode_special_tokens = True
        return cls(ours, sentencepiece.SentencePieceProcessor(model_proto=model), theirs)

    def assert_same(self, text: str) -> list[int]:
        ids = self.ours.ids(text)
        assert ids == self.sentencepiece.encode(text) == self.tokenizers.encode(text).ids
        return ids


def bpe(*, byte_fallback: bool = False) -> Tokenizer:
    """A BPE of this site with SentencePiece's training pieces, as a trainer makes it."""
    content = trained(model_type="bpe", remove_extra_whitespaces=False, normalization_rule_name="identity")
    model = sentencepiece_format.read(content).model
    pieces, scores = [*model.pieces], [*model.scores]  # type: ignore[attr-defined]
    if byte_fallback:
        pieces += NAMED_BYTES
        scores += [0.0] * 256
    return sentencepiece_tokenizer(pieces, scores, algorithm="bpe", special_tokens=SPECIAL)


def own_unigram() -> Tokenizer:
    """A Unigram vocabulary of this site's trainer."""
    model = unigram.train(UNIGRAM.count(CORPUS), 300).model
    pieces = [model.pieces[0], *SPECIAL, *model.pieces[1:]]
    scores = [0.0, 0.0, 0.0, *model.scores[1:]]
    return sentencepiece_tokenizer(pieces, scores, algorithm="unigram", special_tokens=SPECIAL)


@pytest.fixture(scope="module", params=["unigram", "bpe", "bpe-bytes"])
def both(request: pytest.FixtureRequest) -> Both:
    return Both.of(own_unigram() if request.param == "unigram" else bpe(byte_fallback="bytes" in request.param))


@given(text=any_text)
def test_a_trained_vocabulary_has_the_same_ids_in_both_libraries(both: Both, text: str) -> None:
    assume(not any(token in text for token in ("<unk>", *SPECIAL)))
    ids = both.assert_same(text)
    assert both.ours.decode(ids) == both.sentencepiece.decode(ids)
    if both.ours.model.unknown_id not in ids and "▁" not in text:
        assert both.ours.decode(ids) == text == both.tokenizers.decode(ids)


def test_control_pieces(both: Both) -> None:
    assert both.sentencepiece.is_control(1)
    assert both.sentencepiece.bos_id() == 1
    assert both.tokenizers.token_to_id("</s>") == 2
    both.tokenizers.encode_special_tokens = False
    assert both.tokenizers.encode("<s>").ids == both.ours.ids("<s>", special=True)
    both.tokenizers.encode_special_tokens = True


@st.composite
def small_bpe(draw: st.DrawFn) -> Tokenizer:
    """A BPE over two letters, in which many pieces overlap with themselves."""
    pieces, scores = ["<unk>", "▁", "a", "b"], [0.0, -100.0, -101.0, -102.0]
    for rank in range(draw(st.integers(1, 9))):
        parts = st.sampled_from(pieces[1:])
        piece = draw(parts) + draw(parts)
        if piece not in pieces and len(piece) < 9:
            pieces.append(piece)
            scores.append(-float(rank))
    return sentencepiece_tokenizer(pieces, scores, algorithm="bpe")


@st.composite
def small_unigram(draw: st.DrawFn) -> Tokenizer:
    """A Unigram vocabulary over two letters, in which many paths have almost the same score."""
    pieces = draw(st.lists(st.text("ab▁", min_size=1, max_size=4), min_size=1, max_size=12, unique=True))
    scores = draw(
        st.lists(st.sampled_from([-1.0, -2.001, -3.0, -3.3, -6.0]), min_size=len(pieces), max_size=len(pieces))
    )
    return sentencepiece_tokenizer(["<unk>", *pieces], [0.0, *scores], algorithm="unigram")


@given(tokenizer=small_bpe() | small_unigram(), text=st.text("ab ", max_size=20) | st.text("abc ", max_size=20))
def test_derived_merges_and_equal_paths(tokenizer: Tokenizer, text: str) -> None:
    Both.of(tokenizer).assert_same(text)


def test_llama_2_in_both_libraries(shared: Path) -> None:
    both = Both.of(sentencepiece_format.read((shared / "vocabularies" / "sentencepiece" / "llama2.model").read_bytes()))
    for text in (CORPUS[:3000], "x" + " " * 37 + "y龘\n\n", "-" * 50 + "=" * 33):
        both.assert_same(text)

"""Each changed stage of a pipeline is found, with its first difference and the texts that show it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from webapp.core.added_tokens import AddedToken, PostProcessor, Template
from webapp.core.analysis.pipeline_difference import (
    ADDED,
    PIECES,
    STAGES,
    Stage,
    pipeline_difference,
    text_comparison,
)
from webapp.core.models.bpe import BPE
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece
from webapp.core.recipes import BYTE_BPE, WORDPIECE, sentencepiece_tokenizer, wordpiece
from webapp.core.text.decoders import WordPieceDecoder
from webapp.core.text.normalizers import NormalizerSequence as Steps
from webapp.core.text.normalizers import Prepend, Replace
from webapp.core.text.pretokenizers import ByteLevel, Metaspace
from webapp.core.text.pretokenizers import PreTokenizerSequence as Splits
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies import shipped_vocabularies

BYTES = shipped_vocabularies.shipped_tokenizer("bpe-bytes")
MODEL: Any = BYTES.model
BERT = WORDPIECE.tokenizer(
    WordPiece(["[UNK]", "[CLS]", "[SEP]", "low", "Low", "##er", "cafe", "café", ",", "."]), {"[SEP]": 2}
)
LOWER = BERT.changed(normalizer=wordpiece(True).normalizer)
PIECES_OF_UNIGRAM = ["<unk>", "▁", "l", "o", "w", "▁low", "lo", "low"]
UNIGRAM = Tokenizer(
    Unigram(PIECES_OF_UNIGRAM, [0.0, -2.0, -3.0, -3.0, -3.0, -4.0, -5.0, -6.0], unknown_id=0), pretokenizer=Metaspace()
)


def reversed_merges(count: int) -> BPE:
    merges = [*MODEL.merges[:count][::-1], *MODEL.merges[count:]]
    return BPE(MODEL.pieces, merges, byte_level=True, ignore_merges=MODEL.ignore_merges)


def scored(piece: str, score: float) -> Unigram:
    model: Any = UNIGRAM.model
    scores = [score if each == piece else own for each, own in zip(model.pieces, model.scores, strict=True)]
    return Unigram(model.pieces, scores, unknown_id=0)


def flagged(**flags: bool) -> Sequence[AddedToken]:
    return [replace(token, **flags) for token in BERT.added_tokens]


CHANGES: list[tuple[Tokenizer, dict[str, Any], Stage]] = [
    (BYTES, {"model": reversed_merges(100)}, "model"),
    (BYTES, {"pretokenizer": ByteLevel(add_prefix_space=True)}, "pretokenizer"),
    (BERT, {"normalizer": wordpiece(True).normalizer}, "normalizer"),
    (BERT, {"added_tokens": flagged(special=False)}, "added_tokens"),
    (BERT, {"added_tokens": flagged(single_word=True)}, "added_tokens"),
    (LOWER, {"added_tokens": flagged(normalized=True)}, "added_tokens"),
    (BERT, {"added_tokens": ()}, "added_tokens"),
    (BERT, {"postprocessor": PostProcessor(template=Template((1, None, 2)))}, "postprocessor"),
    (BERT, {"decoder": WordPieceDecoder("##", cleanup=False)}, "decoder"),
    (UNIGRAM, {"model": scored("low", -1.0)}, "model"),
]


@pytest.mark.parametrize(("tokenizer", "changes", "stage"), CHANGES)
def test_one_changed_stage_is_the_only_one_and_the_cause(
    tokenizer: Tokenizer, changes: dict[str, Any], stage: Stage
) -> None:
    second = tokenizer.changed(**changes)
    found = pipeline_difference(tokenizer, second)
    assert [each.stage for each in found.stages if not each.same] == [stage]
    assert {tuple(each.stages) for each in found.texts} <= {(), (stage,)}
    for each in found.texts:
        ids = [one.ids(each.text, special=True, template=True) for one in (tokenizer, second)]
        assert list(each.ids) == ids
        decoded = {one.decode(ids[0]) for one in (tokenizer, second)}
        assert bool(each.stages) or (ids[0] == ids[1] and len(decoded) == 1)
    assert found.different
    assert found.changed_by(stage) == len(found.different)


@pytest.mark.parametrize("tokenizer", [BYTES, BERT, UNIGRAM])
def test_a_tokenizer_is_the_same_as_itself_at_each_stage(tokenizer: Tokenizer) -> None:
    found = pipeline_difference(tokenizer, tokenizer.changed())
    assert [each.stage for each in found.stages if each.same] == list(STAGES)
    assert (found.merges, found.scores, found.tokens, found.different) == (None, [], [], [])
    assert len(found.texts) > 40


def test_the_first_merge_that_differs_and_texts_of_its_pieces() -> None:
    found = pipeline_difference(BYTES, BYTES.changed(model=reversed_merges(100)))
    merges = found.merges
    assert merges
    assert (merges.pairs, merges.ranks, merges.first, merges.only) == (True, 100, 0, (0, 0))
    first, last = ([MODEL.pieces[id] for id in MODEL.merges[rank]] for rank in (0, 99))
    assert merges.items == (tuple(first), tuple(last))
    swapped = [*MODEL.merges]
    swapped[9_000] = swapped.pop()
    late = pipeline_difference(BYTES, BYTES.changed(model=BPE(MODEL.pieces, swapped, byte_level=True)))
    assert late.merges
    assert (late.merges.ranks, late.merges.first, late.merges.only) == (2, 9_000, (1, 0))
    assert [each.kind for each in late.different] == [PIECES]  # no other text has a piece of that merge
    moved = [*MODEL.merges[:9_000], MODEL.merges[-1], *MODEL.merges[9_000:-1]]
    found = pipeline_difference(BYTES, BYTES.changed(model=BPE(MODEL.pieces, moved, byte_level=True)))
    assert found.merges
    assert (found.merges.first, found.merges.only) == (9_000, (0, 0))


def test_scores_and_flags_that_differ() -> None:
    found = pipeline_difference(UNIGRAM, UNIGRAM.changed(model=scored("low", -1.0)))
    assert found.scores == [("low", -6.0, -1.0)]
    assert pipeline_difference(UNIGRAM, UNIGRAM.changed(model=scored("low", -6.0000001))).scores == []
    other = BERT.changed(added_tokens=[*flagged(lstrip=True, id=5), AddedToken("[NEW]", 9)])
    (changed, new) = pipeline_difference(BERT, other).tokens
    assert (changed.content, changed.fields, new.content, new.tokens[0]) == ("[SEP]", ["id", "lstrip"], "[NEW]", None)
    text = next(each for each in pipeline_difference(BERT, other).different if each.kind == ADDED)
    assert "[SEP]" in text.text


def test_stages_that_undo_each_other_are_no_cause() -> None:
    before = UNIGRAM.changed(
        pretokenizer=None, normalizer=Steps((Prepend("▁"), Replace(" ", "▁"))), model=scored("low", -20.0)
    )
    whole = UNIGRAM.changed(pretokenizer=Metaspace(splits=False))
    compare = text_comparison(whole, before, pipeline_difference(whole, before).stages)
    assert compare("own", "o low").stages == []
    text = compare("own", "wlow")
    assert (text.stages, text.ids) == (["model"], ([1, 4, 7], [1, 4, 6, 4]))
    assert text.window == (2, 3, 4)


def test_the_same_split_in_other_words_is_the_same() -> None:
    nested = BYTES.changed(pretokenizer=Splits((Splits((ByteLevel(),)),)))
    stages = {each.stage: each for each in pipeline_difference(BYTES, nested).stages}
    assert stages["pretokenizer"].same
    differs = pipeline_difference(BYTES, BYTES.changed(pretokenizer=ByteLevel(add_prefix_space=True)))
    written = {each.stage: each.written for each in differs.stages}["pretokenizer"]
    assert written[0]
    assert written[1]
    assert '"add_prefix_space": true' in written[1]


def test_models_of_different_kinds_are_compared_by_the_order_of_their_pieces() -> None:
    pieces, scores = ["<unk>", "a", "b", "ab", "aa", "aab"], [0.0, -1.0, -2.0, -3.0, -4.0, -5.0]
    scored_bpe = sentencepiece_tokenizer(pieces, scores, algorithm="bpe")
    merged = Tokenizer(BPE(pieces, [(1, 2), (1, 1), (1, 3)], byte_level=False, unknown="<unk>"))
    assert pipeline_difference(scored_bpe, merged).merges is None
    other = Tokenizer(BPE(pieces, [(1, 1), (1, 2), (1, 3)], byte_level=False, unknown="<unk>"))
    found = pipeline_difference(scored_bpe, other).merges
    assert found
    assert (found.pairs, found.ranks, found.items) == (False, 2, ("ab", "aa"))
    assert pipeline_difference(BYTE_BPE.tokenizer(MODEL), merged).merges is None  # bytes and text
    unmerged = pipeline_difference(
        other, other.changed(model=BPE(pieces, [], byte_level=False, unknown="<unk>"))
    ).merges
    assert unmerged
    assert (unmerged.ranks, unmerged.items) == (3, (("a", "a"), None))

"""N-grams of words from a corpus: counted like pre-tokens, then a model with figures."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.core.training.test_train import counted, trained
from webapp.core.formats.recognize import load, save
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import UNKNOWN
from webapp.core.trainers import ngram
from webapp.core.training import corpus, counting, ngrams
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import TrainingError, count_block
from webapp.core.training.ngrams import predicted, sentences
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.survey import survey
from webapp.core.training.train import TrainedTokenizer, train

PLAN = TrainingPlan(trainer="ngram")
LINES = [
    "他 来到 了 北京 大学 。",
    "我们/在/北京/生活/。/她/来到/了/大学/。",
    "<s> 是 一个 词 \\ 也 是 </s>",
    "迈向/v  充满/v  希望/n  的/u  新/a  世纪/n",
]
TEXT = "".join(LINES[at % 4] + "\n" for at in range(400))
RAW = "他来到了北京大学。我们在北京生活。\n" * 300


def model_of(result: TrainedTokenizer) -> NGram:
    assert isinstance(result.tokenizer.model, NGram)
    return result.tokenizer.model


@pytest.mark.parametrize("order", ["1", "2", "3"])
def test_the_counts_are_those_of_the_trainer(order: Any, tmp_path: Path) -> None:
    plan = replace(PLAN, order=order)
    result, seen = trained(plan, tmp_path, TEXT)
    kept = TEXT[: len(TEXT) - len(counted(TEXT, plan, tmp_path).held_out)]
    expected = ngram.train(ngram.segmented(kept), int(order))
    counts = model_of(result).counts
    assert set(counts.words) == set(expected.words)
    for length in range(1, int(order) + 1):
        assert dict(counts.ngrams(length)) == dict(expected.ngrams(length))
    assert result.figures["sizes"] == [expected.size(length) for length in range(1, int(order) + 1)]
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
    # The figures are measured on what was held out.
    model, texts = model_of(result), list(sentences(counted(TEXT, plan, tmp_path).held_out, plan))
    assert result.figures["perplexity"][order] == pytest.approx(predicted(model, texts)[0], abs=0.01)
    assert result.figures["perplexity"][order] <= result.figures["perplexity"]["1"]
    assert result.characters_per_token == len(result.held_out) / len(result.tokenizer.ids(result.held_out))


@pytest.mark.parametrize("method", ["max-probability", "fmm"])
def test_raw_text_is_segmented_first(method: Any, tmp_path: Path) -> None:
    result, _ = trained(replace(PLAN, segmentation=method), tmp_path, RAW)
    counts = model_of(result).counts
    assert counts.count("来到", "了") > 0
    assert counts.count("了", "北京大学") > 0
    assert result.tokenizer.model.segment("他来到了北京大学。")[-1][1:] == (8, 9)


def test_a_corpus_without_spaces_is_refused(tmp_path: Path) -> None:
    files = [CorpusFile(str(tmp_path / "0"), "0")]
    for found in (lambda: trained(PLAN, tmp_path, RAW), lambda: survey(files, PLAN)):
        with pytest.raises(TrainingError) as error:
            found()
        assert error.value.code == "unsegmented"
    assert survey(files, replace(PLAN, segmentation="fmm")).distinct_words < 20
    trained(PLAN, tmp_path, "研究 生命 。\n研究 起源 。\n")
    facts = survey(files, PLAN)
    assert (facts.words, facts.distinct_words) == (6, 4)  # without the marks of sentences
    words = "研究\n生命\n的\n起源\n" * 50
    for plan in (PLAN, replace(PLAN, segmentation="fmm"), TrainingPlan(trainer="tagger")):
        for found in (lambda plan=plan: trained(plan, tmp_path, words), lambda plan=plan: survey(files, plan)):
            with pytest.raises(TrainingError) as error:
                found()
            assert error.value.code == "listed"


def test_a_model_has_at_most_so_many_ngrams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngrams, "MOST_KEPT", 40)
    monkeypatch.setattr(ngrams, "MOST_WORDS", 15)
    result, _ = trained(replace(PLAN, order="3"), tmp_path, TEXT)
    assert sum(result.figures["sizes"]) <= 40 + 3
    assert len(model_of(result).counts.words) == 15
    assert model_of(result).counts.count(UNKNOWN) > 0
    load(save(result.tokenizer))
    result, _ = trained(replace(PLAN, minimum_pairs=10_000), tmp_path, TEXT)
    assert model_of(result).counts.count("来到", "了") == 0 < result.figures["removed"]
    assert result.figures["minimum_counts"] == [10_000]


def test_a_table_that_grows_too_large_forgets_the_rare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "CHUNK", 1_000)
    monkeypatch.setattr(counting, "CHUNK", 1_000)
    monkeypatch.setattr(ngrams.forget_rare, "__defaults__", (90,))
    names = [f"w{number}" for number in range(600)]
    text = TEXT + "".join(f"{left} {right} x\n" for left, right in pairwise(names)) + TEXT
    found = counted(text, PLAN, tmp_path)
    assert found.forgotten > 0
    assert found.forgotten_below > 1
    for one in found.counts:  # every part of what is left is there
        assert all(part in found.counts for part in one.split(" "))
    result = train(PLAN, found, lambda _: None)
    assert result.figures["forgotten"] >= found.forgotten
    assert model_of(result).counts.count("来到", "了") > 0


def test_a_checkpoint_and_words_that_look_like_marks(tmp_path: Path) -> None:
    alone = counted(TEXT, PLAN, tmp_path, checkpoint=tmp_path / "counts")
    assert counted(TEXT, PLAN, tmp_path, checkpoint=tmp_path / "counts") == alone
    triples = replace(PLAN, order="3")
    assert counted(TEXT, triples, tmp_path, checkpoint=tmp_path / "counts") == counted(TEXT, triples, tmp_path)
    assert count_block("<s> a", PLAN) == dict.fromkeys(
        ["<s>", "\\<s>", "a", "</s>", "<s> \\<s>", "\\<s> a", "a </s>"], 1
    )

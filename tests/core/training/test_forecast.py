"""The forecast of a training: from a sample of a large corpus, about what the whole corpus takes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.forecast import COMPARING_BYTES, forecast
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.survey import survey
from webapp.processes import has_proc

BOOKS = ("en_holmes_and_others.txt", "zh_honglou.txt", "zh_luxun.txt", "zh_shuihu.txt")
TRAINED = """
import json, sys
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.train import train
plan = TrainingPlan.from_json(json.loads(sys.argv[1]))
train(plan, count_words([CorpusFile(path, path) for path in sys.argv[2:]], plan, lambda _: None), lambda _: None)
# Not `ru_maxrss`, which remembers the process that started this one.
print(next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def books(shared: Path) -> list[CorpusFile]:
    return [CorpusFile(str(shared / "corpora" / name), name) for name in BOOKS]


def test_the_words_of_a_mixed_corpus_are_estimated_from_its_sample(shared: Path) -> None:
    plan, files = TrainingPlan(), books(shared)
    facts, counts = survey(files, plan), count_words(files, plan, lambda _: None).counts
    assert facts.sampled
    assert facts.distinct_words == pytest.approx(len(counts), rel=0.2)
    assert facts.distinct_characters == pytest.approx(sum(map(len, counts)), rel=0.2)
    assert facts.distinct_bytes == pytest.approx(sum(len(word.encode()) for word in counts), rel=0.2)


@pytest.mark.parametrize(
    ("choices", "less"),
    [
        ({}, {"size": 1_000}),
        ({"trainer": "tagger", "segmentation": "fmm"}, {"rounds": 5}),
        ({"trainer": "ngram", "segmentation": "fmm"}, {"order": "1"}),
    ],
)
def test_more_processes_and_a_smaller_model_take_less_time(
    choices: dict[str, str], less: dict[str, Any], shared: Path
) -> None:
    plan = TrainingPlan.from_json(choices)
    facts = survey(books(shared)[:2], plan)
    usual, both = forecast(facts, plan), forecast(facts, plan, processes=2)
    smaller = forecast(facts, TrainingPlan.from_json({**choices, **less}))
    assert smaller.seconds < usual.seconds > both.seconds
    assert smaller.memory <= usual.memory < both.memory


def test_a_tagger_has_the_characters_and_an_n_gram_model_the_words_of_the_corpus(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("研究/vn 生命/n\n来/v\n" * 40)
    facts = survey([CorpusFile(str(tmp_path / "a"), "a")], TrainingPlan(trainer="tagger"))
    assert (facts.words, facts.distinct_words, facts.word_characters) == (120, 3, 200)


@pytest.mark.exhaustive
@pytest.mark.skipif(not has_proc(), reason="the system does not say how much memory a process took")
@pytest.mark.parametrize(
    ("trainer", "some"),
    [
        *((trainer, slice(1, 3)) for trainer in ("bpe-bytes", "bpe-sentencepiece", "unigram", "ngram", "tagger")),
        pytest.param("tagger", slice(1), id="tagger of English"),
        pytest.param("ngram", slice(2), id="ngram of English and Chinese"),
    ],
)
def test_a_training_takes_the_memory_that_was_forecast(trainer: str, some: slice, shared: Path) -> None:
    # A tagger's memory does not depend on its rounds, and that of BPE over bytes next to nothing on the merges.
    quick = {"tagger": {"rounds": 2}, "bpe-bytes": {"size": 2_000}}.get(trainer, {})
    files = books(shared)[some]
    plan = TrainingPlan.from_json({"trainer": trainer, "segmentation": "fmm", **quick})
    expected = forecast(survey(files, plan), plan)
    command = [sys.executable, "-c", TRAINED, json.dumps(plan.as_json()), *(file.path for file in files)]
    alone = expected.memory - COMPARING_BYTES * (trainer != "tagger")
    assert alone == pytest.approx(int(subprocess.check_output(command)), rel=0.3)

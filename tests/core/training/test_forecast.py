"""The forecast of a training: from a sample of a large corpus, about what the whole corpus takes."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

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


def test_more_processes_and_fewer_pieces_take_less_time_and_n_grams_have_no_forecast(shared: Path) -> None:
    facts = survey(books(shared)[:1], TrainingPlan())
    usual = forecast(facts, TrainingPlan())
    fewer, both = forecast(facts, TrainingPlan(size=1_000)), forecast(facts, TrainingPlan(), processes=2)
    assert usual
    assert fewer
    assert both
    assert fewer.seconds < usual.seconds > both.seconds
    assert both.memory > usual.memory
    assert forecast(facts, TrainingPlan(trainer="ngram")) is None


def test_the_forecast_of_a_tagger_grows_with_the_rounds_and_the_words_that_it_takes(shared: Path) -> None:
    raw = TrainingPlan(trainer="tagger", segmentation="fmm")
    facts = survey(books(shared)[2:3], raw)
    usual, longer = forecast(facts, raw), forecast(facts, replace(raw, rounds=20))
    words = replace(raw, segmentation="words")
    whole, halved, spaced = (
        forecast(replace(facts, words=words_of, characters=round(spaces * words_of)), words)
        for words_of, spaces in ((900_000, 2.6), (1_800_000, 2.6), (900_000, 3.6))
    )
    assert usual
    assert longer
    assert usual.seconds < longer.seconds < 2 * usual.seconds
    assert whole
    assert whole == halved == spaced  # of more than it takes, a tagger takes a half
    assert usual.memory < whole.memory


@pytest.mark.exhaustive
@pytest.mark.skipif(not has_proc(), reason="the system does not say how much memory a process took")
@pytest.mark.parametrize("trainer", ["bpe-bytes", "bpe-sentencepiece", "unigram", "tagger"])
def test_a_training_takes_the_memory_that_was_forecast(trainer: str, shared: Path) -> None:
    files, plan = books(shared), TrainingPlan.from_json({"trainer": trainer, "segmentation": "fmm", "rounds": 2})
    expected = forecast(survey(files, plan), plan)
    command = [sys.executable, "-c", TRAINED, json.dumps(plan.as_json()), *(file.path for file in files)]
    assert expected
    alone = expected.memory - COMPARING_BYTES
    assert alone == pytest.approx(int(subprocess.check_output(command)), rel=0.3)

"""SuperBPE as a plan: trained with progress, and stored."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from webapp.core.formats import huggingface
from webapp.core.models.bpe import BPE
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.plan import PlanError, Progress, TrainingPlan
from webapp.core.training.recipe import check
from webapp.core.training.train import TrainedTokenizer, train

RANDOM = Random(4)


def text(stems: str, endings: str, lines: int) -> str:
    """Return lines of random words, of which few are frequent."""
    words = [stem + ending for stem in stems.split() for ending in endings.split(",")]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    return "".join(" ".join(RANDOM.choices(words, weights, k=9)) + ".\n" for _ in range(lines))


ENGLISH = text("the of and walk talk could would light sound friend house count read", ",ed,s,ing,er,ly,ness", 300)
RUSSIAN = text("что это дом свет друг читать город звук слово время", ",а,у,ом,ого,ему", 40)


def trained(folder: Path, plan: TrainingPlan, *texts: str) -> tuple[TrainedTokenizer, list[Progress]]:
    files = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.txt"
        path.write_text(text, "utf-8")
        files.append(CorpusFile(str(path), path.name))
    reports: list[Progress] = []
    counted = count_words(files, plan, reports.append)
    return train(plan, counted, reports.append), reports


def test_superbpe_is_trained_with_progress_and_can_be_stored(tmp_path: Path) -> None:
    plan = TrainingPlan(size=320, variant="superbpe", special_tokens=("<|end|>",))
    result, reports = trained(tmp_path, plan, ENGLISH, RUSSIAN)
    assert result.pieces == 320
    assert result.curve[-1][1] > result.curve[0][1]
    assert reports[-1].pieces == 320
    back = huggingface.read(huggingface.write(result.tokenizer))
    for text in (ENGLISH[:200], RUSSIAN[:100], "Another text: 1234!"):
        assert back.ids(text) == result.tokenizer.ids(text)
        assert result.tokenizer.decode(result.tokenizer.ids(text)) == text


def test_superbpe_crosses_spaces_from_the_transition_on(tmp_path: Path) -> None:
    def across(transition: float) -> list[int]:
        plan = TrainingPlan(size=330, variant="superbpe", transition=transition)
        model = trained(tmp_path, plan, ENGLISH)[0].tokenizer.model
        assert isinstance(model, BPE)
        return [id for id, piece in enumerate(model.pieces) if b" " in bytes(piece)[1:]]  # type: ignore[arg-type]

    assert across(1.0) == []
    assert min(across(0.9)) >= 297


def test_other_trainers_have_no_variants() -> None:
    with pytest.raises(PlanError, match="BPE over bytes"):
        check(TrainingPlan(trainer="unigram", variant="superbpe"))

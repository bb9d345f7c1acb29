"""The files that a trained vocabulary is offered in: read back, each gives the same ids."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.training.test_train import TEXT, trained
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize, save
from webapp.core.training.plan import TrainingPlan
from webapp.pages.vocabularies.vocabulary import FORMATS

BYTES = {"tokenizer.json", "ranks.tiktoken", "bpe.json"}
SENTENCEPIECE = {"tokenizer.json", "tokenizer.model"}
CAPITALS = " Hello World’s DÉJÀ VU, 2024."
PLANS: dict[str, tuple[TrainingPlan, set[str]]] = {
    "bytes": (TrainingPlan(size=400, special_tokens=("<|end|>",)), BYTES | {"vocab.json"}),
    "bytes, o200k": (TrainingPlan(size=400, split="o200k"), BYTES),
    "bytes, own pattern": (TrainingPlan(size=400, split="own", pattern=r"\p{L}+| "), BYTES),
    "bytes, NFC": (TrainingPlan(size=400, normalization="nfc"), {"tokenizer.json"}),
    "characters": (TrainingPlan(trainer="bpe-characters", size=400), {"tokenizer.json"}),
    "sentencepiece": (TrainingPlan(trainer="bpe-sentencepiece", size=500, special_tokens=("<s>",)), SENTENCEPIECE),
    "unigram": (TrainingPlan(trainer="unigram", size=400), SENTENCEPIECE),
    "unigram, NFKC": (TrainingPlan(trainer="unigram", size=400, normalization="nfkc"), {"tokenizer.json"}),
    "wordpiece": (TrainingPlan(trainer="wordpiece", size=400), {"tokenizer.json", "vocab.txt"}),
}


@pytest.mark.parametrize(("plan", "expected"), PLANS.values(), ids=PLANS)
def test_files_of_a_trained_vocabulary(plan: TrainingPlan, expected: set[str], tmp_path: Path) -> None:
    tokenizer = trained(plan, tmp_path, TEXT + CAPITALS * 200)[0].tokenizer
    text = TEXT[:500] + CAPITALS + "  研究 e\u0301 龘\n\t x"
    ids = tokenizer.ids(text)
    offered = set()
    for format in FORMATS:
        try:
            (format.check or format.write)(tokenizer)
        except FormatError:
            with pytest.raises(FormatError):
                format.write(tokenizer)
            continue
        offered.add(next(iter(format.files)))
        assert recognize(*format.contents(tokenizer)).tokenizer.ids(text) == ids
    assert offered == expected
    assert recognize(save(tokenizer)).tokenizer.ids(text) == ids

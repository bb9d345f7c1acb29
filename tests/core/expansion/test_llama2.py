"""Llama 2 with 20,000 Chinese pieces, trained on essays: tokens per character of the news of SIGHAN 2005."""

from __future__ import annotations

from pathlib import Path

import pytest
import sentencepiece

from webapp.core.expansion import expand
from webapp.core.expansion.files import sentencepiece_model
from webapp.core.formats.recognize import recognize
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.train import train


@pytest.mark.exhaustive
def test_news_in_chinese(shared: Path) -> None:
    content = (shared / "vocabularies" / "sentencepiece" / "llama2.model").read_bytes()
    base, news = recognize(content).tokenizer, (shared / "sighan" / "pku_test.utf8").read_text(encoding="utf-8")
    assert len(base.ids(news)) / len(news) == pytest.approx(1.467, abs=0.001)
    # Of these pieces, 20,000 are new to Llama 2; the choices are those of /train that suit Chinese pieces.
    plan = TrainingPlan(trainer="bpe-sentencepiece", size=21_016, split="none", coverage=1, longest_piece=2)
    essays = [CorpusFile(str(shared / "corpora" / "zh_luxun.txt"), "zh_luxun.txt")]
    addition = train(plan, count_words(essays, plan, lambda _: None), lambda _: None).tokenizer
    expansion = expand(base, addition, most=20_000, seconds=300)
    ids = expansion.tokenizer.ids(news)
    model = sentencepiece_model(expansion, content)
    assert sentencepiece.SentencePieceProcessor(model_proto=model).encode(news) == ids
    assert len(ids) / len(news) <= 0.75
    assert expansion.between == 0

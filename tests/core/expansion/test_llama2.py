"""Llama 2 with 20,000 Chinese pieces from the corpora, as in the benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.expansion import ESSAYS, GOAL, LLAMA2, NEWS, NOVELS, PIECES, tokens_per_character, words
from webapp.core.formats.recognize import recognize


@pytest.mark.exhaustive
def test_news_in_chinese(shared: Path) -> None:
    base, news = recognize(LLAMA2.read_bytes()).tokenizer, NEWS.read_text(encoding="utf-8")
    assert len(base.ids(news)) / len(news) == pytest.approx(1.467, abs=0.001)
    figure, between = tokens_per_character(base, words((*NOVELS, ESSAYS)), PIECES, news)
    assert figure <= GOAL
    assert between < 500

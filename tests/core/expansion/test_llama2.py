"""Llama 2 with 20,000 Chinese pieces from the corpora, as in the benchmark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.expansion import ESSAYS, GOAL, LLAMA2, NEWS, PIECES, short_pieces, tokens_per_character
from webapp.core.formats.recognize import recognize


@pytest.mark.exhaustive
def test_news_in_chinese(shared: Path) -> None:
    base, news = recognize(LLAMA2.read_bytes()).tokenizer, NEWS.read_text(encoding="utf-8")
    assert len(base.ids(news)) / len(news) == pytest.approx(1.467, abs=0.001)
    figure, between = tokens_per_character(base, short_pieces([ESSAYS]), PIECES, news)
    assert figure <= GOAL
    assert between == 0

"""Texts with a small dictionary each, which FMM and BMM segment differently; the worked example of word n-grams."""

from __future__ import annotations

from webapp.tokenization.state import State
from webapp.vocabularies.trained import EXAMPLE_SENTENCES

DICTIONARIES = (
    ("研究生命科学", ("研究", "研究生", "生命", "科学")),
    ("结婚的和尚未结婚的", ("结婚", "的", "和", "和尚", "尚未")),
)
COUNTED_SENTENCES = State(
    "ngram", "learned-ngram", "人生如梦境", corpus=EXAMPLE_SENTENCES, order="2", smoothing="add-one"
)

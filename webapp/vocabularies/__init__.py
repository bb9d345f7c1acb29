"""Which vocabularies there are, and the tokenizer that each makes: shipped, pasted, or learned on the spot."""

from __future__ import annotations

from webapp.vocabularies.catalogue import ALGORITHMS, CATALOGUE, Entry, default_for, entries_for
from webapp.vocabularies.learned import LIMITS, Learned, learn
from webapp.vocabularies.loading import (
    jieba_words,
    matching,
    preload,
    record,
    shipped_tokenizer,
)
from webapp.vocabularies.titles import titles

__all__ = [
    "ALGORITHMS",
    "CATALOGUE",
    "LIMITS",
    "Entry",
    "Learned",
    "default_for",
    "entries_for",
    "jieba_words",
    "learn",
    "matching",
    "preload",
    "record",
    "shipped_tokenizer",
    "titles",
]

"""Comparisons worth a button of their own."""

from __future__ import annotations

from dataclasses import dataclass

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.tokenization.comparison.state import SAME_CORPUS, TokenizerChoice
from webapp.vocabularies import find
from webapp.vocabularies.library import is_here


@dataclass(frozen=True)
class Preset:
    """Some tokenizers with a name."""

    name: str
    title: LazyString
    choices: tuple[TokenizerChoice, ...]


def _preset(name: str, title: LazyString, *written: str) -> Preset:
    return Preset(name, title, tuple(map(TokenizerChoice.parse, written)))


PRESETS = (
    Preset("same", _l("Same corpus, same size"), SAME_CORPUS),
    _preset("directions", _l("Forwards and backwards"), "fmm:jieba", "bmm:jieba"),
    _preset(
        "methods",
        _l("One of each method"),
        "fmm:jieba",
        "bmm:jieba",
        "bpe:bpe-bytes",
        "wordpiece:wordpiece",
        "unigram:unigram",
    ),
    _preset(
        "learned",
        _l("Learned from this very text"),
        "bpe:learned-bytes",
        "wordpiece:learned-wordpiece",
        "unigram:learned-unigram",
    ),
    _preset("gpt", _l("GPT-2, GPT-4, GPT-4o"), "bpe:gpt2", "bpe:cl100k_base", "bpe:o200k_base"),
    _preset("open", _l("GPT-4 and Llama"), "bpe:cl100k_base", "bpe:llama-2", "bpe:llama-3"),
    _preset("bert", _l("BERT and T5"), "wordpiece:bert-base-uncased", "unigram:t5"),
)


def offered() -> list[Preset]:
    """The presets whose vocabularies are all here: a button that fails half of the time is none."""
    return [preset for preset in PRESETS if all(map(_is_here, preset.choices))]


def _is_here(choice: TokenizerChoice) -> bool:
    entry = find(choice.vocabulary)
    return entry is not None and is_here(entry)

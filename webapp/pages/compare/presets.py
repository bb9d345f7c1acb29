"""The comparisons that the page offers as buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.tokenization.comparison.state import MOST, TokenizerChoice
from webapp.vocabularies import default_for, find, offered_algorithms
from webapp.vocabularies.library import is_here
from webapp.vocabularies.shipped_vocabularies import NAMES
from webapp.vocabularies.titles import SAME_CORPUS


@dataclass(frozen=True)
class Preset:
    """A named comparison: every algorithm of each of its vocabularies, or only the `leading` one."""

    name: str
    title: LazyString
    vocabularies: Callable[[], Iterable[str]]
    leading: bool = False

    @property
    def choices(self) -> tuple[TokenizerChoice, ...]:
        """The rows, at most `MOST`."""
        entries = [entry for name in self.vocabularies() if (entry := find(name)) is not None]
        last = 1 if self.leading else None
        rows = [TokenizerChoice(algorithm, entry.name) for entry in entries for algorithm in entry.algorithms[:last]]
        return tuple(rows[:MOST])

    @property
    def is_ready(self) -> bool:
        """Whether no vocabulary has to be fetched."""
        return all((entry := find(name)) is not None and is_here(entry) for name in self.vocabularies())


def _preset(name: str, title: LazyString, *vocabularies: str) -> Preset:
    return Preset(name, title, lambda: vocabularies)


def _default_vocabularies() -> Iterable[str]:
    """The default vocabulary of each algorithm."""
    return dict.fromkeys(map(default_for, offered_algorithms()))


PRESETS = (
    _preset("same", SAME_CORPUS, *NAMES),
    _preset("directions", _l("Ways to use a dictionary"), "jieba"),
    Preset("methods", _l("One of each kind"), _default_vocabularies, leading=True),
    _preset("learned", _l("Trained on this text"), "learned-bytes", "learned-wordpiece", "learned-unigram"),
    _preset("gpt", _l("GPT-2, GPT-4, GPT-4o"), "gpt2", "cl100k_base", "o200k_base"),
    _preset("open", _l("GPT-4 and Llama"), "cl100k_base", "llama-2", "llama-3"),
    _preset("bert", _l("BERT and T5"), "bert-base-uncased", "t5"),
)


def offered() -> list[Preset]:
    """The presets whose vocabularies are all here; the others could fail."""
    return [preset for preset in PRESETS if preset.is_ready]

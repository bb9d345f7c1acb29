"""What is evaluated, as one value that an address can hold if it is short.

/evaluate?with=fmm:jieba&with=bmm:jieba&gold=研究+生命  →  Evaluation(…)  →  the same address
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

from webapp.core.algorithms import ALGORITHMS
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.vocabularies import default_for, offered_algorithms

SOURCES = ("luxun", "honglou", "shuihu")

_FOLDER = Path(__file__).parent / "sample"


@cache
def sample_text() -> str:
    """The site's own gold sample, one sentence a line, with a space between words: 214 sentences of three novels.

    Lu Xun, *Dream of the Red Chamber* and *Water Margin* are in the public domain. The words were separated by hand, to
    the guideline that the page shows; each line without its spaces is the text of its source.
    """
    return "".join((_FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in SOURCES)


MOST_METHODS = 6
PASTED = "own-dictionary"
"""The vocabulary that consists of the training words."""


@dataclass(frozen=True)
class UploadedOutput:
    """A segmentation that a visitor made elsewhere: its name and its text."""

    name: str
    text: str


@dataclass(frozen=True)
class Evaluation:
    """A gold text (empty: the sample), the methods to score, and the training words that decide what is unknown."""

    choices: tuple[TokenizerChoice, ...] = ()
    gold: str = ""
    training: str = ""
    output: str = ""  # a pasted segmentation
    files: tuple[UploadedOutput, ...] = ()
    runs: bool = True

    @property
    def is_sample(self) -> bool:
        """Whether the gold text is the site's sample."""
        return not self.gold.strip()

    @property
    def gold_text(self) -> str:
        """The gold text."""
        return sample_text() if self.is_sample else self.gold

    def query(self) -> str:
        """The query string, without files."""
        return urlencode(list(self._pairs()))

    def link(self, most: int) -> str | None:
        """The query string, or None if it would have more than `most` characters or leave out a file."""
        if self.files or len(self.gold) + len(self.training) + len(self.output) > most:
            return None
        query = self.query()
        return query if len(query) <= most else None

    def _pairs(self) -> Iterator[tuple[str, str]]:
        if not self.choices and self.output:
            yield "with", ""
        if self.choices != default_choices():
            yield from (("with", str(choice)) for choice in self.choices)
        if not self.runs:
            yield "runs", "0"
        for name, text in (("gold", self.gold), ("output", self.output), ("training", self.training)):
            if text:
                yield name, text


def default_choices() -> tuple[TokenizerChoice, ...]:
    """Each method that segments into words, with its default vocabulary."""
    ids = [id for id in offered_algorithms() if is_word_method(id)]
    return tuple(TokenizerChoice(id, default_for(id)) for id in ids[:MOST_METHODS])


def is_word_method(id: str) -> bool:
    """Whether an algorithm segments into words, not into pieces of words."""
    return id in ALGORITHMS and ALGORITHMS[id].family in ("dictionary", "word model")

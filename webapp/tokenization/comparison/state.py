"""The state of a comparison as one value, which comes from an address or a form and can be turned into an address.

/compare?with=bpe:bpe-bytes&with=unigram:unigram&text=low  →  Comparison(…)  →  the same address
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Literal
from urllib.parse import urlencode

from webapp.core import algorithms
from webapp.core.algorithms import sharing_vocabularies
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, default_for
from webapp.vocabularies.shipped_vocabularies import NAMES

LEAST, MOST = 2, 6  # rows

Layout = Literal["lines", "rows"]
"""`lines`: aligned, a line for each tokenizer; `rows`: the whole text of each tokenizer, one below another."""

# The options of a state that apply to every row.
OPTIONS = (
    *("size", "corpus", "dictionary", "edits"),
    *(option.name for option in algorithms.OPTIONS if option is not algorithms.TEMPLATE),
    *(choice.name for choice in algorithms.CHOICES),
    "show",
)
_DEFAULTS = {field.name: field.default for field in fields(State)}


@dataclass(frozen=True)
class TokenizerChoice:
    """A tokenizer: an algorithm and the name of a vocabulary, written `bpe:cl100k_base`."""

    algorithm: str
    vocabulary: str

    def __str__(self) -> str:
        return f"{self.algorithm}:{self.vocabulary}" if self.vocabulary else self.algorithm

    @staticmethod
    def parse(written: str) -> TokenizerChoice:
        """Parse a choice; without a colon, it is an algorithm without a vocabulary.

        >>> TokenizerChoice.parse("fmm:jieba")
        TokenizerChoice(algorithm='fmm', vocabulary='jieba')
        """
        algorithm, _, vocabulary = written.partition(":")
        return TokenizerChoice(algorithm, vocabulary)


def layout_of(name: object) -> Layout:
    """The layout with a name. Earlier addresses and shared results say `columns`; any other name is `lines`."""
    return "rows" if name in ("rows", "columns") else "lines"


@dataclass(frozen=True)
class Comparison:
    """The tokenizers, in order, and the text and options that they share, as a `State`."""

    choices: tuple[TokenizerChoice, ...]
    common: State = field(default=State())
    layout: Layout = "lines"

    @property
    def text(self) -> str:
        """The text that is compared."""
        return self.common.text

    @property
    def states(self) -> list[State]:
        """The state of each row."""
        return [
            replace(self.common, algorithm=each.algorithm, vocabulary=each.vocabulary, template=False, token=None)
            for each in self.choices
        ]

    def query(self) -> str:
        """The query string: the rows, then options other than the defaults, then the text."""
        rows = [("with", str(choice)) for choice in self.choices]
        return urlencode([*rows, *self._others(), ("text", self.text)])

    def link(self, most: int) -> str | None:
        """The query string, or None if it would have more than `most` characters."""
        if len(self.text) > most:
            return None  # without building the query string
        query = self.query()
        return query if len(query) <= most else None

    def query_without_texts(self) -> str:
        """The query string without texts, for when the full one is too long."""
        bare = replace(self, common=replace(self.common, text="", corpus="", dictionary="", edits=""))
        return urlencode([*(("with", str(choice)) for choice in self.choices), *bare._others()])

    def options(self) -> dict[str, object]:
        """The options that differ from their defaults and that at least one row uses."""
        used = {}
        for state in map(State.relevant, self.states):
            for name in OPTIONS:
                if getattr(state, name) != _DEFAULTS[name]:
                    used[name] = getattr(state, name)
        return {name: used[name] for name in OPTIONS if name in used}

    def _others(self) -> Iterator[tuple[str, str]]:
        if self.layout != "lines":
            yield "layout", self.layout
        for name, value in self.options().items():
            yield name, str(int(value)) if isinstance(value, bool) else str(value)


SAME_CORPUS = tuple(
    TokenizerChoice(entry.algorithms[0], entry.name) for entry in CATALOGUE.values() if entry.name in NAMES
)
"""The four shipped vocabularies, trained on the same corpus to the same size."""


def alternatives_to(choice: TokenizerChoice) -> tuple[TokenizerChoice, ...]:
    """Return a tokenizer and alternatives: others with its vocabulary, and the subword algorithms; at most `MOST`.

    >>> print(*alternatives_to(TokenizerChoice("fmm", "jieba")))
    fmm:jieba bmm:jieba bidirectional:jieba max-probability:jieba bpe:bpe-bytes wordpiece:wordpiece
    """
    others = [TokenizerChoice(other, choice.vocabulary) for other in sharing_vocabularies(choice.algorithm)]
    shipped = [each for each in SAME_CORPUS if each.vocabulary == default_for(each.algorithm)]
    return (choice, *others, *(each for each in shipped if each != choice))[:MOST]

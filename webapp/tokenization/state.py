"""What a visitor has chosen, as one value: it comes from an address or a form, and it makes the address again.

/?algorithm=bpe&text=low+lower  →  State(algorithm="bpe", text="low lower")  →  the same address
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from webapp.core.algorithms import DEFAULT, LOWERCASE, RUNS, SPECIAL, TEMPLATE, Family, family_of, options_of
from webapp.vocabularies import CATALOGUE, LIMITS, default_for


@dataclass(frozen=True)
class State:
    """Everything that decides what the page shows. The defaults are left out of addresses."""

    algorithm: str = DEFAULT
    vocabulary: str = default_for(DEFAULT)
    text: str = ""
    size: int | None = None  # merges or pieces, for a vocabulary learned on the spot
    corpus: str = ""  # what it is learned from; empty: the text itself
    dictionary: str = ""  # the words of `own-dictionary`
    runs: bool = RUNS.default  # FMM, BMM: a run of Latin letters or digits stays one token
    lowercase: bool = LOWERCASE.default  # WordPiece: lower-case first
    special: bool = SPECIAL.default  # honour special tokens written in the text
    template: bool = TEMPLATE.default  # put the special tokens around the text that the vocabulary asks for
    show: bool = False  # make spaces and line ends visible
    token: int | None = None  # the token whose details are open, counted from 0

    @property
    def family(self) -> Family | None:
        """The family of the algorithm; None where there is no such algorithm."""
        return family_of(self.algorithm)

    @property
    def brought(self) -> bool:
        """Whether the vocabulary comes from elsewhere: fetched from its publisher, or uploaded."""
        return self.vocabulary not in CATALOGUE

    @property
    def learned(self) -> bool:
        """Whether the vocabulary is learned on the spot."""
        return self.vocabulary in LIMITS

    @property
    def learned_size(self) -> int:
        """`size`, or where the slider starts."""
        return LIMITS[self.vocabulary].start if self.size is None else self.size

    def relevant(self) -> State:
        """The same without what its algorithm and vocabulary do not use, so that equal results share a link."""
        options = options_of(self.algorithm)
        return replace(
            self,
            size=self.size if self.learned and self.size != LIMITS[self.vocabulary].start else None,
            corpus=self.corpus if self.learned else "",
            dictionary=self.dictionary if self.vocabulary == "own-dictionary" else "",
            runs=self.runs if RUNS in options else RUNS.default,
            lowercase=self.lowercase and LOWERCASE in options and not self.brought,
            special=self.special and (self.brought or SPECIAL in options),
            template=self.template and self.brought,
        )

    def query(self, **changes: Any) -> str:
        """The query string of this state, with `changes`.

        Algorithm and text are always in it, everything else only where it is not the default.
        """
        state = replace(self, **changes).relevant()
        return urlencode([*state._choices(), ("text", state.text)])

    def link(self, most: int) -> str | None:
        """The query string without `token`, or None where it would have more than `most` characters.

        >>> State(text="low").link(40), State(text="low" * 20).link(40)
        ('algorithm=bpe&text=low', None)
        """
        if len(self.text) > most:
            return None  # not even written
        query = self.query(token=None)
        return query if len(query) <= most else None

    def query_of_algorithm(self) -> str:
        """The query string where the path says which algorithm; `token` is not in it."""
        state = replace(self, token=None).relevant()
        return urlencode([*state._choices()[1:], ("text", state.text)])

    def query_without_texts(self) -> str:
        """The query string without anything the visitor pasted: what is left when that is too long."""
        return urlencode(replace(self, corpus="", dictionary="", token=None).relevant()._choices())

    def _choices(self) -> list[tuple[str, str]]:
        pairs = [("algorithm", self.algorithm)]
        if self.vocabulary != default_for(self.algorithm):
            pairs.append(("vocabulary", self.vocabulary))
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in ("algorithm", "vocabulary", "text") and value != field.default:
                pairs.append((field.name, str(int(value)) if isinstance(value, bool) else str(value)))
        return pairs

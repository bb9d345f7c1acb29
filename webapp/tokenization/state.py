"""A visitor's choices as one value, which comes from an address or a form and can be turned into an address.

/?algorithm=bpe&text=low+lower  →  State(algorithm="bpe", text="low lower")  →  the same address
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, get_args
from urllib.parse import urlencode

from webapp.core import algorithms
from webapp.core.affixes import Affixes
from webapp.core.inference import ALPHA, DROPOUT, INFERENCES, OWN
from webapp.vocabularies import CATALOGUE, LIMITS, TRAINERS, default_for
from webapp.vocabularies.library import uses

View = Literal["tokens", "ids", "bytes"]
VIEWS: tuple[View, ...] = get_args(View)


def view_of(name: str | None) -> View | Literal[""]:
    """The view of this name; "" for another name."""
    return next((view for view in VIEWS if view == name), "")


@dataclass(frozen=True)
class State:
    """All choices that determine what the page shows. Addresses omit the defaults."""

    algorithm: str = algorithms.DEFAULT
    vocabulary: str = default_for(algorithms.DEFAULT)
    text: str = ""
    size: int | None = None  # merges or pieces, for a vocabulary trained on the visitor's text
    corpus: str = ""  # the training text; if empty, the text itself
    dictionary: str = ""  # the words of `own-dictionary`
    edits: str = ""  # changes to the dictionary, one in each line
    runs: bool = algorithms.RUNS.default  # maximum matching: a run of Latin letters or digits stays one token
    lowercase: bool = algorithms.LOWERCASE.default  # WordPiece: lower-case first
    special: bool = algorithms.SPECIAL.default  # recognize special tokens in the text
    template: bool = algorithms.TEMPLATE.default  # add the special tokens of the vocabulary's template
    hmm: bool = algorithms.HMM.default  # maximum probability: find words that are not in the dictionary
    mode: str = algorithms.MODE.default  # maximum probability: which words are listed
    order: str = algorithms.ORDER.default  # n-grams: how many words an n-gram has
    smoothing: str = algorithms.SMOOTHING.default  # n-grams: how unseen ones are estimated
    ties: str = algorithms.TIES.default  # BPE trained on the visitor's text: which of several frequent pairs is merged
    show: bool = False  # make spaces and line ends visible
    view: View | Literal[""] = ""  # what stands under each token; by default, what suits the text
    token: int | None = None  # the token whose details are open, counted from 0
    inference: str = OWN  # how the vocabulary is applied: by its own rule, or by another one
    dropout: float = DROPOUT.default  # BPE-dropout: the probability that a merge is dropped
    alpha: float = ALPHA.default  # samples of Unigram: the exponent of the probabilities
    seed: int = 0  # BPE-dropout and samples: which of the random results
    model: str = ""  # the language model whose context window and price are shown
    prefix: str = ""  # names of tokens before the text, separated by spaces
    suffix: str = ""  # names of tokens after the text
    added: str = ""  # tokens that the visitor adds, one in each line

    @property
    def family(self) -> algorithms.Family | None:
        """The family of the algorithm; None for an unknown algorithm."""
        return algorithms.family_of(self.algorithm)

    @property
    def finds_words(self) -> bool:
        """Whether the tokens are words."""
        return algorithms.finds_words(self.algorithm)

    @property
    def has_dictionary(self) -> bool:
        """Whether the algorithm splits the text by a dictionary, which `edits` may change."""
        algorithm = algorithms.ALGORITHMS.get(self.algorithm)
        return algorithm is not None and algorithm.vocabulary_kind == "matching"

    @property
    def affixes(self) -> Affixes:
        """The tokens around the text, and those that the visitor adds.

        >>> State(prefix="[gMASK] sop", added="Tokenscope").affixes
        Affixes(prefix=('[gMASK]', 'sop'), suffix=(), added=('Tokenscope',))
        """
        added = tuple(line for line in self.added.split("\n") if line.strip())
        return Affixes(tuple(self.prefix.split()), tuple(self.suffix.split()), added)

    @property
    def puts_around(self) -> bool:
        """Whether tokens stand around those of the text: the template's, or a prefix or suffix."""
        return self.template or bool(self.prefix or self.suffix)

    @property
    def external(self) -> bool:
        """Whether the vocabulary is fetched from its publisher, or uploaded."""
        return self.vocabulary not in CATALOGUE

    @property
    def trained(self) -> bool:
        """Whether the vocabulary is trained on the visitor's text."""
        return self.vocabulary in TRAINERS

    @property
    def choices(self) -> Sequence[algorithms.Choice]:
        """The options with several values that the algorithm has for this vocabulary."""
        found = algorithms.choices_of(self.algorithm)
        return [choice for choice in found if self.trained or choice is not algorithms.TIES]

    @property
    def trained_size(self) -> int:
        """`size`, or the initial value of the slider; 0 for a vocabulary that has all words."""
        return self._first_size if self.size is None else self.size

    @property
    def _first_size(self) -> int:
        limits = LIMITS.get(self.vocabulary)
        return limits.start if limits else 0

    def relevant(self) -> State:
        """The state without choices that its algorithm and vocabulary do not use: equal results then have one link."""
        return self._relevant

    @cached_property
    def _relevant(self) -> State:
        options, choices = algorithms.options_of(self.algorithm), self.choices
        unused: dict[str, Any] = {choice.name: choice.default for choice in algorithms.CHOICES if choice not in choices}
        inference = self.inference if self.inference in algorithms.inferences_of(self.algorithm) else OWN
        used = [parameter.name for parameter in INFERENCES[inference].parameters]
        affixes = Affixes() if self.finds_words else self.affixes
        return replace(
            self,
            size=self.size if self.vocabulary in LIMITS and self.size != self._first_size else None,
            corpus=self.corpus if self.trained else "",
            dictionary=self.dictionary if self.vocabulary == "own-dictionary" else "",
            edits=self.edits.strip() if self.has_dictionary else "",
            runs=self.runs if algorithms.RUNS in options else algorithms.RUNS.default,
            lowercase=self.lowercase and algorithms.LOWERCASE in options and not self.external,
            special=self.special and (self.external or algorithms.SPECIAL in options),
            template=self.template and self.external,
            hmm=self.hmm if algorithms.HMM in options else algorithms.HMM.default,
            inference=inference,
            dropout=self.dropout if "dropout" in used else DROPOUT.default,
            alpha=self.alpha if "alpha" in used else ALPHA.default,
            seed=self.seed if "seed" in used else 0,
            model=self.model if self.model and uses(self.model, self.vocabulary) else "",
            prefix=" ".join(affixes.prefix),
            suffix=" ".join(affixes.suffix),
            added="\n".join(affixes.added),
            **unused,
        )

    @property
    def inference_options(self) -> dict[str, Any]:
        """The inference and its parameters; empty for the vocabulary's own rule."""
        state = self.relevant()
        if state.inference == OWN:
            return {}
        names = [parameter.name for parameter in INFERENCES[state.inference].parameters]
        return {"inference": state.inference, **{name: getattr(state, name) for name in names}}

    def query(self, **changes: Any) -> str:
        """The query string of this state, with `changes`.

        It always has the algorithm and the text, and other choices only if they differ from the defaults.
        """
        state = replace(self, **changes).relevant()
        return urlencode([*state._choices(), ("text", state.text)])

    def link(self, most: int, *, with_token: bool = False) -> str | None:
        """The query string, with or without `token`, or None if it would have more than `most` characters.

        >>> State(text="low").link(40), State(text="low" * 20).link(40)
        ('algorithm=bpe&text=low', None)
        """
        if len(self.text) > most:
            return None  # without building the query string
        written = self.query() if with_token else self.query(token=None)
        return written if len(written) <= most else None

    def query_of_algorithm(self, **changes: Any) -> str:
        """The query string for a path that contains the algorithm; with `changes`, without `token`."""
        state = replace(self, **changes, token=None).relevant()
        return urlencode([*state._choices()[1:], ("text", state.text)])

    def query_without_texts(self) -> str:
        """The query string without texts, for when the full one is too long."""
        return urlencode(replace(self, corpus="", dictionary="", edits="", token=None).relevant()._choices())

    def _choices(self) -> list[tuple[str, str]]:
        pairs = [("algorithm", self.algorithm)]
        if self.vocabulary != default_for(self.algorithm):
            pairs.append(("vocabulary", self.vocabulary))
        chosen = {name: getattr(self, name) for name in DEFAULTS if name not in ("algorithm", "vocabulary", "text")}
        return [*pairs, *((name, in_address(value)) for name, value in chosen.items() if value != DEFAULTS[name])]


DEFAULTS = {field.name: field.default for field in fields(State)}


def in_address(value: object) -> str:
    """The value of a choice as an address has it."""
    return str(int(value)) if isinstance(value, bool) else str(value)

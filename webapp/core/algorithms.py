"""One record for each algorithm: its models, options, whether it has steps, and reference.

`ALGORITHMS` maps an id to its record, in the order in which the site lists them. All other code looks algorithms up
here at run time, so registering a record is enough:

>>> [name for name, algorithm in ALGORITHMS.items() if algorithm.family == "dictionary"]
['fmm', 'bmm', 'bidirectional', 'max-probability']

`webapp.tokenization.algorithms` has the texts that pages show for an algorithm, under the same id.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from webapp.core.inference import OWN
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.byte_matching import ByteMatching
from webapp.core.models.matching import Direction, Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.ngram import NGram
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import SentencePieceCharacters, SentencePieceWords
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.models.tagger import Tagger
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordLevel, WordPiece
from webapp.core.reference import bpe, hmm, matching, maximum_probability, ngram, tagger, unigram, wordpiece
from webapp.core.trainers.ties import FIRST_SEEN, TIE_RULES

Family = Literal["dictionary", "word model", "merges", "pieces", "language model", "lookup"]


@dataclass(frozen=True)
class Option:
    """An option that a visitor can turn on or off."""

    name: str
    default: bool = False


RUNS = Option("runs", default=True)
"""Keep a run of Latin letters and digits as one token."""
LOWERCASE = Option("lowercase")
"""Convert the text to lower case first."""
SPECIAL = Option("special")
"""Recognize special tokens in the text."""
TEMPLATE = Option("template")
"""Add the special tokens of the vocabulary's template around the text."""
HMM = Option("hmm", default=True)
"""Find words that are not in the dictionary with a hidden Markov model."""
OPTIONS = (RUNS, LOWERCASE, SPECIAL, TEMPLATE, HMM)


@dataclass(frozen=True)
class Choice:
    """An option with several values, written as texts; `default` is one of them."""

    name: str
    values: tuple[str, ...]
    default: str


MODE = Choice("mode", ("precise", "full", "search"), "precise")
"""Which words are listed: those of the segmentation; all words of the dictionary that occur; or, for search engines,
the segmentation with the shorter words inside its words."""
ORDER = Choice("order", ("1", "2", "3"), "2")
"""How many words an n-gram has."""
SMOOTHING = Choice("smoothing", ("add-one", "jelinek-mercer", "absolute-discounting", "kneser-ney"), "kneser-ney")
"""How an n-gram model estimates the probability of n-grams that its training did not see."""
TIES = Choice("ties", TIE_RULES, FIRST_SEEN)
"""Which of several equally frequent pairs training merges; it applies to vocabularies trained on the visitor's text."""
CHOICES = (MODE, ORDER, SMOOTHING, TIES)


@dataclass(frozen=True)
class TrainingLimits:
    """The range of the training slider, from `least` to `most`; its initial value `start`; and the `unit` it counts."""

    least: int
    most: int
    start: int
    unit: Literal["merges", "pieces"]


MERGES = TrainingLimits(0, 500, 100, "merges")
PIECES = TrainingLimits(20, 1_000, 200, "pieces")


@dataclass(frozen=True)
class Algorithm:
    """A way to split text into tokens.

    `models` are the classes whose vocabularies it can use; two algorithms with the same models share vocabularies, and
    then have the same `kind`. `options` apply to the site's own vocabularies, `external_options` to those that are
    fetched or uploaded, `choices` to all, but `TIES` only to those that are trained on the visitor's text. `direction`
    is that of maximum matching, None for other algorithms. `has_steps` says whether `/steps` shows them. `reference`
    are the functions of `webapp.core.reference` that encode with it, which pages list as "the whole algorithm"; empty
    where there is no textbook version. `inferences` are the ids of the ways to apply its vocabularies, its own rule
    first.
    """

    id: str
    family: Family
    models: tuple[type[Model], ...]
    kind: str = ""  # the kind of vocabulary; if empty, the id
    options: tuple[Option, ...] = ()
    external_options: tuple[Option, ...] = (SPECIAL, TEMPLATE)
    choices: tuple[Choice, ...] = ()
    direction: Direction | None = None
    limits: TrainingLimits | None = None
    has_steps: bool = False
    reference: tuple[Callable[..., object], ...] = ()
    inferences: tuple[str, ...] = (OWN,)

    @property
    def vocabulary_kind(self) -> str:
        """The kind of vocabulary that the algorithm uses: `matching` for those with a dictionary, else the id."""
        return self.kind or self.id


_MATCHING: tuple[tuple[str, Direction, Callable[..., object]], ...] = (
    ("fmm", "forward", matching.forward),
    ("bmm", "backward", matching.backward),
    ("bidirectional", "both", matching.bidirectional),
)

ALGORITHMS: dict[str, Algorithm] = {
    algorithm.id: algorithm
    for algorithm in (
        *(
            Algorithm(
                id,
                "dictionary",
                (Matching,),
                kind="matching",
                options=(RUNS,),
                external_options=(RUNS,),
                direction=direction,
                has_steps=True,
                reference=(reference,),
            )
            for id, direction, reference in _MATCHING
        ),
        Algorithm(
            "max-probability",
            "dictionary",
            (Matching, MaximumProbability),
            kind="matching",
            options=(HMM,),
            external_options=(HMM,),
            choices=(MODE,),
            has_steps=True,
            reference=(maximum_probability.segment, hmm.words),
        ),
        Algorithm(
            "ngram",
            "word model",
            (NGram,),
            options=(RUNS,),
            external_options=(RUNS,),
            choices=(ORDER, SMOOTHING),
            has_steps=True,
            reference=(ngram.train, ngram.table, ngram.segment),
        ),
        Algorithm(
            "tagger",
            "word model",
            (Tagger,),
            options=(RUNS,),
            external_options=(RUNS,),
            has_steps=True,
            reference=(tagger.features, tagger.viterbi, tagger.words, tagger.correct, tagger.train),
        ),
        Algorithm(
            "bpe",
            "merges",
            (BPE, RankBPE, ScoredBPE),
            options=(SPECIAL,),
            choices=(TIES,),
            limits=MERGES,
            has_steps=True,
            reference=(bpe.characters, bpe.utf8, bpe.encode),
            inferences=(OWN, "longest", "fewest", "dropout"),
        ),
        Algorithm(
            "wordpiece",
            "pieces",
            (WordPiece,),
            options=(SPECIAL, LOWERCASE),
            limits=MERGES,
            has_steps=True,
            reference=(wordpiece.encode,),
            inferences=(OWN, "longest", "fewest"),
        ),
        Algorithm(
            "unigram",
            "language model",
            (Unigram, SentencePieceUnigram),
            limits=PIECES,
            has_steps=True,
            reference=(unigram.encode,),
            inferences=(OWN, "longest", "fewest", "sample"),
        ),
        # Shared results and vocabularies that earlier versions stored may name it; its files are no longer read.
        Algorithm("picky-bpe", "merges", ()),
        # For vocabularies of whole words or characters, which are only looked up, and for RWKV's. The site ships none,
        # so it offers these entries only after a visitor has fetched or uploaded one.
        Algorithm("byte-matching", "lookup", (ByteMatching,), reference=(matching.longest_bytes,)),
        Algorithm("words", "lookup", (WordLevel, SentencePieceWords, SentencePieceCharacters)),
    )
}


DEFAULT = "bpe"
"""The algorithm of a request that names none."""
UNREADABLE = "picky-bpe"
"""The algorithm of stored vocabularies whose files can only be downloaded."""


def family_of(id: str) -> Family | None:
    """The family of an algorithm, or None if no algorithm has this id."""
    algorithm = ALGORITHMS.get(id)
    return algorithm.family if algorithm else None


def finds_words(id: str) -> bool:
    """Whether an algorithm splits a text into words, not into pieces of words; False if no algorithm has this id.

    >>> finds_words("fmm"), finds_words("bpe"), finds_words("")
    (True, False, False)
    """
    return family_of(id) in ("dictionary", "word model")


def options_of(id: str) -> tuple[Option, ...]:
    """The options of an algorithm with the site's own vocabularies; empty if no algorithm has this id."""
    algorithm = ALGORITHMS.get(id)
    return algorithm.options if algorithm else ()


def choices_of(id: str) -> tuple[Choice, ...]:
    """The choices of an algorithm; empty if no algorithm has this id."""
    algorithm = ALGORITHMS.get(id)
    return algorithm.choices if algorithm else ()


def inferences_of(id: str) -> tuple[str, ...]:
    """The ids of the ways to apply the vocabularies of an algorithm; the own rule alone if no algorithm has this id.

    >>> inferences_of("wordpiece"), inferences_of("fmm")
    (('own', 'longest', 'fewest'), ('own',))
    """
    algorithm = ALGORITHMS.get(id)
    return algorithm.inferences if algorithm else (OWN,)


def algorithms_for(model: Model) -> tuple[str, ...]:
    """The ids of the algorithms that can use the vocabulary of a model.

    >>> algorithms_for(WordPiece(["[UNK]", "low", "##er"]))
    ('wordpiece',)
    """
    return tuple(id for id, algorithm in ALGORITHMS.items() if isinstance(model, algorithm.models))


def sharing_vocabularies(id: str) -> tuple[str, ...]:
    """The ids of the other algorithms that use the same vocabularies.

    >>> sharing_vocabularies("fmm"), sharing_vocabularies("bpe")
    (('bmm', 'bidirectional', 'max-probability'), ())
    """
    algorithm = ALGORITHMS.get(id)
    if algorithm is None:
        return ()
    return tuple(
        other.id
        for other in ALGORITHMS.values()
        if other.vocabulary_kind == algorithm.vocabulary_kind and other.id != id
    )

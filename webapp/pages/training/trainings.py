"""One record for each kind of training that the page shows.

>>> list(TRAININGS)
['bpe', 'bpe-bytes', 'wordpiece', 'wordpiece-top-down', 'unigram', 'ngram']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flask_babel import lazy_gettext as _l

from webapp.core.reference import bpe, ngram, unigram, wordpiece, wordpiece_top_down
from webapp.pages.training import merges, ngrams, presets, top_down
from webapp.pages.training import unigram as unigram_training
from webapp.pages.training.presets import Preset
from webapp.pages.training.request import MOST, MOST_MERGES, MOST_PIECES, TrainingRequest
from webapp.pages.training.tables import TrainingWalkthrough
from webapp.pages.walkthrough.ngram_probabilities import SMOOTHING_NAMES
from webapp.tokenization.algorithms import Text
from webapp.web.localization import number

_IN_RANGE = _l("Choose a number from %(least)s to %(most)s.")


@dataclass(frozen=True)
class TrainingOption:
    """A field of `TrainingRequest` that only some kinds use.

    A checkbox; a number if `least` is given; or a list if there are `choices`: the value of each with its title. The
    `problem` of a number outside its range has %(least)s and %(most)s.
    """

    name: str
    label: Text
    least: int | None = None
    most: int = 0
    choices: Sequence[tuple[str, Text]] = ()
    problem: Text = _IN_RANGE

    @property
    def is_check(self) -> bool:
        """Whether it is a checkbox."""
        return self.least is None and not self.choices

    def allows(self, value: int) -> bool:
        """Whether a number is in the range."""
        return self.least is not None and self.least <= value <= self.most

    def range_problem(self) -> str:
        """The message for a number outside the range."""
        return str(self.problem) % {"least": number(self.least or 0), "most": number(self.most)}


MERGES = TrainingOption(
    "size",
    _l("Maximum number of merges"),
    0,
    MOST_MERGES,
    problem=_l("Choose a number of merges from %(least)s to %(most)s."),
)
PIECES = TrainingOption(
    "size",
    _l("Pieces to keep"),
    1,
    MOST_PIECES,
    problem=_l("Choose a number of pieces from %(least)s to %(most)s."),
)
APART = TrainingOption("apart", _l("“%(suffix)s” is a separate symbol", suffix="</w>"))
MINIMUM = TrainingOption("minimum", _l("Minimum count of a pair"), 1, MOST)
LONGER = TrainingOption("longer", _l("Longer pieces to start with"), 0, MOST_PIECES)
PLAIN = TrainingOption("plain", _l("No mark for spaces"))
EVERY = TrainingOption("every", _l("Start with parts of words only"))
ORDER = TrainingOption(
    "order", _l("Order"), choices=(("1", _l("1: unigrams")), ("2", _l("2: bigrams")), ("3", _l("3: trigrams")))
)
SMOOTHING = TrainingOption("smoothing", _l("Smoothing"), choices=tuple(SMOOTHING_NAMES.items()))

_CORPUS = _l("Corpus to train on, up to %(most)s characters")
_SENTENCES = _l("Sentences, one per line, words separated by spaces or /; up to %(most)s characters")


@dataclass(frozen=True)
class Training:
    """A kind of training: its title, example corpora, walkthrough and reference functions.

    `algorithm` and `symbols` name it in an address. `size` is None where the corpus alone decides, `options` are the
    further fields that it uses, and `corpus_label` has the placeholder %(most)s.
    """

    algorithm: str
    title: Text
    presets: Sequence[Preset]
    walkthrough: Callable[[TrainingRequest], TrainingWalkthrough]
    reference: Sequence[Callable[..., object]]
    symbols: str = ""
    size: TrainingOption | None = MERGES
    options: Sequence[TrainingOption] = ()
    corpus_label: Text = _CORPUS

    @property
    def request(self) -> TrainingRequest:
        """The request with nothing but the kind."""
        return TrainingRequest(self.algorithm, symbols=self.symbols)


TRAININGS: dict[str, Training] = {
    training.request.kind: training
    for training in (
        Training(
            "bpe",
            _l("BPE over characters"),
            presets.CHARACTER_PRESETS,
            merges.character_bpe,
            (bpe.characters, bpe.train),
            options=(APART,),
        ),
        Training(
            "bpe",
            _l("BPE over bytes"),
            presets.BYTE_PRESETS,
            merges.byte_bpe,
            (bpe.utf8, bpe.train),
            symbols="bytes",
        ),
        Training(
            "wordpiece",
            _l("WordPiece"),
            presets.WORDPIECE_PRESETS,
            merges.wordpiece,
            (wordpiece.split, wordpiece.train),
            options=(MINIMUM,),
        ),
        Training(
            "wordpiece",
            _l("WordPiece, top-down"),
            presets.TOP_DOWN_PRESETS,
            top_down.walkthrough,
            (wordpiece_top_down.starts, wordpiece_top_down.count, wordpiece_top_down.keep, wordpiece_top_down.train),
            symbols="top-down",
            size=PIECES,
        ),
        Training(
            "unigram",
            _l("Unigram"),
            presets.UNIGRAM_PRESETS,
            unigram_training.walkthrough,
            (unigram.seed, unigram.train),
            size=PIECES,
            options=(LONGER, PLAIN, EVERY),
        ),
        Training(
            "ngram",
            _l("Word n-grams"),
            presets.NGRAM_PRESETS,
            lambda asked: ngrams.NGramTraining(asked).walkthrough(),
            (ngram.train, ngram.segment),
            size=None,
            options=(ORDER, SMOOTHING),
            corpus_label=_SENTENCES,
        ),
    )
}
"""The kinds of training by their ids, in the order in which the page lists them."""


def default_training(algorithm: str) -> Training | None:
    """The first kind of training of an algorithm, or None if there is none."""
    return next((training for training in TRAININGS.values() if training.algorithm == algorithm), None)

"""One record for each kind of training that the page shows.

>>> list(TRAININGS)
['bpe', 'bpe-bytes', 'wordpiece', 'unigram', 'ngram']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l

from webapp.core.reference import bpe, ngram, unigram, wordpiece
from webapp.pages.training import merges, ngrams
from webapp.pages.training import unigram as unigram_training
from webapp.pages.training.presets import PRESETS, Preset
from webapp.pages.training.request import MOST, MOST_MERGES, MOST_PIECES, USUAL_MERGES, TrainingRequest
from webapp.pages.training.tables import TrainingWalkthrough
from webapp.pages.walkthrough.ngram_probabilities import SMOOTHING_NAMES
from webapp.tokenization.algorithms import Text
from webapp.tokenization.forms import InputProblem
from webapp.web.localization import number


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
    problem: Text = ""

    @property
    def is_check(self) -> bool:
        """Whether it is a checkbox."""
        return self.least is None and not self.choices

    def read(self, written: str) -> int | str:
        """The value that a form or an address says; raises InputProblem for one that is impossible."""
        if self.is_check:
            return written not in ("0", "")
        if self.choices:
            if written not in dict(self.choices):
                raise InputProblem(f"{self.label}: {_('There is no such choice. Choose one from the list.')}")
            return int(written) if written.isdecimal() else written
        value = whole_number(written)
        if not (self.least or 0) <= value <= self.most:
            wrong = self.problem or f"{self.label}: {_('Choose a number from %(least)s to %(most)s.')}"
            raise InputProblem(str(wrong) % {"least": number(self.least or 0), "most": number(self.most)})
        return value


def whole_number(written: str) -> int:
    """A number of a form; raises InputProblem for what is none."""
    try:
        return int(written[: LONGEST_VALUE + 1])
    except ValueError:
        raise InputProblem(_("“%(value)s” is not a whole number.", value=written[:LONGEST_VALUE])) from None


LONGEST_VALUE = 40  # characters of a wrong value in a message
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

    @property
    def usual_size(self) -> int | None:
        """The size that the form shows if the address has none; None if the trainer chooses one."""
        return USUAL_MERGES if self.size is MERGES else None

    def same(self, asked: TrainingRequest) -> TrainingRequest:
        """The request for this kind with the same corpus and text."""
        return replace(self.request, corpus=asked.corpus, text=asked.text, as_text=asked.as_text)


TRAININGS: dict[str, Training] = {
    training.request.kind: training
    for training in (
        Training(
            "bpe",
            _l("BPE over characters"),
            PRESETS["bpe"],
            merges.character_bpe,
            (bpe.characters, bpe.train),
            options=(APART,),
        ),
        Training(
            "bpe",
            _l("BPE over bytes"),
            PRESETS["bpe-bytes"],
            merges.byte_bpe,
            (bpe.utf8, bpe.train),
            symbols="bytes",
        ),
        Training(
            "wordpiece",
            _l("WordPiece"),
            PRESETS["wordpiece"],
            merges.wordpiece,
            (wordpiece.split, wordpiece.train),
            options=(MINIMUM,),
        ),
        Training(
            "unigram",
            _l("Unigram"),
            PRESETS["unigram"],
            unigram_training.walkthrough,
            (unigram.seed, unigram.train),
            size=PIECES,
            options=(LONGER, PLAIN, EVERY),
        ),
        Training(
            "ngram",
            _l("Word n-grams"),
            PRESETS["ngram"],
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

"""One record for each kind of training that the page shows; example corpora; how a request is read.

>>> list(TRAININGS)
['bpe', 'bpe-bytes', 'wordpiece', 'unigram', 'ngram', 'tagger']
"""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from flask import Request
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.reference import bpe, ngram, tagger, unigram, wordpiece
from webapp.core.trainers.ties import FIRST_SEEN
from webapp.pages.training import merges, ngrams, taggers
from webapp.pages.training import unigram as pruning
from webapp.pages.training.request import (
    LONGEST,
    MOST,
    MOST_MERGES,
    MOST_PIECES,
    MOST_TEXT,
    TrainingRequest,
)
from webapp.pages.training.tables import TrainingWalkthrough
from webapp.pages.walkthrough.ngram_probabilities import BY_HAND_NAMES, SMOOTHING_NAMES
from webapp.tokenization.algorithms import TIE_TITLES, Text
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.web.addresses import parameters, unpacked
from webapp.web.localization import current_key, number

Preset = tuple[Text, TrainingRequest]


def _preset(kind: str, table: dict[str, Any]) -> Preset:
    algorithm, _, symbols = kind.partition("-")
    title = table.pop("title")
    request = TrainingRequest(algorithm, symbols=symbols, **table)
    return (title if isinstance(title, str) else LazyString(lambda: title[current_key()])), request


PRESETS: dict[str, Sequence[Preset]] = {
    kind: [_preset(kind, table) for table in tables]
    for kind, tables in tomllib.loads(files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")).items()
}
"""The title and the request of each preset, by the kind of training."""


@dataclass(frozen=True)
class TrainingOption:
    """A field of `TrainingRequest` that only some kinds use.

    A checkbox; a number if `least` is given; or a list if there are `choices`: the value of each with its title.
    """

    name: str
    label: Text
    least: int | None = None
    most: int = 0
    choices: Sequence[tuple[str, Text]] = ()

    @property
    def is_check(self) -> bool:
        """Whether it is a checkbox."""
        return self.least is None and not self.choices

    def read(self, written: str) -> int | str:
        """The value that a form or an address says; raises InputProblem for one that is impossible."""
        if self.is_check:
            return written not in ("0", "")
        wrong = _("There is no such choice. Choose one from the list.")
        if not self.choices:
            value = whole_number(written)
            if (self.least or 0) <= value <= self.most:
                return value
            limits = {"least": number(self.least or 0), "most": number(self.most)}
            wrong = _("Choose a number from %(least)s to %(most)s.", **limits)
        elif written in dict(self.choices):
            return int(written) if written.isdecimal() else written
        raise InputProblem(_("%(title)s: %(sentence)s", title=self.label, sentence=wrong))


def whole_number(written: str) -> int:
    """A number of a form; raises InputProblem for what is none."""
    try:
        return int(written[: LONGEST_VALUE + 1])
    except ValueError:
        raise InputProblem(_("“%(value)s” is not a whole number.", value=written[:LONGEST_VALUE])) from None


LONGEST_VALUE = 40  # characters of a wrong value in a message
MERGES = TrainingOption("size", _l("Maximum number of merges"), 0, MOST_MERGES)
PIECES = TrainingOption("size", _l("Pieces to keep"), 1, MOST_PIECES)
MARK = TrainingOption(
    "mark",
    _l("End of a word such as “low”"),
    choices=(
        ("last", _l("w%(suffix)s, one symbol", suffix="</w>")),
        ("apart", _l("w %(suffix)s, two symbols", suffix="</w>")),
        ("none", _l("w, without a mark")),
    ),
)
TIES = TrainingOption("ties", _l("Ties between pairs"), choices=TIE_TITLES)
MINIMUM = TrainingOption("minimum", _l("Minimum count of a pair"), 1, MOST)
LONGER = TrainingOption("longer", _l("Longer pieces to start with"), 0, MOST_PIECES)
PLAIN = TrainingOption("plain", _l("No mark for spaces"))
EVERY = TrainingOption("every", _l("Start with parts of words only"))
ORDER = TrainingOption(
    "order", _l("Order"), choices=(("1", _l("1: unigrams")), ("2", _l("2: bigrams")), ("3", _l("3: trigrams")))
)
SMOOTHING = TrainingOption("smoothing", _l("Smoothing"), choices=(*BY_HAND_NAMES.items(), *SMOOTHING_NAMES.items()))

_CORPUS = _l("Corpus to train on, up to %(most)s characters")
_SENTENCES = _l("Sentences, one per line, words separated by spaces or /; up to %(most)s characters")


@dataclass(frozen=True)
class Training:
    """A kind of training: its title, walkthrough and reference functions.

    `algorithm` and `symbols` name it in an address. `size` is None where the corpus alone decides, `options` are the
    further fields that it uses, and `corpus_label` has the placeholder %(most)s.
    """

    algorithm: str
    title: Text
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
    def presets(self) -> Sequence[Preset]:
        """Its example corpora."""
        return PRESETS[self.request.kind]

    def same(self, wanted: TrainingRequest) -> TrainingRequest:
        """The request for this kind with the same corpus and text, and the same rule for ties if it has one."""
        ties = wanted.ties if TIES in self.options else FIRST_SEEN
        return replace(self.request, corpus=wanted.corpus, text=wanted.text, as_text=wanted.as_text, ties=ties)


TRAININGS: dict[str, Training] = {
    training.request.kind: training
    for training in (
        Training(
            "bpe", _l("BPE over characters"), merges.character_bpe, (bpe.characters, bpe.train), options=(MARK, TIES)
        ),
        Training("bpe", _l("BPE over bytes"), merges.unmarked_bpe, (bpe.utf8, bpe.train), "bytes", options=(TIES,)),
        Training(
            "wordpiece", _l("WordPiece"), merges.wordpiece, (wordpiece.split, wordpiece.train), options=(MINIMUM, TIES)
        ),
        Training(
            "unigram",
            _l("Unigram"),
            pruning.walkthrough,
            (unigram.seed, unigram.train),
            "",
            PIECES,
            (LONGER, PLAIN, EVERY),
        ),
        Training(
            "ngram",
            _l("Word n-grams"),
            lambda wanted: ngrams.NGramTraining(wanted).walkthrough(),
            (ngram.train, ngram.segment),
            size=None,
            options=(ORDER, SMOOTHING),
            corpus_label=_SENTENCES,
        ),
        Training(
            "tagger",
            _l("Tagger"),
            lambda wanted: taggers.TaggerTraining(wanted).walkthrough(),
            (tagger.correct, tagger.train),
            size=None,
            corpus_label=_SENTENCES,
        ),
    )
}
"""The kinds of training by their ids, in the order in which the page lists them."""


def default_training(algorithm: str) -> Training | None:
    """The first kind of training of an algorithm, or None if there is none."""
    return next((training for training in TRAININGS.values() if training.algorithm == algorithm), None)


# --- reading a request


def read(request: Request, algorithm: str) -> tuple[TrainingRequest, list[InputProblem]]:
    """The request and its problems; a field with a problem has its default, but texts stay as they are."""
    values = request.form if request.method == "POST" else request.args
    problems: list[InputProblem] = []
    wanted = TrainingRequest(algorithm, symbols=values.get("symbols", ""))
    wanted = wanted if wanted.kind in TRAININGS else TrainingRequest(algorithm)
    corpus, text = as_typed(values.get("corpus", "")), values.get("text", "")
    if "packed" in values and "corpus" not in values:
        found = unpacked(values["packed"])
        if found is None:
            problems.append(InputProblem(_("The corpus in this address cannot be read: a part of it is missing.")))
        corpus = as_typed(found or "")
    problems += _length_problems(corpus, text)
    given: dict[str, Any] = {}
    training = TRAININGS[wanted.kind]
    readers: dict[str, Callable[[str], Any]] = {
        option.name: option.read for option in (*training.options, *([training.size] if training.size else []))
    }
    if wanted.kind in ("bpe-bytes", "wordpiece") or (wanted.kind == "bpe" and values.get("mark") == "none"):
        readers["before"] = str
    for name, read_value in {**readers, "step": _step}.items():
        # `apart`: in links from before there were words without a mark.
        written = values.get(name, "apart" if name == "mark" and values.get("apart", "0") not in ("0", "") else "")
        if written.strip():
            try:
                given[name] = read_value(written)
            except InputProblem as problem:
                problems.append(replace(problem, field=name))
    as_text = values.get("as_text", "0") not in ("0", "")
    return replace(wanted, corpus=corpus, text=text, as_text=as_text, **given), problems


def _step(written: str) -> int:
    if (step := whole_number(written)) < 0:
        raise InputProblem(_("Steps are counted from 0."))
    return step


def _length_problems(corpus: str, text: str) -> list[InputProblem]:
    """A corpus may be no longer than `MOST` and than an address can hold, a text no longer than `MOST_TEXT`."""
    problems = []
    if len(corpus) > MOST:
        values = {"count": number(len(corpus)), "most": number(MOST)}
        message = _("The corpus has %(count)s characters; training is shown on up to %(most)s.", **values)
        problems.append(InputProblem(message, 413, "corpus"))
    elif len(parameters(corpus)[1]) > LONGEST:
        message = _("The corpus does not fit into an address. Shorten it and try again.")
        problems.append(InputProblem(message, 413, "corpus"))
    if len(text) > MOST_TEXT:
        values = {"count": number(len(text)), "most": number(MOST_TEXT)}
        message = _("The text to tokenize has %(count)s characters; the limit is %(most)s.", **values)
        problems.append(InputProblem(message, 413, "text"))
    return problems


def opening_of(corpus: str) -> str:
    """The beginning of a corpus that is too long, cut to the limits at the end of a word."""
    kept = corpus[: MOST if len(corpus) > MOST else len(corpus) // 2]
    space = max(kept.rfind(" "), kept.rfind("\n"))
    return kept[:space] if space > len(kept) // 2 else kept

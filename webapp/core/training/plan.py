"""The choices of a training, how far one is, and its record: what was trained from what, and how to do it again.

The same plan on the same corpus always gives the same vocabulary.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

from webapp.core import __version__
from webapp.core.formats.loading_code import loading_code
from webapp.core.models.smoothing import SmoothingName
from webapp.core.trainers.ties import FIRST_SEEN, TieRule
from webapp.core.vocabulary_error import Phrase

Trainer = Literal["bpe-bytes", "bpe-characters", "bpe-sentencepiece", "wordpiece", "unigram", "ngram", "tagger"]
"""BPE over bytes (GPT-2), over characters with `</w>` (Sennrich), over characters with `▁` (SentencePiece); WordPiece;
Unigram; n-grams of words; a tagger that finds words."""
Split = Literal["default", "gpt2", "cl100k", "o200k", "whitespace", "marked", "none", "own"]
"""The split pattern. `default` is the trainer's usual one, `marked` cuts before `▁`, `own` is the plan's `pattern`."""
Normalization = Literal["default", "none", "nfc", "nfkc", "lowercase", "nfkc-lowercase"]
"""What is done to the text first; `default` is the trainer's usual one."""

Segmentation = Literal["words", "max-probability", "fmm"]
"""The words of a corpus: those between spaces or `/`, or those that a method finds in raw text."""

TRAINERS: tuple[Trainer, ...] = get_args(Trainer)
WORD_TRAINERS: tuple[Trainer, ...] = ("ngram", "tagger")
SUBWORD_TRAINERS: tuple[Trainer, ...] = tuple(trainer for trainer in TRAINERS if trainer not in WORD_TRAINERS)
TIED: tuple[Trainer, ...] = TRAINERS[:3]
"""The trainers with a rule for equally frequent pairs."""
SEGMENTATIONS: tuple[Segmentation, ...] = get_args(Segmentation)
SPLITS: tuple[Split, ...] = get_args(Split)
NORMALIZATIONS: tuple[Normalization, ...] = get_args(Normalization)

SMALLEST_SIZE, LARGEST_SIZE = 2, 256_000


OF_WORDS: Mapping[str, Sequence[Trainer]] = {
    **dict.fromkeys(("order", "smoothing", "minimum_pairs", "minimum_triples"), ("ngram",)),
    "segmentation": WORD_TRAINERS,
    "rounds": ("tagger",),
}
"""The choices that only trainers of words have, and which of them."""


class PlanError(ValueError):
    """A choice is impossible: `field` is its name in the plan, the sentence says what is wrong and what to do.

    Sentence and values are as in `VocabularyError`, so that they can be translated.

    >>> error = PlanError("size", "Enter a number from %(lowest)s.", lowest=300)
    >>> str(error), error.field, error.sentence
    ('Enter a number from 300.', 'size', 'Enter a number from %(lowest)s.')
    """

    def __init__(self, field: str, sentence: str, **values: object) -> None:
        super().__init__(field, sentence)
        self.field = field
        self.sentence = sentence
        self.values = values

    def __str__(self) -> str:
        return str(Phrase(self.sentence, **self.values))


class TrainingError(ValueError):
    """A training that cannot go on.

    `code` is one of: `too_small` (possible, size: pieces), `alphabet` (needed, size: pieces), `slow_pattern`,
    `unsegmented` (words of a text without spaces and slashes), `listed` (words without sentences), `process_lost` (the
    system ended a process that counts, usually because memory ran out).
    """

    def __init__(self, code: str, **details: object) -> None:
        super().__init__(f"{code}: {details}" if details else code)
        self.code = code
        self.details = details


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """What to train. Fields that a trainer does not use have no effect.

    `size` counts all pieces, special tokens included. `minimum_count` is the lowest count of a pair that is merged, and
    of a piece that Unigram or WordPiece starts with; None follows corpus and size. `longest_word` cuts longer
    pre-tokens, in characters, so that text without spaces stays bounded. For `coverage` of None see `alphabet_of`.
    """

    trainer: Trainer = "bpe-bytes"
    size: int = 8_000
    split: Split = "default"
    pattern: str = ""
    normalization: Normalization = "default"
    special_tokens: tuple[str, ...] = ()
    minimum_count: int | None = None
    longest_word: int = 1_000
    coverage: float | None = None  # of the alphabet: BPE over characters, WordPiece, Unigram
    longest_piece: int = 16  # characters; Unigram, and BPE with `▁` (see `is_within` in its trainer)
    seeds: Literal["substrings", "bpe"] = "substrings"  # Unigram
    keep: float = 0.75  # the share of longer pieces that a round of Unigram's pruning keeps
    variant: Literal["plain", "superbpe"] = "plain"  # BPE over bytes
    transition: float = 0.9  # SuperBPE: the share of the pieces that is made inside words
    ties: TieRule = FIRST_SEEN  # BPE: which of several equally frequent pairs is merged
    order: Literal["1", "2", "3"] = "2"  # n-grams: the length of the longest
    smoothing: SmoothingName = "kneser-ney"  # n-grams
    segmentation: Segmentation = "words"  # n-grams, taggers
    rounds: int = 10  # taggers: how often training goes through all sentences
    minimum_pairs: int = 1  # n-grams: rarer ones are removed when all are counted
    minimum_triples: int = 1

    def as_json(self) -> dict[str, Any]:
        """The plan as JSON.

        >>> TrainingPlan.from_json(TrainingPlan(size=500).as_json()) == TrainingPlan(size=500)
        True
        """
        document = {**asdict(self), "special_tokens": list(self.special_tokens)}
        unused = {name for name, trainers in OF_WORDS.items() if self.trainer not in trainers}
        return {name: value for name, value in document.items() if name not in unused}

    @property
    def of_words(self) -> bool:
        """Whether it trains a model of words, from sentences of words."""
        return self.trainer in WORD_TRAINERS

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> TrainingPlan:
        """The plan that `as_json` wrote; choices that it does not name have their defaults.

        Earlier versions also trained WordPiece from the top down; such a plan keeps its name, but cannot be trained.

        >>> TrainingPlan.from_json({"trainer": "wordpiece", "wordpiece": "top-down"}).trainer
        'wordpiece-top-down'
        """
        if document.get("trainer") == "wordpiece" and document.get("wordpiece") == "top-down":
            document = {**document, "trainer": "wordpiece-top-down"}
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in document.items() if name in known}
        values["special_tokens"] = tuple(values.get("special_tokens", ()))
        return cls(**values)


Stage = Literal["read", "count", "train", "write"]
"""Read and check the corpus; count its pre-tokens; merge or prune; write the vocabulary and measure it."""
STAGES: tuple[Stage, ...] = get_args(Stage)


@dataclass(frozen=True)
class Progress:
    """A moment of a training.

    `done` of `total` is within the stage: bytes while reading and counting, pieces while merging or pruning (0 of 0
    where unknown). `pieces` is the size of the vocabulary so far. `latest` are the newest merges, or the pieces that
    the last round pruned, newest first. `curve` has a point for each measurement on the held-out slice: pieces, and
    characters per token.
    """

    stage: Stage
    done: int = 0
    total: int = 0
    pieces: int = 0
    latest: tuple[str, ...] = ()
    curve: tuple[tuple[int, float], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The moment as JSON, for a table or a message between processes."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Progress:
        """The moment that `as_json` wrote.

        >>> Progress.from_json(Progress("count", 5, 10).as_json())
        Progress(stage='count', done=5, total=10, pieces=0, latest=(), curve=())
        """
        curve = tuple((int(pieces), float(value)) for pieces, value in document.get("curve", ()))
        latest = tuple(document.get("latest", ()))
        return cls(document["stage"], document["done"], document["total"], document["pieces"], latest, curve)


Report = Callable[[Progress], None]
"""Called now and then by a training; what it raises ends the training."""


OPTION_OF = {"trainer": "algorithm"}
"""The options of the command line that are not named like the field of the plan."""


def versions() -> dict[str, str]:
    """The versions on which a vocabulary may depend."""
    return {"tokenscope": __version__, "python": ".".join(map(str, sys.version_info[:3]))}


@dataclass(frozen=True, kw_only=True)
class TrainingRecord:
    """What was trained from what.

    `files` are names, never paths; `json_field` is the one that was read of JSON Lines. `bytes` and `characters` are
    those of the corpus as text, `sha256` its checksum. `seconds` maps each stage to its time, `started` is a time in
    ISO 8601. `curve` has the characters per token on the held-out text at several sizes; `held_out` has its
    `characters`, and in `others` the characters per token of other vocabularies, by name.
    """

    plan: TrainingPlan
    files: tuple[str, ...]
    bytes: int
    characters: int
    sha256: str
    pieces: int
    characters_per_token: float | None
    json_field: str = "text"
    curve: tuple[tuple[int, float], ...] = ()
    held_out: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    started: str = ""
    versions: Mapping[str, str] = field(default_factory=versions)

    def as_json(self) -> dict[str, Any]:
        """The record as JSON.

        >>> record = TrainingRecord(plan=TrainingPlan(), files=("a.txt",), bytes=5, characters=5, sha256="",
        ...                         pieces=8_000, characters_per_token=3.5, curve=((300, 2.5),))
        >>> TrainingRecord.from_json(record.as_json()) == record
        True
        """
        document = {**asdict(self), "plan": self.plan.as_json(), "files": list(self.files)}
        return {**document, "curve": [list(point) for point in self.curve], "command": command_line(self)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> TrainingRecord:
        """The record that `as_json` wrote; members that a record does not have are ignored."""
        known = {each.name for each in fields(cls)}
        values = {name: value for name, value in document.items() if name in known}
        values["plan"] = TrainingPlan.from_json(document["plan"])
        values["files"] = tuple(document["files"])
        values["curve"] = tuple((int(pieces), float(value)) for pieces, value in document.get("curve", ()))
        return cls(**values)


def command_line(record: TrainingRecord) -> str:
    """Return the command that trains the same in a terminal, quoted for a POSIX shell.

    The plan's choices are options where they differ from the default; each special token has one of its own.

    >>> plan = TrainingPlan(trainer="unigram", size=500, special_tokens=("<a b>",))
    >>> print(command_line(TrainingRecord(plan=plan, files=("my corpus.txt", "-n"), bytes=1, characters=1, sha256="",
    ...                                   pieces=500, characters_per_token=None)))
    tokenscope train 'my corpus.txt' ./-n --algorithm unigram --size 500 --special-tokens '<a b>'
    """
    words = ["tokenscope", "train", *map(_file, record.files)]
    usual = TrainingPlan()
    for each in fields(TrainingPlan):
        value = getattr(record.plan, each.name)
        always = {"ngram": ("trainer", "order"), "tagger": ("trainer",)}.get(record.plan.trainer, ("trainer", "size"))
        if each.name not in always and (value == getattr(usual, each.name) or each.name == "size"):
            continue
        option = "--" + OPTION_OF.get(each.name, each.name.replace("_", "-"))
        for one in value if isinstance(value, tuple) else (value,):
            words += _option(option, str(one))
    if record.json_field != "text":
        words += _option("--field", record.json_field)
    return shlex.join(words)


def python_code(record: TrainingRecord, file: str) -> str:
    """Return Python code that loads a downloaded file; raises KeyError for a file of no known format."""
    return loading_code(file, lowercase="lowercase" in record.plan.normalization)


def _file(name: str) -> str:
    """A name as an argument: never a path, and never an option."""
    name = PurePosixPath(name.replace("\0", "")).name or "corpus.txt"
    return f"./{name}" if name.startswith("-") else name


def _option(option: str, value: str) -> Sequence[str]:
    return [f"{option}={value}"] if value.startswith("-") else [option, value]

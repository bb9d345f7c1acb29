"""The choices of a training: what each field of the plan is called, what it does, and for which trainers it counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.training.plan import SUBWORD_TRAINERS, Trainer, TrainingPlan
from webapp.core.training.recipe import LIMITS
from webapp.pages.walkthrough.ngram_probabilities import SMOOTHING_NAMES

Kind = Literal["number", "select", "seg", "line", "lines"]
Label = LazyString | str

WITH_ALPHABET: tuple[Trainer, ...] = ("bpe-characters", "bpe-sentencepiece", "wordpiece", "unigram")


@dataclass(frozen=True)
class TrainerChoice:
    """An algorithm to train, with one sentence."""

    trainer: Trainer
    title: Label
    sentence: Label


@dataclass(frozen=True)
class PlanChoice:
    """A field of the plan: its label and one sentence. `options` are values with titles.

    `trainers` are those that use it. An `advanced` one is folded away.
    """

    name: str
    label: Label
    hint: Label
    kind: Kind = "number"
    options: Sequence[tuple[str, Label]] = ()
    blank: Label = ""  # what an empty field means
    trainers: Sequence[Trainer] = SUBWORD_TRAINERS
    advanced: bool = False

    @property
    def default(self) -> Any:
        """The value of the plan if nothing is chosen."""
        return getattr(TrainingPlan(), self.name)

    @property
    def whole(self) -> bool:
        """Whether a number must be whole."""
        return not isinstance(self.default, float)

    @property
    def least(self) -> float:
        """The lowest value of a number."""
        return LIMITS[self.name][0]

    @property
    def most(self) -> float:
        """The highest value of a number."""
        return LIMITS[self.name][1]

    def is_for(self, trainer: str) -> bool:
        """Whether the trainer uses this choice."""
        return trainer in self.trainers


TRAINER_CHOICES = (
    TrainerChoice(
        "bpe-bytes",
        _l("BPE over bytes"),
        _l("As in GPT-2 and GPT-4. It starts with the 256 bytes, so no text is ever unknown."),
    ),
    TrainerChoice(
        "bpe-characters",
        _l("BPE over characters"),
        _l("As Sennrich et al. introduced it. </w> marks the end of a word."),
    ),
    TrainerChoice(
        "bpe-sentencepiece",
        _l("BPE, SentencePiece style"),
        _l("As in Llama 2. ▁ stands for a space, so decoding restores the text."),
    ),
    TrainerChoice(
        "wordpiece",
        _l("WordPiece"),
        _l("As in BERT. ## marks a piece inside a word."),
    ),
    TrainerChoice(
        "unigram",
        _l("Unigram"),
        _l("As in T5. It starts with many pieces and prunes those that the corpus needs least."),
    ),
    TrainerChoice(
        "ngram",
        _l("N-gram (words)"),
        _l("Counts how often words follow each other, to find the most probable words of Chinese text."),
    ),
)

USUAL = _l("Usual for the algorithm")

CHOICES = (
    PlanChoice(
        "segmentation",
        _l("Words of the corpus"),
        _l(
            "Between spaces or /, if the corpus is segmented; otherwise a method with jieba’s dictionary segments it "
            "first."
        ),
        "select",
        options=(
            ("words", _l("Segmented: between spaces or /")),
            ("max-probability", _l("Raw text: maximum probability")),
            ("fmm", _l("Raw text: forward maximum matching")),
        ),
        trainers=("ngram",),
    ),
    PlanChoice(
        "order",
        _l("Order"),
        _l("How many words an n-gram has at most: 2 counts pairs, 3 triples too."),
        "seg",
        options=(("1", "1"), ("2", "2"), ("3", "3")),
        trainers=("ngram",),
    ),
    PlanChoice(
        "smoothing",
        _l("Smoothing"),
        _l("How n-grams that the corpus does not have get a probability; in use it can still be changed."),
        "select",
        options=tuple(SMOOTHING_NAMES.items()),
        trainers=("ngram",),
    ),
    PlanChoice(
        "minimum_pairs",
        _l("Minimum count of pairs"),
        _l("Rarer pairs are removed after counting; 1 keeps all."),
        trainers=("ngram",),
        advanced=True,
    ),
    PlanChoice(
        "minimum_triples",
        _l("Minimum count of triples"),
        _l("Rarer triples are removed after counting; it has an effect with order 3."),
        trainers=("ngram",),
        advanced=True,
    ),
    PlanChoice(
        "size",
        _l("Vocabulary size"),
        _l("The number of all pieces, special tokens included. More pieces make fewer tokens."),
    ),
    PlanChoice(
        "variant",
        _l("Variant"),
        _l("SuperBPE merges across spaces in a second phase, so that frequent phrases become single pieces."),
        "seg",
        options=(
            ("plain", _l("Plain")),
            ("superbpe", "SuperBPE"),
        ),
        trainers=("bpe-bytes",),
    ),
    PlanChoice(
        "wordpiece",
        _l("Method"),
        _l(
            "Top down keeps frequent substrings, longest first, as TensorFlow Text does; by score merges pairs, as in "
            "textbooks."
        ),
        "seg",
        options=(("top-down", _l("Top down")), ("score", _l("By score"))),
        trainers=("wordpiece",),
    ),
    PlanChoice(
        "split",
        _l("Split pattern"),
        _l("It splits the text into pre-tokens; no piece crosses their boundaries."),
        "select",
        options=(
            ("default", USUAL),
            ("gpt2", "GPT-2"),
            ("cl100k", "GPT-4 (cl100k)"),
            ("o200k", "GPT-4o (o200k)"),
            ("whitespace", _l("White space")),
            ("marked", _l("Before each ▁")),
            ("none", _l("None")),
            ("own", _l("A regular expression")),
        ),
    ),
    PlanChoice(
        "pattern",
        _l("Regular expression"),
        _l("Each match is a pre-token. Classes such as \\p{L} work; the pattern is tried for speed first."),
        "line",
    ),
    PlanChoice(
        "normalization",
        _l("Normalization"),
        _l("Applied to the text first, in training and in use."),
        "select",
        options=(
            ("default", USUAL),
            ("none", _l("None")),
            ("nfc", "NFC"),
            ("nfkc", "NFKC"),
            ("lowercase", _l("Lower case")),
            ("nfkc-lowercase", _l("NFKC and lower case")),
        ),
    ),
    PlanChoice(
        "special_tokens",
        _l("Special tokens"),
        _l("One per line, such as <|user|>. They get ids of their own and are never split."),
        "lines",
    ),
    PlanChoice(
        "minimum_count",
        _l("Minimum count"),
        _l(
            "Rarer pairs and pieces are left out. 1 also merges pairs that occur once, as tutorials do; if empty, it "
            "depends on corpus and size."
        ),
        blank=_l("automatic"),
        advanced=True,
    ),
    PlanChoice(
        "coverage",
        _l("Character coverage"),
        _l("The share of the corpus that the alphabet covers. Rarer characters become unknown; 1 keeps all."),
        trainers=WITH_ALPHABET,
        advanced=True,
    ),
    PlanChoice(
        "longest_piece",
        _l("Longest piece"),
        _l(
            "In characters; BPE allows one space or punctuation mark more. 2 suits Chinese pieces that are added to "
            "another vocabulary."
        ),
        trainers=("unigram", "bpe-sentencepiece"),
        advanced=True,
    ),
    PlanChoice(
        "seeds",
        _l("Seed pieces"),
        _l("Where the first pieces come from: all frequent substrings, or the merges of a larger BPE."),
        "seg",
        options=(("substrings", _l("Substrings")), ("bpe", "BPE")),
        trainers=("unigram",),
        advanced=True,
    ),
    PlanChoice(
        "keep",
        _l("Kept in each round"),
        _l("The share of pieces that a round of pruning keeps. A higher share prunes more carefully and takes longer."),
        trainers=("unigram",),
        advanced=True,
    ),
    PlanChoice(
        "transition",
        _l("Transition"),
        _l("For SuperBPE: the share of the pieces that is made inside words, before merges may cross spaces."),
        trainers=("bpe-bytes",),
        advanced=True,
    ),
    PlanChoice(
        "longest_word",
        _l("Longest pre-token"),
        _l("In characters. Longer ones are cut, so that text without spaces stays manageable."),
        advanced=True,
    ),
)

BY_NAME = {choice.name: choice for choice in CHOICES}


def title_of_trainer(trainer: str) -> str:
    """The name of an algorithm, in the reader's language."""
    return next((str(choice.title) for choice in TRAINER_CHOICES if choice.trainer == trainer), trainer)

"""The texts that pages show for each algorithm: one record each in `algorithms.toml`, in both languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core import algorithms as core
from webapp.core.algorithms import ALGORITHMS, CHOICES
from webapp.core.analysis.ambiguity import Kind
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.trainers.ties import TIE_RULES
from webapp.tokenization.state import State
from webapp.vocabularies import offered_algorithms
from webapp.web.localization import join_list, localized

Text = str | LazyString
NOTHING_LEFT = _l("No pair is left to merge.")


@dataclass(frozen=True, kw_only=True)
class AlgorithmTexts:
    """The texts of an algorithm.

    `name` is its name, `caption` one or two sentences on what it does, or `captions` by the kind of model. `steps` says
    what its steps show, and `examples` are example texts, the first of which is the initial one. `fewer_merges_reason`
    says why training made fewer merges than requested.
    """

    name: Text
    caption: Text = ""
    captions: Mapping[str, Text] = field(default_factory=dict)
    steps: Text = ""
    examples: Sequence[str] = ("Unbelievably, tokenization isn't trivial.", "lower newest widest")
    fewer_merges_reason: Text = NOTHING_LEFT


TEXTS: dict[str, AlgorithmTexts] = {
    id: AlgorithmTexts(**record) for id, record in localized(files(__package__), "algorithms.toml").items()
}


def algorithm_names() -> dict[str, str]:
    """The name of each algorithm, in the reader's language."""
    return {id: str(TEXTS[id].name) for id in ALGORITHMS}


def caption_of(id: str, model: Model) -> str:
    """The caption of an algorithm for a model."""
    texts = TEXTS[id]
    if isinstance(model, MaximumProbability):
        return str(texts.captions["without-hmm" if model.hmm is None else "with-hmm"])
    if isinstance(model, ScoredBPE):
        return str(texts.captions["scores"])
    if id == "bpe":
        characters = isinstance(model, BPE) and not model.byte_level
        ended = characters and isinstance(model, BPE) and model.end_of_word_suffix
        return str(texts.captions["ended-words" if ended else "characters" if characters else "bytes"])
    return str(texts.caption)


def leading_algorithms(ids: Sequence[str]) -> list[str]:
    """The first algorithm of each kind of vocabulary: `fmm` also represents the others that use a dictionary."""
    leading: dict[str, str] = {}
    for id in ids:
        leading.setdefault(ALGORITHMS[id].vocabulary_kind, id)
    return list(leading.values())


def in_groups(ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """The algorithms in two groups: those that split into subwords, and those that find words."""
    words = list(filter(core.finds_words, ids))
    return [id for id in ids if id not in words], words


def joined_names(id: str) -> str:
    """The names of all algorithms that share vocabularies with this one: `FMM, BMM, Bidirectional, Max probability`."""
    names = algorithm_names()
    return join_list(names[each] for each in (id, *core.sharing_vocabularies(id)))


def choice_of_names() -> str:
    """The names of the offered algorithms: `FMM, BMM, …, WordPiece or Unigram`."""
    names = algorithm_names()
    *others, last = [names[id] for id in offered_algorithms()]
    return _("%(others)s or %(last)s", others=join_list(others), last=last)


def inference_title(id: str) -> str:
    """The title of an inference."""
    return {
        "own": _("Own rule"),
        "longest": _("Longest match"),
        "fewest": _("Fewest tokens"),
        "dropout": _("BPE-dropout"),
        "sample": _("Sample"),
    }[id]


def how_it_works(id: str) -> str:
    """What an inference does, in a sentence."""
    return {
        "own": _("The rule that the vocabulary was trained for; the only one that gives the tokens a model expects."),
        "longest": _("At each position, from the left, the longest piece that fits."),
        "fewest": _("A shortest path: the fewest pieces; among equals, the longest piece first, from the left."),
        "dropout": _("At each step every possible merge is dropped with a probability, each on its own."),
        "sample": _("A segmentation is drawn at random; alpha makes the probabilities more equal or less."),
    }[id]


def choice_title(choice: core.Choice) -> str:
    """The label of an option with several values."""
    return {
        "mode": _("Words listed"),
        "order": _("Words in an n-gram"),
        "smoothing": _("Smoothing"),
        "ties": _("Equally frequent pairs"),
    }[choice.name]


OPTION_TITLES = {
    "runs": _l("Keep Latin words and numbers whole"),
    "special": _l("Recognize special tokens such as <|endoftext|>"),
    "template": _l("Add the vocabulary’s special tokens around the text"),
    "lowercase": _l("Convert to lower case first"),
    "hmm": _l("Find unknown words with an HMM"),
}
VALUE_TITLES = {
    "mode": (_l("of the segmentation"), _l("all words, overlapping"), _l("for a search index")),
    "order": (_l("1, unigrams"), _l("2, bigrams"), _l("3, trigrams")),
    "smoothing": (
        _l("Add one (Laplace)"),
        _l("Jelinek–Mercer"),
        _l("Absolute discounting"),
        _l("Interpolated Kneser–Ney"),
    ),
    "ties": (
        _l("First seen"),
        _l("Lexicographically greater (CS336)"),
        _l("Lexicographically smaller"),
        _l("Lower ids (tokenizers)"),
        _l("Longest piece"),
    ),
}
TIE_TITLES = tuple(zip(TIE_RULES, VALUE_TITLES["ties"], strict=True))


def options(state: State) -> list[tuple[str, bool, str, str]]:
    """The checkboxes: field, whether it is checked, label, and the CSS class that shows it where it applies."""
    return [(name, getattr(state, name), str(title), f"for-{name}") for name, title in OPTION_TITLES.items()]


@dataclass(frozen=True)
class ChoiceField:
    """An option with several values as a field: `values` has each value and its title, `groups` is the CSS class."""

    name: str
    title: str
    values: Sequence[tuple[str, str]]
    chosen: str
    groups: str


def choice_fields(state: State) -> list[ChoiceField]:
    """The options with several values, with the CSS class that shows each where it applies."""
    return [
        ChoiceField(
            choice.name,
            choice_title(choice),
            list(zip(choice.values, map(str, VALUE_TITLES[choice.name]), strict=True)),
            getattr(state, choice.name),
            f"for-{choice.name}",
        )
        for choice in CHOICES
    ]


def ambiguity_name(kind: Kind) -> str:
    """The name of a kind of ambiguity, with the Chinese term that courses use."""
    return _("Overlapping ambiguity (交集型)") if kind == "overlapping" else _("Combinational ambiguity (组合型)")

"""The texts that pages show for each algorithm: one record each, under its id in `webapp.core.algorithms`.

Texts are translated when a page shows them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
from webapp.tokenization.state import State
from webapp.vocabularies import offered_algorithms
from webapp.web.localization import join_list

Text = str | LazyString


CHINESE = ("研究生命科学的人", "结婚的和尚未结婚的", "南京市长江大桥")
ENGLISH = ("Unbelievably, tokenization isn't trivial.", "lower newest widest")
DIFFERING = "The widest birds disliked coloured cats."
"""With the shipped vocabulary, merging and "longest piece first" differ on most of its words."""
UNKNOWN = "unaffable ☃man"
NOTHING_LEFT = _l("No pair is left to merge.")


@dataclass(frozen=True)
class AlgorithmTexts:
    """The texts of an algorithm.

    `name` is its name, `caption` one or two sentences on what it does, which may depend on the model. `steps` says
    what its steps show, and `examples` are example texts, the first of which is the initial one. `fewer_merges_reason`
    says why training made fewer merges than requested.
    """

    name: Text
    caption: Text | Callable[[Model], Text]
    steps: Text = ""
    examples: Sequence[str] = ENGLISH
    fewer_merges_reason: Text = NOTHING_LEFT


_WINDOW = _l(
    "The window on the text, each length that it tries, and the word that it takes; where the two directions differ, "
    "both results and the choice of the bidirectional rule."
)


def _probability(model: Model) -> LazyString:
    """The caption of maximum probability, with or without the HMM."""
    if isinstance(model, MaximumProbability) and model.hmm is None:
        return _l(
            "Maximum probability multiplies the probabilities of a path’s words, their frequencies in the dictionary "
            "divided by the total, and takes the most probable path, as jieba does without its HMM."
        )
    return _l(
        "Maximum probability takes the path whose words have the highest product of probabilities, frequency divided "
        "by total; a hidden Markov model (HMM) then finds words in what is left as single characters, as in jieba."
    )


def _bpe(model: Model) -> LazyString:
    """The caption of BPE for a model: with scores, over characters, or over bytes."""
    if isinstance(model, ScoredBPE):
        return _l(
            "Byte-pair encoding as in SentencePiece starts with characters and repeatedly merges the two neighbours "
            "whose piece has the highest score; a character without a piece is split into its bytes, or is unknown."
        )
    if isinstance(model, BPE) and not model.byte_level:
        if not model.end_of_word_suffix:
            return _l("Byte-pair encoding starts with single characters and merges pairs in the order of training.")
        return _l(
            "Byte-pair encoding starts with single characters, the last of each word marked </w>, and merges pairs in "
            "the order of training."
        )
    return _l(
        "Byte-level byte-pair encoding starts with bytes and merges pairs in the order of training; since every byte "
        "is in the vocabulary, there are no unknown tokens."
    )


TEXTS: dict[str, AlgorithmTexts] = {
    "fmm": AlgorithmTexts(
        "FMM",
        _l(
            "Forward maximum matching reads from the left and takes the longest dictionary word at each position; a "
            "character that starts no word is a token of its own, out of vocabulary."
        ),
        steps=_WINDOW,
        examples=CHINESE,
    ),
    "bmm": AlgorithmTexts(
        "BMM",
        _l(
            "Backward maximum matching reads from the right and takes the longest dictionary word that ends at each "
            "position; a character that ends no word is a token of its own, out of vocabulary."
        ),
        steps=_WINDOW,
        examples=CHINESE,
    ),
    "bidirectional": AlgorithmTexts(
        _l("Bidirectional"),
        _l(
            "Bidirectional maximum matching reads in both directions and chooses the result with fewer words; if both "
            "have as many, the one with fewer single characters; if these are equal too, that of BMM."
        ),
        steps=_WINDOW,
        examples=CHINESE,
    ),
    "max-probability": AlgorithmTexts(
        _l("Max probability"),
        _probability,
        steps=_l(
            "Every word of the dictionary as an arc with its frequency and probability, the sums from the right, the "
            "most probable path, and the table of the HMM for each run of unknown characters."
        ),
        examples=(*CHINESE, "他来到了网易杭研大厦"),
    ),
    "ngram": AlgorithmTexts(
        _l("N-gram"),
        _l(
            "An n-gram model knows how often words follow each other; of all ways to divide a sentence into words, it "
            "takes the one with the highest product of probabilities. Smoothing gives unseen pairs a probability too."
        ),
        steps=_l(
            "The lattice of words, the probability of each after the words before it and what each order contributes, "
            "the table filled from left to right, and the next best segmentations."
        ),
        examples=("人生如梦境", *CHINESE),
    ),
    "bpe": AlgorithmTexts(
        "BPE",
        _bpe,
        steps=_l(
            "The row of symbols, all neighbouring pairs with their ranks or scores, the pair that is merged next, and "
            "the merge tree of each word."
        ),
        examples=(*ENGLISH, DIFFERING),
    ),
    "wordpiece": AlgorithmTexts(
        "WordPiece",
        _l(
            "WordPiece splits at spaces and punctuation, then takes the longest piece from the left of each word; "
            "pieces inside a word start with ##, and a word that pieces cannot cover becomes [UNK]."
        ),
        steps=_l(
            "The longest piece from the left of each word, the mark of pieces inside a word, and words that become "
            "unknown because a piece is missing."
        ),
        examples=(ENGLISH[0], UNKNOWN),
        fewer_merges_reason=_l("No other pair occurs at least twice."),
    ),
    "unigram": AlgorithmTexts(
        "Unigram",
        _l(
            "Unigram considers all ways to split the text into pieces and chooses the most likely one; ▁ stands for a "
            "space before a word."
        ),
        steps=_l(
            "Every matching piece as an arc of a lattice, the table filled from left to right, the most likely path, "
            "and the next best ones."
        ),
        examples=ENGLISH,
    ),
    "picky-bpe": AlgorithmTexts(
        "PickyBPE",
        _l("Tokenscope no longer supports PickyBPE. Results that were shared with it can still be opened."),
    ),
    "words": AlgorithmTexts(
        _l("Whole words"),
        _l("Every word or every character is looked up as a whole; text that is not in the vocabulary is unknown."),
    ),
}


def algorithm_names() -> dict[str, str]:
    """The name of each algorithm, in the reader's language."""
    return {id: str(TEXTS[id].name) for id in ALGORITHMS}


def caption_of(id: str, model: Model) -> str:
    """The caption of an algorithm for a model."""
    caption = TEXTS[id].caption
    return str(caption(model) if callable(caption) else caption)


def leading_algorithms(ids: Sequence[str]) -> list[str]:
    """The first algorithm of each kind of vocabulary: `fmm` also represents the others that use a dictionary."""
    leading: dict[str, str] = {}
    for id in ids:
        leading.setdefault(ALGORITHMS[id].vocabulary_kind, id)
    return list(leading.values())


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
    titles = {"mode": _("Words listed"), "order": _("Words in an n-gram"), "smoothing": _("Smoothing")}
    return titles[choice.name]


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
}


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
    names: dict[Kind, str] = {
        "overlapping": _("Overlapping ambiguity (交集型)"),
        "combinational": _("Combinational ambiguity (组合型)"),
    }
    return names[kind]

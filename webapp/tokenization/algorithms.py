"""What the pages say about each algorithm: one record each, under the id that it has in `webapp.core.algorithms`.

Sentences are translated when they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core import algorithms as core
from webapp.core.algorithms import ALGORITHMS, Algorithm
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.vocabularies import offered_algorithms
from webapp.web.localization import current_key

Text = str | LazyString


CHINESE = ("研究生命科学的人", "结婚的和尚未结婚的", "南京市长江大桥")
ENGLISH = ("Unbelievably, tokenization isn't trivial.", "lower newest widest")
PARTING = "The widest pages have coloured tables."
"""With the vocabulary that ships, merging and the longest piece first part on most of its words."""
UNKNOWN = "unaffable ☃man"
NOTHING_LEFT = _l("No pair is left to merge.")


@dataclass(frozen=True)
class AlgorithmTexts:
    """The words of an algorithm.

    `name` is what it is called, `caption` one or two sentences on what it does, which may go by the model. `heading`
    stands over its vocabularies where the name is not enough; `steps` says what its steps show, and `examples` are
    texts to follow, the first to begin with. `exhausted` says why training ended with fewer merges than asked for.
    """

    name: Text
    caption: Text | Callable[[Model], Text]
    heading: Text = ""
    steps: Text = ""
    examples: Sequence[str] = ENGLISH
    exhausted: Text = NOTHING_LEFT
    lesson: str = ""  # the page of the course that is about it


_DICTIONARIES = _l("Dictionaries, for FMM and BMM")
_WINDOW = _l(
    "The window on the text, each length that is tried, and the word that is taken; both directions one above "
    "the other, where they differ, and which of them the bidirectional rule takes."
)


def _bpe(model: Model) -> LazyString:
    """What BPE does with a model: with scores, over characters, or over bytes."""
    if isinstance(model, ScoredBPE):
        return _l(
            "Byte-pair encoding as SentencePiece does it begins with characters and joins, again and again, the two "
            "neighbours whose piece scores highest; a character that is no piece falls into its bytes, or is unknown."
        )
    if isinstance(model, BPE) and not model.byte_level:
        if not model.end_of_word_suffix:
            return _l(
                "Byte-pair encoding begins with single characters and joins pairs in the order in which the merges "
                "were learned."
            )
        return _l(
            "Byte-pair encoding begins with single characters, the last of each word marked </w>, and joins pairs in "
            "the order in which the merges were learned."
        )
    return _l(
        "Byte-level byte-pair encoding begins with bytes and joins pairs in the order in which the merges were "
        "learned; since every byte is in the vocabulary, nothing is ever unknown."
    )


TEXTS: dict[str, AlgorithmTexts] = {
    "fmm": AlgorithmTexts(
        "FMM",
        _l(
            "Forward maximum matching reads from the left: at each place it takes the longest word of the "
            "dictionary; a character that begins none stands alone, out of vocabulary."
        ),
        heading=_DICTIONARIES,
        steps=_WINDOW,
        examples=CHINESE,
        lesson="dictionary",
    ),
    "bmm": AlgorithmTexts(
        "BMM",
        _l(
            "Backward maximum matching reads from the right: at each place it takes the longest word of the "
            "dictionary that ends there; a character that ends none stands alone, out of vocabulary."
        ),
        heading=_DICTIONARIES,
        steps=_WINDOW,
        examples=CHINESE,
        lesson="dictionary",
    ),
    "bpe": AlgorithmTexts(
        "BPE",
        _bpe,
        steps=_l(
            "The symbols in a row, all pairs of neighbours with their ranks or scores, the pair that is merged next, "
            "and the tree of merges that each word ends in."
        ),
        examples=(*ENGLISH, PARTING),
        lesson="bpe",
    ),
    "wordpiece": AlgorithmTexts(
        "WordPiece",
        _l(
            "WordPiece splits at spaces and punctuation, then takes the longest piece from the left of each word; "
            "what continues a word is marked ##, and a word that cannot be covered becomes [UNK]."
        ),
        steps=_l(
            "The longest piece from the left of each word, the mark for what continues one, and the word that becomes "
            "unknown because a piece is missing."
        ),
        examples=(ENGLISH[0], UNKNOWN),
        exhausted=_l("No other pair occurs at least twice."),
        lesson="wordpiece",
    ),
    "unigram": AlgorithmTexts(
        "Unigram",
        _l(
            "Unigram weighs all ways to cut the text into pieces and keeps the likeliest; ▁ stands for a space "
            "before a word."
        ),
        steps=_l(
            "Every piece that fits as an arc of a lattice, the table that is filled from left to right, the likeliest "
            "way through, and the ways behind it."
        ),
        examples=ENGLISH,
        lesson="unigram",
    ),
    "words": AlgorithmTexts(
        _l("Whole words"),
        _l("Every word, or every character, is looked up as a whole; what is not in the vocabulary is unknown."),
    ),
}


def algorithm_names() -> dict[str, str]:
    """What each algorithm is called, in the reader's language."""
    return {id: str(TEXTS[id].name) for id in ALGORITHMS}


def heading_of(id: str) -> str:
    """What stands over the vocabularies of an algorithm."""
    return str(TEXTS[id].heading or TEXTS[id].name)


def caption_of(id: str, model: Model) -> str:
    """What an algorithm does with a model."""
    caption = TEXTS[id].caption
    return str(caption(model) if callable(caption) else caption)


def leading_algorithms(ids: Sequence[str]) -> list[str]:
    """The first algorithm of each kind of vocabulary: `fmm` stands for `bmm` too."""
    leading: dict[str, str] = {}
    for id in ids:
        leading.setdefault(ALGORITHMS[id].vocabulary_kind, id)
    return list(leading.values())


def joined_names(id: str) -> str:
    """The names of all algorithms that share vocabularies with this one: `FMM, BMM`."""
    names = algorithm_names()
    return ", ".join(names[each] for each in (id, *core.sharing_vocabularies(id)))


def choice_of_names() -> str:
    """The algorithms that the site offers as a choice: `FMM, BMM, BPE, WordPiece or Unigram`."""
    names = algorithm_names()
    *others, last = [names[id] for id in offered_algorithms()]
    return _("%(others)s or %(last)s", others=("、" if current_key() == "zh" else ", ").join(others), last=last)


@contextmanager
def registered(algorithm: Algorithm, texts: AlgorithmTexts) -> Iterator[None]:
    """Register an algorithm and its words for as long as the context lasts."""
    with core.registered(algorithm):
        TEXTS[algorithm.id] = texts
        try:
            yield
        finally:
            del TEXTS[algorithm.id]

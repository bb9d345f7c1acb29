"""The probability of a token after the tokens before it, where an n-gram model made them."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from flask_babel import gettext as _

from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import START
from webapp.core.text.sentences import sentence_spans
from webapp.rendering.markup import shown_piece
from webapp.tokenization.result import Result

LONGEST_SENTENCE = 2_000  # characters before a token in which its sentence is looked for


@dataclass(frozen=True)
class WordProbability:
    """The probability of a word after its context, as text: a dash for the context of a unigram."""

    context: str
    probability: float


def word_probability(result: Result, index: int) -> WordProbability | None:
    """The probability of token `index` after the words before it in its sentence.

    None for other models, and for white space and special tokens, which have none.
    """
    model, encoding = result.tokenizer.model, result.encoding
    if not isinstance(model, NGram) or index in encoding.special:
        return None
    word = encoding.text[encoding.starts[index] : encoding.ends[index]]
    if not word.strip():
        return None
    before: list[str] = []
    start = _sentence_start(encoding.text, encoding.starts[index])
    at = index - 1
    while at >= 0 and encoding.starts[at] >= start and len(before) < model.order - 1:
        other = encoding.text[encoding.starts[at] : encoding.ends[at]]
        if other.strip():
            before.insert(0, other)
        at -= 1
    if len(before) < model.order - 1:
        before.insert(0, START)
    shown = " ".join(_("the beginning") if one is START else shown_piece(one) for one in before)
    return WordProbability(shown or "–", exp(model.score(word, before)))


def _sentence_start(text: str, position: int) -> int:
    """Where the sentence begins that contains a position; far into a long one, some characters before."""
    first = max(0, position - LONGEST_SENTENCE)
    spans = sentence_spans(text[first : position + 1])
    return first + max((start for start, _end in spans), default=0)

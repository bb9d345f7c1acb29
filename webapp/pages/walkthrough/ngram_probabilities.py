"""Where the probability of a word after others comes from: the counts and the parts of each order, as formulas."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log10

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START, UNKNOWN
from webapp.core.models.ngram_probabilities import Contribution
from webapp.core.models.smoothing import AddK, JelinekMercer, KneserNey, Smoothing, estimates_of
from webapp.core.traces.ngram import WordCandidate
from webapp.pages.walkthrough.cells import power
from webapp.pages.walkthrough.engine import say
from webapp.rendering.markup import shown_piece
from webapp.web.localization import number

SMOOTHING_NAMES: Mapping[str, LazyString] = {
    "add-one": _l("Add-one (Laplace) smoothing"),
    "jelinek-mercer": _l("Jelinek–Mercer interpolation"),
    "absolute-discounting": _l("Absolute discounting"),
    "kneser-ney": _l("Interpolated Kneser–Ney smoothing"),
}
BY_HAND_NAMES: Mapping[str, LazyString] = {
    "unsmoothed": _l("No smoothing"),
    "add-one-marks": _l("Add-one (Laplace) smoothing, the beginning in V"),
}
MOST_LETTERS = 8  # of an unknown word whose probabilities are listed
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class OriginLine:
    """What one order adds to a probability: the `term`, its weight times its share as a formula, and their product."""

    title: str
    count: str
    term: str
    product: str
    bar: float  # percent of the probability


@dataclass(frozen=True)
class Origin:
    """A probability, its formula with the numbers, and the part of each order, the highest first."""

    word: str
    context: str
    method: str
    formula: str
    probability: str
    whole: str  # the sum of the products, without the spelling of an unknown word
    lines: Sequence[OriginLine]
    notes: Sequence[str]


def smoothing_name(smoothing: Smoothing) -> str:
    """The name of a smoothing in the reader's language."""
    return str({**SMOOTHING_NAMES, **BY_HAND_NAMES}[smoothing.name])


def word_text(word: str) -> str:
    """A word, or a name for the beginning or the end of a sentence."""
    if word is START:
        return _("the beginning")
    if word is UNKNOWN:
        return _("an unknown word")
    return _("the end") if word is END else shown_piece(word)


def context_text(context: Sequence[str]) -> str:
    """The words of a context; a dash if there are none."""
    return " ".join(map(word_text, context)) or "–"


def short_probability(model: NGram, candidate: WordCandidate) -> str:
    """The probability of a candidate for a picture: a fraction with add-one smoothing, or else a number."""
    if isinstance(model.smoothing, AddK) and not model.further_score(candidate.word):
        part = model.contributions(candidate.word, candidate.context)[0]
        total = part.total + model.smoothing.k * model.vocabulary_size
        if 0 < total < 1_000:
            return f"{_plain(part.count + model.smoothing.k)}/{_plain(total)}"
    value = exp(candidate.score)
    return f"{value:.3f}" if value >= 0.001 or not value else f"{value:.1e}".replace("e-0", "e−").replace("e-", "e−")


def probability_text(value: float) -> str:
    """A probability with about three significant digits.

    >>> probability_text(0.33333), probability_text(0.0001234)
    ('0.333', '0.00012')
    """
    if value >= 0.01:
        return f"{value:.3f}"
    return f"{value:.5f}" if value >= 0.0001 else power(log10(value)) if value else "0"


def origin_of(model: NGram, word: str, context: Sequence[str]) -> Origin:
    """Where the probability of a word after others comes from."""
    parts = model.contributions(word, context)
    if isinstance(model.smoothing, AddK):  # one fraction, as courses write it: (c + 1) / (n + V)
        parts = [replace(parts[0], share=model.probability(word, context), weight=1.0)]
    greatest = max((part.probability for part in parts), default=0.0) or 1.0
    spelling = exp(model.further_score(word))
    formula = " + ".join(_term(model, part, word) for part in parts if part.probability or len(parts) == 1)
    if spelling < 1:
        formula = _("%(formula)s, times the spelling %(probability)s", formula=formula, probability=_shown(spelling))
    return Origin(
        word=word_text(word),
        context=context_text(context[len(context) - len(parts[0].context) :]),
        method=smoothing_name(model.smoothing),
        formula=formula,
        probability=probability_text(exp(model.score(word, context))),
        whole=_shown(sum(part.probability for part in parts)),
        lines=[
            OriginLine(
                title=_title(model, part),
                count=f"{number(part.count)} / {number(part.total)}" if part.order else "–",
                term=_term(model, part, word),
                product=_shown(part.probability),
                bar=round(100 * part.probability / greatest, 2),
            )
            for part in parts
        ],
        notes=_notes(model, word, parts),
    )


def parameters_of(model: NGram) -> list[tuple[str, str]]:
    """The parameters of a model's smoothing: the value with the numbers that it comes from, and what it does."""
    smoothing, counts = model.smoothing, model.counts
    about = _("The number of different words, and the end of a sentence.")
    if model.vocabulary_size > len(counts.words) + 1:
        about = _("The number of different words, the end of a sentence and the unknown word.")
    size = f"V = {number(model.vocabulary_size)}", about
    if isinstance(smoothing, AddK):
        if not smoothing.k:
            return []
        if smoothing.counts_start:
            size = size[0], _("The number of different words, and the beginning and the end of a sentence.")
        return [(f"k = {_plain(smoothing.k)}", _("Added to every count, so that none is 0.")), size]
    estimates = estimates_of(counts)
    found: list[tuple[str, str]] = []
    for order in range(model.order, 0, -1):
        if isinstance(smoothing, JelinekMercer):
            about = _("The weight of order %(order)s; the rest goes to the order below.", order=order)
            symbol = f"λ{order}".translate(_SUBSCRIPTS)
            found.append((f"{symbol} = {smoothing.weights[order - 1]:.3f}", about))
            continue
        continued = isinstance(smoothing, KneserNey) and order < model.order
        once, twice = (estimates.continuations if continued else estimates.once_and_twice)[order - 1]
        discount = smoothing.discounts[order - 1]
        value = f"{once} / ({once} + 2 · {twice}) = {discount:.3f}" if once and twice else f"{discount:.3f}"
        about = (
            _("Subtracted from the number of different words before, in order %(order)s.", order=order)
            if continued
            else _("Subtracted from each count of order %(order)s.", order=order)
        )
        symbol = f"D{order}".translate(_SUBSCRIPTS)
        found.append((f"{symbol} = {value}", about))
    return [*found, size]


def smoothing_sentence(model: NGram) -> str:
    """How the smoothing of a model computes a probability."""
    return say("ngram", "smoothing", name=model.smoothing.name)


def _term(model: NGram, part: Contribution, word: str) -> str:
    share = _share(model, part, word)
    return share if part.weight == 1 or not part.share else f"{_shown(part.weight)} · {share}"


def _share(model: NGram, part: Contribution, word: str) -> str:
    """The share of an order with its numbers: the count, less its discount, divided by the count of the context."""
    smoothing = model.smoothing
    if not part.order:
        return f"1/{number(model.vocabulary_size)}" if model.base is None else _frequency(model, word, part.share)
    count, total = _plain(part.count), _plain(part.total)
    if isinstance(smoothing, AddK) and not smoothing.k:
        return f"{count} / {total}"
    if not part.share:
        return "0"
    if isinstance(smoothing, AddK):
        return f"({count} + {_plain(smoothing.k)}) / ({total} + {_plain(smoothing.k * model.vocabulary_size)})"
    if isinstance(smoothing, JelinekMercer):
        return f"{smoothing.weights[part.order - 1]:.2f} · {count}/{total}"
    return f"({count} − {smoothing.discounts[part.order - 1]:.2f})/{total}"


def _frequency(model: NGram, word: str, share: float) -> str:
    """The share of order 0 from a dictionary's frequencies, one added to each."""
    assert model.base is not None
    place = model.counts.number(word)
    frequency = model.base[place] if place < len(model.base) else 0
    return f"({number(frequency)} + 1)/{number(round((frequency + 1) / share))}"


def _title(model: NGram, part: Contribution) -> str:
    if not part.order:
        return _("every word alike") if model.base is None else _("dictionary")
    titles = {1: _("single words"), 2: _("pairs"), 3: _("triples")}
    return titles[part.order]


def _notes(model: NGram, word: str, parts: Sequence[Contribution]) -> list[str]:
    """What the numbers do not say by themselves."""
    notes = []
    highest = parts[0]
    if isinstance(model.smoothing, AddK) and model.smoothing.k:
        size, about = parameters_of(model)[-1]
        notes.append(_("%(title)s: %(sentence)s", title=size, sentence=about))
    elif highest.context and not highest.total:
        context = context_text(highest.context)
        notes.append(_("“%(context)s” was never counted, so the order below decides alone.", context=context))
    if any(part.continuation for part in parts):
        notes.append(_("The lower orders count the different words before, as Kneser and Ney do."))
    if model.further_score(word):
        notes.append(spelling_sentence(model, word))
    elif word is not END and model.counts.number(word) == model.counts.unknown:
        notes.append(_("“%(word)s” is not a word of the vocabulary: it was never counted.", word=word_text(word)))
    return notes


def spelling_sentence(model: NGram, word: str) -> str:
    """The character model's numbers for an unknown word."""
    spelling = model.characters
    assert spelling is not None
    factors = [probability_text((1 - spelling.longer) * spelling.longer ** (len(word) - 1))]
    factors += [_shown(spelling.probability(letter) / (1 - spelling.longer)) for letter in word[:MOST_LETTERS]]
    return _(
        "“%(word)s” is not a word of the vocabulary: it has the probability of an unknown word, times that of its "
        "spelling, length × characters: %(factors)s = %(probability)s.",
        word=word_text(word),
        factors=" · ".join(factors) + (" · …" if len(word) > MOST_LETTERS else ""),
        probability=_shown(exp(model.further_score(word))),
    )


def _shown(value: float) -> str:
    return f"{value:g}" if value in (0, 1) else probability_text(value)


def _plain(value: float) -> str:
    return number(value, 0 if value == int(value) else 2)

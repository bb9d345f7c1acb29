"""Word n-grams: counted sentence by sentence, then as probabilities, then the best segmentation of a text."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise

from flask_babel import gettext as _
from flask_babel import ngettext, pgettext

from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START
from webapp.core.trainers.ngram import segmented, train
from webapp.core.vocabulary_error import VocabularyError
from webapp.pages.training import tables
from webapp.pages.training.request import TrainingRequest
from webapp.pages.walkthrough import ngram_probabilities
from webapp.pages.walkthrough.cells import StepCell, cell, quotable
from webapp.pages.walkthrough.engine import Frame, say
from webapp.pages.walkthrough.ngrams import NGramPositions, end_sentence, ended
from webapp.rendering.pictures.figure import Symbol
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import translated
from webapp.web.json_responses import well_formed
from webapp.web.localization import number

TEMPLATE = "training/_ngrams.html"
MOST_STEPS = 12  # of counting; with more sentences, each step counts several
SHOWN = 40  # rows of a table
MOST_IN_MATRIX = 9  # words; more do not fit next to each other

Sentence = tuple[str, ...]
Window = tuple[str, ...]


class NGramTraining:
    """The counting of the sentences comes first, then the probabilities, each position of the text, and its words."""

    def __init__(self, wanted: TrainingRequest) -> None:
        self._text = wanted.text_to_encode
        self._order = wanted.order
        self._sentences = [tuple(sentence) for sentence in segmented(wanted.corpus)]
        if not self._sentences:
            raise InputProblem(_("The corpus has no words. Write sentences with spaces between the words."))
        self._batches = batches(self._sentences)
        try:
            counts = train(self._sentences, order=wanted.order)
        except VocabularyError as error:
            raise InputProblem(_("The corpus cannot be counted: %(problem)s.", problem=translated(error))) from None
        self._model = NGram(counts, wanted.smoothing, keep_runs=False)

    def walkthrough(self) -> tables.TrainingWalkthrough:
        """The steps, each made when it is shown."""
        return tables.TrainingWalkthrough(
            frames=[partial(self._frame, step) for step in range(len(self))],
            ids=[self._id(word) for word in self._words],
            all_rounds=self._all_positions,
        )

    def _frame(self, step: int) -> Frame:
        if step < len(self._batches):
            return self._count_frame(step)
        if step == len(self._batches):
            counts = self._model.counts
            ngrams = counts.ngrams(self._order)
            record = {
                "kind": "estimate",
                "order": self._order,
                "words": _plain(counts.words),
                "counts": [[_plain(ngram), count] for ngram, count in ngrams],
            }
            return tables.section_frame(self._estimated(), record, partial(estimate_sections, self._model))
        if step < len(self) - 1:
            return self._positions.frame(TEMPLATE, step - self._first_position)
        end = ended(TEMPLATE, [self._positions], [self._cell(word) for word in self._words])
        return replace(end, record={**end.record, "kind": "words", "words": _plain(self._words)})

    def _count_frame(self, step: int) -> Frame:
        batch = self._batches[step]
        found = [window for words in batch for window in windows(words, self._order)]
        happened = say(
            "training",
            "ngrams_counted",
            first=1 + sum(map(len, self._batches[:step])),
            batch=len(batch),
            words=quotable("/".join(batch[0])),
            order=self._order,
            ngrams=len(found),
        )
        record = {"kind": "count", "sentences": list(map(_plain, batch)), "ngrams": list(map(_plain, found))}
        return tables.section_frame(happened, record, partial(counting_sections, self._batches, step, self._order))

    def __len__(self) -> int:
        return self._first_position + len(self._positions) + 1 if self._text else self._first_position

    @property
    def _first_position(self) -> int:
        return len(self._batches) + 1

    @cached_property
    def _positions(self) -> NGramPositions:
        return NGramPositions(self._model, self._text)

    def _all_positions(self) -> tables.Table:
        """Each position: the words that end there, with their best predecessors."""
        columns = [
            tables.Column(_("Position"), 0),
            tables.Column(_("Word")),
            tables.Column(_("Previous words") if self._order > 2 else _("Previous word")),
            tables.Column(_("Probability")),
            tables.Column(_("Logarithm"), 4),
            tables.Column(_("Best sum before"), 4),
            tables.Column(_("Sum"), 4),
        ]
        rows = []
        if self._text:
            for step in range(len(self._positions)):
                for row in self._positions.rows(step):
                    one, origin = row.candidate, row.origin
                    cells = (row.end, origin.word, origin.context, origin.formula, one.score, one.before, one.total)
                    rows += [tables.Row(cells, step + self._first_position)] if row.kept else []
        sentence = end_sentence([self._positions]) if rows else self._estimated()
        return tables.Table(_("All positions"), columns, rows, hint=sentence)

    @cached_property
    def _words(self) -> list[str]:
        return self._model.words(self._text) if self._text else []

    def _id(self, word: str) -> int:
        found = self._model.id_of(word)
        return self._model.unknown_id if found is None else found

    def _cell(self, word: str) -> StepCell:
        return cell(word, "done", "" if self._model.id_of(word) is not None else "unknown", id=self._id(word))

    def _estimated(self) -> str:
        counts, order = self._model.counts, self._order
        ngrams = sum(1 for _ngram in counts.ngrams(order))
        smoothing = ngram_probabilities.smoothing_name(self._model.smoothing)
        return say(
            "training", "ngrams_estimated", words=len(counts.words), ngrams=ngrams, order=order, smoothing=smoothing
        )


def batches(sentences: Sequence[Sentence]) -> list[Sequence[Sentence]]:
    """The sentences in at most `MOST_STEPS` batches of nearly equal length.

    >>> [len(batch) for batch in batches([("a",)] * 30)]
    [2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3]
    """
    count = min(len(sentences), MOST_STEPS)
    ends = [len(sentences) * at // count for at in range(count + 1)] if count else [0]
    return [sentences[start:end] for start, end in pairwise(ends)]


def windows(sentence: Sentence, order: int) -> list[Window]:
    """The n-grams of a sentence, its end and its beginning included; the first of three has only two words.

    >>> [tuple(map(str, window)) for window in windows(("a", "b"), 3)]
    [('<s>', 'a'), ('<s>', 'a', 'b'), ('a', 'b', '</s>')]
    """
    marked = (START, *sentence, END)
    return [marked[max(0, at - order + 1) : at + 1] for at in range(1, len(marked))]


def counting_sections(found: Sequence[Sequence[Sentence]], step: int, order: int) -> tables.Sections:
    """The sentences of a step, and the counts after it: those of the step first, then the most frequent."""
    added = Counter(window for sentence in found[step] for window in windows(sentence, order))
    counts = Counter(window for batch in found[: step + 1] for sentence in batch for window in windows(sentence, order))
    ranked = sorted(counts, key=lambda window: (window not in added, -counts[window]))
    words = list(dict.fromkeys(word for batch in found[: step + 1] for sentence in batch for word in sentence))
    earlier = {word for batch in found[:step] for sentence in batch for word in sentence}
    title = ngettext("The sentence", "The sentences", len(found[step]))
    sentences = [
        tables.Pieces("" if place else title, [Symbol(ngram_probabilities.word_text(word)) for word in marked])
        for place, sentence in enumerate(found[step])
        for marked in [(START, *sentence, END) if order > 1 else (*sentence, END)]
    ]
    rows = [
        tables.Row(
            [
                *_after(order, window),
                [Symbol(ngram_probabilities.word_text(window[-1]), bool(added[window]))],
                counts[window],
                f"+{number(added[window])}" if added[window] else "–",
            ],
            kind="winner" if added[window] else "",
        )
        for window in ranked[:SHOWN]
    ]
    columns = [
        *([tables.Column(pgettext("previous words", "After"))] if order > 1 else []),
        tables.Column(_("Word"), kind="head"),
        tables.Column(_("Count"), 0),
        tables.Column(_("In this step"), 0, pictured=False),
    ]
    so_far = tables.Table(_("Counts so far"), columns, rows, notes=_more_rows(len(ranked) - len(rows)))
    more = len(words[SHOWN:])
    notes = [ngettext("and one more word", "and %(count)s more words", more, count=number(more))] if more else []
    if order > 1:
        notes.append(
            _("The end of a sentence is counted like a word. Its beginning is never predicted: words follow it.")
        )
    else:
        notes.append(_("The end of a sentence is counted like a word."))
    known = [Symbol(ngram_probabilities.word_text(word), word not in earlier) for word in words[:SHOWN]]
    return tables.Sections(
        view=[*sentences, *(_matrix(_("Counts so far"), counts, words, added, order) or [so_far])],
        side=[tables.Pieces(_("Words of the sentences"), known, notes=notes)],
        drawn=[so_far],
    )


def estimate_sections(model: NGram) -> tables.Sections:
    """The probabilities of the n-grams of the highest order, most frequent first."""
    counts = Counter({ngram: count for ngram, count in model.counts.ngrams(model.order) if ngram[-1] is not START})
    if model.order > 2:  # the first word of a sentence follows its beginning alone
        counts |= {ngram: count for ngram, count in model.counts.ngrams(2) if ngram[0] is START}
    rows = []
    for window, count in counts.most_common(SHOWN):
        origin = ngram_probabilities.origin_of(model, window[-1], window[:-1])
        word = [Symbol(ngram_probabilities.word_text(window[-1]))]
        rows.append(tables.Row([word, *_after(model.order, window), count, origin.formula, origin.probability]))
    columns = [
        tables.Column(_("Word"), kind="head"),
        *([tables.Column(pgettext("previous words", "After"))] if model.order > 1 else []),
        tables.Column(_("Count"), 0),
        tables.Column(_("Formula"), 0),
        tables.Column(_("Probability"), 0),
    ]
    table = tables.Table(_("Probabilities"), columns, rows, notes=_more_rows(len(counts) - len(rows)))
    return tables.Sections(
        view=[*_matrix(_("All counts"), counts, list(model.counts.words), Counter(), model.order), table],
        side=[
            tables.MethodSection(
                ngram_probabilities.smoothing_name(model.smoothing),
                ngram_probabilities.smoothing_sentence(model),
                ngram_probabilities.parameters_of(model),
            )
        ],
        drawn=[table],
    )


def _after(order: int, window: Window) -> list[str]:
    """The words before the last one of an n-gram, which pairs and triples have."""
    return [ngram_probabilities.context_text(window[:-1])] if order > 1 else []


def _more_rows(more: int) -> list[str]:
    return [ngettext("and one more row", "and %(count)s more rows", more, count=number(more))] if more else []


def _matrix(
    title: str, counts: Counter[Window], words: Sequence[str], added: Counter[Window], order: int
) -> list[tables.Table]:
    """How often each word follows each other word, as in textbooks; only for pairs, and if it is small enough."""
    if order != 2 or len(words) > MOST_IN_MATRIX:
        return []
    rows = []
    for before in (START, *words):
        cells = [counts[before, word] for word in (*words, END)]
        styles = {
            at: "now" if (before, word) in added else "" if counts[before, word] else "none"
            for at, word in enumerate((*words, END), 1)
        }
        rows.append(
            tables.Row(
                [ngram_probabilities.word_text(before), *cells, sum(cells)], styles={**styles, len(cells) + 1: "sum"}
            )
        )
    columns = [
        tables.Column(_("Word before, word after"), kind="head"),
        *(tables.Column(ngram_probabilities.word_text(word), 0) for word in (*words, END)),
    ]
    return [tables.Table(title, [*columns, tables.Column(pgettext("of counts", "Sum"), 0)], rows, style="count-matrix")]


def _plain(words: Sequence[object]) -> list[str]:
    return [well_formed(str(word)) for word in words]

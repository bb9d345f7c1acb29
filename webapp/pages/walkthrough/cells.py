"""A text as cells, how walkthroughs write texts and numbers, and what every walkthrough of encoding shares.

That is the input of the model, its words one by one, added tokens, the end. What the normalizer and the pre-tokenizer
make of a text is step 0 of every walkthrough, but not a decision of the algorithm: the page shows it below the steps.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import floor, inf, log10
from typing import Any, Literal
from unicodedata import bidirectional

from flask_babel import gettext as _

from webapp.core.analysis.pipeline_summary import pipeline_summary
from webapp.core.traces.pretokens import AddedFound, Pretoken, pretokens_of
from webapp.pages.walkthrough.engine import Frame, Walkthrough, say
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape, width_of
from webapp.tokenization.result import Result
from webapp.web.json_responses import well_formed
from webapp.web.localization import number, percent

_MAX_QUOTED = 48
_LEFTWARD = ("R", "AL", "AN")


@dataclass(frozen=True)
class StepCell:
    """A span of text: `kinds` are CSS classes, `id` is the token's id if the span is a token already.

    Kinds: `done` for a token, `unknown` for one out of vocabulary, `special` for a special one, `now` for the subject
    of this step, `rest` for text not reached yet, `word` for text without line breaks, `differs` for a token that the
    other method does not have.
    """

    text: str
    kinds: str
    id: int | None = None


def cell(text: str | bytes, *kinds: str, id: int | None = None) -> StepCell:
    """A cell for a span of text, with visible spaces."""
    return StepCell(shown_piece(text), " ".join(kind for kind in kinds if kind), id)


def quotable(text: str | bytes) -> str:
    """A span of text or a piece as a sentence quotes it.

    Spaces are visible, long text is shortened, right-to-left text isolated, part of a character in hexadecimal.

    >>> quotable("a b"), quotable(b"\\xe4"), quotable("שלום") == "\u2068שלום\u2069"
    ('a·b', '⟨E4⟩', True)
    """
    try:
        text = text.decode() if isinstance(text, bytes) else text
    except UnicodeDecodeError:
        return shown_piece(text)
    shown = shown_piece(text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}…")
    return f"\u2068{shown}\u2069" if any(bidirectional(character) in _LEFTWARD for character in text) else shown


def quoted(piece: str | bytes) -> str:
    """A piece in quotation marks."""
    return _("“%(text)s”", text=quotable(piece))


def direction(text: str) -> Literal["ltr", "rtl"]:
    """The direction of a text and its cells: that of its first strong character, `ltr` if it has none.

    >>> direction("1 שלום a"), direction("a שלום"), direction("")
    ('rtl', 'ltr', 'ltr')
    """
    for character in text:
        strong = bidirectional(character)
        if strong in ("L", "R", "AL"):
            return "ltr" if strong == "L" else "rtl"
    return "ltr"


def format_log_probability(value: float, digits: int = 2) -> str:
    """A log-probability or a sum of them, with a true minus sign (U+2212)."""
    if value == -inf:
        return "−∞"
    written = f"{value:.4g}" if abs(value) >= 1e7 else number(value, digits)
    return written.replace("-", "−") if written.strip("-0.,") else written.replace("-", "")


def digits_between(totals: Iterable[float], least: int) -> int:
    """How many decimals, at least `least` and at most 9, show that the highest of some sums is above the next.

    >>> digits_between([-2.0, -1.99996], 2), digits_between([-1.0], 2)
    (5, 2)
    """
    best, rival, *_lower = [*sorted(set(totals), reverse=True), None, None]
    if best is None or rival is None:
        return least
    return next((digits for digits in range(least, 9) if round(rival, digits) != round(best, digits)), 9)


def power(logarithm: float) -> str:
    """A number in scientific notation, from its decimal logarithm.

    >>> power(-4.5), power(61)
    ('3.2 × 10⁻⁵', '1.0 × 10⁶¹')
    """
    exponent = floor(logarithm)
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{10 ** (logarithm - exponent):.1f} × 10{raised}"


def percentage(probability: float) -> str:
    """A probability as a percentage, or as a power of ten if it is too small for one."""
    if probability >= 0.0005 or not probability:
        return percent(probability)
    return power(log10(probability))


# --- pictures


def segmentations_figure(
    rows: Sequence[tuple[str, Sequence[StepCell]]], *, title: str, most: float = 720, positions: bool = False
) -> Figure:
    """Several segmentations of one text, one above the other on one grid, in lines of at most about `most`.

    Each row has a name, and its tokens in reading order. Tokens that differ are framed; text of the kind `rest` has no
    box, a `gap` is left out. A line ends only where all rows have a boundary. With `positions`, those of the first row
    are numbered.
    """
    left = 24 + max(width_of(name, 15) for name, _cells in rows)
    placed = [_placed(cells) for _name, cells in rows]
    shared = sorted(set.intersection(*({end for _start, end, _cell in row} for row in placed)))
    shapes: list[Shape] = []
    y = begin = widest = 0.0
    while begin < shared[-1]:
        end = max((stop for stop in shared if stop <= begin + most), default=begin)
        if end <= begin:
            end = next(stop for stop in shared if stop > begin)
        if positions:
            edges = [begin, *(stop for _start, stop, _cell in placed[0] if begin < stop <= end)]
            shapes += [FigureLabel(left + x - begin, y + 10, number(at), "score", 11) for at, x in enumerate(edges)]
            y += 8
        for (name, _cells), row in zip(rows, placed, strict=True):
            if name:
                shapes.append(FigureLabel(0, y + 25, name, "strong", 15, "start"))
            for at, (first, last, one) in enumerate(row):
                kinds = one.kinds.split()
                if begin <= first and last <= end and "gap" not in kinds:
                    x = left + first - begin
                    box = f"k{at % 6 + 1}" + " differs" * ("differs" in kinds)
                    label = "unknown" * ("unknown" in kinds)
                    if "rest" not in kinds:
                        shapes.append(FigureBox(x + 2, y + 2, last - first - 4, 34, box, 6))
                    shapes.append(FigureLabel(x + (last - first) / 2, y + 26, one.text, label, 20))
            y += 44
        widest = max(widest, end - begin)
        y += 18
        begin = end
    return Figure("segmentation", left + widest + 4, max(y - 18, 44), tuple(shapes), title)


def words_figure(words: Sequence[tuple[str, Sequence[StepCell]]], *, title: str, most: float = 800) -> Figure | None:
    """Each word of a text above its tokens with their ids, in lines of at most about `most`; None without words."""
    if not words:
        return None
    shapes: list[Shape] = []
    x = y = widest = 0.0
    count = 0
    for text, tokens in words:
        widths = [max(width_of(token.text, 18) + 16, width_of(str(token.id), 11) + 8) for token in tokens]
        width = max(sum(widths), width_of(text, 16) + 4, 20)
        if x and x + width > most:
            x, y = 0.0, y + 112
        shapes.append(FigureLabel(x + width / 2, y + 18, text, "quiet", 16))
        shapes.append(FigurePath(f"M{x + 3:g} {y + 36:g}v-7H{x + width - 3:g}v7"))
        at = x + (width - sum(widths)) / 2
        for token, own in zip(tokens, widths, strict=True):
            shapes.append(FigureBox(at + 1, y + 40, own - 2, 30, f"k{count % 6 + 1}", 5))
            kind = "unknown" if "unknown" in token.kinds else ""
            shapes.append(FigureLabel(at + own / 2, y + 61, token.text, kind, 18))
            shapes.append(FigureLabel(at + own / 2, y + 86, "" if token.id is None else str(token.id), "id", 11))
            at += own
            count += 1
        x += width + 18
        widest = max(widest, x - 18)
    return Figure("tokens", widest, y + 92, tuple(shapes), title)


def _placed(cells: Sequence[StepCell]) -> list[tuple[float, float, StepCell]]:
    """The start and end of each token: characters are equally wide in all rows."""
    widths = [[width_of(character, 20) for character in cell.text] for cell in cells]
    ends = list(accumulate((sum(width + 8 for width in row if width) for row in widths), initial=0.0))
    return [(start, end, cell) for start, end, cell in zip(ends, ends[1:], cells, strict=False)]


# --- encoding


def pretokens(result: Result) -> list[Pretoken | AddedFound]:
    """The pre-tokens and added tokens of a result's text, in order."""
    state = result.state
    return pretokens_of(result.tokenizer, state.text, special=state.special, template=state.puts_around)


@dataclass
class WordSteps:
    """The steps of a text, word by word: words are added with their frames, and added tokens as a step of their own.

    `made` is the step of each token so far, counted from 0; `key` is what records call the number of a word. `common`
    are values that the template needs at each step.
    """

    template: str
    key: str = "word"
    common: Mapping[str, Any] = field(default_factory=dict)
    words: list[tuple[str, Sequence[StepCell]]] = field(default_factory=list)
    frames: list[Callable[[], Frame]] = field(default_factory=list)
    made: list[int] = field(default_factory=list)

    def add(
        self, text: str, tokens: Sequence[StepCell], frames: Iterable[Callable[[], Frame]], made: Iterable[int]
    ) -> None:
        """Add a word with its tokens and frames; `made` is the frame that makes each token, counted in the word."""
        self.made += [len(self.frames) + at for at in made]
        self.words.append((text, tokens))
        self.frames += frames

    def add_token(self, found: AddedFound) -> None:
        """Add an added token, which the model does not see."""
        content, id = found.token.content, found.token.id
        now = len(self.words)
        record = {"kind": "added", self.key: now, "id": id}

        def values() -> Mapping[str, Any]:
            return {**self.common, "row": self.row(now), "cells": [cell(content, "done", "special", "now", id=id)]}

        frame = Frame(self.template, added_sentence(found), record, values)
        self.add(content, [cell(content, "done", "special", id=id)], [lambda: frame], [0])

    def row(self, now: int) -> list[StepCell]:
        """The text at a step of word `now`: the tokens of finished words, this word, and the words to come."""
        row = [token for _text, tokens in self.words[:now] for token in tokens]
        return row + [cell(text, "word", "rest" if at else "now") for at, (text, _) in enumerate(self.words[now:])]

    def walkthrough(self, ids: Sequence[int], end: Callable[[], Frame]) -> Walkthrough:
        """The walkthrough with its last step."""
        return Walkthrough([*self.frames, end], ids, self.made)


def added_sentence(found: AddedFound) -> str:
    """The sentence of an added token, which the model does not see."""
    return say("preparation", "added", content=found.token.content, around=found.around)


def final_cells(result: Result) -> list[StepCell]:
    """All tokens of a result, with their ids."""
    encoding = result.encoding
    kinds = [
        "unknown" if index in encoding.unknown else "special" if index in encoding.special else ""
        for index in range(len(encoding.ids))
    ]
    return [cell(encoding.piece(at), "done", kind, id=encoding.ids[at]) for at, kind in enumerate(kinds)]


def preparation(result: Result) -> Frame:
    """Step 0: what happened to the text before the algorithm."""
    found, text = pretokens(result), result.encoding.text
    parts = [
        (one.token.content, "special") if isinstance(one, AddedFound)
        else (one.text, "changed" if one.text != text[one.start : one.end] else "")
        for one in found
    ]  # fmt: skip
    cells = [cell(part, "pretoken", kind) for part, kind in parts]
    record = {
        "kind": "pretokens",
        "pretokens": [
            {"text": well_formed(part), "start": one.start, "end": one.end, "added": isinstance(one, AddedFound)}
            for one, (part, _kind) in zip(found, parts, strict=True)
        ],
    }
    kinds = {kind for _part, kind in parts}
    normalizer, pretokenizer = result.tokenizer.normalizer, result.tokenizer.pretokenizer
    kept = {at for one in found for at in range(one.start, one.end)}
    sentence = say(
        "preparation",
        "prepared",
        summary=pipeline_summary(result.tokenizer) if found else None,
        unchanged=None if normalizer is None else normalizer.normalize(text) == text,
        pretokens=None if pretokenizer is None else sum(isinstance(one, Pretoken) for one in found),
        dropped="".join(character for at, character in enumerate(text) if at not in kept),
    )
    values = {
        "sentence": sentence,
        "original": [] if [one.text for one in cells] == [shown_piece(text)] else [cell(text, "typed")],
        "pretokens": cells,
        "changed": "changed" in kinds,
        "added": "special" in kinds,
    }
    return Frame("walkthrough/_preparation.html", sentence, record, lambda: values)

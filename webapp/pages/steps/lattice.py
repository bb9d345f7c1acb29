"""Unigram: the lattice of each pre-token, its Viterbi table filled left to right, and the best path traced back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.traces.lattice import Arc, Lattice, LatticeModel, lattice_of, tokens_of
from webapp.core.traces.pretokens import AddedFound, Pretoken
from webapp.core.traces.viterbi import ViterbiColumn, back, fill
from webapp.pages.steps.lattice_drawing import LatticeDrawing, best_path, draw, shown_text
from webapp.pages.steps.lattice_messages import (
    added_token_sentence,
    alt_text,
    column_sentence,
    digits_of,
    lattice_sentence,
    legend,
    single_character_sentence,
    traceback_sentence,
)
from webapp.pages.steps.segmentations import (
    LIMITS,
    MAX_SEED,
    AlternativesRequest,
    SegmentationAlternatives,
    alternatives,
    alternatives_json,
    alternatives_request_of,
    count_sentence,
)
from webapp.pages.walkthrough.cells import StepCell, cell, final_cells
from webapp.pages.walkthrough.figures import format_log_probability
from webapp.pages.walkthrough.preparation import pretokens
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result
from webapp.web.localization import number

MAX_ARCS = 10_000
"""The limit for all pre-tokens of a text; a normalizer can make a text many times longer, and pieces overlap."""
MAX_FINAL_ARCS = 500
"""The last step draws the lattices of as many pre-tokens as have at most so many arcs, and at least one."""


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of Unigram on the pre-tokens of a result.

    Raises NoStepsError for an invalid `n`, `temperature` or `seed`, and for a lattice that is too large.
    """
    model = result.tokenizer.model
    if not isinstance(model, Unigram | SentencePieceUnigram):
        raise NoStepsError(_("This vocabulary has no steps to show."), instead=True)
    found = pretokens(result)
    arcs = chain.from_iterable(model.arcs(one.text) for one in found if isinstance(one, Pretoken))
    if next(islice(arcs, MAX_ARCS, None), None) is not None:
        message = _(
            "The lattice of this text has more than %(most)s arcs with this vocabulary. Shorten the text.",
            most=number(MAX_ARCS),
        )
        raise NoStepsError(message, 413)
    return _LatticeWalkthrough(result, model, found, alternatives_request_of(options))


@dataclass(frozen=True)
class _Word:
    """A pre-token with its lattice and its complete Viterbi table."""

    text: str
    lattice: Lattice
    columns: list[ViterbiColumn]
    path: tuple[Arc, ...]  # the best path, from the end to the start
    tokens: Sequence[tuple[int, int, int]]  # id, start, end


@dataclass(frozen=True)
class _Step:
    """The table of pre-token `word` is filled up to position `filled`, and `traced` arcs are traced back."""

    word: int
    filled: int
    traced: int = 0


@dataclass(frozen=True, kw_only=True)
class LatticePart:
    """The values for `steps/_lattice.html`; an added token has no drawing."""

    ended: ClassVar = False
    words: Sequence[StepCell]  # the text
    format_score: Callable[..., str]  # formats a log-probability
    shown_text: Callable[[str], str]  # formats a piece
    drawing: LatticeDrawing | None = None
    traced: bool = False  # whether the table is full, and the best path is traced back
    path: Sequence[Arc] = ()  # the best path so far, from the start
    legend: Sequence[tuple[str, str]] = ()
    column: ViterbiColumn | None = None  # the column being filled
    digits: int = 2  # decimals of its sums
    columns: Sequence[ViterbiColumn] = ()  # the table so far
    arcs: Sequence[Arc] = ()  # the arcs in the drawn range


@dataclass(frozen=True, kw_only=True)
class LatticeEndPart:
    """The values for the last step: the tokens, and other segmentations."""

    ended: ClassVar = True
    cells: Sequence[StepCell]  # the tokens
    drawings: Sequence[LatticeDrawing]  # of the pre-tokens, as long as there is room
    more_drawings: int  # how many pre-tokens are not drawn
    legend: Sequence[tuple[str, str]]
    alternatives: SegmentationAlternatives
    hidden: Sequence[tuple[str, str]]  # hidden fields of the form for other segmentations
    limits: Mapping[str, float]  # of the form's fields
    next_seed: str


class _LatticeWalkthrough:
    template = "steps/_lattice.html"

    def __init__(
        self, result: Result, model: LatticeModel, found: Sequence[Pretoken | AddedFound], choice: AlternativesRequest
    ) -> None:
        self._result = result
        self._model = model
        self._choice = choice
        self.ids: Sequence[int] = result.encoding.ids
        self._words: list[_Word | AddedFound] = []
        self._steps: list[_Step] = []
        self._firsts: list[int] = []  # for each word, the index of its first token
        token = 0
        for at, one in enumerate(found):
            word = one if isinstance(one, AddedFound) else _word(model, one)
            self._words.append(word)
            self._steps += _steps(at, word)
            self._firsts.append(token)
            token += 1 if isinstance(word, AddedFound) else len(word.tokens)
        self._numbers = {step: at for at, step in enumerate(self._steps)}

    def __len__(self) -> int:
        return len(self._steps) + 1

    def step_of(self, token: int) -> int:
        """The step that fills the column at the token's end, where its arc won."""
        at = max(at for at, first in enumerate(self._firsts) if first <= token)
        word = self._words[at]
        end = word.tokens[token - self._firsts[at]][2] if isinstance(word, _Word) else 0
        return self._numbers[_Step(at, end)]

    def sentence(self, step: int) -> str:
        if step == len(self._steps):
            return self._end()
        now = self._steps[step]
        word = self._words[now.word]
        if isinstance(word, AddedFound):
            return added_token_sentence(word)
        if now.traced:
            return traceback_sentence(word.path, now.traced)
        column = word.columns[now.filled - 1]
        if len(word.text) == 1:
            return single_character_sentence(column, falls_back=self._falls_back(column.best.arc))
        opening = lattice_sentence(word.lattice) if now.filled == 1 else ""
        return joined([opening, column_sentence(column, falls_back=self._falls_back(column.best.arc))])

    def part(self, step: int) -> LatticePart | LatticeEndPart:
        if step == len(self._steps):
            drawings = self._final_drawings()
            return LatticeEndPart(
                cells=final_cells(self._result),
                drawings=drawings,
                more_drawings=sum(isinstance(word, _Word) for word in self._words) - len(drawings),
                legend=legend(drawings, traced=True),
                alternatives=alternatives(self._lattices, self._choice),
                hidden=parse_qsl(self._result.state.query_of_algorithm(), keep_blank_values=True),
                limits=LIMITS,
                next_seed=str((self._choice.seed + 1) % (MAX_SEED + 1)),
            )
        now = self._steps[step]
        word = self._words[now.word]
        part = LatticePart(words=self._text_cells(now.word), format_score=format_log_probability, shown_text=shown_text)
        if isinstance(word, AddedFound):
            return part
        drawing = self._drawing(now, word)
        column = None if now.traced else word.columns[now.filled - 1]
        return replace(
            part,
            drawing=drawing,
            traced=bool(now.traced),
            path=_path_so_far(now, word)[::-1],
            legend=legend([drawing], traced=bool(now.traced)),
            column=column,
            digits=2 if column is None else digits_of(column),
            columns=word.columns[: now.filled],
            arcs=[arc for arc in word.lattice.arcs if drawing.first <= arc.start and arc.end <= drawing.last],
        )

    def picture(self, step: int) -> Figure | None:
        """The lattice; at the end the lattices of all pre-tokens."""
        if step == len(self._steps):
            return side_by_side([drawing.figure for drawing in self._final_drawings()], width=1600)
        now = self._steps[step]
        word = self._words[now.word]
        return self._drawing(now, word).figure if isinstance(word, _Word) else None

    def _drawing(self, now: _Step, word: _Word) -> LatticeDrawing:
        path = _path_so_far(now, word)
        here = path[-1].start if now.traced else now.filled
        return draw(word.lattice, word.columns, filled=now.filled, here=here, path=path, title=alt_text(word.text))

    def _final_drawings(self) -> list[LatticeDrawing]:
        """The whole lattices with their best paths; of a long text, those of the first pre-tokens."""
        drawings: list[LatticeDrawing] = []
        arcs = 0
        for word in self._words:
            if isinstance(word, AddedFound):
                continue
            arcs += len(word.lattice.arcs)
            if drawings and arcs > MAX_FINAL_ARCS:
                break
            end = len(word.text)
            title = alt_text(word.text)
            drawings.append(
                draw(word.lattice, word.columns, filled=end, here=None, path=word.path, whole=True, title=title)
            )
        return drawings

    def record(self, step: int) -> dict[str, Any]:
        if step == len(self._steps):
            return {"kind": "tokens", **alternatives_json(self._model, self._lattices, self._choice)}
        now = self._steps[step]
        word = self._words[now.word]
        if isinstance(word, AddedFound):
            return {"kind": "added", "pretoken": now.word, "id": word.token.id}
        if now.traced:
            arc = word.path[now.traced - 1]
            return {"kind": "followed", "pretoken": now.word, "end": arc.end, "arc": _plain(arc)}
        column = word.columns[now.filled - 1]
        return {
            "kind": "reached",
            "pretoken": now.word,
            "end": column.end,
            "candidates": [
                {**_plain(candidate.arc), "before": candidate.before, "total": candidate.total}
                for candidate in column.candidates
            ],
            "winner": column.winner,
            "reset": column.reset,
        }

    @property
    def _lattices(self) -> list[tuple[AddedFound | None, Lattice]]:
        """The lattice of each pre-token; for an added token, the token and an empty lattice."""
        return [
            (word, Lattice("", ())) if isinstance(word, AddedFound) else (None, word.lattice) for word in self._words
        ]

    def _falls_back(self, arc: Arc) -> bool:
        """Whether an arc is an unknown character that becomes bytes."""
        tokens = tokens_of(self._model, arc.text, [Arc(0, 1, arc.text, None, arc.score)]) if arc.id is None else ()
        return any(id != self._model.unknown_id for id, _start, _end in tokens)

    def _text_cells(self, now: int) -> list[StepCell]:
        """The text: the tokens of finished pre-tokens, the pre-token of this step, and those to come."""
        cells: list[StepCell] = []
        for at, word in enumerate(self._words):
            if at < now and isinstance(word, _Word):
                cells += [
                    cell(word.text[start:end], "done", "unknown" if id == self._model.unknown_id else "", id=id)
                    for id, start, end in word.tokens
                ]
            elif isinstance(word, AddedFound):
                done = ["done"] if at < now else ["now" if at == now else "rest"]
                cells.append(cell(word.token.content, "special", *done, id=word.token.id if at < now else None))
            else:
                cells.append(cell(word.text, "now" if at == now else "rest"))
        return cells

    def _end(self) -> str:
        count = len(self.ids)
        sentence = ngettext(
            "Every pre-token is done: one token.", "Every pre-token is done: %(count)s tokens.", count,
            count=number(count),
        )  # fmt: skip
        unknown = len(self._result.encoding.unknown)
        more = (
            ngettext(
                "One of them is the unknown token; adjacent unknown characters form one token.",
                "%(num)s of them are unknown tokens; adjacent unknown characters form one token.",
                unknown,
            )
            if unknown
            else ""
        )
        return joined([sentence, more, count_sentence(self._lattices)])


def _word(model: LatticeModel, found: Pretoken) -> _Word:
    lattice = lattice_of(model, found.text)
    columns = list(fill(lattice))
    path = tuple(step.arc for step in back(columns))
    return _Word(found.text, lattice, columns, path, tokens_of(model, found.text, path[::-1]))


def _steps(at: int, word: _Word | AddedFound) -> list[_Step]:
    """A step for each column, then one for each arc traced back; a single character needs no tracing back."""
    if isinstance(word, AddedFound):
        return [_Step(at, 0)]
    columns = [_Step(at, column.end) for column in word.columns]
    if len(word.text) == 1:
        return columns
    return columns + [_Step(at, len(word.text), traced) for traced in range(1, len(word.path) + 1)]


def _path_so_far(now: _Step, word: _Word) -> list[Arc]:
    """The best path to the position of a step, or as far as it is traced back; from its end."""
    return list(word.path[: now.traced]) if now.traced else best_path(word.columns, now.filled)


def _plain(arc: Arc) -> dict[str, Any]:
    return {"piece": well_formed(arc.text), "start": arc.start, "end": arc.end, "id": arc.id, "score": arc.score}

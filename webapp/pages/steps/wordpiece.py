"""WordPiece: the greedy window on each word, and words that become unknown because a piece is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.wordpiece import WordPiece
from webapp.core.traces.pretokens import AddedFound, Pretoken
from webapp.core.traces.wordpiece import WordPieceDecision, tokens_of, wordpiece_steps
from webapp.pages.steps.windows import Window, fold_middle
from webapp.pages.steps.windows_drawing import windows_figure, words_figure
from webapp.pages.walkthrough.cells import StepCell, cell, final_cells, quotable
from webapp.pages.walkthrough.preparation import pretokens
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result
from webapp.web.localization import number


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of WordPiece on the words of a result."""
    model = result.tokenizer.model
    if not isinstance(model, WordPiece):
        raise NoStepsError(_("This vocabulary has no steps to show."))
    return _WordPieceWalkthrough(result, model)


@dataclass(frozen=True)
class _Step:
    """A decision on word `word`, None for an added token; `token` is the index of the first token it leads to."""

    word: int
    token: int
    decision: WordPieceDecision | None


@dataclass(frozen=True, kw_only=True)
class WordPiecePart:
    """The values for `steps/_wordpiece.html`."""

    ended: bool  # whether this is the last step
    cells: Sequence[StepCell]  # the word, or at the end the tokens
    words: Sequence[StepCell] = ()  # the text
    windows: Sequence[Window] = ()  # the lengths that were tried
    about: str = ""  # how the window moves
    figure: Figure | None = None  # the windows; at the end the tokens
    pieces: Sequence[StepCell] = ()  # the tokens so far


class _WordPieceWalkthrough:
    template = "steps/_wordpiece.html"

    def __init__(self, result: Result, model: WordPiece) -> None:
        self._result = result
        self._model = model
        self.ids: Sequence[int] = result.encoding.ids
        self._words: list[Pretoken | AddedFound] = pretokens(result)
        self._steps: list[_Step] = []
        self._made: list[list[tuple[int, int, int]]] = []  # the tokens of each word
        token = 0
        for at, word in enumerate(self._words):
            if isinstance(word, AddedFound):
                self._steps.append(_Step(at, token, None))
                self._made.append([(word.token.id, 0, len(word.token.content))])
            else:
                decisions = list(wordpiece_steps(model, word.text))
                self._made.append(tokens_of(decisions))
                covered = all(decision.kind == "piece" for decision in decisions)
                for index, decision in enumerate(decisions):
                    self._steps.append(_Step(at, token + index if covered else token, decision))
            token += len(self._made[-1])

    def __len__(self) -> int:
        return len(self._steps) + 1

    def step_of(self, token: int) -> int:
        """The last step that led to the token; for an unknown word, the one that found no piece."""
        return max(at for at, step in enumerate(self._steps) if step.token == token)

    def sentence(self, step: int) -> str:
        if step == len(self._steps):
            return self._end()
        decision = self._steps[step].decision
        word = self._words[self._steps[step].word]
        if isinstance(word, AddedFound) or decision is None:
            return self._added(word)
        return self._decided(word.text, decision)

    def part(self, step: int) -> WordPiecePart:
        if step == len(self._steps):
            return WordPiecePart(ended=True, cells=final_cells(self._result), figure=self.picture(step))
        now = self._steps[step]
        return WordPiecePart(
            ended=False,
            words=self._text_cells(step),
            cells=self._word_cells(step),
            windows=self._windows(now),
            figure=self.picture(step),
            pieces=[one for one in (*self._text_cells(step), *self._word_cells(step)) if one.id is not None],
            about=_(
                "The window starts with the rest of the word and drops its last character until it holds a piece. "
                "Pieces inside a word start with %(prefix)s.",
                prefix=self._model.continuing_subword_prefix,
            ),
        )

    def picture(self, step: int) -> Figure | None:
        """The windows of a step; at the end each word above its tokens."""
        if step < len(self._steps):
            title = _("The windows that were tried, the longest first")
            return windows_figure(self._windows(self._steps[step]), title=title)
        return words_figure(
            [(shown_piece(_text_of(word)), self._tokens(at)) for at, word in enumerate(self._words)],
            title=_("The words and their tokens"),
        )

    def record(self, step: int) -> dict[str, Any]:
        if step == len(self._steps):
            return {"kind": "tokens"}
        now = self._steps[step]
        word = self._words[now.word]
        decision = now.decision
        if isinstance(word, AddedFound) or decision is None:
            return {"kind": "added", "word": now.word, "id": self._made[now.word][0][0]}
        return {
            "kind": decision.kind,
            "word": now.word,
            "text": well_formed(word.text),
            "start": decision.start,
            "end": decision.end,
            "id": decision.id,
            "tried": [
                {"piece": well_formed(looked.piece), "start": looked.start, "end": looked.end, "id": looked.id}
                for looked in decision.tried
            ],
        }

    def _text_cells(self, step: int) -> list[StepCell]:
        """The text: the tokens of finished words, the word of this step, and the words to come."""
        now = self._steps[step].word
        cells: list[StepCell] = []
        for at, word in enumerate(self._words):
            if at < now:
                cells += self._tokens(at)
            elif isinstance(word, AddedFound):
                cells.append(cell(word.token.content, "special", "word", "now" if at == now else "rest"))
            else:
                cells.append(cell(word.text, "word", "now" if at == now else "rest"))
        return cells

    def _tokens(self, at: int) -> list[StepCell]:
        word = self._words[at]
        if isinstance(word, AddedFound):
            return [cell(word.token.content, "done", "special", id=word.token.id)]
        return [
            cell(self._model.pieces[id], "done", "unknown" if id == self._model.unknown_id else "", id=id)
            for id, _start, _end in self._made[at]
        ]

    def _word_cells(self, step: int) -> list[StepCell]:
        """The word of this step: the pieces found so far, and the rest."""
        now = self._steps[step]
        word = self._words[now.word]
        if isinstance(word, AddedFound):
            return [cell(word.token.content, "done", "special", "now", id=word.token.id)]
        if now.decision is None:
            return []
        if now.decision.kind != "piece":
            return [cell(self._model.unknown, "done", "unknown", "now", id=now.decision.id)]
        cells = []
        for other in self._steps[: step + 1]:
            if other.word == now.word and other.decision is not None:
                kinds = ["done", "now" if other is now else ""]
                cells.append(cell(self._model.pieces[other.decision.id], *kinds, id=other.decision.id))
        rest = word.text[now.decision.end :]
        return [*cells, cell(rest, "rest")] if rest else cells

    def _windows(self, now: _Step) -> list[Window]:
        word = self._words[now.word]
        if isinstance(word, AddedFound) or now.decision is None:
            return []
        rows = [
            Window(
                length=looked.end - looked.start,
                text=shown_piece(looked.piece),
                after=shown_piece(word.text[looked.end :]),
                outcome=_("not a piece") if looked.id is None else _("a piece: taken"),
                hit=looked.id is not None,
            )
            for looked in now.decision.tried
        ]
        return fold_middle(rows)

    def _added(self, word: Pretoken | AddedFound) -> str:
        name = quotable(word.token.content if isinstance(word, AddedFound) else word.text)
        if isinstance(word, AddedFound) and word.around:
            return _(
                "%(name)s is a special token that the vocabulary adds around the text; the algorithm does not see it.",
                name=name,
            )
        return _("%(name)s is an added token: it is matched in the text as a whole and never split.", name=name)

    def _decided(self, word: str, decision: WordPieceDecision) -> str:
        shown = quotable(word)
        unknown = self._model.unknown
        if decision.kind == "too long":
            return _(
                "The word “%(word)s…” has %(count)s characters. Words of more than %(most)s are not segmented: the "
                "whole word becomes %(unknown)s.",
                word=quotable(word[:20]),
                count=number(len(word)),
                most=number(self._model.max_word_length),
                unknown=unknown,
            )
        if decision.kind == "missing":
            return self._missing(shown, word, decision)
        piece = quotable(decision.tried[-1].piece)
        if len(decision.tried) == 1 and decision.start == 0:
            return _("The whole word “%(word)s” is a piece of the vocabulary: it becomes one token.", word=shown)
        if len(decision.tried) == 1:
            return _(
                "The rest of “%(word)s” is a piece, %(piece)s: it is taken, and the word is done. %(prefix)s marks a "
                "piece that continues a word.",
                word=shown,
                piece=piece,
                prefix=self._model.continuing_subword_prefix,
            )
        misses = len(decision.tried) - 1
        taken = ngettext(
            "In “%(word)s” one longer window is not a piece. %(piece)s is the longest piece that fits here: it is "
            "taken.",
            "In “%(word)s” %(count)s longer windows are not pieces. %(piece)s is the longest piece that fits here: it "
            "is taken.",
            misses,
            word=shown,
            count=number(misses),
            piece=piece,
        )
        rest = word[decision.end :]
        if not rest:
            return taken
        remainder = _("“%(rest)s” is left.", rest=quotable(rest))
        return joined([taken, remainder])

    def _missing(self, shown: str, word: str, decision: WordPieceDecision) -> str:
        start = decision.tried[0].start
        unknown = self._model.unknown
        if start == 0:
            return _(
                "No piece matches the start of “%(word)s”, not even its first character alone: the whole word becomes "
                "%(unknown)s.",
                word=shown,
                unknown=unknown,
            )
        return _(
            "No piece matches the start of “%(rest)s”, not even its first character alone. The pieces found so far "
            "are discarded: the whole word “%(word)s” becomes %(unknown)s.",
            rest=quotable(word[start:]),
            word=shown,
            unknown=unknown,
        )

    def _end(self) -> str:
        count = len(self.ids)
        sentence = ngettext(
            "Every word is done: one token.", "Every word is done: %(count)s tokens.", count, count=number(count)
        )
        unknown = len(self._result.encoding.unknown)
        if not unknown:
            return sentence
        more = ngettext(
            "One word could not be segmented and became %(unknown)s.",
            "%(count)s words could not be segmented and became %(unknown)s.",
            unknown,
            count=number(unknown),
            unknown=self._model.unknown,
        )
        return joined([sentence, more])


def _text_of(word: Pretoken | AddedFound) -> str:
    return word.token.content if isinstance(word, AddedFound) else word.text

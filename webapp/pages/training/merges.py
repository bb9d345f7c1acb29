"""Training BPE and WordPiece: count pairs, merge the best one, rewrite the words, repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core import recipes
from webapp.core.recipes import Recipe
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces import training_bpe, training_wordpiece
from webapp.core.traces.training_wordpiece import ScoredPair
from webapp.core.traces.training_words import CorpusWord, CountedPair
from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.rounds_table import RoundColumn, RoundRow, RoundsTable
from webapp.pages.training.rows import (
    PAIRS_SHOWN,
    PairLine,
    PieceLine,
    WordLine,
    WordSymbol,
    quoted,
    read_cells,
    shown,
    symbols,
    word_line,
)
from webapp.pages.walkthrough.cells import StepCell
from webapp.serializers.json import json_piece
from webapp.tokenization.messages import joined
from webapp.web.localization import number

Round = training_bpe.BPERound[Any] | training_wordpiece.WordPieceRound
Training = training_bpe.BPETraining[Any] | training_wordpiece.WordPieceTraining


def character_bpe(asked: TrainingRequest) -> MergesWalkthrough:
    """The steps of training BPE over characters; the corpus must contain words."""
    counts = asked.word_counts(recipes.CHARACTER_BPE)
    training = training_bpe.train_characters(counts, asked.merges, suffix_apart=asked.apart)
    if asked.apart:
        spelled = _("Each is a row of characters, followed by “</w>” as a separate symbol.")
    else:
        spelled = _("Each is a row of characters; “</w>” is part of the last one.")
    return MergesWalkthrough(asked, MergesVariant(recipes.CHARACTER_BPE, spelled), training)


def byte_bpe(asked: TrainingRequest) -> MergesWalkthrough:
    """The steps of training BPE over bytes; the corpus must contain words."""
    training = training_bpe.train_bytes(asked.word_counts(recipes.BYTE_BPE), asked.merges)
    spelled = _("Each is a row of bytes in UTF-8; all 256 bytes are in the vocabulary from the start.")
    return MergesWalkthrough(asked, MergesVariant(recipes.BYTE_BPE, spelled, is_bytes=True), training)


def wordpiece(asked: TrainingRequest) -> MergesWalkthrough:
    """The steps of training WordPiece; the corpus must contain words."""
    counts = asked.word_counts(recipes.WORDPIECE)
    training = training_wordpiece.train(counts, asked.merges, minimum=asked.minimum)
    spelled = _("Each is a row of characters; “##” marks those that continue a word.")
    return MergesWalkthrough(
        asked, MergesVariant(recipes.WORDPIECE, spelled, is_scored=True, minimum=asked.minimum), training
    )


@dataclass(frozen=True)
class MergesVariant:
    """What differs between BPE over characters, BPE over bytes and WordPiece.

    `spelled` is the sentence on how words begin. `minimum` is the lowest count of a pair that is considered.
    """

    recipe: Recipe
    spelled: str
    is_bytes: bool = False  # whether the alphabet is the 256 bytes
    is_scored: bool = False  # whether pairs have scores
    minimum: int = 1


@dataclass(frozen=True, kw_only=True)
class MergesPart:
    """What `training/_merges.html` draws."""

    scored: bool  # whether pairs have scores
    same: Sequence[WordLine]  # the words that do not change
    alphabet: Sequence[PieceLine]  # the initial vocabulary
    made: Sequence[PieceLine]  # the pieces made since
    bytes: bool  # whether the alphabet is the 256 bytes
    in_use: int  # symbols in the words
    read: Sequence[StepCell]  # the text to encode, as tokens
    read_text: str

    # The round; the first and the last step have none
    round: int | None = None
    pairs: Sequence[PairLine] = ()
    more: int = 0  # pairs that are not shown
    too_rare: int = 0  # pairs below the minimum
    changed: Sequence[WordLine] = ()


class MergesWalkthrough:
    """Step 0 shows the words before training, the last step the vocabulary, every step in between a round."""

    template = "training/_merges.html"

    def __init__(self, asked: TrainingRequest, variant: MergesVariant, training: Training) -> None:
        self._asked = asked
        self._variant = variant
        self._training = training
        self._merges = len(training.trained.merges)
        self._told = training.rounds()
        self._rounds: list[Round] = []

    def __len__(self) -> int:
        return self._merges + 2

    @cached_property
    def ids(self) -> Sequence[int]:
        """The ids of the text to tokenize, with the final vocabulary."""
        return self._tokenizer(self._merges).ids(self._asked.text_to_encode)

    def step_of(self, token: int) -> int:
        """The round that made the piece of a token; step 0 for a piece of the initial alphabet."""
        piece = self._tokenizer(self._merges).model.pieces[self.ids[token]]
        return next((round.number for round in self._every_round() if round.piece == piece), 0)

    def sentence(self, step: int) -> str:
        """What happened and why."""
        if step == 0:
            return self._beginning()
        return self._end() if step == len(self) - 1 else self._round_sentence(self._round(step))

    def part(self, step: int) -> MergesPart:
        """The data for the template."""
        done = min(step, self._merges)
        words = self._words(done)
        alphabet, made = self._vocabulary(done, new=0 < step <= self._merges)
        part = MergesPart(
            scored=self._variant.is_scored,
            same=[word_line(word, word) for word in words],
            alphabet=alphabet,
            made=made,
            bytes=self._variant.is_bytes,
            in_use=len({symbol for word in words for symbol in word.symbols}),
            read=self._read(done),
            read_text=self._asked.text_to_encode,
        )
        if not 0 < step <= self._merges:
            return part
        round = self._round(step)
        lines = [(bool(new.made), word_line(old, new)) for old, new in _both(round)]
        pairs, more, too_rare = self._pairs(round)
        return replace(
            part,
            round=round.number,
            pairs=pairs,
            more=more,
            too_rare=too_rare,
            changed=[line for changed, line in lines if changed],
            same=[line for changed, line in lines if not changed],
        )

    def record(self, step: int) -> dict[str, Any]:
        """The step as plain values."""
        if 0 < step <= self._merges:
            return self._round_record(self._round(step))
        words = self._words(min(step, self._merges))
        record: dict[str, Any] = {"kind": "end" if step else "start", "words": [_plain(word) for word in words]}
        if step:
            pieces = self._tokenizer(self._merges).model.pieces
            record["vocabulary"] = [json_piece(piece) for piece in pieces]
        return record

    def rounds_table(self) -> RoundsTable:
        """Each merge: its pair with the figures that chose it, and the piece that it made."""
        figures = [RoundColumn(_("Count"), 0)]
        if self._variant.is_scored:
            figures = [
                RoundColumn(_("Pair count"), 0),
                RoundColumn(_("Left count"), 0),
                RoundColumn(_("Right count"), 0),
                RoundColumn(_("Score"), 4),
            ]
        columns = [RoundColumn(_("Round"), 0), RoundColumn(_("Pair")), *figures, RoundColumn(_("New piece"), wide=True)]
        rows = []
        for round in self._every_round():
            pair = round.winner
            scores = (pair.left_count, pair.right_count, pair.score) if isinstance(pair, ScoredPair) else ()
            made = [WordSymbol(shown(round.piece), now=True)]
            cells = (round.number, symbols((pair.left, pair.right)), pair.count, *scores, made)
            rows.append(RoundRow(round.number, cells))
        return RoundsTable(_("All merges"), self._end(), columns, rows)

    # Rounds and vocabularies, computed when needed

    def _every_round(self) -> list[Round]:
        return [self._round(step) for step in range(1, self._merges + 1)]

    def _round(self, step: int) -> Round:
        """A round by its number; each is computed once, when it is first needed."""
        self._rounds.extend(islice(self._told, step - len(self._rounds)) if step > len(self._rounds) else ())
        return self._rounds[step - 1]

    def _words(self, done: int) -> Sequence[CorpusWord[Any]]:
        return self._round(done).after if done else self._training.start

    def _tokenizer(self, done: int) -> Tokenizer:
        trained = self._training.trained
        return self._variant.recipe.tokenizer(trained.first(done), getattr(trained, "special_tokens", {}))

    # Rows of the template

    def _pairs(self, round: Round) -> tuple[list[PairLine], int, int]:
        """The first lines of the table, how many more there are, and how many pairs are below the minimum count."""
        found = round.pairs()
        best = _worth(found[0])
        lines = [
            PairLine(
                symbols((pair.left, pair.right)),
                pair.count,
                _percent(_worth(pair), best),
                pair == round.winner,
                _worth(pair) == best,
                *((pair.left_count, pair.right_count, pair.score) if isinstance(pair, ScoredPair) else ()),
            )
            for pair in found[:PAIRS_SHOWN]
        ]
        too_rare = round.too_rare() if isinstance(round, training_wordpiece.WordPieceRound) else 0
        return lines, len(found) - len(lines), too_rare

    def _vocabulary(self, done: int, *, new: bool) -> tuple[list[PieceLine], list[PieceLine]]:
        """The pieces with their ids: the initial alphabet (empty for bytes) and the pieces made since."""
        pieces: Iterable[str | bytes] = self._tokenizer(done).model.pieces
        latest = self._round(done).piece if new else None
        lines = [PieceLine(shown(piece), id, piece == latest) for id, piece in enumerate(pieces)]
        first = len(self._tokenizer(0).model.pieces)
        return [] if self._variant.is_bytes else lines[:first], lines[first:]

    def _read(self, done: int) -> list[StepCell]:
        return read_cells(self._tokenizer(done), self._asked.text_to_encode) if self._asked.text_to_encode else []

    # Sentences

    def _beginning(self) -> str:
        count = len(self._training.start)
        words = ngettext(
            "The corpus has one word.", "The corpus has %(count)s different words.", count, count=number(count)
        )
        if self._variant.is_scored:
            plan = _("Each round merges the pair with the highest score: the symbols that occur mostly together.")
        else:
            plan = _("Each round merges the pair of neighbours that occurs most often.")
        return joined([words, self._variant.spelled, plan])

    def _round_sentence(self, round: Round) -> str:
        why = (
            self._why_scored(round)
            if isinstance(round, training_wordpiece.WordPieceRound)
            else self._why_counted(round)
        )
        changed = sum(1 for word in round.after if word.made)
        words = ngettext("One word changes.", "%(count)s words change.", changed, count=number(changed))
        return joined([why, words])

    def _why_counted(self, round: training_bpe.BPERound[Any]) -> str:
        winner = round.winner
        names = {"left": quoted(winner.left), "right": quoted(winner.right)}
        piece = quoted(round.piece)
        ties = sum(1 for pair in round.pairs() if pair.count == winner.count) - 1
        if winner.count == 1:
            found = _(
                "No pair occurs more than once; the first in the corpus is “%(left)s” and “%(right)s”.",
                **names,
            )
        elif ties:
            found = ngettext(
                "“%(left)s” and “%(right)s” occur next to each other %(count)s times. One other pair occurs as often, "
                "but later in the corpus.",
                "“%(left)s” and “%(right)s” occur next to each other %(count)s times. %(ties)s other pairs occur as "
                "often, but later in the corpus.",
                ties,
                count=number(winner.count),
                ties=number(ties),
                **names,
            )
        else:
            found = _(
                "“%(left)s” and “%(right)s” occur next to each other %(count)s times, more often than any other pair.",
                count=number(winner.count),
                **names,
            )
        return joined([found, _("The merge makes “%(piece)s”.", piece=piece)])

    def _why_scored(self, round: training_wordpiece.WordPieceRound) -> str:
        winner = round.winner
        names = {"left": quoted(winner.left), "right": quoted(winner.right)}
        ties = sum(1 for pair in round.pairs() if pair.score == winner.score) - 1
        found = _(
            "“%(left)s” and “%(right)s” score %(count)s ÷ (%(left_count)s × %(right_count)s) = %(score)s.",
            count=number(winner.count),
            left_count=number(winner.left_count),
            right_count=number(winner.right_count),
            score=number(winner.score, 3),
            **names,
        )
        if ties:
            best = ngettext(
                "One other pair has the same score, but occurs later in the corpus.",
                "%(ties)s other pairs have the same score, but occur later in the corpus.",
                ties,
                ties=number(ties),
            )
        else:
            best = _("No other pair has a score as high.")
        return joined([found, best, _("The merge makes “%(piece)s”.", piece=quoted(round.piece))])

    def _end(self) -> str:
        done = ngettext(
            "Training made one merge.", "Training made %(count)s merges.", self._merges, count=number(self._merges)
        )
        if self._merges == self._asked.merges:
            why = _("That is the number you chose.")
        elif self._variant.minimum > 1:
            why = _("No pair is left that occurs at least %(minimum)s times.", minimum=number(self._variant.minimum))
        else:
            why = _("No pair is left: every word is a single piece.")
        size = len(self._tokenizer(self._merges).model.pieces)
        return joined([done, why, _("The vocabulary has %(size)s pieces.", size=number(size))])

    def _round_record(self, round: Round) -> dict[str, Any]:
        lines, more, too_rare = self._pairs_record(round)
        return {
            "kind": "round",
            "round": round.number,
            "piece": json_piece(round.piece),
            "pairs": lines,
            "more": more,
            "too_rare": too_rare,
            "changed": [
                {**_plain(old), "becomes": [json_piece(symbol) for symbol in new.symbols]}
                for old, new in _both(round)
                if new.made
            ],
        }

    def _pairs_record(self, round: Round) -> tuple[list[dict[str, Any]], int, int]:
        """`_pairs` as plain values; the winner comes first."""
        found: Sequence[Any] = round.pairs()
        too_rare = round.too_rare() if isinstance(round, training_wordpiece.WordPieceRound) else 0
        lines = []
        for pair in found[:PAIRS_SHOWN]:
            line = {"left": json_piece(pair.left), "right": json_piece(pair.right), "count": pair.count}
            if isinstance(pair, training_wordpiece.ScoredPair):
                line |= {"left_count": pair.left_count, "right_count": pair.right_count, "score": pair.score}
            lines.append(line)
        return lines, len(found) - len(lines), too_rare


def _both(round: Round) -> Iterator[tuple[CorpusWord[Any], CorpusWord[Any]]]:
    """Each word before and after a round."""
    before: Sequence[CorpusWord[Any]] = round.before
    after: Sequence[CorpusWord[Any]] = round.after
    return zip(before, after, strict=True)


def _plain(word: CorpusWord[Any]) -> dict[str, Any]:
    return {"symbols": [json_piece(symbol) for symbol in word.symbols], "count": word.count}


def _worth(pair: CountedPair[Any] | ScoredPair) -> float:
    """The value that a pair is chosen by: its score with WordPiece, else its count."""
    return pair.score if isinstance(pair, ScoredPair) else pair.count


def _percent(value: float, most: float) -> float:
    return round(100 * value / most, 2)

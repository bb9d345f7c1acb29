"""Training BPE and WordPiece: count pairs, merge the best one, rewrite the words, repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core import recipes
from webapp.core.recipes import Recipe
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces import training_merges
from webapp.core.traces.training_merges import CorpusWord, MergeRound, MergeTraining, TracedPair
from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.tables import (
    BAR,
    Bar,
    Column,
    Pieces,
    Row,
    Sections,
    Table,
    TrainingWalkthrough,
    Words,
    WordSymbol,
    percent,
    quoted,
    read_cells,
    section_frame,
    shown,
    symbols,
)
from webapp.pages.walkthrough.cells import StepCell
from webapp.pages.walkthrough.engine import Frame
from webapp.serializers.json import json_piece
from webapp.tokenization.messages import joined
from webapp.web.localization import number

PAIRS_SHOWN = 10
WORDS_SHOWN = 12
MOST_UNFOLDED = 40  # pieces of the alphabet


def character_bpe(asked: TrainingRequest) -> TrainingWalkthrough:
    """The steps of training BPE over characters; the corpus must contain words."""
    counts = asked.word_counts(recipes.CHARACTER_BPE)
    training = training_merges.train_characters(counts, asked.merges, suffix_apart=asked.apart)
    if asked.apart:
        spelled = _("Each is a row of characters, followed by “</w>” as a separate symbol.")
    else:
        spelled = _("Each is a row of characters; “</w>” is part of the last one.")
    return MergeSteps(asked, training, recipes.CHARACTER_BPE, spelled).walkthrough()


def byte_bpe(asked: TrainingRequest) -> TrainingWalkthrough:
    """The steps of training BPE over bytes; the corpus must contain words."""
    training = training_merges.train_bytes(asked.word_counts(recipes.BYTE_BPE), asked.merges)
    spelled = _("Each is a row of bytes in UTF-8; all 256 bytes are in the vocabulary from the start.")
    return MergeSteps(asked, training, recipes.BYTE_BPE, spelled).walkthrough()


def wordpiece(asked: TrainingRequest) -> TrainingWalkthrough:
    """The steps of training WordPiece; the corpus must contain words."""
    counts = asked.word_counts(recipes.WORDPIECE)
    training = training_merges.train_wordpiece(counts, asked.merges, minimum=asked.minimum)
    spelled = _("Each is a row of characters; “##” marks those that continue a word.")
    return MergeSteps(asked, training, recipes.WORDPIECE, spelled).walkthrough()


class MergeSteps:
    """A training as steps: 0 shows the words before it, the last one the vocabulary, every one in between a round."""

    def __init__(self, asked: TrainingRequest, training: MergeTraining, recipe: Recipe, spelled: str) -> None:
        self._asked = asked
        self._training = training
        self._recipe = recipe
        self._spelled = spelled  # the sentence on how words begin
        self._merges = len(training.trained.merges)
        self._coming = training.rounds()
        self._rounds: list[MergeRound] = []

    def walkthrough(self) -> TrainingWalkthrough:
        """The steps, each made when it is shown."""
        rounds = [partial(self._round_frame, step) for step in range(1, self._merges + 1)]
        start, end = partial(self._words_frame, 0, "start"), partial(self._words_frame, self._merges, "end")
        ids = self._tokenizer(self._merges).ids(self._asked.text_to_encode)
        return TrainingWalkthrough(frames=[start, *rounds, end], ids=ids, all_rounds=self._all_rounds)

    # Frames

    def _words_frame(self, done: int, kind: str) -> Frame:
        words = self._words(done)
        record: dict[str, Any] = {"kind": kind, "words": [_plain(word) for word in words]}
        if kind == "end":
            record["vocabulary"] = [json_piece(piece) for piece in self._tokenizer(done).model.pieces]
        sections = Sections(
            view=[Words(_("Words of the corpus"), _lines(words))],
            side=[self._vocabulary(done)],
            read=self._read(done),
        )
        return section_frame(self._end() if kind == "end" else self._beginning(), record, lambda: sections)

    def _round_frame(self, step: int) -> Frame:
        round = self._round(step)
        found = round.pairs()
        more = len(found[PAIRS_SHOWN:])
        too_rare = round.too_rare()
        record = {
            "kind": "round",
            "round": round.number,
            "piece": json_piece(round.piece),
            "pairs": [_plain_pair(round, pair) for pair in found[:PAIRS_SHOWN]],
            "more": more,
            "too_rare": too_rare,
            "changed": [
                {**_plain(old), "becomes": [json_piece(symbol) for symbol in new.symbols]}
                for old, new in _both(round)
                if new.made
            ],
        }

        def sections() -> Sections:
            same = [new for _old, new in _both(round) if not new.made]
            unchanged = ngettext("One unchanged word", "%(count)s unchanged words", len(same), count=number(len(same)))
            changed, pairs = self._changed(round), self._pairs(round, more, too_rare)
            return Sections(
                view=[changed, Words(unchanged, _lines(same))],
                side=[pairs],
                drawn=[changed, pairs],
                below=[self._vocabulary(step, new=True)],
                read=self._read(step),
            )

        return section_frame(self._round_sentence(round), record, sections)

    def _changed(self, round: MergeRound) -> Table:
        changed = [word_row(old, new) for old, new in _both(round) if new.made]
        more = len(changed[WORDS_SHOWN:])
        note = ngettext("and one more word", "and %(count)s more words", more, count=number(more))
        columns = [Column(_("Before")), Column(_("After")), Column(_("Count"), 0)]
        notes = [note] if more else []
        return Table(_("Words that change"), columns, changed[:WORDS_SHOWN], notes=notes, style="rewritten")

    def _pairs(self, round: MergeRound, more: int, too_rare: int) -> Table:
        """The best pairs, with bars for counts or with the formula of scores."""
        found = round.pairs()
        best = round.worth(found[0])
        rows = []
        for pair in found[:PAIRS_SHOWN]:
            wins = pair == round.winner
            row: list[Any] = [symbols((pair.left, pair.right), (0, 1) if wins else ())]
            if round.scored:
                formula = f"{number(pair.count)} ÷ ({number(pair.left_count)} × {number(pair.right_count)})"
                row += [formula, pair.score]
            else:
                row += [Bar(percent(round.worth(pair), best), wins), pair.count]
            mark = _("merged") if wins else _("tied") if round.worth(pair) == best else ""
            rows.append(Row(row, kind="winner" if wins else "", mark=mark))
        notes = []
        if self._training.scored:
            title, figures = _("Pairs and their scores"), [Column(_("Counts"), 0), Column(_("Score"), 3)]
            notes.append(_("The score is the count of the pair, divided by the counts of its two symbols."))
        else:
            title, figures = _("Pairs and their counts"), [BAR, Column(_("Count"), 0)]
        if more:
            notes.append(ngettext("and one more pair", "and %(count)s more pairs", more, count=number(more)))
        if too_rare:
            rare = number(too_rare)
            notes.append(
                ngettext(
                    "One pair is below the minimum count.",
                    "%(count)s pairs are below the minimum count.",
                    too_rare,
                    count=rare,
                )
            )
        return Table(title, [Column(_("Pair"), kind="head"), *figures], rows, notes=notes, style="candidates")

    def _vocabulary(self, done: int, *, new: bool = False) -> Pieces:
        """The initial alphabet (of bytes only as words) and the pieces made since, the `new` one marked."""
        pieces: Sequence[str | bytes] = self._tokenizer(done).model.pieces
        first = len(self._tokenizer(0).model.pieces)
        is_bytes = self._recipe is recipes.BYTE_BPE
        skipped = first if is_bytes else 0
        latest = [pieces.index(self._round(done).piece)] if new else []
        in_use = len({symbol for word in self._words(done) for symbol in word.symbols})
        return Pieces(
            _("Vocabulary so far"),
            symbols(pieces, latest)[skipped:],
            skipped,
            note=ngettext("one symbol in use", "%(count)s symbols in use", in_use, count=number(in_use)),
            folded=first if not skipped and first > MOST_UNFOLDED else 0,
            bytes=is_bytes,
        )

    def _all_rounds(self) -> Table:
        """Each merge: its pair with the figures that chose it, and the piece that it made."""
        figures = [Column(_("Count"), 0)]
        if self._training.scored:
            counts = [Column(title, 0) for title in (_("Pair count"), _("Left count"), _("Right count"))]
            figures = [*counts, Column(_("Score"), 4)]
        columns = [Column(_("Round"), 0), Column(_("Pair")), *figures, Column(_("New piece"), kind="wide")]
        rows = []
        for round in map(self._round, range(1, self._merges + 1)):
            pair = round.winner
            scores = (pair.left_count, pair.right_count, pair.score) if round.scored else ()
            made = [WordSymbol(shown(round.piece), now=True)]
            cells = (round.number, symbols((pair.left, pair.right)), pair.count, *scores, made)
            rows.append(Row(cells, round.number))
        return Table(_("All merges"), columns, rows, hint=self._end())

    # Rounds and vocabularies, computed when needed

    def _round(self, step: int) -> MergeRound:
        """A round by its number; each is computed once, when it is first needed."""
        self._rounds.extend(islice(self._coming, step - len(self._rounds)) if step > len(self._rounds) else ())
        return self._rounds[step - 1]

    def _words(self, done: int) -> Sequence[CorpusWord]:
        return self._round(done).after if done else self._training.start

    def _tokenizer(self, done: int) -> Tokenizer:
        trained = self._training.trained
        return self._recipe.tokenizer(trained.first(done), getattr(trained, "special_tokens", {}))

    def _read(self, done: int) -> Sequence[StepCell]:
        return read_cells(self._tokenizer(done), self._asked.text_to_encode)

    # Sentences

    def _beginning(self) -> str:
        count = len(self._training.start)
        words = ngettext(
            "The corpus has one word.", "The corpus has %(count)s different words.", count, count=number(count)
        )
        if self._training.scored:
            plan = _("Each round merges the pair with the highest score: the symbols that occur mostly together.")
        else:
            plan = _("Each round merges the pair of neighbours that occurs most often.")
        return joined([words, self._spelled, plan])

    def _round_sentence(self, round: MergeRound) -> str:
        why = self._why_scored(round) if round.scored else self._why_counted(round)
        changed = sum(1 for word in round.after if word.made)
        words = ngettext("One word changes.", "%(count)s words change.", changed, count=number(changed))
        return joined([why, words])

    def _why_counted(self, round: MergeRound) -> str:
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

    def _why_scored(self, round: MergeRound) -> str:
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
        elif self._training.minimum > 1:
            why = _("No pair is left that occurs at least %(minimum)s times.", minimum=number(self._training.minimum))
        else:
            why = _("No pair is left: every word is a single piece.")
        size = len(self._tokenizer(self._merges).model.pieces)
        return joined([done, why, _("The vocabulary has %(size)s pieces.", size=number(size))])


def word_row(before: CorpusWord, after: CorpusWord) -> Row:
    """A word with the merged symbols marked before and after the round, and its count.

    >>> row = word_row(CorpusWord(("a", "b", "a", "b"), 2), CorpusWord(("ab", "ab"), 2, (0, 1)))
    >>> [[symbol.now for symbol in cell] for cell in row.cells[:2]]
    [[True, True, True, True], [True, True]]
    """
    joined = {place + number + half for number, place in enumerate(after.made) for half in (0, 1)}
    return Row([symbols(before.symbols, joined), symbols(after.symbols, after.made), before.count])


def _lines(words: Iterable[CorpusWord]) -> list[tuple[Sequence[WordSymbol], int]]:
    return [(symbols(word.symbols, word.made), word.count) for word in words]


def _plain_pair(round: MergeRound, pair: TracedPair) -> dict[str, Any]:
    line: dict[str, Any] = {"left": json_piece(pair.left), "right": json_piece(pair.right), "count": pair.count}
    if round.scored:
        line |= {"left_count": pair.left_count, "right_count": pair.right_count, "score": pair.score}
    return line


def _both(round: MergeRound) -> Iterator[tuple[CorpusWord, CorpusWord]]:
    """Each word before and after a round."""
    return zip(round.before, round.after, strict=True)


def _plain(word: CorpusWord) -> dict[str, Any]:
    return {"symbols": [json_piece(symbol) for symbol in word.symbols], "count": word.count}

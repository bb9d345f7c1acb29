"""Training BPE and WordPiece: count pairs, merge the best one, rewrite the words, repeat."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core import recipes
from webapp.core.recipes import Recipe
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces import training_merges
from webapp.core.traces.training_merges import CorpusWord, MergeRound, MergeTraining
from webapp.core.trainers.ties import FIRST_SEEN
from webapp.pages.training import tables
from webapp.pages.training.request import TrainingRequest
from webapp.pages.walkthrough.cells import quotable
from webapp.pages.walkthrough.engine import Frame, say
from webapp.rendering.pictures.figure import Symbol
from webapp.tokenization.algorithms import TIE_TITLES
from webapp.web.json_responses import json_piece
from webapp.web.localization import number

PAIRS_SHOWN = 10
WORDS_SHOWN = 12
MOST_UNFOLDED = 40  # pieces of the alphabet


def character_bpe(wanted: TrainingRequest) -> tables.TrainingWalkthrough:
    """The steps of training BPE over characters; the corpus must contain words."""
    if wanted.mark == "none":
        return unmarked_bpe(wanted, recipes.UNMARKED_BPE)
    counts, apart = wanted.word_counts(recipes.CHARACTER_BPE), wanted.mark == "apart"
    training = training_merges.train_characters(counts, wanted.merges, suffix_apart=apart, ties=wanted.ties)
    return MergeSteps(wanted, training, recipes.CHARACTER_BPE).walkthrough()


def unmarked_bpe(wanted: TrainingRequest, recipe: Recipe = recipes.BYTE_BPE) -> tables.TrainingWalkthrough:
    """The steps of training BPE over bytes, or over characters without a mark; the corpus must contain words."""
    counts, as_bytes, before = wanted.word_counts(recipe), recipe is recipes.BYTE_BPE, wanted.merges_before
    training = training_merges.train_unmarked(counts, wanted.merges, as_bytes=as_bytes, ties=wanted.ties, before=before)
    return MergeSteps(wanted, training, recipe).walkthrough()


def wordpiece(wanted: TrainingRequest) -> tables.TrainingWalkthrough:
    """The steps of training WordPiece; the corpus must contain words."""
    counts = wanted.word_counts(recipes.WORDPIECE)
    training = training_merges.train_wordpiece(
        counts, wanted.merges, minimum=wanted.minimum, ties=wanted.ties, before=wanted.merges_before
    )
    return MergeSteps(wanted, training, recipes.WORDPIECE).walkthrough()


class MergeSteps:
    """A training as steps: 0 shows the words before it, the last one the vocabulary, every one in between a round."""

    def __init__(self, wanted: TrainingRequest, training: MergeTraining, recipe: Recipe) -> None:
        self._asked = wanted
        self._training = training
        self._recipe = recipe
        if wanted.before and any(recipe.count(word) != {word: 1} for word in wanted.counted or ()):  # not its own words
            self._recipe = replace(recipe, normalizer=None, pretokenizer=recipes.UNMARKED_BPE.pretokenizer)
        self._rounds = list(training.rounds())

    def walkthrough(self) -> tables.TrainingWalkthrough:
        """The steps, each made when it is shown."""
        return tables.TrainingWalkthrough(
            frames=[self._start, *(partial(self._round, round) for round in self._rounds), self._end],
            ids=self._tokenizer(len(self._rounds)).ids(self._asked.text_to_encode),
            all_rounds=self._all_rounds,
        )

    def _start(self) -> Frame:
        spelled = self._recipe.name
        spelled = "before" if self._training.before else "apart" if self._asked.mark == "apart" else spelled
        words = self._training.start
        scored, ties = self._training.scored, self._training.ties
        rule = "" if ties == FIRST_SEEN else dict(TIE_TITLES)[ties]
        happened = say("training", "merges_start", words=len(words), spelled=spelled, scored=scored, rule=rule)
        return tables.section_frame(
            happened, {"kind": "start", "words": list(map(_plain, words))}, partial(self._words, 0)
        )

    def _end(self) -> Frame:
        done = len(self._rounds)
        vocabulary = [json_piece(piece) for piece in self._tokenizer(done).model.pieces]
        record = {"kind": "end", "words": list(map(_plain, self._words_after(done))), "vocabulary": vocabulary}
        return tables.section_frame(self._end_sentence(), record, partial(self._words, done))

    def _words(self, done: int) -> tables.Sections:
        """The words and the vocabulary before the first round, and after the last one."""
        return tables.Sections(
            view=[_words(_("Words of the corpus"), self._words_after(done))],
            side=[self._vocabulary(done)],
            read=tables.read_cells(self._tokenizer(done), self._asked.text_to_encode),
        )

    def _round(self, round: MergeRound) -> Frame:
        found, winner = round.pairs(), round.winner
        more, too_rare = len(found[PAIRS_SHOWN:]), round.too_rare()
        pairs = [
            {"left": json_piece(pair.left), "right": json_piece(pair.right), "count": pair.count}
            | ({name: getattr(pair, name) for name in ("left_count", "right_count", "score")} if round.scored else {})
            for pair in found[:PAIRS_SHOWN]
        ]
        both = list(zip(round.before, round.after, strict=True))
        record = {
            "kind": "round",
            "round": round.number,
            "piece": json_piece(round.piece),
            "pairs": pairs,
            "more": more,
            "too_rare": too_rare,
            "changed": [
                {**_plain(old), "becomes": [json_piece(symbol) for symbol in new.symbols]}
                for old, new in both
                if new.made
            ],
        }
        happened = say(
            "training",
            "merges_round",
            round=round,
            winner=winner,
            left=quotable(winner.left),
            right=quotable(winner.right),
            piece=quotable(round.piece),
            ties=sum(round.worth(pair) == round.worth(winner) for pair in found) - 1,
        )

        def sections() -> tables.Sections:
            same = [new for _old, new in both if not new.made]
            unchanged = ngettext("One unchanged word", "%(count)s unchanged words", len(same), count=number(len(same)))
            rows = [word_row(old, new) for old, new in both if new.made]
            columns = [tables.Column(_("Before")), tables.Column(_("After")), tables.Column(_("Count"), 0)]
            more_words = len(rows[WORDS_SHOWN:])
            note = ngettext("and one more word", "and %(count)s more words", more_words, count=number(more_words))
            notes = [note] if more_words else []
            changed = tables.Table(_("Words that change"), columns, rows[:WORDS_SHOWN], notes=notes, style="rewritten")
            candidates = self._pairs(round, more, too_rare)
            return tables.Sections(
                view=[changed, _words(unchanged, same)],
                side=[candidates],
                drawn=[changed, candidates],
                below=[self._vocabulary(round.number, new=True)],
                read=tables.read_cells(self._tokenizer(round.number), self._asked.text_to_encode),
            )

        return tables.section_frame(happened, record, sections)

    def _pairs(self, round: MergeRound, more: int, too_rare: int) -> tables.Table:
        """The best pairs, with bars for counts or with the formula of scores."""
        found = round.pairs()
        best = round.worth(found[0])
        rows = []
        for pair in found[:PAIRS_SHOWN]:
            wins = pair == round.winner
            row: list[Any] = [tables.symbols((pair.left, pair.right), (0, 1) if wins else ())]
            if round.scored:
                formula = f"{number(pair.count)} ÷ ({number(pair.left_count)} × {number(pair.right_count)})"
                row += [formula, pair.score]
            else:
                row += [tables.Bar(round.worth(pair), best, wins), pair.count]
            mark = _("merged") if wins else _("tied") if round.worth(pair) == best else ""
            rows.append(tables.Row(row, kind="winner" if wins else "", mark=mark))
        notes = []
        title, figures = _("Pairs and their counts"), [tables.BAR, tables.Column(_("Count"), 0)]
        if round.scored:
            title, figures = _("Pairs and their scores"), [tables.Column(_("Counts"), 0), tables.Column(_("Score"), 3)]
            notes.append(_("The score is the count of the pair, divided by the counts of its two symbols."))
        if more:
            notes.append(ngettext("and one more pair", "and %(count)s more pairs", more, count=number(more)))
        if too_rare:
            notes.append(
                ngettext(
                    "One pair is below the minimum count.",
                    "%(count)s pairs are below the minimum count.",
                    too_rare,
                    count=number(too_rare),
                )
            )
        return tables.Table(
            title, [tables.Column(_("Pair"), kind="head"), *figures], rows, notes=notes, style="candidates"
        )

    def _vocabulary(self, done: int, *, new: bool = False) -> tables.Pieces:
        """The initial alphabet (of bytes only as words) and the pieces made since, the `new` one marked."""
        pieces: Sequence[str | bytes] = self._tokenizer(done).model.pieces
        first = len(self._training.trained.first(0).pieces)
        is_bytes = self._recipe.name == recipes.BYTE_BPE.name
        skipped = first if is_bytes else 0
        latest = [pieces.index(self._rounds[done - 1].piece)] if new else []
        in_use = len({symbol for word in self._words_after(done) for symbol in word.symbols})
        return tables.Pieces(
            _("Vocabulary so far"),
            tables.symbols(pieces, latest)[skipped:],
            skipped,
            note=ngettext("one symbol in use", "%(count)s symbols in use", in_use, count=number(in_use)),
            folded=first if not skipped and first > MOST_UNFOLDED else 0,
            bytes=is_bytes,
        )

    def _all_rounds(self) -> tables.Table:
        """Each merge: its pair with the figures that chose it, and the piece that it made."""
        figures = [tables.Column(_("Count"), 0)]
        if self._training.scored:
            counts = [tables.Column(title, 0) for title in (_("Pair count"), _("Left count"), _("Right count"))]
            figures = [*counts, tables.Column(_("Score"), 4)]
        columns = [
            tables.Column(_("Round"), 0),
            tables.Column(_("Pair")),
            *figures,
            tables.Column(_("New piece"), kind="wide"),
        ]
        rows = []
        for round in self._rounds:
            pair = round.winner
            scores = (pair.left_count, pair.right_count, pair.score) if round.scored else ()
            made = [Symbol(tables.shown(round.piece), now=True)]
            cells = (round.number, tables.symbols((pair.left, pair.right)), pair.count, *scores, made)
            rows.append(tables.Row(cells, round.number))
        return tables.Table(_("All merges"), columns, rows, hint=self._end_sentence())

    def _end_sentence(self) -> str:
        merges = len(self._rounds)
        size = len(self._tokenizer(merges).model.pieces)
        wanted, minimum = self._asked.merges, self._training.minimum
        return say("training", "merges_end", merges=merges, wanted=wanted, minimum=minimum, size=size)

    def _words_after(self, done: int) -> Sequence[CorpusWord]:
        return self._rounds[done - 1].after if done else self._training.start

    def _tokenizer(self, done: int) -> Tokenizer:
        trained = self._training.trained
        return self._recipe.tokenizer(
            trained.first(self._training.before + done), getattr(trained, "special_tokens", {})
        )


def word_row(before: CorpusWord, after: CorpusWord) -> tables.Row:
    """A word with the merged symbols marked before and after the round, and its count.

    >>> row = word_row(CorpusWord(("a", "b", "a", "b"), 2), CorpusWord(("ab", "ab"), 2, (0, 1)))
    >>> [[symbol.now for symbol in cell] for cell in row.cells[:2]]
    [[True, True, True, True], [True, True]]
    """
    joined = {place + number + half for number, place in enumerate(after.made) for half in (0, 1)}
    return tables.Row([tables.symbols(before.symbols, joined), tables.symbols(after.symbols, after.made), before.count])


def _words(title: str, words: Sequence[CorpusWord]) -> tables.Words:
    return tables.Words(title, [(tables.symbols(word.symbols, word.made), word.count) for word in words])


def _plain(word: CorpusWord) -> dict[str, Any]:
    return {"symbols": [json_piece(symbol) for symbol in word.symbols], "count": word.count}

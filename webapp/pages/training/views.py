"""The page of a training: the form, and a step or the table of all rounds."""

from __future__ import annotations

from dataclasses import replace

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.pages.training.attempts import TrainingAttempt
from webapp.pages.training.contexts import CorpusReading, RoundContext, RoundsContext, TrainingPage
from webapp.pages.training.request import MOST, MOST_TEXT, TrainingRequest, View
from webapp.pages.training.rounds_table import RoundsTable
from webapp.pages.training.trainings import TRAININGS
from webapp.pages.walkthrough.cells import quotable
from webapp.rendering.delimited import as_tsv
from webapp.rendering.markup import visible
from webapp.rendering.source_listing import source_listing
from webapp.web.localization import join_list, number

FIRST_WORDS = 12  # of the corpus, that a sentence lists


def page_context(
    training: TrainingAttempt, shown: RoundContext, view: View, table: RoundsTable | None = None
) -> TrainingPage:
    """The context of the whole page."""
    asked = training.asked
    kind = TRAININGS[asked.kind]
    example = next((place for place, (_title, preset) in enumerate(kind.presets) if _is_of(asked, preset)), None)
    return TrainingPage(
        shown=shown,
        asked=asked,
        training=kind,
        corpus_label=str(kind.corpus_label) % {"most": number(MOST)},
        kinds=_kinds(asked, view),
        longest_text=MOST_TEXT,
        size=asked.size if asked.size is not None else _usual_size(training),
        listing=source_listing(*kind.reference),
        example=example,
        reading=(reading := _reading(asked, view)),
        corpus_line="" if reading and asked.counted else visible(" ".join(asked.corpus.split())),
        view=view,
        views=[
            ("page", _("Round by round"), asked.address(asked.step)),
            ("rounds", _("All rounds"), asked.address(view="rounds")),
        ],
        rounds=RoundsContext(
            table=table,
            tsv=as_tsv(table.lines()) if table else "",
            csv_address=asked.address(view="rounds", format="csv"),
            tsv_address=asked.address(view="rounds", format="tsv"),
        ),
    )


def _usual_size(training: TrainingAttempt) -> int | None:
    """The size that the form shows if the address has none: the usual one, or what the trainer chose."""
    kind = TRAININGS[training.asked.kind]
    if kind.size and kind.size.usual is not None:
        return kind.size.usual
    return getattr(training.walkthrough, "size", None)


def _is_of(asked: TrainingRequest, preset: TrainingRequest) -> bool:
    """Whether the form shows the text of a preset with the preset's corpus."""
    return bool(preset.text) and asked.text == preset.text and asked.corpus.split() == preset.corpus.split()


def _reading(asked: TrainingRequest, view: View) -> CorpusReading | None:
    """How the page read the corpus, where there are two ways."""
    counted = asked.counted
    if counted is not None and not counted.problems:
        words = [f"{quotable(word)} × {number(count)}" for word, count in counted.counts.items()]
        listed = join_list(words[:FIRST_WORDS]) + ("…" if len(words) > FIRST_WORDS else "")
        sentence = ngettext(
            "Read as one word with its count: %(words)s.",
            "Read as %(num)s words with their counts: %(words)s.",
            len(words),
            words=listed,
        )
        return CorpusReading(
            sentence, _("Read it as plain text"), replace(asked, as_text=True, step=None).address(view=view)
        )
    if asked.as_text and replace(asked, as_text=False).counted is not None:
        other = replace(asked, as_text=False, step=None).address(view=view)
        return CorpusReading(_("Read as plain text."), _("Read it as words with counts"), other)
    return None


def _kinds(asked: TrainingRequest, view: View) -> list[tuple[str, str, str]]:
    """Each kind of training: its id, its title, and the address where it trains on the same corpus."""

    def same(request: TrainingRequest) -> TrainingRequest:
        return replace(request, corpus=asked.corpus, text=asked.text, as_text=asked.as_text)

    return [
        (kind, str(training.title), same(training.request).address(view=view)) for kind, training in TRAININGS.items()
    ]

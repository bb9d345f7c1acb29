"""The page of a training: the form, and a step or the table of all rounds; or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.pages.training.forms import opening_of
from webapp.pages.training.request import MOST, MOST_TEXT, USUAL_MERGES, TrainingRequest, View
from webapp.pages.training.tables import Table, TrainingWalkthrough
from webapp.pages.training.trainings import MERGES, TRAININGS, Training
from webapp.pages.walkthrough.cells import quotable
from webapp.pages.walkthrough.engine import NoStepsError, ShownStep, WalkthroughContext
from webapp.rendering.markup import visible
from webapp.rendering.source_listing import SourceListing, source_listing
from webapp.tokenization.forms import InputProblem
from webapp.web.localization import join_list, number
from webapp.web.templates import Page

FIRST_WORDS = 12  # of the corpus, that a sentence lists


@dataclass(frozen=True, kw_only=True)
class RoundContext(WalkthroughContext):
    """One step of a training, for htmx."""

    chosen_templates = ("training/_ngrams.html", "training/_sections.html")

    state: TrainingRequest  # its text decides the direction of a row of cells
    sampled: bool  # whether the text to encode is taken from the corpus


@dataclass(frozen=True)
class CorpusReading:
    """How the page read the corpus, and the link that reads it in the other way."""

    sentence: str
    other: str
    address: str


@dataclass(frozen=True, kw_only=True)
class TrainingPage(Page):
    """The form, and a step or all rounds."""

    template = "training/page.html"

    shown: RoundContext
    asked: TrainingRequest
    training: Training  # the kind of training that is shown
    corpus_label: str
    kinds: Sequence[tuple[str, str, str]]  # each kind of training: id, title, address with the same corpus
    longest_text: int  # characters of the text to tokenize
    size: int | None  # what the form shows; None if it depends on a corpus and there is none
    listing: SourceListing  # the reference trainer
    example: int | None  # the number of the preset that the form shows, if its text belongs to it
    reading: CorpusReading | None
    corpus_line: str  # the corpus as one line; empty if `reading` says what it is
    view: str  # "page" for one step, "rounds" for the table
    table: Table | None  # of all rounds; None for a step, with problems, or without a corpus


@dataclass(frozen=True)
class TrainingAttempt:
    """A request that was carried out: its steps, or its problems with the links that solve them."""

    asked: TrainingRequest
    walkthrough: TrainingWalkthrough | None = None
    problems: Sequence[InputProblem] = ()
    offers: Sequence[tuple[str, str]] = ()

    @property
    def status(self) -> int:
        """The HTTP status of the page."""
        return max((one.status for one in self.problems), default=200)


def attempt(asked: TrainingRequest, problems: Sequence[InputProblem], view: View) -> TrainingAttempt:
    """The training, unless the request has problems."""
    walkthrough, offers = None, []
    if not problems and asked.corpus.strip():
        try:
            walkthrough = TRAININGS[asked.kind].walkthrough(asked)
        except NoStepsError as error:
            problems = [InputProblem(error.message, error.status, "size")]
    step = asked.step or 0
    if walkthrough and view == "page" and step >= len(walkthrough):
        last = len(walkthrough) - 1
        message = _(
            "There is no step %(step)s: this training has steps 0 to %(last)s.", step=number(step), last=number(last)
        )
        problems = [InputProblem(message, 404, "step")]
        offers = [(_("Go to the first step"), asked.address(0)), (_("Go to the last step"), asked.address(last))]
    fields = {one.field for one in problems}
    if not offers and "step" in fields:
        offers = [(_("Go to the first step"), asked.address(0))]
    if "corpus" in fields:
        offers = [(_("Train on its beginning"), asked.with_corpus(opening_of(asked.corpus)).address(view=view))]
    if "counts" in fields:
        offers = [(_("Read it as plain text"), replace(asked, as_text=True, step=None).address(view=view))]
    return TrainingAttempt(asked, None if problems else walkthrough, problems, offers)


def shown_step(training: TrainingAttempt, frame: ShownStep | None) -> RoundContext:
    """The context of a step, or of none."""
    asked = training.asked
    return RoundContext(
        state=replace(asked, text=asked.text_to_encode),
        sampled=asked.text_to_encode != asked.text,
        frame=frame,
        problems=training.problems,
        offers=training.offers,
    )


def page_context(
    training: TrainingAttempt, shown: RoundContext, view: View, table: Table | None = None
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
        table=table,
    )


def _usual_size(training: TrainingAttempt) -> int | None:
    """The size that the form shows if the address has none: the usual one, or what the trainer chose."""
    if TRAININGS[training.asked.kind].size is MERGES:
        return USUAL_MERGES
    return training.walkthrough.size if training.walkthrough else None


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

"""The variables of the templates of `/steps/training`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.rounds_table import RoundsTable
from webapp.pages.training.trainings import Training
from webapp.pages.walkthrough.contexts import WalkthroughContext
from webapp.rendering.source_listing import SourceListing
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class RoundContext(WalkthroughContext):
    """One step of a training, for htmx."""

    chosen_templates = (
        "training/_ngrams.html",
        "training/_candidates.html",
        "training/_merges.html",
        "training/_pieces.html",
    )

    state: TrainingRequest  # its text decides the direction of a row of cells
    sampled: bool  # whether the text to encode is taken from the corpus


@dataclass(frozen=True)
class CorpusReading:
    """How the page read the corpus, and the link that reads it in the other way."""

    sentence: str
    other: str
    address: str


@dataclass(frozen=True, kw_only=True)
class RoundsContext(Context):
    """All rounds as a table."""

    table: RoundsTable | None  # None if the request has problems, or no corpus
    tsv: str  # the table as tab-separated text, to copy
    csv_address: str
    tsv_address: str


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
    views: Sequence[tuple[str, str, str]]  # both: id, title, address
    rounds: RoundsContext

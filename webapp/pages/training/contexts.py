"""The variables of the templates of `/steps/training`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.trainings import Training
from webapp.pages.walkthrough.contexts import WalkthroughContext
from webapp.rendering.source_listing import SourceListing
from webapp.web.templates import Page


@dataclass(frozen=True, kw_only=True)
class RoundContext(WalkthroughContext):
    """One step of a training, for htmx."""

    chosen_templates = ("training/_bigrams.html", "training/_merges.html", "training/_pieces.html")

    state: TrainingRequest  # its text decides the direction of a row of cells


@dataclass(frozen=True, kw_only=True)
class TrainingPage(Page):
    """The form and a step."""

    template = "training/page.html"

    shown: RoundContext
    asked: TrainingRequest
    training: Training  # the kind of training that is shown
    corpus_label: str
    kinds: Sequence[tuple[str, str, str]]  # each kind of training: id, title, address with the same corpus
    longest_text: int  # characters of the text to tokenize
    listing: SourceListing  # the reference trainer

"""What the templates of `/steps/training` are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.pages.training.forms import TrainingRequest
from webapp.pages.walkthrough.contexts import WalkthroughContext
from webapp.rendering.source_listing import SourceListing
from webapp.web.templates import Page


@dataclass(frozen=True, kw_only=True)
class RoundContext(WalkthroughContext):
    """One step of a training, for htmx."""

    chosen_templates = ("training/_bigrams.html", "training/_merges.html", "training/_pieces.html")

    state: TrainingRequest  # gives a row of cells the direction of the text


@dataclass(frozen=True, kw_only=True)
class TrainingPage(Page):
    """The form and a step."""

    template = "training/page.html"

    shown: RoundContext
    asked: TrainingRequest
    kinds: Sequence[tuple[str, str, str]]  # the trainings on offer: kind, title, address with the same corpus
    presets: Sequence[tuple[str, TrainingRequest]]
    titles: Mapping[str, str]  # of the kinds
    longest: int  # characters of a corpus
    longest_text: int  # characters of a text to encode
    least: int  # merges or pieces
    most: int  # merges or pieces
    listing: SourceListing | None  # the reference trainer

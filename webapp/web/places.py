"""The seven places of the site: the entries of the menu, and the pages of each as tabs."""

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Flask, request
from flask_babel import lazy_gettext as _l
from flask_babel import lazy_pgettext as _lp
from flask_babel.speaklater import LazyString


@dataclass(frozen=True)
class Place:
    """An entry of the menu. `tabs` are the endpoints and titles of its pages; the first is where the entry leads."""

    title: LazyString
    tabs: Sequence[tuple[str, LazyString]]
    others: Sequence[str] = ()  # blueprints of pages that tabs lead to

    @property
    def endpoint(self) -> str:
        """The endpoint that the entry leads to."""
        return self.tabs[0][0]

    def has(self, blueprint: str) -> bool:
        """Whether the pages of a blueprint belong to this place."""
        return blueprint in self.others or any(endpoint.startswith(f"{blueprint}.") for endpoint, _ in self.tabs)


PLACES = (
    Place(
        _lp("menu", "Playground"),
        (
            ("playground.page", _l("Text")),
            ("decode.page", _l("Ids")),
            ("messages.page", _l("Conversation")),
            ("pretokens.page", _l("Pre-tokens")),
            ("split.page", _l("Split")),
        ),
        ("templates",),
    ),
    Place(
        _l("Compare"),
        (
            ("compare.page", _l("Compare")),
            ("languages.page", _l("Languages")),
            ("measures.page", _l("Measures")),
            ("costs.page", _l("Models")),
        ),
    ),
    Place(
        _l("Step by step"),
        (
            ("steps.index", _lp("tab", "Encoding")),
            ("training.index", _lp("tab", "Training")),
            ("steps.race.page", _l("Race")),
        ),
    ),
    Place(_l("Chinese"), (("ambiguity.page", _l("Ambiguities")), ("evaluate.page", _l("Evaluate")))),
    Place(_l("Train"), (("train.page", _l("Train")),)),
    Place(
        _l("Vocabularies"),
        (
            ("vocabularies.index", _l("Vocabularies")),
            ("models.page", _l("Models and prices")),
            ("difference.page", _l("Difference")),
            ("expansion.page", _l("Expand")),
        ),
    ),
    Place(_lp("menu", "Learn"), (("learn.index", _lp("menu", "Learn")),)),
)


def init_app(app: Flask) -> None:
    """Make the places known to templates as `site_places`, and that of the page as `site_place`, None without one."""

    @app.context_processor
    def variables() -> dict[str, object]:
        found = (place for place in PLACES if request.blueprint and place.has(request.blueprint))
        return {"site_places": PLACES, "site_place": next(found, None)}

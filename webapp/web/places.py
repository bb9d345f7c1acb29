"""The seven places of the site: the entries of the menu, and the pages of each as tabs."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from flask import Flask, request
from flask_babel.speaklater import LazyString

from webapp.web.localization import localized


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


PLACES = [
    Place(place["title"], list(place["tabs"].items()), place.get("others", ()))
    for place in localized(files(__package__), "places.toml").values()
]


def init_app(app: Flask) -> None:
    """Make the places known to templates as `site_places`, and that of the page as `site_place`, None without one."""

    @app.context_processor
    def variables() -> dict[str, object]:
        found = (place for place in PLACES if request.blueprint and place.has(request.blueprint))
        return {"site_places": PLACES, "site_place": next(found, None)}

"""Which uploads are a visitor's own: a cookie remembers their names, and nothing on the server does."""

from __future__ import annotations

from collections.abc import Iterable

from flask import Request, Response

from webapp.storage import UnavailableStorageError
from webapp.vocabularies.catalogue import Entry
from webapp.vocabularies.library import find

COOKIE = "uploads"
REMEMBERED = 12  # uploads of one visitor
A_YEAR = 31_536_000


def uploads_of(request: Request) -> list[Entry]:
    """The uploads that the visitor's cookie names and that are there, newest first."""
    names = request.cookies.get(COOKIE, "").split(".")[:REMEMBERED]
    entries = map(found, dict.fromkeys(names))
    return [entry for entry in entries if entry is not None and entry.origin == "uploaded"]


def found(name: str) -> Entry | None:
    """What is known of a vocabulary; None too while the database does not answer: a list can do without its uploads."""
    try:
        return find(name)
    except UnavailableStorageError:
        return None


def remember(response: Response, names: Iterable[str]) -> None:
    """Keep the names of the visitor's uploads in a cookie, newest first."""
    kept = list(dict.fromkeys(names))[:REMEMBERED]
    response.set_cookie(COOKIE, ".".join(kept), max_age=A_YEAR, samesite="Lax", httponly=True)

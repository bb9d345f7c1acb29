"""Which uploads are a visitor's own, and what the files were called: a cookie remembers, and nothing on the server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import quote, unquote

from flask import Request, Response

from webapp.storage import UnavailableStorageError
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.library import find

COOKIE = "uploads"
REMEMBERED = 12  # uploads of one visitor
LONGEST_FILE = 40  # characters of a file's name
A_YEAR = 31_536_000


def uploads_of(request: Request) -> list[CatalogueEntry]:
    """The uploads that the visitor's cookie names and that are there, newest first, each with its file's name."""
    entries = []
    for part in request.cookies.get(COOKIE, "").split("!")[:REMEMBERED]:
        name, _, file = part.partition(":")
        entry = find_or_none(name)
        if entry is not None and entry.origin == "uploaded":
            entries.append(replace(entry, file=unquote(file)[:LONGEST_FILE]))
    return entries


def with_chosen(uploads: Sequence[CatalogueEntry], chosen: Iterable[str]) -> list[CatalogueEntry]:
    """A visitor's uploads, behind those of others that are chosen by name: a link may bring them."""
    mine = {entry.name for entry in uploads}
    others = (find_or_none(name) for name in dict.fromkeys(chosen) if name not in mine)
    return [*(entry for entry in others if entry is not None and entry.origin == "uploaded"), *uploads]


def find_or_none(name: str) -> CatalogueEntry | None:
    """What is known of a vocabulary; None too while the database does not answer: a list can do without its uploads."""
    try:
        return find(name)
    except UnavailableStorageError:
        return None


def remember_upload(response: Response, name: str, file: str, others: Iterable[CatalogueEntry]) -> None:
    """Keep the newest upload and those before it in a cookie: `upload-5f0c…:vocab.txt!upload-…`."""
    files = {entry.name: entry.file for entry in others}
    kept = {name: file[:LONGEST_FILE]} | {other: files[other] for other in files if other != name}
    parts = [f"{each}:{quote(called, safe='')}" for each, called in kept.items()][:REMEMBERED]
    response.set_cookie(COOKIE, "!".join(parts), max_age=A_YEAR, samesite="Lax", httponly=True)

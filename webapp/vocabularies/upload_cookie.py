"""Stores the visitor's own uploads and their file names in a cookie; the server does not store who uploaded what."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from flask import Request, Response
from flask import request as current_request

from webapp.storage import UnavailableStorageError
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.library import find
from webapp.vocabularies.upload_labels import COOKIE, LONGEST_FILE, REMEMBERED, labels_of

A_YEAR = 31_536_000
MOST_BYTES = 3_900  # browsers refuse cookies of more than 4,096 with their name and attributes


def uploads_of(request: Request) -> list[CatalogueEntry]:
    """The existing uploads in the visitor's cookie, newest first, each with its file name."""
    return [entry for entry in map(find_or_none, labels_of(request)) if entry and entry.origin == "uploaded"]


def with_chosen(uploads: Sequence[CatalogueEntry], chosen: Iterable[str]) -> list[CatalogueEntry]:
    """Other visitors' uploads that are chosen by name, for example through a link, followed by the visitor's own."""
    mine = {entry.name for entry in uploads}
    others = (find_or_none(name) for name in dict.fromkeys(chosen) if name not in mine)
    return [*(entry for entry in others if entry is not None and entry.origin == "uploaded"), *uploads]


def find_or_none(name: str) -> CatalogueEntry | None:
    """The catalogue entry of a vocabulary; None also while the database is unreachable, so that lists still work."""
    try:
        return find(name)
    except UnavailableStorageError:
        return None


def remember_upload(
    response: Response, name: str, file: str, others: Iterable[CatalogueEntry], training: str = ""
) -> None:
    """Store the new upload and earlier ones in the cookie: `upload-5f0c…:vocab.txt!upload-…`.

    What a visitor trained here has the training's id after the file name; nobody else is told that address.
    """
    known = {entry.name: (entry.file, entry.training) for entry in others}
    newest_first = {name: (file[:LONGEST_FILE], training)} | {other: known[other] for other in known if other != name}
    parts = [
        f"{upload}:{quote(label, safe='')}{id and f':{quote(id)}'}" for upload, (label, id) in newest_first.items()
    ][:REMEMBERED]
    while len("!".join(parts)) > MOST_BYTES:  # a Chinese character of a file name takes nine
        parts.pop()
    response.set_cookie(
        COOKIE, "!".join(parts), max_age=A_YEAR, samesite="Lax", httponly=True, secure=current_request.is_secure
    )

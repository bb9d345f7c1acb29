"""What a visitor's cookie says of uploads: the names of their files; the server does not store who uploaded what."""

from typing import NamedTuple
from urllib.parse import unquote

from flask import Request

COOKIE = "uploads"
REMEMBERED = 12  # uploads of one visitor
LONGEST_FILE = 40  # characters of a file's name
LONGEST_TRAINING = 22  # characters of a training's id


class UploadLabel(NamedTuple):
    """The name of an upload's file, and the id of the training that it is from, empty if it is from none."""

    file: str
    training: str


def labels_of(request: Request) -> dict[str, UploadLabel]:
    """The labels of the visitor's uploads by name, newest first.

    None on shared pages and from the API: caches keep these for all visitors.
    """
    labels: dict[str, UploadLabel] = {}
    if request.blueprint in ("share", "api"):
        return labels
    for part in request.cookies.get(COOKIE, "").split("!")[:REMEMBERED]:
        name, _, rest = part.partition(":")
        file, _, training = rest.partition(":")
        labels[name] = UploadLabel(unquote(file)[:LONGEST_FILE], training[:LONGEST_TRAINING])
    return labels

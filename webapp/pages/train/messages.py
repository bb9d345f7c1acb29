"""Sentences about corpora and trainings that failed: what is wrong, where, and what to change."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from flask_babel import format_timedelta
from flask_babel import gettext as _
from flask_babel.speaklater import LazyString

from webapp.web.localization import localized, number

MEGABYTE = 1_048_576  # bytes; what people and file managers call a megabyte
PASTED = "pasted text"  # the stored name of text without a file
LONGEST_NAME = 60  # characters of a file's name
END_SHOWN = 16  # of them after the mark of what was left out


def base_name(path: str) -> str:
    """A file's name without folders."""
    return path.replace("\\", "/").rpartition("/")[2]


def short_name(name: str) -> str:
    """A file's name without folders, shortened in the middle: its end says what kind of file it is."""
    name = _("pasted text") if name == PASTED else base_name(name)
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - END_SHOWN - 1]}…{name[-END_SHOWN:]}"


def size_in_words(size: int) -> str:
    """A number of bytes: `12.4 MB`."""
    if size < MEGABYTE:
        return _("%(size)s KB", size=number(size / 1_024, 0 if size >= 10_240 else 1))
    return _("%(size)s MB", size=number(size / MEGABYTE, 0 if size >= 100 * MEGABYTE else 1))


FAILURE_SENTENCES: Mapping[str, LazyString] = localized(files(__package__), "failures.toml")
"""What is wrong with a corpus, or why a training failed, and what to change, by the code of the error."""


def failure_sentence(code: str, details: Mapping[str, Any]) -> str:
    """What is wrong with a corpus, or why a training failed, and what to change."""
    if code in FAILURE_SENTENCES:
        return str(FAILURE_SENTENCES[code]) % _values(code, details)
    return _("Something went wrong on our side. Train again; if it fails again, choose less text or another algorithm.")


def _values(code: str, details: Mapping[str, Any]) -> dict[str, str]:
    """The details of an error as its sentence has them; those that are missing have a value too."""
    numbers = {name: number(details.get(name, 0)) for name in ("offset", "line", "possible", "needed")}
    return {
        **numbers,
        "count": number(details.get("attempts", 3)),
        "file": short_name(str(details.get("file", ""))),
        "field": str(details.get("field", ""))[:LONGEST_NAME],
        "message": str(details.get("message", "")),
        "limit": _limit(code, details.get("limit", 0)),
    }


def _limit(code: str, limit: float) -> str:
    if code == "time":
        return str(format_timedelta(max(1, round(limit))))
    return size_in_words(int(limit)) if code in ("memory", "disk") else number(limit / MEGABYTE, 0)

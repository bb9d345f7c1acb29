"""Sentences about corpora and trainings that failed: what is wrong, where, and what to change."""

from collections.abc import Mapping
from typing import Any

from flask_babel import format_timedelta
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.web.localization import number

MEGABYTE = 1_048_576  # bytes; what people and file managers call a megabyte
LONGEST_NAME = 60  # characters of a file's name
END_SHOWN = 16  # of them after the mark of what was left out


def base_name(path: str) -> str:
    """A file's name without folders."""
    return path.replace("\\", "/").rpartition("/")[2]


def short_name(name: str) -> str:
    """A file's name without folders, shortened in the middle: its end says what kind of file it is."""
    name = base_name(name)
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - END_SHOWN - 1]}…{name[-END_SHOWN:]}"


def size_in_words(size: int) -> str:
    """A number of bytes: `12.4 MB`."""
    if size < MEGABYTE:
        return _("%(size)s KB", size=number(size / 1_024, 0 if size >= 10_240 else 1))
    return _("%(size)s MB", size=number(size / MEGABYTE, 0 if size >= 100 * MEGABYTE else 1))


FAILURE_SENTENCES: Mapping[str, LazyString] = {
    # of a corpus
    "empty": _l("The corpus has no text. Paste or upload some."),
    "not_utf8": _l("“%(file)s” is not valid UTF-8 at byte %(offset)s. Save it as UTF-8 and upload it again."),
    "bad_json": _l(
        "Line %(line)s of “%(file)s” is not JSON. JSON Lines have an object on each line; upload other text under a "
        "name that ends in .txt."
    ),
    "no_field": _l(
        "Line %(line)s of “%(file)s” has no text in the field “%(field)s”. Enter the name of the field that has it."
    ),
    "long_line": _l("Line %(line)s of “%(file)s” is longer than %(limit)s MB. Split the document into several lines."),
    "damaged": _l("“%(file)s” cannot be decompressed: it is damaged or incomplete. Compress and upload it again."),
    "too_large": _l("Decompressed, the corpus is larger than %(limit)s MB. Upload a part of it."),
    "unreadable": _l("The corpus could not be read. Upload it again."),
    # of a training
    "too_small": _l(
        "The corpus is too small for this size: %(possible)s pieces are possible. Choose a smaller vocabulary, a lower "
        "minimum count or more text."
    ),
    "alphabet": _l(
        "The alphabet alone needs %(needed)s pieces, more than the vocabulary size. Choose a larger vocabulary, a "
        "lower character coverage, or BPE over bytes."
    ),
    "unsegmented": _l(
        "The corpus has no spaces or / between words, or too few. Choose how to segment it under “Words of the corpus”."
    ),
    "slow_pattern": _l("The regular expression takes too long on this corpus. Simplify it, or choose a known pattern."),
    "time": _l(
        "The training was stopped, because it needs more than %(limit)s. Choose a smaller vocabulary or less text."
    ),
    "memory": _l(
        "The training needed more memory than the %(limit)s that it may use. Choose less text or a higher minimum "
        "count."
    ),
    "disk": _l("The training needed more disk space than the %(limit)s that it may use. Choose less text."),
    # Only the core's checks of a worker with another version find this.
    "plan": _l("A setting is not possible: %(message)s Change it and train again."),
    "expired": _l(
        "No worker picked up the training within a day. Upload the corpus again, or tell the site’s operator."
    ),
    "lost": _l(
        "The worker stopped %(count)s times, so the training was abandoned. This is not your mistake: train again, and "
        "if it fails again, choose less text."
    ),
    "full": _l("This site has no storage left for new vocabularies. Please tell the site’s operator."),
}
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

"""What a failed fetch says to people, in the reader's language."""

from __future__ import annotations

from flask_babel import gettext as _

from webapp.vocabularies.https_download import FetchError
from webapp.vocabularies.wellknown import WELL_KNOWN


def sentence(error: FetchError) -> str:
    """What went wrong with a vocabulary, and what to do."""
    known = WELL_KNOWN.get(error.name)
    names = {"name": known.title if known else error.name, "host": error.host}
    match error.reason:
        case "offline":
            return _(
                "“%(name)s” could not be fetched: there is no connection to %(host)s. Everything that ships with this "
                "site works without it; try again later, or upload the file.",
                **names,
            )
        case "slow":
            return _(
                "“%(name)s” could not be fetched: %(host)s took too long to send it. Try again later, or upload the "
                "file.",
                **names,
            )
        case "cut off":
            return _(
                "“%(name)s” could not be fetched: the connection to %(host)s broke off half way. Try again in a "
                "minute, or upload the file.",
                **names,
            )
        case "missing":
            return _(
                "“%(name)s” could not be fetched: %(host)s has no such file. Choose another vocabulary, or "
                "upload the file.",
                **names,
            )
        case "refused":
            return _(
                "“%(name)s” could not be fetched: %(host)s gives it only to people who have signed up for it. Upload "
                "the file, or ask whoever runs this site to set HF_TOKEN.",
                **names,
            )
        case "failing":
            return _(
                "“%(name)s” could not be fetched: %(host)s answered with an error of its own. Try again later, or "
                "upload the file.",
                **names,
            )
        case "too large":
            return _(
                "“%(name)s” could not be fetched: what %(host)s sends is larger than this site accepts. Choose another "
                "vocabulary, or ask whoever runs this site to raise TOKENSCOPE_MAX_FETCH_BYTES.",
                **names,
            )
        case "redirected":
            return _(
                "“%(name)s” could not be fetched: %(host)s points to another site, and only the publisher's own is "
                "trusted. Choose another vocabulary, or upload the file.",
                **names,
            )
        case "checksum":
            return _(
                "“%(name)s” could not be fetched: what %(host)s sent is not the file that was published, for its "
                "checksum differs. Nothing of it was kept; try again later, or upload the file.",
                **names,
            )
        case "storage":
            return _(
                "“%(name)s” could not be kept: the folder for fetched vocabularies is full or cannot be written. "
                "Everything that ships with this site works without it; ask whoever runs this site to look at "
                "TOKENSCOPE_VOCABULARY_FOLDER.",
                **names,
            )

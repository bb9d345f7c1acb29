"""Messages about failed fetches, in the visitor's language."""

from __future__ import annotations

from flask_babel import gettext as _

from webapp.vocabularies.https_download import FetchError
from webapp.vocabularies.wellknown import WELL_KNOWN


def sentence(error: FetchError) -> str:
    """What went wrong with a vocabulary, and what to do next."""
    known = WELL_KNOWN.get(error.name)
    names = {"name": known.title if known else error.name, "host": error.host}
    match error.reason:
        case "offline":
            return _(
                "“%(name)s” could not be fetched: there is no connection to %(host)s. The built-in vocabularies work "
                "without it. Try again later, or upload the file.",
                **names,
            )
        case "slow":
            return _(
                "“%(name)s” could not be fetched: %(host)s took too long. Try again later, or upload the file.",
                **names,
            )
        case "cut off":
            return _(
                "“%(name)s” could not be fetched: the connection to %(host)s was interrupted. Try again in a minute, "
                "or upload the file.",
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
                "“%(name)s” could not be fetched: %(host)s requires an account with access to it. Upload the file, or "
                "ask the operator of this site to set HF_TOKEN.",
                **names,
            )
        case "failing":
            return _(
                "“%(name)s” could not be fetched: %(host)s reported an error. Try again later, or upload the file.",
                **names,
            )
        case "too large":
            return _(
                "“%(name)s” could not be fetched: the file from %(host)s is larger than this site accepts. Choose "
                "another vocabulary.",
                **names,
            )
        case "redirected":
            return _(
                "“%(name)s” could not be fetched: %(host)s redirects to another site, and this site trusts only the "
                "publisher’s own. Choose another vocabulary, or upload the file.",
                **names,
            )
        case "checksum":
            return _(
                "“%(name)s” could not be fetched: the checksum of the file from %(host)s is wrong, so the file was "
                "discarded. Try again later, or upload the file.",
                **names,
            )
        case "storage":
            return _(
                "“%(name)s” could not be stored: the folder for fetched vocabularies is full or not writable. The "
                "built-in vocabularies work without it. Ask the operator of this site to check "
                "TOKENSCOPE_VOCABULARY_FOLDER.",
                **names,
            )

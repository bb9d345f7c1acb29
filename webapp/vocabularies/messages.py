"""Messages about failed fetches, in the visitor's language."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.vocabularies.https_download import FetchError, Reason
from webapp.vocabularies.wellknown import WELL_KNOWN

_SENTENCES: dict[Reason, LazyString] = {
    "offline": _l(
        "“%(name)s” could not be fetched: there is no connection to %(host)s. The built-in vocabularies work "
        "without it. Try again later, or upload the file."
    ),
    "slow": _l("“%(name)s” could not be fetched: %(host)s took too long. Try again later, or upload the file."),
    "cut off": _l(
        "“%(name)s” could not be fetched: the connection to %(host)s was interrupted. Try again in a minute, "
        "or upload the file."
    ),
    "missing": _l(
        "“%(name)s” could not be fetched: %(host)s has no such file. Choose another vocabulary, or upload the file."
    ),
    "refused": _l(
        "“%(name)s” could not be fetched: %(host)s requires an account with access to it. Upload the file, or "
        "ask the operator of this site to set HF_TOKEN."
    ),
    "failing": _l("“%(name)s” could not be fetched: %(host)s reported an error. Try again later, or upload the file."),
    "too large": _l(
        "“%(name)s” could not be fetched: the file from %(host)s is larger than this site accepts. Choose "
        "another vocabulary."
    ),
    "redirected": _l(
        "“%(name)s” could not be fetched: %(host)s redirects to another site, and this site trusts only the "
        "publisher’s own. Choose another vocabulary, or upload the file."
    ),
    "checksum": _l(
        "“%(name)s” could not be fetched: the checksum of the file from %(host)s is wrong, so the file was "
        "discarded. Try again later, or upload the file."
    ),
    "storage": _l(
        "“%(name)s” could not be stored: the folder for fetched vocabularies is full or not writable. The "
        "built-in vocabularies work without it. Ask the operator of this site to check "
        "TOKENSCOPE_VOCABULARY_FOLDER."
    ),
}


def sentence(error: FetchError) -> str:
    """What went wrong with a vocabulary, and what to do next."""
    known = WELL_KNOWN.get(error.name)
    return str(_SENTENCES[error.reason]) % {"name": known.title if known else error.name, "host": error.host}

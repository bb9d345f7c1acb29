"""What error pages say for each status, in the reader's language."""

from __future__ import annotations

from flask_babel import gettext as _


def heading_for(status: int) -> str:
    """A status in words.

    >>> heading_for(413)
    'That is too much for one request'
    """
    match status:
        case 400:
            return _("That was not understood")
        case 403:
            return _("That is not allowed")
        case 404:
            return _("There is no such page")
        case 405:
            return _("That does not work here")
        case 413:
            return _("That is too much for one request")
        case 429:
            return _("That was too often")
    return _("That did not work")


def sentence_for(status: int) -> str:
    """What went wrong and what to do, as far as the status alone tells.

    >>> sentence_for(405)
    'This address does not answer that kind of request.'
    """
    match status:
        case 400:
            return _("The request could not be read. Go back and try again.")
        case 403:
            return _("A page of another site sent this, so nothing was stored. Do it on this site itself.")
        case 404:
            return _("There is no page at this address. The tool itself is on the first page.")
        case 405:
            return _("This address does not answer that kind of request.")
        case 413:
            return _("What was sent is too large. Shorten it and send it again.")
        case 429:
            return _("That was more at once than this site answers one address. Try again in a minute.")
        case 503:
            return _("The site cannot answer this at the moment. Try again in a minute.")
    if status >= 500:
        return _("Something went wrong on our side. Your text is still where you typed it; please try again.")
    return _("The request could not be answered.")

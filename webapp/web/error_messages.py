"""Headings and messages of error pages by status, in the visitor's language."""

from __future__ import annotations

from flask_babel import gettext as _


def heading_for(status: int) -> str:
    """The heading of the error page for a status.

    >>> heading_for(413)
    'Request too large'
    """
    match status:
        case 400:
            return _("Bad request")
        case 403:
            return _("Not allowed")
        case 404:
            return _("Page not found")
        case 405:
            return _("Method not allowed")
        case 413:
            return _("Request too large")
        case 429:
            return _("Too many requests")
    return _("Something went wrong")


def sentence_for(status: int) -> str:
    """What went wrong and what to do next, from the status alone.

    >>> sentence_for(405)
    'This address does not accept this request method.'
    """
    match status:
        case 400:
            return _("The site could not read the request. Go back and try again.")
        case 403:
            return _(
                "The request came from a page of another site, so nothing was stored. Send it from a page of this site."
            )
        case 404:
            return _("There is no page at this address. The playground is on the home page.")
        case 405:
            return _("This address does not accept this request method.")
        case 413:
            return _("The request is too large. Shorten it and send it again.")
        case 429:
            return _("You sent too many requests. Try again in a minute.")
        case 503:
            return _("The site cannot answer this request at the moment. Try again in a minute.")
    if status >= 500:
        return _("Something went wrong on our side. Your text is still in the form; try again.")
    return _("The site could not answer the request.")

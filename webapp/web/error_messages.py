"""Headings and messages of error pages by status, in the visitor's language."""

from __future__ import annotations

from flask_babel import gettext as _


def heading_for(status: int) -> str:
    """The heading of the error page for a status.

    >>> heading_for(413)
    'Request too large'
    """
    headings = {
        400: _("Bad request"),
        403: _("Not allowed"),
        404: _("Page not found"),
        405: _("Method not allowed"),
        413: _("Request too large"),
        429: _("Too many requests"),
    }
    return headings.get(status) or _("Something went wrong")


def sentence_for(status: int) -> str:
    """What went wrong and what to do next, from the status alone.

    >>> sentence_for(405)
    'This address does not accept this request method.'
    """
    sentences = {
        400: _("The site could not read the request. Go back and try again."),
        403: _(
            "The request came from a page of another site, so nothing was stored. Send it from a page of this site."
        ),
        404: _("There is no page at this address. The playground is on the home page."),
        405: _("This address does not accept this request method."),
        413: _("The request is too large. Shorten it and send it again."),
        429: _("You sent too many requests. Try again in a minute."),
        503: _("The site cannot answer this request at the moment. Try again in a minute."),
    }
    if status in sentences:
        return sentences[status]
    if status >= 500:
        return _("Something went wrong on our side. Your text is still in the form; try again.")
    return _("The site could not answer the request.")

"""Who may make this site store something: its own pages, not those of others.

A browser says where a form comes from (`Sec-Fetch-Site`, and `Origin`); a program says nothing, and has no visitor's
cookies to misuse.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Request


def is_foreign(request: Request) -> bool:
    """Whether a browser sent the request for a page of another site.

    `Sec-Fetch-Site: cross-site`, or where an older browser does not send it an `Origin` that is not this host.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("Origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc != request.host
    except ValueError:  # "http://[" is no address, and not this site's
        return True

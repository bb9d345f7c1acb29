"""Protection against cross-site request forgery: pages of other sites cannot make this site store something.

Browsers send the origin of a form (`Sec-Fetch-Site` and `Origin`). Programs send neither, and carry no visitor's
cookies.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Request


def is_foreign(request: Request) -> bool:
    """Whether a browser sent the request from a page of another site.

    Checks `Sec-Fetch-Site`, or `Origin` for older browsers that do not send it.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("Origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc != request.host
    except ValueError:  # not a URL, for example "http://["
        return True

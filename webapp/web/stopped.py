"""The WSGI variable that marks a request whose first attempt the server stopped."""

from __future__ import annotations

# Why the first attempt was stopped: "time" or "crash". The site does not process such a request again; it answers with
# a page that says what happened.
STOPPED = "tokenscope.stopped"

"""What the server tells the site about a request that it has stopped once."""

from __future__ import annotations

# In the WSGI environment: why the first attempt at the request was stopped, "time" or "crash". The site computes
# nothing for such a request; it answers with a page that says what happened.
STOPPED = "tokenscope.stopped"

"""The WSGI variables by which the server tells the site something about a request.

A request with `STOPPED` is not processed: the site answers with a page that says what happened and contains the
visitor's input.
"""

from __future__ import annotations

from typing import Literal

# Why: the first attempt took too long ("time") or its process ended ("crash"); or the request was not started, because
# the queue of long requests is full ("busy"), the client has too many of them ("much"), or there are more short ones
# than the site can answer ("crowded").
STOPPED = "tokenscope.stopped"
Reason = Literal["time", "crash", "busy", "much", "crowded"]
# For the last three: the seconds after which the request may be sent again, as a whole number.
RETRY_AFTER = "tokenscope.retry_after"
# The estimate of what the request costs, in seconds of processor time.
COST = "tokenscope.cost"

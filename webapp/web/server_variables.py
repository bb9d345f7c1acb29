"""What the server and the site agree on: the WSGI variables by which they say something about a request.

A request with `STOPPED` is not processed: the site answers with a page that says what happened and contains the
visitor's input.
"""

from typing import Literal

# Why: the first attempt took too long ("time") or too much memory ("memory"), or its process ended ("crash", after a
# second attempt where that is safe); or the request was not started, because the queue of long requests is full
# ("busy"), the client has too many of them ("much"), or there are more short ones than the site can answer ("crowded").
STOPPED = "tokenscope.stopped"
Reason = Literal["time", "memory", "crash", "busy", "much", "crowded"]
# For "busy", "much" and "crowded": the seconds after which the request may be sent again, as a whole number.
RETRY_AFTER = "tokenscope.retry_after"
# The estimate of what the request costs, in seconds of processor time.
COST = "tokenscope.cost"
# A function that the site calls before a request stores something that it must not store twice: the server then does
# not repeat the request if its process ends.
STORES = "tokenscope.stores"

# The path of the body, if it is too long for the socket between the front and the worker.
BODY_FILE = "tokenscope.body_file"

# The one address that takes a body as large as a corpus, and the bytes besides: names, boundaries, the plan.
UPLOAD_ADDRESS, FORM_BYTES = "/train/corpus", 1_000_000

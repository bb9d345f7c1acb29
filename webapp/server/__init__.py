"""The server: how a request reaches the site, and how long it may take there.

    client ⇄ Granian ⇄ front.py ⇄ pool.py ⇄ worker.py: the site as a WSGI application

* **Granian** (Rust) holds the connections: it parses HTTP and closes connections whose headers do not arrive.
* The **front** is a small ASGI application in one process. It reads each request to its end before anything is
  computed, and takes the answer from the worker as fast as the worker makes it, so that neither a slow sender nor a
  slow reader occupies a worker. It closes connections that are too slow, and watches the time.
* The **pool** starts the workers and hands one to each request.
* A **worker** is a process that answers one request at a time. It can be killed in the middle of anything, a C function
  that holds the interpreter's lock included: that is how a request ends that takes longer than `MAX_REQUEST_SECONDS` or
  whose client has left. All workers are forked from one process that has loaded the site, and share its memory.
"""

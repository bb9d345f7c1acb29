"""The server: passes requests to worker processes and limits the time that each request may take.

    client ⇄ Granian ⇄ front.py ⇄ pool.py ⇄ worker.py: the site as a WSGI application

* **Granian** (Rust) holds the connections: it parses HTTP and closes connections whose headers do not arrive.
* The **front** is a small ASGI application in one process. It reads each request completely before a worker starts on
  it, and buffers the worker's response, so that neither a slow sender nor a slow reader occupies a worker. It closes
  connections that are too slow, and enforces the time limit.
* The **pool** starts the workers and assigns one to each request.
* A **worker** is a process that handles one request at a time. The front can kill it at any point, even inside a C
  function that holds the interpreter lock. It does so when a request takes longer than `MAX_REQUEST_SECONDS` or its
  client disconnects. All workers are forked from one process that has loaded the site, and share its memory.
"""

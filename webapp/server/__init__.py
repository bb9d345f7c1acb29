"""The server: passes requests to worker processes, so that light requests do not wait for heavy ones.

    client ⇄ Granian ⇄ front.py ⇄ attempts.py ⇄ pool.py ⇄ worker.py: the site as a WSGI application

* **Granian** (Rust) holds the connections: it parses HTTP and closes connections whose headers do not arrive.
* The **front** is a small ASGI application in one process. It reads each request completely before a worker starts on
  it, and buffers the worker's response, so that neither a slow sender nor a slow reader occupies a worker. It closes
  connections that are too slow. When a request has ended, the front gives its record to the observers
  (`webapp/observing`).
* **Attempts** choose the lane of each request by its estimated cost (`costs.py`), and enforce the time limit.
* A **light** request gets the next free light worker. Clients take turns (`queues.py`). If there are more than the
  workers can handle, it waits for a moment only, and then gets a page that asks it to come back.
* A **heavy** request waits for one of a few heavy workers, which have the lowest priority. If it would wait too long,
  its client has too much work waiting already, or light requests have been waiting for a while, a light worker renders
  a page that says so. A light request that turns out heavy gets the lowest priority too; what it cost is remembered for
  the next time.
* The **pool** starts the workers, and more of them while many are occupied for long, so that light requests always find
  one. It bounds the memory that all requests take together.
* A **worker** is a process that handles one request at a time, each in a new thread, because Linux lets a thread lower
  its priority but not raise it again. The front can kill a worker at any point, even inside a C function that holds the
  interpreter lock. It does so when a request takes longer than `MAX_REQUEST_SECONDS` or its client disconnects. All
  workers are forked from one process that has loaded the site, and share its memory.
"""

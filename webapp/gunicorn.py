"""How gunicorn serves the site, for ``python -m webapp``, the Procfile and the tests alike.

    gunicorn --config python:webapp.gunicorn 'webapp:create_app()'

Every name below that gunicorn knows is one of its settings. Two come from the environment:

* ``PORT``: the port to listen on, 8000 if it is not set;
* ``WEB_CONCURRENCY``: the number of processes, one a core and at most four if it is not set.
"""

import gc
import os
from typing import Any

bind = f"0.0.0.0:{os.environ.get('PORT') or 8000}"

workers = int(os.environ.get("WEB_CONCURRENCY") or min(os.cpu_count() or 1, 4))
worker_class = "gthread"
threads = 4

# The vocabularies are read once, before the processes part, and are shared by all of them.
preload_app = True
os.environ.setdefault("TOKENSCOPE_PRELOAD", "true")

# Segmenting a megabyte takes a second or two; a process that says nothing for half a minute hangs.
timeout = 30
graceful_timeout = 30
keepalive = 15

# As long as gunicorn allows short of no limit at all: an address may carry the visitor's text.
limit_request_line = 8190

# Where /tmp is a disk, a busy disk would stop a worker's heartbeat.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None
control_socket_disable = True

# What proxies say is believed in one place, `webapp.web.proxies`, and as far as a setting says. Gunicorn's own rules
# would believe any program of this machine, or everybody where a platform sets FORWARDED_ALLOW_IPS.
forwarded_allow_ips = ""
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = ""

accesslog = None
errorlog = "-"
loglevel = "warning"


def when_ready(server: Any) -> None:
    """Print the address once the socket listens and the site is loaded, and keep what is loaded for good.

    Freezing takes the loaded vocabularies out of the garbage collector's sight: no collection walks
    through their hundreds of thousands of objects, and their memory stays shared between the processes.
    """
    gc.collect()
    gc.freeze()
    for listener in server.LISTENERS:
        print(f"Tokenscope is ready at {listener}", flush=True)

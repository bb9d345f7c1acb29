"""Rate limits per client address: generous for reading, strict for requests that store something.

Every URL counts, existing or not, except `/healthz` and static files that exist. Each process counts in memory, or all
processes count together in Redis or Valkey if `REDIS_URL` is set. `webapp.web.proxies` determines the client address.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from flask import Flask, current_app, request
from flask_limiter import Limit, Limiter
from limits import parse_many

from webapp.web import assets
from webapp.web.client_addresses import rate_limit_key

P = ParamSpec("P")
R = TypeVar("R")

_STORING = "_stores_something"
_RATES = {"reading": "RATE_READING", "storing": "RATE_STORING"}
HEALTH = "health.healthz"
_NOWHERE = "nowhere"  # the endpoint to count for URLs without one


def stores(view: Callable[P, R]) -> Callable[P, R]:
    """Mark a view whose POST stores something: an upload, a snapshot or a report."""
    setattr(view, _STORING, True)
    return view


def init_app(app: Flask) -> None:
    """Limit the requests of each client address to the settings `RATE_READING` and `RATE_STORING`."""
    if not (app.config["RATE_READING"] or app.config["RATE_STORING"]):
        return
    for name in _RATES.values():
        if app.config[name]:
            parse_many(app.config[name])  # raises ValueError at the start for an invalid setting
    limiter = Limiter(
        lambda: rate_limit_key(request.remote_addr or "127.0.0.1"),
        # One limit that chooses its rate: with two, each request would evaluate both and discard one.
        default_limits=[Limit(lambda: app.config[_RATES[_kind()]], scope=lambda _endpoint: _kind(), shared=True)],
        storage_uri=_storage(app),
        request_identifier=_counted_endpoint,
        in_memory_fallback_enabled=True,
        swallow_errors=True,
        key_prefix="tokenscope",
    )
    limiter.request_filter(lambda: request.endpoint == HEALTH or assets.is_known(request))
    limiter.init_app(app)


def _counted_endpoint() -> str:
    """The endpoint under which Flask-Limiter counts the request.

    Flask-Limiter itself ignores `static` and URLs without an endpoint. Both count here: a response with status 404 is
    a complete page and costs as much as one.
    """
    return request.endpoint if request.endpoint and request.endpoint != assets.ENDPOINT else _NOWHERE


def seconds_left() -> int:
    """The seconds until a request over the limit may be repeated; at least 1."""
    for limiter in current_app.extensions.get("limiter", ()):
        limit = limiter.current_limit
        if limit is not None and limit.breached:
            return max(1, int(limit.reset_at - time.time()))
    return 60


def _kind() -> str:
    view = current_app.view_functions.get(request.endpoint or "")
    return "storing" if request.method == "POST" and getattr(view, _STORING, False) else "reading"


def _storage(app: Flask) -> str:
    url: str = app.config.get("REDIS_URL") or os.environ.get("REDIS_URL") or "memory://"
    return url.replace("valkey://", "redis://", 1).replace("valkeys://", "rediss://", 1)

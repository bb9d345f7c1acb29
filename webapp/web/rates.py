"""How often one address may ask: generous for reading, tight for what stores something.

Every address counts, known or not; only `/healthz` and static files that exist are free. Counted in memory, each
process for itself, or in Redis or Valkey for all of them together where `REDIS_URL` is set. Whose request it is comes
from `webapp.web.proxies`.
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
from webapp.web.client_addresses import counted_as

P = ParamSpec("P")
R = TypeVar("R")

_STORING = "_stores_something"
_RATES = {"reading": "RATE_READING", "storing": "RATE_STORING"}
HEALTH = "health.healthz"
_NOWHERE = "nowhere"  # stands for the endpoint of an address that has none


def stores(view: Callable[P, R]) -> Callable[P, R]:
    """Mark a view whose POST keeps something: uploads, snapshots, reports."""
    setattr(view, _STORING, True)
    return view


def init_app(app: Flask) -> None:
    """Count requests by the address they come from, as the settings `RATE_READING` and `RATE_STORING` say."""
    if not (app.config["RATE_READING"] or app.config["RATE_STORING"]):
        return
    for name in _RATES.values():
        if app.config[name]:
            parse_many(app.config[name])  # a mistake in a setting is told at the start
    limiter = Limiter(
        lambda: counted_as(request.remote_addr or "127.0.0.1"),
        # One limit that says which it is: two would be looked up with every request, and one of them put aside again.
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
    """The endpoint that Flask-Limiter counts the request for.

    Flask-Limiter never counts `static`, nor an address without an endpoint. Both are counted here: an answer with
    status 404 is a whole page, and costs as much as one.
    """
    return request.endpoint if request.endpoint and request.endpoint != assets.ENDPOINT else _NOWHERE


def seconds_left() -> int:
    """How long to wait before asking again, where this request was one too many; at least a second."""
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

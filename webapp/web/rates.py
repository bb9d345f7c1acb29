"""How often one address may ask: generous for reading, tight for what stores something.

Counted in memory, each process for itself, or in Redis or Valkey for all of them together where `REDIS_URL` is set.
Whose request it is comes from `webapp.web.proxies`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from ipaddress import IPv6Network, ip_address
from typing import ParamSpec, TypeVar

from flask import Flask, current_app, request
from flask_limiter import Limit, Limiter
from limits import parse_many

P = ParamSpec("P")
R = TypeVar("R")

_STORING = "_stores_something"
_RATES = {"reading": "RATE_READING", "storing": "RATE_STORING"}
FREE = ("static", "health.healthz")  # endpoints that are never counted


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
        in_memory_fallback_enabled=True,
        swallow_errors=True,
        key_prefix="tokenscope",
    )
    limiter.request_filter(lambda: request.endpoint in FREE)
    limiter.init_app(app)


def seconds_left() -> int:
    """How long to wait before asking again, where this request was one too many; at least a second."""
    for limiter in current_app.extensions.get("limiter", ()):
        limit = limiter.current_limit
        if limit is not None and limit.breached:
            return max(1, int(limit.reset_at - time.time()))
    return 60


def counted_as(address: str) -> str:
    """Who is counted: an address, or the network of an IPv6 address, /64, of which one visitor has all 2**64.

    >>> counted_as("192.0.2.7"), counted_as("2001:db8:0:1:5::9"), counted_as("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:0:1::', '192.0.2.7')
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:  # what a proxy tells may be anything
        return address
    if found.version == 4:
        return str(found)
    return str(found.ipv4_mapped or IPv6Network((int(found) >> 64 << 64, 64)).network_address)


def _kind() -> str:
    view = current_app.view_functions.get(request.endpoint or "")
    return "storing" if request.method == "POST" and getattr(view, _STORING, False) else "reading"


def _storage(app: Flask) -> str:
    url: str = app.config.get("REDIS_URL") or os.environ.get("REDIS_URL") or "memory://"
    return url.replace("valkey://", "redis://", 1).replace("valkeys://", "rediss://", 1)

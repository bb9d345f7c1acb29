"""The rate of work of each client address: limits what its requests cost, in seconds of processor time.

A number of requests alone says little: 1,200 a minute are fine for 1 KB, and ruinous for six tokenizers on 1 MB. The
server passes its estimate of a request's cost (`COST`). If that is more than what is left, the request is refused;
otherwise it is deducted, and corrected to the real cost when the response is complete. Without an estimate, only the
real cost counts. Requests that are estimated to take less than `LEAST_COUNTED_SECONDS` are never refused, because
`RATE_READING` bounds them: a class that shares an address with a heavy user still reads pages and tokenizes
short texts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial

from flask import Flask, Response, g, request
from flask_limiter import Limit, Limiter, RateLimitExceeded
from limits import RateLimitItem, parse_many

from webapp.web.server_variables import COST, STOPPED

log = logging.getLogger(__name__)

# The cost in seconds from which a request is limited and counted.
LEAST_COUNTED_SECONDS = 0.25
SCOPE = "work"
# The library counts whole numbers: milliseconds.
UNITS = 1_000


def limits_of(setting: str) -> list[RateLimitItem]:
    """The limits of the setting `RATE_WORK`, in milliseconds of work; raises ValueError if it is invalid.

    >>> limits_of("120 per minute")
    [120000 per 1 minute]
    """
    seconds = parse_many(setting) if setting else []
    return [type(item)(item.amount * UNITS, item.multiples, item.namespace) for item in seconds]


def limit_of(setting: str) -> Limit:
    """The limit to give to Flask-Limiter, which only checks it: `init_app` deducts."""
    items = limits_of(setting)
    most = min((item.amount for item in items), default=0)
    return Limit(
        "; ".join(f"{item.amount} per {item.multiples} {item.GRANULARITY.name}" for item in items),
        scope=SCOPE,
        shared=True,
        cost=lambda: min(_units(_estimate() or 0.0), most) or 1,
        exempt_when=_is_light,
        deduct_when=lambda _response: False,
    )


def init_app(app: Flask, limiter: Limiter, client_of: Callable[[], str], setting: str) -> None:
    """Deduct the cost of each request from what its client has left.

    Call this after `limiter.init_app`: requests that are refused cost nothing.
    """
    items = limits_of(setting)
    most = min(item.amount for item in items)

    def deduct(client: str, units: int) -> None:
        for item in items if units else ():
            try:
                limiter.limiter.hit(item, "tokenscope", client, SCOPE, cost=units)
            except Exception as error:  # Redis is away: Flask-Limiter notices by itself
                log.debug("Work was not counted: %s", error)

    def settle(client: str, begun: float, deducted: int) -> None:
        units = _units(time.thread_time() - begun)
        deduct(client, (units if units >= _units(LEAST_COUNTED_SECONDS) else 0) - deducted)

    @app.before_request
    def begin() -> None:
        client = client_of()
        deducted = 0 if _is_light() else min(_units(_estimate() or 0.0), most)
        deduct(client, deducted)
        g.work = partial(settle, client, time.thread_time(), deducted)

    @app.after_request
    def end(response: Response) -> Response:
        if settling := g.get("work"):
            response.call_on_close(settling)
        elif request.environ.get(STOPPED) == "time":  # ended in the middle, with what was deducted for it
            units = _units(app.config["MAX_REQUEST_SECONDS"])
            deduct(client_of(), units - (0 if _is_light() else min(_units(_estimate() or 0.0), most, units)))
        return response


def is_about_work(error: Exception) -> bool:
    """Whether a request was refused for its cost."""
    return isinstance(error, RateLimitExceeded) and getattr(error.limit, "scope", None) == SCOPE


def _estimate() -> float | None:
    try:
        return float(request.environ[COST])
    except (KeyError, ValueError):
        return None


def _is_light() -> bool:
    estimate = _estimate()
    return estimate is not None and estimate < LEAST_COUNTED_SECONDS


def _units(seconds: float) -> int:
    return round(seconds * UNITS)

"""Rate limits per client address: generous for reading, strict for requests that store something or cost a lot.

Every URL counts, existing or not, except `/healthz`, `/readyz` and static files that exist. The processes of a machine
count together in a file (`webapp.web.rate_counts`), those of all machines in Redis or Valkey if `REDIS_URL` is set.
Each counts for itself while that cannot be reached. `webapp.web.proxies` determines the client address.

A number of requests alone says little: 1,200 a minute are fine for 1 KB, and ruinous for six tokenizers on 1 MB. So
each address has a rate of work, in seconds of processor time. The server passes its estimate of a request's cost
(`COST`). If that is more than what is left, the request is refused; otherwise it is deducted, and corrected to the real
cost when the response is complete. Without an estimate, only the real cost counts. Requests that are estimated to take
less than `LEAST_COUNTED_SECONDS` are never refused, because `RATE_READING` bounds them: a class that shares an address
with a heavy user still reads pages and tokenizes short texts.
"""

import logging
import os
import time
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from tempfile import gettempdir
from typing import Any, ParamSpec, TypeVar

from flask import Flask, Response, current_app, g, request
from flask_limiter import Limit, Limiter, RateLimitExceeded
from limits import RateLimitItem, parse_many

from webapp.storage import storage_of
from webapp.storage.engine import missing
from webapp.web import assets, rate_counts
from webapp.web.client_addresses import rate_limit_key
from webapp.web.server_variables import COST, STOPPED, STORES

log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

_STORING = "_stores_something"
_RATES = {"reading": "RATE_READING", "storing": "RATE_STORING"}
HEALTH = frozenset(("health.healthz", "health.readyz"))  # monitors ask often, and all from one address
SCOPE = "work"
# The cost in seconds from which a request is limited and counted.
LEAST_COUNTED_SECONDS = 0.25
# The library counts whole numbers: milliseconds.
UNITS = 1_000
# How long a request waits for its count, in seconds: a count is worth less than the visitor's time.
MOST_SECONDS = 1.0
_NOWHERE = "nowhere"  # the endpoint to count for URLs without one


def stores(view: Callable[P, R]) -> Callable[P, R]:
    """Mark a view whose POST stores something new each time: a snapshot, a corpus, a training or a report."""

    @wraps(view)
    def storing(*arguments: P.args, **named: P.kwargs) -> R:
        if request.method == "POST" and (tell := request.environ.get(STORES)):
            tell()
        return view(*arguments, **named)

    return stores_by_hash(storing)


def stores_by_hash(view: Callable[P, R]) -> Callable[P, R]:
    """Mark a view whose POST stores something under the hash of its content, so that it may be repeated: an upload."""
    setattr(view, _STORING, True)
    return view


def init_app(app: Flask) -> None:
    """Limit the requests of each client address to the settings `RATE_READING`, `RATE_STORING` and `RATE_WORK`.

    Raises ValueError, with a message for the operator, for an invalid setting.
    """
    uri, options = _storage(app)
    limits = {name: _limits(name, app.config[name]) for name in (*_RATES.values(), "RATE_WORK")}
    if not any(limits.values()):
        return
    work = [type(each)(each.amount * UNITS, each.multiples, each.namespace) for each in limits["RATE_WORK"]]
    limiter = Limiter(
        _client,
        # One limit that chooses its rate: with two, each request would evaluate both and discard one.
        default_limits=[
            Limit(lambda: app.config[_RATES[_kind()]], scope=lambda _endpoint: _kind(), shared=True),
            *([_limit_of(work)] if work else []),
        ],
        storage_uri=uri,
        storage_options=options,
        request_identifier=_counted_endpoint,
        in_memory_fallback_enabled=True,
        swallow_errors=True,
        key_prefix="tokenscope",
    )
    limiter.request_filter(lambda: request.endpoint in HEALTH or assets.is_known(request))
    limiter.init_app(app)
    if work:
        _count_work(app, limiter, work)


def _limits(name: str, rate: object) -> list[RateLimitItem]:
    try:
        return parse_many(str(rate)) if rate else []
    except ValueError:
        raise ValueError(
            f"TOKENSCOPE_{name} must be a rate such as “20 per minute, 200 per hour”, or empty, not {rate!r}"
        ) from None


def _client() -> str:
    return rate_limit_key(request.remote_addr or "127.0.0.1")


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


def is_storing() -> bool:
    """Whether the request may store something."""
    view = current_app.view_functions.get(request.endpoint or "")
    return request.method == "POST" and getattr(view, _STORING, False)


def _kind() -> str:
    return "storing" if is_storing() else "reading"


def _storage(app: Flask) -> tuple[str, dict[str, Any]]:
    """Where to count, and the options of that storage."""
    seconds = min(MOST_SECONDS, app.config["MAX_DATABASE_SECONDS"])
    url: str = app.config.get("REDIS_URL") or os.environ.get("REDIS_URL") or ""
    if not url:
        # Beside the site's file, not in it: a count must not wait for an upload.
        file = storage_of(app).database.file or Path(gettempdir(), "tokenscope.sqlite")
        file = file.with_name(f"{file.stem}-rates{file.suffix}")
        return rate_counts.URI, {"file": str(file), "seconds": seconds}
    if url.partition("://")[0] not in ("redis", "rediss", "valkey", "valkeys"):
        raise ValueError("REDIS_URL is not understood: it should look like redis://host:6379/0")  # may have a password
    if lacking := missing("redis", "redis"):
        raise ValueError(f"REDIS_URL names a Redis server. {lacking}")
    return url.replace("valkey://", "redis://", 1).replace("valkeys://", "rediss://", 1), redis_timeouts(seconds)


def redis_timeouts(seconds: float) -> dict[str, Any]:
    """Options of a connection whose waits are within `seconds` each; by default, redis-py tries up to ten times."""
    from redis.backoff import NoBackoff  # its package is an extra
    from redis.retry import Retry

    return {"socket_timeout": seconds, "socket_connect_timeout": seconds, "retry": Retry(NoBackoff(), 0)}


def is_about_work(error: Exception) -> bool:
    """Whether a request was refused for its cost."""
    return isinstance(error, RateLimitExceeded) and getattr(error.limit, "scope", None) == SCOPE


def _limit_of(items: Sequence[RateLimitItem]) -> Limit:
    """The limit of work to give to Flask-Limiter, which only checks it: `_count_work` deducts."""
    most = min(item.amount for item in items)
    return Limit(
        "; ".join(f"{item.amount} per {item.multiples} {item.GRANULARITY.name}" for item in items),
        scope=SCOPE,
        shared=True,
        cost=lambda: min(_units(_estimate() or 0.0), most) or 1,
        exempt_when=_is_light,
        deduct_when=lambda _response: False,
    )


def _count_work(app: Flask, limiter: Limiter, items: Sequence[RateLimitItem]) -> None:
    """Deduct the cost of each request from what its client has left.

    Call this after `limiter.init_app`: requests that are refused cost nothing.
    """
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
        client = _client()
        deducted = 0 if _is_light() else min(_units(_estimate() or 0.0), most)
        deduct(client, deducted)
        g.work = partial(settle, client, time.thread_time(), deducted)

    @app.after_request
    def end(response: Response) -> Response:
        if settling := g.get("work"):
            response.call_on_close(settling)
        elif request.environ.get(STOPPED) == "time":  # ended in the middle, with what was deducted for it
            units = _units(app.config["MAX_REQUEST_SECONDS"])
            deduct(_client(), units - (0 if _is_light() else min(_units(_estimate() or 0.0), most, units)))
        return response


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

"""Time limits for connections to Redis or Valkey."""

from __future__ import annotations

from typing import Any


def redis_timeouts(seconds: float) -> dict[str, Any]:
    """Options of a connection whose waits are within `seconds` each; by default, redis-py tries up to ten times."""
    from redis.backoff import NoBackoff  # its package is an extra
    from redis.retry import Retry

    return {"socket_timeout": seconds, "socket_connect_timeout": seconds, "retry": Retry(NoBackoff(), 0)}

"""Checks Redis, which counts requests and has the queue of trainings."""

from __future__ import annotations

from collections.abc import Iterator

from redis import Redis, RedisError

from webapp.command_line.doctor.finding import Finding, Installation, fail, ok, warn


def connect(installation: Installation) -> Redis:
    """A connection with a time limit, which opens when it is used; raises ValueError for an invalid address."""
    address = installation.redis.replace("valkey://", "redis://", 1).replace("valkeys://", "rediss://", 1)
    seconds = installation.seconds
    return Redis.from_url(address, socket_timeout=seconds, socket_connect_timeout=seconds)


def check(installation: Installation) -> Iterator[Finding]:
    """The findings on the queue."""
    if not installation.redis:
        yield ok("REDIS_URL is not set: the queue is in the database, and each worker counts requests for itself.")
        return
    try:
        with connect(installation) as redis:
            redis.ping()
            told = redis.info()
    except (RedisError, OSError, ValueError) as error:
        advice = "Start Redis, or correct REDIS_URL. Without it, trainings wait, and each worker counts for itself."
        yield fail(f"Redis cannot be reached: {error}", advice)
        return
    yield ok(f"Redis {told.get('redis_version', '')} answers.")
    if str(told.get("maxmemory_policy", "")).startswith("allkeys"):
        yield warn(
            "Redis may delete the queue when its memory is full (maxmemory-policy).",
            "Set maxmemory-policy to noeviction or volatile-ttl.",
        )
    if told.get("role") == "slave":
        yield fail("This Redis is a replica, which cannot be written.", "Name the primary server in REDIS_URL.")

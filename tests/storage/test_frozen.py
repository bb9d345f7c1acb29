"""PostgreSQL and Redis that accept connections but answer nothing: no request waits longer than the settings say."""

from __future__ import annotations

import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.postgres import Cluster
from tests.redis_server import RedisServer
from tests.serving import serving

REQUESTS = 40
WORKERS = 4
SECONDS = 2
# What a request may take besides waiting, on a machine that other tests use too.
SLACK = 3.0


def answer(address: str, form: dict[str, str] | None = None) -> tuple[int, float]:
    """Return the status of a response, and the seconds until its end."""
    data = None if form is None else urllib.parse.urlencode(form).encode()
    began = time.monotonic()
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data=data), timeout=120) as response:
            response.read()
            return response.status, time.monotonic() - began
    except urllib.error.HTTPError as error:
        error.read()
        return error.code, time.monotonic() - began


def answers(address: str, link: str, count: int = REQUESTS) -> list[tuple[int, float]]:
    """Return the answers to readers and to some who share, as many at once as the site has workers."""
    with ThreadPoolExecutor(WORKERS) as pool:
        asked = [
            pool.submit(answer, f"{address}/share", {"text": f"text {number}"})
            if number % 4 == 3
            else pool.submit(answer, link)
            for number in range(count)
        ]
        return [each.result() for each in asked]


def share(address: str) -> str:
    """Share a result; return its link."""
    data = urllib.parse.urlencode({"text": "low lower"}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{address}/share", data=data), timeout=60) as response:
        return address + str(response.headers["Location"])


@pytest.mark.exhaustive
def test_no_request_waits_longer_for_a_frozen_postgresql(postgres: Cluster) -> None:
    environment = {
        "DATABASE_URL": postgres.empty(),
        "TOKENSCOPE_MAX_DATABASE_SECONDS": str(SECONDS),
        "WEB_CONCURRENCY": str(WORKERS),
    }
    with serving(environment=environment) as site:
        link = share(site.address)
        assert {status for status, _seconds in answers(site.address, link, 8)} == {200, 201}
        with postgres.frozen():
            frozen = answers(site.address, link)
        assert {status for status, _seconds in frozen} == {503}
        assert max(seconds for _status, seconds in frozen) < SECONDS + SLACK
        time.sleep(SECONDS)
        assert {status for status, _seconds in answers(site.address, link, 8)} == {200, 201}


@pytest.mark.exhaustive
def test_no_request_waits_longer_for_a_frozen_redis(redis: RedisServer) -> None:
    environment = {
        "REDIS_URL": redis.url,
        "TOKENSCOPE_MAX_DATABASE_SECONDS": str(SECONDS),
        "TOKENSCOPE_RATE_READING": "100000 per minute",
        "WEB_CONCURRENCY": str(WORKERS),
    }
    with serving(environment=environment) as site:
        link = share(site.address)
        assert {status for status, _seconds in answers(site.address, link, 8)} == {200, 201}
        with redis.frozen():
            frozen = answers(site.address, link)
        assert {status for status, _seconds in frozen} == {200, 201}
        assert max(seconds for _status, seconds in frozen) < SECONDS + SLACK

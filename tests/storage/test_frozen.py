"""PostgreSQL and Redis that accept connections but answer nothing: no request waits longer than the settings say."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.postgres import Cluster
from tests.redis_server import RedisServer
from tests.serving import Answer, ask, serving

REQUESTS = 40
WORKERS = 4
SECONDS = 2
# What a request may take besides waiting, on a machine that other tests use too.
SLACK = 3.0


def answers(address: str, link: str, count: int = REQUESTS) -> list[Answer]:
    """Return the answers to readers and to some who share, as many at once as the site has workers."""

    def asked(number: int) -> Answer:
        return ask(address, "/share", {"text": f"text {number}"}) if number % 4 == 3 else ask(address, link)

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(asked, range(count)))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("what", "statuses"), [("postgres", {503}), ("redis", {200, 201})])
def test_no_request_waits_longer_for_what_is_frozen(
    what: str, statuses: set[int], request: pytest.FixtureRequest
) -> None:
    server: Cluster | RedisServer = request.getfixturevalue(what)
    own = {"REDIS_URL": server.url} if isinstance(server, RedisServer) else {"DATABASE_URL": server.empty()}
    limits = {"TOKENSCOPE_MAX_DATABASE_SECONDS": str(SECONDS), "TOKENSCOPE_RATE_READING": "100000 per minute"}
    limits |= {"TOKENSCOPE_PRELOAD": "false", "WEB_CONCURRENCY": str(WORKERS)}
    with serving(environment={**own, **limits}) as site:
        link = ask(site.address, "/share", {"text": "low lower"}).headers["Location"]
        # Each worker loads its vocabulary now, which takes seconds beside other tests.
        assert {answer.status for answer in answers(site.address, link)} == {200, 201}
        with server.frozen():
            frozen = answers(site.address, link)
        assert {answer.status for answer in frozen} == statuses
        assert max(answer.seconds for answer in frozen) < SECONDS + SLACK
        time.sleep(SECONDS)
        assert {answer.status for answer in answers(site.address, link, 8)} == {200, 201}

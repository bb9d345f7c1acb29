"""One server for all tests that need no settings of their own; and tests of what runs in an event loop."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any, TypeVar

import pytest

from tests.serving import Site, serving


@pytest.fixture(scope="package")
def site() -> Iterator[Site]:
    """The site with additional addresses that are slow, crash or hoard memory."""
    environment = {"WEB_CONCURRENCY": "2", "TOKENSCOPE_MAX_UPLOAD_BYTES": "2000000"}
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        yield site


T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run in a new thread, since in that of the tests Playwright leaves an event loop running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Make an asynchronous function a test."""

    @wraps(test)
    def running(**fixtures: Any) -> None:
        run(test(**fixtures))

    return running

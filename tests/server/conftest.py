"""One server for all tests that need no settings of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serving import Site, serving


@pytest.fixture(scope="package")
def site() -> Iterator[Site]:
    """The site with additional addresses that are slow, crash or hoard memory."""
    environment = {"WEB_CONCURRENCY": "2", "TOKENSCOPE_MAX_UPLOAD_BYTES": "2000000"}
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        yield site

"""The slow clients of `tests.attacks` report only what the server really does."""

from __future__ import annotations

import socket
import sys

import pytest

from tests.attacks.crowd import Crowd
from tests.attacks.site import held_at

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="connections are looked up in /proc")


def test_only_connections_that_the_server_has_closed_count_as_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        crowd = Crowd("slow bodies", address, 4)
        crowd.open()
        accepted = [server.accept()[0] for _ in range(4)]
        crowd.look(held_at(address[1]))
        assert crowd.closed_after == {}
        closed, remaining = accepted[:3], accepted[3]
        ends = {connection.getpeername() for connection in closed}
        for connection in closed:
            connection.close()
        crowd.look(held_at(address[1]))
        assert set(crowd.closed_after) == ends
        remaining.close()
        crowd.close()

"""The operator's settings: what they mean, and the reason for those that cannot be used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from webapp.observing.options import from_environment, options_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("networks", "address", "shown"),
    [
        ("", "127.0.0.1", False),
        *(
            ("127.0.0.1 10.0.0.0/8, 2001:db8::/32", address, shown)
            for shown, addresses in {
                True: ("127.0.0.1", "10.255.0.1", "::ffff:10.1.1.1", "2001:db8::5"),
                False: ("fe80::1%eth0", "11.0.0.1", "2001:db9::5", "", "unix:", "10.0.0.1, 10.0.0.2"),
            }.items()
            for address in addresses
        ),
    ],
)
def test_metrics_are_for_the_named_networks(networks: str, address: str, shown: bool):
    options = from_environment({"TOKENSCOPE_METRICS_NETWORKS": networks})
    assert options.shows_metrics(address) is shown
    assert not options.shows_metrics(address, "203.0.113.9")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"METRICS_NETWORKS": "10.0.0.1/8"}, "TOKENSCOPE_METRICS_NETWORKS .* 10.0.0.1/8 has host bits set"),
        ({"METRICS_NETWORKS": "localhost"}, "TOKENSCOPE_METRICS_NETWORKS .* 'localhost'"),
        ({"LOG": "json names"}, "TOKENSCOPE_LOG must be"),
    ],
)
def test_an_invalid_setting_is_refused_with_the_reason(settings: dict[str, object], why: str):
    with pytest.raises(ValueError, match=why):
        options_of(settings)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("TOKENSCOPE_LOG", "xml", "TOKENSCOPE_LOG must be json, text, json addresses or empty"),
        ("WEB_CONCURRENCY", "-3", "WEB_CONCURRENCY must be a whole number above 0, not '-3'"),
    ],
)
def test_the_server_does_not_start_with_an_invalid_setting(name: str, value: str, why: str):
    environment = {**os.environ, name: value, "PORT": "1", "TOKENSCOPE_WORKER": "false"}
    command = [sys.executable, "-m", "webapp"]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert run.stderr.startswith("Tokenscope cannot start: ")
    assert why in run.stderr
    assert "Traceback" not in run.stderr

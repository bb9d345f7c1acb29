"""The operator's settings: what they mean, and the reason for those that cannot be used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from webapp.observing.options import from_environment, log_form, options_of

ROOT = Path(__file__).resolve().parents[2]


def test_by_default_nothing_is_observed():
    options = from_environment({})
    assert (options.log, options.metrics_networks, options.traces, options.log_addresses) == ("", (), "", False)
    assert not options.shows_metrics("127.0.0.1")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("127.0.0.1", True),
        ("10.255.0.1", True),
        ("::ffff:10.1.1.1", True),
        ("2001:db8::5", True),
        ("fe80::1%eth0", False),
        ("11.0.0.1", False),
        ("2001:db9::5", False),
        ("", False),
        ("unix:", False),
        ("10.0.0.1, 10.0.0.2", False),
    ],
)
def test_metrics_are_for_the_named_networks(address: str, shown: bool):
    options = from_environment({"TOKENSCOPE_METRICS_NETWORKS": "127.0.0.1 10.0.0.0/8, 2001:db8::/32"})
    assert options.shows_metrics(address) is shown
    assert not options.shows_metrics(address, "203.0.113.9")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"METRICS_NETWORKS": "10.0.0.1/8"}, "TOKENSCOPE_METRICS_NETWORKS .* 10.0.0.1/8 has host bits set"),
        ({"METRICS_NETWORKS": "localhost"}, "TOKENSCOPE_METRICS_NETWORKS .* 'localhost'"),
        ({"LOG": "JSON"}, "TOKENSCOPE_LOG must be json, text, json addresses or empty, not 'JSON'"),
        ({"LOG": "json names"}, "TOKENSCOPE_LOG must be"),
    ],
)
def test_an_invalid_setting_is_refused_with_the_reason(settings: dict[str, object], why: str):
    with pytest.raises(ValueError, match=why):
        options_of(settings)


@pytest.mark.parametrize(
    ("environment", "traces"),
    [
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, "otlp"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, "otlp"),
        ({"OTEL_TRACES_EXPORTER": "console"}, "console"),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, ""),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, ""),
        ({"OTEL_SERVICE_NAME": "tokens"}, ""),
    ],
)
def test_the_standard_variables_ask_for_traces(environment: dict[str, str], traces: str):
    assert from_environment(environment).traces == traces


def test_a_protocol_that_is_not_installed_is_refused():
    with pytest.raises(ValueError, match="OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not 'grpc'"):
        from_environment({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})


def test_traces_without_their_extra_are_refused_with_the_command_to_install_it():
    # A process that cannot find the library, as after an installation without the extra.
    script = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from webapp.observing.options import from_environment\n"
        "from_environment({'OTEL_TRACES_EXPORTER': 'otlp'})\n"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "pip install '.[telemetry]'" in run.stderr


def test_the_log_can_be_set_up_before_the_settings_are_checked():
    assert log_form({"TOKENSCOPE_LOG": "json addresses"}) == "json"
    assert log_form({"TOKENSCOPE_LOG": "xml"}) == ""


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("TOKENSCOPE_METRICS_NETWORKS", "10.0.0.1/8", "has host bits set"),
        ("TOKENSCOPE_LOG", "xml", "TOKENSCOPE_LOG must be json, text, json addresses or empty"),
        ("WEB_CONCURRENCY", "many", "WEB_CONCURRENCY must be a whole number above 0, not 'many'"),
        ("WEB_CONCURRENCY", "-3", "WEB_CONCURRENCY must be a whole number above 0, not '-3'"),
    ],
)
def test_the_server_does_not_start_with_an_invalid_setting(name: str, value: str, why: str):
    environment = {**os.environ, name: value, "PORT": "1", "TOKENSCOPE_WORKER": "false"}
    run = subprocess.run(
        [sys.executable, "-m", "webapp"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 1
    assert run.stderr.startswith("Tokenscope cannot start: ")
    assert why in run.stderr
    assert "Traceback" not in run.stderr

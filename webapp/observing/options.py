"""The settings of the observers. The front reads them from the environment, because it does not load the site."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, Literal, cast

LogForm = Literal["", "json", "text"]
PREFIX = "TOKENSCOPE_"
# The variable by which tests replace constants (`webapp.settings`): a JSON object.
HOOK = "TOKENSCOPE_CONSTANTS"
SLOW_SECONDS = 5.0
# What the extra `telemetry` installs.
TELEMETRY = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


@dataclass(frozen=True)
class Options:
    """How the site is observed: the settings of the same names (`webapp.settings`), and whether there are traces."""

    log: LogForm = ""
    log_addresses: bool = False
    slow_seconds: float = SLOW_SECONDS
    metrics_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    traces: Literal["", "otlp", "console"] = ""

    def shows_metrics(self, *addresses: str) -> bool:
        """Whether all of the addresses are in networks that may read the metrics.

        >>> here = options_of({"METRICS_NETWORKS": "127.0.0.1 10.0.0.0/8"})
        >>> here.shows_metrics("127.0.0.1", "10.2.3.4"), here.shows_metrics("127.0.0.1", "192.0.2.7")
        (True, False)
        """
        return bool(self.metrics_networks) and all(map(self._is_inside, addresses))

    def _is_inside(self, address: str) -> bool:
        try:
            parsed = ip_address(address.partition("%")[0])
        except ValueError:  # a proxy may send anything
            return False
        if parsed.version == 6 and parsed.ipv4_mapped:
            parsed = parsed.ipv4_mapped
        return any(parsed.version == network.version and parsed in network for network in self.metrics_networks)


def options_of(settings: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Options:
    """The options from the site's settings, and OpenTelemetry's own variables in `environment`.

    Raises ValueError, with a message for the operator, for an invalid setting and for traces without their extra.
    """
    form, *more = str(settings.get("LOG") or "").split() or [""]
    if form not in ("", "json", "text") or more not in ([], ["addresses"]):
        raise ValueError(f"TOKENSCOPE_LOG must be json, text, json addresses or empty, not {settings['LOG']!r}")
    return Options(
        log=cast(LogForm, form),
        log_addresses=bool(more),
        slow_seconds=float(settings.get("SLOW_SECONDS", SLOW_SECONDS)),
        metrics_networks=_networks(str(settings.get("METRICS_NETWORKS") or "")),
        traces=_traces(environment or {}),
    )


def from_environment(environment: Mapping[str, str] = os.environ) -> Options:
    """The options from the environment; raises ValueError as `options_of` does.

    >>> from_environment({"TOKENSCOPE_LOG": "json addresses"}).log_addresses
    True
    """
    settings = {name: environment.get(f"{PREFIX}{name}", "") for name in ("LOG", "METRICS_NETWORKS")}
    return options_of({**settings, **json.loads(environment.get(HOOK) or "{}")}, environment)


def log_form(environment: Mapping[str, str] = os.environ) -> LogForm:
    """The setting `LOG` alone; empty if it is invalid, which `options_of` reports."""
    form = environment.get(f"{PREFIX}LOG", "").partition(" ")[0]
    return cast(LogForm, form) if form in ("json", "text") else ""


def _networks(names: str) -> tuple[IPv4Network | IPv6Network, ...]:
    networks = []
    for name in names.replace(",", " ").split():
        try:
            networks.append(ip_network(name))
        except ValueError as error:
            raise ValueError(f"TOKENSCOPE_METRICS_NETWORKS must be networks such as 10.0.0.0/8: {error}") from None
    if networks and not _is_installed("prometheus_client"):
        raise ValueError(
            "TOKENSCOPE_METRICS_NETWORKS asks for metrics, which need an extra; in the clone: "
            "pip install -c requirements.lock '.[metrics]'"
        )
    return tuple(networks)


def _traces(environment: Mapping[str, str]) -> Literal["", "otlp", "console"]:
    exporter = environment.get("OTEL_TRACES_EXPORTER", "").strip()
    endpoints = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    if exporter not in ("", "none", "otlp", "console"):
        raise ValueError(f"OTEL_TRACES_EXPORTER must be otlp, console or none, not {exporter!r}")
    if exporter == "none" or environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return ""
    if not exporter and not any(map(environment.get, endpoints)):
        return ""
    protocol = environment.get("OTEL_EXPORTER_OTLP_PROTOCOL", "") or "http/protobuf"
    if exporter != "console" and protocol != "http/protobuf":
        raise ValueError(f"OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not {protocol!r}")
    if not all(map(_is_installed, TELEMETRY)):
        raise ValueError(
            "OTEL_… variables ask for traces, which need an extra; in the clone: pip install '.[telemetry]'"
        )
    return "console" if exporter == "console" else "otlp"


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False

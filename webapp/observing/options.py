"""The settings of the observers. The front reads them from the environment, because it does not load the site."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, Literal, cast

LogForm = Literal["", "json", "text"]


@dataclass(frozen=True)
class Options:
    """How the site is observed: the settings of the same names (`webapp.settings`)."""

    log: LogForm = ""
    log_addresses: bool = False
    metrics_networks: tuple[IPv4Network | IPv6Network, ...] = ()

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


def options_of(settings: Mapping[str, Any]) -> Options:
    """The options from the site's settings.

    Raises ValueError, with a message for the operator, for an invalid setting and for metrics without their extra.
    """
    form, *more = str(settings.get("LOG") or "").split() or [""]
    if form not in ("", "json", "text") or more not in ([], ["addresses"]):
        raise ValueError(f"TOKENSCOPE_LOG must be json, text, json addresses or empty, not {settings['LOG']!r}")
    try:
        names = str(settings.get("METRICS_NETWORKS") or "").replace(",", " ").split()
        networks = tuple(map(ip_network, names))
    except ValueError as error:
        raise ValueError(f"TOKENSCOPE_METRICS_NETWORKS must be networks such as 10.0.0.0/8: {error}") from None
    if networks and find_spec("prometheus_client") is None:
        raise ValueError(
            "TOKENSCOPE_METRICS_NETWORKS asks for metrics, which need an extra; in the clone: "
            "pip install -c requirements.lock '.[metrics]'"
        )
    return Options(cast(LogForm, form), bool(more), networks)


def from_environment(environment: Mapping[str, str] = os.environ) -> Options:
    """The options from the environment; raises ValueError as `options_of` does.

    >>> from_environment({"TOKENSCOPE_LOG": "json addresses"}).log_addresses
    True
    """
    return options_of({name: environment.get(f"TOKENSCOPE_{name}", "") for name in ("LOG", "METRICS_NETWORKS")})


def log_form() -> LogForm:
    """The setting `LOG` alone; empty if it is invalid, which `options_of` reports."""
    form = os.environ.get("TOKENSCOPE_LOG", "").partition(" ")[0]
    return cast(LogForm, form) if form in ("json", "text") else ""

"""Asks the site that runs on this machine what it finds, with the environment that it has."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Any

from webapp.command_line.doctor.finding import Finding, Installation, fail, ok, warn
from webapp.core import __version__
from webapp.server.healthcheck import ask


def check(installation: Installation, host: str) -> Iterator[Finding]:
    """The findings on the site at `host`, and on proxies before it."""
    where = f"{host}:{installation.port}"
    if not _is_taken(host, installation.port):
        yield ok(f"No site runs at {where}; start it and run doctor again for what only a running site knows.")
        yield _proxies(installation, running=False)
        return
    try:
        status, body = ask(host, installation.port, "/readyz")
        report = json.loads(body)
        checks, told = report["checks"], report["warnings"]
        findings = list(_checks(where, status, report, checks, told, installation))
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError, AttributeError):
        yield fail(
            f"What listens at {where} does not answer as this site does.",
            "Stop the other program, or choose another port with PORT. If it is the site, see its log.",
        )
        return
    yield from findings


def _checks(
    where: str, status: int, report: Any, checks: Any, told: list[str], installation: Installation
) -> Iterator[Finding]:
    release = f"{report['version']}, commit {report['commit']}"
    if report["version"] != __version__:
        yield warn(f"The site at {where} is {release}; this is {__version__}.", "Restart the site after an upgrade.")
    for name, each in checks.items():
        if not each["ok"]:
            made = fail if each["required"] else warn
            yield made(f"The site at {where}: {name}: {each['problem']}", "See its log, and the lines above.")
    if status == 200:
        yield ok(f"The site at {where} is ready ({release}).")
    for warning in told:
        message, _, advice = warning.partition(". ")
        yield warn(f"The site at {where}: {message}.", advice)
    if not told:
        yield _proxies(installation, running=True)


def _proxies(installation: Installation, *, running: bool) -> Finding:
    proxies = installation.config["PROXIES"]
    if proxies:
        return ok(
            f"TOKENSCOPE_PROXIES is {proxies}: each proxy must write X-Forwarded-For and X-Forwarded-Proto itself."
        )
    seen = "no request came through one since the site started" if running else "whether there are any is not known"
    return ok(f"TOKENSCOPE_PROXIES is 0: no proxy is trusted, and {seen}.")


def _is_taken(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=5).close()
    except OSError:
        return False
    return True

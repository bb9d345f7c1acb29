"""Runs all checks of `tokenscope doctor`, and prints what they find."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from urllib.parse import unquote

from webapp.command_line.doctor.finding import Finding, Level, fail

EPILOG = """\
Run it with the environment and as the user of the site, on its machine or in its container. It starts nothing and
changes nothing. The exit code is 1 if a line says fail.
"""
_RANK: dict[Level, int] = {"ok": 0, "warn": 1, "fail": 2}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--host", default="127.0.0.1", help="the address of the running site (%(default)s)")


def doctor(options: Namespace) -> int:
    """Print all findings, and return the exit code: 1 if there is a failure."""
    sections = examine(options.host)
    worst = max((finding.level for found in sections.values() for finding in found), key=_RANK.__getitem__)
    if options.json:
        told = {name: [asdict(finding) for finding in found] for name, found in sections.items()}
        sys.stdout.write(json.dumps({"status": worst, "sections": told}, ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write("".join(_lines(sections)))
    return 1 if worst == "fail" else 0


def examine(host: str) -> dict[str, list[Finding]]:
    """The findings of all checks by section."""
    from webapp.command_line.doctor import (
        capacity,
        clock,
        database,
        folders,
        fonts,
        queue,
        running_site,
        settings,
        versions,
    )

    found, installation = settings.check()
    checks: dict[str, Callable[[], Iterable[Finding]]] = {
        "database": lambda: database.check(installation),
        "queue": lambda: queue.check(installation),
        "folders": lambda: folders.check(installation),
        "fonts": fonts.check,
        "clock": lambda: clock.check(installation),
        "versions": lambda: versions.check(str(installation.config["COMMIT"])),
        "capacity": lambda: capacity.check(installation),
        "site": lambda: running_site.check(installation, host),
    }
    sections = {"settings": found} | {name: _found(check) for name, check in checks.items()}
    secrets = _secrets(str(installation.config["DATABASE_URL"]), installation.redis)
    return {name: [_without(secrets, finding) for finding in found] for name, found in sections.items()}


def _found(check: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """The findings of a check, and one more if it fails itself."""
    findings: list[Finding] = []
    try:
        for finding in check():
            findings.append(finding)
    except Exception as error:
        reason = " ".join(str(error).split())
        findings.append(fail(f"The check could not be completed: {type(error).__name__}: {reason}", "Run it again."))
    return findings


def _secrets(*addresses: str) -> list[str]:
    """What must not be printed: the passwords in addresses, as they are written and decoded, and the hub's token."""
    passwords = [address.partition("://")[2].rpartition("@")[0].partition(":")[2] for address in addresses]
    found = [*passwords, *map(unquote, passwords), os.environ.get("HF_TOKEN", "").strip()]
    return sorted({secret for secret in found if secret}, key=len, reverse=True)


def _without(secrets: list[str], finding: Finding) -> Finding:
    """A finding in whose message a library may have repeated a secret."""
    message = finding.message
    for secret in secrets:
        message = message.replace(secret, "***")
    return replace(finding, message=message)


def _lines(sections: dict[str, list[Finding]]) -> Iterable[str]:
    levels = [finding.level for found in sections.values() for finding in found]
    for name, found in sections.items():
        yield f"{name}\n"
        for finding in found:
            yield f"  {finding.level:4}  {finding.message}\n"
            if finding.advice:
                yield f"        → {finding.advice}\n"
    failures, warnings = levels.count("fail"), levels.count("warn")
    yield f"\n{len(levels)} checks: {failures} failed, {warnings} with warnings\n"

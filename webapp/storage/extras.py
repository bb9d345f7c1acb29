"""Packages that only some settings need: PostgreSQL's driver, the client of Redis, the library of the metrics."""

from __future__ import annotations

from importlib.util import find_spec


def missing(package: str, extra: str) -> str:
    """The sentence that says how to install a package; empty if it is installed.

    >>> missing("json", "any"), missing("no_such_package", "redis")
    ('', "This needs the package no_such_package; in the clone: pip install -c requirements.lock '.[redis]'")
    """
    if find_spec(package) is not None:
        return ""
    return f"This needs the package {package}; in the clone: pip install -c requirements.lock '.[{extra}]'"

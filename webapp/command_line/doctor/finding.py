"""A finding of `tokenscope doctor`, and the time limit of a check."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

T = TypeVar("T")

Level = Literal["ok", "warn", "fail"]


@dataclass(frozen=True)
class Finding:
    """One line of the report; `advice` says what to do about a warning or failure."""

    level: Level
    message: str
    advice: str = ""


@dataclass(frozen=True)
class Installation:
    """What is checked: the `config` of the site, with defaults in place of invalid settings, and its addresses."""

    config: dict[str, Any]
    instance: str
    redis: str
    port: int
    workers: int

    @property
    def seconds(self) -> float:
        """The time limit for a database or queue that does not answer."""
        return float(self.config["MAX_DATABASE_SECONDS"])


def ok(message: str) -> Finding:
    """Something is as it should be."""
    return Finding("ok", message)


def warn(message: str, advice: str) -> Finding:
    """The site works, but not as well as it could."""
    return Finding("warn", message, advice)


def fail(message: str, advice: str) -> Finding:
    """The site does not start, or a part of it does not work."""
    return Finding("fail", message, advice)


def within(seconds: float, function: Callable[[], T]) -> T:
    """Call `function` in a thread and return its result; raises TimeoutError after so many seconds.

    The thread goes on then; it does not keep the process from ending.
    """
    results: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(function())
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return results[0]


def size(count: float) -> str:
    """A number of bytes for people.

    >>> size(999), size(2_500_000), size(20_200_000_000)
    ('999 bytes', '2.5 MB', '20.2 GB')
    """
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count:.0f} bytes"

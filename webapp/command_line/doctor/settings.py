"""Checks every setting by itself, so that one invalid value does not hide another."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from flask import Flask

from webapp import settings
from webapp.command_line.doctor.finding import Finding, Installation, fail, ok, warn
from webapp.server.pool import default_pool_size, pool_size
from webapp.storage import DatabaseUrlError
from webapp.storage.engine import url_of
from webapp.vocabularies import fetching, language_models
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.folders import folders_of

PREFIX = "TOKENSCOPE_"
# Settings without a prefix.
PLAIN = ("PORT", "WEB_CONCURRENCY", "DATABASE_URL", "REDIS_URL", "HF_TOKEN")
# Names with the prefix that are no settings of the site: those of its tests, and the application that tests substitute.
OTHERS = ("APPLICATION", "REQUIRE_BROWSER", "REQUIRE_POSTGRES")
# Flask's own settings that operators may change.
FLASKS = (
    "MAX_CONTENT_LENGTH",
    "SECRET_KEY",
    "TRUSTED_HOSTS",
    "SERVER_NAME",
    "APPLICATION_ROOT",
    "PREFERRED_URL_SCHEME",
)


def check() -> tuple[list[Finding], Installation]:
    """The findings on the environment, and the installation that it describes without the invalid settings."""
    given = {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}
    findings = [finding for name in given if (finding := _unknown(name)) is not None]
    invalid = {name: problem for name in given if (problem := _problem(name)) is not None}
    findings += [fail(f"{name}: {problem}", f"Correct {name}, or remove it.") for name, problem in invalid.items()]
    findings += _plain()
    with _without(invalid):
        app = _application()
        database = _database_problem(str(app.config["DATABASE_URL"]))
    if database:
        findings.append(fail(database, "Correct DATABASE_URL, or remove it to store everything in an SQLite file."))
    findings += _together(app.config)
    if os.environ.get("FLASK_DEBUG", "").lower() not in ("", "0", "false"):
        findings.append(warn("FLASK_DEBUG is set.", "Remove it: it is for development."))
    known = len(given) + sum(name in os.environ for name in PLAIN)
    if all(finding.level == "ok" for finding in findings):
        findings.insert(0, ok(f"{known} settings are in the environment, all known and valid."))
    config = {**app.config, "DATABASE_URL": "" if database else app.config["DATABASE_URL"]}
    redis = str(config.get("REDIS_URL") or os.environ.get("REDIS_URL") or "")
    return findings, Installation(config, app.instance_path, redis, _port() or 8000, _workers() or default_pool_size())


def _unknown(name: str) -> Finding | None:
    """A warning for a name that is no setting, with the nearest one that is."""
    short = name.removeprefix(PREFIX)
    names = {*settings.DEFAULTS, *OTHERS, *FLASKS, "REDIS_URL", "DATABASE_URL"}
    if short in names or short.startswith("COMPRESS_"):
        return None
    if short in PLAIN:
        return warn(f"{name} is no setting.", f"Did you mean {short}, without {PREFIX}?")
    near = get_close_matches(short.upper(), sorted(settings.DEFAULTS), n=1)
    advice = f"Did you mean {PREFIX}{near[0]}?" if near else "Remove it; OPERATING.md lists all settings."
    return warn(f"{name} is no setting, so it has no effect.", advice)


def _problem(name: str) -> str | None:
    """Why the value of a setting cannot be used, regardless of the others."""
    others = {other: "" for other in os.environ if other.startswith(PREFIX) and other != name}
    with _without(others):
        try:
            app = _application()
            folders_of(app.config, app.instance_path)
            fetching.init_app(app)
            language_models.init_app(app)
        except (ValueError, OSError) as error:
            return _shortened(str(error), name)
    short = name.removeprefix(PREFIX)
    value = app.config.get(short)
    if short.startswith("RATE_") and short in settings.DEFAULTS:
        return _rate_problem(value)
    return None


def _shortened(message: str, name: str) -> str:
    """The message of an error without the name of the setting, which the report shows before it."""
    return message.removeprefix(name).removeprefix(":").strip()


def _rate_problem(value: Any) -> str | None:
    from limits import parse_many

    try:
        if value:
            parse_many(value)
    except (ValueError, TypeError) as error:
        return f"must be a rate such as “20 per minute, 200 per hour”: {error}"
    return None


def _plain() -> Iterator[Finding]:
    """The findings on settings without a prefix."""
    if _port() is None:
        yield fail(f"PORT is {os.environ['PORT']!r}.", "Set it to a number from 1 to 65535, or remove it.")
    if _workers() is None:
        told = os.environ["WEB_CONCURRENCY"]
        yield fail(f"WEB_CONCURRENCY is {told!r}.", "Set it to the number of workers, 2 or more, or remove it.")
    redis = os.environ.get("REDIS_URL", "")
    if redis and redis.partition("://")[0] not in ("redis", "rediss", "valkey", "valkeys"):
        yield fail("REDIS_URL is not understood.", "Set it to an address such as redis://host:6379/0, or remove it.")


def _port() -> int | None:
    """The port of the site; None if the setting is invalid."""
    port = os.environ.get("PORT") or "8000"
    return int(port) if port.isascii() and port.isdecimal() and 1 <= int(port) <= 65535 else None


def _workers() -> int | None:
    """The number of workers; None if the setting is invalid."""
    try:
        return pool_size()
    except ValueError:
        return None


def _database_problem(url: str) -> str | None:
    from pathlib import Path

    try:
        url_of(url, Path())
    except DatabaseUrlError:
        return "DATABASE_URL is not understood: it should look like postgresql://user:password@host:5432/name."
    return None


def _together(config: Mapping[str, Any]) -> Iterator[Finding]:
    """Findings on settings that do not fit together."""
    if config["MAX_DATABASE_SECONDS"] >= config["MAX_REQUEST_SECONDS"]:
        yield warn(
            "TOKENSCOPE_MAX_DATABASE_SECONDS is not less than TOKENSCOPE_MAX_REQUEST_SECONDS.",
            "Lower the first: else requests that wait for the database are stopped, not answered.",
        )
    unknown = [name for name in str(config["FETCH"]).split() if name not in WELL_KNOWN]
    if unknown:
        yield fail(
            f"TOKENSCOPE_FETCH names vocabularies that are not known: {', '.join(unknown)}.",
            "Correct the names; flask --app webapp vocabularies list shows them.",
        )
    if config["MAX_TRAINING_BYTES"] > config["MAX_TRAINING_DISK_BYTES"]:
        yield warn(
            "TOKENSCOPE_MAX_TRAINING_BYTES is more than TOKENSCOPE_MAX_TRAINING_DISK_BYTES, which includes the corpus.",
            "Raise the second, or lower the first.",
        )


def _application() -> Flask:
    """An application that has its settings and nothing else; raises ValueError for an invalid one."""
    app = Flask("webapp")
    settings.configure(app, {})
    return app


@contextmanager
def _without(names: Mapping[str, object]) -> Iterator[None]:
    """Take some variables out of the environment within the block."""
    taken = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(taken)

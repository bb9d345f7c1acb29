"""`tokenscope doctor`: what is wrong with settings, open files, database, folders and fonts, and what to do about it.

It starts nothing and changes nothing: it creates no file that stays, and migrates no database. What only a running
site knows, `/readyz` tells.
"""

import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from difflib import get_close_matches
from io import TextIOWrapper
from pathlib import Path
from urllib.parse import unquote

from flask import Flask
from limits import parse_many
from sqlalchemy import NullPool, create_engine

from webapp import settings
from webapp.processes import resource
from webapp.rendering.pictures.fonts import fonts
from webapp.server.pool import LEAST_FILES, pool_size
from webapp.storage.engine import missing, url_of
from webapp.storage.schema import HEAD, revision
from webapp.vocabularies import fetching, language_models
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.readiness import folder_problem, folders_of

PREFIX = "TOKENSCOPE_"
# Names with the prefix that are no settings of their own: of Flask, of the tests, and of the application they replace.
OTHERS = {"APPLICATION", "REQUIRE_BROWSER", "REQUIRE_POSTGRES", "MAX_CONTENT_LENGTH", "SECRET_KEY", "SERVER_NAME"}
OTHERS |= {"APPLICATION_ROOT", "PREFERRED_URL_SCHEME", "TRUSTED_HOSTS", "REDIS_URL", "DATABASE_URL", "CONSTANTS"}
OTHERS |= settings.OWN.keys()
# Characters that many visitors write, by Debian's package with a font for them.
SAMPLES = {"fonts-noto-core": "éжعअ", "fonts-noto-cjk": "词かカ한", "fonts-noto-color-emoji": "🎉"}

Finding = tuple[str, str, str]  # level (ok, warn or fail), message, and what to do


def doctor() -> int:
    """Print all findings, and return the exit code: 1 if there is a failure."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # in ASCII there are neither quotation marks nor arrows
    found = examine()
    for name, findings in found.items():
        sys.stdout.write(f"{name}\n")
        for level, message, advice in findings:
            sys.stdout.write(f"  {level:4}  {message}\n" + (f"        → {advice}\n" if advice else ""))
    return int(any(level == "fail" for findings in found.values() for level, _, _ in findings))


def examine() -> dict[str, list[Finding]]:
    """The findings of all checks by section, without passwords."""
    app, found = Flask("webapp"), list(_names())
    while problem := _problem(app):
        name = next((each for each in os.environ if each.startswith(PREFIX) and each in problem), "the setting")
        found.append(("fail", problem, f"Correct {name}, or remove it."))
        if os.environ.pop(name, None) is None:
            break  # else the other checks have its default
    checks = {"database": lambda: _database(app), "folders": lambda: _folders(app), "fonts": _fonts}
    checks["models"] = lambda: _models(app)
    sections = {"settings": [*found, *_machine()]} | {name: _completed(check) for name, check in checks.items()}
    password = str(app.config["DATABASE_URL"]).partition("://")[2].rpartition("@")[0].partition(":")[2]
    for secret in filter(None, (password, unquote(password))):
        sections = {name: [(a, b.replace(secret, "***"), c) for a, b, c in each] for name, each in sections.items()}
    return {name: each or [("ok", "Nothing is wrong.", "")] for name, each in sections.items()}


def _completed(check: Callable[[], Iterator[Finding]]) -> list[Finding]:
    """The findings of a check, and one more if it fails itself."""
    found: list[Finding] = []
    try:
        found.extend(check())
    except Exception as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())
        found.append(("fail", message, "Correct this, and run doctor again."))
    return found


def _names() -> Iterator[Finding]:
    for name in filter(lambda each: each.startswith(PREFIX), os.environ):
        short = name.removeprefix(PREFIX)
        if short not in settings.DEFAULTS and short not in OTHERS and not short.startswith("COMPRESS_"):
            near = get_close_matches(short.upper(), sorted(settings.DEFAULTS), n=1)
            advice = f"Did you mean {PREFIX}{near[0]}?" if near and short not in settings.CONSTANTS else "Remove it."
            yield "warn", f"{name} is no setting, so it has no effect.", advice


def _problem(app: Flask) -> str:
    """The first setting that cannot be used, and why; empty if all can."""
    try:
        settings.configure(app, {})
        folders_of(app.config, app.instance_path)
        fetching.init_app(app)
        language_models.init_app(app)
        for name in filter(app.config.get, ("RATE_READING", "RATE_STORING", "RATE_WORK")):
            try:
                parse_many(app.config[name])
            except ValueError as error:
                return f"{PREFIX}{name}: {error}"
        if unknown := set(str(app.config["FETCH"]).split()) - WELL_KNOWN.keys():
            return f"{PREFIX}FETCH names vocabularies that are not known: {', '.join(unknown)}."
    except (ValueError, OSError) as error:
        return str(error)
    return ""


def _machine() -> Iterator[Finding]:
    port = os.environ.get("PORT") or "8000"
    if not (port.isascii() and port.isdecimal() and 1 <= int(port) <= 65535):
        yield "fail", f"PORT is {port!r}.", "Set it to a number from 1 to 65535, or remove it."
    try:
        pool_size()
    except ValueError:
        yield "fail", "WEB_CONCURRENCY is no number of workers.", "Set it to 2 or more, or remove it."
    for name, package, extra in (("REDIS_URL", "redis", "redis"), ("DATABASE_URL", "psycopg", "postgresql")):
        if os.environ.get(name) and (lacking := missing(package, extra)):
            yield "fail", f"{name} needs what is not installed.", lacking
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1] if resource else LEAST_FILES
    if -1 < files < LEAST_FILES:  # -1: no limit
        yield "fail", f"A process may open {files} files, so the server does not start.", "Raise ulimit -Hn to 17408."


def _database(app: Flask) -> Iterator[Finding]:
    file = Path(str(app.config["DATABASE_FILE"]) or Path(app.instance_path) / "tokenscope.sqlite")
    address = str(app.config["DATABASE_URL"])
    if not address and not file.exists():
        return  # the site creates it
    arguments = {"connect_timeout": 5} if address else {"timeout": 2}
    with create_engine(url_of(address, file), poolclass=NullPool, connect_args=arguments).connect() as connection:
        found = revision(connection) or HEAD
    if found < HEAD:
        advice = "Take a backup, then restart the site: it migrates them."
        yield "warn", f"The tables are at revision {found}; this release needs {HEAD}.", advice
    elif found > HEAD:
        advice = "Install that release, or restore a backup from this one."
        yield "fail", f"A newer release has migrated the database, to revision {found}.", advice


def _folders(app: Flask) -> Iterator[Finding]:
    for folder in folders_of(app.config, app.instance_path):
        if problem := folder_problem(folder, int(app.config["MIN_DISK_BYTES"])):
            advice = f"Make it writable, free space, or name another folder with {folder.setting}."
            yield "fail", f"{folder.name}: {folder.path}: {problem}", advice


def _models(app: Flask) -> Iterator[Finding]:
    with app.app_context():
        newest = max((each.as_of for each in language_models.find_models("") if each.as_of), default=None)
    if newest is not None and (age := datetime.now(UTC).date() - newest) > language_models.OLD:
        advice = "Install a newer release, or run python -m webapp.vocabularies.renew_models --write."
        yield "warn", f"Windows and prices of language models are {age.days} days old.", advice


def _fonts() -> Iterator[Finding]:
    found = fonts()
    for package, characters in SAMPLES.items():
        if lacking := [each for each in characters if found.face_for(each) is None]:
            yield "warn", f"No font has {' '.join(lacking)}: pictures leave them blank.", f"apt-get install {package}"

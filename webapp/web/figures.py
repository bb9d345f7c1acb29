"""What the site says of itself to Prometheus: trainings, shared results and vocabularies.

The front asks for it on a scrape (`webapp.observing.observers`). No address leads here: the request is recognized by
a WSGI variable that no client can set, because headers become variables whose names begin with `HTTP_`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from typing import get_args
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Response

from webapp.core import __version__
from webapp.observing.observers import FIGURES
from webapp.storage import UnavailableStorageError, storage_of
from webapp.storage.inventory import figures_of
from webapp.storage.jobs import State
from webapp.vocabularies.shipped_vocabularies import number_loaded
from webapp.web.release import commit

log = logging.getLogger(__name__)

# The name, the labels and the value of a figure; `webapp.observing.metrics.SITE_GAUGES` describes them.
Figure = tuple[str, dict[str, str], float]


def init_app(app: Flask) -> None:
    """Answer the front's request for the figures before all else: it counts for no limit and in no session."""
    app.wsgi_app = _Figures(app, app.wsgi_app)  # type: ignore[method-assign]


class _Figures:
    """WSGI middleware that answers the front's own request, and passes all others on."""

    def __init__(self, app: Flask, wsgi_app: WSGIApplication) -> None:
        self._app = app
        self._wsgi_app = wsgi_app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if FIGURES not in environ:
            return self._wsgi_app(environ, start_response)
        try:
            response = Response(json.dumps(figures(self._app)), mimetype="application/json")
        except Exception:  # otherwise it would end the worker, at every scrape
            log.exception("The figures of the site could not be read")
            response = Response(status=500)
        return response(environ, start_response)


def figures(app: Flask) -> list[Figure]:
    """All figures; without the database only those that need none."""
    found: list[Figure] = [
        ("tokenscope_build_info", {"version": __version__, "commit": commit(str(app.config["COMMIT"]))}, 1),
        ("tokenscope_vocabularies_loaded", {}, number_loaded()),
    ]
    try:
        stored = figures_of(storage_of(app).database)
    except UnavailableStorageError as error:
        log.warning("The metrics lack the figures of the database: %s", error)
        return [*found, ("tokenscope_database_up", {}, 0)]
    found.append(("tokenscope_database_up", {}, 1))
    states = dict.fromkeys(get_args(State), 0) | stored.jobs
    found += [("tokenscope_jobs", {"state": state}, count) for state, count in states.items()]
    conditions = {"kept": 0} | stored.snapshots
    found += [("tokenscope_snapshots", {"condition": name}, count) for name, count in conditions.items()]
    needs = {"visitors": 0, "snapshots": 0} | stored.vocabularies
    found += [("tokenscope_stored_vocabularies", {"for": name}, count) for name, count in needs.items()]
    return found

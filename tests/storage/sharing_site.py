"""The site, with the id of the worker process in each response.

If it has no `/share`, a plain replacement stores a text and responds with its address.
"""

from __future__ import annotations

import os

from flask import Flask, Response, abort, request

import webapp
from tests.storage.conftest import snapshot
from webapp.storage import storage


def create_app() -> Flask:
    """The application that the server serves for the tests."""
    app = webapp.create_app()
    if "snapshots" not in app.blueprints:
        app.add_url_rule("/share", view_func=store_text, methods=["POST"])
        app.add_url_rule("/s/<id>", view_func=show_text)

    @app.after_request
    def name(response: Response) -> Response:
        response.headers["X-Process"] = str(os.getpid())
        return response

    return app


def store_text() -> Response:
    """Store a text."""
    shared = storage().snapshots.share(snapshot(request.form["text"]), expires=None)
    return Response(status=201, headers={"Location": f"/s/{shared.id}"})


def show_text(id: str) -> Response:
    """Show a stored text."""
    stored = storage().snapshots.get(id)
    if stored is None:
        abort(404)
    return Response(stored.snapshot.text, mimetype="text/plain")

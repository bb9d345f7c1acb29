"""The site, with the process named in each answer.

Where it has no `/share` of its own, a plain one stands in: it keeps a text and answers with its address.
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
        app.add_url_rule("/share", view_func=keep, methods=["POST"])
        app.add_url_rule("/s/<id>", view_func=kept)

    @app.after_request
    def name(response: Response) -> Response:
        response.headers["X-Process"] = str(os.getpid())
        return response

    return app


def keep() -> Response:
    """Keep a text."""
    shared = storage().snapshots.share(snapshot(request.form["text"]), expires=None)
    return Response(status=201, headers={"Location": f"/s/{shared.id}"})


def kept(id: str) -> Response:
    """Show what is kept."""
    stored = storage().snapshots.get(id)
    if stored is None:
        abort(404)
    return Response(stored.snapshot.text, mimetype="text/plain")

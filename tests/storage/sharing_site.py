"""The site with two addresses more, one that stores a text and one that shows it; each answer names its process."""

from __future__ import annotations

import os

from flask import Flask, Response, abort, request

import webapp
from tests.storage.conftest import snapshot
from webapp.storage import storage


def create_app() -> Flask:
    """The application that gunicorn serves for the tests."""
    app = webapp.create_app()

    @app.post("/kept")
    def keep() -> Response:
        shared = storage().snapshots.share(snapshot(request.get_data().decode()), expires=None)
        return Response(status=201, headers={"Location": f"/kept/{shared.id}"})

    @app.get("/kept/<id>")
    def kept(id: str) -> Response:
        stored = storage().snapshots.get(id)
        if stored is None:
            abort(404)
        return Response(stored.snapshot.text, mimetype="text/plain")

    @app.after_request
    def name(response: Response) -> Response:
        response.headers["X-Process"] = str(os.getpid())
        return response

    return app

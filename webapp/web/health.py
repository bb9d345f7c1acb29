"""The health check at `/healthz`."""

from __future__ import annotations

from flask import Blueprint, Response

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """Answer `ok` without using the database or any vocabulary."""
    return Response("ok", mimetype="text/plain")

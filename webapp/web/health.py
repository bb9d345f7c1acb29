"""The health checks: `/healthz` for whether the site lives, `/readyz` for whether it can do its work."""

from __future__ import annotations

import json

from flask import Blueprint, Response, current_app

from webapp.web import readiness

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """Answer `ok` without using the database or any vocabulary."""
    return Response("ok", mimetype="text/plain")


@blueprint.get("/readyz")
def readyz() -> Response:
    """Answer with a report as JSON; the status is 503 while something is missing that the site needs."""
    report = readiness.report(current_app)
    response = Response(json.dumps(report, indent=2) + "\n", mimetype="application/json")
    response.status_code = 503 if report["status"] == "unready" else 200
    response.headers["Cache-Control"] = "no-store"
    return response

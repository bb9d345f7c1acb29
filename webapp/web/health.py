"""`/healthz`: is this process answering?"""

from __future__ import annotations

from flask import Blueprint, Response

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """Says `ok`; touches nothing."""
    return Response("ok", mimetype="text/plain")

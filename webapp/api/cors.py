"""CORS headers: scripts of any origin may call the API, without cookies (https://fetch.spec.whatwg.org/#cors-protocol)."""

from __future__ import annotations

from http import HTTPStatus

from flask import Flask, Response, request

from webapp.web.problems import is_api

DAY_SECONDS = 86_400


def init_app(app: Flask) -> None:
    """Add CORS headers to every response under `/api/v1`, errors included."""

    @app.after_request
    def add_cors_headers(response: Response) -> Response:
        if not is_api(request):
            return response
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Access-Control-Expose-Headers"] = "ETag, Location, Retry-After"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        if request.method == "OPTIONS" and response.status_code == HTTPStatus.OK:
            response.status_code = HTTPStatus.NO_CONTENT
            del response.headers["Content-Type"]
            response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
            response.headers["Access-Control-Allow-Headers"] = "Content-Type, If-None-Match"
            response.headers["Access-Control-Max-Age"] = str(DAY_SECONDS)
        return response

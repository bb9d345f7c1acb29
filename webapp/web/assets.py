"""Static files under addresses that change with their content, so that a browser may keep them for good."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Flask, Response, request

A_YEAR = 31_536_000


def init_app(app: Flask) -> None:
    """Add `?v=…` to every static URL and let versioned answers be cached for a year, unchanged."""
    folder = Path(app.static_folder or "")

    @app.url_defaults
    def version(endpoint: str, values: dict[str, Any]) -> None:
        if endpoint == "static" and "filename" in values and "v" not in values:
            values["v"] = fingerprint(folder / values["filename"], app.debug)

    @app.after_request
    def keep(response: Response) -> Response:
        if request.endpoint == "static" and request.args.get("v") and response.status_code in (200, 304):
            response.headers["Cache-Control"] = f"public, max-age={A_YEAR}, immutable"
        return response


def fingerprint(path: Path, fresh: bool = False) -> str:
    """The first ten hexadecimal digits of the file's SHA-256; read once, or each time when `fresh`."""
    return (_digest.__wrapped__ if fresh else _digest)(path)


@lru_cache(maxsize=256)
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:10]

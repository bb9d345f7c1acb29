"""The JSON API at `/api/v1`, and its documentation page at `/api`."""

from webapp.api.cors import init_app
from webapp.api.page import blueprint as page
from webapp.api.routes import blueprint

__all__ = ["blueprint", "init_app", "page"]

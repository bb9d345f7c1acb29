"""`/api/v1`, for programs, and `/api`, the page about it."""

from webapp.api.cors import init_app
from webapp.api.page import blueprint as page
from webapp.api.routes import blueprint

__all__ = ["blueprint", "init_app", "page"]

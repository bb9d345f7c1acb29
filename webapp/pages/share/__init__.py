"""Snapshots: results that are kept as they were, each under a link of its own that lasts."""

from webapp.pages.share.routes import blueprint

__all__ = ["blueprint"]

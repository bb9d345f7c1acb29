"""`/vocabularies/diff`: which pieces two vocabularies share."""

from webapp.pages.difference.routes import blueprint

__all__ = ["blueprint"]

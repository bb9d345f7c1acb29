"""`/steps`: every decision of an algorithm on a short text, one at a time."""

from webapp.steps.routes import blueprint

__all__ = ["blueprint"]

"""`/frequencies`: how often each token of a text occurs, as a chart of rank against frequency."""

from webapp.pages.frequencies.routes import blueprint

__all__ = ["blueprint"]

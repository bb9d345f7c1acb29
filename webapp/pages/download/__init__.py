"""`/download/tokens.…`: a result as a file: a picture, a page or data."""

from webapp.pages.download.routes import blueprint

__all__ = ["blueprint"]

"""The playground: text in, coloured tokens, ids and decoded text out."""

from webapp.pages.playground.routes import blueprint

__all__ = ["blueprint"]

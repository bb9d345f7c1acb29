"""`/pretokens`: how a vocabulary, or a pattern of one's own, splits a text before the model sees it."""

from webapp.pages.pretokens.routes import blueprint

__all__ = ["blueprint"]

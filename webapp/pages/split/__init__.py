"""`/split`: split a long text into parts of at most N tokens, to read, copy and download."""

from webapp.pages.split.routes import blueprint

__all__ = ["blueprint"]

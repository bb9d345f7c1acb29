"""`/split`: a long text in parts of at most so many tokens, to read, to copy and to download."""

from webapp.pages.split.routes import blueprint

__all__ = ["blueprint"]

"""What it costs to write in each language: one passage in many of them, cut by the same tokenizers."""

from webapp.pages.languages.routes import blueprint

__all__ = ["blueprint"]

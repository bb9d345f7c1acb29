"""The course: one page an idea, with live examples, in every language of the site."""

from webapp.pages.learn.routes import blueprint

__all__ = ["blueprint"]

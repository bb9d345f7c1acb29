"""The pages about vocabularies: the list of all of them, and what each is made of."""

from webapp.pages.vocabularies.routes import blueprint

__all__ = ["blueprint"]

"""`/ambiguity`: every overlapping and combinational ambiguity of a text, and what each method chose."""

from webapp.pages.ambiguity.routes import blueprint

__all__ = ["blueprint"]

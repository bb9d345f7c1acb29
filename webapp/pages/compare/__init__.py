"""`/compare`: two to six tokenizers on one text."""

from webapp.pages.compare.routes import blueprint

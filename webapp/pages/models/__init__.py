"""`/models`: language models with their vocabularies, context windows and prices, each with its source."""

from webapp.pages.models.routes import blueprint

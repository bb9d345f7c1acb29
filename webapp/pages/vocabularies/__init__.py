"""`/vocabularies`: the list of all vocabularies, and a page with the contents of each."""

from webapp.pages.vocabularies import token_routes
from webapp.pages.vocabularies.routes import blueprint

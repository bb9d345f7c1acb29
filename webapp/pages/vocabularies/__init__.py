"""`/vocabularies`: the list of all vocabularies, and a page with the contents of each."""

from webapp.pages.vocabularies import listing, tokens, vocabulary
from webapp.pages.vocabularies.found import blueprint
